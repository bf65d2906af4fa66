# %% [markdown]
# # Figures of a study in which people rate texts
#
# This notebook computes every figure of the study's page *Scores* from the tables beside it. It needs Python 3.11
# and NumPy; the statistics are the site's own, in the folder `scoring`. Intervals are 95 % confidence intervals.

# %%
import csv
import json
from collections import Counter, defaultdict
from math import nan
from pathlib import Path
from statistics import fmean
from typing import Any

from scoring.statistics import Estimate, krippendorff_alpha, mean_estimate


def rows_of(table: str) -> list[dict[str, str]]:
    """The rows of a table; an empty text is a missing value."""
    with Path(f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


figures: dict[str, list[float | None]] = {}
study = json.loads(Path("study.json").read_text(encoding="utf-8"))
texts = rows_of("texts")
ratings = rows_of("ratings")

# %% [markdown]
# Ratings count if they are finished, and their author neither was excluded nor withdrew. Where participants said that
# a text told them who wrote it, the rule `on_named` of the study decides.

# %%
people = {row["participant"] for row in rows_of("participants") if row["counts"] == "true"}
told = {(row["participant"], row["item"]) for row in ratings if row["named"] == "true" and row["participant"] in people}
figures["Who wrote it"] = [len(told)]
counted = [row for row in ratings if row["counts"] == "true"]
by_rating: dict[tuple[str, str], dict[str, dict[str, str]]] = defaultdict(dict)
for row in counted:
    by_rating[row["participant"], row["item"]][row["question"]] = row
group_of = {row["item"]: row["group"] for row in texts}
groups = sorted(set(group_of.values()))


def mean_of(values: list[float], keys: list[tuple[str, str]], bounds: tuple[float, float] = (0, 1)) -> Estimate:
    """A mean with its interval over people, each with all of their ratings, and over texts."""
    return mean_estimate(values, ([who for who, _ in keys], [text for _, text in keys]), bounds=bounds)


# %% [markdown]
# ## Groups
#
# The weighted score of a rating is the mean of the scores of its answers by the questions' weights; it needs an answer
# to every question that counts.

# %%
questions = study["rating_questions"]


def is_scored(question: dict[str, Any]) -> bool:
    """Whether a question counts in the weighted score."""
    return "low_score" in question.get("scale", {}) or any("score" in choice for choice in question.get("choices", []))


scored = [question for question in questions if is_scored(question)]
for group in groups:
    own = {key: rating for key, rating in by_rating.items() if group_of[key[1]] == group}
    scores = {
        key: fmean(
            [float(rating[question["name"]]["score"]) for question in scored],
            [question.get("weight", 1) for question in scored],
        )
        for key, rating in own.items()
        if scored and all(question["name"] in rating for question in scored)
    }
    score = mean_of(list(scores.values()), list(scores), (0, 100))
    n_complete = len(scores) if scored and len(scores) != len(own) else None
    n_texts = sum(row["group"] == group for row in texts)
    figures[f"Groups: {group}"] = [
        *(score.value, score.low, score.high),
        *(len({text for _, text in own}), n_texts, len(own), n_complete, len({who for who, _ in own})),
    ]

# %% [markdown]
# ## Questions
#
# Shares of the answers in per cent, the mean of a scale, and the agreement on the texts with two or more ratings.

# %%
for question in questions:
    name, scale = question["name"], question.get("scale")
    options = [str(n + 1) for n in range(scale["highest"])] if scale else [one["name"] for one in question["choices"]]
    given = {key: rating[name]["answer"] for key, rating in by_rating.items() if name in rating}
    for group in groups:
        keys = [key for key in given if group_of[key[1]] == group]
        found = []
        if scale:
            mean = mean_of([float(given[key]) for key in keys], keys, (1, scale["highest"]))
            found += [mean.value, mean.low, mean.high]
        for option in options:
            share = mean_of([float(given[key] == option) for key in keys], keys)
            found += [None if end is None else 100 * end for end in (share.value, share.low, share.high)]
        figures[f"{question['text']}: {group}"] = found
    raters, items = sorted({who for who, _ in given}), sorted({item for _, item in given})
    codes = [[options.index(given[who, item]) if (who, item) in given else nan for item in items] for who in raters]
    alpha = krippendorff_alpha(codes, scale="ordinal" if scale else "nominal") if given else Estimate(None, None, 0)
    figures[f"{question['text']}: Krippendorff’s α"] = [alpha.value, alpha.low, alpha.high, alpha.n_items]

# %% [markdown]
# ## Excluded participants
#
# By a rule that the study declared, or for the reason that was given.

# %%
excluded: Counter[str] = Counter()
for row in rows_of("participants"):
    if row["excluded_by"]:
        excluded[row["excluded_by"]] += 1
    elif row["excluded_at"] and not row["withdrawn_at"]:
        excluded[f"Excluded: {row['exclusion_reason']}"] += 1
figures |= {f"Excluded participants: {why}": [n] for why, n in excluded.items()}

# %%
for name, numbers in figures.items():
    print(name, *(f"{number:.4g}" for number in numbers if number is not None), sep="\t")
