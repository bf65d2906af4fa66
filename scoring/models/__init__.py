"""The tables of scoring, one module per subject: what is scored, against what, and the results.

``benchmarks`` holds questions and reference answers, ``answers`` answer sets, ``runs`` and ``scores`` the results,
``judge`` verdicts and spending, ``comparisons`` baselines and answers compared side by side, ``declared`` the folders
of declared benchmarks, ``pictures`` what their questions show, ``drafts`` imports that wait for a decision.
"""

from scoring.models.answers import Answer, AnswerBlock, AnswerSet, CitationBlock, PassageFile, Usage
from scoring.models.benchmarks import Benchmark, Question, Reference, Revision, Setting, Split, SplitPart, SplitPhase
from scoring.models.comparisons import Baseline, Comparison
from scoring.models.declared import DeclaredFolder
from scoring.models.drafts import FolderDraft, ImportDraft
from scoring.models.judge import BudgetRelease, JudgeEstimate, JudgeTurn, Verdict
from scoring.models.pictures import Picture
from scoring.models.runs import RUN_NAME, Run, Turn
from scoring.models.scores import SCORE_KEY, CurrentSignature, Score, read_vector, vector_bytes
from scoring.models.workers import WorkerHeartbeat
