"""The content at each address of the reader side, and its record in the visit log."""

from typing import Final
from urllib.parse import parse_qs, urlsplit

from django.http import QueryDict
from django.utils.translation import gettext, gettext_noop

from humaneval.answering import visit_log
from humaneval.answering.answers import AnswerError
from humaneval.answering.question_context import QuestionContext
from humaneval.encyclopedia import reader
from humaneval.encyclopedia.base import (
    Article,
    ArticleNotFoundError,
    EncyclopediaUnavailableError,
    QueryTooLongError,
    typed_query,
)
from humaneval.encyclopedia.reader import Reading, article_reading, outside_reading, passages_reading, source_of
from humaneval.encyclopedia.sources.caching import Encyclopedia
from humaneval.models import Origin, SearchKind, Visit

OUTSIDE: Final = gettext_noop(
    "This link leads out of the encyclopedia. Please do not use search engines or language models. We do not record "
    "what you read on other sites; if a page helps you, add it under “Articles you read”."
)


def search_reading(context: QuestionContext, source: Encyclopedia, query: str, *, again: bool = False) -> Reading:
    """Search results; the query is stored with the question.

    Args:
        again: the participant returns to these results.
    """
    if not query:
        return Reading("start")
    results = source.search(query, limit=reader.RESULTS_SHOWN)
    known: dict[str, int | str] = {}
    if context.assignment is not None:
        known["search"] = visit_log.log_search(context.assignment, query, n_results=len(results), again=again).pk
    known |= {"from": Origin.RESULT.value}
    hits = tuple(
        (result, context.url("study-article", path=result.path, **known, rank=rank))
        for rank, result in enumerate(results, start=1)
    )
    return Reading("results", query=query, hits=hits)


def visited_reading(context: QuestionContext, source: Encyclopedia, fields: QueryDict) -> Reading:
    """An article; the visit is stored with the question, and its tab is opened."""
    article = _article(context, source, fields)
    visit = None
    if context.assignment is not None:
        visit = visit_log.log_visit(
            context.assignment,
            article,
            origin=fields.get("from", ""),
            search_id=_whole(fields, "search"),
            rank=_whole(fields, "rank"),
        )
    return _shown(context, article, visit, query_of(fields))


def ranked_reading(
    context: QuestionContext, source: Encyclopedia, fields: QueryDict, *, again: bool = False
) -> Reading:
    """The passages of an article that fit a query best, cut as models get them; the query is stored."""
    article, query = _article(context, source, fields), query_of(fields)
    reading = passages_reading(article, query, context.addresses)
    if context.assignment is not None and query:
        visit_log.log_search(
            context.assignment,
            query,
            n_results=len(reading.passages),
            kind=SearchKind.PASSAGES,
            article=article.title,
            again=again,
        )
    return reading


def reading_at(context: QuestionContext, address: str) -> Reading:
    """The content that was shown at an address of this question, to show it again: that is no visit and no search."""
    parts = urlsplit(address)
    name = parts.path.removeprefix(context.base) if parts.path.startswith(context.base) else ""
    fields = QueryDict(parts.query)
    try:
        source = source_of(context.participant_session.study)
        if name == "search/":
            return search_reading(context, source, query_of(fields), again=True)
        if name == "passages/":
            return ranked_reading(context, source, fields, again=True)
        if name == "article/":
            article = _article(context, source, fields)
            assignment = context.assignment
            visit = visit_log.last_visit(assignment, article.path) if assignment is not None else None
            return _shown(context, article, visit, query_of(fields))
        if name == "outside/":
            return outside_reading(fields.get("to", ""), gettext(OUTSIDE))
    except QueryTooLongError as error:
        return reader.too_long(error)
    except (EncyclopediaUnavailableError, ArticleNotFoundError):
        pass
    return Reading("start")


def article_at(address: str) -> str:
    """The path of the article at an address; empty if there is none."""
    return parse_qs(urlsplit(address).query).get("path", [""])[0] if "/article/" in address else ""


def open_in_background(context: QuestionContext, path: str) -> None:
    """Open an article in a tab in the background.

    Raises:
        AnswerError: there is no such article, or the encyclopedia is unavailable.
    """
    try:
        article = source_of(context.participant_session.study).article(path, context.addresses)
    except (EncyclopediaUnavailableError, ArticleNotFoundError) as error:
        raise AnswerError(gettext("The article could not be opened. Try again in a moment.")) from error
    context.desk.open_tab(article, in_background=True)


def query_of(fields: QueryDict) -> str:
    """The query in an address.

    Raises:
        QueryTooLongError: it is too long.
    """
    return typed_query(fields.get("q", ""))


def _shown(context: QuestionContext, article: Article, visit: Visit | None, query: str) -> Reading:
    place = context.desk.open_tab(article).place
    return article_reading(article, context.addresses, query=query, visit=visit, place=place)


def _article(context: QuestionContext, source: Encyclopedia, fields: QueryDict) -> Article:
    return source.article(fields.get("path", ""), context.addresses)


def _whole(fields: QueryDict, name: str) -> int | None:
    text = fields.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
