"""The evidence articles of a question, for graders: their list, and the encyclopedia that has them.

All answers of a round use one encyclopedia, and its name is hidden: a choice per answer, or a name, could reveal to
graders that an answer is from a study's participant.
"""

from dataclasses import replace
from urllib.parse import unquote, urlsplit

from django.conf import settings

from humaneval.encyclopedia.base import Addresses, Article, ArticleNotFoundError, is_web_address
from humaneval.encyclopedia.sources.caching import Encyclopedia
from humaneval.encyclopedia.sources.urls import encyclopedia_at
from humaneval.models import GradingRound, Study
from humaneval.studies.evidence_measures import Gold
from scoring.models import Question


def evidence_of(question: Question) -> tuple[Gold, ...]:
    """The articles of a question's necessary evidence that have a title or a web address, each once, in order."""
    pages: list[Gold] = []
    for page in map(Gold.of, question.evidence):
        if not is_web_address(page.url):
            page = replace(page, url="")
        is_known = any(
            page.is_article(other.title, other.page_id)
            or (not page.title and not other.title and page.url == other.url)
            for other in pages
        )
        if (page.title or page.url) and not is_known:
            pages.append(page)
    return tuple(pages)


def encyclopedia_of(round_: GradingRound) -> Encyclopedia:
    """The encyclopedia for a round's evidence. One query.

    The encyclopedia of the round's studies, if they share one of their own; the site's if they have none or several.

    Raises:
        EncyclopediaUnavailableError: there is none, or it cannot be opened.
    """
    own = (
        Study.objects.filter(participants__assignments__gradings__graded_answer__round=round_)
        .exclude(encyclopedia="")
        .order_by("encyclopedia")
        .values_list("encyclopedia", flat=True)
        .distinct()
    )
    addresses = list(own[:2])
    if len(addresses) > 1 and settings.ENCYCLOPEDIA:
        addresses = []
    return encyclopedia_at(addresses[0] if addresses else "")


def find_evidence(source: Encyclopedia, evidence: Gold, at: Addresses) -> tuple[Article, bool]:
    """The article of a page of the evidence, by its title or the name in its address; and whether it has the title of
    the evidence, but another page id.

    An article with another page id is used only if no other is found.

    Raises:
        ArticleNotFoundError: there is none.
        EncyclopediaUnavailableError: the source does not answer.
    """
    other: Article | None = None
    in_url = unquote(urlsplit(evidence.url).path.rpartition("/")[2]) if evidence.url else ""
    for path in filter(None, dict.fromkeys((evidence.title.strip().replace(" ", "_"), in_url))):
        try:
            article = source.article(path, at)
        except ArticleNotFoundError:
            continue
        if evidence.page_id is None or article.page_id in (None, evidence.page_id):
            return article, False
        other = other or article
    if other is None:
        raise ArticleNotFoundError
    return other, True
