"""The task type *text answer*: one text per question, compared with a nested reference answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scoring.files.mistakes import Mistake, described, refuse
from scoring.files.objects import NO_OBJECT, Place, fingerprint, objects_in, opened
from scoring.generations.records import TEXT_ANSWERS, AnswerFormat
from scoring.metrics.base import ReferenceAnswer, check_references
from scoring.task_types.base import Outcomes, References, TaskType


class TextAnswer(TaskType):
    """One text for each question, such as FanOutQA's.

    >>> TextAnswer().is_answered(" "), TextAnswer().copy_of({"Oslo": True})
    (False, 'Oslo - yes')
    """

    name = "text-answer"
    references_format = 'a JSON list of questions with "id" and "answer"'
    outcomes: Outcomes | None = Outcomes(
        "accuracy", shown="loose", some="loose", all="strict", opinions=("strict", "judge")
    )
    names_without_review = 200
    length_without_review = 8_000

    def read_references(self, path: Path) -> References:
        """Read a JSON list of objects with ``id`` and ``answer``; other keys are ignored."""
        mistakes: list[Mistake] = []
        answers: dict[str, ReferenceAnswer] = {}
        places: list[Place] = []
        with opened(path) as stream:
            for place, question in objects_in(path.name, stream, mistakes):
                name = question.get("id")
                if not isinstance(name, str):
                    mistakes.append(place.mistake("id", described(name), "a text", 'Write the id: "id": "…".'))
                elif name in answers:
                    fix = "Remove one of them."
                    mistakes.append(place.mistake("id", f"{name!r} again", "one object for each question", fix))
                elif "answer" not in question:
                    mistakes.append(place.mistake("answer", "nothing", "the reference answer", "Add the answer."))
                else:
                    answers[name] = question["answer"]
                    places.append(place)
        mistakes += self.mistakes_in(list(answers.values()), places)
        if not answers and not mistakes:
            mistakes.append(Mistake(path.name, 0, "", NO_OBJECT, self.references_format, "Check the file."))
        refuse(mistakes)
        return References(tuple(answers), tuple(answers.values()), fingerprint(path))

    def answer_format(self, separator: str | None) -> AnswerFormat:
        return TEXT_ANSWERS

    def check(self, references: Sequence[ReferenceAnswer]) -> None:
        check_references(references)
