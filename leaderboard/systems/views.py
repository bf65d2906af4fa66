"""Pages of one system, and of several side by side."""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard import access
from leaderboard.models import Entry, EntryKind, System
from leaderboard.systems import verdicts
from leaderboard.systems.comparison.candidates import chooser_for
from leaderboard.systems.comparison.human_baseline import against_people
from leaderboard.systems.comparison.page import comparison_for
from leaderboard.systems.comparison.types import MOST_SYSTEMS, ComparisonParams
from leaderboard.systems.overview import overview_of
from leaderboard.systems.page import system_page
from leaderboard.systems.questions import OUTCOMES, explained_entry, questions_page
from leaderboard.web.http import file_response, moved_system
from leaderboard.web.parameters import NUMBER, TEXT, Parameter, name_ignored, reads

ON_BOARD: Final = dict.fromkeys(("benchmark", "split", "setting"), TEXT)
"""The parameters that name a board; a page of a board that does not exist is not found."""


@require_safe
@reads({})
def system(request: HttpRequest, slug: str) -> HttpResponse:
    """One system with its results. A pseudonym redirects to the true system once its day has come, and a merged
    system to the one that it was merged into."""
    system = System.objects.select_related("revealed_as", "same_as").filter(slug=slug).first()
    if system is None or system.revealed_as or system.same_as:
        return moved_system(request, "slug")
    page = system_page(system)
    if not page.is_public and not request.user.has_perm("leaderboard.view_system"):
        raise Http404("This system has no published result.")
    can_edit = access.can_edit_system(request.user, system)
    return render(request, "leaderboard/systems/system.html", overview_of(page) | {"can_edit": can_edit})


@require_safe
@reads(ON_BOARD | {"score": TEXT})
def against(request: HttpRequest, slug: str) -> HttpResponse:
    """Every system of a board compared with the board's human performance."""
    where = {"split__slug": request.GET.get("split", ""), "setting__slug": request.GET.get("setting", "")}
    if benchmark := request.GET.get("benchmark", ""):
        where["split__benchmark__slug"] = benchmark
    entry = (
        Entry.objects.filter(system__is_human=True, kind=EntryKind.SCORED, replaced_at=None, **where)
        .select_related("split__benchmark", "split__current_revision", "setting", "answer_set")
        .newest_of_system(slug)
    )
    if entry is None:
        return moved_system(request, "slug", "This board does not have such human answers, scored on this site.")
    page = against_people(entry, request.GET.get("score", ""))
    name_ignored(request, score=page["column"].key)
    return render(request, "leaderboard/comparison/human_baseline.html", {"page": page})


@require_safe
@reads(ON_BOARD | {"outcome": Parameter(tuple(OUTCOMES)), "category": TEXT, "page": NUMBER})
def questions(request: HttpRequest, slug: str) -> HttpResponse:
    """A system's answers question by question, on a split whose answers are public."""
    names = {name: request.GET.get(name, "") for name in ("benchmark", "split", "setting")}
    entry = explained_entry(slug, **names)
    if entry is None:
        return moved_system(request, "slug", "This result does not exist, or its questions are private.")
    page = questions_page(entry, request.GET, with_answers=access.can_read_answers(request.user, entry))
    if page is None:
        raise Http404("This result has no score yet that could be explained.")
    fragment = request.headers.get("HX-Request") == "true" and request.headers.get("HX-Target") == "questions"
    template = "leaderboard/systems/_questions.html" if fragment else "leaderboard/systems/questions.html"
    response = render(request, template, {"page": page})
    response["Vary"] = "HX-Request, HX-Target, Cookie"
    return response


@require_safe
@reads(ON_BOARD, refuses=True)
def verdicts_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The judge's verdicts on a system's answers as a CSV file, on a split whose answers are public."""
    names = {name: request.GET.get(name, "") for name in ("benchmark", "split", "setting")}
    entry = explained_entry(slug, **names)
    score = verdicts.judge_score(entry) if entry else None
    if entry is None or score is None:
        return moved_system(request, "slug", "This result does not exist, is not judged, or its questions are private.")
    filename = f"{entry.system.slug}-{entry.split.slug}-{entry.setting.slug}-verdicts.csv"
    return file_response(
        request,
        lambda: verdicts.as_csv(score),
        tag=f"verdicts-{score.pk}",
        content_type="text/csv; charset=utf-8",
        filename=filename,
    )


@require_safe
@reads(ON_BOARD | dict.fromkeys(("system", "place", "score", "q", "choose"), TEXT) | {"page": NUMBER})
def compare(request: HttpRequest) -> HttpResponse:
    """Two to six systems on one board, or a form to select them."""
    params = ComparisonParams.of(request.GET)
    comparison = comparison_for(params)
    if comparison is None:
        text = "A maintainer can import one with: manage.py import_benchmark NAME"
        return render(request, "leaderboard/web/message.html", {"title": "No benchmarks yet", "text": text})
    board = comparison.split.benchmark.slug, comparison.split.slug, comparison.setting.slug
    shown = dict(zip(ON_BOARD, board, strict=True)) | {"place": "/".join(board)}
    if comparison.current is not None:
        shown["score"] = comparison.current.column.key
    name_ignored(request, **shown)
    choosing = not comparison.possible or "choose" in request.GET
    context = {
        "comparison": comparison,
        "chooser": chooser_for(params, comparison) if choosing else None,
        "choose_url": params.url() + "&choose=yes",
        "most": MOST_SYSTEMS,
    }
    return render(request, "leaderboard/comparison/compare.html", context)
