"""Every system of a board compared with its human performance, on the questions that people answered.

Enters: the row of people on a board, and the name of a score. Leaves: each system's difference with its
interval, best first.
"""

from typing import Any

from leaderboard.board.table import board_url, plain_columns
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Entry, EntryKind
from leaderboard.systems.comparison.statistics import against
from leaderboard.systems.comparison.types import Vector
from leaderboard.systems.scores import scores_in_force
from scoring.benchmarks import definition_of
from scoring.queries import current_signatures, items_to_score, weighted_vectors_of


def against_people(people: Entry, score: str = "") -> dict[str, Any]:
    """Every system of a board compared with its people: ``rows`` are the systems, best first, each with its mean over
    the answers that people gave (a question counts as often as it was answered), and the system minus people.

    ``columns`` are the scores that people have here; ``value`` is None if they have none under the current signature.
    ``refused`` are systems that have the score and cannot be compared, with the reason; ``reach`` is the largest
    distance of an end of the intervals from 0.

    Six queries, whatever the number of systems; some 1 ms for each system.

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
    rule = DisclosureRule.of(split)
    in_force = scores_in_force(dict.fromkeys({people.answer_set_id, *entries}, signatures))
    own = {name: score for name, score in in_force[people.answer_set_id].items() if not rule.withheld(score)}
    every = plain_columns(definition.default_columns)
    columns = tuple(column for column in every if column.key in own and own[column.key].n_items)
    chosen = next((column for key in (score, definition.default_sort) for column in columns if column.key == key), None)
    column = chosen or (columns or tuple(every))[0]
    page = {
        "people": people,
        "column": column,
        "columns": columns,
        "board_url": board_url(split.benchmark.slug, split.slug, people.setting.slug),
        "value": None,
        "rows": [],
        "refused": [],
    }
    if column.key not in own:
        return page
    of_systems = (in_force[answer_set].get(column.key) for answer_set in entries)
    scores = [score for score in of_systems if score is not None and not rule.withheld(score)]
    mine = own[column.key]
    revision = mine.run.revision
    items = items_to_score(people.answer_set, revision)  # type: ignore[arg-type]  # a scored row has one
    vectors, weights = weighted_vectors_of([mine.pk, *(score.pk for score in scores)])
    whole = Vector(
        *(mine.pk, mine.name, mine.value, revision.pk, vectors[mine.pk], items.participants or (), items.places),
        clusters=revision.clusters,
        weights=weights.get(mine.pk),
    )
    others = [
        Vector(
            *(score.pk, score.name, score.value, score.run.revision_id, vectors[score.pk]),
            weights=weights.get(score.pk),
        )
        for score in scores
    ]
    compared = against(whole, others, column, hidden=rule.hidden, step=rule.step)
    # The systems' means over the answers that people gave.
    places = list(items.places)
    exact = [float(other.per_item[places].mean()) if other.revision == revision.pk else other.value for other in others]
    means = [rule.number(mean, column) or 0.0 for mean in exact]
    of_scores = [entries[score.run.answer_set_id] for score in scores]
    rows = [(of_scores[apart.first], means[apart.first], apart) for apart in compared.differences]
    rows.sort(key=lambda row: (-column.sign * row[2].value, row[0].system.name))
    differences = [column.sign * apart.value for _, _, apart in rows if apart.significant]
    return page | {
        "value": rule.number(mine.value, column),
        "n_answers": len(items.qids),
        "n_questions": len(set(items.qids)),
        "n_people": len(set(items.participants or ())),
        "rows": rows,
        "refused": [(of_scores[index].system.name, reason) for (index,), reason in compared.refused],
        "reach": max((max(abs(apart.low), abs(apart.high)) for _, _, apart in rows), default=0.0),
        "n_better": sum(difference > 0 for difference in differences),
        "n_worse": sum(difference < 0 for difference in differences),
    }
