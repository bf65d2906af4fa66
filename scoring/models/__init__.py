"""The tables of scoring, one module a subject: what is scored, against what, and what came out.

Enters and leaves: rows. ``benchmarks`` holds questions and their private reference answers, ``answers`` what is scored,
``runs`` and ``run_states`` the work, ``scores`` its results, ``judge`` the judge's replies and costs, ``imports``
staged revisions, ``workers`` which workers are alive. Every model is imported from here.
"""

from scoring.models.answers import Answer, AnswerSet
from scoring.models.benchmarks import Benchmark, Question, Reference, Revision, Setting, Split
from scoring.models.imports import ImportDraft
from scoring.models.judge import BudgetRelease, JudgeBatch, JudgeEstimate, JudgeTurn, Verdict
from scoring.models.runs import Run
from scoring.models.scores import Ceiling, CurrentSignature, Score, read_vector, vector_bytes
from scoring.models.workers import WorkerSighting

__all__ = [
    "Answer",
    "AnswerSet",
    "Benchmark",
    "BudgetRelease",
    "Ceiling",
    "CurrentSignature",
    "ImportDraft",
    "JudgeBatch",
    "JudgeEstimate",
    "JudgeTurn",
    "Question",
    "Reference",
    "Revision",
    "Run",
    "Score",
    "Setting",
    "Split",
    "Verdict",
    "WorkerSighting",
    "read_vector",
    "vector_bytes",
]
