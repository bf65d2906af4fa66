"""Measures from the visit log: which of the question's necessary articles were opened, when, after how many others.

Pure functions on visits and evidence: nothing here reads the database. A visited article *is* a gold one if both have
the same MediaWiki page id, or, if either lacks one, if their titles are the same. Titles are compared as MediaWiki
does: underscores are spaces, the first letter is case-insensitive, the rest is case-sensitive.
"""

import math
import re
import statistics
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from humaneval.encyclopedia.base import title_in
from humaneval.models import Assignment, SearchKind, Visit
from scoring.analysis.explanations import readable
from scoring.metrics.short_answer import matches

IN_A_WIKI: Final = "/wiki/"
_CLAUSE_END: Final = re.compile(r"[^\w\s'’-]+|\n")
_UNSPACED: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts without spaces between words."""


@dataclass(frozen=True)
class Gold:
    """An article of a question's necessary evidence."""

    title: str
    page_id: int | None
    """MediaWiki's page id; None if the benchmark has only a placeholder."""
    url: str = ""
    """Web address of the article; empty if the benchmark does not provide it."""

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> "Gold":
        """An article as a question's evidence names it. An invalid page id is ignored."""
        page_id = item.get("pageid")
        known = page_id if isinstance(page_id, int) and not isinstance(page_id, bool) else None
        return cls(str(item.get("title") or ""), known, str(item.get("url") or ""))

    @property
    def name(self) -> str:
        """The article's name on a page: its title, or else its address."""
        return readable(self.title) or self.url

    def is_article(self, title: str, page_id: int | None) -> bool:
        return is_same(self.title, self.page_id, title, page_id)


@dataclass(frozen=True)
class Step:
    """A visit with its number: from 1, counting different articles; one that was opened before keeps its number."""

    visit: Visit
    number: int
    again: bool
    gold: Gold | None


@dataclass(frozen=True)
class AnswerMeasures:
    """The measures of one answer. Shares are from 0 to 1; None if the denominator is 0."""

    n_gold: int
    """Different articles of the necessary evidence."""
    n_gold_visited: int
    """Different necessary articles that were opened or reported."""
    n_visited: int
    """Different articles opened or reported."""
    n_reported: int
    """Different articles that were only reported as read elsewhere."""
    n_used: int
    """Different articles that were marked as used."""
    n_searches: int
    n_passage_searches: int
    recall: float | None
    """Gold articles visited, as a share of all gold articles."""
    precision: float | None
    """Gold articles, as a share of the different articles visited."""
    recall_used: float | None
    """Gold articles marked as used, as a share of all gold articles."""
    seconds_to_first_gold: float | None
    """Time between opening the question and opening the first gold article; an article only reported has no time."""
    first_gold_number: int | None
    """The position of the first gold article among the different articles visited, from 1."""
    gold_order: tuple[str, ...]
    """The titles of the gold articles visited, in the order of their first visit."""
    missed: tuple[Gold, ...]
    """The gold articles that were not visited, in the order of the evidence."""


def gold_of(evidence: Iterable[Mapping[str, Any]]) -> list[Gold]:
    """The different articles of a question's evidence, in order.

    An invalid page id (a placeholder) is ignored and the title is compared; an entry with neither is omitted.

    >>> [gold.page_id for gold in gold_of([{"pageid": 7, "title": "A"}, {"pageid": None, "title": "A"}])]
    [7]
    """
    pages: list[Gold] = []
    for gold in map(Gold.of, evidence):
        is_known = any(gold.is_article(page.title, page.page_id) for page in pages)
        if (gold.title or gold.page_id is not None) and not is_known:
            pages.append(gold)
    return pages


def normalised(title: str) -> str:
    """A title normalised for comparison.

    >>> normalised("list_of  moons"), normalised("List of moons#History")
    ('List of moons', 'List of moons')
    """
    text = " ".join(unicodedata.normalize("NFC", title.partition("#")[0]).replace("_", " ").split())
    return text[:1].upper() + text[1:]


def is_same(title: str, page_id: int | None, other_title: str, other_page_id: int | None) -> bool:
    """Whether two articles are the same: by page id if both have one, otherwise by title."""
    if page_id is not None and other_page_id is not None:
        return page_id == other_page_id
    return bool(title) and normalised(title) == normalised(other_title)


def title_of(visit: Visit) -> str:
    """The title of a visited article; of one read elsewhere that in its wiki address, which was not typed."""
    return title_in(visit.url) if visit.reported and IN_A_WIKI in visit.url else visit.title


def steps_of(visits: Sequence[Visit], gold: Sequence[Gold]) -> list[Step]:
    """The visits with their numbers and the gold article that each is, in chronological order.

    Args:
        visits: in the order of their opening, shape (n_visits,).
    """
    seen: list[tuple[str, int | None]] = []
    steps = []
    for visit in visits:
        article = title_of(visit), visit.page_id
        place = next((n for n, other in enumerate(seen) if is_same(*article, *other)), None)
        again = place is not None
        if place is None:
            place = len(seen)
            seen.append(article)
        match = next((page for page in gold if page.is_article(*article)), None)
        steps.append(Step(visit, place + 1, again, match))
    return steps


def answer_measures(assignment: Assignment, visits: Sequence[Visit], kinds: Sequence[str]) -> AnswerMeasures | None:
    """The measures of one answer; None for an attention check.

    Args:
        visits: the answer's visits, in the order of their opening, shape (n_visits,).
    """
    if assignment.question is None:
        return None
    gold, opened_at = gold_of(assignment.question.evidence), assignment.opened_at
    steps = steps_of(visits, gold)
    articles: dict[int, list[Step]] = {}
    for step in steps:
        articles.setdefault(step.number, []).append(step)
    visited_gold = list(dict.fromkeys(step.gold for step in steps if step.gold is not None))
    used_gold = {step.gold for step in steps if step.gold is not None and step.visit.used}
    n_gold_articles = sum(any(step.gold for step in group) for group in articles.values())
    opened = next((step.visit for step in steps if step.gold is not None and not step.visit.reported), None)
    seconds = None
    if opened is not None and opened_at is not None:
        seconds = max((opened.opened_at - opened_at).total_seconds(), 0.0)
    return AnswerMeasures(
        n_gold=len(gold),
        n_gold_visited=len(visited_gold),
        n_visited=len(articles),
        n_reported=sum(all(step.visit.reported for step in group) for group in articles.values()),
        n_used=sum(any(step.visit.used for step in group) for group in articles.values()),
        n_searches=sum(kind == SearchKind.ENCYCLOPEDIA for kind in kinds),
        n_passage_searches=sum(kind == SearchKind.PASSAGES for kind in kinds),
        recall=len(visited_gold) / len(gold) if gold else None,
        precision=n_gold_articles / len(articles) if articles and gold else None,
        recall_used=len(used_gold) / len(gold) if gold else None,
        seconds_to_first_gold=seconds,
        first_gold_number=next((step.number for step in steps if step.gold is not None), None),
        gold_order=tuple(page.title for page in visited_gold),
        missed=tuple(page for page in gold if page not in visited_gold),
    )


def together(measures: Sequence[AnswerMeasures]) -> dict[str, Any]:
    """The combined measures of many answers, shape (n_answers,): every answer has the same weight."""
    with_gold = [answer for answer in measures if answer.n_gold]
    return {
        "n_answers": len(measures),
        # Over the answers whose question has evidence, and over those with at least one visit.
        "recall": _mean(answer.recall for answer in with_gold if answer.recall is not None),
        "precision": _mean(answer.precision for answer in measures if answer.precision is not None),
        "median_seconds_to_first_gold": median_of(answer.seconds_to_first_gold for answer in measures),
        "n_without_gold": sum(answer.n_gold_visited == 0 for answer in with_gold),
        "n_with_all_gold": sum(answer.n_gold_visited == answer.n_gold for answer in with_gold),
        "mean_searches": _mean(answer.n_searches for answer in measures),
        "mean_visited": _mean(answer.n_visited for answer in measures),
    }


def total_seconds(times: Iterable[float | None]) -> float | None:
    """The sum of the known times, in seconds; None if none is known.

    >>> total_seconds([2.5, None]), total_seconds([None])
    (2.5, None)
    """
    known = [seconds for seconds in times if seconds is not None]
    return math.fsum(known) if known else None


def median_of(times: Iterable[float | None]) -> float | None:
    """The median of the known times, in seconds; None if none is known."""
    known = [seconds for seconds in times if seconds is not None]
    return statistics.median(known) if known else None


def passes(check: Mapping[str, Any], text: str) -> bool:
    """Whether an answer passes an attention check: it states one of the check's answers, as short answers are compared
    (`scoring.metrics.short_answer.matches`, in the check's language), and not as a part of a longer expression.

    >>> check = {"text": "Write blue.", "answers": ["Blue", "azure"]}
    >>> [passes(check, text) for text in ("It is blue.", "AZURE", "Volga, Danube: blue")]
    [True, True, True]
    >>> [passes(check, text) for text in ("bluebell", "The blue Danube is long.", "not blue", "")]
    [False, False, False, False]
    """
    language = str(check.get("language") or "en")
    return any(_states(text, str(answer), language) for answer in check.get("answers", []))


def passes_check(given: Assignment, *, has_finished: bool) -> bool | None:
    """Whether an attention check is passed: not if it was skipped, or left without an answer by somebody who finished.
    None for a question, and for a check that is still open."""
    if given.attention_check is None:
        return None
    if given.skipped_at is not None or not given.text.strip():
        return False if given.skipped_at is not None or has_finished else None
    return passes(given.attention_check, given.text)


def _states(text: str, answer: str, language: str) -> bool:
    wanted = _words(answer)
    if not wanted or not matches(text, [answer], "text", language):
        return False
    if _UNSPACED.search(answer):
        return True
    # A longer expression goes on behind the words: with an end of the clause or a word such as "as", it does not.
    for clause in _CLAUSE_END.split(text):
        words = _words(clause)
        for after in range(len(wanted), len(words) + 1):
            following = words[after : after + 1]
            if words[after - len(wanted) : after] == wanted and all(len(word) < 3 for word in following):
                return True
    return False


def _words(text: str) -> list[str]:
    kept = (c if c.isalnum() else " " for c in unicodedata.normalize("NFKC", text).casefold())
    return "".join(kept).split()


def _mean(values: Iterable[float]) -> float | None:
    given = list(values)
    return statistics.fmean(given) if given else None
