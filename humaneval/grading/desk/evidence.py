"""The articles in which a question's answer stands, for graders: which they are, and where they are read.

All answers of a round are read beside one encyclopedia, and it is not named: a choice made by answer, or a name, could
tell graders that an answer is of a study's participant.
"""

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from django.conf import settings

from humaneval.encyclopedia import Encyclopedia, encyclopedia_at
from humaneval.encyclopedia.base import Article, ArticleNotFoundError
from humaneval.encyclopedia.reader import Addresses, find_article
from humaneval.grading.guidelines import digit_key
from humaneval.models import GradingRound, Study
from humaneval.studies.evidence_measures import is_same
from scoring.analysis.explanations import readable
from scoring.models import Question


@dataclass(frozen=True)
class Evidence:
    """An article in which the answer stands."""

    number: int
    """Its place among the question's, from 1."""
    title: str
    page_id: int | None
    """MediaWiki's; nothing where the benchmark has only a placeholder."""
    url: str
    """Where it stands in the web; empty if the benchmark does not say."""

    @property
    def name(self) -> str:
        """What it is called on a page."""
        return readable(self.title) or self.url

    @property
    def key(self) -> str:
        """What opens it on the keyboard, where the evidence is looked at."""
        return digit_key(self.number - 1)

    @property
    def paths(self) -> list[str]:
        """What an encyclopedia may call it, best first: its title, and the last part of its address."""
        in_url = unquote(urlsplit(self.url).path.rpartition("/")[2]) if self.url else ""
        return [path for path in dict.fromkeys((self.title.strip().replace(" ", "_"), in_url)) if path]

    def is_article(self, article: Article) -> bool:
        """Whether an article is this one: by page id where both have one, otherwise by title."""
        return is_same(self.title, self.page_id, article.title, article.page_id)


@dataclass(frozen=True)
class Found:
    """An article that was found for a page of the evidence."""

    article: Article
    is_other: bool
    """Whether it has the title, but another page id than the evidence."""


def evidence_of(question: Question) -> tuple[Evidence, ...]:
    """The articles of a question's necessary evidence that have a title or a web address, each once, in its order."""
    found: list[Evidence] = []
    for item in question.evidence:
        title, url, page_id = str(item.get("title") or ""), str(item.get("url") or ""), item.get("pageid")
        one = Evidence(
            number=len(found) + 1,
            title=title,
            page_id=page_id if isinstance(page_id, int) and not isinstance(page_id, bool) else None,
            url=url if _is_web_address(url) else "",
        )
        if (one.title or one.url) and not any(_is_same(one, other) for other in found):
            found.append(one)
    return tuple(found)


def _is_same(one: Evidence, other: Evidence) -> bool:
    return is_same(one.title, one.page_id, other.title, other.page_id) or (
        not one.title and not other.title and one.url == other.url
    )


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def encyclopedia_of(round_: GradingRound) -> Encyclopedia:
    """Where a round's evidence is read. One query.

    The encyclopedia that the round's studies have of their own, if it is one; the site's if they have none or several.

    Raises:
        EncyclopediaAway: there is none, or it cannot be opened.
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


def find_evidence(source: Encyclopedia, evidence: Evidence, at: Addresses) -> Found:
    """The article of a page of the evidence, by its title, or by what its address says that it is called.

    An article whose page id is another's is taken only if nothing else is found.

    Raises:
        NoSuchArticle: there is none.
        EncyclopediaAway: the source does not answer.
    """
    other: Article | None = None
    for path in evidence.paths:
        try:
            article = find_article(source, path, at)
        except ArticleNotFoundError:
            continue
        if evidence.page_id is None or article.page_id in (None, evidence.page_id):
            return Found(article, is_other=False)
        other = other or article
    if other is None:
        raise ArticleNotFoundError
    return Found(other, is_other=True)
