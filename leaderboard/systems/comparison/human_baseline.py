"""Every system of a board compared with its human performance, on the questions that people answered.

Enters: the row of people on a board, and the name of a score. Leaves: `AgainstPeople`: each system's difference with
its interval, best first.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from leaderboard.board.table import ShownColumn, board_url, plain_columns
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Entry, EntryKind
from leaderboard.systems.comparison.statistics import against, cached
from leaderboard.systems.comparison.types import Difference, Vector
from scoring.benchmarks import definition_of
from scoring.metrics.columns import Column
from scoring.models import SCORE_KEY, Score
from scoring.models.run_states import RunState
from scoring.queries import ScoredItems, current_signatures, items_to_score, vectors_of


class Computed(NamedTuple):
    """Systems against people, without their names."""

    means: list[float]
    """Of each system."""
    differences: tuple[Difference, ...]
    refused: list[tuple[int, str]]
    """The indices of systems that cannot be compared, with the reason."""


@dataclass(frozen=True)
class AgainstPeopleRow:
    """A system compared with people."""

    name: str
    url: str
    value: float
    """The mean over the answers that people gave: each question counts as often as it was answered."""
    difference: Difference
    """The system minus people."""


@dataclass(frozen=True)
class AgainstPeople:
    """Every system of a board compared with its people, in one score."""

    people: Entry
    column: ShownColumn
    columns: tuple[ShownColumn, ...]
    """The scores that people have here."""
    board_url: str
    value: float | None
    """The value of people; None if they have no score under the current signature."""
    n_answers: int
    n_questions: int
    n_people: int
    rows: tuple[AgainstPeopleRow, ...]
    """The systems, best first."""
    refused: tuple[tuple[str, str], ...]
    """Systems that have the score and cannot be compared, with the reason."""
    reach: float
    """The largest distance of an end of the intervals from 0."""

    @property
    def n_better(self) -> int:
        """The number of systems that are significantly better than people."""
        return sum(row.difference.significant and self.column.sign * row.difference.value > 0 for row in self.rows)

    @property
    def n_worse(self) -> int:
        """The number of systems that are significantly worse than people."""
        return sum(row.difference.significant and self.column.sign * row.difference.value < 0 for row in self.rows)


def against_people(people: Entry, score: str = "") -> AgainstPeople:
    """Every system of a board compared with its people.

    Six queries, whatever the number of systems. The result is cached by the keys of the scores; the first view reads
    every system's vector of the score, and takes some 5 ms for each.

    Args:
        people: a row of people that was scored here.
        score: the score's name; the benchmark's default if people have no such score.
    """
    split = people.split
    definition = definition_of(split.benchmark.slug)
    signatures = current_signatures(split)
    entries = {
        entry.answer_set_id: entry
        for entry in Entry.objects.filter(
            split=split, setting=people.setting, kind=EntryKind.SCORED, replaced_at=None, system__is_human=False
        ).select_related("system")
    }
    withheld = DisclosureRule.of(split).withheld
    own = {score.key: score for score in _scores({people.answer_set_id}, signatures) if not withheld(score)}
    every = plain_columns(definition.default_columns)
    columns = tuple(column for column in every if column.key in own)
    chosen = next((column for key in (score, definition.default_sort) for column in columns if column.key == key), None)
    column = chosen or (columns or tuple(every))[0]
    if column.key not in own:
        return _nothing(people, column, columns)
    rule = DisclosureRule.of(split)
    scores = [
        one
        for one in _scores(set(entries), signatures, column.key)
        if one.run.answer_set_id in entries and not rule.withheld(one)
    ]
    mine = own[column.key]
    items = items_to_score(people.answer_set, mine.run.revision)  # type: ignore[arg-type]  # a scored row has one
    basis = (
        mine.pk,
        sorted(one.pk for one in scores),
        mine.run.revision.clusters_hash,
        split.hidden,
        rule.step,
        column,
    )
    computed = cached("against-people", basis, Computed, lambda: _compute(mine, scores, items, rule, column))
    rows, refused = _rows(computed, [entries[one.run.answer_set_id] for one in scores], column)
    return replace(
        _nothing(people, column, columns),
        value=rule.number(mine.value, column),
        n_answers=len(items.qids),
        n_questions=len(set(items.qids)),
        n_people=len(set(items.participants or ())),
        rows=rows,
        refused=refused,
        reach=max((max(abs(row.difference.low), abs(row.difference.high)) for row in rows), default=0.0),
    )


def _compute(
    people: Score, scores: Sequence[Score], items: ScoredItems, rule: DisclosureRule, column: Column
) -> Computed:
    """The systems' means over the answers that people gave, each difference, and the systems without comparison."""
    vectors = vectors_of([people.pk, *(one.pk for one in scores)])
    places = list(items.places)
    whole = Vector(
        people.pk,
        people.name,
        people.value,
        people.run.revision_id,
        vectors[people.pk],
        items.participants or (),
        items.places,
        clusters=people.run.revision.clusters,
    )
    others = [Vector(one.pk, one.name, one.value, one.run.revision_id, vectors[one.pk]) for one in scores]
    found = against(whole, others, column, hidden=rule.hidden, step=rule.step)
    exact = [
        float(vectors[one.pk][places].mean()) if one.run.revision_id == people.run.revision_id else one.value
        for one in scores
    ]
    means = [rule.number(mean, column) or 0.0 for mean in exact]
    return Computed(means, found.differences, [(which[0], reason) for which, reason in found.refused])


def _rows(
    computed: Computed, entries: Sequence[Entry], column: Column
) -> tuple[tuple[AgainstPeopleRow, ...], tuple[tuple[str, str], ...]]:
    """The rows of the systems that can be compared, best first, and the names of the others with the reason."""
    means, differences, refused = computed
    rows = [
        AgainstPeopleRow(
            entries[found.first].system.name,
            entries[found.first].system.get_absolute_url(),
            means[found.first],
            found,
        )
        for found in differences
    ]
    rows.sort(key=lambda row: (-column.sign * row.difference.value, row.name))
    return tuple(rows), tuple((entries[index].system.name, reason) for index, reason in refused)


def _scores(answer_sets: set[uuid.UUID | None], signatures: dict[str, str], name: str = "") -> list[Score]:
    """Scores under the current signatures, in the order of their keys: one per name and answer set. One query."""
    found = (
        Score.objects.counting()
        .filter(run__answer_set__in=answer_sets, run__state=RunState.DONE)
        .select_related("run__revision__split")
        .defer("vector")
        .order_by("created_at", "pk")
    )
    if name:
        found = found.annotate(column_key=SCORE_KEY).filter(column_key=name)
    newest = {
        (score.run.answer_set_id, score.key): score
        for score in found
        if signatures.get(score.run.name) == score.signature
    }
    return sorted(newest.values(), key=lambda one: one.pk)


def _nothing(people: Entry, column: ShownColumn, columns: tuple[ShownColumn, ...]) -> AgainstPeople:
    return AgainstPeople(
        people=people,
        column=column,
        columns=columns,
        board_url=board_url(people.split.benchmark.slug, people.split.slug, people.setting.slug),
        value=None,
        n_answers=0,
        n_questions=0,
        n_people=0,
        rows=(),
        refused=(),
        reach=0.0,
    )
