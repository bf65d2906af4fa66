"""The task type *answer list*: a list of texts per question, compared with gold answers and their aliases (QAMPARI)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.generations.reasoning import list_without_reasoning
from scoring.generations.records import NO_TEXTS, WITH_SEPARATOR, AnswerFormat, has_content, list_answers
from scoring.metrics.answer_lists import gold_lists, predictions_of, text_of
from scoring.metrics.base import ReferenceAnswer
from scoring.task_types.base import Doubt, Outcomes, References, TaskType

if TYPE_CHECKING:
    from scoring.metrics.passage_recall import Passage


class AnswerList(TaskType):
    """A list of texts for each question; a gold answer has other names that count.

    >>> gold = AnswerList().stored(["Oslo", ["Bern", "Berne"]])
    >>> gold[1], AnswerList().plain(gold), AnswerList().other_names(gold)
    ({'answer_text': 'Bern', 'aliases': ['Bern', 'Berne']}, ['Oslo', 'Bern'], [(), ('Berne',)])
    >>> AnswerList().typed(" Oslo \\n\\nBern"), AnswerList().is_answered('[""]')
    ('["Oslo", "Bern"]', False)
    """

    name = "answer-list"
    references_format = 'JSON Lines with "qid" and "answer_list" as QAMPARI is published, also as gzip or zip'
    outcomes = Outcomes(
        "list-f1", shown="list-f1.f1", some="list-f1.recall", all="list-f1.recall", opinions=("list-f1.f1_above",)
    )
    splits_texts = True
    scores_empty_files = True
    has_passages = True

    # Modules that texts need no part of are imported where a list needs them: most files are texts.

    def read_references(self, path: Path) -> References:
        from scoring.task_types.reference_files import read_gold_lists

        return read_gold_lists(path)

    def read_passages(self, path: Path) -> Mapping[str, tuple[Passage, ...]]:
        from scoring.task_types.reference_files import read_passages

        return read_passages(path)

    def answer_format(self, separator: str | None) -> AnswerFormat:
        if separator is None:
            return list_answers(texts=WITH_SEPARATOR if self.splits_texts else NO_TEXTS)
        from scoring.metrics.list_f1_alce import split_text

        return list_answers(partial(split_text, separator=separator))

    def is_answered(self, answer: str | None) -> bool:
        return any(map(has_content, predictions_of(answer)))

    def texts_of(self, answer: str) -> tuple[str, ...]:
        return tuple(predictions_of(answer))

    def without_reasoning(self, answer: str) -> str:
        texts = predictions_of(answer)
        rest = list_without_reasoning(texts)
        return answer if rest == texts else text_of(rest)

    def typed(self, text: str) -> str:
        return text_of([line.strip() for line in text.splitlines() if line.strip()])

    def sent(self, answer: str) -> list[str]:
        return predictions_of(answer)

    def check(self, references: Sequence[ReferenceAnswer]) -> None:
        gold_lists(references)

    def stored(self, answer: Any) -> Any:
        """A list whose items may be texts, or lists of a text and its aliases, as gold answers with their aliases."""
        if not isinstance(answer, list):
            return answer
        gold = []
        for item in answer:  # lists of JSON have room for more items: a copy is smaller
            texts = [item] if isinstance(item, str) else item
            is_names = isinstance(texts, list) and texts and all(isinstance(text, str) for text in texts)
            gold.append({"answer_text": texts[0], "aliases": list(texts)} if is_names else item)
        return gold

    def plain(self, reference: Any) -> list[str]:
        return [gold["answer_text"] for gold in reference]

    def other_names(self, reference: Any) -> list[tuple[str, ...]]:
        return [tuple(alias for alias in gold["aliases"] if alias != gold["answer_text"]) for gold in reference]

    def doubts(self, reference: Any) -> Iterator[Doubt]:
        """An entry that is there twice, so that its copy loses recall."""
        if super().doubtful_entries(reference):
            yield Doubt("answer", "an entry again", "each entry once", "Remove it: no answer could have both.")

    def doubtful_entries(self, reference: Any) -> list[int]:
        """Repeated entries, and those whose names lack the text that stands for them."""
        nameless = (place for place, gold in enumerate(reference) if gold["answer_text"] not in gold["aliases"])
        return sorted({*super().doubtful_entries(reference), *nameless})

    def copy_of(self, reference: Any) -> str:
        return text_of(self.plain(reference))
