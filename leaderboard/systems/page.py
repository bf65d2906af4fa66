"""The content of a system's page: its scores on every board, what they depend on, and their history."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.db.models import Count
from django.urls import reverse
from msgspec import UNSET

from leaderboard import attributes
from leaderboard.board.attempts import Attempts, attempts_of
from leaderboard.board.document import Corrected
from leaderboard.board.exports.bibtex import as_source, entries_in, system_entries
from leaderboard.board.table import (
    ShownCell,
    ShownColumn,
    board_url,
    hand_grades,
    labelled_signatures,
    other_values,
    plain_columns,
    ranking_url,
)
from leaderboard.board.table.cells import NOT_IN_SOURCE, other_signature, why_without
from leaderboard.disclosure import NOT_YET, DisclosureRule
from leaderboard.models import Entry, EntryKind, ReportedValue, Standing, System
from leaderboard.systems.comparison.categories import by_category
from leaderboard.systems.comparison.types import CategoryRow
from leaderboard.systems.rank_history import positions_of
from leaderboard.systems.scores import scores_in_force
from leaderboard.systems.shown_facts import TOOK, facts_by_group, taken
from leaderboard.systems.types import CategoryTable, Lengths, Result, SystemPage
from scoring.analysis.categories import cells_of_revision
from scoring.analysis.explanations import explaining_metric
from scoring.benchmarks import definition_of
from scoring.declarations import known_benchmarks
from scoring.models import Answer, AnswerBlock, Benchmark, Revision, Score, Split
from scoring.queries import current_signatures_of, definition_on, weighted_vectors_of, with_questions
from scoring.registry import task_type_of
from scoring.runs.judging.comparisons import counted_vectors
from scoring.task_types import AnswerList


class _Boards:
    """What all results on boards of one split share. Two queries."""

    def __init__(self, system: System, split: Split, entries: Sequence[Entry], signatures: Mapping[str, str]) -> None:
        self.split, self.signatures = split, signatures
        self.definition, self.rule = definition_on(split), DisclosureRule.of(split)
        here = [entry for entry in entries if entry.split_id == split.pk]
        self.columns = tuple(plain_columns(with_questions(self.definition.default_columns, signatures)))
        sort = next(column for column in self.definition.columns if column.score == self.definition.default_sort)
        settings = {entry.setting_id for entry in here if entry.kind == EntryKind.SCORED}
        self.positions = positions_of(system.pk, split, settings, sort, signatures.get(sort.metric, ""))
        """By setting: the system's ranks and the number of rows, on boards where it was scored here."""
        answer_sets = [entry.answer_set_id for entry in here if entry.answer_set_id]
        self.others = other_values(answer_sets, self.definition, signatures, self.rule)
        """The values under other signatures (`other_values`)."""


def system_page(system: System) -> SystemPage:
    """A system's scores on every board that it is currently on.

    Ten queries, two for each split, one for each revision, and one for each split with several attempts, whatever the
    number of its rows or of the other systems.
    """
    rows = Entry.objects.of_systems(system.slug)
    entries = list(
        rows.filter(replaced_at=None, split__benchmark__in=known_benchmarks())
        .select_related("split__benchmark", "split__current_revision", "setting")
        .select_related("answer_set__usage", "answer_set__submission_file")
        .order_by("split__benchmark__position", "-split__position", "setting__position", "kind")
    )
    for entry in entries:
        entry.system = system
    splits = list({entry.split_id: entry.split for entry in entries}.values())
    signatures = current_signatures_of(splits) if splits else {}
    boards = {split.pk: _Boards(system, split, entries, signatures[split.pk]) for split in splits}
    answer_sets = {entry.answer_set_id: boards[entry.split_id] for entry in entries if entry.answer_set_id}
    scores = scores_in_force({answer_set: board.signatures for answer_set, board in answer_sets.items()})
    reported = {(value.entry_id, value.name): value for value in ReportedValue.objects.filter(entry__in=entries)}
    standings = {
        (standing.entry_id, standing.name): standing for standing in Standing.objects.filter(entry__in=entries)
    }
    # The revisions that were scored against, and the current ones, with the number of their questions.
    wanted = {score.run.revision_id for of_entry in scores.values() for score in of_entry.values()}
    wanted |= {entry.split.current_revision_id for entry in entries if entry.split.current_revision_id}
    counted = Revision.objects.filter(pk__in=wanted).select_related("split").order_by().annotate(n=Count("questions"))
    revisions = {revision.pk: revision for revision in counted}
    scored = [entry for entry in entries if entry.kind == EntryKind.SCORED]
    lengths, categories = lengths_of(scored), _category_tables(scored, boards, scores, revisions)
    attempts = _attempts(scored, boards, scores)
    results = []
    for entry in entries:
        board, split = boards[entry.split_id], entry.split
        of_entry = scores.get(entry.answer_set_id, {})
        of_split = (score.run for score in of_entry.values() if not score.run.subset)
        revision = next((revisions[run.revision_id] for run in of_split), None)
        by_hand = [column for column in plain_columns(hand_grades.COLUMNS) if (entry.pk, column.key) in reported]
        slugs = {"benchmark": split.benchmark.slug, "split": split.slug, "setting": entry.setting.slug}
        result = Result(
            entry=entry,
            board_url=board_url(*slugs.values()),
            cells=[
                _cell(entry, column, of_entry, reported, standings, board, attempts[entry.pk]).disclosed(board.rule)
                for column in by_hand or board.columns
            ],
            n_answered=entry.n_answered,
            revision=revision or revisions.get(split.current_revision_id or 0),
            ranked_by=board.definition.column(board.definition.default_sort),
        )
        result.n_questions = getattr(result.revision, "n", 0)
        results.append(result)
        if split.final is not None and not system.is_human:
            result.n_answered = None  # an answer left out would tell which part its question is in
        elif of_entry and not system.is_human:
            shown = [of_entry[column.key] for column in board.columns if column.key in of_entry]
            scores_of_entry = [*shown, *of_entry.values()]
            first = next((score for score in scores_of_entry if score.n_items), scores_of_entry[0])
            result.n_answered, result.n_questions = first.n_answered, first.n_items
        if not result.scored:
            continue
        file = getattr(entry.answer_set, "submission_file", None)
        from_log = file is not None and file.is_from_log
        usage = getattr(entry.answer_set, "usage", None)
        result.taken = taken(system.run_facts, usage, totals_only=split.hidden, from_log=from_log)
        result.categories, result.lengths = categories.get(entry.pk), lengths.get(entry.answer_set_id)
        result.signatures = labelled_signatures(board.signatures, board.definition.default_columns)
        query = urlencode(slugs)
        result.compare_url = f"{reverse('compare')}?{urlencode({'system': system.slug})}&{query}"
        result.ranking_url = ranking_url(*slugs.values())
        explained = explaining_metric(split.benchmark.slug)
        if not split.hidden and not system.is_human and any(score.run.name == explained for score in of_entry.values()):
            result.questions_url = f"{reverse('system-questions', args=[system.slug])}?{query}"
        elif result.ranking_url and not split.hidden:
            result.questions_url = f"{result.ranking_url}questions/?first={system.slug}"
        history, n_ranked = board.positions.get(entry.setting_id, ([], 0))
        if system.is_human:
            result.against_url = f"{reverse('system-against', args=[system.slug])}?{query}"
        elif history and history[-1].rank is not None:
            result.rank, result.n_ranked, result.history = history[-1].rank, n_ranked, history
            # The range of the rank, if it was computed from the current rows.
            cell = result.headline
            if cell is not None and cell.rank == result.rank:
                result.best_rank, result.worst_rank = cell.best_rank, cell.worst_rank
    benchmarks = {entry.split.benchmark_id: entry.split.benchmark for entry in entries}
    asked = attributes.declared_for(benchmark.slug for benchmark in benchmarks.values())
    return SystemPage(
        system=system,
        results=results,
        bibtex=bibtex_of(system, benchmarks.values()),
        retractions=list(
            rows.filter(retracted_at__isnull=False)
            .select_related("split__benchmark", "setting")
            .order_by("-retracted_at", "-pk")
        ),
        attributes=[
            (attribute.label, attributes.in_words(attribute, system.attributes.get(attribute.name)))
            for attribute in asked
        ],
        facts=facts_by_group(system)
        | {
            f"{TOOK}: {row.split.benchmark.name}, {row.split.name.lower()}, {row.setting.name.lower()}": result.taken
            for result in results
            if result.taken and (row := result.entry)
        },
    )


def _cell(
    entry: Entry,
    column: ShownColumn,
    scores: Mapping[str, Score],
    reported: Mapping[tuple[int, str], ReportedValue],
    standings: Mapping[tuple[int, str], Standing],
    board: _Boards,
    attempts: Mapping[str, Attempts],
) -> ShownCell:
    if entry.kind != EntryKind.SCORED:
        value = reported.get((entry.pk, column.key))
        if value is None or board.rule.reported_withheld(column.key):
            return ShownCell(column=column, reason=entry.note or NOT_IN_SOURCE)
        return ShownCell(column=column, value=value.value, state=entry.kind, low=value.low, high=value.high)
    score = scores.get(column.key)
    if score is not None and (withheld := board.rule.withheld(score)):
        return ShownCell(column=column, reason=withheld)
    if score is None:
        if reason := why_without(column.key, scores):
            return ShownCell(column=column, reason=reason)
        other = board.others.get((entry.answer_set_id, column.key))
        if other is not None:
            reason = other_signature(other[1])
            return ShownCell(column=column, state="other_signature", reason=reason, other_value=other[0])
        return ShownCell(column=column, reason=NOT_YET)
    cell = ShownCell(column=column, value=score.value, state=entry.kind, low=score.low, high=score.high)
    cell.attempts = attempts.get(column.key, UNSET)
    corrected = getattr(score, "corrected", None)
    if corrected is not None:
        cell.corrected = Corrected(corrected.value, corrected.low, corrected.high, corrected.n_graded, corrected.source)
    standing = standings.get((entry.pk, column.key))
    if standing is not None and not entry.system.is_human:
        cell.rank, cell.best_rank, cell.worst_rank = standing.rank, standing.best_rank, standing.worst_rank
        cell.best, cell.marked, cell.p_value = standing.rank == 1, standing.marked, standing.p_value
        cell.tie_group = standing.tie_group
    return cell


def _attempts(
    entries: Sequence[Entry], boards: Mapping[int, _Boards], scores: Mapping[Any, Mapping[str, Score]]
) -> dict[int, dict[str, Attempts]]:
    """By entry and column, what several attempts say of the scores that may be shown. One query for each split."""
    attempts: dict[int, dict[str, Attempts]] = defaultdict(dict)
    for board in boards.values():
        known = {
            score.pk: (entry.pk, column.key)
            for entry in entries
            if entry.split_id == board.split.pk and entry.answer_set is not None and entry.answer_set.n_attempts > 1
            for column in board.columns
            if (score := scores.get(entry.answer_set_id, {}).get(column.key)) is not None
            and not board.rule.withheld(score)
        }
        for pk, of_score in (attempts_of(known, board.rule) if known else {}).items():
            entry_pk, key = known[pk]
            attempts[entry_pk][key] = of_score
    return attempts


def lengths_of(entries: Iterable[Entry]) -> dict[Any, Lengths]:
    """The lengths of the answers of rows, by answer set: in characters, or how many answers its lists have. Two
    queries."""
    is_list: dict[Any, bool] = {
        entry.answer_set_id: task_type_of(entry.split.benchmark.slug).splits_texts for entry in entries
    }
    lengths: dict[Any, list[int]] = defaultdict(list)
    of_people = Answer.objects.filter(answer_set__in=is_list).order_by().values_list("answer_set", "text")
    of_systems = ((answer_set, text) for answer_set, _, text in AnswerBlock.objects.texts(list(is_list)))
    for answer_set, text in (*of_systems, *of_people):
        with suppress(ValueError):  # a text of before a benchmark had another task type
            if length := len(AnswerList().texts_of(text)) if is_list[answer_set] else len(text):
                lengths[answer_set].append(length)
    summed_up = {}
    for answer_set, counts in lengths.items():
        values = np.array(counts, dtype=np.float64)
        lower, median, upper, ninetieth = np.percentile(values, [25, 50, 75, 90]).tolist()
        unit = "answers" if is_list[answer_set] else "characters"
        summed_up[answer_set] = Lengths(len(counts), float(values.mean()), lower, median, upper, ninetieth, unit)
    return summed_up


def _category_tables(
    entries: Sequence[Entry],
    boards: Mapping[int, _Boards],
    scores: Mapping[Any, Mapping[str, Score]],
    revisions: Mapping[int, Revision],
) -> dict[int, CategoryTable]:
    """By entry: its scores by category. Those of one revision are computed together.

    A study's scores belong to answers, not to questions, and metrics may have been switched to a new revision one after
    the other: a row's table contains only the columns of the revision that most of its columns belong to.
    """
    wanted: dict[int, list[tuple[Entry, ShownColumn, int]]] = defaultdict(list)
    for entry in entries:
        if entry.system.is_human:
            continue
        board = boards[entry.split_id]
        own = [
            (column, score)
            for column in board.columns
            if (not board.split.hidden or column.key == board.definition.default_sort)
            and (score := scores.get(entry.answer_set_id, {}).get(column.key)) is not None
            and not board.rule.withheld(score)
            and score.n_items == getattr(revisions[score.run.revision_id], "n", 0)
        ]
        if own:
            counted = [score.run.revision_id for _, score in own]
            revision = max(counted, key=counted.count)
            wanted[revision] += [
                (entry, column, score.pk) for column, score in own if score.run.revision_id == revision
            ]
    names = {pk: column.key for group in wanted.values() for _, column, pk in group}
    vectors, weights = weighted_vectors_of(names)
    vectors |= counted_vectors(names, weights)
    tables: dict[int, CategoryTable] = {}
    for revision, group in wanted.items():
        cells = cells_of_revision(revisions[revision])
        own_vectors = {pk: vectors[pk] for _, _, pk in group}
        split = revisions[revision].split
        columns = {pk: column for _, column, pk in group}
        own_weights = {pk: weights[pk] for pk in own_vectors if pk in weights}
        means = by_category(
            own_vectors,
            cells,
            columns,
            weights=own_weights,
            hidden=split.hidden,
            revision=revision,
            step=split.step,
        )
        for entry in {entry.pk: entry for entry, _, _ in group}.values():
            own_columns = [(column, means[pk]) for other, column, pk in group if other.pk == entry.pk]
            rows = tuple(
                CategoryRow(cell.name, cell.size, cell.rest, tuple(values[index] for _, values in own_columns))
                for index, cell in enumerate(cells)
            )
            if rows:
                tables[entry.pk] = CategoryTable(tuple(column for column, _ in own_columns), rows)
    return tables


def bibtex_of(system: System, benchmarks: Iterable[Benchmark]) -> str:
    """A .bib file of a system and of benchmarks.

    A BibTeX citation is copied as it was sent; a citation in free text becomes an entry of its own.
    """
    taken: dict[str, int] = {}
    own = {name: getattr(system, name) for name in ("slug", "name", "authors", "citation", "url")}
    entries = system_entries(taken, **own)
    for benchmark in benchmarks:
        known = entries_in(definition_of(benchmark.slug).form.bibtex)
        if known and all(entry in entries for entry in known):  # benchmarks of one paper
            continue
        taken |= {entry.key: 1 for entry in known}
        cited = {name: getattr(benchmark, name) for name in ("slug", "name", "citation", "url")}
        entries += known or system_entries(taken, authors="", **cited)
    return as_source(entries)
