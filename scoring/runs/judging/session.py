"""One worker's session with a claimed judge run: what it has at hand, and the progress that it reports.

Enters: a claimed run and the judge's configuration. Leaves: the lease renewed and the progress written. How verdicts
are asked for is in ``live`` and ``batches``, how the session ends in ``endings``.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from scoring.metrics.judge.cost import token_counter
from scoring.models import Run
from scoring.models.run_states import RunState
from scoring.registry.judge_settings import JudgeConfig
from scoring.runs import leases
from scoring.runs.errors import RunUnavailableError
from scoring.runs.judging.missing import RunVerdicts
from scoring.runs.judging.store import VerdictStore

PROGRESS_SECONDS = 0.5
"""How often, at most, progress is written to the database."""


@dataclass
class JudgeSession:
    """What the steps of one session share."""

    run: Run
    token: str
    """The token of the worker's lease."""
    config: JudgeConfig
    check: Callable[[], None]
    """Raises once the lease is known to be lost."""
    verdicts: RunVerdicts
    store: VerdictStore
    n_new: int = 0
    """Verdicts that this session has brought."""
    _written_at: float = field(default=float("-inf"), init=False)

    @classmethod
    def begin(cls, run: Run, token: str, config: JudgeConfig, check: Callable[[], None]) -> "JudgeSession":
        """Read what the run has to judge.

        Raises:
            CannotRunError: there is no answer in it.
        """
        verdicts = RunVerdicts.of(run, config.judge)
        if not verdicts.scored:
            raise RunUnavailableError(RunState.FAILED, "There are no answers to score.")
        store = VerdictStore(run, config, token_counter(config.judge.model))
        return cls(run, token, config, check, verdicts, store)

    def record_progress(self, *, always: bool = False) -> None:
        """Renew the lease and write down how many questions are done, at most every half second unless *always*.

        Raises:
            LeaseLostError: the run is not this worker's any more.
        """
        if always or time.monotonic() - self._written_at >= PROGRESS_SECONDS:
            leases.renew(str(self.run.pk), self.token, done=self.verdicts.n_done, total=len(self.verdicts.scored))
            self._written_at = time.monotonic()
