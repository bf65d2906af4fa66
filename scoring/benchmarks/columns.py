"""The columns that each metric gives a leaderboard, for benchmarks that do not declare others.

Enters: names of metrics. Leaves: their columns, in the order of the metrics.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from scoring.benchmarks.base import ColumnDefinition
from scoring.metrics.passage_recall import CUTOFFS
from scoring.task_types import installed

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


def _lists(metric: str, group: str, suffix: str, *, default: bool) -> tuple[ColumnDefinition, ...]:
    """The five columns of a metric of lists. Precision and recall are not shown on a hidden split."""
    found = {
        "list-f1": "a gold answer is found if one of its aliases is a prediction",
        "list-f1-repaired": "as a careful reader would count",
    }[metric]
    parts = (
        ("f1", "F1", "F1", f"The mean F1 of precision and recall; {found}."),
        ("f1_above", "%F1 ≥ .5", "%F1 ≥ .5", "The share of questions with an F1 of at least 0.5."),
        ("recall", "Recall", "Rec", "The mean share of a question's gold answers that were found."),
        ("rec_above", "%Recall ≥ .8", "%Rec ≥ .8", "The share of questions with a recall of at least 0.8."),
        ("precision", "Precision", "Prec", "The mean share of a question's predictions that are gold answers."),
    )
    return tuple(
        ColumnDefinition(
            score=f"{metric}.{part}",
            metric=metric,
            label=f"{label}{suffix}",
            short_label=short,
            group=group,
            description=description,
            default=default,
            disclosed=part in ("f1", "f1_above"),
        )
        for part, label, short, description in parts
    )


def _alce_columns() -> tuple[ColumnDefinition, ...]:
    parts = (
        ("recall-5", "Recall-5, ALCE", "Rec-5", "The mean recall, where five found answers are enough."),
        ("f1-5", "F1-5, ALCE", "F1-5", "The mean F1 of precision and Recall-5."),
        ("precision", "Precision, ALCE", "Prec", "The mean precision; repeated predictions count each time."),
        ("recall", "Recall, ALCE", "Rec", "The mean share of gold answers that were found."),
        ("f1", "F1, ALCE", "F1", "The mean F1 of precision and recall."),
    )
    return tuple(
        ColumnDefinition(
            score=f"list-f1-alce.{part}",
            metric="list-f1-alce",
            label=label,
            short_label=short,
            group="ALCE",
            description=description,
            default=False,
            disclosed=part in ("f1", "f1-5"),
        )
        for part, label, short, description in parts
    )


def _passage_columns() -> tuple[ColumnDefinition, ...]:
    """Recall among the first K passages. None is shown on a hidden split: long passages lose nothing in recall."""
    parts = (
        ("arecall", "ARecall", "Recall of answers", "gold answers that one of the first {} passages contains."),
        ("erecall", "ERecall", "Recall of evidence", "passages of evidence that are among the first {} passages."),
        (
            "arecall-aliases",
            "ARecall with aliases",
            "Recall of answers, aliases",
            "gold answers of which one of the first {} passages contains a name.",
        ),
    )
    return tuple(
        ColumnDefinition(
            score=f"{part}.{cutoff}",
            metric="passage-recall",
            label=f"{name}@{cutoff}",
            short_label=f"@{cutoff}",
            group=group,
            description=f"The mean share of a question's {description.format(cutoff)}",
            default=False,
            disclosed=False,
        )
        for part, name, group, description in parts
        for cutoff in CUTOFFS
    )


def _judged_lists() -> tuple[ColumnDefinition, ...]:
    """The columns of the judge of lists. Only F1 is shown on a hidden split: a long list loses nothing in recall, and
    the recomputed F1 would reveal which answers are numbers."""
    parts = (
        ("f1", "Judged F1", "F1", "The mean F1 of precision and recall; a language model counts the correct answers."),
        (
            "recall",
            "Judged recall",
            "Rec",
            "The mean share of a question's gold answers that the judge found.",
        ),
        (
            "precision",
            "Judged precision",
            "Prec",
            "The mean share of a question's answers that the judge accepted.",
        ),
        (
            "f1-recomputed",
            "Judged F1, numbers recomputed",
            "F1*",
            "F1 with the similarity of two numbers computed by code where the judge calculated it.",
        ),
    )
    return tuple(
        ColumnDefinition(
            score=f"list-judge.{part}",
            metric="list-judge",
            label=label,
            short_label=short,
            group="Judge of lists",
            description=description,
            default=part != "f1-recomputed",
            disclosed=part == "f1",
        )
        for part, label, short, description in parts
    )


def _compared_answers() -> tuple[ColumnDefinition, ...]:
    parts = (
        (
            "win-rate",
            "Win rate",
            "Wins",
            "The share of comparisons with the baseline that the system wins, in both orders; a tie is half a win.",
        ),
        ("score", "Mean score", "Score", "The judge's mean score of the answers, of at most 100, in both orders."),
    )
    return tuple(
        ColumnDefinition(
            score=f"side-by-side.{part}",
            metric="side-by-side",
            label=label,
            short_label=short,
            group="Compared with the baseline",
            description=description,
        )
        for part, label, short, description in parts
    )


GRADED: Final = ("graded.loose", "graded.strict")
"""The scores of answers that people graded by hand, which reported rows of every benchmark may have."""
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
    "list-f1": _lists("list-f1", "List F1", "", default=True),
    "list-f1-repaired": _lists("list-f1-repaired", "List F1, repaired", ", repaired", default=False),
    "list-f1-alce": _alce_columns(),
    "list-judge": _judged_lists(),
    "passage-recall": _passage_columns(),
    "side-by-side": _compared_answers(),
}
"""By metric."""


def columns_of(metrics: Iterable[str]) -> tuple[ColumnDefinition, ...]:
    """The columns of some metrics; none for a name that no metric has."""
    return tuple(column for metric in metrics for column in COLUMNS.get(metric) or _installed(metric))


def shown_when_hidden(metric: str, score: str) -> bool:
    """Whether a hidden split shows a score of a metric unless a declaration says otherwise: as its usual column says.

    >>> shown_when_hidden("list-f1", "list-f1.f1"), shown_when_hidden("list-f1", "list-f1.precision")
    (True, False)
    """
    return any(column.score == score and column.disclosed for column in columns_of([metric]))


def never_shown_when_hidden(metric: str, score: str) -> bool:
    """Whether no declaration can have a hidden split show a score. Of metrics from packages nothing is known: there, a
    declaration decides."""
    return metric in COLUMNS and not shown_when_hidden(metric, score)


def undisclosed_scores(metrics: Iterable[str], columns: Iterable[ColumnDefinition]) -> frozenset[str]:
    """The scores that a hidden split does not show: those of columns that say so, and those without a column of their
    own whose usual column says so.

    Args:
        metrics: the names of a benchmark's metrics.
        columns: the benchmark's columns.
    """
    own = {column.score: column.disclosed for column in columns}
    usual = {column.score: column.disclosed for column in columns_of(metrics)}
    return frozenset(score for score, disclosed in (usual | own).items() if not disclosed)


def with_parameters(text: str, parameters: Mapping[str, Any]) -> str:
    """A text about a metric of lists with a benchmark's thresholds instead of the usual ones.

    >>> with_parameters("%Recall ≥ .8: a recall of at least 0.8", {"min_recall": 0.95})
    '%Recall ≥ .95: a recall of at least 0.95'
    """
    for name, usual in (("min_f1", "5"), ("min_recall", "8")):
        if name in parameters:
            share = f"{parameters[name]:g}"
            text = text.replace(f"≥ .{usual}", f"≥ {share.removeprefix('0') or share}")
            text = text.replace(f"at least 0.{usual}", f"at least {share}")
    if "enough" in parameters:
        enough = parameters["enough"]
        text = re.sub(r"\b(Recall|Rec|F1)-5\b", rf"\1-{enough}", text).replace("min(5,", f"min({enough},")
        text = text.replace("five found answers", f"{enough} found answers")
    return text


def _installed(metric: str) -> tuple[ColumnDefinition, ...]:
    """The columns of a metric from an installed package: its scores. A hidden split shows the first one alone, until a
    declaration says otherwise, because nothing is known of the others."""
    found = installed().metrics.get(metric)
    scores = found.metric.score_names if found is not None else ()
    label = found.label if found is not None else ""
    return tuple(
        ColumnDefinition(
            score=score,
            metric=metric,
            label=f"{label}, {score.removeprefix(f'{metric}.')}" if len(scores) > 1 else label,
            short_label=score.removeprefix(f"{metric}.") if len(scores) > 1 else label,
            group=label,
            description="",
            disclosed=score == scores[0],
        )
        for score in scores
    )
