"""robots.txt, pictures for previews of links, badges, and boards for frames on other sites."""

from typing import Final

from csp.decorators import csp_replace
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from leaderboard.board.responses import cached_response
from leaderboard.board.table import Board, BoardParams, ShownCell, ShownRow, StoredBoard, board_for, board_url
from leaderboard.board.write import open_board
from leaderboard.discovery import pictures
from leaderboard.models import System
from leaderboard.questions.question import find_question
from leaderboard.systems.page import system_page
from leaderboard.templatetags.display import score
from scoring.benchmarks import definitions
from scoring.declarations import known_benchmarks

NOT_CRAWLED: Final = (
    *("/accounts/", "/admin/", "/api/v1/", "/compare/", "/grading/", "/maintenance/", "/studies/", "/submissions/"),
    *("/submit/", "/teams/", "/*?"),
)
"""Pages for people who are signed in, and filters, orders and choices of other pages."""
EMBEDDED_ROWS: Final = 10
MINUTES_KEPT: Final = 10


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """What search engines may read, and where the sitemap is."""
    lines = ["User-agent: *", "Allow: /sitemap", *(f"Disallow: {path}" for path in NOT_CRAWLED)]
    lines += ["", f"Sitemap: {settings.SITE_URL}{reverse('sitemap')}", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """The picture of the site for programs that look for it at this address alone."""
    return redirect(static("img/favicon.svg"))


# --- Previews ------------------------------------------------------------------------------------------------------


def _png(content: bytes) -> HttpResponse:
    return HttpResponse(content, content_type="image/png", headers={"Cache-Control": f"max-age={60 * MINUTES_KEPT}"})


def _board(benchmark: str, split: str, setting: str) -> StoredBoard:
    """
    Raises:
        Http404: there is no such board.
    """
    stored = open_board(benchmark, split, setting)
    if stored is None or benchmark not in definitions():
        raise Http404("This board does not exist.")
    return stored


def _headline(board: Board, row: ShownRow) -> ShownCell | None:
    """The cell of the score that the board is ranked by."""
    return next((cell for cell in row.cells if cell.column.key == board.ranked_by.score), None)


def _rank(row: ShownRow, n_ranked: int) -> str:
    """A row's rank, with its range if more than one is possible; empty for rows without one."""
    if row.best_rank is None:
        return ""
    ranks = str(row.best_rank) if row.best_rank == row.worst_rank else f"{row.best_rank}–{row.worst_rank}"
    return f"rank {ranks} of {n_ranked}"


@require_safe
def site_preview(request: HttpRequest) -> HttpResponse:
    """The picture of pages without one of their own."""
    names = list(known_benchmarks().order_by("position", "slug").values_list("name", flat=True))
    return _png(pictures.preview("Leaderboards with uncertainty", "Question answering over many documents", names))


@require_safe
def board_preview(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """The picture of a board: its first systems with their scores."""
    stored = _board(benchmark, split, setting)
    board = board_for(stored, page_rows=3)
    lines = []
    for row in board.rows:
        cell = _headline(board, row)
        value = (
            f"{score(cell.value, cell.column)} {cell.column.short_label.lower()}"
            if cell and cell.value is not None
            else ""
        )
        rank = _rank(row, board.n_scored) or ("reported" if row.kind == "reported" else "")
        lines.append(" · ".join(part for part in (row.name, value, rank) if part))
    where = f"{stored.setting['name']}, {stored.split['name'].lower()} split"
    return _png(pictures.preview(where, stored.benchmark["name"], lines or ["No system has been scored yet."]))


@require_safe
def system_preview(request: HttpRequest, slug: str) -> HttpResponse:
    """The picture of a system: its ranks."""
    system = get_object_or_404(System, slug=slug, revealed_as=None, same_as=None)
    page = system_page(system)
    if not page.is_public:
        raise Http404("This system has no published result.")
    lines = []
    for result in page.results:
        cell = next((cell for cell in result.cells if cell.column.key == result.ranked_by.score), None)
        where = f"{result.entry.split.benchmark.name}, {result.entry.setting.name.lower()}"
        value = f": {score(cell.value, cell.column)}" if cell is not None and cell.value is not None else ""
        lines.append(f"{where}{value}")
    return _png(pictures.preview(system.authors, system.name, lines))


@require_safe
def question_preview(request: HttpRequest, benchmark: str, split: str, qid: str) -> HttpResponse:
    """The picture of a question of an open split."""
    page = find_question(benchmark, split, qid, request.user, {})
    if page is None:
        raise Http404("This question does not exist, or it is private.")
    summary, asked = page.summary, page.asked
    verdicts = f"{summary.n_right} right, {summary.n_partial} partial, {summary.n_wrong} wrong"
    lines = [f"{asked.n_scored} systems, {asked.setting.name.lower()}: {verdicts}"] if asked.n_scored else []
    where = f"{asked.split.benchmark.name}, {asked.split.name.lower()} question"
    return _png(pictures.preview(where, page.question.text, lines))


# --- Badges and frames ----------------------------------------------------------------------------------------------


@require_safe
def badge(request: HttpRequest, benchmark: str, split: str, setting: str, system: str) -> HttpResponse:
    """A system's rank and score on a board, with the board and the revision, as SVG for a README."""
    stored = _board(benchmark, split, setting)

    def drawn() -> str:
        board = board_for(stored, paged=False, system=system)
        row = next((row for row in board.rows if row.slug == system), None)
        if row is None:
            raise Http404("This system is not on this board.")
        cell = _headline(board, row)
        value = score(cell.value, cell.column) if cell is not None and cell.value is not None else "not scored"
        rank = _rank(row, board.n_scored) or ("reported" if row.kind == "reported" else "")
        revision = board.document.short_revision
        label = f"{stored.benchmark['name']} {stored.split['name'].lower()}, {stored.setting['name'].lower()}"
        message = " · ".join(part for part in (rank, value, revision) if part)
        words = [f"{row.name} on {label}", f"{board.ranked_by.label} {value}", rank, f"revision {revision}"]
        return pictures.badge(label, message, ", ".join(filter(None, words)))

    response = cached_response(request, stored, BoardParams(), f"badge {system}", drawn, personal=False)
    response["Content-Type"] = "image/svg+xml"
    return response


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]  # its type knows views without arguments alone
def embed(request: HttpRequest, benchmark: str, split: str, setting: str) -> HttpResponse:
    """The first rows of a board for a frame on another site: the only page that may be in one. It names no reader and
    has no form."""
    stored = _board(benchmark, split, setting)

    def page() -> str:
        board = board_for(stored, page_rows=EMBEDDED_ROWS)
        rows = [(row, _rank(row, board.n_scored), _headline(board, row)) for row in board.rows]
        context = {
            "stored": stored,
            "rows": rows,
            "column": board.ranked_by,
            "revision": board.document.short_revision,
            "n_more": board.n_total - len(rows),
            "url": settings.SITE_URL + board_url(*stored.slugs),
            "site_url": settings.SITE_URL,
            "site_name": settings.SITE_NAME,
        }
        return render_to_string("leaderboard/discovery/embed.html", context)

    return cached_response(request, stored, BoardParams(), "embed", page, personal=False)
