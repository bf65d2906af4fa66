"""The sections of a comparison: one for each score, with values and paired differences.

Enters: the compared systems with their scores. Leaves: a `ScoreSection` for each score that any of them has. Results
are cached by the keys of the scores.
"""

from collections.abc import Sequence

from leaderboard.systems.comparison.params import ComparisonParams
from leaderboard.systems.comparison.rows import ComparedRows
from leaderboard.systems.comparison.statistics import cached, differences
from leaderboard.systems.comparison.types import CellValue, Compared, ScoreDifferences, ScoreSection, Vector
from scoring.queries import items_to_score, vectors_of
from scoring.runs.judging.comparisons import completed_vectors


def sections_of(params: ComparisonParams, rows: ComparedRows, systems: Sequence[Compared]) -> list[ScoreSection]:
    """A section for each score, in the order of the board's columns. The current section is the requested score, else
    the benchmark's default, else the first with a paired difference; if there is none, no section is current."""
    slugs = [system.slug for system in systems]
    columns = {column.key: column for column in rows.columns}
    of_columns = cached(
        "differences",
        (
            [
                sorted((score.pk, score.run.revision.clusters_hash) for score in rows.scores[slug].values())
                for slug in slugs
            ],
            rows.split.hidden,
            rows.rule.step,
            rows.columns,
        ),
        dict[str, ScoreDifferences],
        lambda: differences(_vectors(rows, slugs), columns, hidden=rows.split.hidden, step=rows.rule.step),
    )
    shown = [column for column in rows.columns if column.key in of_columns]
    paired = [column.key for column in shown if of_columns[column.key].differences]
    wanted = next((key for key in (params.score, rows.definition.default_sort) if key in paired), "")
    wanted = wanted or next(iter(paired), "")
    sections = []
    for column in shown:
        scores = [rows.scores[slug].get(column.key) for slug in slugs]
        section = ScoreSection(
            column=column,
            url=params.url(score=column.key, page=""),
            current=column.key == wanted,
            values=tuple(
                CellValue(rows.rule.number(score.value, column), *rows.rule.ends(score.low, score.high, column))
                if score
                else None
                for score in scores
            ),
            differences=of_columns[column.key],
            lacking=tuple(
                (system.letter, rows.why_lacking(system.slug, column))
                for system, score in zip(systems, scores, strict=True)
                if score is None
            ),
        )
        sections.append(section)
    return sections


def _vectors(rows: ComparedRows, slugs: Sequence[str]) -> list[list[Vector]]:
    """Each system's scores with their items. One query; two more for each revision that people answered, one for each
    revision with clusters, and one for scores of answers compared side by side."""
    names = {score.pk: name for slug in slugs for name, score in rows.scores[slug].items()}
    per_item, completed = vectors_of(names), completed_vectors(names)
    revisions = {score.run.revision for slug in slugs for score in rows.scores[slug].values()}
    clusters = {revision.pk: revision.clusters for revision in revisions}
    systems = []
    for slug in slugs:
        of_people: dict[int, tuple[tuple[str, ...], tuple[int, ...]]] = {}
        if rows.here[slug].system.is_human:
            for revision in {score.run.revision for score in rows.scores[slug].values()}:
                items = items_to_score(rows.answer_sets[slug], revision)
                of_people[revision.pk] = (items.participants or (), items.places if items.participants else ())
        vectors = []
        for name, score in rows.scores[slug].items():
            revision_pk = score.run.revision_id
            participants, places = of_people.get(revision_pk, ((), ()))
            if len(participants) in (0, score.n_items):
                vector = Vector(
                    *(score.pk, name, score.value, revision_pk, per_item[score.pk], participants, places),
                    completed=completed.get(score.pk),
                    clusters=clusters[revision_pk],
                )
                vectors.append(vector)
        systems.append(vectors)
    return systems
