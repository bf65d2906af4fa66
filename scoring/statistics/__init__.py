"""Uncertainty of results: intervals, rank ranges, tests, agreement, strengths. Pure functions on NumPy arrays.

Scores are arrays of shape ``(n_systems, n_items)``: one row per system (or per score of it), one column per question or
answer, the same in every row. Results are plain values and arrays; nothing is rounded. Nothing here depends on
databases, pages or metrics. ``docs/statistics.md`` is an introduction.
"""

from scoring.statistics.agreement import (
    JudgeValidation,
    cohen_kappa,
    fleiss_kappa,
    grader_biases,
    krippendorff_alpha,
    validate_judge,
)
from scoring.statistics.arrays import BOARD_SEED, N_RESAMPLES, TIE, Estimate, Interval, TooFewUnitsError
from scoring.statistics.attempts import AttemptSummary, attempt_summary, pass_at_k, pass_hat_k
from scoring.statistics.calibration import calibration_error
from scoring.statistics.comparison import (
    Agreement,
    DifferenceFromPeople,
    PairedDifferences,
    agreement,
    detectable_difference,
    difference_intervals,
    holm,
    paired_differences,
    system_against_people,
)
from scoring.statistics.corrections import FEWEST_GRADES, Corrected, corrected_mean, corrected_total
from scoring.statistics.equal_length import LengthControlled, length_controlled_board
from scoring.statistics.items import FEWEST_SYSTEMS, difficulty, discrimination
from scoring.statistics.means import (
    FEWEST_COUNTED,
    FEWEST_PEOPLE,
    completed,
    counted_often,
    largest_square,
    mean_estimate,
    mean_interval,
    mean_intervals,
    weighted_mean_interval,
)
from scoring.statistics.preferences import (
    Comparisons,
    PositionBias,
    Strengths,
    connected_parts,
    position_bias,
    strengths,
)
from scoring.statistics.proportions import proportion_interval
from scoring.statistics.ranks import RankStatistics, competition_ranks, rank_sets, rank_statistics
from scoring.statistics.trend import LogFit, log_fit
