"""robots.txt, the favicon and badges."""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import escape
from django.views.decorators.http import require_safe

from leaderboard.board.responses import cached_response
from leaderboard.board.table import board_for
from leaderboard.board.write import open_board
from leaderboard.templatetags.board_display import rank_range
from leaderboard.templatetags.display import score
from leaderboard.web.http import moved_system
from leaderboard.web.site_address import at_site
from scoring.benchmarks import definitions

NOT_CRAWLED: Final = (
    *("accounts/", "admin/", "api/v1/", "compare/", "grading/", "maintenance/", "studies/", "submissions/"),
    *("submit/", "teams/", "*?"),
)
"""Pages for people who are signed in, and filters, orders and choices of other pages."""
LETTER: Final = 6.6
"""The usual width of a letter of a badge, in pixels."""


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """Serve ``robots.txt``: the pages that search engines may read, and the sitemap's address."""
    root = reverse("home")
    lines = ["User-agent: *", f"Allow: {root}sitemap", *(f"Disallow: {root}{path}" for path in NOT_CRAWLED)]
    lines += ["", f"Sitemap: {at_site(reverse('sitemap'))}", ""]
    return HttpResponse("\n".join(lines), content_type="text/plain; charset=utf-8")


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """The picture of the site for programs that look for it at this address alone."""
    return redirect(static("img/favicon.svg"))


@require_safe
def badge(request: HttpRequest, benchmark: str, split: str, setting: str, system: str) -> HttpResponse:
    """A system's rank and score on a board, with the board and the revision, as SVG for a README. An address that the
    system had before redirects."""
    stored = open_board(benchmark, split, setting)
    if stored is None or benchmark not in definitions():
        raise Http404("This board does not exist.")

    def drawn() -> str:
        board = board_for(stored, paged=False, system=system)
        row = next((row for row in board.rows if row.slug == system), None)
        if row is None:
            raise Http404("This system is not on this board.")
        cell = next((cell for cell in row.cells if cell.column.key == board.ranked_by.score), None)
        value = score(cell.value, cell.column) if cell is not None and cell.value is not None else "not scored"
        rank = "reported" if row.kind == "reported" else ""
        if row.best_rank is not None:
            rank = f"rank {rank_range(row.best_rank, row.worst_rank)} of {board.n_scored}"
        revision = stored.content.short_revision
        label = f"{stored.benchmark.name} {stored.split.name.lower()}, {stored.setting.name.lower()}"
        message = " · ".join(part for part in (rank, value, revision) if part)
        words = [f"{row.name} on {label}", f"{board.ranked_by.label} {value}", rank, f"revision {revision}"]
        return drawn_badge(label, message, ", ".join(filter(None, words)))

    try:
        response = cached_response(request, stored.version, f"badge {system}", drawn, personal=False)
    except Http404 as error:
        return moved_system(request, "system", str(error))
    response["Content-Type"] = "image/svg+xml"
    return response


def drawn_badge(label: str, message: str, title: str) -> str:
    """A badge as SVG: a label and a message side by side.

    Args:
        title: what a screen reader reads, and a browser shows on pointing.
    """
    left, right = (round(LETTER * len(text)) + 20 for text in (label, message))
    halves = ((label, left / 2, left), (message, left + right / 2, right))
    texts = "".join(
        f'<text x="{x:g}" y="14" textLength="{width - 20}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        for text, x, width in halves
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>'
        f'<rect width="{left}" height="20" fill="#3b444c"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="#0b5d6b"/>'
        '<g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f"{texts}</g></svg>"
    )
