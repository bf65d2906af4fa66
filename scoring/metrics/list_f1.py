"""Precision, recall and F1 of answer lists, with the numbers of QAMPARI's published scorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import ClassVar, Final

from scoring.metrics.answer_lists import (
    GoldAnswer,
    ListMetric,
    gold_lists,
    harmonic_mean,
    predictions_of,
    short_share,
)
from scoring.metrics.base import ReferenceAnswer
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.text.answer_names import qampari_name

MIN_F1: Final = 0.5
MIN_RECALL: Final = 0.8


class ListF1(ListMetric):
    r"""Precision, recall and F1 of a list of answers, each with aliases.

    Amouyal et al. (2023), QAMPARI: A Benchmark for Open-domain Questions with Many Answers,
    https://aclanthology.org/2023.gem-1.8, section 4.2; the code is ``models/evaluation/reader_metrics.py`` of
    https://github.com/samsam3232/qampari.

    References: shape ``(n,)``, each a list of gold answers (`answer_lists`). Answers: shape
    ``(n,)``, JSON arrays of texts, or ``None``. A prediction matches a gold answer if it equals one of its aliases
    after normalisation (`qampari_name`). With *m* the number of matched gold
    answers: precision = m / number of different predictions, recall = m / number of gold answers, F1 their harmonic
    mean. ``f1_above`` is 1 where F1 ≥ 0.5, ``rec_above`` where recall ≥ 0.8. Board values are means over all
    questions, from 0 to 1; higher is better. No answer and an empty list score 0, where the published code divides by
    zero.

    Surprises of the published code, which the published numbers contain, besides those of the `explanation`:

    - Names that differ only before normalisation count for the one whose spelling comes first.
    - Gold answers with the same text are one answer with the last one's aliases, but count separately in recall.
    - A prediction that is empty after normalisation (“The”, “!”) matches an alias that is (“A”).

    Raises:
        UnusableReference: From `prepare`, if a reference is no list of gold answers, or an empty one.

    >>> metric = ListF1()
    >>> prepared = metric.prepare([[{"answer_text": "Oslo", "aliases": ["Oslo"]}, {"answer_text": "X", "aliases": []}]])
    >>> scores = metric.score(prepared, ['["the OSLO!", "Rome"]'])
    >>> scores["list-f1.precision"].value, scores["list-f1.recall"].value
    (0.5, 0.5)
    """

    name: ClassVar[str] = "list-f1"
    version: ClassVar[str] = "0.6.0"
    score_names: ClassVar[tuple[str, ...]] = tuple(
        f"list-f1.{part}" for part in ("precision", "recall", "f1", "f1_above", "rec_above")
    )
    label: ClassVar[str] = "List F1"
    task_types: ClassVar[tuple[str, ...]] = ("answer-list", "judged-list")
    by_default: ClassVar[bool] = True
    formula: ClassVar[str] = "metrics/list_f1.html"

    def __init__(self, *, min_f1: float = MIN_F1, min_recall: float = MIN_RECALL) -> None:
        """Count questions from other thresholds on than QAMPARI's; raises ValueError if one is no share."""
        if not (0 <= min_f1 <= 1 and 0 <= min_recall <= 1):
            raise ValueError(f"Thresholds are shares from 0 to 1, not {min_f1} and {min_recall}.")
        self.min_f1 = min_f1
        self.min_recall = min_recall

    def columns(self) -> tuple[Column, ...]:
        """The columns of the five scores. Precision and recall are not shown on a hidden split."""
        f1, recall = f"F1 ≥ {short_share(self.min_f1)}", f"≥ {short_share(self.min_recall)}"
        f1_above = f"The share of questions with an F1 of at least {self.min_f1:g}."
        recall_above = f"The share of questions with a recall of at least {self.min_recall:g}."
        found = "The mean share of a question's gold answers that were found."
        right = "The mean share of a question's predictions that are gold answers."
        return (
            self.column(
                "f1",
                "F1",
                "F1",
                "The mean F1 of precision and recall; a gold answer is found if one of its aliases is a prediction.",
            ),
            self.column("f1_above", f"%{f1}", f"%{f1}", f1_above),
            self.column("recall", "Recall", "Rec", found, disclosed=False),
            self.column("rec_above", f"%Recall {recall}", f"%Rec {recall}", recall_above, disclosed=False),
            self.column("precision", "Precision", "Prec", right, disclosed=False),
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "Measures how many of a question's gold answers are among the system's predictions. A gold answer is "
                "found if a prediction equals one of its aliases after both are lower-cased and stripped of "
                "punctuation and of the words a, an and the. The scores are identical to those of the published scorer."
            ),
            formula=(
                "recall = found / gold answers\n"
                "precision = found / different predictions\n"
                "F1 = 2 · precision · recall / (precision + recall), for each question; the mean over all questions\n"
                f"F1 ≥ {short_share(self.min_f1)} and recall ≥ {short_share(self.min_recall)}: the share of questions"
            ),
            surprises=(
                "Predictions are different by their exact text: “Oslo” and “oslo” count as two in precision.",
                "Only aliases match; the answer's own text does not, unless it is among them.",
                "An alias of several gold answers counts for the last one only.",
                (
                    "F1 is computed from rounded precision and recall: 21 of 60 predictions and of 24 gold answers "
                    "gives 0.4999999999999999, which is not ≥ .5."
                ),
                "A correct answer that is not among the gold answers lowers precision.",
                "An unanswered question and an empty list score 0 and count.",
            ),
            source="https://aclanthology.org/2023.gem-1.8/",
        )

    def signature_parts(self) -> tuple[str, ...]:
        """The normalisation, the package that knows its word boundaries, and the thresholds that are not QAMPARI's."""
        given = (("min-f1", self.min_f1, MIN_F1), ("min-recall", self.min_recall, MIN_RECALL))
        thresholds = (f"{name}:{value!r}" for name, value, usual in given if value != usual)
        return ("normalise:qampari", f"regex:{version('regex')}", *thresholds)

    def prepare(self, references: Sequence[ReferenceAnswer]) -> tuple[tuple[Mapping[str, str], int], ...]:
        """For each question, the gold answer that each normalised alias counts for, and the number of gold answers."""
        return tuple((_names(gold), len(gold)) for gold in gold_lists(references))

    def question_scores(self, gold: tuple[Mapping[str, str], int], predictions: list[str]) -> tuple[float, ...]:
        names, n_gold = gold
        different = set(predictions)
        matched = {names[name] for name in map(qampari_name, different) if name in names}
        precision = len(matched) / len(different) if different else 0.0
        recall = len(matched) / n_gold
        f1 = harmonic_mean(precision, recall)
        return precision, recall, f1, float(f1 >= self.min_f1), float(recall >= self.min_recall)

    def explain(
        self, reference: ReferenceAnswer, generation: str | None
    ) -> tuple[list[tuple[str, list[str]]], list[tuple[str, bool]]]:
        """Each gold answer of one reference with the predictions that found it; and each prediction, with whether it
        found one.

        Of gold answers with the same text only the last is found, as it counts once.

        Raises:
            UnusableReference: If the reference is no list of gold answers.
            ValueError: If the answer is no JSON array of strings.
        """
        (gold,) = gold_lists([reference])
        names = _names(gold)
        predictions = predictions_of(generation)
        matched = [names.get(qampari_name(prediction)) for prediction in predictions]
        last = {answer.text: index for index, answer in enumerate(gold)}
        by: dict[str, list[str]] = {text: [] for text in last}
        for prediction, match in zip(predictions, matched, strict=True):
            if match is not None:
                by[match].append(prediction)
        return (
            [(answer.text, by[answer.text] if last[answer.text] == index else []) for index, answer in enumerate(gold)],
            [(prediction, match is not None) for prediction, match in zip(predictions, matched, strict=True)],
        )


def _names(gold: Sequence[GoldAnswer]) -> dict[str, str]:
    """Gold answer that each normalised alias counts for: the last with that spelling, of the first spelling."""
    by_text = {answer.text: answer.aliases for answer in gold}
    by_alias = {alias: text for text, aliases in by_text.items() for alias in aliases}
    names: dict[str, str] = {}
    for alias, text in by_alias.items():
        names.setdefault(qampari_name(alias), text)
    return names
