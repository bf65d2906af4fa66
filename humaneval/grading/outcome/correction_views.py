"""Views of reference answers that graders marked as wrong: decisions, the draft of a revision, and a file."""

import json
import math
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from humaneval.grading import access
from humaneval.grading.desk.services import LONGEST_NOTE
from humaneval.grading.outcome import reference_corrections
from humaneval.models import CorrectionState
from leaderboard.access import signed_in_user
from leaderboard.web.http import attachment
from scoring.benchmarks.base import SourceError
from scoring.metrics.base import Primitive, UnusableReference, primitives
from scoring.registry import task_type_of
from scoring.task_types.base import TaskType

CANNOT_BE_FOUND: Final = "Remove empty texts, NaN and Infinity. No answer can contain them."


class CorrectionForm(forms.Form):
    """A decision about a reference answer that graders marked as wrong."""

    state = forms.ChoiceField(choices=CorrectionState.choices)
    answer = forms.CharField(required=False, max_length=100_000)
    note = forms.CharField(required=False, max_length=LONGEST_NOTE)

    def __init__(self, *args: Any, task: TaskType, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.task = task

    def clean(self) -> dict[str, Any]:
        """Require JSON in the form of a reference answer, if the correction is accepted."""
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("state") != CorrectionState.ACCEPTED:
            cleaned["answer"] = ""
            return cleaned
        try:
            value = json.loads(cleaned.get("answer") or "")
            self.task.check([value])
            # JSON can express a lone surrogate, which no database stores.
            json.dumps(value, ensure_ascii=False).encode()
        except UnusableReference as error:
            self.add_error("answer", f"This is not a valid reference answer: {error.problems[0].what}.")
        except (ValueError, RecursionError):
            self.add_error("answer", 'Write the corrected answer as JSON, for example {"Mars": 2} or "Oslo".')
        else:
            if not self.task.by_criteria and not all(map(_can_be_found, primitives(value))):
                self.add_error("answer", CANNOT_BE_FOUND)
        return cleaned


def _can_be_found(primitive: Primitive) -> bool:
    value = primitive.value
    return bool(value.strip()) if isinstance(value, str) else not isinstance(value, float) or math.isfinite(value)


@require_http_methods(["GET", "HEAD", "POST"])
def proposed_corrections(request: HttpRequest, slug: str) -> HttpResponse:
    """The reference answers that graders marked as wrong, with the decision about each."""
    round_ = access.round_for_maintainer(request.user, slug)
    user = signed_in_user(request)
    form, failed = None, ""
    if request.method == "POST":
        failed = request.POST.get("question", "")
        questions = (correction.question for correction in reference_corrections.corrections_of(round_))
        question = next((question for question in questions if question.qid == failed), None)
        if question is None:
            raise Http404("No grader marked the reference of this question as wrong.")
        form = CorrectionForm(request.POST, task=task_type_of(round_.revision.split.benchmark.slug))
        if form.is_valid():
            reference_corrections.decide_correction(
                round_=round_,
                question=question,
                state=CorrectionState(form.cleaned_data["state"]),
                answer_json=form.cleaned_data["answer"],
                note=form.cleaned_data["note"],
                by=user,
            )
            messages.success(request, f"Question {failed}: decision saved. The reference answer is not changed yet.")
            return redirect("grading-corrections", slug)
    corrections = reference_corrections.with_references(round_, right=access.right_of(user, round_))
    context = {"round": round_, "corrections": corrections, "form": form, "failed": failed}
    return render(request, "humaneval/grading/corrections.html", context, status=422 if form is not None else 200)


@require_POST
def prepare_revision(request: HttpRequest, slug: str) -> HttpResponse:
    """Put the accepted corrections into a draft of the split's next revision, and preview the changes."""
    round_ = access.round_for_maintainer(request.user, slug)
    try:
        draft = reference_corrections.prepare_revision(round_, by=signed_in_user(request))
    except SourceError as error:
        messages.error(request, " ".join(error.problems))
        return redirect("grading-corrections", slug)
    split = round_.revision.split
    return redirect("maintenance-import-draft", split.benchmark.slug, split.slug, draft.pk)


@require_safe
def corrections_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The corrections as a JSON file."""
    round_ = access.round_for_maintainer(request.user, slug)
    right = access.right_of(signed_in_user(request), round_)
    content = reference_corrections.as_json(reference_corrections.as_document(round_, right=right))
    return attachment(content, "application/json", f"{round_.slug}-corrections.json")
