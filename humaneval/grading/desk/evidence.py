"""The evidence articles of a question, for graders: their list, and the encyclopedia that has them.

All answers of a round use one encyclopedia, and its name is hidden: a choice per answer, or a name, could reveal to
graders that an answer is from a study's participant.
"""

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from django.conf import settings

from humaneval.encyclopedia import Encyclopedia, encyclopedia_at
from humaneval.encyclopedia.base import Article, ArticleNotFoundError
from humaneval.encyclopedia.reader import Addresses, find_article
from humaneval.encyclopedia.titles import is_web_address
from humaneval.models import GradingRound, Study
from humaneval.studies.evidence_measures import is_same
from scoring.analysis.explanations import readable
from scoring.models import Question


@dataclass(frozen=True)
class Evidence:
    """An article of the question's evidence."""

    number: int
    """Its number among the question's articles, from 1."""
    title: str
    page_id: int | None
    """MediaWiki's page id; None if the benchmark has only a placeholder."""
    url: str
    """Its web address; empty if the benchmark does not provide it."""

    @property
    def name(self) -> str:
        """Its name on a page."""
        return readable(self.title) or self.url

    @property
    def paths(self) -> list[str]:
        """Its possible names in an encyclopedia, best first: its title, and the last part of its address."""
        in_url = unquote(urlsplit(self.url).path.rpartition("/")[2]) if self.url else ""
        return [path for path in dict.fromkeys((self.title.strip().replace(" ", "_"), in_url)) if path]

    def is_article(self, article: Article) -> bool:
        """Whether an article is this one: by page id if both have one, otherwise by title."""
        return is_same(self.title, self.page_id, article.title, article.page_id)


def evidence_of(question: Question) -> tuple[Evidence, ...]:
    """The articles of a question's necessary evidence that have a title or a web address, each once, in order."""
    pages: list[Evidence] = []
    for item in question.evidence:
        title, url, page_id = str(item.get("title") or ""), str(item.get("url") or ""), item.get("pageid")
        page = Evidence(
            number=len(pages) + 1,
            title=title,
            page_id=page_id if isinstance(page_id, int) and not isinstance(page_id, bool) else None,
            url=url if is_web_address(url) else "",
        )
        is_known = any(
            is_same(page.title, page.page_id, other.title, other.page_id)
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


def find_evidence(source: Encyclopedia, evidence: Evidence, at: Addresses) -> tuple[Article, bool]:
    """The article of a page of the evidence, by its title or the name in its address; and whether it has the title of
    the evidence, but another page id.

    An article with another page id is used only if no other is found.

    Raises:
        ArticleNotFoundError: there is none.
        EncyclopediaUnavailableError: the source does not answer.
    """
    other: Article | None = None
    for path in evidence.paths:
        try:
            article = find_article(source, path, at)
        except ArticleNotFoundError:
            continue
        if evidence.page_id is None or article.page_id in (None, evidence.page_id):
            return article, False
        other = other or article
    if other is None:
        raise ArticleNotFoundError
    return other, True
