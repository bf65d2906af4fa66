"""Warnings for maintainers about an import: what it lets readers learn of hidden splits, and what metrics misread.

Enters: a split, and what an import does to it. Leaves: sentences, without a question or an answer.
"""

from __future__ import annotations

from typing import Final

from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.copies import lost_scores
from scoring.benchmarks.leaks import warnings_of_leaks
from scoring.benchmarks.subsets import SMALLEST_HIDDEN
from scoring.importing.revisions import ImportedSplit, ImportPlan, RevisionDiff
from scoring.models import Split
from scoring.task_types import task_type_named

FEWEST: Final = SMALLEST_HIDDEN
"""With fewer questions of a hidden split in a score, or in a difference of two, readers can work out single results."""


def opened(split: str) -> str:
    """What follows if a hidden split, given by its slug, is declared as open."""
    return (
        f"The split {split} is no longer hidden: its reference answers, and the answers and results per question of "
        "published systems, become public."
    )


def warnings_of_import(split: Split, imported: ImportedSplit) -> list[str]:
    """What readers can learn after an import of the questions of a hidden split or subset, what public fields tell of
    reference answers, and what copies of these lose."""
    learnt = _warnings(split, imported.diff, imported.n_questions) if imported.made_current else []
    return [*learnt, *imported.leaks, *map(str, imported.lost)]


def warnings_of_plan(split: Split, plan: ImportPlan) -> list[str]:
    """Warnings about the hidden split of an import that is planned."""
    learnt = _warnings(split, plan.diff, plan.n_questions) if plan.becomes_current else []
    return [*learnt, *plan.leaks]


def warnings_of_declaration(definition: BenchmarkDefinition) -> list[str]:
    """Warnings about the hidden splits of a declaration, without a database."""
    packaged = definition.packaged()
    sizes = {
        split.slug: len(packaged[split.slug].source.questions) for split in definition.splits if split.slug in packaged
    }
    hidden = [split.slug for split in definition.splits if split.hidden]
    return [
        *(warning for slug in hidden if (warning := few_questions(slug, sizes.get(slug, 0)))),
        *(f"{slug}: {lost}" for slug, of in packaged.items() for lost in lost_scores(definition, of.source.questions)),
        *leaks_of_declaration(definition),
    ]


def leaks_of_declaration(definition: BenchmarkDefinition) -> list[str]:
    """What public fields of questions tell of the reference answers, as far as it is not refused."""
    hidden = {split.slug: split.hidden for split in definition.splits}
    seen = {
        slug: [question.in_split(hidden=hidden[slug]) for question in of.source.questions]
        for slug, of in definition.packaged().items()
        if slug in hidden
    }
    task = task_type_named(definition.task_type)
    opened = {slug: questions for slug, questions in seen.items() if not hidden[slug]}
    return [
        warning
        for slug, questions in seen.items()
        for warning in warnings_of_leaks(slug, questions, task, hidden=hidden[slug], others=opened)
    ]


def _warnings(split: Split, diff: RevisionDiff, n_questions: int) -> list[str]:
    if not split.is_hidden:
        return []
    return [warning for warning in (few_questions(split.slug, n_questions), few_changed(split.slug, diff)) if warning]


def few_questions(split: str, n_questions: int) -> str:
    """What readers can work out from the scores of a small hidden split; empty for a larger one.

    Args:
        split: its slug.
        n_questions: their number.
    """
    if not 0 < n_questions < FEWEST:
        return ""
    return (
        f"The hidden split {split} has {n_questions} question{'' if n_questions == 1 else 's'}. With fewer than "
        f"{FEWEST}, readers can work out from scores which questions a system answered correctly. Add questions, or "
        "publish few scores."
    )


def few_changed(split: str, diff: RevisionDiff) -> str:
    """What readers can work out from two revisions of a hidden split; empty if they differ in no or many questions.

    Only what changes results counts: questions and their reference answers.
    """
    concerned = {*diff.added, *diff.removed, *diff.answers_added, *diff.answers_changed, *diff.answers_removed}
    if not 0 < len(concerned) < FEWEST:
        return ""
    number = f"{len(concerned)} question{'' if len(concerned) == 1 else 's'}"
    return (
        f"{number} of the hidden split {split} would be new, removed, or have other reference answers. Readers who "
        "compare the boards before and after can work out how each system does on these questions alone. Change at "
        f"least {FEWEST} questions at once; import fewer only if these results may become public."
    )
