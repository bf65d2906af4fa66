"""Win rates at equal length: on AlpacaEval's published annotations where they are at hand, and on a drawn board.

The annotations (https://github.com/tatsu-lab/alpaca_eval, CC BY-NC 4.0) are no part of the project. They are read from
the folder that the environment variable ``ALPACA_EVAL`` names: a clone of the repository, or the parts of it that
:func:`published` reads.
"""

import csv
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scoring.statistics import LengthControlled, length_controlled_board
from tests.bench.calibration.figures import COVERAGE, Figure, Subject, coverage

SEED = 20240404
FOLDER = "ALPACA_EVAL"
JUDGE = "weighted_alpaca_eval_gpt4_turbo"
LEADERBOARD = f"src/alpaca_eval/leaderboards/data_AlpacaEval_2/{JUDGE}_leaderboard.csv"
BASELINE = "gpt4_1106_preview"
Values = NDArray[np.float64]


class Board(NamedTuple):
    """The comparisons of a board's systems with a baseline."""

    name: str
    outcomes: Values
    """Shape ``(n_systems, n_questions)``."""
    differences: Values
    """Of lengths, the same shape."""


def published(folder: Path) -> tuple[Board, Values]:
    """The systems with annotations of every kind that are in the folder, and their published win rates at equal length.

    :raises FileNotFoundError: if the folder has no leaderboard, or no annotations of a system on it.
    """
    with (folder / LEADERBOARD).open(newline="") as file:
        values = {row[""]: float(row["length_controlled_winrate"]) / 100 for row in csv.DictReader(file)}
    systems = {path.parent.parent.name: path for path in folder.glob(f"results/*/{JUDGE}/annotations.json")}
    names = sorted(values.keys() & systems.keys() - {BASELINE})
    if not names:
        raise FileNotFoundError(f"{folder}: expected results/<system>/{JUDGE}/annotations.json, found none")
    numbers: dict[str, int] = {}
    rows = []
    for name in names:
        for judged in json.loads(systems[name].read_text()):
            number = numbers.setdefault(judged["instruction"], len(numbers))
            longer = len(judged["output_2"]) - len(judged["output_1"])
            rows.append((name, number, judged["preference"], longer))
    outcomes, differences = np.full((2, len(names), len(numbers)), np.nan)
    places = {name: place for place, name in enumerate(names)}
    for name, number, preference, longer in rows:
        if preference is not None:  # from 1 (the baseline) to 2; 0 is a tie
            outcomes[places[name], number] = preference - 1 if preference else 0.5
        differences[places[name], number] = longer
    board = Board(f"AlpacaEval, {len(names)} systems", outcomes, differences)
    return board, np.array([values[name] for name in names])


def drawn_board(chance: np.random.Generator, n_systems: int, n_questions: int) -> tuple[Values, Values, Values]:
    """A board whose judge prefers longer answers, in both orders; the first system wins about .4 of the questions.

    Most systems are shorter than the baseline, whose answers are long where questions are hard, as in AlpacaEval.

    :returns: outcomes, differences of lengths, and the terms of questions.
    """
    terms = chance.normal(0, 1.5, n_questions)
    baseline_lengths = np.round(chance.lognormal(7.2 - 0.1 * terms, 0.9))
    shorter = chance.normal(-0.5, 0.4, (n_systems, 1))
    shorter[0] = -0.4
    lengths = np.maximum(
        1, np.round(baseline_lengths * np.exp(shorter + chance.normal(0, 0.5, (n_systems, n_questions))))
    )
    differences = lengths - baseline_lengths
    slopes, strengths = chance.normal(1.6, 0.3, (n_systems, 1)), chance.normal(-1, 1, (n_systems, 1))
    strengths[0] = 0.3
    odds = strengths + terms + slopes * np.tanh(differences / np.median(differences.std(axis=1)))
    outcomes = (chance.random((2, n_systems, n_questions)) < 1 / (1 + np.exp(-odds))).mean(axis=0)
    return outcomes, differences, terms


def resampled(board: Board, n_systems: int, n_questions: int, n_trials: int) -> Figure:
    """How often the interval from some of the questions, drawn anew, has the value of the same systems on all."""
    chance = np.random.default_rng([SEED, n_systems, n_questions])
    covered = n_values = n_without = 0
    every = length_controlled_board(board.outcomes, board.differences) if n_systems == len(board.outcomes) else None
    for _ in range(n_trials):
        systems = np.sort(chance.choice(len(board.outcomes), n_systems, replace=False))
        outcomes, differences = board.outcomes[systems], board.differences[systems]
        questions = chance.integers(0, outcomes.shape[1], n_questions)
        targets = every or length_controlled_board(outcomes, differences)
        found = length_controlled_board(outcomes[:, questions], differences[:, questions])
        for target, system in zip(targets, found, strict=True):
            if target is not None and system is not None:
                n_values += 1
                covered += system.low <= target.controlled <= system.high
            n_without += target is not None and system is None
    what = f"{board.name}: {n_systems} of them, {n_questions} questions"
    beside = f"none in {n_without / (n_values + n_without):.1%}"
    if n_questions < 100:  # wider than necessary: a few answers as long as the baseline's decide
        return Figure(what, covered / n_values, n_trials, at_least=COVERAGE[0], beside=beside)
    return coverage(what, covered / n_values, n_trials, beside)


def half_blank(board: Board) -> Figure:
    """The most that a system gains if it leaves blank the half of the questions that are hardest for the others."""
    gains = []
    for system in range(len(board.outcomes)):
        before = length_controlled_board(board.outcomes, board.differences)[system]
        difficulty = np.nanmean(np.delete(board.outcomes, system, axis=0), axis=0)
        hardest = difficulty < np.median(difficulty)
        outcomes, differences = board.outcomes.copy(), board.differences.copy()
        outcomes[system, hardest], differences[system, hardest] = 0, np.nan
        after = length_controlled_board(outcomes, differences)[system]
        if before is not None and after is not None:
            gains.append(after.controlled - before.controlled)
    return Figure(f"{board.name}: gain from blank answers", max(gains), 0, at_most=0.0, unit="win rate")


def against_published(board: Board, values: Values) -> Iterator[Figure]:
    """The distance from the published values, and the correlation of ranks with them."""
    found = length_controlled_board(board.outcomes, board.differences)
    known = [place for place, system in enumerate(found) if system is not None]
    own = np.array([system.controlled for system in found if isinstance(system, LengthControlled)])
    errors = 100 * np.abs(own - values[known])
    raw = 100 * np.abs(np.nanmean(board.outcomes, axis=1) - values).mean()
    beside = f"largest {errors.max():.1f}, raw win rate {raw:.2f}, none for {len(found) - len(known)}"
    yield Figure(f"{board.name}: mean error", float(errors.mean()), 0, at_most=1.5, unit="points", beside=beside)
    ranks = np.stack([np.argsort(np.argsort(numbers)) for numbers in (own, values[known])])
    spearman = float(np.atleast_2d(np.corrcoef(ranks))[0, 1])
    yield Figure(f"{board.name}: Spearman", spearman, 0, at_least=0.985, unit="correlation")


def simulate(n_trials: int) -> Iterator[Figure]:
    short = n_trials < SUBJECT.n_trials
    outcomes, differences, _ = drawn_board(np.random.default_rng(SEED), 8 if short else 40, 200 if short else 800)
    boards = [Board("drawn systems", outcomes, differences)]
    if not short and (folder := os.environ.get(FOLDER)):
        real, values = published(Path(folder))
        boards.append(real)
        yield from against_published(real, values)
    for board in boards:
        every, n_questions = board.outcomes.shape
        yield half_blank(board)
        yield resampled(board, every, 100, max(10, n_trials // 4))
        if not short:
            yield resampled(board, every, n_questions, n_trials // 8)
            for n_systems, n_drawn in ((1, 100), (2, 100), (2, n_questions), (5, 100), (5, 300), (10, 30)):
                yield resampled(board, n_systems, n_drawn, n_trials)


SUBJECT = Subject(
    simulate,
    n_trials=400,
    n_short=12,
    about="Win rates if both answers were equally long; a judge who prefers long ones.",
)
