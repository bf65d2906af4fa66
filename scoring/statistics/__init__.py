"""How certain the numbers are: intervals, rank ranges, tests, noise, agreement. Pure functions on NumPy arrays.

Enters: arrays of scores, shape ``(n_systems, n_items)``: one row per system (or per score of it), one column per
question or answer, the same in every row. Leaves: plain values and arrays; nothing is rounded. Nothing here knows of
databases, pages or metrics. ``docs/statistics.md`` explains it all to a newcomer.
"""

from scoring.statistics.agreement import (
    Corrected,
    Ends,
    GraderBias,
    Reliability,
    Trial,
    cohen_kappa,
    grader_biases,
    judge_trial,
    krippendorff_alpha,
    pairwise_kappas,
    prediction_powered_mean,
)
from scoring.statistics.arrays import BOARD_SEED, N_RESAMPLES, TIE, TooFewUnitsError
from scoring.statistics.comparison import (
    Agreement,
    ColumnStatistics,
    PairedDifferences,
    agreement,
    column_statistics,
    paired_differences,
)
from scoring.statistics.permutation import BestMarks, holm, indistinguishable_from_best, sign_flip_test
from scoring.statistics.ranks import RankRanges, competition_ranks, rank_ranges
from scoring.statistics.repeats import RepeatNoise, repeat_noise
from scoring.statistics.resampling import Interval, bootstrap_interval, bootstrap_means, interval
from scoring.statistics.trend import LogLine, log_line

__all__ = [
    "BOARD_SEED",
    "N_RESAMPLES",
    "TIE",
    "Agreement",
    "BestMarks",
    "ColumnStatistics",
    "Corrected",
    "Ends",
    "GraderBias",
    "Interval",
    "LogLine",
    "PairedDifferences",
    "RankRanges",
    "Reliability",
    "RepeatNoise",
    "TooFewUnitsError",
    "Trial",
    "agreement",
    "bootstrap_interval",
    "bootstrap_means",
    "cohen_kappa",
    "column_statistics",
    "competition_ranks",
    "grader_biases",
    "holm",
    "indistinguishable_from_best",
    "interval",
    "judge_trial",
    "krippendorff_alpha",
    "log_line",
    "paired_differences",
    "pairwise_kappas",
    "prediction_powered_mean",
    "rank_ranges",
    "repeat_noise",
    "sign_flip_test",
]
