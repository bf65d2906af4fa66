"""One score of a comparison in detail: by category and, where the split is not hidden, by question.

Enters: a comparison and the name of its current score. Leaves: the comparison, with its categories and with the page of
questions that the systems answered differently. People are left out of both.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from django.core.paginator import Paginator
from numpy.typing import NDArray

from leaderboard.systems.comparison.params import ComparisonParams
from leaderboard.systems.comparison.rows import ComparedRows
from leaderboard.systems.comparison.statistics import cached, categories
from leaderboard.systems.comparison.types import CategoryRow, Comparison
from scoring.analysis import explanations
from scoring.analysis.categories import cells_of_revision
from scoring.models import Score
from scoring.queries import vectors_of
from scoring.registry import metric_named
from scoring.runs.judging.comparisons import counted_vectors
from scoring.statistics import TIE
from scoring.task_types import task_type_named

QUESTIONS_PER_PAGE = 10

Having: TypeAlias = Sequence[tuple[int, Score]]
"""The systems, by their indices in the comparison, that have the score against the revision of the first."""


def add_details(comparison: Comparison, params: ComparisonParams, rows: ComparedRows, name: str) -> None:
    """Add to *comparison* the score *name* by category and by question."""
    having = [
        (index, rows.scores[system.slug][name])
        for index, system in enumerate(comparison.systems)
        if name in rows.scores[system.slug] and not system.is_human
    ]
    by_category = not rows.split.hidden or name == rows.definition.default_sort
    if not having or not by_category:
        return  # for a hidden split only one score is shown by category
    revision = having[0][1].run.revision
    having = [(index, score) for index, score in having if score.run.revision_id == revision.pk]
    loaded: dict[int, NDArray[np.float64]] = {}

    def vectors() -> dict[int, NDArray[np.float64]]:
        if not loaded:
            by_key = vectors_of(score.pk for _, score in having)
            by_key |= counted_vectors(dict.fromkeys(by_key, name))
            loaded.update({index: by_key[score.pk] for index, score in having})
        return loaded

    n_systems = len(comparison.systems)
    hidden, step = rows.split.hidden, rows.rule.step
    column = next(column for column in rows.columns if column.key == name)
    comparison.categories = cached(
        "categories",
        ([(index, score.pk) for index, score in having], revision.clusters_hash, n_systems, hidden, step, column),
        list[CategoryRow],
        lambda: categories(
            vectors(), n_systems, cells_of_revision(revision), column, hidden=hidden, revision=revision.pk, step=step
        ),
    )
    outcomes = task_type_named(rows.definition.task_type).outcomes
    explained = outcomes.metric if outcomes is not None else ""
    of_split = not rows.split.hidden and revision.split_id == rows.split.pk  # reference items of a subset are its own
    if of_split and explained in rows.definition.metrics and len(having) > 1:
        comparison.item_metric = metric_named(explained).label
        _add_questions(comparison, params, rows, having, vectors())


def _add_questions(
    comparison: Comparison,
    params: ComparisonParams,
    rows: ComparedRows,
    having: Having,
    vectors: Mapping[int, NDArray[np.float64]],
) -> None:
    """Add the questions that the systems answered differently, largest differences first."""
    values = np.stack([vectors[index] for index, _ in having])
    spread = np.ptp(values, axis=0)
    order = [int(place) for place in np.argsort(-spread, kind="stable") if spread[place] > TIE]
    page = Paginator(order, QUESTIONS_PER_PAGE).get_page(params.page)
    comparison.n_differing, comparison.n_questions = len(order), values.shape[1]
    comparison.page, comparison.n_pages = page.number, page.paginator.num_pages
    comparison.previous_url = params.url(page=str(page.number - 1)) if page.has_previous() else ""
    comparison.next_url = params.url(page=str(page.number + 1)) if page.has_next() else ""
    comparison.in_questions = [comparison.systems[index] for index, _ in having]
    places = list(page.object_list)
    revision = having[0][1].run.revision
    explained = [
        explanations.explain(rows.answer_sets[system.slug], revision, places, with_answers=False)
        for system in comparison.in_questions
    ]
    for index, place in enumerate(places):
        here = [of_system[index] for of_system in explained]
        question = {
            "number": place + 1,
            "qid": here[0].qid,
            "text": here[0].text,
            "values": values[:, place].tolist(),
            "answered": [explanation.answered for explanation in here],
            # Each item of the reference answer with its level of nesting and whether the systems' answers have it; None
            # if an answer is too long to determine it.
            "items": [
                (
                    item.text,
                    line.depth + item_number,
                    [None if each.too_long else each.lines[line_number].items[item_number].found for each in here],
                )
                for line_number, line in enumerate(here[0].lines)
                for item_number, item in enumerate(line.items)
            ],
        }
        comparison.questions.append(question)
