"""Short answers: whether they are right, and how near they are."""

from scoring.metrics.short_answer.grades import (
    GradeSummary,
    JudgeVerdict,
    grade_summary,
    read_grade,
    read_verdict,
)
from scoring.metrics.short_answer.matching import Tolerance, matches
from scoring.metrics.short_answer.published import (
    Inclusion,
    TokenOverlap,
    exact_match,
    inclusion_recall,
    token_f1,
)
