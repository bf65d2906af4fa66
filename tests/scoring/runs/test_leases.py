"""A worker that lost its lease changes nothing. `tests/reliability/test_leases.py` has many workers at once."""

import numpy as np
import pytest

from scoring.metrics.base import ScoredVector
from scoring.models import Run, Score
from scoring.models.run_states import RunState
from scoring.runs import leases
from tests import factories

pytestmark = pytest.mark.django_db


def test_only_the_worker_with_the_lease_renews_finishes_and_ends_a_run() -> None:
    split = factories.split(factories.benchmark(), "dev")
    factories.submission(factories.user(), split, {"openbook": factories.perfect()})
    run = Run.objects.get(metric="accuracy")
    token = leases.claim(str(run.pk))
    assert token is not None
    assert leases.claim(str(run.pk)) is None
    with pytest.raises(leases.LeaseLostError):
        leases.renew(str(run.pk), "another", done=3)
    with pytest.raises(leases.LeaseLostError):
        leases.finish(str(run.pk), "another", scores={"loose": ScoredVector(1.0, np.ones(4))}, n_answered=4)
    assert not leases.end_run(str(run.pk), "another", state=RunState.FAILED, reason="x")
    run.refresh_from_db()
    assert (run.state, run.done_items, run.lease_token) == (RunState.RUNNING, 0, token)
    assert not Score.objects.exists()
    leases.renew(str(run.pk), token, done=3)
    run.refresh_from_db()
    assert run.done_items == 3
