"""Reports that a judge compares with a reference report on every criterion, as in DeepResearch Bench.

Du et al. (2025), DeepResearch Bench, https://arxiv.org/abs/2506.11763 (RACE); see `against_reference`.

A verdict is stored as the means of both reports on the judge's scale by dimension, in the order of the list of criteria
that the judge gets: ``7.25/6.5;8.0/7.0``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from scoring.generations.records import has_content
from scoring.metrics.answer_lists import mean_vector
from scoring.metrics.asking.errors import ReplyError
from scoring.metrics.asking.items import AnswersToJudge, AskedItem
from scoring.metrics.asking.languages import PromptsByLanguage, prompt_for
from scoring.metrics.asking.letters import Reading
from scoring.metrics.asking.neutralising import Rules, sent
from scoring.metrics.asking.prompts import Asked, Prompt
from scoring.metrics.base import ReferenceAnswer, ReferencePath, ScoredVector, check_lengths
from scoring.metrics.columns import Explanation
from scoring.metrics.rubric.decisions import Decision, reason_in
from scoring.metrics.rubric.items import object_in
from scoring.metrics.rubric.judge import RubricJudge
from scoring.metrics.rubric.references import Rubric, rubrics_of
from scoring.metrics.rubric.scores import against_reference, matching, number_in, share_of

PLACES: Final = ("task_prompt", "article_1", "article_2", "criteria_list")
"""The places of the prompt, all needed: the question, the report, the reference report, the criteria as JSON."""
MOST_DIMENSIONS: Final = 8
"""In a rubric: two means of a dimension have up to 47 characters, and a stored verdict is short."""


@dataclass(frozen=True)
class ReportItem(AskedItem):
    """A report to be compared with the reference report; ``reference`` has the criteria, without their weights."""

    rubric: Rubric
    prompt: Prompt

    @property
    def further(self) -> Mapping[str, str]:
        """The reference report, and the weights: a verdict holds means."""
        weights = [[criterion.weight for criterion in own] for own in self.rubric.by_dimension.values()]
        return {"report": self.rubric.report, "weights": json.dumps(weights)}

    def messages(self) -> list[dict[str, str]]:
        texts = self.question, self.answer.text, self.rubric.report, self.reference
        return self.prompt.messages(dict(zip(PLACES, texts, strict=True)))

    def read(self, reply: str) -> Reading | None:
        try:
            return Reading(verdict_in(reply, self.rubric))
        except ReplyError:
            return None


def verdict_in(reply: str, rubric: Rubric) -> str:
    """The verdict of a judge's reply, as it is stored.

    Raises:
        ReplyError: if the reply is no JSON object, or `against_reference` cannot read it.
    """
    document = object_in(reply)
    if document is None:
        raise ReplyError("The reply is no JSON object.")
    criteria = {
        name: [{"criterion": one.criterion, "weight": one.weight} for one in own]
        for name, own in rubric.by_dimension.items()
    }
    scores = against_reference(document, criteria, rubric.dimensions)
    means = ((scores.target.dimensions[name], scores.reference.dimensions[name]) for name in criteria)
    return ";".join(f"{target!r}/{reference!r}" for target, reference in means)


def shares_in(verdict: str, rubric: Rubric) -> tuple[float, dict[str, float]]:
    """The whole score and those of the dimensions, from a stored verdict.

    >>> from scoring.metrics.rubric.references import Criterion
    >>> criteria = Criterion("Says why", 1, "insight"), Criterion("Is short", 1, "readability")
    >>> shares_in("6.0/4.0;5.0/5.0", Rubric(criteria, {"readability": 0.5, "insight": 0.5}))
    (0.55, {'insight': 0.6, 'readability': 0.5})
    """
    means = [tuple(map(float, pair.split("/"))) for pair in verdict.split(";")]
    named = dict(zip(rubric.by_dimension, means, strict=True))
    target, reference = (
        sum(named[name][side] * weight for name, weight in rubric.dimensions.items()) for side in (0, 1)
    )
    return share_of(target, reference), {name: share_of(*pair) for name, pair in named.items()}


class AgainstReference(PromptsByLanguage, RubricJudge):
    """How good a report is relative to a reference report, by a language model that scores both on every criterion.

    Du et al. (2025), DeepResearch Bench, https://arxiv.org/abs/2506.11763 (RACE). From 0 to 1, .5 is a tie with the
    reference.
    """

    name: ClassVar[str] = "against-reference"
    prompt_kind: ClassVar[str] = "reports"
    stem: ClassVar[str] = "against_reference_prompt"
    places: ClassVar[tuple[str, ...]] = PLACES
    asked: ClassVar[Asked] = Asked(
        {"both scores": r"(?s)\A(?=.*article_1_score)(?=.*article_2_score)"}, "article_1_score and article_2_score"
    )
    finished_reply: ClassVar[Rules] = ((re.compile(r"[\"“”'](\s*article_[12]_score\s*)[\"“”']\s*:"), r"\1 -"),)
    score_names: tuple[str, ...] = ("against-reference",)  # type: ignore[misc]
    label: ClassVar[str] = "Against the reference report"
    short_label: ClassVar[str] = "Overall"
    whole: ClassVar[str] = (
        "The share of a report in the sum of its own score and that of the reference report, by weighted criteria."
    )
    bounds: tuple[float, float] | None = (0.0, 1.0)
    formula: ClassVar[str] = "metrics/rubric/relative.html"
    reply_tokens: ClassVar[int] = 3_000

    def __init__(
        self,
        prompts: Mapping[str, str] | None = None,
        judged_length: int | None = None,
        *,
        dimensions: Sequence[str] = (),
    ) -> None:
        super().__init__(prompts, judged_length, dimensions=dimensions)
        self.prompts = self.prompts_of(prompts)

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "Measures how good a report is beside the benchmark's reference report. A language model gets the "
                "benchmark's own prompt with both reports and all criteria, and scores both on each from 0 to 10."
            ),
            formula=(
                "T, R of a dimension = the means of both reports' scores, weighted by the criteria's weights\n"
                "score of a dimension = T / (T + R)\n"
                "overall = ΣW·T / (ΣW·T + ΣW·R) with the dimensions' weights W\n"
                "board = the means over all questions"
            ),
            surprises=(
                "0.5 is a tie with the reference report.",
                "The overall score is no mean of the dimensions.",
                "A criterion that the reply does not score is left out, and the others of its dimension count more.",
                "A reply without a score of the reference report is asked for again, never counted as 0.",
                "An unanswered question scores 0, and is no request to the judge.",
                "Scores by different judges or prompts are not comparable; the signature names both.",
            ),
            source="https://arxiv.org/abs/2506.11763",
        )

    def items(self, answers: AnswersToJudge) -> Iterator[ReportItem]:
        """Items to judge: one for each answer with content.

        Raises:
            UnusableReference: See `prepare`.
        """
        for key, question, rubric, generation, fields in answers.rows(self.prepare):
            if has_content(generation):
                prompt = self.prompts[prompt_for(fields.get("language", ""), self.prompts)]
                report = sent(generation or "", prompt.delimiters, answers.longest or self.longest)
                yield ReportItem(key, question, criteria_list(rubric), report, rubric, prompt)

    def lacks(self, rubric: Rubric) -> Iterator[tuple[ReferencePath, str]]:
        """A few dimensions with criteria, positive weights, criteria with different texts, and the reference report."""
        if not rubric.dimensions:
            yield ("dimensions",), "expected dimensions with their weights"
        if not rubric.report.strip():
            yield ("report",), "expected the text of a reference report"
        if len(rubric.dimensions) > MOST_DIMENSIONS:
            yield ("dimensions",), f"expected at most {MOST_DIMENSIONS} dimensions"
        for name in rubric.dimensions:
            if name not in rubric.by_dimension:
                yield ("dimensions", name), "expected a dimension that has criteria"
        texts: set[tuple[str, str]] = set()
        for place, criterion in enumerate(rubric.criteria):
            if criterion.weight < 0:
                yield ("criteria", place, "weight"), "expected a weight above 0"
            text = criterion.dimension, criterion.criterion.strip().lower()
            if text in texts:
                yield ("criteria", place, "criterion"), "expected each text of a dimension once, as replies repeat it"
            texts.add(text)

    def score_answers(
        self,
        verdicts: Sequence[Sequence[str]],
        references: Sequence[ReferenceAnswer],
        generations: Sequence[str | None] = (),
    ) -> Mapping[str, ScoredVector]:
        del generations
        check_lengths(len(verdicts), len(references))
        shares = [
            shares_in(own[0], rubric) if own else (0.0, dict.fromkeys(rubric.dimensions, 0.0))
            for own, rubric in zip(verdicts, rubrics_of(references), strict=True)
        ]
        return {self.name: mean_vector([whole for whole, _ in shares])} | self.dimension_scores(
            lambda place, dimension: shares[place][1].get(dimension), len(shares)
        )

    def decisions(self, rubric: Rubric, replies: Sequence[tuple[str, str] | None]) -> list[Decision | None]:
        """Both scores of each criterion in the one reply; of a criterion that is scored twice, the first."""
        document = object_in(replies[0][1] if replies and replies[0] else "") or {}
        decided: dict[tuple[str, str], Decision] = {}
        for name, own in rubric.by_dimension.items():
            texts = [one.criterion for one in own]
            judged = document.get(name)
            for said in judged if isinstance(judged, list) else ():
                said = said if isinstance(said, Mapping) else {}
                text = matching(str(said.get("criterion") or "").strip(), texts)
                first = number_in(said.get("article_1_score")) if text else None
                second = None if first is None else number_in(said.get("article_2_score"))
                if text and first is not None and second is not None:
                    decided.setdefault((name, text), Decision(first, second, reason_in(said)))
        return [decided.get((one.dimension, one.criterion)) for one in rubric.criteria]

    def is_correct(self, verdict: str) -> bool:
        """False: no report is right or wrong here."""
        return False


def criteria_list(rubric: Rubric) -> str:
    """The criteria as the published prompt has them: JSON by dimension, without weights."""
    listed = {
        name: [{"criterion": one.criterion, "explanation": one.explanation} for one in own]
        for name, own in rubric.by_dimension.items()
    }
    return json.dumps(listed, ensure_ascii=False, indent=2)
