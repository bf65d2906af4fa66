"""What somebody who wants the answers of a hidden split does: the attacks that docs/security.md measures.

Each attack takes what the site shows of files that an attacker made, decodes it as well as can be done, and says how
many guesses it confirmed. Scores are made as the metrics make them; `leaderboard.disclosure` rounds them.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from leaderboard.disclosure import CATEGORY_ERROR, DisclosureRule, outcomes_key
from leaderboard.systems.comparison.statistics import differences
from leaderboard.systems.comparison.types import Difference, Vector

KEY = "the key of these trials, of fifty characters or more than that"
"""A ``SECRET_KEY``, so that the random errors are the same each time."""
N_QUESTIONS = 724
"""As many as the test split of FanOutQA."""
CONFIRMED = 0.95
"""A guess is confirmed, or refuted, where its probability reaches this or falls below one minus this."""
HIDDEN = DisclosureRule(hidden=True)
EXACT = DisclosureRule(hidden=False)
WIDTHS = (1, *(2**power for power in range(1, 12)))
"""Words of the answer to each guess, the guess included: as the padded file has them."""


def shown(
    outcomes: Sequence[bool], widths: Sequence[int], rule: DisclosureRule, *, n_questions: int = N_QUESTIONS
) -> tuple[float, ...]:
    """What is shown of a file with guesses of one word padded to *widths* words, and one meaningless word for every
    other question: loose and strict accuracy, and the F1 of ROUGE-1 and ROUGE-L. References have one word each."""
    n_right = sum(outcomes) / n_questions
    f1 = sum(2 / (width + 1) for width, right in zip(widths, outcomes, strict=True) if right) / n_questions
    return tuple(rule.number(value) or 0.0 for value in (n_right, n_right, f1, f1))


@dataclass(frozen=True)
class Decoded:
    """What an attacker learns from what one file shows."""

    n_confirmed: int
    """Guesses that are now known to be right."""
    bits: float
    """Information about all guesses together."""


def decode(seen: object, outcomes: Sequence[bool], *, prior: float, see: Callable[[Sequence[bool]], object]) -> Decoded:
    """Everything that follows from *seen*: each set of right guesses that would show the same is weighed by *prior*."""
    weights: dict[tuple[bool, ...], float] = {}
    for candidate in product((False, True), repeat=len(outcomes)):
        if see(candidate) == seen:
            n_right = sum(candidate)
            weights[candidate] = prior**n_right * (1 - prior) ** (len(outcomes) - n_right)
    total = sum(weights.values())
    known = [
        sum(weight for candidate, weight in weights.items() if candidate[index]) / total
        for index in range(len(outcomes))
    ]
    return Decoded(sum(chance >= CONFIRMED for chance in known), -math.log2(total))


def padded_file(
    random: np.random.Generator, n_guesses: int, *, prior: float = 0.5, rule: DisclosureRule = HIDDEN
) -> Decoded:
    """One file with answers to all questions: *n_guesses* guesses, each padded to another number of words."""
    widths = WIDTHS[:n_guesses]
    outcomes = [bool(one) for one in random.random(n_guesses) < prior]
    return decode(
        shown(outcomes, widths, rule), outcomes, prior=prior, see=lambda candidate: shown(candidate, widths, rule)
    )


@dataclass(frozen=True)
class Form:
    """A way to write a guess of two words that not all metrics read, so that their scores are separate channels."""

    name: str
    write: Callable[[str, str], str]
    string: float = 0.0
    """What a right guess adds to loose and strict accuracy."""
    judge: float = 0.0
    """What it adds to the judge's score."""
    in_order: bool | None = None
    """Whether ROUGE reads both words in their order, or the other way round; None if it reads neither."""

    def adds(self, width: int, *, judged: bool) -> tuple[float, ...]:
        """What a right guess adds to loose and strict accuracy, the F1 of ROUGE-1, ROUGE-2 and ROUGE-L, and the judge's
        score, if it is padded to a number of words."""
        either, ordered = self.in_order is not None, bool(self.in_order)
        one = 4 / (width + 2) if either else 0.0
        rouge = (one, 2 / width if ordered else 0.0, one if ordered else one / 2)
        return (self.string, self.string, *rouge, *((self.judge,) if judged else ()))


FORMS = (
    Form("HTML entities", lambda *words: " ".join(f"&#{ord(word[0].lower())};{word[1:]}" for word in words), 1.0),
    Form("a hyphen", lambda first, second: f"{first}-{second}", in_order=True),
    Form("reversed", lambda first, second: f"{second} {first}", in_order=False),
    Form("described", lambda first, second: "The largest city of the state with these words in its name", judge=1.0),
)
"""The last one, which says it in other words, is for splits that a judge scores too; the judge never errs here."""


def all_scores(
    outcomes: Sequence[bool], forms: Sequence[Form], widths: Sequence[int], rule: DisclosureRule, *, judged: bool
) -> tuple[float, ...]:
    """What all scores together show of a file with some guesses, each in its form and padded to its width, and one
    meaningless word for every other question."""
    adds = [
        [number * right for number in form.adds(width, judged=judged)]
        for form, width, right in zip(forms, widths, outcomes, strict=True)
    ]
    return tuple(rule.number(sum(of_score) / N_QUESTIONS) or 0.0 for of_score in zip(*adds, strict=True))


def file_of_forms(
    random: np.random.Generator,
    n_guesses: int,
    *,
    prior: float = 0.5,
    judged: bool = False,
    rule: DisclosureRule = HIDDEN,
) -> Decoded:
    """One file with guesses in all forms in turn, the second and later ones of each padded to more words."""
    n_forms = len(FORMS) if judged else len(FORMS) - 1
    forms = [FORMS[number % n_forms] for number in range(n_guesses)]
    widths = [2 ** (1 + number // n_forms) for number in range(n_guesses)]
    outcomes = [bool(one) for one in random.random(n_guesses) < prior]
    return decode(
        all_scores(outcomes, forms, widths, rule, judged=judged),
        outcomes,
        prior=prior,
        see=lambda candidate: all_scores(candidate, forms, widths, rule, judged=judged),
    )


def bits_of_a_full_file(n_channels: int, *, prior: float = 0.5) -> float:
    """The mean information of a file with a guess for each question, the same number of them in each channel: how many
    are right in each of them can be read, as one question changes a score by more than its last digit."""
    bits = 0.0
    for channel in range(n_channels):
        n = N_QUESTIONS // n_channels + (channel < N_QUESTIONS % n_channels)
        for right in range(n + 1):
            log_chance = math.log(math.comb(n, right)) + right * math.log(prior) + (n - right) * math.log(1 - prior)
            bits -= math.exp(log_chance) * log_chance / math.log(2)
    return bits


@dataclass(frozen=True)
class Confirmations:
    """How many guesses one file confirms: the chance of each case, over every set of right guesses."""

    none: float
    one: float
    more: float
    mean: float
    """The mean number of confirmed guesses."""


def confirmations(n_guesses: int, *, prior: float, rule: DisclosureRule = HIDDEN) -> Confirmations:
    """What one padded file confirms, exactly: all ``2**n_guesses`` sets of right guesses are weighed, so that the
    statement is about a single file and not about the mean of some trials."""
    widths = WIDTHS[:n_guesses]
    alike: dict[tuple[float, ...], list[tuple[bool, ...]]] = {}
    for candidate in product((False, True), repeat=n_guesses):
        alike.setdefault(shown(candidate, widths, rule), []).append(candidate)
    chances = [0.0] * (n_guesses + 1)
    for candidates in alike.values():
        rights = np.array(candidates, dtype=float)
        weights = prior ** rights.sum(axis=1) * (1 - prior) ** (n_guesses - rights.sum(axis=1))
        n_confirmed = int((weights @ rights / weights.sum() >= CONFIRMED).sum())
        chances[n_confirmed] += float(weights.sum())
    mean = sum(number * chance for number, chance in enumerate(chances))
    return Confirmations(chances[0], chances[1], sum(chances[2:]), mean)


def pair_of_files(random: np.random.Generator, trial: int, *, hidden: bool = True) -> bool:
    """Two published files that differ in one answer, which the attacker knows to be right, each compared with somebody
    else's system. Says whether the attacker's guess is right whether that system answered the question right.

    Where the question's outcomes differ from one another, the variance of the difference is larger: the interval is
    wider and p is larger than where they agree, but for the change of the mean.
    """
    rate = random.uniform(0.3, 0.7)
    victim = (random.random(N_QUESTIONS) < rate).astype(float)
    mine = np.where(random.random(N_QUESTIONS) < 0.7, victim, 1 - victim)
    question = int(random.integers(N_QUESTIONS))
    victim[question] = float(random.random() < 0.5)
    mine[question] = 1.0
    other = mine.copy()
    other[question] = 0.0
    first, second = (
        _difference(attack, victim, (3 * trial + number, 3 * trial + 3), hidden=hidden)
        for number, attack in enumerate((mine, other), start=1)
    )
    if not hidden:
        n_alike = [round((one.equal_share or 0.0) * N_QUESTIONS) for one in (first, second)]
        return (n_alike[1] < n_alike[0]) == bool(victim[question])
    grows = (second.high - second.low) - (first.high - first.low)
    if grows == 0:
        grows = second.corrected - first.corrected
    guess = grows > 0 if grows else random.random() < 0.5
    return bool(guess == bool(victim[question]))


def _difference(
    attack: NDArray[np.float64], victim: NDArray[np.float64], keys: tuple[int, int], *, hidden: bool
) -> Difference:
    vectors = [
        [Vector(key, "strict", float(row.mean()), 1, row)] for key, row in zip(keys, (attack, victim), strict=True)
    ]
    (found,) = differences(vectors, hidden=hidden)["strict"].differences
    return found


CATEGORY_SIZES = (251, 163, 115, 71, 69, 56, 55, 45, 34, 21, 15, 62)
"""Of the test split of FanOutQA, as they are shown."""


def guess_in_each_category(random: np.random.Generator, trial: int, *, n_known: int = 3) -> Decoded:
    """One published file with a guess in each category, and *n_known* answers there that are known to be right, so that
    few errors end at 0. The attacker knows how the random error is distributed."""
    n_confirmed, bits = 0, 0.0
    for number, size in enumerate(CATEGORY_SIZES):
        right = bool(random.random() < 0.5)
        outcomes = outcomes_key(trial, "loose", [1.0] * (n_known + right) + [0.0] * (size - n_known - right), [number])
        mean, _, _ = HIDDEN.category((n_known + right) / size, (None, None), outcomes=outcomes, size=size)
        likelihoods = [math.exp(-abs(mean * size - n_known - one) / CATEGORY_ERROR) for one in (0, 1)]
        chance = likelihoods[1] / sum(likelihoods)
        n_confirmed += chance >= CONFIRMED
        bits += 1 + chance * math.log2(chance) + (1 - chance) * math.log2(1 - chance)
    return Decoded(n_confirmed, bits)


def category_count_is_found(random: np.random.Generator, trial: int, n_files: int, *, n_known: int = 0) -> bool:
    """Several files with the same answers to the questions of a category, whose shown means are averaged. Says whether
    the attacker then knows how many of these answers are right.

    Args:
        n_known: known right answers in the category, of which each file has others; with none, all files are the same.
    """
    size = CATEGORY_SIZES[6]
    outcomes = (random.random(size - n_known) < random.uniform(0.3, 0.7)).astype(float)
    shown = []
    for number in range(n_files):
        known = [float(number >> place & 1) for place in range(n_known)]
        of_file = np.concatenate([outcomes, known])
        key = outcomes_key(trial, "loose", of_file)
        mean, _, _ = HIDDEN.category(float(of_file.mean()), (None, None), outcomes=key, size=size)
        shown.append(mean * size - sum(known))
    return round(float(np.median(shown))) == int(outcomes.sum())


def dictionary_answers(
    titles: Sequence[str], fits: Callable[[str], bool], *, written: Callable[[str], str] = str.lower
) -> list[tuple[str, ...]]:
    """A dictionary cut into answers, each as long as it may be: an answer *fits* if its file is scored at once."""
    answers: list[tuple[str, ...]] = []
    rest = list(titles)
    while rest:
        low, high = 1, len(rest)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if fits(written(" ".join(rest[:middle]))) else (low, middle - 1)
        answers.append(tuple(rest[:low]))
        rest = rest[low:]
    return answers


def files_to_find(answers: Sequence[tuple[str, ...]], wanted: str) -> int:
    """Files until an answer is known, of one question: each shows whether the part of the dictionary that it holds has
    it, since accuracy rises by one question. Part after part, then by bisection."""
    for n_files, part in enumerate(answers, start=1):
        if wanted in part:
            return n_files + math.ceil(math.log2(len(part)))
    return len(answers)
