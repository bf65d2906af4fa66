"""Answers that hold a dictionary of candidates: the attack on accuracy, which loses nothing by length."""

import json
import math
from importlib import resources
from typing import Any

import numpy as np
import pytest

from scoring.analysis import probing
from scoring.benchmarks import definition_of
from scoring.metrics.string_accuracy import StringAccuracy
from tests import attacks
from tests.paths import ROOT

pytestmark = pytest.mark.slow

FANOUTQA = definition_of("fanoutqa")
SECURITY = " ".join((ROOT / "docs" / "security.md").read_text().split())


def titles() -> list[str]:
    """Titles of Wikipedia: those of the articles that the development split of FanOutQA relies on."""
    found: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            found.update([value["title"]] if isinstance(value.get("title"), str) else [])
            value = list(value.values())
        for item in value if isinstance(value, list) else ():
            collect(item)

    collect(json.loads(resources.files("fanoutqa").joinpath("data/fanout-final-dev.json").read_text(encoding="utf-8")))
    random = np.random.default_rng(1)
    return [str(title) for title in random.permutation(sorted(found))]


def waits(*texts: str) -> bool:
    return bool(probing.padding({str(number): text for number, text in enumerate(texts)}, FANOUTQA))


@pytest.mark.parametrize("separator", [" ", ", ", "\n", " | ", "\u200b", "-", "_", "。"])
@pytest.mark.parametrize("case", [str.lower, str.upper, str.title])
def test_a_dictionary_in_few_characters_waits_however_it_is_written(separator: str, case: Any) -> None:
    text = case(separator.join(titles()[:1_024]))
    assert waits(text)
    assert waits(case(separator.join(titles()[:420]))[:7_999])


def test_an_answer_below_both_limits_holds_few_titles() -> None:
    """The figures of docs/security.md."""
    parts = attacks.dictionary_answers(titles()[:1_024], lambda text: len(text) <= 8_000 and not waits(text))
    sizes = [len(part) for part in parts[:-1]]
    shortest = attacks.dictionary_answers(sorted(titles(), key=len), lambda text: not waits(text))[0]
    words = attacks.dictionary_answers([f"w{number}" for number in range(1_000)], lambda text: not waits(text))[0]
    assert f"{min(sizes)} to {max(sizes)} titles of Wikipedia, {len(shortest)} of the shortest ones" in SECURITY
    assert f"or {len(words)} single words" in SECURITY
    several = " ".join(titles()[:420])
    assert len(several) < 8_000
    assert f"420 titles within 8,000 characters count as {probing.n_names(several)}" in SECURITY
    dates = [f"{day} may {year}" for year in range(1900, 2000) for day in range(1, 32)]
    assert len(attacks.dictionary_answers(dates, lambda text: not waits(text))[0]) <= 300


def test_a_file_below_both_limits_gives_one_bit_a_question_and_a_quota_few_answers() -> None:
    """A file whose answer holds a part of the dictionary tells whether the reference is in it, and nothing more; so an
    answer among 1,024 titles takes many of the 60 files."""
    known = titles()[:1_024]
    parts = attacks.dictionary_answers(known, lambda text: not waits(text))
    metric = StringAccuracy("lookup")
    for wanted in known[::256]:
        prepared = metric.prepare([wanted])
        outcomes = [metric.score(prepared, [" ".join(part).lower()])["loose"].value for part in parts]
        assert set(outcomes) <= {0.0, 1.0}
        holding = next(index for index, part in enumerate(parts) if wanted in part)
        assert outcomes[holding] == 1.0
    needed = float(np.mean([attacks.files_to_find(parts, wanted) for wanted in known]))
    assert f"1,024 titles of Wikipedia take {len(parts)} parts" in SECURITY
    assert f"to find an answer among them takes {needed:.1f} files on average" in SECURITY
    assert f"All 60 files find about {60 / needed:.0f} answers" in SECURITY


def test_several_dictionaries_in_a_file_tell_only_how_many_hold_their_answer() -> None:
    """The figures of docs/security.md: the entropy of the number of right ones, each right with 50 %, which is the most
    that such a number can have."""

    def bits(n_answers: int) -> float:
        chances = np.array([math.comb(n_answers, number) / 2**n_answers for number in range(n_answers + 1)])
        return float(-(chances * np.log2(chances)).sum())

    of_8, of_100, of_all = map(bits, (8, 100, attacks.N_QUESTIONS))
    assert bits(1) == 1.0
    assert f"{of_8:.1f} bits with 8 questions, {of_100:.1f} bits with 100, {of_all:.1f} bits with all 724" in SECURITY
    assert f"60 files tell at most {60 * of_all:.0f} bits" in SECURITY
    assert f"one of 1,024 titles has {math.log2(1_024):.0f}" in SECURITY
