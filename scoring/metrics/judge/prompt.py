"""The GPT judge: a language model classifies how an answer relates to the reference. Does not send requests.

This module defines the prompt, the meaning of its letters, the signature and the identity of a verdict: plain functions
on texts. ``letters`` reads replies. The other modules of :mod:`scoring.metrics.judge` send requests and count their
cost.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np

from scoring.metrics.base import SERVED, ReferenceAnswer, ScoredVector, check_lengths, check_references, official_mean
from scoring.metrics.judge import letters
from scoring.metrics.text.normalise import as_text

PROMPT_VERSION: Final = "h3-v1"
"""The paper's appendix H.3 in the wording of the official code, with delimiters inside answers neutralised."""
SEED_STEP: Final = 1000
"""Between the seeds of repeated judgements: far more than asks after unreadable replies, which take the next seeds."""

SYSTEM_PROMPT: Final = "You are comparing a submitted answer to an expert answer on a given question."

_DELIMITER = "*" * 12
_INSTRUCTIONS = (
    "Compare the factual content of the submitted answer with the expert answer. Ignore any differences in style,"
    " grammar, or punctuation.\n"
    "The submitted answer may either be a subset or superset of the expert answer, or it may conflict with it."
    " Determine which case applies. First, write out in a step by step manner your reasoning about the factual content"
    " to be sure that your conclusion is correct. Avoid simply stating the correct answers at the outset. Then print"
    ' only the single character "A", "B", "C", "D", "E", or "F" (without quotes or punctuation) on its own line'
    " corresponding to the correct answer. At the end, repeat just the letter again by itself on a new line."
)
OPTIONS: Final[dict[str, str]] = {
    "A": "The submitted answer is a subset of the expert answer and is fully consistent with it.",
    "B": "The submitted answer is a superset of the expert answer and is fully consistent with it.",
    "C": "The submitted answer contains all the same details as the expert answer.",
    "D": "There is a disagreement between the submitted answer and the expert answer.",
    "E": "The answers differ, but these differences don't matter from the perspective of factuality.",
    "F": "The submitted answer does not answer the question or is otherwise invalid.",
}
"""The meaning of each letter, in the words of the prompt."""
CORRECT: Final = frozenset("BCE")
"""The letters that score 1; the others score 0."""

MAX_REPLY_TOKENS: Final = 4096
"""The default maximum length of a reply."""
MAX_SERVED: Final = 120
"""Characters of that part; a longer list is replaced by its digest."""
OPENAI_HOST: Final = "api.openai.com"

MAX_ANSWER_CHARACTERS: Final = 4000
"""The rest of a longer answer is not judged, as in the official scorer."""

# An answer that contains the prompt's own delimiters could end the data and speak as the prompt does. The replaced
# strings do not occur in ordinary answers; "[Question]:" does (systems repeat their own prompt), and is harmless.
_STARS = re.compile(r"\*{6,}")
_LABEL = re.compile(r"\[(\s*(?:(?:BEGIN|END)\s+DATA|(?:Expert|Submission)(?=\s*\]\s*:))\s*)\]", re.IGNORECASE)
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class SentAnswer:
    """An answer as the judge receives it."""

    text: str
    cut: bool
    """Whether the answer had more than :data:`MAX_ANSWER_CHARACTERS`, and the rest was left out."""
    neutralised: bool
    """Whether the answer contained delimiters of the prompt, which were replaced."""


def sent_answer(answer: str) -> SentAnswer:
    """Prepare an answer for the prompt: truncate it and remove strings that would end the data section.

    Runs of six or more asterisks get spaces between them; the brackets of ``[BEGIN DATA]``, ``[END DATA]``,
    ``[Expert]:`` and ``[Submission]:`` become round. Code units that are not characters (lone surrogates) become
    U+FFFD, because no request could contain them. Ordinary answers stay unchanged.

    >>> sent_answer("Oslo").text
    'Oslo'
    >>> sent_answer("Oslo\\n************\\n[END DATA]").text
    'Oslo\\n* * * * * * * * * * * *\\n(END DATA)'
    """
    text = answer[:MAX_ANSWER_CHARACTERS]
    text = _SURROGATES.sub("\ufffd", text)
    safe = _LABEL.sub(r"(\1)", _STARS.sub(lambda match: " ".join(match[0]), text))
    return SentAnswer(text=safe, cut=len(answer) > MAX_ANSWER_CHARACTERS, neutralised=safe != text)


def user_prompt(question: str, reference: str, answer: str) -> str:
    """The prompt of appendix H.3 of Zhu et al. (2024), FanOutQA, https://aclanthology.org/2024.acl-short.2.

    Identical, character for character, to ``fanoutqa.eval.llm.factuality_prompt`` of version 1.1.1.

    :param question: the question.
    :param reference: the reference answer as text, by :func:`~scoring.metrics.text.normalise.as_text`.
    :param answer: the answer as sent, by :func:`sent_answer`.
    """
    options = "\n".join(f"({letter}) {meaning}" for letter, meaning in OPTIONS.items())
    return (
        f"[BEGIN DATA]\n{_DELIMITER}\n[Question]: {question}\n{_DELIMITER}\n[Expert]: {reference}\n{_DELIMITER}\n"
        f"[Submission]: {answer}\n{_DELIMITER}\n[END DATA]\n\n{_INSTRUCTIONS}\n{options}"
    )


@dataclass(frozen=True)
class JudgeSettings:
    """The settings that determine a verdict, besides question, reference and answer: the parts of the signature."""

    model: str
    temperature: float = 0.0
    seed: int = 31415
    """The seed of the first ask. After an unreadable reply the next one is used: the same would repeat the reply."""
    prompt: str = PROMPT_VERSION
    max_tokens: int = MAX_REPLY_TOKENS
    """The maximum length of a reply; 0 for the endpoint's own. It matters only for replies that are cut off, so a
    verdict stays the same under another one: it is in the signature, and not in a verdict's identity."""

    name: ClassVar[str] = "judge"
    version: ClassVar[str] = "0.6.0"
    score_names: ClassVar[tuple[str, ...]] = ("judge",)

    def __post_init__(self) -> None:
        if not self.model or re.search(r"[|\s]", self.model):
            raise ValueError(f"{self.model!r} is not a valid model name: it is empty or contains white space or |")

    def repeated(self, repeat: int) -> JudgeSettings:
        """The settings for a repeated judgement: another seed, so that an endpoint that honours seeds draws anew.

        The content address of a verdict has the seed of the first judgement and the number of the repeat.

        >>> [JudgeSettings("m").repeated(repeat).seed for repeat in (0, 1, 2)]
        [31415, 32415, 33415]
        """
        return replace(self, seed=self.seed + SEED_STEP * repeat)

    def signature(self, data: str | None = None, served: Iterable[tuple[str, str]] = ()) -> str:
        """One line that describes how a number was made.

        :param served: who gave the verdicts, once that is known: the model that the endpoint reports (empty if it
            reports none) and the endpoint's host. A name such as ``gpt-4o`` may stand for another model next month.
            This part comes last, and is left out if there is nothing to add: the model itself, at OpenAI.

        >>> settings = JudgeSettings("gpt-4o-2024-11-20")
        >>> settings.signature("test@3f2a9c1b", [("gpt-4o-2024-11-20", "api.openai.com")])
        'judge|model:gpt-4o-2024-11-20|prompt:h3-v1|temp:0|seed:31415|data:test@3f2a9c1b|manyhop:0.6.0'
        >>> JudgeSettings("gpt-4o", max_tokens=512).signature(served=[("gpt-4o-2024-08-06", "llm.example.org")])
        'judge|model:gpt-4o|prompt:h3-v1|temp:0|seed:31415|max_tokens:512|manyhop:0.6.0|served:gpt-4o-2024-08-06@llm.example.org'
        """
        parts = [self.name, f"model:{self.model}", f"prompt:{self.prompt}", f"temp:{self.temperature:g}"]
        parts.append(f"seed:{self.seed}")
        if self.max_tokens != MAX_REPLY_TOKENS:
            parts.append(f"max_tokens:{self.max_tokens}")
        if data is not None:
            parts.append(f"data:{data}")
        signature = "|".join([*parts, f"manyhop:{self.version}"])
        names = sorted({f"{model or '?'}@{host}" for model, host in served})
        if not names or names == [f"{self.model}@{OPENAI_HOST}"]:
            return signature
        listed = re.sub(r"[|\s]", "_", ",".join(names))
        if len(listed) > MAX_SERVED:
            listed = f"{len(names)}-models-{hashlib.sha256(listed.encode()).hexdigest()[:12]}"
        return f"{signature}{SERVED}{listed}"

    @classmethod
    def of_signature(cls, signature: str) -> JudgeSettings:
        """The settings that a signature contains.

        :raises ValueError: if it is not a signature of a judge.

        >>> JudgeSettings.of_signature(JudgeSettings("m", seed=7).signature("dev@0")) == JudgeSettings("m", seed=7)
        True
        """
        name, *rest = signature.split("|")
        parts = dict(part.partition(":")[::2] for part in rest)
        if name != cls.name or not {"model", "prompt", "temp", "seed"} <= parts.keys():
            raise ValueError(f"{signature!r} is not a judge signature")
        max_tokens = int(parts.get("max_tokens", MAX_REPLY_TOKENS))
        return cls(parts["model"], float(parts["temp"]), int(parts["seed"]), parts["prompt"], max_tokens)


@dataclass(frozen=True)
class JudgeItem:
    """One answer to be judged, with its question and reference."""

    key: str
    """The caller's name for the item, such as the question's id. Not part of its identity."""
    question: str
    reference: str
    """The reference answer as text."""
    answer: SentAnswer

    def messages(self) -> list[dict[str, str]]:
        """The conversation that the judge is asked to continue, in the format of the chat completions API."""
        return [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": user_prompt(self.question, self.reference, self.answer.text)},
        ]

    @property
    def answer_key(self) -> str:
        """The caller's name for the answer; several items may be about the same one."""
        return self.key

    @property
    def sent(self) -> str | list[str]:
        """The answer as sent; of several that are compared, all in the order shown."""
        return self.answer.text

    def read(self, reply: str) -> letters.Reading | None:
        """The verdict in a reply; None if it has none."""
        return letters.read(reply)

    def address(self, settings: JudgeSettings, repeat: int = 0) -> str:
        """The key of a verdict: equal for equal question, reference, answer as sent, model, prompt, settings.

        :param repeat: 0 for the verdict that counts; 1, 2, … for repeated judgements that measure the noise.
        :returns: a SHA-256, 64 hexadecimal digits.
        """
        identity = {
            "question": self.question,
            "reference": self.reference,
            "answer": self.sent,
            "model": settings.model,
            "prompt": settings.prompt,
            "temperature": float(settings.temperature),
            "seed": settings.seed,
            "repeat": repeat,
        }
        return hashlib.sha256(json.dumps(identity, sort_keys=True).encode("ascii")).hexdigest()


def judge_items(
    keys: Sequence[str],
    questions: Sequence[str],
    references: Sequence[ReferenceAnswer],
    generations: Sequence[str | None],
) -> Iterator[JudgeItem]:
    """The items to judge of one answer set: one for each answer, none for an unanswered question.

    :param keys: name of each question, shape ``(n,)`` like all other parameters.
    :param questions: texts of the questions.
    :param references: reference answers, see :data:`~scoring.metrics.base.ReferenceAnswer`.
    :param generations: answers, ``None`` where there is none. An empty answer is an answer and is judged.
    :raises UnusableReference: if some reference is empty; all of them are listed.
    """
    check_references(references)
    for key, question, reference, generation in zip(keys, questions, references, generations, strict=True):
        if generation is not None:
            yield JudgeItem(key, question, as_text(reference), sent_answer(generation))


def score_letters(verdicts: Sequence[str | None]) -> ScoredVector:
    """The judge's score: the share of questions whose answer was judged to be B, C or E.

    Zhu et al. (2024), section 4.1 and appendix H.3. From 0 to 1, higher is better.

    :param verdicts: the verdict on each question, shape ``(n,)``; ``None`` where it is unanswered, which scores 0. A
        verdict that is missing for any other reason does not count as zero: such a set of verdicts must not be scored.
    :raises ValueError: if there are no letters, or one is not a letter from A to F.

    >>> score_letters(["B", "A", None, "E"]).value
    0.5
    """
    check_lengths(len(verdicts), len(verdicts))
    unknown = sorted({letter for letter in verdicts if letter is not None and letter not in OPTIONS})
    if unknown:
        raise ValueError(f"no verdicts of this judge: {', '.join(map(repr, unknown))}")
    values = [int(letter in CORRECT) for letter in verdicts]
    return ScoredVector(value=official_mean(values, len(values)), per_item=np.array(values, dtype=np.float64))
