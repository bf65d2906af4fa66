"""What a judge is asked, and with which settings: the parts of a signature, and the identity of a verdict."""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from scoring.metrics.asking.letters import Reading
from scoring.metrics.asking.neutralising import SentAnswer
from scoring.metrics.base import CLIPPED, REASONING_REMOVED, SERVED, ReferenceAnswer

MAX_REPLY_TOKENS: Final = 4096
"""The default maximum length of a reply."""
MAX_SERVED: Final = 120
"""Characters of that part; a longer list is replaced by its digest, as is one that a signature has no room for."""
OPENAI_HOST: Final = "api.openai.com"
LONGEST_MODEL: Final = 120
"""Characters of a model's name, so that signatures have room for it."""
LONGEST_SIGNATURE: Final = 400
"""Characters that databases have room for."""


def checked_model(name: str) -> str:
    """A model's name, as a site or a benchmark sets it.

    Raises:
        ValueError: If signatures have no room for it.
    """
    if len(name) > LONGEST_MODEL:
        raise ValueError(
            f"the model's name has {len(name)} characters, and may have {LONGEST_MODEL}; have the endpoint serve it "
            "under a shorter one"
        )
    return name


@dataclass(frozen=True)
class JudgeSettings:
    """The settings that determine a verdict, besides question, reference and answer: the parts of the signature."""

    model: str
    temperature: float = 0.0
    seed: int = 31415
    """The seed of the first ask. After an unreadable reply the next one is used: the same would repeat the reply."""
    prompt: str = "h3-v1"
    """The version of the prompt; by default that of FanOutQA's judge."""
    max_tokens: int = MAX_REPLY_TOKENS
    """The maximum length of a reply; 0 for the endpoint's own. It matters only for replies that are cut off, so a
    verdict stays the same under another one: it is in the signature, and not in a verdict's identity."""
    longest: int = 0
    """The most characters of an answer that are sent; 0 if the prompt's version says it. It is in the signature, and
    not in a verdict's identity, which has the answer as sent."""
    metric: str = "judge"
    version: str = "0.6.0"
    """The version of Manyhop in which the metric's numbers last changed."""
    removes_reasoning: bool = False
    """Whether reasoning was removed from answers: in the signature, and not in a verdict's identity."""
    clips_mean: bool = False
    """Whether means are clipped (`CLIPPED`): likewise."""
    further_scores: str = ""
    """The scores that its benchmark has the metric compute beside the usual ones: likewise."""

    def __post_init__(self) -> None:
        if not self.model or re.search(r"[|\s]", self.model):
            raise ValueError(f"{self.model!r} is not a valid model name: it is empty or contains white space or |")
        if self.max_tokens < 0:
            raise ValueError(f"a reply of {self.max_tokens} tokens")

    def signature(self, data: str | None = None, served: Iterable[tuple[str, str]] = ()) -> str:
        """One line that describes how a number was made.

        Args:
            served: Who gave the verdicts, once that is known: the model that the endpoint reports (empty if it reports
                none) and the endpoint's host. A name such as ``gpt-4o`` may stand for another model next month. This
                part comes last, and is left out if there is nothing to add: the model itself, at OpenAI.

        >>> settings = JudgeSettings("gpt-4o-2024-11-20")
        >>> settings.signature("test@3f2a9c1b", [("gpt-4o-2024-11-20", "api.openai.com")])
        'judge|model:gpt-4o-2024-11-20|prompt:h3-v1|temp:0|seed:31415|data:test@3f2a9c1b|manyhop:0.6.0'
        >>> JudgeSettings("gpt-4o", max_tokens=512).signature(served=[("gpt-4o-2024-08-06", "llm.example.org")])
        'judge|model:gpt-4o|prompt:h3-v1|temp:0|seed:31415|max_tokens:512|manyhop:0.6.0|served:gpt-4o-2024-08-06@llm.example.org'
        """
        parts = [self.metric, f"model:{self.model}", f"prompt:{self.prompt}", f"temp:{self.temperature:g}"]
        parts.append(f"seed:{self.seed}")
        if self.max_tokens != MAX_REPLY_TOKENS:
            parts.append(f"max_tokens:{self.max_tokens}")
        if self.longest:
            parts.append(f"cut:{self.longest}")
        if self.removes_reasoning:
            parts.append(REASONING_REMOVED)
        if self.clips_mean:
            parts.append(CLIPPED)
        if self.further_scores:
            parts.append(f"with:{self.further_scores}")
        if data is not None:
            parts.append(f"data:{data}")
        signature = "|".join([*parts, f"manyhop:{self.version}"])
        names = sorted({f"{model or '?'}@{host}" for model, host in served})
        if not names or names == [f"{self.model}@{OPENAI_HOST}"]:
            return signature
        listed = re.sub(r"[|\s]", "_", ",".join(names))
        if len(listed) > MAX_SERVED or len(f"{signature}{SERVED}{listed}") > LONGEST_SIGNATURE:
            listed = f"{len(names)}-models-{hashlib.sha256(listed.encode()).hexdigest()[:12]}"
        return f"{signature}{SERVED}{listed}"

    @classmethod
    def of_signature(cls, signature: str, metric: str = "judge") -> JudgeSettings:
        """The settings that a signature of a metric contains.

        Raises:
            ValueError: If it is not a signature of a judge.

        >>> JudgeSettings.of_signature(JudgeSettings("m", seed=7).signature("dev@0")) == JudgeSettings("m", seed=7)
        True
        """
        name, *rest = signature.split("|")
        parts = dict(part.partition(":")[::2] for part in rest)
        if name != metric or not {"model", "prompt", "temp", "seed"} <= parts.keys():
            raise ValueError(f"{signature!r} is not a judge signature")
        max_tokens = int(parts.get("max_tokens", MAX_REPLY_TOKENS))
        longest = int(parts.get("cut", 0))
        return cls(
            parts["model"],
            float(parts["temp"]),
            int(parts["seed"]),
            parts["prompt"],
            max_tokens,
            longest,
            metric,
            removes_reasoning=REASONING_REMOVED in rest,
            clips_mean=CLIPPED in rest,
            further_scores=parts.get("with", ""),
        )


@dataclass(frozen=True)
class AnswersToJudge:
    """Answers that a metric asks its judge about, with what else it may send; all sequences have the shape ``(n,)``."""

    keys: Sequence[str]
    """The caller's name of each answer."""
    questions: Sequence[str]
    references: Sequence[ReferenceAnswer]
    generations: Sequence[str | None]
    opponents: Sequence[str | None] = ()
    """The opponent's answers, if the metric compares."""
    longest: int = 0
    """The most characters of an answer that are sent, if the benchmark may declare it; by default the metric's own."""
    stored: Sequence[Mapping[str, str]] = ()
    """The `question_fields` of each question, if the metric has some."""
    verdicts: Mapping[str, str] = field(default_factory=dict)
    """Those that are known, by the keys of their items, if the metric asks in rounds."""
    at_most: bool = False
    """Whether unknown verdicts lead to all further requests that they may, instead of to none."""

    def rows(
        self, read: Callable[[Sequence[ReferenceAnswer]], Iterable[Any]] = iter
    ) -> Iterator[tuple[str, str, Any, str | None, Mapping[str, str]]]:
        """Of each answer its key, question, reference, text and the further fields of its question.

        Args:
            read: Reads the references as the metric needs them.
        """
        fields = self.stored or ({},) * len(self.keys)
        return zip(self.keys, self.questions, read(self.references), self.generations, fields, strict=True)


@dataclass(frozen=True)
class AskedItem(ABC):
    """One answer to be judged, with its question and reference."""

    key: str
    """The caller's name for the item, such as the question's id. Not part of its identity."""
    question: str
    reference: str
    """The reference answer as text."""
    answer: SentAnswer

    @abstractmethod
    def messages(self) -> list[dict[str, str]]:
        """The conversation that the judge is asked to continue, in the format of the chat completions API."""

    @property
    def answer_key(self) -> str:
        """The caller's name for the answer; several items may be about the same one."""
        return self.key

    @property
    def known(self) -> str:
        """The verdict, where nobody need be asked for it; else empty."""
        return ""

    @property
    def sent(self) -> str | list[str]:
        """The answer as sent; of several that are compared, all in the order shown."""
        return self.answer.text

    @property
    def further(self) -> Mapping[str, str]:
        """Further fields of the question that are sent; they are part of the verdict's identity."""
        return {}

    @abstractmethod
    def read(self, reply: str) -> Reading | None:
        """The verdict in a reply; None if it has none."""

    def part_of(self, verdict: str, reply: str = "") -> tuple[str, str]:
        """The item's own part of a verdict and of its reply, where several items have the same address."""
        return verdict, reply

    def address(self, settings: JudgeSettings) -> str:
        """The key of a verdict: equal for equal question, reference, answer as sent, model, prompt, settings.

        Returns:
            A SHA-256, 64 hexadecimal digits.
        """
        identity: dict[str, object] = {
            "question": self.question,
            "reference": self.reference,
            "model": settings.model,
            "prompt": settings.prompt,
            "temperature": float(settings.temperature),
            "seed": settings.seed,
            "repeat": 0,  # so that verdicts from before version 0.8.0, which counted repeats, are found
        }
        if self.further:
            identity["further"] = dict(self.further)
        sent = self.sent
        digest = _digest_of(sent if isinstance(sent, str) else tuple(sent)).copy()
        digest.update(json.dumps(identity, sort_keys=True).removeprefix("{").encode("ascii"))
        address: str = digest.hexdigest()
        return address


@lru_cache(maxsize=1)
def _digest_of(sent: str | tuple[str, ...]) -> Any:
    """The SHA-256 of the beginning of an address, a JSON object in the order of its keys: the answer, which all items
    about a report have in common."""
    return hashlib.sha256(f'{{"answer": {json.dumps(sent)}, '.encode("ascii"))
