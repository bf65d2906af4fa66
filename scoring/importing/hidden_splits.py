"""Warnings for maintainers about an import: what it lets readers learn of hidden splits, and what metrics misread.

The warnings quote no question and no answer.
"""

from __future__ import annotations

from scoring.benchmarks.declared.warnings import FEWEST, few_questions
from scoring.importing.revisions import ImportedSplit, ImportPlan, RevisionDiff
from scoring.models import Split


def opened(split: str) -> str:
    """Warning of what follows if a hidden split, given by its slug, is declared as open."""
    return (
        f"The split {split} is no longer hidden: its reference answers, and the answers and results per question of "
        "published systems, become public."
    )


def warnings_of_import(split: Split, imported: ImportedSplit) -> list[str]:
    """Warnings of what readers can learn after an import of the questions of a hidden split or subset, what public
    fields tell of reference answers, and what copies of these lose."""
    return [*warnings_of_plan(split, imported), *map(str, imported.lost)]


def warnings_of_plan(split: Split, plan: ImportPlan) -> list[str]:
    """Warnings about the hidden split of an import that is planned."""
    few = few_questions(split.slug, plan.n_questions), few_changed(split.slug, plan.diff)
    return [*(filter(None, few) if split.is_hidden and plan.becomes_current else ()), *plan.leaks]


def few_changed(split: str, diff: RevisionDiff) -> str:
    """Warning of what readers can work out from two revisions of a hidden split; empty if they differ in no or many
    questions.

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
