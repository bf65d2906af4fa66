"""Moderation flags on real systems: none of them is flagged for being right, and copies of them are."""

import json
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest

from leaderboard.models import Anomaly, SubmissionFile
from leaderboard.publishing import flags
from scoring.analysis import anomalies, probing
from scoring.analysis.anomalies import ALIKE, SAME_ANSWERS, STOCK, alike, sketch_of
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import SourceQuestion
from scoring.metrics.asking import prompt_injection
from scoring.models import Run
from scoring.models.run_states import RunState
from tests import factories, real_data

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
    assert {same: round(share, 3) for same, share in shares.items()} == {True: 0.064, False: 0.047}
    assert shares[True] < anomalies.SAME_SHARE / 5


@pytest.mark.parametrize("files", [FILES] if FILES else [])
def test_no_scores_of_them_would_wait_and_none_speaks_to_a_judge(files: list[Path]) -> None:
    """The figures of docs/security.md."""
    given = [answers_in(file) for file in files]
    assert (len(given), sum(map(len, given))) == (9, 6_495)
    assert [probing.padding(answers, definition_of("fanoutqa")) for answers in given] == [[]] * 9
    assert not [qid for answers in given for qid, text in answers.items() if prompt_injection.flags(text)]


@pytest.mark.django_db
@pytest.mark.parametrize("file", FILES[-2:-1])
def test_a_copy_is_told_as_the_whole_copy_that_it_is(file: Path) -> None:
    given = answers_in(file)
    made = factories.benchmark()
    factories.revise(factories.split(made, "test"), [SourceQuestion(qid, "?", (), (), answer="x") for qid in given])
    test = factories.split(made, "test")
    sent = []
    for name, answers in (
        ("ada", given),
        ("bob", given),
        ("eve", {qid: f"{text}." for qid, text in given.items()}),
    ):
        sent.append(factories.submission(factories.user(name), test, {"openbook": answers}))
    Run.objects.update(state=RunState.DONE)
    flags.find_due()
    found = [{one.code: one.count for one in Anomaly.objects.filter(file__submission=one)} for one in sent]
    n_answered = SubmissionFile.objects.get(submission=sent[1]).n_answered
    assert SAME_ANSWERS not in found[0]
    assert found[1][flags.SAME_FILE] == n_answered
    assert SAME_ANSWERS not in found[1]
    assert found[2][SAME_ANSWERS] == sum(bool(text.strip()) for text in given.values())
