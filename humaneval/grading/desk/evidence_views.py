"""The graders' reader: the evidence articles of a question, beside the answer being graded.

Each URL works alone; the grading page's script requests the reader's part only. Nothing about reading is stored.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_safe

from humaneval.encyclopedia.base import (
    Addresses,
    Article,
    ArticleNotFoundError,
    EncyclopediaNotConfiguredError,
    EncyclopediaUnavailableError,
    QueryTooLongError,
    typed_query,
    usable_query,
)
from humaneval.encyclopedia.reader import Reading, article_reading, outside_reading, passages_reading, picture, too_long
from humaneval.grading import access
from humaneval.grading.desk import services
from humaneval.grading.desk.evidence import encyclopedia_of, evidence_of, find_evidence
from humaneval.models import GradedAnswer, Grader
from humaneval.studies.evidence_measures import Gold
from scoring.analysis.explanations import readable

MISSING: Final = gettext_noop("This encyclopedia does not contain the article, or lists it under another title.")
UNAVAILABLE: Final = gettext_noop("Your ticks are not affected. Try again in a moment.")
NONE: Final = gettext_noop("No encyclopedia is configured, so the evidence cannot be shown here.")
OUTSIDE: Final = gettext_noop("This page may have changed since the question was written.")
OTHER_PAGE: Final = gettext_noop(
    "This article has the title of the evidence but another page ID. It may be about something else."
)


@dataclass(frozen=True)
class EvidenceContext:
    """The reader's context: one answer of a round."""

    answer: GradedAnswer
    grader: Grader | None
    """The grader; None if a manager of the round reads it."""
    evidence: tuple[Gold, ...]

    @property
    def passages_hint(self) -> str:
        return gettext(
            "Search for the best-matching passages of this article; without search words, the question is used"
        )

    @property
    def address(self) -> str:
        return self.url("grading-article")

    @property
    def base(self) -> str:
        """The URL prefix of this answer's reader."""
        return self.address.removesuffix("article/")

    @property
    def text(self) -> str:
        return readable(self.answer.question.text)

    @property
    def back(self) -> str:
        """The URL where the answer is graded."""
        slug = self.answer.round.slug
        if self.grader is not None:
            return reverse("grading-desk", args=[slug])
        name = "grading-known" if self.answer.is_calibration else "grading-decision"
        return reverse(name, args=[slug, self.answer.position])

    @property
    def addresses(self) -> Addresses:
        return Addresses(
            article=lambda path: self.url("grading-article", path=path),
            link=lambda path: self.url("grading-article", path=path),
            image=lambda path: self.url("grading-article-image", path=path),
            outside=lambda to: self.url("grading-article-outside", to=to),
        )

    def url(self, name: str, **query: Any) -> str:
        path = reverse(name, args=[self.answer.round.slug, self.answer.position])
        return f"{path}?{urlencode(query)}" if query else path

    def page_asked_for(self, number: str) -> Gold | None:
        """The page of the evidence with a number, from 1; None if the number is invalid."""
        return {str(n): page for n, page in enumerate(self.evidence, start=1)}.get(number)

    def page_of(self, article: Article) -> Gold | None:
        """The page of the evidence that is the article, if any."""
        return next((page for page in self.evidence if page.is_article(article.title, article.page_id)), None)


Read = Callable[[HttpRequest, EvidenceContext], Reading]


def reading_page(read: Read) -> Callable[..., HttpResponse]:
    """A page with the result of *read*, or with the reason why there is nothing to read and where else to read it."""

    @require_safe
    @wraps(read)
    def page(request: HttpRequest, slug: str, position: int) -> HttpResponse:
        evidence_context = _context(request, slug, position)
        if evidence_context.grader is not None:
            services.renew(evidence_context.grader)
        asked = evidence_context.page_asked_for(request.GET.get("evidence", ""))
        url = asked.url if asked is not None else ""
        try:
            reading = read(request, evidence_context)
        except EncyclopediaNotConfiguredError:
            reading = Reading("none", message=gettext(NONE), source_url=url)
        except EncyclopediaUnavailableError:
            reading = Reading("away", message=gettext(UNAVAILABLE), source_url=url, again=request.get_full_path())
        except ArticleNotFoundError:
            reading = Reading("missing", message=gettext(MISSING), source_url=url)
        except QueryTooLongError as error:
            reading = too_long(error)
        here = evidence_context.page_of(reading.article) if reading.article is not None else None
        context = {"context": evidence_context, "reading": reading, "here": asked or here}
        is_part = request.headers.get("X-Reader") == "part"
        return render(request, f"humaneval/grading/{'_reader' if is_part else 'article'}.html", context)

    return page


@reading_page
def article(request: HttpRequest, evidence_context: EvidenceContext) -> Reading:
    """A page of the evidence by its number (``evidence``), or any article that its links lead to (``path``)."""
    source, at = encyclopedia_of(evidence_context.answer.round), evidence_context.addresses
    asked = evidence_context.page_asked_for(request.GET.get("evidence", ""))
    if asked is None:
        linked = source.article(request.GET.get("path", ""), at)
        page = evidence_context.page_of(linked)
        return article_reading(linked, at, source_url=linked.url or (page.url if page is not None else ""))
    of_evidence, is_other = find_evidence(source, asked, at)
    note = gettext(OTHER_PAGE) if is_other else ""
    return article_reading(of_evidence, at, source_url=asked.url or of_evidence.url, message=note)


@reading_page
def passages(request: HttpRequest, evidence_context: EvidenceContext) -> Reading:
    """The passages of an article that fit a query best; without a query, those that fit the question."""
    at = evidence_context.addresses
    searched = encyclopedia_of(evidence_context.answer.round).article(request.GET.get("path", ""), at)
    query = typed_query(request.GET.get("q", "")) or usable_query(evidence_context.answer.question.text)
    return passages_reading(searched, query, at)


@reading_page
def outside(request: HttpRequest, evidence_context: EvidenceContext) -> Reading:
    """The target of a link that leaves the encyclopedia, shown before it is followed."""
    del evidence_context
    return outside_reading(request.GET.get("to", ""), gettext(OUTSIDE))


@require_safe
def image(request: HttpRequest, slug: str, position: int) -> HttpResponse:
    """A picture of an article, if the encyclopedia shows pictures."""
    evidence_context = _context(request, slug, position)
    try:
        source = encyclopedia_of(evidence_context.answer.round)
    except EncyclopediaUnavailableError as error:
        raise Http404("There is no such image.") from error
    return picture(source, request.GET.get("path", ""))


def _context(request: HttpRequest, slug: str, position: int) -> EvidenceContext:
    answer, grader = access.answer_to_read(request.user, slug, position)
    return EvidenceContext(answer, grader, evidence_of(answer.question))
