"""One worker's session with a claimed judge run: the loaded data and the reported progress.

Enters: a claimed run and the judge's configuration. Leaves: a renewed lease and stored progress. ``live`` and
``batches`` ask for verdicts, ``endings`` ends the session.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from scoring.metrics.asking.config import JudgeConfig
from scoring.metrics.asking.cost import token_counter
from scoring.models import Run
from scoring.models.run_states import RunState
from scoring.runs import leases
from scoring.runs.errors import NO_ANSWERS, RunUnavailableError
from scoring.runs.judging.missing import RunVerdicts
from scoring.runs.judging.store import VerdictStore

PROGRESS_SECONDS = 0.5
"""How often, at most, progress is written to the database."""


@dataclass
class JudgeSession:
    """The state shared by the steps of one session."""

    run: Run
    token: str
    """The token of the worker's lease."""
    config: JudgeConfig
    check: Callable[[], None]
    """Raises once the lease is known to be lost."""
    verdicts: RunVerdicts
    store: VerdictStore
    n_new: int = 0
    """The number of verdicts that this session has obtained."""
    n_given_up: int = 0
    """The number of missing items that were in as many batches without a reply as allowed."""
    _written_at: float = field(default=float("-inf"), init=False)

    @classmethod
    def begin(cls, run: Run, token: str, config: JudgeConfig, check: Callable[[], None]) -> "JudgeSession":
        """Load the items that the run has to judge.

        Raises:
            RunUnavailableError: it contains no answer.
        """
        verdicts = RunVerdicts.of(run, config.judge)
        if not verdicts.scored:
            raise RunUnavailableError(RunState.FAILED, NO_ANSWERS)
        store = VerdictStore(run, config, token_counter(config.judge.model))
        return cls(run, token, config, check, verdicts, store)

    def record_progress(self, *, always: bool = False) -> None:
        """Renew the lease and store the number of finished questions, at most every half second unless *always*.

        Raises:
            LeaseLostError: the run no longer belongs to this worker.
        """
        if always or time.monotonic() - self._written_at >= PROGRESS_SECONDS:
            leases.renew(str(self.run.pk), self.token, done=self.verdicts.n_done, total=len(self.verdicts.scored))
            self._written_at = time.monotonic()
