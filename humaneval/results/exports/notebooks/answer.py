# %% [markdown]
# # Figures of a study in which people answer questions
#
# This notebook computes every figure of the latest answer set on the study's page *Scores* from the files beside it. It
# needs Python 3.11 and NumPy; the statistics are the site's own, in the folder `scoring`.

# %%
import csv
import json
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

from scoring.statistics import TooFewUnitsError, mean_intervals, weighted_mean_interval


def rows_of(table: str) -> list[dict[str, str]]:
    """The rows of a table; an empty text is a missing value."""
    with Path(f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


figures: dict[str, list[float | None]] = {}
study = json.loads(Path("study.json").read_text(encoding="utf-8"))

# %% [markdown]
# ## Unfinished answers
#
# Saved while being typed and never marked done, of participants who count and have not finished the study.

# %%
participants = {row["participant"]: row for row in rows_of("participants") if row["counts"] == "true"}
unfinished = [
    row
    for row in rows_of("answers")
    if row["participant"] in participants and row["answer"].strip() and row["done"] == "false" and row["id"]
    if row["skipped"] == "true" or not participants[row["participant"]]["finished_at"]
]
figures["Unfinished"] = [len(unfinished)]

# %% [markdown]
# ## Scores
#
# A score is the mean over the answers given. Intervals are 95 % confidence intervals over participants and questions.
# The table has no values of withdrawn answers whose texts were deleted; scores with such answers cannot be computed. On
# a hidden split the table is for maintainers only.

# %%
by_score: dict[str, list[dict[str, str]]] = defaultdict(list)
for row in rows_of("grades") if Path("grades.csv").exists() else ():
    by_score[row["score"]].append(row)
for name, grades in by_score.items():
    values, weights = ([float(row[column]) for row in grades] for column in ("value", "weight"))
    clusters = [row["participant"] for row in grades], [row["cluster"] for row in grades]
    is_share = grades[0]["share"] == "true"
    value = sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)
    low = high = None
    try:
        if set(weights) != {1.0}:
            ends = weighted_mean_interval(values, weights, clusters, shares=is_share)
            low, high = ends.low, ends.high
        else:
            row_ends = mean_intervals(values, clusters=clusters, shares=is_share)
            low, high = float(row_ends.low), float(row_ends.high)
    except TooFewUnitsError:  # a single participant or question
        pass
    figures[f"Score: {name}"] = [value, low, high]
    keys = {(row["participant"], row["id"]) for row in grades}
    n_people, n_questions = len({who for who, _ in keys}), len({qid for _, qid in keys})
    figures["Answer set"] = [len(keys), n_people, n_questions, study["n_questions"]]

# %% [markdown]
# ## Agreement of lists
#
# Where answers are lists: every two lists for one question. An item is contained in the other list if all its words are
# among those of one item there. The overlap is the number of contained items through the length of the longer list.
# Lists are accepted if their overlap is above 77 % and their length difference below 25 %.

# %%
lists: dict[str, dict[str, list[frozenset[str]]]] = defaultdict(dict)
with Path("generations.jsonl").open(encoding="utf-8", newline="\n") as file:
    sent = [json.loads(line) for line in file]  # an answer may contain other separators of lines
for answer in sent:
    items = next(value for key, value in answer.items() if key not in ("id", "participant"))
    if isinstance(items, list):
        lists[answer["id"]][answer["participant"]] = [frozenset(item.lower().split()) for item in items]
n_accepted = n_pairs = 0
for qid, by_person in lists.items():
    for (one, first), (other, second) in combinations(by_person.items(), 2):
        longest = max(len(first), len(second))
        ways = (first, second), (second, first)
        contained = (sum(any(item <= there for there in others) for item in of) for of, others in ways)
        overlap = max(contained) / longest if longest else 0.0
        difference = abs(len(first) - len(second)) / longest if longest else 0.0
        n_pairs += 1
        n_accepted += longest > 0 and overlap > 0.77 and difference < 0.25
        figures[f"Lists: {qid}, {one} and {other}"] = [100 * overlap, 100 * difference]
if n_pairs:
    figures["Lists: accepted"] = [n_accepted, n_pairs]

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
