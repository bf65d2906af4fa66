# %% [markdown] round
# # Figures of a grading round
#
# This notebook computes every figure of the round's page *Outcome* from `round.json`; how far lists agree is in the
# exports of their studies. It needs Python 3.11 and NumPy; the statistics are the site's own, in the folders `scoring`
# and `humaneval`.

# %% [markdown] answer items pairs ratings
# # Figures of a study
#
# This notebook computes every figure of the study's pages *Scores* and *Evidence* from the files beside it. It needs
# Python 3.11 and NumPy; the statistics are the site's own, in the folder `scoring`. Intervals are 95 % confidence
# intervals.

# %%
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from math import nan
from pathlib import Path
from statistics import fmean, median
from typing import Any
from uuid import UUID

import numpy as np

from scoring.statistics import (
    Estimate,
    TooFewUnitsError,
    corrected_mean,
    corrected_total,
    krippendorff_alpha,
    mean_estimate,
    mean_intervals,
    weighted_mean_interval,
)

Row = dict[str, Any]
figures: dict[str, list[Any]] = {}


def show(name: str, *numbers: Any, unit: float = 1) -> None:
    """Keep and print a row of figures. An estimate is its value with the ends of its interval, in a unit."""
    figures[name] = row = []
    for number in numbers:
        ends = (number.value, number.low, number.high) if hasattr(number, "low") else ()
        row += [None if end is None else unit * end for end in ends] if ends else [number]
    print(name, *(f"{number:.4g}" for number in row if number is not None), sep="\t")


def rows_of(table: str) -> list[Row]:
    """The rows of a table; none if the export does not have it."""
    path = Path(f"{table}.jsonl")
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="\n") as file:  # a text may contain other separators of lines
        return [json.loads(line) for line in file]


# %% [markdown] answer items pairs ratings
# ## Participants
#
# Answers count if they are finished, and their author neither was excluded nor withdrew. An unfinished answer was saved
# while being typed and never marked done, by somebody who has not finished the study. Where people said that an answer
# told them who wrote it, the rule `on_named` of the study decides.

# %% answer items pairs ratings
study = json.loads(Path("study.json").read_text(encoding="utf-8"))
people = rows_of("participants")
counting = {row["participant"]: row for row in people if row["counts"]}
answers = [row for row in rows_of("answers") if row["participant"] in counting and row["id"]]
still_open = [row for row in answers if row["skipped"] or not counting[row["participant"]]["finished_at"]]
show("Unfinished", sum(not row["done"] and bool(row["answer"].strip()) for row in still_open))
named = {
    (row["participant"], row["item"])
    for table in ("votes", "choices", "ratings")
    for row in rows_of(table)
    if row["named"] and row["participant"] in counting
}
show("Who wrote it", len(named))
excluded = Counter(row["excluded_by"] for row in people)
for rule in study["exclusion_rules_in_words"]:
    show(f"Excluded participants: {rule}", excluded[rule])
by_hand = Counter(row["exclusion_reason"] for row in people if row["excluded_at"] and not row["withdrawn_at"])
for reason, n in by_hand.items():
    show(f"Excluded participants: Excluded: {reason}", n)
if study["n_test_attempts"]:
    taken = [row["test_attempts"] for row in people if row["test_attempts"]]
    tests = Counter((attempts[-1]["passed"], len(attempts)) for attempts in taken)
    show("Test before the questions: passed at the first attempt", tests[True, 1])
    show("Test before the questions: passed at the second attempt", tests[True, 2])
    show("Test before the questions: failed and were screened out", tests[False, study["n_test_attempts"]])
    if study["n_test_attempts"] == 2 and tests[False, 1]:
        show("Test before the questions: failed once, with an attempt left", tests[False, 1])

# %% [markdown] answer
# ## Scores
#
# A score is the mean over the answers given; its interval is over participants and questions. There are no values of
# withdrawn answers whose texts were deleted, so scores of sets with such answers cannot be computed. On a hidden split
# the scores are for maintainers only.

# %% answer
sets: dict[int, list[Row]] = defaultdict(list)
for row in rows_of("scored_answers"):
    sets[row["answer_set"]].append(row)
n_unfinished = {one["number"]: one["n_unfinished"] for one in study["answer_sets"]}
for number, own in sets.items():
    who, asked = {row["participant"] for row in own}, {row["id"] for row in own}
    withdrawn = sum(row["withdrawn"] for row in own)
    show(f"Answer set {number}", len(own), len(who), len(asked), study["n_questions"], n_unfinished[number], withdrawn)

grades = [{**row, "answer_set": max(sets)} for row in rows_of("grades")]
by_score: dict[tuple[int, str, str], list[Row]] = defaultdict(list)
for row in rows_of("earlier_grades") + grades:
    by_score[row["answer_set"], row["score"], row["signature"]].append(row)
for (number, score, signature), own in by_score.items():
    graded = {(row["participant"], row["id"]) for row in own}
    if any(row["withdrawn"] and (row["participant"], row["id"]) not in graded for row in sets[number]):
        continue
    values, weights = [row["value"] for row in own], [row["weight"] for row in own]
    clusters = [row["participant"] for row in own], [row["cluster"] for row in own]
    low = high = None
    try:
        if set(weights) == {1.0}:
            row_ends = mean_intervals(values, clusters=clusters, shares=own[0]["share"])
            low, high = float(row_ends.low), float(row_ends.high)
        else:
            ends = weighted_mean_interval(values, weights, clusters, shares=own[0]["share"])
            low, high = ends.low, ends.high
    except TooFewUnitsError:  # a single participant or question
        pass
    show(f"Answer set {number}: {score} ({signature})", np.average(values, weights=weights), low, high)

# %% [markdown] answer
# ## Agreement of lists
#
# Where answers are lists: overlap and length difference of every two lists for one question, in per cent, and how many
# pairs are accepted. How they are computed is in `scoring/metrics/list_judge/replies.py`.

# %% answer
from scoring.metrics.list_judge.replies import list_agreement

lists: dict[str, dict[str, list[str]]] = defaultdict(dict)
for answer in rows_of("generations"):
    text = next(value for key, value in answer.items() if key not in ("id", "participant"))
    if isinstance(text, list):
        lists[answer["id"]][answer["participant"]] = text
accepted = []
for qid, by_person in lists.items():
    for (one, first), (other, second) in combinations(by_person.items(), 2):
        likeness = list_agreement(first, second)
        accepted.append(likeness.accepted)
        show(f"Lists: {qid}, {one} and {other}", 100 * likeness.overlap, 100 * likeness.length_difference)
if accepted:
    show("Lists: accepted", sum(accepted), len(accepted))

# %% [markdown] answer
# ## Evidence
#
# The articles that people opened, compared with the necessary ones: answers, recall and precision in per cent, median
# seconds to the first necessary article, answers with all and with no necessary article, searches and articles for an
# answer. Then how many answers to a question lack each article, and mean scores of the latest answer set by what was
# read.

# %% answer
counted = {(row["participant"], row["position"]) for row in answers if row["counts"]}
measures = [row for row in rows_of("measures") if (row["participant"], row["position"]) in counted]
READ = ("All necessary articles", "Some necessary articles", "No necessary article")


def reading_of(row: Row) -> str:
    """How much of the necessary evidence was read for an answer; empty if nothing is necessary."""
    n, n_all = row["n_necessary_visited"], row["n_necessary"]
    return READ[0 if n == n_all else 1 if n else 2] if n_all else ""


def known(rows: list[Row], name: str, unit: float = 1) -> list[float]:
    """The values of a column that are not missing, times a unit."""
    return [unit * row[name] for row in rows if row[name] is not None]


for qid in dict.fromkeys(name for row in measures for name in ("All answers", row["id"])):
    own = [row for row in measures if qid in ("All answers", row["id"])]
    shares = (fmean(values) if (values := known(own, name, 100)) else None for name in ("recall", "precision"))
    times, readings = known(own, "seconds_to_first_necessary"), Counter(map(reading_of, own))
    numbers = median(times) if times else None, readings[READ[0]], readings[READ[2]]
    means = (fmean(known(own, name)) for name in ("n_searches", "n_visited"))
    show(f"Evidence: {qid}", len(own), *shares, *numbers, *means)
    for title, n in Counter(title for row in own for title in row["missed"]).items():
        show(f"Evidence: {qid}: {title}", n, len(own))
for (number, score, signature), own in by_score.items():
    value_of = {(row["participant"], row["id"]): row["value"] for row in own}
    for reading in READ if number == max(sets) else ():
        read = [(row["participant"], row["id"]) for row in measures if reading_of(row) == reading]
        values = [value_of[key] for key in read if key in value_of]
        show(f"Evidence: {reading}, {score} ({signature})", len(values), fmean(values) if values else None)

# %% [markdown] items
# ## Accuracy of participants
#
# The share of injected wrong answers with the vote *no* or *cannot tell*, which can be defended.

# %% items
every_item = {row["item"]: row for row in rows_of("items")}
for_test = {item for item, row in every_item.items() if row["qualification"]}
for who in sorted({row["participant"] for row in answers if row["item"]}):
    own = [row for row in answers if row["participant"] == who]
    voted = [row for row in own if row["counts"] and row["item"] not in for_test]
    injected = [row for row in voted if every_item[row["item"]]["origin"] == "injected"]
    accuracy = mean_estimate([row["answer"] in ("no", "unclear") for row in injected])
    show(f"Participants: {who}", len(voted), accuracy, accuracy.n_ones, accuracy.n_items, unit=100)

# %% [markdown] items
# ## Items
#
# An item is accepted or rejected if more than half of its votes say so, and otherwise undecided. A verdict of the team
# outweighs the votes. Injected items and those of the test before the questions are left out. The team checks a random
# sample of the accepted items.

# %% items
own_items = [row for row in every_item.values() if row["origin"] != "injected" and not row["qualification"]]
cast: dict[str, dict[str, str]] = {row["item"]: {} for row in own_items}
for row in rows_of("votes"):
    if row["counts"] and row["item"] in cast:
        cast[row["item"]][row["participant"]] = row["vote"]
voted_items = [row for row in own_items if cast[row["item"]]]
decided = [row for row in own_items if cast[row["item"]] or row["checked"] is not None]
sampled = [row for row in own_items if row["in_sample"] and row["checked"] is not None]
for name, of_share, verdict, column in (
    ("Accepted by the votes", voted_items, True, "accepted_by_votes"),
    ("Accepted in the end, with the verdicts of the team", decided, True, "accepted"),
    ("Errors: rejected by the team, in the sample of accepted items", sampled, False, "checked"),
):
    share = mean_estimate([row[column] is verdict for row in of_share], [row["id"] for row in of_share])
    show(f"Items: {name}", share, share.n_ones, share.n_items, unit=100)
show("Items: rejected", sum(row["accepted"] is False for row in own_items))
show("Items: undecided", sum(row["accepted"] is None for row in voted_items))
show("Items: without votes that count", sum(row["accepted"] is None and not cast[row["item"]] for row in own_items))
voters = sorted({who for of_item in cast.values() for who in of_item})
label = {"yes": 1.0, "no": 0.0, "unclear": 2.0}
matrix = [[label[of_item[who]] if who in of_item else nan for of_item in cast.values()] for who in voters]
asked_in = [row["id"] for row in own_items]
alpha = krippendorff_alpha(matrix, clusters=asked_in) if voters else Estimate(None, None, 0)
show("Items: Krippendorff’s α", alpha, alpha.n_items)

# %% [markdown] pairs
# ## Choices and comparisons by the judge
#
# Choices on pairs in which an answer names its system are left out, and injected pairs are in nothing but the accuracy
# of participants. A tie counts 1/2. How the figures are computed is in `humaneval/results/pair_outcome.py`.

# %% pairs
from humaneval.results.pair_outcome import Choice, JudgedPair, RankRow, outcome_of

pairs = {row["item"]: row for row in rows_of("pairs")}


def sides_of(row: Row) -> tuple[UUID, UUID]:
    """The answer sets of a pair, or of a comparison by the judge."""
    return UUID(row["first_answer_set"]), UUID(row["second_answer_set"])


def choice_of(row: Row) -> Choice:
    """A choice with its pair."""
    pair = pairs[row["item"]]
    lengths = pair["first_length"], pair["second_length"]
    return Choice(
        *(row["participant"], row["id"], pair["category"], *sides_of(pair), lengths),
        swapped=row["swapped"],
        vote=row["choice"],
        injected=row["injected"],
        is_defensible=row["for_first"] == 1 or (row["choice"] == "bad" and not pair["first_is_good"]),
        named=pair["names_system"],
    )


compared: dict[tuple[UUID, UUID], list[Row]] = defaultdict(list)
for row in rows_of("judge_comparisons"):
    compared[sides_of(row)].append(row)
judged = []
for opponents, own in compared.items():
    orders = [[row["first_shown_first"], row["second_shown_first"]] for row in own]
    is_judged, is_answered = (np.array([row[name] for row in own]) for name in ("judged", "both_answered"))
    judged.append(JudgedPair(*opponents, [row["id"] for row in own], np.array(orders, float), is_judged, is_answered))
sides = {
    (row[name], key) for row in pairs.values() for name, key in zip(("first", "second"), sides_of(row), strict=True)
}
system_of = {key: system for system, key in sorted(sides)}
outcome = outcome_of([choice_of(row) for row in rows_of("choices") if row["counts"]], judged, system_of)

# %% pairs
show("Ranking", outcome["n_votes"], outcome["n_questions"], outcome["n_named"] or None)


def places_of(row: RankRow) -> Iterator[float | None]:
    """Ranks and strength by people, what was won, tied and lost, and ranks and strength by the judge."""
    for place in (row.people, row.judge):
        if place is not None:
            yield from (place.best, place.worst if place.worst != place.best else None)
            yield from (place.strength, place.low, place.high)
        if place is row.people:
            yield from (row.votes["won"], row.votes["tied"], row.votes["lost"])


for rank in outcome["ranking"]:
    show(f"Ranking by people: {rank.name}", *places_of(rank))
show("Agreement: Fleiss’ κ", outcome["agreement"], outcome["agreement"].n_items)
for name, kappa in outcome["judge_agreement"]:
    show(f"Agreement: {name}", kappa, kappa.n_items)
for name, share in {
    "People: the answer on the left": outcome["left"],
    "Judge: the answer shown first": outcome["judge_first"],
    "People: the longer answer": outcome["longer"],
    "Judge: the longer answer": outcome["judge_longer"],
}.items():
    show(f"Bias: {name}", share, share.n_items, unit=100)
for one in outcome["corrected"]:
    name = f"The judge’s win rates, corrected by people: {one.name} against {one.opponent}"
    show(name, 100 * one.judge, 100 * one.people, one.corrected, one.n_judged, one.n_people, unit=100)
for who, n, left, checks in outcome["people"]:
    left = None if left is None else 100 * left
    show(f"Participants: {who}", n, left, checks, checks.n_ones, checks.n_items, unit=100)

# %% [markdown] ratings
# ## Groups
#
# Intervals are over people, each with all of their ratings, and over texts. The weighted score of a rating is the mean
# of the scores of its answers by the questions' weights; it needs an answer to every question that counts.

# %% ratings
texts = {row["item"]: row["group"] for row in rows_of("texts")}
ratings: dict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
for row in rows_of("ratings"):
    if row["counts"]:
        ratings[row["participant"], row["item"]][row["question"]] = row


def mean_of(values: list[float], keys: list[tuple[str, str]], bounds: tuple[float, float] = (0, 1)) -> Estimate:
    """A mean with its interval, by the participant and text of each value."""
    return mean_estimate(values, ([who for who, _ in keys], [text for _, text in keys]), bounds=bounds)


scored_questions = [
    question
    for question in study["rating_questions"]
    if "low_score" in question.get("scale", {}) or any("score" in one for one in question.get("choices", []))
]
for group in sorted(set(texts.values())):
    keys = [key for key in ratings if texts[key[1]] == group]
    complete = [key for key in keys if all(question["name"] in ratings[key] for question in scored_questions)]
    weights = [question.get("weight", 1) for question in scored_questions]
    scores = {
        key: fmean([ratings[key][question["name"]]["score"] for question in scored_questions], weights)
        for key in complete
        if scored_questions
    }
    weighted = mean_of(list(scores.values()), list(scores), (0, 100))
    n_complete = len(scores) if scored_questions and len(scores) != len(keys) else None
    n_texts, n_people = len({text for _, text in keys}), len({who for who, _ in keys})
    n_all = sum(of == group for of in texts.values())
    show(f"Groups: {group}", weighted, n_texts, n_all, len(keys), n_complete, n_people)

# %% [markdown] ratings
# ## Questions
#
# Shares of the answers in per cent, the mean of a scale, and the agreement on the texts with two or more ratings.

# %% ratings
for question in study["rating_questions"]:
    name, scale = question["name"], question.get("scale")
    options = [str(n + 1) for n in range(scale["highest"])] if scale else [one["name"] for one in question["choices"]]
    given = {key: rating[name]["answer"] for key, rating in ratings.items() if name in rating}
    for group in sorted(set(texts.values())):
        keys = [key for key in given if texts[key[1]] == group]
        of_options = [mean_of([float(given[key] == option) for key in keys], keys) for option in options]
        mean = mean_of([float(given[key]) for key in keys], keys, (1, scale["highest"])) if scale else None
        of_scale = [mean.value, mean.low, mean.high] if mean else []
        show(f"{question['text']}: {group}", *of_scale, *of_options, unit=100)
    raters, items = sorted({who for who, _ in given}), sorted({text for _, text in given})
    codes = [[options.index(given[who, item]) if (who, item) in given else nan for item in items] for who in raters]
    alpha = krippendorff_alpha(codes, scale="ordinal" if scale else "nominal") if given else Estimate(None, None, 0)
    show(f"{question['text']}: Krippendorff’s α", alpha, alpha.n_items)

# %% [markdown] round
# ## Agreement
#
# Of the grades that count: for each grader, the letter and the share of items of each answer, and the tick of each of
# its items. Where people decide criteria, the score of each answer, and how far each of its criteria is met; a decision
# that a grader could not make is missing. Calibration answers are left out. Intervals are over answers, each with all
# of its items or criteria.

# %% round
from humaneval.grading.outcome.agreement import GradeArrays, agreement_of
from humaneval.grading.outcome.judge_comparison import DIMENSION, Decision, compare

stored = json.loads(Path("round.json").read_text(encoding="utf-8"))
by_criteria = any("criteria" in row for row in stored["answers"])
ordinary = [row for row in stored["answers"] if not row["calibration"]]
graders = [row["code"] for row in stored["graders"]]
of_item = np.array([place for place, row in enumerate(ordinary) for _ in row["items"]], dtype=int)
dimensions = [one.get("dimension", "").replace("_", " ") for row in ordinary for one in row.get("criteria", [])]
loose, letters = np.full((2, len(graders), len(ordinary)), nan)
ticks = np.full((len(graders), len(of_item)), nan)
for place, row in enumerate(ordinary):
    for grade in row["grades"]:
        if grade["current"] and grade["counts"]:
            line, share = graders.index(grade["by"]), grade["score" if by_criteria else "loose"]
            loose[line, place] = nan if share is None else share
            letters[line, place] = "ABCDEF".index(grade.get("letter", "A"))  # there are none of criteria
            ticks[line, of_item == place] = [nan if tick is None else tick for tick in grade["ticks"]]

named_grades = [grade["named"] for row in stored["answers"] for grade in row["grades"] if grade["current"]]
show("Who wrote it", sum(named_grades))
agreement = agreement_of(GradeArrays(tuple(graders), loose, letters, ticks, of_item, tuple(dimensions)))
if agreement["n_answers"]:
    show("Agreement", agreement["n_answers"], agreement["n_shared"], agreement["n_items"])
    if by_criteria:
        show("Agreement: could not say", agreement["n_unsure"])
    coefficients = [(f"{what}: {coefficient}", found) for what, coefficient, found, _ in agreement["measures"]]
    for pair, of_items, of_letters in agreement["kappas"]:
        coefficients.append((f"{pair}, {'criteria' if by_criteria else 'items'}", of_items))
        coefficients += [] if by_criteria else [(f"{pair}, letters", of_letters)]
    coefficients += [(f"Leniency of {code}", bias) for code, bias in agreement["biases"]]
    for what, found in coefficients:
        show(f"Agreement: {what}", found, found.n_items)

# %% [markdown] round
# ## Judge validation
#
# The result for an answer is the decision, else the known grade, else the mean of its graders; the letters B, C and E
# count as correct. Where people decide criteria, each is compared: it is met, or not, as by half or less. What graders
# differ on without a decision is left out, and so are criteria of which nobody could say anything. Intervals are over
# questions.

# %% round
results: dict[int, Row] = {}
for row in stored["answers"]:
    by_kind: dict[str, list[Row]] = defaultdict(list)
    for grade in row["grades"]:
        if grade["counts"]:
            by_kind[grade["kind"]].append(grade)
    grades = by_kind["decision"] or by_kind["known"] or by_kind["grade"]
    if grades:
        correct = [grade["letter"] in "BCE" for grade in grades] if not by_criteria else []
        columns = zip(*(grade["ticks"] for grade in grades), strict=True) if by_criteria else [correct]
        said = [[float(tick) for tick in own if tick is not None] for own in columns]
        results[row["position"]] = {**row, "final": grades, "said": said}

latest = {(judged_set["signature"], judged_set["answer_set"]): judged_set for judged_set in stored["judged"]}
cases_of: dict[str, list[tuple[Row, str]]] = defaultdict(list)
for judged_set in latest.values():
    cases_of[judged_set["signature"]] += [
        (row, judged_set["source"]) for row in judged_set["answers"] if row["position"] is not None
    ]
for signature, cases in cases_of.items():
    decisions: list[Decision] = []
    for row, source in sorted(cases, key=lambda case: case[0]["position"]):
        result = results[row["position"]]
        verdicts = row["verdicts"] or [] if by_criteria else [row["value"]]
        of_row = {"By system": source, "By category": result["category"]}
        for number, verdict in enumerate(verdicts):
            in_groups = dict(of_row)
            if by_criteria:
                dimension = result["criteria"][number].get("dimension", "No dimension")
                in_groups[DIMENSION] = dimension.replace("_", " ")
            decisions.append(Decision(verdict, result["said"][number], result["question_id"], in_groups))
    comparison = compare(decisions)
    if comparison:
        groups = [("all", comparison["whole"])]
        groups += [(f"{heading}, {name}", own) for heading, table in comparison["tables"] for name, own in table]
        for name, beside in groups:
            estimates = beside.accuracy, beside.sensitivity, beside.specificity, beside.kappa, beside.bias
            show(f"{signature}: {name}", *beside.confusion.ravel().tolist(), *estimates, beside.n_items)
        show(f"{signature}: undecided", comparison["n_undecided"])
        if by_criteria:
            show(f"{signature}: nobody could say", comparison["n_unsure"])

# %% [markdown] round
# ## Corrected scores and human performance
#
# A round draws from the answers that are not blank, to questions with a reference answer: the mean of these is
# corrected, and the others keep their score. People give a report what it earned of the weights of its criteria; one of
# which nobody could say anything counts as the judge decided it. A corrected score is clipped to 0 to 1 if the score is
# (`clip:mean` in its signature). Human performance is over the answers of participants who count, calibration answers
# included; of criteria there is none. Neither is computed for the answers on which scores differ most, which are no
# sample.

# %% round


def earned(result: Row, verdicts: list[float] | None) -> float:
    """What people say that an answer earned of the weights of its criteria: the mean over its rubrics."""
    if verdicts is None:
        verdicts = [nan] * len(result["said"])  # if one is needed, the corrected score is gone with it
    met = [fmean(said) if said else verdict for said, verdict in zip(result["said"], verdicts, strict=True)]
    parts: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for criterion, share in zip(result["criteria"], met, strict=True):
        weight = criterion["weight"] * result["dimensions"].get(criterion.get("dimension"), 1)
        parts[criterion.get("rubric", "")].append((weight, share))
    return fmean(
        sum(weight * share for weight, share in own) / sum(weight for weight, _ in own if weight > 0)
        for own in parts.values()
    )


is_sample = stored["round"]["selection"] != "disagreements"
for judged_set in stored["judged"] if is_sample else ():
    drawable = [row for row in judged_set["answers"] if row["drawable"]]
    places = [n for n, row in enumerate(drawable) if row["position"] is not None]
    places.sort(key=lambda n: drawable[n]["position"])
    of_place = {n: results[drawable[n]["position"]] for n in places}
    probabilities = [of_place[n]["probability"] if n in of_place else 1.0 for n in range(len(drawable))]
    units = [[row[unit] for row in drawable] for unit in ("participant", "cluster")]
    known_units = [unit for unit in units if any(unit)]
    chances = None if None in probabilities else probabilities
    asked_units = (known_units if len(known_units) > 1 else known_units[0]) if known_units else None
    by_judge = [row["value"] for row in drawable]
    corrected = None
    if judged_set["correctable"] and by_criteria:
        totals = [earned(of_place[n], drawable[n]["verdicts"]) for n in places]
        if not np.isnan(totals).any():
            lowest = stored["round"]["lowest_score"]
            corrected = corrected_total(by_judge, places, totals, chances, asked_units, lowest=lowest)
    elif judged_set["correctable"]:
        found_right = [fmean(of_place[n]["said"][0]) for n in places]
        corrected = corrected_mean(by_judge, places, found_right, chances, asked_units)
    if corrected:
        beside_rest = corrected.beside([row["value"] for row in judged_set["answers"] if not row["drawable"]])
        name = f"Corrected scores: {judged_set['source']} ({judged_set['signature']})"
        values, weights = ([row[column] for row in judged_set["answers"]] for column in ("value", "weight"))
        shown = np.array([np.average(values, weights=weights), beside_rest.value, beside_rest.low, beside_rest.high])
        is_clipped = "clip:mean" in judged_set["signature"].split("|")
        show(name, *(shown.clip(0, 1) if is_clipped else shown).tolist(), corrected.n_graded)

by_study: dict[str, list[Row]] = defaultdict(list)
for result in results.values() if is_sample and not by_criteria else ():
    if result["origin"]["counts"]:
        by_study[result["origin"]["study"]].append(result)
for slug, own in by_study.items():
    own.sort(key=lambda result: (len(result["origin"]["participant"]), result["origin"]["participant"]))
    units = [[result["origin"]["participant"] for result in own], [result["question_id"] for result in own]]
    measured = [
        mean_estimate([fmean(grade[measure] for grade in result["final"]) for result in own], units)
        for measure in ("loose", "strict")
    ]
    n_calibration = sum(result["calibration"] for result in own)
    show(f"Human performance: {slug}", *measured, len(own), n_calibration, *(len(set(unit)) for unit in units))
