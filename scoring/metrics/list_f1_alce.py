"""Precision and recall of answer lists, as ALCE scores QAMPARI."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Final

from scoring.metrics.answer_lists import ListMetric, gold_lists, harmonic_mean
from scoring.metrics.base import ReferenceAnswer
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.text.answer_names import alce_name

ENOUGH: Final = 5
_CITATION: Final = re.compile(r" ?\[\d+")


def split_text(output: str, separator: str = ",") -> list[str]:
    """The predictions in a model's text, by ALCE's protocol.

    Only the first line counts. Citations such as ``[1]`` are removed, then points at the end, then separators at the
    end. Parts without text are left out.

    >>> split_text("Oslo [1], Rome [2][3], .\\nMore: Bern")
    ['Oslo', 'Rome']
    """
    line = output.strip().split("\n")[0].replace("<|im_end|>", "")
    line = _CITATION.sub("", line).replace(" |", "").replace("]", "")
    line = line.rstrip().rstrip(".")
    while line.endswith(separator):
        line = line.removesuffix(separator)
    return [part.strip() for part in line.split(separator) if part.strip()]


class AlceListF1(ListMetric):
    """Precision, recall and F1 of a list of answers where five right ones are enough.

    Gao et al. (2023), Enabling Large Language Models to Generate Text with Citations,
    https://aclanthology.org/2023.emnlp-main.398, section 3; the code is ``eval.py`` of
    https://github.com/princeton-nlp/ALCE, which gives the same numbers in per cent.

    References and answers: as `ListF1`. Names are compared after normalisation
    (`alce_name`); predictions that are empty after it are left out.
    Precision is the share of predictions that are an alias of any gold answer, and a repeated prediction counts each
    time; recall the share of gold answers with an alias among the predictions, so that an alias of two finds both.
    ``recall-5`` = min(5, found) / min(5, gold). ``f1`` and ``f1-5`` are the harmonic means with precision. Board values
    are means over all questions, from 0 to 1; higher is better. No answer and an empty list score 0.

    Only aliases match, not the answer's own text, unless it is among them.

    Raises:
        UnusableReference: From `prepare`, if a reference is no list of gold answers, or an empty one.

    >>> metric = AlceListF1()
    >>> prepared = metric.prepare([[{"answer_text": str(n), "aliases": [str(n)]} for n in range(10)]])
    >>> scores = metric.score(prepared, ['["1", "1", "2", "3", "4", "5", "x"]'])
    >>> scores["list-f1-alce.recall-5"].value, scores["list-f1-alce.precision"].value == 6 / 7
    (1.0, True)
    """

    name: ClassVar[str] = "list-f1-alce"
    version: ClassVar[str] = "0.6.0"
    score_names: ClassVar[tuple[str, ...]] = tuple(
        f"list-f1-alce.{part}" for part in ("precision", "recall", "recall-5", "f1", "f1-5")
    )
    label: ClassVar[str] = "List F1, ALCE"
    task_types: ClassVar[tuple[str, ...]] = ("answer-list",)
    formula: ClassVar[str] = "metrics/list_f1_alce.html"

    def __init__(self, *, enough: int = ENOUGH) -> None:
        """Count *enough* right answers as full recall; raises ValueError for fewer than 1.

        The score is called ``recall-5`` whatever the number, which is in the signature if it is not 5.
        """
        if enough < 1:
            raise ValueError(f"At least 1 right answer is needed, not {enough}.")
        self._enough = enough
        self._in_words = "five" if enough == ENOUGH else str(enough)

    def columns(self) -> tuple[Column, ...]:
        """None is shown on a hidden split: with a right answer often repeated, precision and both F1 lose nothing by
        any number of candidates."""
        n = self._enough
        recall = f"The mean recall, where {self._in_words} found answers are enough."
        parts = (
            ("recall-5", f"Recall-{n}", f"Rec-{n}", recall),
            ("f1-5", f"F1-{n}", f"F1-{n}", f"The mean F1 of precision and Recall-{n}."),
            ("precision", "Precision", "Prec", "The mean precision; repeated predictions count each time."),
            ("recall", "Recall", "Rec", "The mean share of gold answers that were found."),
            ("f1", "F1", "F1", "The mean F1 of precision and recall."),
        )
        return tuple(
            self.column(part, f"{label}, ALCE", short_label, description, group="ALCE", default=False, disclosed=False)
            for part, label, short_label, description in parts
        )

    def explanation(self) -> Explanation:
        n = self._enough
        return Explanation(
            measures=(
                f"Precision and recall as the benchmark ALCE computes them: {self._in_words} found answers are enough "
                "for full recall. There, predictions are read from the first line of a text and divided at commas."
            ),
            formula=(
                "precision = predictions that are an alias of any gold answer / predictions\n"
                f"Recall-{n} = min({n}, found) / min({n}, gold answers)\n"
                f"F1-{n} = 2 · precision · Recall-{n} / (precision + Recall-{n}), for each question; the mean over all "
                "questions"
            ),
            surprises=(
                "A repeated prediction counts each time in precision.",
                "An alias that two gold answers share finds both.",
                "If predictions are divided at commas, an answer that contains a comma cannot be found.",
            ),
            source="https://aclanthology.org/2023.emnlp-main.398/",
        )

    def signature_parts(self) -> tuple[str, ...]:
        """The normalisation, and the number of answers that are enough if it is not ALCE's."""
        return ("normalise:alce", *(() if self._enough == ENOUGH else (f"enough:{self._enough}",)))

    def prepare(self, references: Sequence[ReferenceAnswer]) -> tuple[tuple[frozenset[str], ...], ...]:
        """For each question the normalised aliases of each gold answer."""
        return tuple(
            tuple(frozenset(map(alce_name, answer.aliases)) for answer in reference)
            for reference in gold_lists(references)
        )

    def question_scores(self, gold: tuple[frozenset[str], ...], predictions: list[str]) -> tuple[float, ...]:
        names = [name for name in map(alce_name, predictions) if name]
        predicted = set(names)
        known = frozenset[str]().union(*gold)
        n_matched = sum(not answer.isdisjoint(predicted) for answer in gold)
        precision = sum(name in known for name in names) / len(names) if names else 0.0
        recall = n_matched / len(gold)
        recall_5 = min(self._enough, n_matched) / min(self._enough, len(gold))
        return precision, recall, recall_5, harmonic_mean(precision, recall), harmonic_mean(precision, recall_5)
