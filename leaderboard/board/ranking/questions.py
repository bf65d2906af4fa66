"""The comparisons of two systems question by question, on splits whose answers are public."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import urlencode
from uuid import UUID

import numpy as np
from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.urls import reverse

from leaderboard.board.ranking.lookup import NamedSystem
from leaderboard.board.ranking.page import RankingPage, position
from leaderboard.board.table import Tab
from leaderboard.models import Entry
from leaderboard.templatetags.display import excerpt
from scoring.models import AnswerBlock, Baseline, Question, Revision, Verdict
from scoring.runs.judging.comparisons import ComparedPair, compared_pairs

PAGE_ROWS: Final = 50
LONGEST_NAME: Final = 30
"""Characters of a system's name in a tab."""
FIRST, SECOND, TIE, UNPARSED = "first", "second", "tie", "unparsed"


@dataclass(frozen=True)
class PairParams:
    """The parameters of a URL; unknown values are ignored."""

    first: str = ""
    """The slug of a system; the strongest one except the baseline if it is empty."""
    second: str = ""
    """The slug of its opponent; the baseline if it is empty."""
    outcome: str = ""
    page: int = 1

    @classmethod
    def of(cls, query: QueryDict) -> PairParams:
        """Parse a query string."""
        outcome = query.get("outcome", "")
        known = outcome if outcome in (FIRST, SECOND, TIE, UNPARSED) else ""
        return cls(query.get("first", ""), query.get("second", ""), known, position(query.get("page", "")))


@dataclass(frozen=True)
class ComparedQuestion:
    """A question with the judge's scores for both answers."""

    number: int
    """Its position among the split's questions, from 1."""
    qid: str
    text: str
    scores: tuple[tuple[float | None, float | None], ...]
    """In each order the scores of the first and the second system; None where there is none."""
    winners: tuple[str, ...]
    """In each order ``first``, ``second``, ``tie`` or ``unparsed``."""
    outcome: str
    """Over both orders."""
    answered: tuple[bool, bool]


@dataclass(frozen=True)
class PairOfSystems(RankingPage):
    """Two systems of a ranking with what the judge said of their answers."""

    params: PairParams

    @cached_property
    def first(self) -> NamedSystem | None:
        """The system whose wins are listed; None without a ranked system."""
        named = self._by_slug.get(self.params.first)
        return named or next((system for system in self.choices if not system.numbers.is_baseline), None)

    @cached_property
    def second(self) -> NamedSystem | None:
        """Its opponent."""
        return self._by_slug.get(self.params.second) or self.stored.baseline

    @property
    def _by_slug(self) -> dict[str, NamedSystem]:
        return {system.slug: system for system in self.choices if system.slug}

    @property
    def choices(self) -> list[NamedSystem]:
        """The systems to choose from."""
        return list(self.stored.systems.values())

    @cached_property
    def entries(self) -> tuple[Entry | None, Entry | None]:
        """The rows of both; None for a baseline without one. One query."""
        keys = [system.numbers.entry if system else None for system in (self.first, self.second)]
        rows = Entry.objects.select_related("submission", "split").in_bulk([key for key in keys if key is not None])
        return rows.get(keys[0] or 0), rows.get(keys[1] or 0)

    @cached_property
    def answer_sets(self) -> tuple[UUID, UUID] | None:
        """The answers of both; None if they are not two different ones. One query if a side is a baseline without a
        row."""
        known: list[UUID | None] = [entry.answer_set_id if entry else None for entry in self.entries]
        if None in known:
            baseline = Baseline.objects.filter(split=self.split["pk"]).values_list("answer_set", flat=True).first()
            known = [answer_set or baseline for answer_set in known]
        first, second = known
        return (first, second) if first is not None and second is not None and first != second else None

    @cached_property
    def pair(self) -> ComparedPair | None:
        """Their comparison, in this direction; None if they were not compared. Five queries at most."""
        shown = self.stored.document.revision
        if self.answer_sets is None or shown is None:
            return None
        revisions = Revision.objects.filter(split=self.split["pk"], content_hash=shown.hash)
        revision = revisions.select_related("split__benchmark").order_by("-pk").first()
        pairs = compared_pairs(revision, self.answer_sets) if revision else []
        return pairs[0].seen_from(self.answer_sets[0]) if pairs else None

    @cached_property
    def outcomes(self) -> list[str]:
        """The outcome of each question, in their order."""
        return [_winner(value) for value in self.pair.preference.tolist()] if self.pair else []

    def link(self, name: str, *args: int, **changes: object) -> str:
        """The URL of another page of the same two systems."""
        chosen = {"first": self.first.slug if self.first else "", "second": self.second.slug if self.second else ""}
        query = urlencode({key: value for key, value in {**chosen, **changes}.items() if value})
        return f"{reverse(name, args=[*self.stored.board.slugs, *args])}{'?' if query else ''}{query}"

    def questions(self, places: Sequence[int]) -> list[ComparedQuestion]:
        """Some questions by their position, from 0. One query."""
        pair = self.pair
        if pair is None:
            return []
        qids = [pair.qids[place] for place in places]
        texts = dict(Question.objects.filter(revision__runs=pair.run, qid__in=qids).values_list("qid", "text"))
        questions = []
        for place, qid in zip(places, qids, strict=True):
            orders = [[None if np.isnan(value) else value for value in order] for order in pair.scores[place].tolist()]
            answered = pair.answered[place].tolist()
            question = ComparedQuestion(
                number=place + 1,
                qid=qid,
                text=texts.get(qid, ""),
                scores=tuple((first, second) for first, second in orders),
                winners=tuple(_winner(value) for value in pair.preferences[place].tolist()),
                outcome=_winner(float(pair.preference[place])),
                answered=(answered[0], answered[1]),
            )
            questions.append(question)
        return questions


@dataclass(frozen=True)
class QuestionList(PairOfSystems):
    """The list of questions of two systems."""

    @property
    def tabs(self) -> list[Tab]:
        """The outcomes to choose from."""
        counts = Counter(self.outcomes)
        first, second = (excerpt(system.name, LONGEST_NAME) if system else "" for system in (self.first, self.second))
        labels = {FIRST: f"{first} wins", SECOND: f"{second} wins", TIE: "Tie", UNPARSED: "Unparsed"}
        chosen = self.params.outcome
        every = Tab("All", self.link("board-questions"), not chosen, len(self.outcomes))
        return [every] + [
            Tab(label, self.link("board-questions", outcome=key), key == chosen, counts[key])
            for key, label in labels.items()
        ]

    @cached_property
    def page(self) -> Page[int]:
        """The positions of the questions of this page."""
        chosen = self.params.outcome
        places = [place for place, outcome in enumerate(self.outcomes) if chosen in ("", outcome)]
        return Paginator(places, PAGE_ROWS).get_page(self.params.page)

    @property
    def rows(self) -> list[tuple[ComparedQuestion, str]]:
        """The questions of this page, each with the URL of its own."""
        questions = self.questions(list(self.page.object_list))
        return [(question, self.link("board-question", question.number)) for question in questions]

    @property
    def previous_url(self) -> str:
        """The URL of the page before, if there is one."""
        return self.link("board-questions", outcome=self.params.outcome, page=self.page.number - 1)

    @property
    def next_url(self) -> str:
        """The URL of the page after, if there is one."""
        return self.link("board-questions", outcome=self.params.outcome, page=self.page.number + 1)


@dataclass(frozen=True)
class QuestionPage(PairOfSystems):
    """One question with both answers and what the judge replied."""

    number: int
    readable: tuple[bool, bool]
    """Whether the reader may read the answers of each system."""

    @cached_property
    def question(self) -> ComparedQuestion | None:
        """The question; None if there is none of this number, or the two were not compared."""
        n = len(self.pair.qids) if self.pair else 0
        return self.questions([self.number - 1])[0] if 1 <= self.number <= n else None

    @property
    def sides(self) -> list[tuple[NamedSystem, bool, str | None]]:
        """Both answers: the system, whether it answered, and the text, None if the reader may not see it. One query."""
        systems, keys, question = (self.first, self.second), self.answer_sets, self.question
        if keys is None or question is None:
            return []
        allowed = [key for key, may in zip(keys, self.readable, strict=True) if may]
        texts = {key: text for key, _, text in AnswerBlock.objects.texts(allowed, [question.qid])}
        return [
            (system, answered, texts.get(key, "") if may else None)
            for system, answered, key, may in zip(systems, question.answered, keys, self.readable, strict=True)
            if system is not None
        ]

    @property
    def replies(self) -> list[tuple[NamedSystem, str]]:
        """The judge's reply in each order, with the system that was shown first; only to readers of both answers, which
        replies quote. One query."""
        if self.pair is None or self.first is None or self.second is None or not all(self.readable):
            return []
        keys = self.pair.verdicts[self.number - 1].tolist()
        texts = dict(Verdict.objects.filter(pk__in=keys).values_list("pk", "reply"))
        shown = zip((self.first, self.second), keys, strict=True)
        return [(system, texts[key]) for system, key in shown if texts.get(key)]

    @property
    def list_url(self) -> str:
        """The URL of the list of questions."""
        return self.link("board-questions")

    @property
    def previous_url(self) -> str:
        """The URL of the question before, or nothing."""
        return self.link("board-question", self.number - 1) if self.number > 1 else ""

    @property
    def next_url(self) -> str:
        """The URL of the next question, or nothing."""
        return self.link("board-question", self.number + 1) if self.number < len(self.outcomes) else ""


def _winner(preference: float) -> str:
    if np.isnan(preference):
        return UNPARSED
    return TIE if preference == 0.5 else FIRST if preference > 0.5 else SECOND
