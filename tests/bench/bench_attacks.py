"""The attacks of docs/security.md on the numbers of a hidden split, decoded as well as can be done.

724 questions, as the test split of FanOutQA has. Each attack also runs on numbers at full precision, for comparison.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

import django
import numpy as np

from tests.bench.registry import Report, bench

N_TRIALS = 200
N_GUESSES = (1, 2, 3, 6, 8)
PRIORS = (0.5, 0.1)
N_FILES = (9, 30, 60)
"""The quota of a day, of 30 days, and in all."""
KNOWN = 6
"""Known answers that an attacker varies: enough for 60 different files."""


def trials(make: Callable[[np.random.Generator, int], Any], seed: int, n_trials: int) -> list[Any]:
    random = np.random.default_rng(seed)
    return [make(random, trial) for trial in range(n_trials)]


@bench("attacks on hidden splits")
def attacks_on_hidden_splits(report: Report) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from django.conf import settings

    from tests import attacks  # after the settings are there

    settings.SECRET_KEY = attacks.KEY

    n_trials = report.size(N_TRIALS, 2)

    def padded(n_guesses: int, prior: float, rule: Any, random: np.random.Generator, trial: int) -> Any:
        del trial
        return attacks.padded_file(random, n_guesses, prior=prior, rule=rule)

    for prior in PRIORS:
        for n_guesses in N_GUESSES:
            found, exact = (
                trials(partial(padded, n_guesses, prior, rule), 1, n_trials) for rule in (attacks.HIDDEN, attacks.EXACT)
            )
            name = f"{n_guesses} padded guesses, {prior:.0%} right"
            for field, unit, at_most in (("n_confirmed", "guesses", 1.0), ("bits", "bits", None)):
                value, before = (float(np.mean([getattr(one, field) for one in of])) for of in (found, exact))
                report.measure(f"{name}: {unit}", value, unit, beside=f"exact numbers: {before:.2f}", at_most=at_most)

    def in_forms(n_guesses: int, judged: bool, random: np.random.Generator, trial: int) -> Any:
        del trial
        return attacks.file_of_forms(random, n_guesses, judged=judged)

    for judged in (False, True):
        for n_guesses in N_GUESSES:
            found = trials(partial(in_forms, n_guesses, judged), 1, n_trials)
            name = f"{n_guesses} guesses in several forms{', with a judge' if judged else ''}"
            for field, unit in (("n_confirmed", "guesses"), ("bits", "bits")):
                report.measure(f"{name}: {unit}", float(np.mean([getattr(one, field) for one in found])), unit)
    for n_channels in (1, 3, 4):
        bits = attacks.bits_of_a_full_file(n_channels)
        beside = f"in {N_FILES[-1]} files: {N_FILES[-1] * bits:.0f}"
        report.measure(f"a guess in each answer, {n_channels} channels: bits", bits, "bits", beside=beside)
    predicted = 100 * float(np.mean(trials(attacks.pair_of_files, 5, n_trials)))
    open_pairs = trials(lambda random, trial: attacks.pair_of_files(random, trial, hidden=False), 5, n_trials // 10 + 1)
    beside = f"with shares: {100 * float(np.mean(open_pairs)):.0f} %"
    report.measure("pair of files: outcomes predicted", predicted, "%", beside=beside, at_most=55.0)
    for n_files in N_FILES:
        for n_known in (0, KNOWN):
            averaged = partial(attacks.category_count_is_found, n_files=n_files, n_known=n_known)
            share = 100 * float(np.mean(trials(averaged, 3, 5 * n_trials)))
            what = f"{n_files} files, {n_known} known answers varied" if n_known else f"the same file {n_files} times"
            report.measure(f"{what}: count of a category found", share, "%", at_most=None if n_known else 35.0)
    found = trials(attacks.guess_in_each_category, 2, n_trials)
    what = f"a guess in {len(attacks.CATEGORY_SIZES)} categories"
    n_confirmed = float(np.mean([one.n_confirmed for one in found]))
    report.measure(f"{what}: confirmed", n_confirmed, "guesses", at_most=1.0)
    report.measure(f"{what}: bits", float(np.mean([one.bits for one in found])), "bits")
