"""The outcome of a study in which people rate texts: by group, shares of answers, means, and a weighted score.

As in section 4.3 of Wolfson et al. 2025 (https://arxiv.org/abs/2508.11133): figure 5 has the share of one choice and
the mean of a scale, figure 6 the shares of all choices, and figure 1 the weighted score. Ratings count if their
author's do and they are finished (`humaneval.studies.queries.counted_answers`). Intervals are over people, each with
all of their ratings, and over texts, each with all of its ratings.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from humaneval.models import Study
from humaneval.studies.queries import counted_answers
from humaneval.studies.ratings import RatingQuestion, questions_of, rating_of, weighted_score
from leaderboard.board.charts.plots import dot_plot
from scoring.metrics.columns import Column
from scoring.statistics import FEWEST_PEOPLE, Estimate, krippendorff_alpha, mean_estimate


class Rating(NamedTuple):
    """The current answers of a participant about a text."""

    participant: str
    item: str
    group: str
    answers: dict[str, str]
    """Answers by the questions' names."""


def _mean_of(values: Sequence[float], ratings: Sequence[Rating], bounds: tuple[float, float] = (0.0, 1.0)) -> Estimate:
    """The mean of values between two bounds, one of each rating, with its 95 % interval over people and texts.

    >>> ratings = [Rating(who, text, "", {}) for who in "ab" for text in ("t-1", "t-2")]
    >>> mean = _mean_of([1, 5, 4, 5], ratings, (1, 5))
    >>> mean.value, mean.low < mean.value < mean.high
    (3.75, True)
    """
    clusters = [rating.participant for rating in ratings], [rating.item for rating in ratings]
    return mean_estimate(values, clusters, bounds=bounds)


def chart_of(
    label: str, means: Iterable[tuple[str, Estimate]], *, unit: float = 1, decimals: int = 1
) -> dict[str, Any]:
    """A dot plot of means by name, without those of nothing; each is multiplied by the unit."""
    points: list[dict[str, Any]] = []
    for name, mean in means:
        if mean.n_items:
            ends = {"value": mean.value, "low": mean.low, "high": mean.high}
            shown = {key: None if end is None else unit * end for key, end in ends.items()}
            points.append({"name": name, **shown, "kind": "", "marked": False})
    column = Column(*("mean", "", label, label, "", ""), unit="number", digits=decimals, bounds=None)
    description = f"{label} of {len(points)} rows. The table below has the same numbers."
    svg = dot_plot(points, column, ()).element("plot plot--wide", description, label) if points else ""
    return {"points": points, "svg": svg}


def ratings_of(study: Study) -> list[Rating]:
    """The ratings that count, by participant and position. One query."""
    rows = counted_answers(study).select_related("item", "participant")
    return [Rating(row.participant.code, row.item.key, row.item.group, rating_of(row.text)) for row in rows if row.item]


def outcome_of_ratings(study: Study) -> dict[str, Any]:
    """The outcome of a study, of the current ratings. Two queries."""
    texts: dict[str, int] = defaultdict(int)
    for group in study.items.order_by("group").values_list("group", flat=True):
        texts[group] += 1
    by_group: dict[str, list[Rating]] = {group: [] for group in texts}
    ratings = ratings_of(study)
    for rating in ratings:
        by_group[rating.group].append(rating)
    questions = questions_of(study)
    groups: list[dict[str, Any]] = []
    for group, n_texts in texts.items():
        own = by_group[group]
        scored = [(weighted_score(questions, rating.answers), rating) for rating in own]
        known = [(score, rating) for score, rating in scored if score is not None]
        groups.append(
            {
                "group": group,
                "n_texts": n_texts,
                "n_rated": len({rating.item for rating in own}),
                "n_ratings": len(own),
                "n_people": len({rating.participant for rating in own}),
                # The weighted score, 0 to 100.
                "score": _mean_of([score for score, _ in known], [rating for _, rating in known], (0, 100)),
            }
        )
    is_scored = any(question.is_scored for question in questions)
    means = ((group["group"], group["score"]) for group in groups)
    return {
        "groups": groups,
        "questions": [_question(question, by_group, ratings) for question in questions],
        "is_scored": is_scored,
        "chart": chart_of("Weighted score, 0 to 100", means) if is_scored else None,
        # Intervals are wide where a group has ratings of few people.
        "few_people": any(0 < group["n_people"] < FEWEST_PEOPLE for group in groups),
    }


def _question(
    question: RatingQuestion, by_group: Mapping[str, Sequence[Rating]], ratings: Sequence[Rating]
) -> dict[str, Any]:
    """The answers to one question: in ``rows`` for each group its name, the mean of a scale, and the label and share of
    each option; in ``chart`` the means of a scale, or the shares in per cent."""
    rows = [(group, *_answers(question, own)) for group, own in by_group.items()]
    if question.is_scale:
        chart = chart_of("Mean", ((group, mean) for group, mean, _ in rows if mean), decimals=2)
    else:
        by_option = zip(*(shares for _, _, shares in rows), strict=True)
        named = (
            (f"{label}: {group}", share)
            for option in by_option
            for (group, _, _), (label, share) in zip(rows, option, strict=True)
        )
        chart = chart_of("Share of ratings in per cent", named, unit=100)
    return {"question": question, "rows": rows, "chart": chart, "agreement": _agreement(question, ratings)}


def _answers(
    question: RatingQuestion, ratings: Iterable[Rating]
) -> tuple[Estimate | None, tuple[tuple[str, Estimate], ...]]:
    """The mean of a scale (None for choices), and the share of each option."""
    given = [(rating.answers[question.name], rating) for rating in ratings if question.name in rating.answers]
    rated = [rating for _, rating in given]
    shares = tuple(
        (option.label, _mean_of([float(value == option.value) for value, _ in given], rated))
        for option in question.options
    )
    if not question.is_scale:
        return None, shares
    return _mean_of([float(value) for value, _ in given], rated, (1, len(question.options))), shares


def _agreement(question: RatingQuestion, ratings: Iterable[Rating]) -> Estimate:
    """Krippendorff's alpha over the texts with two or more ratings: nominal for choices, ordinal for scales."""
    codes = {option.value: float(place) for place, option in enumerate(question.options)}
    given = {
        (rating.participant, rating.item): codes[rating.answers[question.name]]
        for rating in ratings
        if question.name in rating.answers
    }
    people, items = (sorted({key[side] for key in given}) for side in (0, 1))
    if not given:
        return Estimate(None, None, 0)
    table = [[given.get((who, item), math.nan) for item in items] for who in people]
    return krippendorff_alpha(table, scale="ordinal" if question.is_scale else "nominal")
