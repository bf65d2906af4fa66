"""Queries for the API that the pages do not need."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from leaderboard.board.lookup import first_split
from leaderboard.board.table import hand_grades
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Entry, EntryKind, ReportedValue, System
from scoring.benchmarks import definition_of
from scoring.metrics.columns import Column
from scoring.models import Benchmark, Revision, Run, Score, Split, SplitPhase
from scoring.models.benchmarks import times_of
from scoring.models.run_states import RunState
from scoring.queries import column_of, current_signatures, current_signatures_of, definition_on, on_one_revision

# --- Benchmarks ----------------------------------------------------------------------------------------------------


def benchmark_fields(benchmark: Benchmark, visible: QuerySet[Split]) -> dict[str, Any]:
    """A benchmark with its definition and those of its splits that are visible, as `BenchmarkSerializer` shows it.
    Three queries."""
    definition = definition_of(benchmark.slug)
    own = ("slug", "name", "description", "citation", "licence")
    declared = ("task_type", "default_setting", "default_sort", "metrics", "columns", "attributes")
    splits = visible.filter(benchmark=benchmark).select_related("benchmark", "current_revision")
    rows = list(splits.order_by("position", "pk").annotate(n_questions=Count("current_revision__questions")))
    return {
        **{name: getattr(benchmark, name) for name in own},
        **{name: getattr(definition, name) for name in declared},
        "default_split": first_split(definition, [split.slug for split in rows]),
        "homepage": benchmark.url,
        "remove_reasoning": definition.form.answers.remove_reasoning,
        "takes_citations": definition.answer_format().takes_citations,
        "splits": [_split_fields(split, split.n_questions) for split in rows],
        "settings": benchmark.settings.all(),
    }


def split_fields(split: Split) -> dict[str, Any]:
    """A split with its revisions, as `SplitDetailSerializer` shows it. Two queries."""
    revisions = list(
        Revision.objects.filter(split=split)
        .annotate(n_questions=Count("questions"), current=Q(pk=split.current_revision_id))
        .order_by("-created_at", "-pk")
    )
    n_questions = next((revision.n_questions for revision in revisions if revision.current), 0)
    return _split_fields(split, n_questions) | {"revisions": revisions, "signatures": current_signatures(split)}


def _split_fields(split: Split, n_questions: int) -> dict[str, Any]:
    revision = split.current_revision
    return {
        **{name: getattr(split, name) for name in ("slug", "name", "hidden")},
        **{name: getattr(split, name) for name in ("opens", "closes")},
        "phase": _phase(split),
        "final_shown": split.final_shown_at is not None,
        "benchmark": split.benchmark.slug,
        "n_questions": n_questions,
        "attempts": definition_of(split.benchmark.slug).attempts(split.slug).exactly or None,
        "revision": revision.short_hash if revision else "",
    }


def _phase(split: Split) -> str:
    times = times_of(split.opens, split.closes, timezone.now())
    return split.phase if split.phase != SplitPhase.OPEN or times == "open" else times


# --- Systems -------------------------------------------------------------------------------------------------------


def public_systems(q: str = "", types: Iterable[str] = ()) -> QuerySet[System]:
    """Systems with a row on a board whose name, authors, citation or slug contain every word of *q*."""
    rows = Entry.objects.filter(replaced_at=None).order_by().values("pk")
    own, of_members = rows.filter(system=OuterRef("pk")), rows.filter(system__same_as=OuterRef("pk"))
    # Limited, so that PostgreSQL looks for the row of each listed system in an index, and does not read all rows.
    has_row = Q(own__isnull=False, same_as=None) | Q(of_members__isnull=False)
    systems = System.objects.alias(own=Subquery(own[:1]), of_members=Subquery(of_members[:1])).filter(has_row)
    for word in q.split():
        systems = systems.filter(
            Q(name__icontains=word) | Q(authors__icontains=word) | Q(citation__icontains=word) | Q(slug__icontains=word)
        )
    wanted = list(types)
    return systems.filter(type__in=wanted) if wanted else systems


def name_of_revealed(slug: str) -> str | None:
    """The current public slug of the system that had this slug as a pseudonym, if its name is revealed, or that the
    system with this slug was merged into or renamed to. Three queries."""
    behind = System.objects.behind(slug)
    named = public_systems().filter(pk=behind.pk) if behind is not None else public_systems().none()
    return named.values_list("slug", flat=True).first()


def entries_of(system: System) -> list[Entry]:
    """A system's rows, ordered by board. Two queries."""
    entries = Entry.objects.of_systems(system.slug).filter(replaced_at=None)
    entries = entries.select_related("split__benchmark", "split__current_revision", "setting")
    return list(entries.order_by("split__benchmark__position", "split__position", "setting__position", "kind"))


def results_of(system: System) -> list[dict[str, Any]]:
    """Every score of a system on its boards, under every signature, on one revision, as `ResultSerializer` shows it.
    Five queries, whatever the number of scores.

    Scores of single questions are never included.
    """
    entries = entries_of(system)
    shown = current_signatures_of(list({entry.split_id: entry.split for entry in entries}.values()))
    answer_sets = [entry.answer_set_id for entry in entries if entry.answer_set_id]
    runs = Run.objects.counting().filter(answer_set__in=answer_sets, state=RunState.DONE)
    scores: dict[object, list[Score]] = {}
    for score in (
        Score.objects.filter(run__in=on_one_revision(runs))
        .select_related("run__revision")
        # A vector has a number for each question, and only the values are shown.
        .defer("vector", "attempts", "weights")
        .order_by("run__created_at", "pk")
    ):
        scores.setdefault(score.run.answer_set_id, []).append(score)
    reported: dict[int, list[ReportedValue]] = {}
    for value in ReportedValue.objects.filter(entry__in=entries):
        reported.setdefault(value.entry_id, []).append(value)
    results = []
    for entry in entries:
        own, signatures = scores.get(entry.answer_set_id, []), shown[entry.split_id]
        # Its file may be for another revision's questions than its scores.
        # That of a part of the questions would tell which of these are in it.
        whole = own if entry.split.final is None else []
        counts = (score.n_answered for score in whole if signatures.get(score.run.name) == score.signature)
        results.append(
            {
                "benchmark": entry.split.benchmark.slug,
                "split": entry.split.slug,
                "setting": entry.setting.slug,
                "kind": entry.kind,
                "published_in": entry.source,
                "note": entry.note,
                "context_size": entry.context_size
                if entry.context_size is not None
                else system.attributes.get("context_size"),
                "n_answered": entry.n_answered if system.is_human else next(counts, entry.n_answered),
                "published_at": entry.published_at,
                "scores": _scored(own, entry.split, signatures)
                if entry.kind == EntryKind.SCORED
                else _reported(reported.get(entry.pk, []), entry.split),
            }
        )
    return results


def _scored(scores: list[Score], split: Split, shown: dict[str, str]) -> list[dict[str, Any]]:
    order = {column.score: index for index, column in enumerate(definition_on(split).columns)}
    rule = DisclosureRule.of(split)
    rows = [
        {
            "name": score.key,
            "metric": score.run.name,
            **_numbers(score, column_of(split.benchmark.slug, score.key), rule, rule.withheld(score)),
            "signature": score.signature,
            "shown": shown.get(score.run.name) == score.signature,
            "revision": score.run.revision.short_hash,
            "n_items": score.n_items,
            "scored_at": score.created_at,
        }
        for score in scores
    ]
    return sorted(rows, key=lambda row: (not row["shown"], order.get(row["name"], len(order))))


def _reported(values: list[ReportedValue], split: Split) -> list[dict[str, Any]]:
    columns = (*definition_on(split).columns, *hand_grades.COLUMNS)
    metrics = {column.score: column.metric for column in columns}
    rule = DisclosureRule.of(split)
    not_scored_here = {"signature": "", "shown": True, "revision": "", "n_items": None, "scored_at": None}
    return [
        {
            "name": value.name,
            "metric": metrics.get(value.name, ""),
            **_numbers(value, column_of(split.benchmark.slug, value.name), rule, rule.reported_withheld(value.name)),
            **not_scored_here,
        }
        for value in values
    ]


def _numbers(score: Score | ReportedValue, column: Column, rule: DisclosureRule, reason: str) -> dict[str, Any]:
    """Numbers of a value that may be shown, or the reason why they are withheld."""
    if reason:
        return {"value": None, "low": None, "high": None, "reason": reason}
    low, high = rule.ends(score.low, score.high, column)
    return {"value": rule.number(score.value, column), "low": low, "high": high, "reason": ""}
