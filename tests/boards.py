"""Boards of any size, for looking at and for measuring: systems whose scores are drawn, not computed.

Also boards as they are once a worker has written them.

For what a metric gives, see `tests.factories.scored`; here only the shape of the data is real.
"""

import uuid
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from leaderboard.board import standings, table
from leaderboard.board import write as writing
from leaderboard.board.table import Board, BoardParams, StoredBoard
from leaderboard.models import BoardDocument, BoardSnapshot, Entry, EntryKind, System, SystemType
from scoring import benchmarks
from scoring.benchmarks import definition_of
from scoring.benchmarks.names import parts_of
from scoring.metrics.asking.config import NO_JUDGE
from scoring.models import AnswerSet, CurrentSignature, Run, Score, Setting, Split, vector_bytes
from scoring.models.run_states import RunState
from scoring.queries import target_signatures

CONTEXT_SIZES = (4096, 8192, 16384, 32768, 128000, 200000, None)


def declare(monkeypatch: pytest.MonkeyPatch, *scores: str, **changes: Any) -> None:
    """Declare these columns of the site's first benchmark otherwise; all of them without a score."""
    known = dict(benchmarks.packaged_definitions())
    slug, first = next(iter(known.items()))
    columns = (replace(one, **changes) if one.score in scores or not scores else one for one in first.columns)
    known[slug] = replace(first, columns=tuple(columns))
    monkeypatch.setattr(benchmarks, "packaged_definitions", lambda: known)


def write() -> None:
    """Write the document of every board anew, whether or not its fingerprint says that it is due: a test may have
    changed what only workers write. No statistics are computed."""
    BoardDocument.objects.update(fingerprint="")
    writing.write_all((split.pk, setting.pk) for split, setting in standings.boards())


def refresh() -> int:
    """Update every board whose content is outdated or which lacks statistics, however lately it was checked; returns
    how many."""
    return sum(writing.attempt(standings.refresh, split, setting) for split, setting in standings.boards())


def find(split: Split, setting: Setting) -> StoredBoard:
    """A board as pages find it, with its document as it is now."""
    BoardDocument.objects.filter(split=split, setting=setting).update(fingerprint="")
    writing.write(split, setting)
    found = writing.open_board(split.benchmark.slug, split.slug, setting.slug)
    assert found is not None
    return found


def take_state(split: Split, setting: Setting) -> BoardSnapshot | None:
    """A dated state of what a board shows now, complete or not; nothing of a board without rows."""
    found = find(split, setting)
    shown = table.board_for(found)
    assert found.document is not None
    return writing.take_snapshot(split, setting, found.document.fingerprint) if not shown.empty else None


def board_for(split: Split, setting: Setting, params: BoardParams = BoardParams(), *, paged: bool = True) -> Board:  # noqa: B008
    """A board as it is once a worker has written it."""
    return table.board_for(find(split, setting), params, paged=paged)


def fill(
    split: Split, setting: Setting, n_systems: int, *, seed: int = 0, prefix: str = "System", with_vectors: bool = True
) -> list[Entry]:
    """*n_systems* rows on a board, each with a score in every column, drawn around a strength of its own.

    Questions are as hard for all systems alike, so that differences are paired as they are in life. The newest
    tenth lacks a judge's score (it was not configured). The same seed gives the same board. Boards filled with the
    same prefix are of the same systems. Without vectors there is less to write, and no statistics can be computed.
    """
    random = np.random.default_rng(seed)
    revision = split.current_revision
    assert revision is not None
    n_questions = revision.questions.count()
    definition = definition_of(split.benchmark.slug)
    signatures = target_signatures(split)
    for name, signature in signatures.items():
        metric, subset = parts_of(name)
        defaults = {"signature": signature}
        CurrentSignature.objects.get_or_create(split=split, metric=metric, subset=subset, defaults=defaults)
    difficulty = random.normal(0, 1, n_questions)
    systems, sets, runs, scores, entries = [], [], [], [], []
    known = System.objects.in_bulk([f"{prefix.lower()}-{index + 1}" for index in range(n_systems)], field_name="slug")
    now = timezone.now()
    for index in range(n_systems):
        strength = random.normal(0, 0.7)
        name = f"{prefix} {index + 1}"
        slug = f"{prefix.lower()}-{index + 1}"
        system = known.get(slug) or System(
            slug=slug,
            name=name,
            authors="Ada Lovelace, Grace Hopper and others",
            citation=f"Lovelace et al., {2020 + index % 7}",
            url="https://example.org/",
            type=SystemType.values[index % len(SystemType.values)],
            attributes=({"context_size": context} if (context := CONTEXT_SIZES[index % len(CONTEXT_SIZES)]) else {})
            | ({} if index % 3 == 2 else {"trained_for_function_calling": index % 3 == 0}),
        )
        answer_set = AnswerSet(id=uuid.uuid4(), split=split, setting=setting)
        n_answered = n_questions - index % 9 * n_questions // 100  # scores of a hidden split are shown of so many
        no_judge = index >= n_systems - n_systems // 10
        for metric in definition.metrics:
            parked = metric == "judge" and no_judge
            run = Run(
                id=uuid.uuid4(),
                answer_set=answer_set,
                revision=revision,
                metric=metric,
                signature=signatures[metric],
                state=RunState.NOT_CONFIGURED if parked else RunState.DONE,
                reason=NO_JUDGE if parked else "",
                started_at=now,
                finished_at=now,
            )
            runs.append(run)
            for column in definition.columns:
                if column.metric != metric or parked:
                    continue
                chance = 1 / (1 + np.exp(-(strength - difficulty)))
                whole = column.score.endswith("strict") or metric == "judge"
                vector = (
                    (random.random(n_questions) < chance * 0.6).astype(float)
                    if whole
                    else np.clip(chance + random.normal(0, 0.15, n_questions), 0, 1)
                )
                scores.append(
                    Score(
                        run=run,
                        name=column.score,
                        value=float(vector.mean()),
                        vector=vector_bytes(vector if with_vectors else vector[:0]),
                        n_items=n_questions,
                        n_answered=n_answered,
                        signature=signatures[metric],
                    )
                )
        systems.append(system)
        sets.append(answer_set)
        entries.append(
            Entry(
                system=system,
                split=split,
                setting=setting,
                kind=EntryKind.SCORED,
                answer_set=answer_set,
                n_answered=n_answered,
            )
        )
    System.objects.bulk_create([system for system in systems if system.pk is None])
    AnswerSet.objects.bulk_create(sets)
    Run.objects.bulk_create(runs, batch_size=1000)
    Score.objects.bulk_create(scores, batch_size=500)
    return Entry.objects.bulk_create(entries, batch_size=1000)
