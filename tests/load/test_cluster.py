"""A site of several machines: nothing is lost while each of its parts fails, and people of every kind can use it."""

from collections.abc import Iterator

import pytest

from tests.load import faults, people
from tests.load.cluster import Cluster, cluster_in_a_folder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.postgres,
    pytest.mark.redis,
    pytest.mark.pgbouncer,
    pytest.mark.timeout(1200),
]
N_PEOPLE = 12


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with cluster_in_a_folder() as cluster:
        yield cluster


def test_nothing_is_lost_while_each_part_fails(cluster: Cluster) -> None:
    ledger = faults.run(cluster, seconds=0)
    assert ledger.problems == []
    assert len(ledger.faults) == 7
    assert ledger.accepted == ledger.receipts >= faults.FEWEST_SUBMISSIONS
    assert ledger.pages_with_the_row == 2


def test_people_of_every_kind_use_it(cluster: Cluster) -> None:
    counted, busy = people.run(cluster, N_PEOPLE, seconds=12)
    assert min(busy["web servers"], busy["workers that score"], busy["PostgreSQL"], busy[people.SENDERS]) > 0
    assert {row["name"]: row["num_failures"] for row in counted if row["num_failures"]} == {}
    done = {row["name"] for row in counted if row["num_requests"]}
    assert {"/api/v1/submissions/", "/fanoutqa/test/openbook/", "/grading/spring/desk/"} <= done
    assert any(name.endswith("/questions/1/answer/") for name in done)
