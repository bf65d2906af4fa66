"""Moderation flags on real systems: none of them is flagged for being right, and copies of them are."""

import json
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest

from scoring.analysis import anomalies, probing
from scoring.analysis.anomalies import ALIKE, STOCK, alike, sketch_of
from scoring.benchmarks import definition_of
from scoring.metrics.asking import prompt_injection
from tests import real_data

pytestmark = pytest.mark.slow

FILES = real_data.files("official/*-generations/*.jsonl")


def answers_in(file: Path) -> dict[str, str]:
    return {one["id"]: one["answer"] for one in map(json.loads, file.read_text().splitlines())}


def system_of(file: Path) -> str:
    return file.stem.split("-", 2)[-1].removeprefix("provided-")


@pytest.mark.parametrize("files", [FILES] if FILES else [])
def test_two_systems_share_less_than_copies_do(files: list[Path]) -> None:
    sketches = {}
    for file in files:
        found = {qid: sketch for qid, text in answers_in(file).items() if (sketch := sketch_of(text))}
        stock = Counter(found.values())
        sketches[file] = {qid: sketch for qid, sketch in found.items() if stock[sketch] < STOCK}
    shares: dict[bool, float] = {True: 0, False: 0}
    for one, other in permutations(files, 2):
        theirs = {qid: sketch_of(text) for qid, text in answers_in(other).items() if qid in sketches[one]}
        n_same = sum(alike(sketches[one][qid], theirs[qid]) >= ALIKE for qid in theirs)
        same_system = system_of(one) == system_of(other)
        shares[same_system] = max(shares[same_system], n_same / len(sketches[one]))
    assert {same: round(share, 3) for same, share in shares.items()} == {True: 0.063, False: 0.048}
    assert shares[True] < anomalies.SAME_SHARE / 5


@pytest.mark.parametrize("files", [FILES] if FILES else [])
def test_no_scores_of_them_would_wait_and_none_speaks_to_a_judge(files: list[Path]) -> None:
    """The figures of docs/security.md."""
    given = [answers_in(file) for file in files]
    assert (len(given), sum(map(len, given))) == (9, 6_495)
    assert [probing.padding(answers, definition_of("fanoutqa")) for answers in given] == [[]] * 9
    assert not [qid for answers in given for qid, text in answers.items() if prompt_injection.flags(text)]
