"""The judge of rubrics: each criterion by itself, and what it shares with other judges of reports."""

from __future__ import annotations

import hashlib
import re
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import inf
from typing import ClassVar, Final

from scoring.generations.records import has_content
from scoring.metrics.answer_lists import mean_of_known, mean_vector
from scoring.metrics.asking.items import AnswersToJudge
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.asking.neutralising import SentAnswer, sent
from scoring.metrics.asking.prompts import PromptFile
from scoring.metrics.base import (
    ReferenceAnswer,
    ReferencePath,
    ReferenceProblem,
    ScoredVector,
    UnusableReference,
    check_lengths,
)
from scoring.metrics.columns import Column, Explanation
from scoring.metrics.rubric import groups, items, measures
from scoring.metrics.rubric.decisions import Decision, is_met, reason_in
from scoring.metrics.rubric.references import LENGTH, Rubric, in_words, rubrics_of

_CLIPPED = (
    "The mean and its interval are clipped to 0 to 1, as in HealthBench. Ranks, and on open splits differences between "
    "systems and values of categories, are those of the scores before that."
)
NOT_MET: Final = "0"
REQUIRED: Final = "rubric.required"
_ASKED: Final = {
    groups.CRITERION: "one criterion",
    groups.DIMENSION: "the criteria of a dimension",
    groups.QUESTION: "the criteria of the question",
}
WHOLE = "What answers earned of the weights of their criteria, of which a language model decides each."


class RubricJudge(JudgeMetric):
    """A judge of answers by criteria, with a score for each dimension that its benchmark names."""

    version: ClassVar[str] = "0.9.0"
    task_types: ClassVar[tuple[str, ...]] = ("rubric",)
    judges_in_one: ClassVar[bool] = False
    score_names: tuple[str, ...]  # type: ignore[misc]  # of an instance, by its dimensions
    short_label: ClassVar[str]
    whole: ClassVar[str]
    """What the score of all dimensions says."""
    bounds: tuple[float, float] | None
    is_graded: bool = True
    """Whether a criterion may be met in part."""

    def __init__(
        self,
        prompts: Mapping[str, str] | None = None,
        judged_length: int | None = None,
        *,
        dimensions: Sequence[str] = (),
    ) -> None:
        """Take a benchmark's prompts, the most characters of an answer that are sent, and its dimensions.

        Args:
            dimensions: the names of the dimensions that have a column.

        Raises:
            ValueError: if a prompt is missing or unusable, or the dimensions are no list of different names.
        """
        super().__init__(prompts, judged_length)
        if isinstance(dimensions, str) or not all(map(_slug, dimensions)):
            raise ValueError("dimensions is a list of names with letters or digits")
        if len(set(map(_slug, dimensions))) < len(dimensions):
            raise ValueError("dimensions has each name once")
        self.dimensions = {f"{self.name}.{_slug(name)}": name for name in dimensions}
        """The names of the dimensions by their scores."""
        self.score_names = (self.name, *self.dimensions)
        self.longest = judged_length or items.MAX_ANSWER_CHARACTERS

    @property
    def further_scores(self) -> str:
        """The scores beside the whole; a digest of many or odd names."""
        names = ",".join(self.score_names[1:])
        return names if re.fullmatch(r"[\w.,-]{0,30}", names) else hashlib.sha256(names.encode()).hexdigest()[:12]

    def columns(self) -> tuple[Column, ...]:
        """Only the whole is shown on a hidden split."""

        def column(score: str, label: str, short_label: str, description: str, *, is_dimension: bool) -> Column:
            return Column(
                score,
                self.name,
                label,
                short_label,
                self.label,
                description,
                disclosed=not is_dimension,
                bounds=self.bounds,
                is_dimension=is_dimension,
            )

        return (
            column(self.name, self.label, self.short_label, self.whole, is_dimension=False),
            *(
                column(score, label, label, f"The same for the criteria of the dimension {label}.", is_dimension=True)
                for score, label in zip(self.dimensions, map(in_words, self.dimensions.values()), strict=True)
            ),
        )

    def dimension_scores(self, value_of: Callable[[int, str], float | None], n: int) -> dict[str, ScoredVector]:
        """The scores of the dimensions: means over the answers that have a value.

        Args:
            value_of: the value of an answer, by its place, in a dimension; None if it has none.
            n: the number of answers.
        """
        scores = {
            score: mean_of_known([value_of(place, dimension) for place in range(n)])
            for score, dimension in self.dimensions.items()
        }
        return {score: vector for score, vector in scores.items() if vector is not None}

    def lacks(self, rubric: Rubric) -> Iterator[tuple[ReferencePath, str]]:
        """What the metric needs and a rubric does not have: where, and what was expected."""
        del rubric
        yield from ()

    def prepare(self, references: Sequence[ReferenceAnswer]) -> tuple[Rubric, ...]:
        """The criteria of every question.

        Raises:
            UnusableReference: If some reference is no rubric, or lacks what the metric needs; all of them are listed.
        """
        rubrics = rubrics_of(references)
        if problems := [
            ReferenceProblem(index, path, what)
            for index, rubric in enumerate(rubrics)
            for path, what in self.lacks(rubric)
        ]:
            raise UnusableReference(problems)
        return rubrics

    @abstractmethod
    def decisions(self, rubric: Rubric, replies: Sequence[tuple[str, str] | None]) -> list[Decision | None]:
        """What the judge decided about each criterion of an answer, None where it decided nothing.

        Args:
            replies: for each of the answer's items the verdict and the reply that it was read in, None without one.
        """


def _slug(dimension: str) -> str:
    """The name of a dimension in that of its score: letters, digits and hyphens.

    >>> _slug("Instruction_following, all")
    'instruction-following-all'
    """
    return re.sub(r"[\W_]+", "-", dimension.casefold()).strip("-")


class Criteria(RubricJudge):
    """What an answer earned of the weights of its question's criteria, of which a language model decides each.

    Arora et al. (2025), HealthBench, https://arxiv.org/abs/2505.08775; Sharma et al. (2025), ResearchRubrics,
    https://arxiv.org/abs/2511.07685; see `Rubric.score`. A question with several rubrics has the mean of their
    scores. A dimension's score is that of the criteria of the dimension. At most 1, and below 0 where faults weigh more
    than what is met.
    """

    name: ClassVar[str] = "rubric"
    score_names: tuple[str, ...] = ("rubric",)  # type: ignore[misc]
    label: ClassVar[str] = "Rubric score"
    short_label: ClassVar[str] = "Rubric"
    whole: ClassVar[str] = WHOLE
    bounds: tuple[float, float] | None = None
    formula: ClassVar[str] = "metrics/rubric/formula.html"
    asks_about: ClassVar[str] = "criteria"
    reply_tokens: int = items.REPLY_TOKENS  # type: ignore[misc]  # of an instance, by its requests

    def __init__(
        self,
        prompts: Mapping[str, str] | None = None,
        judged_length: int | None = None,
        *,
        dimensions: Sequence[str] = (),
        clip: str = "",
        scale: float = 0.0,
        requests: str = groups.CRITERION,
        required: bool = False,
    ) -> None:
        """See `RubricJudge`.

        Args:
            clip: ``mean`` to clip the means of all scores to 0 to 1, as HealthBench does (`CLIPPED`).
            scale: the best score of a reply; by default replies have a verdict.
            requests: what one request is about: a ``criterion``, or all criteria of a ``dimension`` or a ``question``.
            required: whether the share of the required criteria that are met is a score too.

        Raises:
            ValueError: see `RubricJudge`; or if *clip*, *requests* or *required* is something else, or the scale is no
                number from 0 on.
        """
        if clip not in ("", "mean"):
            raise ValueError('clip is "mean", or left out')
        if isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 <= scale < inf:
            raise ValueError("scale is the best score of a reply")
        if requests not in groups.REQUESTS:
            raise ValueError(f"requests is one of {', '.join(groups.REQUESTS)}")
        if not isinstance(required, bool):
            raise ValueError("required is true or false")
        self.scale, self.requests, self.in_groups = scale, requests, requests != groups.CRITERION
        super().__init__(prompts, judged_length, dimensions=dimensions)
        if required and REQUIRED in self.dimensions:
            raise ValueError("no dimension has the name of the score required")
        self.required = (REQUIRED,) if required else ()
        self.score_names = (self.name, *self.required, *self.dimensions)
        self.clips_mean = clip == "mean"
        self.bounds = (0.0, 1.0) if self.clips_mean else None
        self.prompt = None if prompts is None else self._prompt_among(prompts)
        self.is_graded = self.prompt is not None and self.prompt.is_graded
        self.measures = measures.prompts_of(prompts or {})
        if self.in_groups:
            self.reply_tokens = groups.REPLY_TOKENS
        if self.prompt is not None:
            kind = f"criteria-by-{requests}" if self.in_groups else "rubric"
            self.prompt_version = self.prompt.version_with(self.measures.values(), kind)

    def columns(self) -> tuple[Column, ...]:
        whole, *of_dimensions = super().columns()
        text = "The share of the required criteria, neither optional nor faults, that answers meet; all count alike."
        required = self.column("required", "Required criteria met", "Required", text, disclosed=False)
        return (whole, *([required] if self.required else ()), *of_dimensions)

    def _prompt_among(self, files: Mapping[str, str]) -> items.CriterionPrompt:
        if items.PROMPT not in files:
            return groups.PROMPT
        system = files.get(items.SYSTEM_PROMPT, "").strip()
        return items.CriterionPrompt(files[items.PROMPT].strip(), system, self.scale)

    def prompt_files(self, names: Collection[str] = ()) -> tuple[PromptFile, ...]:
        own = items.prompt_file(of_groups=self.in_groups, has_scale=self.scale > 0)
        return (own, measures.CLAIMS, measures.COUNT)

    def prompt_faults(self, files: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
        if items.PROMPT not in files and items.SYSTEM_PROMPT in files:
            expected = f"the prompt beside it, prompts/{items.PROMPT}"
            yield items.SYSTEM_PROMPT, "a system message alone, which is not sent", expected
        yield from super().prompt_faults(files)

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "Measures how many of the criteria of its question an answer meets. A language model gets the "
                f"benchmark's prompt with the answer and {_ASKED[self.requests]}, and says "
                f"whether the answer meets {'each' if self.in_groups else 'it'}."
            ),
            formula=(
                "w = the weight of a criterion, s = 1 if it is met, ½ if it is met in part, 0 if not\n"
                "score of a question = Σ w · s / Σ of the positive w; of several rubrics the mean\n"
                "board = the mean over all questions" + ", clipped to 0 to 1" * self.clips_mean
            ),
            surprises=(
                *(_CLIPPED,) * self.clips_mean,
                "Criteria with a negative weight name faults: a question's score may be below 0.",
                "A dimension counts only in questions that have a criterion with a positive weight in it.",
                "Where the benchmark declares a scale, s is the judge's score divided by the best one.",
                "The criteria of a request are decided together; a changed one has all of them asked about again."
                if self.in_groups
                else "Each criterion is one request to the judge; a changed one is asked for again alone.",
                "An unanswered question scores 0, and is no request to the judge.",
                "A reply without a verdict is asked for again and then shown as unparsed, never counted as 0.",
                "Scores by different judges or prompts are not comparable; the signature names both.",
            ),
            source="https://arxiv.org/abs/2505.08775",
        )

    def items(self, answers: AnswersToJudge) -> Iterator[items.CriterionItem]:
        """Items to judge: one for each criterion of each answer with content. Those of a group have one address.

        Args:
            answers: An item's key has the number of its criterion after that of its answer.

        Raises:
            UnusableReference: If some reference is no rubric, or needs a prompt that the benchmark lacks; all of them
                are listed.
        """
        assert self.prompt is not None  # noqa: S101 - a metric that only describes itself asks nothing
        prompts = {"": self.prompt, LENGTH: self.prompt, **self.measures}
        rules = tuple(dict.fromkeys(rule for prompt in prompts.values() for rule in prompt.delimiters))
        for key, question, rubric, generation, _ in answers.rows(self.prepare):
            if has_content(generation):
                answer = generation or ""
                as_sent = sent(answer, rules, answers.longest or self.longest)
                in_group = groups.places_in(rubric.criteria, self.requests, has_scale=self.scale > 0)
                for place, criterion in enumerate(rubric.criteria):
                    name, prompt = f"{key}\t{place + 1}", prompts[criterion.measure]
                    if place in in_group:
                        listed, *numbers = in_group[place]
                        yield groups.GroupItem(name, question, listed, as_sent, criterion, prompt, *numbers)
                        continue
                    kind = measures.ITEMS.get(criterion.measure, items.CriterionItem)
                    own = SentAnswer(answer, cut=False) if criterion.measure == LENGTH else as_sent
                    yield kind(name, question, measures.asked_about(criterion), own, criterion, prompt)

    def unmet_need(self, references: Sequence[ReferenceAnswer], evidence: Sequence[Sequence[object]]) -> str:
        del evidence
        rubrics = rubrics_of(references)
        has_required = any(one.required_met([0.0] * len(one.criteria)) is not None for one in rubrics)
        return (
            "a criterion that is neither optional nor a fault" if self.required and rubrics and not has_required else ""
        )

    def lacks(self, rubric: Rubric) -> Iterator[tuple[ReferencePath, str]]:
        """The prompts of measures that the benchmark does not have."""
        for place, criterion in enumerate(rubric.criteria):
            if criterion.measure in measures.FILES and criterion.measure not in self.measures:
                name = measures.FILES[criterion.measure].name
                yield ("criteria", place, "measure"), f"expected a measure whose prompt, prompts/{name}, is there"

    def score_answers(
        self,
        verdicts: Sequence[Sequence[str]],
        references: Sequence[ReferenceAnswer],
        generations: Sequence[str | None] = (),
    ) -> Mapping[str, ScoredVector]:
        """See `JudgeMetric.score_answers`.

        >>> rubric = {"criteria": [{"criterion": "Oslo", "weight": 3}, {"criterion": "Invents", "weight": -1}]}
        >>> Criteria().score_answers([["1", "1"], []], [rubric, rubric])["rubric"].value
        0.3333333333333333
        """
        del generations
        check_lengths(len(verdicts), len(references))
        rubrics = rubrics_of(references)
        met = [
            measures.values_of(rubric.criteria, own or [NOT_MET] * len(rubric.criteria))
            for rubric, own in zip(rubrics, verdicts, strict=True)
        ]
        rows = list(zip(rubrics, met, strict=True))
        scores = {self.name: mean_vector([rubric.score(own) or 0.0 for rubric, own in rows])}
        required = mean_of_known([rubric.required_met(own) for rubric, own in rows])
        if self.required and required is not None:
            scores[REQUIRED] = required
        return scores | self.dimension_scores(
            lambda place, dimension: rubrics[place].score(met[place], dimension), len(rubrics)
        )

    def decisions(self, rubric: Rubric, replies: Sequence[tuple[str, str] | None]) -> list[Decision | None]:
        values = measures.values_of(rubric.criteria, [known[0] if known else NOT_MET for known in replies])
        return [
            Decision(value, reason=reason_in(items.object_in(known[1]) or {})) if known else None
            for known, value in zip(replies, values, strict=True)
        ]

    def is_correct(self, verdict: str) -> bool:
        """Whether a criterion is met (`is_met`)."""
        return is_met(float(verdict))
