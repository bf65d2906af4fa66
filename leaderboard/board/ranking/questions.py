"""The comparisons of two systems question by question, on splits whose answers are public."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlencode
from uuid import UUID

import numpy as np
from django.core.paginator import Paginator
from django.http import QueryDict
from django.urls import reverse

from leaderboard.board.ranking.lookup import StoredRanking, position
from leaderboard.board.table import Tab
from leaderboard.models import Entry
from leaderboard.templatetags.display import excerpt
from scoring.models import AnswerBlock, Baseline, Question, Revision, Verdict
from scoring.runs.judging.comparisons import ComparedPair, compared_pairs

PAGE_ROWS: Final = 50
LONGEST_NAME: Final = 30
"""Characters of a system's name in a tab."""
OUTCOMES = FIRST, SECOND, TIE, UNPARSED = "first", "second", "tie", "unparsed"


class PairOfSystems:
    """Two systems of a ranking with what the judge said of their answers.

    Args:
        query: ``first`` and ``second`` are slugs. Of those that are none, the first is the strongest system except the
            baseline, and the second is the baseline.
    """

    def __init__(self, stored: StoredRanking, query: Mapping[str, Any]) -> None:
        self.stored, self.choices = stored, list(stored.systems.values())
        by_slug = {system.slug: system for system in self.choices if system.slug}
        strongest = next((system for system in self.choices if not system.numbers.is_baseline), None)
        self.first = by_slug.get(query.get("first", ""), strongest)
        """The system whose wins are listed; None without a ranked system."""
        self.second = by_slug.get(query.get("second", ""), stored.baseline)
        """System that the first one is compared with."""

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
            baselines = Baseline.objects.filter(split=self.stored.board.split.pk)
            baseline = baselines.values_list("answer_set", flat=True).first()
            known = [answer_set or baseline for answer_set in known]
        first, second = known
        return (first, second) if first is not None and second is not None and first != second else None

    @cached_property
    def pair(self) -> ComparedPair | None:
        """Comparison of the two systems, in this direction; None if they were not compared. Five queries at most."""
        shown = self.stored.board.content.revision
        if self.answer_sets is None or shown is None:
            return None
        revisions = Revision.objects.filter(split=self.stored.board.split.pk, content_hash=shown.hash)
        revision = revisions.select_related("split__benchmark").order_by("-pk").first()
        pairs = compared_pairs(revision, self.answer_sets) if revision else []
        return pairs[0].seen_from(self.answer_sets[0]) if pairs else None

    @cached_property
    def outcomes(self) -> list[str]:
        """The outcome of each question, in their order."""
        return [_winner(value) for value in self.pair.preference.tolist()] if self.pair else []

    @property
    def slugs(self) -> dict[str, str]:
        """Both systems as a URL names them."""
        return {"first": self.first.slug if self.first else "", "second": self.second.slug if self.second else ""}

    def link(self, name: str, *args: int, **changes: object) -> str:
        """The URL of another page of the same two systems."""
        query = urlencode({key: value for key, value in {**self.slugs, **changes}.items() if value})
        return f"{reverse(name, args=[*self.stored.board.slugs, *args])}{'?' if query else ''}{query}"

    def questions(self, places: Sequence[int]) -> list[dict[str, Any]]:
        """Some questions by their position, from 0: each with its ``number`` from 1; in each order the judge's
        ``scores`` of the first and the second system (None where there is none) and the winner of ``winners``; the
        ``outcome`` over both orders; and whether both ``answered``. One query."""
        pair = self.pair
        if pair is None:
            return []
        qids = [pair.qids[place] for place in places]
        texts = dict(Question.objects.filter(revision__runs=pair.run, qid__in=qids).values_list("qid", "text"))
        return [
            {
                "number": place + 1,
                "qid": qid,
                "text": texts.get(qid, ""),
                "scores": [
                    [None if np.isnan(score) else score for score in order] for order in pair.scores[place].tolist()
                ],
                "winners": [_winner(value) for value in pair.preferences[place].tolist()],
                "outcome": self.outcomes[place],
                "answered": pair.answered[place].tolist(),
            }
            for place, qid in zip(places, qids, strict=True)
        ]


def question_list(pair: PairOfSystems, query: QueryDict) -> dict[str, Any]:
    """The list of questions of two systems. Unknown values in the query are ignored."""
    asked = query.get("outcome", "")
    outcome = asked if asked in OUTCOMES else ""
    places = [place for place, known in enumerate(pair.outcomes) if outcome in ("", known)]
    page = Paginator(places, PAGE_ROWS).get_page(position(query.get("page", "")))
    counts = Counter(pair.outcomes)
    first, second = (excerpt(system.name, LONGEST_NAME) if system else "" for system in (pair.first, pair.second))
    labels = {FIRST: f"{first} wins", SECOND: f"{second} wins", TIE: "Tie", UNPARSED: "Unparsed"}
    return {
        "stored": pair.stored,
        "choices": pair.choices,
        "first": pair.first,
        "second": pair.second,
        "pair": pair.pair,
        "tabs": [Tab("All", pair.link("board-questions"), not outcome, len(pair.outcomes))]
        + [
            Tab(label, pair.link("board-questions", outcome=key), key == outcome, counts[key])
            for key, label in labels.items()
        ],
        "page": page,
        "rows": [
            (question, pair.link("board-question", question["number"]))
            for question in pair.questions(list(page.object_list))
        ],
    }


def question_page(pair: PairOfSystems, number: int, readable: Sequence[bool]) -> dict[str, Any] | None:
    """One question with both answers and what the judge replied; None if there is none of this number, or the two were
    not compared. Three queries.

    ``sides`` are both systems, each with whether it answered, and the text, None if the reader may not see it.
    ``replies`` are the judge's in each order, with the system that was shown first: only to readers of both answers,
    which replies quote.

    Args:
        readable: whether the reader may read the answers of each system.
    """
    systems = [system for system in (pair.first, pair.second) if system is not None]
    if pair.pair is None or pair.answer_sets is None or not 1 <= number <= len(pair.pair.qids):
        return None
    [question] = pair.questions([number - 1])
    allowed = [key for key, may in zip(pair.answer_sets, readable, strict=True) if may]
    texts = {key: text for key, _, text in AnswerBlock.objects.first_texts(allowed, [question["qid"]])}
    replies = []
    if all(readable):
        keys = pair.pair.verdicts[number - 1].tolist()
        stored = dict(Verdict.objects.filter(pk__in=keys).values_list("pk", "reply"))
        replies = [(system, stored[key]) for system, key in zip(systems, keys, strict=True) if stored.get(key)]
    return {
        "stored": pair.stored,
        "first": pair.first,
        "second": pair.second,
        "number": number,
        "n_questions": len(pair.outcomes),
        "question": question,
        "sides": [
            (system, answered, texts.get(key, "") if may else None)
            for system, answered, key, may in zip(
                systems, question["answered"], pair.answer_sets, readable, strict=True
            )
        ],
        "replies": replies,
        "list_url": pair.link("board-questions"),
        "previous_url": pair.link("board-question", number - 1) if number > 1 else "",
        "next_url": pair.link("board-question", number + 1) if number < len(pair.outcomes) else "",
    }


def _winner(preference: float) -> str:
    if np.isnan(preference):
        return UNPARSED
    return TIE if preference == 0.5 else FIRST if preference > 0.5 else SECOND
