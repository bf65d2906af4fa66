"""The outcome of a study in which people rate texts: by group, shares of answers, means, and a weighted score.

As in section 4.3 of Wolfson et al. 2025 (https://arxiv.org/abs/2508.11133): figure 5 has the share of one choice and
the mean of a scale, figure 6 the shares of all choices, and figure 1 the weighted score. Ratings count if their
author's do (`humaneval.studies.queries.counted`). Intervals are over people, each with all of their ratings.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from humaneval.models import Assignment, Study
from humaneval.studies.queries import counted
from humaneval.studies.ratings import RatingQuestion, questions_of, rating_of, weighted_score
from scoring.statistics import FEWEST_PEOPLE, TooFewUnitsError, krippendorff_alpha, mean_interval
from scoring.statistics.agreement import Reliability


class Rating(NamedTuple):
    """The current answers of a participant about a text."""

    participant: str
    item: str
    group: str
    answers: dict[str, str]
    """By the questions' names."""


@dataclass(frozen=True)
class Mean:
    """A mean over ratings with its 95 % confidence interval over people; None where there is nothing, or too little."""

    n: int
    """The number of ratings."""
    value: float | None = None
    low: float | None = None
    high: float | None = None

    @classmethod
    def of_values(
        cls, values: Sequence[float], people: Sequence[str], lowest: float = 0.0, highest: float = 1.0
    ) -> "Mean":
        """The mean of values between two bounds.

        >>> found = Mean.of_values([1, 5, 4, 5], ["a", "a", "b", "b"], 1, 5)
        >>> found.value, found.low < found.value < found.high
        (3.75, True)
        """
        if not values:
            return cls(0)
        value = sum(values) / len(values)
        try:
            ends = mean_interval([(one - lowest) / (highest - lowest) for one in values], people)
        except TooFewUnitsError:
            return cls(len(values), value)
        low, high = (lowest + (highest - lowest) * end for end in (ends.low, ends.high))
        return cls(len(values), value, low, high)


@dataclass(frozen=True)
class GroupRatings:
    """One group of texts."""

    group: str
    n_texts: int
    n_rated: int
    n_ratings: int
    n_people: int
    score: Mean
    """The weighted score, 0 to 100."""


@dataclass(frozen=True)
class QuestionRatings:
    """The answers to one question."""

    question: RatingQuestion
    rows: tuple[tuple[str, Mean | None, tuple[tuple[str, Mean], ...]], ...]
    """For each group its name, the mean of a scale, and the label and share of each option."""
    agreement: Reliability
    """Krippendorff's alpha over the texts with two or more ratings: nominal for choices, ordinal for scales."""

    @property
    def chart(self) -> dict[str, Any]:
        """A dot plot for a script: the mean of a scale by group, or the share of each option in per cent."""
        if self.question.is_scale:
            return chart_of("Mean", ((group, mean) for group, mean, _ in self.rows if mean), decimals=2)
        by_option = zip(*(shares for _, _, shares in self.rows), strict=True)
        groups = [group for group, _, _ in self.rows]
        named = (
            (f"{label}: {group}", share)
            for option in by_option
            for group, (label, share) in zip(groups, option, strict=True)
        )
        return chart_of("Share of ratings in per cent", named, unit=100)


def chart_of(label: str, means: Iterable[tuple[str, Mean]], *, unit: float = 1, decimals: int = 1) -> dict[str, Any]:
    """A dot plot of means by name, without those of nothing; each is multiplied by the unit."""
    unranked = dict.fromkeys(("rank", "best_rank", "worst_rank"))
    points: list[dict[str, Any]] = []
    for name, mean in means:
        if mean.n:
            ends = {"value": mean.value, "low": mean.low, "high": mean.high}
            shown = {key: None if end is None else unit * end for key, end in ends.items()}
            points.append({"name": name, **shown, **unranked})
    return {"points": points, "column": {"label": label, "decimals": decimals}, "what": "means"}


@dataclass(frozen=True)
class RatingOutcome:
    """The outcome of a study."""

    groups: tuple[GroupRatings, ...]
    questions: tuple[QuestionRatings, ...]

    @property
    def is_scored(self) -> bool:
        """Whether there is a weighted score."""
        return any(one.question.is_scored for one in self.questions)

    @property
    def chart(self) -> dict[str, Any]:
        """A dot plot of the weighted scores for a script."""
        return chart_of("Weighted score, 0 to 100", ((one.group, one.score) for one in self.groups))

    @property
    def few_people(self) -> bool:
        """Whether a group has ratings of fewer people than intervals should have."""
        return any(0 < group.n_people < FEWEST_PEOPLE for group in self.groups)


def ratings_of(study: Study) -> list[Rating]:
    """The ratings that count, by participant and position. One query."""
    rows = (
        Assignment.objects.filter(participant__in=counted(study), item__isnull=False)
        .exclude(text="")
        .select_related("item", "participant")
        .order_by("participant__number", "position")
    )
    return [Rating(row.participant.code, row.item.key, row.item.group, rating_of(row.text)) for row in rows if row.item]


def outcome_of_ratings(study: Study) -> RatingOutcome:
    """The outcome of a study, of the current ratings. Two queries."""
    texts: dict[str, int] = defaultdict(int)
    for group in study.items.order_by("group").values_list("group", flat=True):
        texts[group] += 1
    by_group: dict[str, list[Rating]] = {group: [] for group in texts}
    ratings = ratings_of(study)
    for rating in ratings:
        by_group[rating.group].append(rating)
    questions = questions_of(study)
    return RatingOutcome(
        tuple(_group(group, n, by_group[group], questions) for group, n in texts.items()),
        tuple(
            QuestionRatings(
                one,
                tuple((group, *_answers(one, of)) for group, of in by_group.items()),
                _agreement(one, ratings, study.seed),
            )
            for one in questions
        ),
    )


def _group(group: str, n_texts: int, ratings: Sequence[Rating], questions: Sequence[RatingQuestion]) -> GroupRatings:
    scored = [(weighted_score(questions, one.answers), one.participant) for one in ratings]
    known = [(score, who) for score, who in scored if score is not None]
    return GroupRatings(
        group,
        n_texts,
        n_rated=len({one.item for one in ratings}),
        n_ratings=len(ratings),
        n_people=len({one.participant for one in ratings}),
        score=Mean.of_values([score for score, _ in known], [who for _, who in known], 0, 100),
    )


def _answers(question: RatingQuestion, ratings: Iterable[Rating]) -> tuple[Mean | None, tuple[tuple[str, Mean], ...]]:
    """The mean of a scale (None for choices), and the share of each option."""
    given = [(one.answers[question.name], one.participant) for one in ratings if question.name in one.answers]
    people = [who for _, who in given]
    shares = tuple(
        (option.label, Mean.of_values([float(value == option.value) for value, _ in given], people))
        for option in question.options
    )
    if not question.is_scale:
        return None, shares
    return Mean.of_values([float(value) for value, _ in given], people, 1, len(question.options)), shares


def _agreement(question: RatingQuestion, ratings: Iterable[Rating], seed: int) -> Reliability:
    codes = {option.value: float(place) for place, option in enumerate(question.options)}
    given = {
        (one.participant, one.item): codes[one.answers[question.name]]
        for one in ratings
        if question.name in one.answers
    }
    people, items = (sorted({key[side] for key in given}) for side in (0, 1))
    if not given:
        return Reliability(None, None, 0)
    table = [[given.get((who, item), math.nan) for item in items] for who in people]
    return krippendorff_alpha(table, level="ordinal" if question.is_scale else "nominal", seed=seed)
