"""The submission form with saved files: go on with it, discard it, fill its fields from pasted metadata.

Enters: a request with the key of a draft, or pasted metadata. Leaves: the form's page, or a stored submission.
"""

from __future__ import annotations

import uuid
from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.datastructures import MultiValueDict
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.access import signed_in_user
from leaderboard.models import ReceivedUpload
from leaderboard.submissions import drafts
from leaderboard.submissions.json_documents import Problem
from leaderboard.submissions.metadata_json import parse_metadata
from leaderboard.submissions.upload_pages import UploadTarget, files_of, submit_page, submitted, with_target
from leaderboard.web.error_pages import counts_processor_time
from scoring.benchmarks import definition_of

MAX_STATEMENT: Final = 100_000
"""The maximum number of characters of pasted metadata that are read; real metadata is much shorter."""


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@counts_processor_time
@with_target
def draft(request: HttpRequest, target: UploadTarget, pk: uuid.UUID | str) -> HttpResponse:
    """The form with its saved files and the reports on them; POST submits it with these files."""
    if request.method == "POST":
        return submitted(request, target, str(pk))
    saved = drafts.find(signed_in_user(request), str(pk), target.benchmark.slug)
    if saved is None:
        messages.warning(request, drafts.GONE)
        return redirect("submit")
    received = ReceivedUpload.objects.filter(draft_key=saved.pk).first()
    if received is None:
        return submit_page(request, target, target.form(**saved.fields), draft=saved)
    # With the errors that a worker found, which checked the files.
    data = QueryDict(mutable=True)
    data.update(saved.fields)
    form = target.form(data, drafts.files_with(saved, MultiValueDict(), ()))
    form.is_valid()
    for name, texts in received.errors.items():
        form.add_error(name if name in form.fields else None, texts)
    return submit_page(request, target, form, draft=saved)


@login_required
@require_POST
@with_target
def discard(request: HttpRequest, target: UploadTarget, pk: uuid.UUID | str) -> HttpResponse:
    """Delete a draft with its files."""
    saved = drafts.find(signed_in_user(request), str(pk), target.benchmark.slug)
    if saved is not None:
        drafts.discard(saved)
    return redirect(f"/submit/?benchmark={target.benchmark.slug}")


@login_required
@require_POST
@with_target
def fill(request: HttpRequest, target: UploadTarget) -> HttpResponse:
    """The form with its fields filled from the valid fields of the pasted metadata; its files are saved as a draft."""
    user, key = signed_in_user(request), request.POST.get("draft", "")
    saved = drafts.find(user, key, target.benchmark.slug)
    files, _ = files_of(request, saved, key)
    fields = {name: str(value) for name, value in request.POST.items()}
    sent = target.form(request.POST, files)
    saved = drafts.save(saved, owner=user, target=target.benchmark.slug, fields=fields, form=sent, reports=())
    statement = fields.pop("statement", "")
    layout = definition_of(target.benchmark.slug).official
    if layout is None or len(statement) > MAX_STATEMENT:
        what = "no metadata that this benchmark knows" if layout is None else f"{len(statement):,} characters"
        problem = Problem("The metadata", what, f"at most {MAX_STATEMENT:,} characters of JSON")
        filled: dict[str, str] = {}
        problems = [problem]
    else:
        filled, problems = parse_metadata(statement, layout)
    form = target.form(**fields | filled)
    labels = ", ".join(str(form[name].label).lower() for name in filled)
    return submit_page(
        request,
        target,
        form,
        status=422 if problems else 200,
        draft=saved,
        statement=statement[:MAX_STATEMENT],
        statement_problems=problems,
        statement_filled=labels
        and f"Filled in from your metadata: {labels}. Check the fields, then choose your files.",
    )
