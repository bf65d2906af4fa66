"""What people learn with before their questions: worked examples, practice with feedback, and a test.

They are a setting of the study, no items: so they are in no plan, no result and no export of answers.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext

from humaneval.models import Participant, Study, Vote
from humaneval.studies.drawing import dice_of
from humaneval.studies.evidence_measures import passes
from humaneval.studies.kinds import KINDS
from humaneval.studies.kinds.base import LearningQuestion
from humaneval.studies.masking import masked
from humaneval.studies.pairs import masks_for_pairs


class Part(NamedTuple):
    """A labelled text of an item, as people read it."""

    label: str
    text: str


class Control(NamedTuple):
    """A question about an item, with what was answered."""

    field: str
    """The name of its form field."""
    text: str
    options: Sequence[tuple[str, str]]
    """The values and labels to choose from; none if people write."""
    answer: str
    answer_in_words: str
    expected_in_words: str
    is_right: bool


class Shown(NamedTuple):
    """An example, or an item of the practice or the test, as people see it."""

    number: int
    parts: list[Part]
    controls: list[Control]
    why: str

    @property
    def is_answered(self) -> bool:
        return all(control.answer for control in self.controls)

    @property
    def is_right(self) -> bool:
        return all(control.is_right for control in self.controls)


def examples_of(study: Study) -> list[Shown]:
    """The worked examples of a study."""
    return _shown(study, [entry for entry in study.learning if entry["use"] == "example"], {})


def practice_of(study: Study, fields: Mapping[str, str]) -> list[Shown]:
    """The practice of a study, with the answers in the fields of a form."""
    return _shown(study, [entry for entry in study.learning if entry["use"] == "practice"], fields)


def n_attempts_of(study: Study) -> int:
    """How many attempts at the test people have; 0 if there is no test."""
    has_test = KINDS[study.kind].tests_known_items(study) or any(entry["use"] == "test" for entry in study.learning)
    return study.test_attempts if has_test else 0


def awaits_test(participant: Participant) -> bool:
    """Whether a participant has an attempt left at the test before the questions, and has not passed it."""
    attempts = participant.attempts
    return len(attempts) < n_attempts_of(participant.study) and not any(attempt["passed"] for attempt in attempts)


def test_of(participant: Participant, fields: Mapping[str, str]) -> list[Shown]:
    """The items of a participant's next attempt at the test, with the answers in the fields of a form: those that were
    entered, and those drawn from the loaded items of known outcome. Each attempt has items of its own."""
    study, n_before = participant.study, len(participant.attempts)
    entries = [entry for entry in study.learning if entry["use"] == "test"]
    size = len(entries) // study.test_attempts
    drawn = _known_items(participant)[study.n_qualification * n_before :][: study.n_qualification]
    return _shown(study, entries[size * n_before :][:size] + drawn, fields)


def _known_items(participant: Participant) -> list[dict[str, Any]]:
    study = participant.study
    if not KINDS[study.kind].tests_known_items(study):
        return []
    items = list(study.items.filter(is_qualification=True).select_related("question").order_by("key"))
    return [
        {
            "question": item.question_text,
            "answer": item.candidate,
            "passage": f"{item.passage_title}\n\n{item.passage_text}".strip(),
            "expected": [Vote.YES if item.supported else Vote.NO],
            "why": "",
        }
        for item in dice_of(study, participant.number).sample(items, len(items))
    ]


def is_outdated(study: Study) -> bool:
    """Whether an entry has no right answer to a question that is asked now, because another declaration was loaded."""
    asked = KINDS[study.kind].learning_questions(study) if KINDS[study.kind].declares_questions else []
    return any(
        not {value for value, _ in one.options}.intersection(entry["expected"].get(one.name, ()))
        for entry in study.learning
        for one in asked
    )


def test_counts(study: Study) -> dict[str, int]:
    """How many people passed the test at the first and at the second attempt, failed it, and have an attempt left;
    empty without a test."""
    n_attempts = n_attempts_of(study)
    if not n_attempts:
        return {}
    counts = {"first": 0, "second": 0, "failed": 0, "again": 0}
    for attempts in study.participants.filter(is_preview=False).exclude(attempts=[]).values_list("attempts", flat=True):
        if attempts[-1]["passed"]:
            counts["first" if len(attempts) == 1 else "second"] += 1
        else:
            counts["failed" if len(attempts) == n_attempts else "again"] += 1
    return counts


def _shown(study: Study, entries: Sequence[Mapping[str, Any]], fields: Mapping[str, str]) -> list[Shown]:
    if not entries:
        return []
    kind, mask = KINDS[study.kind], _masking(study)
    asked = kind.learning_questions(study)
    shown = []
    for number, entry in enumerate(entries, start=1):
        parts = [Part(gettext(label), mask(entry[name])) for name, label in kind.learning_texts.items()]
        controls = [_control(study, f"{number}-{one.name}", one, entry["expected"], fields) for one in asked]
        shown.append(Shown(number, parts, controls, mask(entry["why"])))
    return shown


def _control(study: Study, field: str, asked: LearningQuestion, expected: Any, fields: Mapping[str, str]) -> Control:
    # A declaration may have been loaded since, with other questions: to these every answer is right.
    right = expected.get(asked.name, []) if isinstance(expected, dict) else expected
    labels, answer = dict(asked.options), fields.get(field, "").strip()
    if asked.options:
        answer = answer if answer in labels else ""
        is_right = bool(answer) and (not right or answer in right)
    else:
        is_right = bool(answer) and passes({"answers": right}, answer)
    in_words = " / ".join(labels.get(value, value) for value in right)
    return Control(field, asked.text, asked.options, answer, labels.get(answer, answer), in_words, is_right)


def _masking(study: Study) -> Callable[[str], str]:
    """What replaces the names of systems, where a study compares their answers."""
    if not KINDS[study.kind].masks_names:
        return str
    pairs = study.items.exclude(first_set=None).values_list("first_set", "second_set").distinct()
    masks = masks_for_pairs(study, {answer_set for pair in pairs for answer_set in pair if answer_set})
    return lambda text: masked(text, masks)
