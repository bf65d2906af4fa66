"""A metric that asks a language model: what it asks about, and what it makes of the verdicts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final, Self

from scoring.metrics.asking.cost import REPLY_TOKENS
from scoring.metrics.asking.items import AnswersToJudge, AskedItem, JudgeSettings, checked_model
from scoring.metrics.asking.prompts import PromptFile
from scoring.metrics.base import Metric, ReferenceAnswer, ScoredVector, Site

OF_THE_BENCHMARK: Final = "of-the-benchmark"
"""Version of prompts in signatures, as long as the prompts are not known."""
UNKNOWN_MODEL: Final = "unknown"
NOT_COMPUTED: Final = "A judge is asked, which takes a session of a worker."


class JudgeMetric(Metric):
    """A metric whose scores are made of a model's verdicts. Requests, cost, and storage are the same
    for all of them: see this package, and `scoring.runs.judging`."""

    queue: ClassVar[str] = "judge"
    needs_site: ClassVar[bool] = True
    model_setting: ClassVar[str] = "JUDGE_MODEL"
    """The setting that names its model, unless the benchmark does."""
    reply_tokens: ClassVar[int] = REPLY_TOKENS
    """Tokens of a reply, assumed until a site has replies of its own."""
    prompt_version: str = OF_THE_BENCHMARK
    """The version of its prompts, as in the signature."""
    longest: int = 0
    """The most characters of an answer that are sent, where the benchmark may declare it."""
    clips_mean: bool = False
    """Whether the means of its scores are clipped to 0 to 1 when they are stored (`CLIPPED`)."""
    judges_in_one: ClassVar[bool] = True
    """Whether a verdict says of a whole answer that it is right, or how much of it."""
    asks_about: ClassVar[str] = "answers"
    """What it judges, in words: each is a request."""
    asks_nothing_about: ClassVar[str] = "missing, scored 0"
    """What answers are that it asks nothing about, in words."""
    asks_in_rounds: ClassVar[bool] = False
    """Whether what it asks depends on earlier verdicts: `items` gets these, and gives what is asked in all, or, of
    unknown verdicts, what may be asked at most."""
    question_fields: tuple[str, ...] = ()
    """The further fields of a question that its prompt has places for; see
    `scoring.metrics.graded_answer.items.stored_texts`."""

    def __init__(self, prompts: Mapping[str, str] | None = None, judged_length: int | None = None) -> None:
        """Take a benchmark's prompts by file name, and the most characters of an answer that it may send.

        Args:
            prompts: None to describe the metric alone.

        Raises:
            ValueError: If a prompt that it needs is missing, or lacks a place.
        """
        del judged_length
        for name, places in () if prompts is None else self.lacking_prompts(prompts):
            raise ValueError(f"The metric {self.name} needs prompts/{name} with {places}.")
        self.settings = JudgeSettings(UNKNOWN_MODEL)

    @property
    def further_scores(self) -> str:
        """The scores that it has only where its benchmark says so, as signatures name them."""
        return ""

    @classmethod
    def on_site(cls, site: Site, *, model: str = "", **parameters: Any) -> Self:
        """The metric as a site asks its judge.

        Args:
            model: The benchmark's own model; empty for the site's (`model_setting`).
            parameters: Those of the metric.
        """
        metric = cls(**parameters)
        settings = partial(
            JudgeSettings,
            prompt=metric.prompt_version,
            longest=metric.longest,
            metric=cls.name,
            version=cls.version,
            clips_mean=metric.clips_mean,
            further_scores=metric.further_scores,
        )
        try:
            name = checked_model(model or getattr(site, cls.model_setting))
            metric.settings = settings(name, max_tokens=site.JUDGE_MAX_REPLY_TOKENS)
        except ValueError:  # the settings are invalid: its runs wait, and are signed nevertheless
            metric.settings = settings(UNKNOWN_MODEL)
        return metric

    @classmethod
    def unavailable(cls, site: Site) -> str:
        # Imported here, because the command line knows this metric and sends no requests.
        from scoring.metrics.asking.config import judge_unavailable

        return judge_unavailable(site, cls.model_setting)

    def prompt_files(self, names: Collection[str] = ()) -> Iterable[PromptFile]:
        """The files of its prompts, with those that a benchmark may leave out.

        Args:
            names: The benchmark's files, where its prompts may be several by one rule.
        """
        del names
        return ()

    def lacking_prompts(self, files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """The prompts that a benchmark lacks: the name of each file, and the places that it does not have.

        Args:
            files: The benchmark's prompts by file name.
        """
        return ((file.name, lacking) for file in self.prompt_files(files) if (lacking := file.lacking(files)))

    def reads_prompt(self, name: str) -> bool:
        """Whether it reads a file of prompts, by its name; some may be left out."""
        return any(name in (file.name, file.system) for file in self.prompt_files([name]))

    def prompt_faults(self, files: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
        """Mistakes in a benchmark's prompts: the file, what was found, and what was expected."""
        for file in self.prompt_files(files):
            yield from file.faults(files)

    @abstractmethod
    def items(self, answers: AnswersToJudge) -> Iterable[AskedItem]:
        """The items to judge."""

    def score_verdicts(self, verdicts: Sequence[str | None]) -> Mapping[str, ScoredVector]:
        """The scores by name, from one verdict per question; None where it is unanswered.

        A metric that asks several things about an answer (`score_answers`) or compares two needs none: here TypeError.
        """
        raise TypeError(f"{self.name} is not scored by one verdict per question.")

    def score_answers(
        self,
        verdicts: Sequence[Sequence[str]],
        references: Sequence[ReferenceAnswer],
        generations: Sequence[str | None] = (),
    ) -> Mapping[str, ScoredVector]:
        """The scores by name, of a metric that may ask several things about an answer.

        Args:
            verdicts: For each answer those of its items, in their order; none for an unanswered question.
            references: Reference answers, shape ``(n,)`` like *verdicts*.
            generations: The answers, likewise, of a metric that reads citations.
        """
        del references, generations
        return self.score_verdicts([next(iter(own), None) for own in verdicts])

    @abstractmethod
    def is_correct(self, verdict: str) -> bool:
        """Whether a verdict finds an answer completely right."""

    def signature_parts(self) -> tuple[str, ...]:
        """No parts: the settings make the signature (`signature`)."""
        return ()

    def signature(self, data: str | None = None) -> str:
        return self.settings.signature(data)

    def prepare(self, references: Sequence[ReferenceAnswer]) -> Any:
        return references

    def score(self, *_: object, **__: object) -> dict[str, ScoredVector]:
        """Always raise TypeError: its verdicts take a session of a worker (`scoring.runs.judging`)."""
        raise TypeError(NOT_COMPUTED)
