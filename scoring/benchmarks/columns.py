"""The columns that each metric gives a leaderboard, for benchmarks that do not declare others.

Enters: names of metrics. Leaves: their columns, in the order of the metrics.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from scoring.benchmarks.base import ColumnDefinition

ROUGE_OVERLAPS = (("1", "single words"), ("2", "word pairs"), ("L", "the longest common word sequence"))
ROUGE_PARTS = (
    ("fscore", "F1", "between answer and reference, F1 of precision and recall."),
    ("precision", "precision", "with the reference, as a share of the answer."),
    ("recall", "recall", "with the answer, as a share of the reference."),
)


def _rouge() -> tuple[ColumnDefinition, ...]:
    """Nine columns, metric by metric; F1 alone is shown by default."""
    return tuple(
        ColumnDefinition(
            score=f"rouge{kind}.{part}",
            metric="rouge",
            label=f"ROUGE-{kind} {label}",
            short_label=f"R-{kind}",
            group=f"ROUGE ({label})",
            description=f"ROUGE-{kind}: overlap of {what} {how}",
            default=part == "fscore",
            disclosed=part == "fscore",
        )
        for part, label, how in ROUGE_PARTS
        for kind, what in ROUGE_OVERLAPS
    )


LIST_SCORES: Final = {
    "precision": ("Precision", "P", "The mean share of the listed answers that are right."),
    "recall": ("Recall", "R", "The mean share of the gold answers that are listed."),
    "f1": ("F1", "F1", "The mean over questions of the harmonic mean of precision and recall."),
    "f1_above": ("F1 of 0.5 or more", "F1≥.5", "The share of questions with an F1 of at least 0.5."),
    "rec_above": ("Recall of 0.8 or more", "R≥.8", "The share of questions with a recall of at least 0.8."),
    "recall-5": ("Recall-5", "R-5", "As recall, where five right answers are enough."),
    "f1-5": ("F1-5", "F1-5", "The mean of the harmonic mean of precision and recall-5."),
}


def _lists(metric: str, group: str, parts: tuple[str, ...], *, default: bool = True) -> tuple[ColumnDefinition, ...]:
    """The columns of a metric of answer lists. On a hidden split, only F1 and its like are shown."""
    return tuple(
        ColumnDefinition(
            score=f"{metric}.{part}",
            metric=metric,
            label=LIST_SCORES[part][0],
            short_label=LIST_SCORES[part][1],
            group=group,
            description=LIST_SCORES[part][2],
            default=default,
            disclosed=part not in ("precision", "recall"),
        )
        for part in parts
    )


_PARTS: Final = ("f1", "precision", "recall", "f1_above", "rec_above")

COLUMNS: Final[Mapping[str, tuple[ColumnDefinition, ...]]] = {
    "accuracy": (
        ColumnDefinition(
            "loose",
            "accuracy",
            "Loose accuracy",
            "Loose",
            "String accuracy",
            "The mean share of a question's reference strings that occur in the answer.",
        ),
        ColumnDefinition(
            "strict",
            "accuracy",
            "Strict accuracy",
            "Strict",
            "String accuracy",
            "The share of questions for which every reference string occurs in the answer.",
        ),
    ),
    "accuracy-repaired": (
        ColumnDefinition(
            "repaired.loose",
            "accuracy-repaired",
            "Loose accuracy, repaired",
            "Loose",
            "Accuracy, repaired",
            "The mean share of a question's reference strings that a careful reader would find in the answer.",
            default=False,
        ),
        ColumnDefinition(
            "repaired.strict",
            "accuracy-repaired",
            "Strict accuracy, repaired",
            "Strict",
            "Accuracy, repaired",
            "The share of questions for which a careful reader would find every reference string in the answer.",
            default=False,
        ),
    ),
    "rouge": _rouge(),
    "bleurt": (
        ColumnDefinition(
            "bleurt",
            "bleurt",
            "BLEURT",
            "BLEURT",
            "Model-based",
            "Model-based similarity of answer and reference (BLEURT-20).",
        ),
    ),
    "judge": (
        ColumnDefinition(
            "judge",
            "judge",
            "GPT judge",
            "Judge",
            "Model-based",
            (
                "The share of answers that a language model, used as judge, considers factually equivalent to the "
                "reference."
            ),
        ),
    ),
    "list-f1": _lists("list-f1", "Answer lists", _PARTS),
    "list-f1-repaired": _lists("list-f1-repaired", "Answer lists, repaired", _PARTS, default=False),
    "list-f1-alce": _lists(
        "list-f1-alce", "Answer lists (ALCE)", ("f1-5", "precision", "recall-5", "recall", "f1"), default=False
    ),
}
"""By metric."""


def columns_of(metrics: Iterable[str]) -> tuple[ColumnDefinition, ...]:
    """The columns of some metrics; none for a metric whose columns its benchmarks declare."""
    return tuple(column for metric in metrics for column in COLUMNS.get(metric, ()))
