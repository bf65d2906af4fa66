# %% [markdown] round
# # Figures of a grading round
#
# This notebook computes every figure of the round's page *Outcome* from `round.json`; how far lists agree is in the
# exports of their studies. It needs Python 3.11 and NumPy; the statistics are the site's own, in the folder `scoring`.

# %% [markdown] answer items pairs ratings
# # Figures of a study
#
# This notebook computes every figure of the study's pages *Scores* and *Evidence* from the files beside it. It needs
# Python 3.11 and NumPy; the statistics are the site's own, in the folder `scoring`. Intervals are 95 % confidence
# intervals.

# %%
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from math import ceil, nan
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import Any
from uuid import UUID

import numpy as np

from scoring.statistics import (
    Estimate,
    JudgeValidation,
    TooFewUnitsError,
    cohen_kappa,
    corrected_mean,
    fleiss_kappa,
    grader_biases,
    krippendorff_alpha,
    mean_estimate,
    mean_intervals,
    validate_judge,
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
    tests = Counter((row["passed_test"], row["n_test_attempts"]) for row in people)
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
# Where answers are lists: every two lists for one question. An item is contained in the other list if all its words are
# among those of one item there. The overlap is the number of contained items through the length of the longer list.
# Lists are accepted if their overlap is above 77 % and their length difference below 25 %.

# %% answer
lists: dict[str, dict[str, list[frozenset[str]]]] = defaultdict(dict)
for answer in rows_of("generations"):
    items = next(value for key, value in answer.items() if key not in ("id", "participant"))
    if isinstance(items, list):
        lists[answer["id"]][answer["participant"]] = [frozenset(item.lower().split()) for item in items]
accepted = []
for qid, by_person in lists.items():
    for (one, first), (other, second) in combinations(by_person.items(), 2):
        longest = max(len(first), len(second))
        ways = (first, second), (second, first)
        contained = (sum(any(item <= there for there in others) for item in of) for of, others in ways)
        overlap = max(contained) / longest if longest else 0.0
        difference = abs(len(first) - len(second)) / longest if longest else 0.0
        accepted.append(longest > 0 and overlap > 0.77 and difference < 0.25)
        show(f"Lists: {qid}, {one} and {other}", 100 * overlap, 100 * difference)
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
by_question: dict[str, list[Row]] = defaultdict(list)
for row in measures:
    by_question[row["id"]].append(row)


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """The mean of the known values."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def reading_of(row: Row) -> str:
    """How much of the necessary evidence was read for an answer."""
    if row["n_necessary_visited"] == row["n_necessary"]:
        return "All necessary articles"
    return "Some necessary articles" if row["n_necessary_visited"] else "No necessary article"


for name, own in {"All answers": measures, **by_question}.items():
    recall, precision = (mean_of_known(row[measure] for row in own) for measure in ("recall", "precision"))
    times = [row["seconds_to_first_necessary"] for row in own if row["seconds_to_first_necessary"] is not None]
    readings = Counter(reading_of(row) for row in own if row["n_necessary"])
    show(
        f"Evidence: {name}",
        *(len(own), None if recall is None else 100 * recall, None if precision is None else 100 * precision),
        *(median(times) if times else None, readings["All necessary articles"], readings["No necessary article"]),
        *(mean_of_known(row["n_searches"] for row in own), mean_of_known(row["n_visited"] for row in own)),
    )
for qid, own in by_question.items():
    for title, n in Counter(title for row in own for title in row["missed"]).items():
        show(f"Evidence: {qid}: {title}", n, len(own))
for (number, score, signature), rows in by_score.items():
    value_of = {(row["participant"], row["id"]): row["value"] for row in rows}
    scored = [row for row in measures if row["n_necessary"] and (row["participant"], row["id"]) in value_of]
    for reading in ("All necessary articles", "Some necessary articles", "No necessary article"):
        values = [value_of[row["participant"], row["id"]] for row in scored if reading_of(row) == reading]
        if number == max(sets):
            show(f"Evidence: {reading}, {score} ({signature})", len(values), mean_of_known(values))

# %% [markdown] items
# ## Accuracy of participants
#
# The share of injected wrong answers with the vote *no* or *cannot tell*, which can be defended, and how many votes of
# the qualification test are right.

# %% items
every_item = {row["item"]: row for row in rows_of("items")}
right = {item: "yes" if row["known"] else "no" for item, row in every_item.items() if row["qualification"]}
for who in sorted({row["participant"] for row in answers if row["item"]}):
    own = [row for row in answers if row["participant"] == who]
    tested = [row["answer"] == right[row["item"]] for row in own if row["item"] in right]
    voted = [row for row in own if row["counts"] and row["item"] not in right]
    injected = [row for row in voted if every_item[row["item"]]["origin"] == "injected"]
    accuracy = mean_estimate([row["answer"] in ("no", "unclear") for row in injected])
    test = (sum(tested), len(tested)) if tested else ()
    show(f"Participants: {who}", len(voted), accuracy, accuracy.n_ones, accuracy.n_items, *test, unit=100)

# %% [markdown] items
# ## Items
#
# An item is accepted or rejected if more than half of its votes say so, and otherwise undecided. A verdict of the team
# outweighs the votes. Injected items and those of the qualification test are left out, and so are votes of people who
# did not pass that test. The team checks a random sample of the accepted items.

# %% items
checked = {row["item"]: row["supported"] for row in rows_of("checks")}  # the newest counts
question_of = {
    item: row["id"]
    for item, row in sorted(every_item.items())
    if not row["qualification"] and row["origin"] != "injected"
}
cast: dict[str, dict[str, str]] = defaultdict(dict)
for row in rows_of("votes"):
    if row["counts"] and row["item"] in question_of:
        cast[row["item"]][row["participant"]] = row["vote"]


def by_votes(item: str) -> bool | None:
    """Whether the votes accept an item; None if it is undecided."""
    votes = Counter(cast[item].values())
    if votes["yes"] > votes.total() / 2:
        return True
    return False if votes["no"] > votes.total() / 2 else None


def share_of(name: str, verdicts: dict[str, bool]) -> None:
    """A share of items, with its interval over questions."""
    share = mean_estimate(list(verdicts.values()), [question_of[item] for item in verdicts])
    show(f"Items: {name}", share, share.n_ones, share.n_items, unit=100)


final = {item: checked.get(item, by_votes(item)) for item in question_of}
by_chance = sorted(filter(by_votes, question_of), key=lambda item: Random(f"{study['seed']}:check:{item}").random())
sample = by_chance[: ceil(study["checked_share"] * len(by_chance))]
share_of("Accepted by the votes", {item: by_votes(item) is True for item in question_of if cast[item]})
decided = [item for item in question_of if cast[item] or item in checked]
share_of("Accepted in the end, with the verdicts of the team", {item: final[item] is True for item in decided})
errors = {item: not checked[item] for item in sorted(sample) if item in checked}
share_of("Errors: rejected by the team, in the sample of accepted items", errors)
show("Items: rejected", sum(verdict is False for verdict in final.values()))
show("Items: undecided", sum(final[item] is None and bool(cast[item]) for item in question_of))
show("Items: without votes that count", sum(final[item] is None and not cast[item] for item in question_of))
voters = sorted({who for of_item in cast.values() for who in of_item})
code = {"yes": 1.0, "no": 0.0, "unclear": 2.0}
matrix = [[code[cast[item][who]] if who in cast[item] else nan for item in question_of] for who in voters]
alpha = krippendorff_alpha(matrix, clusters=list(question_of.values())) if voters else Estimate(None, None, 0)
show("Items: Krippendorff’s α", alpha, alpha.n_items)

# %% [markdown] pairs
# ## Choices and comparisons by the judge
#
# Choices on pairs in which an answer names its system are left out, and injected pairs are in nothing but the accuracy
# of participants. A tie counts 1/2. How the figures are computed is in `humaneval/results/pair_outcome.py`.

# %% pairs
from humaneval.results.pair_outcome import Choice, JudgedPair, RankRow, outcome_of  # noqa: E402

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
for both, own in compared.items():
    orders = [[row["first_shown_first"], row["second_shown_first"]] for row in own]
    is_judged, is_answered = (np.array([row[name] for row in own]) for name in ("judged", "both_answered"))
    judged.append(JudgedPair(*both, [row["id"] for row in own], np.array(orders, float), is_judged, is_answered))
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
        shares = [mean_of([float(given[key] == option) for key in keys], keys) for option in options]
        means = [mean_of([float(given[key]) for key in keys], keys, (1, scale["highest"]))] if scale else []
        of_mean = [end for mean in means for end in (mean.value, mean.low, mean.high)]
        show(f"{question['text']}: {group}", *of_mean, *shares, unit=100)
    raters, items = sorted({who for who, _ in given}), sorted({text for _, text in given})
    codes = [[options.index(given[who, item]) if (who, item) in given else nan for item in items] for who in raters]
    alpha = krippendorff_alpha(codes, scale="ordinal" if scale else "nominal") if given else Estimate(None, None, 0)
    show(f"{question['text']}: Krippendorff’s α", alpha, alpha.n_items)

# %% [markdown] round
# ## Agreement
#
# Of the grades that count, in the rows of a table with its answers, or with all of their items, as columns. Calibration
# answers are left out. Intervals are 95 % confidence intervals over answers, each with all of its items.

# %% round
stored = json.loads(Path("round.json").read_text(encoding="utf-8"))
current = [grade for answer in stored["answers"] for grade in answer["grades"] if grade["current"]]
show("Who wrote it", sum(grade["named"] for grade in current))
grades_of = {
    answer["position"]: {grade["by"]: grade for grade in answer["grades"] if grade["counts"] and grade["current"]}
    for answer in stored["answers"]
}
columns = [row for row in stored["answers"] if grades_of[row["position"]] and not row["calibration"]]
by_grader = {code for row in columns for code in grades_of[row["position"]]}
graders = [row["code"] for row in stored["graders"] if row["code"] in by_grader]
loose, letters = np.full((2, len(graders), len(columns)), nan)
of_item = [column for column, row in enumerate(columns) for _ in row["items"]]
ticks = np.full((len(graders), len(of_item)), nan)
for column, row in enumerate(columns):
    for grader, grade in grades_of[row["position"]].items():
        place = graders.index(grader)
        loose[place, column], letters[place, column] = grade["loose"], "ABCDEF".index(grade["letter"])
        ticks[place, np.equal(of_item, column)] = grade["ticks"]
if columns:
    n_shared = sum(len(grades_of[row["position"]]) > 1 for row in columns)
    show("Agreement", len(columns), n_shared, len(of_item))
    for name, alpha in {
        "Items, found or not: Krippendorff's α": krippendorff_alpha(ticks, clusters=of_item),
        "Letters, A to F: Krippendorff's α": krippendorff_alpha(letters),
        "Share of items found: Krippendorff's α": krippendorff_alpha(loose, scale="interval"),
        "Items, found or not: Fleiss' κ": fleiss_kappa(ticks, clusters=of_item),
        "Letters, A to F: Fleiss' κ": fleiss_kappa(letters),
    }.items():
        show(f"Agreement: {name}", alpha, alpha.n_items)
    for one, other in combinations(range(len(graders)), 2):
        both, by_letter = f"{graders[one]} and {graders[other]}", cohen_kappa(letters[one], letters[other])
        if by_letter.n_items:
            by_item = cohen_kappa(ticks[one], ticks[other], clusters=of_item)
            show(f"Agreement: {both}, items", by_item, by_item.n_items)
            show(f"Agreement: {both}, letters", by_letter, by_letter.n_items)
    for grader, bias in zip(graders, grader_biases(loose), strict=True):
        show(f"Leniency: {grader}", bias, bias.n_items)

# %% [markdown] round
# ## Judge validation
#
# The result for an answer is the decision, else the known grade, else the mean of its graders. Letters B, C and E count
# as correct. Answers on which graders differ are left out here. Intervals are over questions.

# %% round
finals: dict[int, Row] = {}
for row in stored["answers"]:
    kinds: dict[str, list[Row]] = defaultdict(list)
    for grade in row["grades"]:
        if grade["counts"]:
            kinds[grade["kind"]].append({**grade, "correct": grade["letter"] in "BCE"})
    given = kinds["decision"] or kinds["known"] or kinds["grade"]
    if given:
        means = {name: fmean(grade[name] for grade in given) for name in ("loose", "strict", "correct")}
        finals[row["position"]] = {**row, **means}


def validation_of(pairs: list[tuple[float, Row]]) -> JudgeValidation:
    """The judge's verdicts beside the results of graders."""
    by_graders, asked = [row["correct"] for _, row in pairs], [row["question_id"] for _, row in pairs]
    return validate_judge([verdict for verdict, _ in pairs], by_graders, clusters=asked)


latest = {(judged["signature"], judged["answer_set"]): judged for judged in stored["judged"]}
verdicts: dict[str, list[tuple[str, float, Row]]] = defaultdict(list)
for (signature, _), judged in latest.items():
    for row in judged["answers"]:
        if row["position"] is not None:
            verdicts[signature].append((judged["source"], float(row["value"] == 1), finals[row["position"]]))
for signature, found in verdicts.items():
    found.sort(key=lambda one: one[2]["position"])
    groups: dict[str, list[tuple[float, Row]]] = defaultdict(list)
    for source, verdict, row in found:
        for group in ("all", f"By system, {source}", f"By category, {row['category']}"):
            if row["correct"] in (0, 1):
                groups[group].append((verdict, row))
    for group, graded_pairs in groups.items():
        result = validation_of(graded_pairs)
        estimates = result.accuracy, result.kappa, result.bias
        show(f"{signature}: {group}", *result.confusion.ravel().tolist(), *estimates, result.n_items)
    if groups:
        show(f"{signature}: undecided", len(found) - len(groups["all"]))

# %% [markdown] round
# ## Corrected scores and human performance
#
# A round draws from the answers that are not blank, to questions with a reference answer: the mean of these is
# corrected, and the others keep their score. Neither is computed for the answers on which scores differ most, which are
# no random sample. Human performance is over the answers of participants who count, calibration answers included.

# %% round
for judged in stored["judged"] if stored["round"]["selection"] != "disagreements" else ():
    drawable = [row for row in judged["answers"] if row["drawable"]]
    places = [n for n, row in enumerate(drawable) if row["position"] is not None]
    places.sort(key=lambda n: drawable[n]["position"])
    known = {n: finals[drawable[n]["position"]] for n in places}
    probabilities = [known[n]["probability"] if n in known else 1.0 for n in range(len(drawable))]
    both = [
        [row[name] for row in drawable] for name in ("participant", "cluster") if any(row[name] for row in drawable)
    ]
    corrected = judged["correctable"] and corrected_mean(
        [row["value"] for row in drawable],
        places,
        [known[n]["correct"] for n in places],
        probabilities=None if None in probabilities else probabilities,
        clusters=(both if len(both) > 1 else both[0]) if both else None,
    )
    if corrected:
        right = corrected.beside([row["value"] for row in judged["answers"] if not row["drawable"]])
        show(f"Corrected scores: {judged['source']} ({judged['signature']})", judged["score"], right, right.n_graded)
by_study: dict[str, list[Row]] = defaultdict(list)
for row in finals.values() if stored["round"]["selection"] != "disagreements" else ():
    if row["origin"]["counts"]:
        by_study[row["origin"]["study"]].append(row)
for name, own in by_study.items():
    own.sort(key=lambda row: (len(row["origin"]["participant"]), row["origin"]["participant"]))
    both_sides = [row["origin"]["participant"] for row in own], [row["question_id"] for row in own]
    means = [mean_estimate([row[kind] for row in own], both_sides) for kind in ("loose", "strict")]
    n_known, sizes = sum(row["calibration"] for row in own), [len(set(side)) for side in both_sides]
    show(f"Human performance: {name}", *means, len(own), n_known, *sizes)
