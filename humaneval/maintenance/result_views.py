"""Results of a study: articles read, scores of the answers, and the export of all data."""

import tempfile
from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib import messages
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from humaneval.maintenance.study_views import frame, scores_frame
from humaneval.models import Kind, Study
from humaneval.results import item_votes, methods
from humaneval.results.answer_sets import NothingToScoreError, make_answer_set, numbered_results, results_of
from humaneval.results.evidence import evidence_of
from humaneval.results.exports.archive import export_name, write_export
from humaneval.results.exports.tables import tables_of
from humaneval.results.human_row import (
    HumanRowError,
    publish_people,
    row_of,
    unpublish_people,
    why_not_graded,
)
from humaneval.results.list_pairs import list_pairs_of
from humaneval.results.pair_choices import pair_outcome_of
from humaneval.results.ratings import outcome_of_ratings
from humaneval.results.stale_results import withdrawn_since
from humaneval.studies import access
from humaneval.studies.forms import ExportForm
from humaneval.studies.kinds import KINDS
from leaderboard.access import require_maintainer, signed_in_user
from leaderboard.web.http import attachment, post_action
from leaderboard.web.parameters import NUMBER, reads

OUTCOMES: Final[Mapping[Kind, Callable[[Study], Any]]] = {
    Kind.ANSWER: lambda study: list_pairs_of([study]),
    Kind.ITEMS: item_votes.outcome_of,
    Kind.PAIRS: pair_outcome_of,
    Kind.RATINGS: outcome_of_ratings,
}
"""Function that computes the outcome of a study, by its type; written answers are scored like a system's, and their
lists are compared."""
ONLY_READ: Final = "The scores follow from the answers without further action."


@require_safe
@reads({"page": NUMBER})
def evidence(request: HttpRequest, slug: str) -> HttpResponse:
    """The participants' articles compared with the necessary ones, for the study and per question."""
    study = access.study_for(request.user, slug)
    found = evidence_of(study, request.GET.get("page"), with_scores=access.may_see_grades(request.user, study))
    context = {**frame(study, "manage-study-evidence"), "evidence": found}
    return render(request, "humaneval/maintenance/evidence.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def results(request: HttpRequest, slug: str) -> HttpResponse:
    """The scores of a study, as its type computes them; POST makes a set of the current answers, which is scored."""
    study = access.study_for(request.user, slug)
    kind = KINDS[study.kind]
    if request.method == "POST" and not kind.writes_answers:
        messages.info(request, ONLY_READ)
        return redirect("manage-study-results", slug)
    if request.method == "POST":
        return post_action(
            request,
            lambda: make_answer_set(study, by=signed_in_user(request)),
            done=lambda made: f"{made.n_answers} answers queued for scoring.",
            refused=NothingToScoreError,
            then=redirect("manage-study-results", slug),
        )
    with_scores = kind.scores_are_open or access.may_see_grades(request.user, study)
    outcome = _shown_outcome(request, study)
    context = {
        **scores_frame(study),
        "with_scores": with_scores,
        "outcome": outcome,
        "methods": methods.as_file(methods.methods_of(study, outcome)),
    }
    if kind.writes_answers:
        row = row_of(study)
        context |= {
            "results": results_of(study, with_scores=with_scores),
            "withdrawn": withdrawn_since(study),
            "on_board": row,
            "why_not_graded": why_not_graded(study) if row else "",
        }
    return render(request, kind.scores_template, context)


def _shown_outcome(request: HttpRequest, study: Study) -> Any:
    """The outcome of a study, None if the visitor may not see it. Lists are compared without a reference answer."""
    kind = KINDS[study.kind]
    is_shown = kind.writes_answers or kind.scores_are_open or access.may_see_grades(request.user, study)
    return OUTCOMES[kind.kind](study) if is_shown else None


@require_safe
def methods_file(request: HttpRequest, slug: str, extension: str) -> HttpResponse:
    """The methods paragraph of a study, as text or LaTeX."""
    study = access.study_for(request.user, slug)
    if extension not in methods.FORMATS:
        raise Http404("The paragraph is there as txt and tex.")
    paragraphs = methods.methods_of(study, _shown_outcome(request, study))
    content = methods.as_file(paragraphs, extension)
    return attachment(content, methods.FORMATS[extension], f"methods-{study.slug}.{extension}")


@require_POST
def publish(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Publish an answer set of a study on the leaderboard as its Human row."""
    study = access.study_for(request.user, slug)
    require_maintainer(request.user)
    result = dict(numbered_results(study)).get(number)
    if result is None:
        raise Http404("The study has no such answer set.")
    said = {name: request.POST.get(name, "") for name in ("name", "authors")}
    return post_action(
        request,
        lambda: publish_people(result, by=signed_in_user(request), **said),
        done=lambda entry: f"{entry.system.name} is on the leaderboard: {entry.note.rstrip('.')}.",
        refused=HumanRowError,
        then=redirect("manage-study-results", slug),
    )


@require_POST
def unpublish(request: HttpRequest, slug: str) -> HttpResponse:
    """Remove a study's Human row from the leaderboard."""
    study = access.study_for(request.user, slug)
    require_maintainer(request.user)
    return post_action(
        request,
        lambda: unpublish_people(study, by=signed_in_user(request)),
        done="The study's row was removed from the leaderboard. The row and its scores are still stored.",
        refused=HumanRowError,
        then=redirect("manage-study-results", slug),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def export(request: HttpRequest, slug: str) -> HttpResponseBase:
    """The study as a ZIP archive; POST, because it is logged. Participants' identities are included only on request."""
    study = access.study_for(request.user, slug)
    with_grades = access.may_see_grades(request.user, study)
    form = ExportForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with_contacts = form.cleaned_data["with_contacts"]
        archive = tempfile.TemporaryFile()  # noqa: SIM115 - the response closes it
        by = signed_in_user(request)
        write_export(study, archive, by=by, with_contacts=with_contacts, with_grades=with_grades)
        archive.seek(0)
        name = export_name(study)
        response = FileResponse(archive, as_attachment=True, filename=name, content_type="application/zip")
        response["Cache-Control"] = "no-store"
        return response
    context = {
        **frame(study, "manage-study-export"),
        "form": form,
        "tables": tables_of(with_contacts=True, with_grades=with_grades, kind=study.kind),
        "with_grades": with_grades,
    }
    page: HttpResponse = render(request, "humaneval/maintenance/export.html", context)
    return page
