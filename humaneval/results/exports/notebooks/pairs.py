# %% [markdown]
# # Figures of a study in which people compare answers side by side
#
# This notebook computes every figure of the study's page *Scores* from the tables beside it. It needs Python 3.11
# and NumPy; the statistics are the site's own, in the folder `scoring`. Intervals are 95 % confidence intervals.

# %%
import csv
from collections import Counter, defaultdict
from collections.abc import Iterable
from math import nan
from pathlib import Path
from statistics import fmean

import numpy as np

from scoring.statistics import (
    Comparisons,
    Estimate,
    TooFewUnitsError,
    cohen_kappa,
    connected_parts,
    corrected_mean,
    fleiss_kappa,
    mean_estimate,
    position_bias,
    strengths,
)

csv.field_size_limit(2**31 - 1)  # a system's answer may be longer than the usual limit


def rows_of(table: str) -> list[dict[str, str]]:
    """The rows of a table; an empty text is a missing value."""
    with Path(f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


figures: dict[str, list[float | None]] = {}
pairs = {row["item"]: row for row in rows_of("pairs")}
people = {row["participant"] for row in rows_of("participants") if row["counts"] == "true"}

# %% [markdown]
# Choices count if they are finished, and their author neither was excluded nor withdrew. Where participants said that
# an answer told them who wrote it, the rule `on_named` of the study decides. Choices on pairs in which an answer names
# its system are left out, and injected pairs are in nothing but the accuracy of participants. A tie counts 1/2.

# %%
given = rows_of("choices")
figures["Who wrote it"] = [sum(row["named"] == "true" and row["participant"] in people for row in given)]
counted = [row for row in given if row["counts"] == "true"]
every = [row for row in counted if pairs[row["item"]]["names_system"] == "false"]
choices = [row for row in every if row["injected"] == "false"]
figures["Ranking"] = [
    *(len(choices), len({row["id"] for row in choices})),
    len(counted) - len(every) or None,
]

Place = tuple[str, str, str]  # a question, and the answer sets of the first and the second answer
LEFT = {"left": 1.0, "right": 0.0, "tie": 0.5, "bad": 0.5}


def place_of(row: dict[str, str]) -> Place:
    """The question and the answer sets of a choice or of a comparison by the judge."""
    pair = pairs[row["item"]] if "item" in row else row
    return row["id"], pair["first_answer_set"], pair["second_answer_set"]


for who in dict.fromkeys(row["participant"] for row in every):
    own = [row for row in every if row["participant"] == who]
    left = [LEFT[row["choice"]] for row in own if row["injected"] == "false"]
    checks = mean_estimate(
        [
            float(row["for_first"]) == 1 or (row["choice"] == "bad" and pairs[row["item"]]["first_is_good"] != "true")
            for row in own
            if row["injected"] == "true"
        ]
    )
    shares = (fmean(left) if left else None, checks.value, checks.low, checks.high)
    figures[f"Participants: {who}"] = [
        *(len(left), *(None if share is None else 100 * share for share in shares)),
        *(checks.n_ones, checks.n_items),
    ]

# %% [markdown]
# ## Ranking
#
# Strengths by the model of Bradley and Terry, in the largest part of systems that comparisons connect.

# %%
sides = [(row[f"{side}_answer_set"], row[side]) for row in pairs.values() for side in ("first", "second")]
name_of = dict(sorted(set(sides), key=lambda side: (side[1], side[0])))
number = {key: place for place, key in enumerate(name_of)}


def ranked(comparisons: list[tuple[str, str, float, str]]) -> dict[int, list[float]]:
    """Best and worst rank, strength and interval by the number of the system; the comparisons have the answer set shown
    first, the other one, the outcome for the first, and the question."""
    if not comparisons:
        return {}
    first, second, outcomes, questions = zip(*comparisons, strict=True)
    shown = [number[key] for key in first], [number[key] for key in second]
    found = Comparisons.of(*shown, outcomes, questions, len(number))
    parts = connected_parts(found.first, found.second, found.n_systems)

    def size(part: int) -> tuple[bool, int, int, int]:
        inside = parts[found.first] == part
        return len(np.unique(found.items[inside])) > 1, int((parts == part).sum()), int(inside.sum()), -part

    systems = np.flatnonzero(parts == max(np.unique(parts).tolist(), key=size))
    try:
        fit = strengths(found.between(systems))
    except TooFewUnitsError:
        return {}
    columns = fit.ranks.best, fit.ranks.worst, fit.values, fit.low, fit.high
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return {system: list(row) for system, row in zip(systems.tolist(), rows, strict=True)}


games = []
for row in choices:
    _, one, other = place_of(row)
    shown = (other, one) if row["swapped"] == "true" else (one, other)
    games.append((*shown, LEFT[row["choice"]], row["id"]))
by_people = ranked(games)

judged = [row for row in rows_of("judge_comparisons") if row["first_shown_first"] and row["second_shown_first"]]


def in_both_orders(rows: Iterable[dict[str, str]]) -> list[tuple[str, str, float, str]]:
    """Two comparisons for each question, each with the answer set that was shown first."""
    found = []
    for row in rows:
        qid, one, other = place_of(row)
        found.append((one, other, float(row["first_shown_first"]), qid))
        found.append((other, one, 1 - float(row["second_shown_first"]), qid))
    return found


by_judge = ranked(in_both_orders(judged))
for key, name in name_of.items() if by_people else ():
    won: Counter[float] = Counter()
    for row in choices:
        _, one, other = place_of(row)
        won[float(row["for_first"])] += key == one
        won[1 - float(row["for_first"])] += key == other
    best, worst, *values = by_people.get(number[key], [None] * 5)
    of_judge = by_judge.get(number[key], [None] * 5)
    figures[f"Ranking by people: {name}"] = [
        *(best, worst if worst != best else None, *values),
        *(won[1], won[0.5], won[0]),
        *(of_judge[0], of_judge[1] if of_judge[1] != of_judge[0] else None, *of_judge[2:]),
    ]

# %% [markdown]
# ## Agreement

# %%
by_place: dict[Place, list[dict[str, str]]] = defaultdict(list)
for row in choices:
    by_place[place_of(row)].append(row)
raters = {who: place for place, who in enumerate(dict.fromkeys(row["participant"] for row in choices))}
table = np.full((len(raters), len(by_place)), nan)
for column, own in enumerate(by_place.values()):
    for row in own:
        table[raters[row["participant"]], column] = np.sign(float(row["for_first"]) - 0.5)
kappa = fleiss_kappa(table, clusters=[place[0] for place in by_place]) if raters else Estimate(None, None, 0)
figures["Agreement: Fleiss’ κ"] = [kappa.value, kappa.low, kappa.high, kappa.n_items]

preference: dict[Place, float] = {}
for row in judged:
    qid, one, other = place_of(row)
    value = (float(row["first_shown_first"]) + float(row["second_shown_first"])) / 2
    preference |= {(qid, one, other): value, (qid, other, one): 1 - value}
shared = {place: own for place, own in by_place.items() if place in preference}


def judge_agreement(name: str, places: list[Place], fewest: int = 20) -> None:
    """Cohen's κ of the judge and the majority of people on some pairs."""
    if len(places) >= fewest:
        majority = [np.sign(fmean(float(row["for_first"]) for row in shared[place]) - 0.5) for place in places]
        judge = [np.sign(preference[place] - 0.5) for place in places]
        found = cohen_kappa(majority, judge, clusters=[place[0] for place in places])
        figures[f"Agreement: {name}"] = [found.value, found.low, found.high, found.n_items]


category_of = {place_of(row): pairs[row["item"]]["category"] for row in choices}
judge_agreement("All pairs", list(shared), 1)
for key, name in name_of.items():
    judge_agreement(name, [place for place in shared if key in place[1:]])
for category in sorted(set(category_of.values()) - {""}):
    judge_agreement(category, [place for place in shared if category_of[place] == category])

# %% [markdown]
# ## Bias
#
# The mean outcome for the answer on the left (of the judge: shown first) and for the longer answer, in per cent.


# %%
def show(name: str, share: Estimate) -> None:
    """A share in per cent, with its interval and number of cases."""
    ends = (share.value, share.low, share.high)
    figures[f"Bias: {name}"] = [*(None if end is None else 100 * end for end in ends), share.n_items]


def longer(outcomes: Iterable[tuple[Place, float]]) -> Estimate:
    """The mean outcome for the longer answer, over questions."""
    found = []
    for place, outcome in outcomes:
        pair = pairs[shared_item[place]]
        difference = int(pair["first_length"]) - int(pair["second_length"])
        if difference:
            found.append((outcome if difference > 0 else 1 - outcome, place[0]))
    return mean_estimate([outcome for outcome, _ in found], [qid for _, qid in found])


shared_item = {place_of(row): row["item"] for row in choices}
left = [LEFT[row["choice"]] for row in choices]
show("People: the answer on the left", mean_estimate(left, [row["participant"] for row in choices]))
on_shared = [
    row
    for row in judged
    if row["judged"] == "true" and {place_of(row), (row["id"], *place_of(row)[:0:-1])} & shared.keys()
]
compared = in_both_orders(on_shared)
bias = None
if compared:
    first, second, outcomes, questions = zip(*compared, strict=True)
    shown_sides = [number[key] for key in first], [number[key] for key in second]
    bias = position_bias(Comparisons.of(*shown_sides, outcomes, questions, len(number)))
figures["Bias: Judge: the answer shown first"] = (
    [100 * bias.first_place, 100 * bias.low, 100 * bias.high, bias.n_pairs] if bias else [len(on_shared)]
)
show("People: the longer answer", longer((place_of(row), float(row["for_first"])) for row in choices))
show("Judge: the longer answer", longer((place, preference[place]) for place in shared))

# %% [markdown]
# ## The judge's win rates, corrected by people
#
# Averaged over the questions that all systems answered.

# %%
by_sides: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
for row in rows_of("judge_comparisons"):
    by_sides[row["first_answer_set"], row["second_answer_set"]].append(row)
answered = [{row["id"] for row in rows if row["both_answered"] == "true"} for rows in by_sides.values()]
by_all = set.intersection(*answered) if answered else set()
wins = {place: fmean(float(row["for_first"]) for row in own) for place, own in by_place.items()}
people_won = wins | {(qid, other, one): 1 - share for (qid, one, other), share in wins.items()}
all_judged = {key for both in by_sides for key in both} == set(name_of)
for one, other in by_sides if all_judged else ():
    known = [place for row in judged if (place := place_of(row))[1:] == (one, other) and place[0] in by_all]
    graded = [n for n, place in enumerate(known) if place in people_won]
    if graded:
        verdicts = [preference[place] for place in known]
        grades = [people_won[known[n]] for n in graded]
        right = corrected_mean(verdicts, graded, grades, clusters=[place[0] for place in known])
        ends = (right.value, right.low, right.high) if right else ()
        figures[f"The judge’s win rates, corrected by people: {name_of[one]} against {name_of[other]}"] = [
            *(100 * share for share in (fmean(verdicts), fmean(grades), *ends)),
            *(len(known), len(grades)),
        ]

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
