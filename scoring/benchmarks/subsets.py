"""Subsets of splits: some questions of a split with reference answers of their own.

The boards of a split show each metric once more for each of its subsets, under a name of its own
(``list-f1@extended``), with a signature, runs, scores and columns of its own. Metrics that ask a judge are not computed
on subsets, because each verdict costs money.

Of a split that keeps a part for the end, boards show the metrics once more on all questions (``list-f1@whole``), as
soon as they rank by that part. These have no further verdicts, so that judges are included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

from scoring.benchmarks.base import BenchmarkDefinition
from scoring.benchmarks.columns import JUDGES
from scoring.benchmarks.names import on_subset

if TYPE_CHECKING:
    from scoring.benchmarks.form import SubsetTable

SMALLEST_HIDDEN: Final = 50
"""The smallest number of questions in a subset of a hidden split, and outside it unless it has all questions: with
fewer, readers could work out from its scores which questions a system answered correctly."""
PARTS_EXPECTED: Final = (
    f"none or at least {SMALLEST_HIDDEN} questions in each part into which subsets divide a hidden split"
)


WHOLE: Final = "whole"
"""In names of scores on all questions of a split whose boards rank by a part of them."""
WHOLE_NAME: Final = "All questions"


def keeps_final(definition: BenchmarkDefinition, split: str) -> bool:
    """Whether a split keeps a part of its questions for the end."""
    return any(declared.slug == split and declared.final is not None for declared in definition.splits)


def names_of_subsets(definition: BenchmarkDefinition, split: str) -> dict[str, str]:
    """By slug, the names of what boards of a split may show its metrics on once more."""
    names = {subset.slug: subset.name for subset in subsets_of(definition, split)}
    return names | ({WHOLE: WHOLE_NAME} if keeps_final(definition, split) else {})


def subsets_of(definition: BenchmarkDefinition, split: str) -> tuple[SubsetTable, ...]:
    """The subsets of a split, given by its slug."""
    return tuple(subset for subset in definition.subsets if subset.split == split)


def on_split(
    definition: BenchmarkDefinition, split: str, sizes: Mapping[str, int] | None = None
) -> BenchmarkDefinition:
    """The definition as the boards of a split show it: with the metrics and columns of the split's subsets.

    Args:
        definition: of a benchmark.
        split: the split's slug.
        sizes: by slug, the numbers of questions of the subsets to include, for the headings above their columns; by
            default all subsets, without numbers.
    """
    metrics, columns = definition.metrics, definition.columns
    for slug, name in names_of_subsets(definition, split).items():
        if sizes is not None and slug not in sizes:
            continue
        heading = name if sizes is None else f"{name} ({sizes[slug]:,} questions)"
        computed = [metric for metric in definition.metrics if slug == WHOLE or metric not in JUDGES]
        metrics += tuple(on_subset(metric, slug) for metric in computed)
        columns += tuple(
            replace(
                column,
                score=on_subset(column.score, slug),
                metric=on_subset(column.metric, slug),
                label=f"{column.label}, {name.lower() if slug == WHOLE else name}",
                # Those that are shown by default are one group, whose heading names the subset.
                group=heading if column.default else f"{heading}, {column.group}",
                description=f"{name}: {column.description}" if column.description else "",
            )
            for column in definition.columns
            if column.metric in computed
        )
    return definition if metrics == definition.metrics else replace(definition, metrics=metrics, columns=columns)


def refusal(subset: Collection[str], split: Container[str], n_split: int, *, hidden: bool) -> tuple[list[str], str]:
    """What is wrong with the questions of a subset: the ids that its split does not have, and why its size is refused.

    >>> refusal(["a", "x"], {"a", "b"}, 2, hidden=False)
    (['x'], '')
    """
    strangers: Sequence[str] = [qid for qid in subset if qid not in split]
    rest = n_split - len(subset)
    if not hidden or rest == 0 or min(len(subset), rest) >= SMALLEST_HIDDEN:
        return list(strangers), ""
    expected = f"at least {SMALLEST_HIDDEN} questions inside and outside, or all, because the split is hidden"
    return list(strangers), f"{len(subset)} of {n_split} questions, expected {expected}"


def small_parts(split: Collection[str], subsets: Mapping[str, Collection[str]]) -> list[tuple[str, str]]:
    """Why the subsets of a hidden split are refused together: each time the last subset concerned, and what is wrong.

    The scores of two subsets that differ in one question tell its outcome: fifty-one times the one less fifty times the
    other. So each part into which the subsets divide the split has no question, or at least `SMALLEST_HIDDEN`, or
    all.

    >>> first, second = [f"q-{number}" for number in range(50)], [f"q-{number}" for number in range(51)]
    >>> small_parts([f"q-{number}" for number in range(200)], {"first": first, "second": second})[0][1]
    'a part of 1 of 200 questions, in second (51) but not in first (50)'
    >>> small_parts([f"q-{number}" for number in range(200)], {"first": first})
    []
    """
    groups = [*combinations(subsets, 1), *combinations(subsets, 2), *([tuple(subsets)] if len(subsets) > 2 else [])]
    reasons: list[tuple[str, str]] = []
    named: set[str] = set()
    for group in groups:
        if not named.isdisjoint(group):
            continue  # the parts of a larger group are smaller
        members = {slug: set(subsets[slug]) for slug in group}
        parts = Counter(tuple(slug for slug in group if qid in members[slug]) for qid in split)
        small = [(size, part) for part, size in parts.items() if size < min(SMALLEST_HIDDEN, len(split))]
        if small:
            size, part = min(small)
            named.update(group)
            inside = " and ".join(f"{slug} ({len(members[slug])})" for slug in part)
            outside = " and ".join(f"{slug} ({len(members[slug])})" for slug in group if slug not in part)
            where = " but ".join([f"in {inside}"] * bool(inside) + [f"not in {outside}"] * bool(outside))
            reasons.append((group[-1], f"a part of {size:,} of {len(split):,} questions, {where}"))
    return reasons
