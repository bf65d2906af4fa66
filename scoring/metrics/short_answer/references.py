"""Reference answers of short answers: what is accepted, and how it is compared.

A reference is an object with ``answers``, a list of texts, and perhaps the other fields of `ShortReference` that are
not as they are by default. ``unanswerable`` may stand in place of answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from math import isfinite
from typing import Any, Final

from scoring.metrics.base import ReferenceAnswer, ReferencePath, ReferenceProblem, UnusableReference
from scoring.metrics.short_answer.choices import Options, labelled, labels_of
from scoring.metrics.short_answer.matching import KINDS, UNANSWERABLE, check_accepted, matches


@dataclass(frozen=True)
class ShortReference:
    """The accepted answers to a question."""

    answers: tuple[str, ...] = ()
    unanswerable: bool = False
    """Whether it is right to say that there is no answer."""
    kind: str = "auto"
    """Kind of the accepted answers; one of `KINDS`."""
    absolute_tolerance: float | None = None
    relative_tolerance: float | None = None
    per_cent: bool = False
    """Whether plain numbers are per cents."""
    choices: Options = field(default_factory=tuple)
    """The texts of the options, in the order of their letters or by label."""
    language: str = "en"
    weight: float = 1.0
    """Weight of the question in means."""

    def stored(self) -> dict[str, Any]:
        """The reference as an object, without what is as by default."""
        return {
            own.name: list(value) if isinstance(value, tuple) else value
            for own in fields(self)
            if (value := getattr(self, own.name)) != (own.default if own.default is not MISSING else ())
        }

    @property
    def accepted(self) -> tuple[str, ...]:
        """The accepted answers, and `UNANSWERABLE` if that is one."""
        return (*self.answers, *([UNANSWERABLE] if self.unanswerable else []))

    @property
    def in_words(self) -> tuple[str, ...]:
        """The accepted answers for readers: with the texts of options, and tolerances.

        >>> ShortReference(("B",), choices=("Oslo", "Bergen")).in_words
        ('B: Bergen',)
        >>> ShortReference(("12",), absolute_tolerance=0.5, unanswerable=True).in_words
        ('12 ± 0.5', 'unanswerable')
        """
        if self.choices:
            options = labelled(self.choices)
            chosen = (sorted(labels_of(answer, options), key=list(options).index) for answer in self.answers)
            answers = ["; ".join(f"{label}: {options[label]}" for label in labels) for labels in chosen]
        else:
            tolerances = [f" ± {self.absolute_tolerance:g}"] if self.absolute_tolerance else []
            tolerances += [f" ± {100 * self.relative_tolerance:g} %"] if self.relative_tolerance else []
            answers = [answer + " or".join(tolerances) for answer in self.answers]
        return tuple(dict.fromkeys([*answers, *self.accepted[len(self.answers) :]]))

    @property
    def marked(self) -> tuple[str, ...]:
        """The texts that are marked in an answer that is right: of an option its text, because its letter may be a word
        of a sentence."""
        if not self.choices:
            return self.answers
        options = labelled(self.choices)
        return tuple(options[label] for answer in self.answers for label in labels_of(answer, options))

    def is_stated_by(self, answer: str) -> bool:
        """Whether an answer states one of the accepted answers; see `scoring.metrics.short_answer.matches`."""
        return matches(
            answer,
            self.accepted,
            self.kind,  # type: ignore[arg-type]  # checked when it was read
            self.language,
            absolute=self.absolute_tolerance,
            relative=self.relative_tolerance,
            per_cent=self.per_cent,
            options=self.choices,
        )


FIELDS: Final = tuple(own.name for own in fields(ShortReference))


def short_references(references: Sequence[ReferenceAnswer]) -> tuple[ShortReference, ...]:
    """The accepted answers of every question.

    Raises:
        UnusableReference: Listing every problem of every reference.

    >>> short_references([{"answers": ["Oslo", "Kristiania"]}])[0].accepted
    ('Oslo', 'Kristiania')
    >>> short_references([{"answers": ["E"], "choices": ["Oslo", "Bergen"]}])
    Traceback (most recent call last):
    ...
    scoring.metrics.base.UnusableReference: reference 0['answers'][0]: expected the label of an option or its text
    """
    read: list[ShortReference] = []
    problems: list[ReferenceProblem] = []
    for index, reference in enumerate(references):
        if not isinstance(reference, dict):
            problems.append(ReferenceProblem(index, (), "expected an object with answers"))
            continue
        wrong = [ReferenceProblem(index, path, what) for path, what in _wrong_in(reference)]
        problems += wrong
        if not wrong:
            values: dict[str, Any] = {name: value for name, value in reference.items() if name in FIELDS}
            values["answers"] = tuple(values.get("answers", ()))
            one = ShortReference(**values)
            problems += [ReferenceProblem(index, path, what) for path, what in _not_of_its_kind(one)]
            read.append(one)
    if problems:
        raise UnusableReference(problems)
    return tuple(read)


def _wrong_in(reference: Mapping[str, Any]) -> Iterator[tuple[ReferencePath, str]]:
    """Fields whose value has another form."""
    answers = reference.get("answers", [])
    if not isinstance(answers, list) or not all(isinstance(answer, str) and answer.strip() for answer in answers):
        yield ("answers",), "expected a list of texts with content"
    elif not answers and reference.get("unanswerable") is not True:
        yield ("answers",), "expected at least one answer, or unanswerable: true"
    for name in ("unanswerable", "per_cent"):
        if not isinstance(reference.get(name, False), bool):
            yield (name,), "expected true or false"
    for name in ("absolute_tolerance", "relative_tolerance"):
        if not _is_number(reference.get(name, 0.0)) or reference.get(name, 0.0) < 0:
            yield (name,), "expected a number from 0 on"
    weight = reference.get("weight", 1.0)
    if not _is_number(weight) or weight <= 0:
        yield ("weight",), "expected a number above 0"
    if reference.get("kind", "auto") not in KINDS:
        yield ("kind",), f"expected one of {', '.join(KINDS)}"
    if not isinstance(reference.get("language", "en"), str):
        yield ("language",), "expected the code of a language"
    choices = reference.get("choices", [])
    texts = list(choices.values()) if isinstance(choices, dict) else choices
    if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
        yield ("choices",), "expected a list of texts, or an object with a text for each label"
    elif isinstance(choices, list) and len(choices) > 26:
        yield ("choices",), "expected at most 26 texts, or an object with a text for each label"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _not_of_its_kind(reference: ShortReference) -> Iterator[tuple[ReferencePath, str]]:
    """Accepted answers that no answer can state, because they are not what they are said to be."""
    for place, answer in enumerate(reference.answers):
        try:
            check_accepted(answer, reference.kind, reference.language, reference.choices)  # type: ignore[arg-type]
        except ValueError as error:
            yield ("answers", place), str(error)
