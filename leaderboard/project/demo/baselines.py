"""The demo's baselines: answers made without reading an article.

Enters: the questions of a split, and for some baselines the reference answers of an open split. Leaves: generations
files with the seconds that each answer took.
"""

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.models import SystemType
from scoring.analysis.explanations import QuestionItems, explaining_metric
from scoring.models import Question, Split
from scoring.registry import task_type_of

MOST_FREQUENT: Final = 10
References = Mapping[str, Sequence[str]]
"""By id of a question, the items of its reference answer."""


@dataclass(frozen=True)
class Baseline:
    """A system that answers a question from itself, its titles of evidence, and the references of other questions."""

    name: str
    does: str
    """How it answers, after "it answers with"."""
    answer: Callable[[Question, References], Sequence[str]]
    """The items of an answer."""
    separator: str = ", "
    """Between the items, where answers are texts."""

    @property
    def system(self) -> dict[str, str]:
        """Its metadata in the submission form."""
        return {
            "name": self.name,
            "authors": "The Manyhop demo",
            "type": SystemType.OTHER,
            "trained_for_function_calling": "false",
            "details": f"A baseline that reads no articles: it answers with {self.does}. Part of the demo data.",
        }


def titles_of(question: Question) -> list[str]:
    """The titles of the articles with evidence, each once."""
    return list(dict.fromkeys(str(page["title"]) for page in question.evidence if page.get("title")))


def most_frequent(question: Question, references: References) -> list[str]:
    """The most frequent items of the other questions' references."""
    others = (dict.fromkeys(items) for qid, items in references.items() if qid != question.qid)
    return [item for item, _ in Counter(item for items in others for item in items).most_common(MOST_FREQUENT)]


def of_another_question(question: Question, references: References) -> Sequence[str]:
    """The reference of another question, a different one for each question."""
    order = sorted(references)
    random.Random(0).shuffle(order)  # noqa: S311 - the same order each time
    return references[order[order.index(question.qid) - 1]]


def own_words(question: Question, references: References) -> list[str]:
    """The words of the question."""
    del references
    return re.findall(r"\w+(?:['’.-]\w+)*", question.text)


TITLES: Final = Baseline(
    "Titles of the evidence articles",
    "the titles of the articles listed as evidence",
    lambda question, _: titles_of(question),
)
OF_LISTS: Final = (
    Baseline("All titles (list baseline)", "the titles of the evidence", lambda question, _: titles_of(question)),
    Baseline(
        "First five titles (list baseline)",
        "the first five titles of the evidence",
        lambda question, _: titles_of(question)[:5],
    ),
)
"""The last one is the baseline where answers are compared."""
OF_REFERENCES: Final = (
    Baseline(
        "Most frequent answers",
        f"the {MOST_FREQUENT} most frequent answers to the other questions, the same in every setting",
        most_frequent,
    ),
    Baseline(
        "Shuffled answers", "the reference answer of another question, the same in every setting", of_another_question
    ),
    Baseline("Words of the question", "the words of the question, the same in every setting", own_words, separator=" "),
)
"""For open splits whose references are lists of items."""


def items_of(split: Split) -> dict[str, list[str]]:
    """The items of the references of an open split; none if no metric of the benchmark compares items."""
    if explaining_metric(split.benchmark.slug) is None:
        return {}
    return {
        question.qid: [item.text for line in QuestionItems(question).lines for item in line.items]
        for question in Question.objects.filter(revision=split.current_revision)
    }


def generations(split: Split, baseline: Baseline, references: References) -> list[str]:
    """The lines of a baseline's generations file, with the seconds that each answer took."""
    answer_format = task_type_of(split.benchmark.slug).answer_format(None)
    lines = []
    for question in Question.objects.filter(revision=split.current_revision).order_by("position"):
        begin = time.perf_counter()
        items = baseline.answer(question, references)
        seconds = time.perf_counter() - begin
        answer = list(items) if answer_format.unit == "answers" else baseline.separator.join(items)
        line = {"id": question.qid, answer_format.answer_key: answer, "usage": {"seconds": seconds}}
        lines.append(json.dumps(line, ensure_ascii=False))
    return lines
