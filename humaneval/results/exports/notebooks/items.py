# %% [markdown]
# # Figures of a study in which people check answers against passages
#
# This notebook computes every figure of the study's page *Scores* from the tables beside it. It needs Python 3.11
# and NumPy; the statistics are the site's own, in the folder `scoring`. Intervals are 95 % confidence intervals.

# %%
import csv
import json
from collections import Counter, defaultdict
from math import ceil, nan
from pathlib import Path
from random import Random

from scoring.statistics import Estimate, krippendorff_alpha, mean_estimate


def rows_of(table: str) -> list[dict[str, str]]:
    """The rows of a table; an empty text is a missing value."""
    with Path(f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


figures: dict[str, list[float | None]] = {}
study = json.loads(Path("study.json").read_text(encoding="utf-8"))
every_item = rows_of("items")
checked = {row["item"]: row["supported"] == "true" for row in rows_of("checks")}  # the newest counts
participants = {row["participant"]: row for row in rows_of("participants") if row["counts"] == "true"}
answers = [row for row in rows_of("answers") if row["participant"] in participants]
votes = [row for row in rows_of("votes") if row["participant"] in participants]
figures["Who wrote it"] = [sum(row["named"] == "true" for row in votes)]

# %% [markdown]
# ## Participants
#
# A vote on an injected wrong answer can be defended if it is *no* or *cannot tell*.

# %%
status_of = {(row["participant"], row["item"]): row for row in answers}


def stands(vote: dict[str, str]) -> bool:
    """Whether a vote is finished, and kept by the study's rule about answers that told who wrote them."""
    who = vote["participant"]
    status = status_of[who, vote["item"]]
    left = participants[who]["finished_at"] and status["skipped"] == "false"
    is_finished = status["done"] == "true" or left or study["counts_unfinished"]
    return bool(is_finished and (vote["named"] == "false" or study["on_named"] == "keep"))


votes = [row for row in votes if stands(row) and row["qualification"] == "false"]
voters = sorted({row["participant"] for row in answers if row["item"]})
for who in voters:
    own = [row for row in votes if row["participant"] == who]
    defended = [row["vote"] in ("no", "unclear") for row in own if row["injected"] == "true"]
    accuracy = mean_estimate(defended)
    ends = (accuracy.value, accuracy.low, accuracy.high)
    figures[f"Participants: {who}"] = [
        len(own),
        *(None if end is None else 100 * end for end in ends),
        *(sum(defended), len(defended)),
    ]

# %% [markdown]
# ## Items
#
# An item is accepted or rejected if more than half of its votes say so, and otherwise undecided. A verdict of the team
# outweighs the votes. Injected items and those of the test before the questions are left out. The team checks a random
# sample of the accepted items.

# %%
items = [row for row in every_item if row["qualification"] == "false" and row["origin"] != "injected"]
question_of = {row["item"]: row["id"] for row in items}
cast: dict[str, dict[str, str]] = defaultdict(dict)
for row in votes:
    if row["item"] in question_of:
        cast[row["item"]][row["participant"]] = row["vote"]


def by_votes(item: str) -> bool | None:
    """Whether the votes accept an item; None if it is undecided."""
    counts = Counter(cast[item].values())
    if counts["yes"] > counts.total() / 2:
        return True
    return False if counts["no"] > counts.total() / 2 else None


def share_of(name: str, verdicts: dict[str, bool]) -> None:
    """A share of items, with its interval over questions."""
    share = mean_estimate(list(verdicts.values()), [question_of[item] for item in verdicts])
    ends = (share.value, share.low, share.high)
    figures[f"Items: {name}"] = [
        *(None if end is None else 100 * end for end in ends),
        *(sum(verdicts.values()), len(verdicts)),
    ]


keys = sorted(question_of)
final = {item: checked.get(item, by_votes(item)) for item in keys}
accepted = [item for item in keys if by_votes(item)]
by_chance = sorted(accepted, key=lambda item: Random(f"{study['seed']}:check:{item}").random())
sample = by_chance[: ceil(study["checked_share"] * len(accepted))]
share_of("Accepted by the votes", {item: by_votes(item) is True for item in keys if cast[item]})
decided = [item for item in keys if cast[item] or item in checked]
share_of("Accepted in the end, with the verdicts of the team", {item: final[item] is True for item in decided})
errors = {item: not checked[item] for item in keys if item in sample and item in checked}
share_of("Errors: rejected by the team, in the sample of accepted items", errors)
figures["Items: rejected"] = [sum(verdict is False for verdict in final.values())]
figures["Items: undecided"] = [sum(final[item] is None and bool(cast[item]) for item in keys)]
figures["Items: without votes that count"] = [sum(final[item] is None and not cast[item] for item in keys)]

# %% [markdown]
# ## Agreement
#
# Krippendorff's α over the items with two or more votes.

# %%
who_voted = sorted({who for of_item in cast.values() for who in of_item})
code = {"yes": 1.0, "no": 0.0, "unclear": 2.0}
table = [[code[cast[item][who]] if who in cast[item] else nan for item in keys] for who in who_voted]
of_items = [question_of[item] for item in keys]
alpha = krippendorff_alpha(table, clusters=of_items) if who_voted else Estimate(None, None, 0)
figures["Items: Krippendorff’s α"] = [alpha.value, alpha.low, alpha.high, alpha.n_items]

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
