"""The content of a comparison page: systems on one board.

Enters: the parameters of a URL. Leaves: a `Comparison`: the systems that can be compared and those that cannot, with
the reason (`rows`); a section for each score, with values and paired differences; and one score by category and,
where the split is not hidden, by question. People are left out of these two.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias
from urllib.parse import urlencode

import numpy as np
from django.core.paginator import Paginator
from django.urls import reverse
from numpy.typing import NDArray

from leaderboard.board import lookup as board_places
from leaderboard.board.table import Tab, board_url, labelled_signatures
from leaderboard.models import Entry, EntryKind, System
from leaderboard.systems.comparison.candidates import comparable_boards
from leaderboard.systems.comparison.rows import ComparedRows
from leaderboard.systems.comparison.statistics import categories, differences
from leaderboard.systems.comparison.types import (
    MOST_SYSTEMS,
    CellValue,
    Compared,
    Comparison,
    ComparisonParams,
    ScoreSection,
    Vector,
)
from scoring.analysis import explanations
from scoring.analysis.categories import cells_of_revision
from scoring.declarations import known_benchmarks
from scoring.models import Question, Score, Setting, Split
from scoring.queries import items_to_score, weighted_vectors_of
from scoring.registry import metric_named
from scoring.runs.judging.comparisons import completed_vectors, counted_vectors
from scoring.statistics import TIE
from scoring.task_types import task_type_named

LETTERS = "ABCDEF"
QUESTIONS_PER_PAGE = 10
Having: TypeAlias = Sequence[tuple[int, Score]]
"""The systems, by their indices in the comparison, that have the score against the revision of the first."""


def comparison_for(params: ComparisonParams) -> Comparison | None:
    """Systems side by side; None while there is no benchmark.

    Eight queries, whatever the number of systems, if the URL names the board, and one more where answers are reports.
    The vectors of the systems take three more (and two for people). On a split that is not hidden, the differing
    questions take one query more, and four per system.
    """
    published = (
        Entry.objects.of_systems(*params.systems).filter(replaced_at=None).order_by("split", "setting", "published_at")
    )
    boards = published.select_related("split__benchmark", "split__current_revision", "setting", "answer_set")
    entries = boards.with_merged_systems() if params.systems else []
    # A pseudonym leads to its system, if its day has come, and a merged system to the one that it was merged into.
    others = set(params.systems) - {entry.system.slug for entry in entries}
    led = {slug: system.slug for slug in others if (system := System.objects.behind(slug)) is not None}
    if led:
        return comparison_for(
            replace(params, systems=tuple(dict.fromkeys(led.get(slug, slug) for slug in params.systems)))
        )
    board = _board_of(params, entries)
    if board is None:
        return None
    split, setting = board
    params = replace(params, benchmark=split.benchmark.slug, split=split.slug, setting=setting.slug)
    slugs = params.systems[:MOST_SYSTEMS]
    rows = ComparedRows(split, setting, entries, slugs)
    reasons = {slug: rows.reason(slug) for slug in slugs}
    known = {entry.system.slug: entry.system for entry in rows.everywhere}
    comparable = [known[slug] for slug in slugs if not reasons[slug]]
    comparison = Comparison(
        split=split,
        setting=setting,
        board_url=board_url(split.benchmark.slug, split.slug, setting.slug),
        tabs=_tabs(params, rows),
        systems=[
            Compared(
                letter,
                system.name,
                system.slug,
                system.get_absolute_url(),
                system.is_human,
                n_attempts=rows.answer_sets[system.slug].n_attempts if system.slug in rows.answer_sets else 1,
            )
            for letter, system in zip(LETTERS, comparable, strict=False)
        ],
        left_out=[
            Compared("", known[slug].name if slug in known else slug, slug, "", False, reason)
            for slug, reason in reasons.items()
            if reason
        ],
        signatures=labelled_signatures(rows.signatures, rows.definition.default_columns),
        n_asked=len(params.systems),
    )
    if comparison.possible:
        comparison.reports_url = _reports_url(rows, comparison.systems)
        comparison.sections = sections_of(params, rows, comparison.systems)
        if comparison.current is not None:
            add_details(comparison, params, rows, comparison.current.column.key)
    return comparison


def _board_of(params: ComparisonParams, entries: Sequence[Entry]) -> tuple[Split, Setting] | None:
    """The requested board, or else the one with most of the systems, or else the first; if possible one with something
    to compare."""
    if params.split and params.setting:
        benchmark = params.benchmark or known_benchmarks().values_list("slug", flat=True).first() or ""
        requested = board_places.find_split_and_setting(benchmark, params.split, params.setting)
        if requested is not None:
            return requested
    default = next(iter(board_places.first_addresses()), None)
    if default is None:
        return None
    counts = Counter(
        (entry.split.benchmark.slug, entry.split.slug, entry.setting.slug)
        for entry in entries
        if entry.kind == EntryKind.SCORED
    )
    comparable = comparable_boards()
    boards = [*counts] or [*comparable] or [default]
    best = max(boards, key=lambda board: (counts[board], board in comparable, board == default))
    return board_places.find_split_and_setting(*best)


def _reports_url(rows: ComparedRows, systems: Sequence[Compared]) -> str:
    """The first question with the reports of the first two systems side by side; empty where answers are no reports, or
    hidden. At most one query."""
    sides = [system.slug for system in systems if not system.is_human][:2]
    if rows.split.hidden or len(sides) < 2 or not task_type_named(rows.definition.task_type).has_markdown:
        return ""
    questions = Question.objects.filter(revision=rows.split.current_revision_id).order_by("position")
    qid = questions.values_list("qid", flat=True).first()
    query = urlencode({"setting": rows.setting.slug, "left": sides[0], "right": sides[1]})
    address = reverse("question", args=[rows.split.benchmark.slug, rows.split.slug, qid]) if qid else ""
    return f"{address}?{query}" if address else ""


def _tabs(params: ComparisonParams, rows: ComparedRows) -> list[Tab]:
    """The boards on which at least two of the systems were scored, if there is more than one."""
    scored = [entry for entry in rows.everywhere if entry.kind == EntryKind.SCORED]
    counts = Counter((entry.split_id, entry.setting_id) for entry in scored)
    boards = {(entry.split_id, entry.setting_id): entry for entry in scored}

    def place(item: tuple[object, Entry]) -> tuple[int, str, int, int]:
        """By benchmark, the last split first, by setting."""
        benchmark = item[1].split.benchmark
        return benchmark.position, benchmark.slug, -item[1].split.position, item[1].setting.position

    several = len({entry.split.benchmark_id for entry in boards.values()}) > 1
    tabs = [
        Tab(
            f"{entry.split.benchmark.name}, " * several + f"{entry.setting.name}, {entry.split.name.lower()}",
            params.url(
                benchmark=entry.split.benchmark.slug, split=entry.split.slug, setting=entry.setting.slug, page=""
            ),
            (entry.split_id, entry.setting_id) == (rows.split.pk, rows.setting.pk),
            counts[key],
        )
        for key, entry in sorted(boards.items(), key=place)
        if counts[key] > 1
    ]
    return tabs if len(tabs) > 1 or any(not tab.current for tab in tabs) else []


def sections_of(params: ComparisonParams, rows: ComparedRows, systems: Sequence[Compared]) -> list[ScoreSection]:
    """A section for each score, in the order of the board's columns. The current section is the requested score, else
    the benchmark's default, else the first with a paired difference; if there is none, no section is current."""
    slugs = [system.slug for system in systems]
    columns = {column.key: column for column in rows.columns}
    of_columns = differences(_vectors(rows, slugs), columns, hidden=rows.split.hidden, step=rows.rule.step)
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
    per_item, weights = weighted_vectors_of(names)
    completed = completed_vectors(names, weights)
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
                    weights=weights.get(score.pk),
                    n_attempts=rows.answer_sets[slug].n_attempts,
                    clusters=clusters[revision_pk],
                )
                vectors.append(vector)
        systems.append(vectors)
    return systems


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
    by_key, weights = weighted_vectors_of(score.pk for _, score in having)
    by_key |= counted_vectors(dict.fromkeys(by_key, name), weights)
    vectors = {index: by_key[score.pk] for index, score in having}
    comparison.categories = categories(
        vectors,
        len(comparison.systems),
        cells_of_revision(revision),
        next(column for column in rows.columns if column.key == name),
        weights={index: weights[score.pk] for index, score in having if score.pk in weights},
        hidden=rows.split.hidden,
        revision=revision.pk,
        step=rows.rule.step,
    )
    outcomes = task_type_named(rows.definition.task_type).outcomes_with(rows.definition.metrics)
    explained = outcomes.metric if outcomes is not None else ""
    of_split = not rows.split.hidden and revision.split_id == rows.split.pk  # reference items of a subset are its own
    if of_split and explained in rows.definition.metrics and len(having) > 1:
        comparison.item_metric = metric_named(explained).label
        comparison.is_whole = outcomes is not None and outcomes.is_whole
        _add_questions(comparison, params, rows, having, vectors)


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
            "language": here[0].language,
            "values": values[:, place].tolist(),
            "answered": [explanation.answered for explanation in here],
            # Each item of the reference answer with its level of nesting and whether the systems' answers have it; None
            # if an answer is too long to determine it.
            "items": [
                (
                    " or ".join((item.text, *item.also)),
                    line.depth + item_number,
                    [None if each.too_long else each.lines[line_number].items[item_number].found for each in here],
                )
                for line_number, line in enumerate(here[0].lines)
                for item_number, item in enumerate(line.items)
            ],
        }
        comparison.questions.append(question)
