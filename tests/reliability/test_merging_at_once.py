"""Two maintainers merge systems at the same moment: none is merged into itself, or into one that is itself merged."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction

from leaderboard.maintenance.system_merges import split
from leaderboard.models import System, User
from leaderboard.publishing.merges import MergeError, merge
from tests import factories
from tests.reliability.ground import wait_until

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def systems() -> dict[str, System]:
    return {slug: System.objects.create(name=slug, authors="A", slug=slug) for slug in ("ada", "bob", "cyd")}


@pytest.fixture
def grace() -> User:
    return factories.maintainer()


def while_committing(first: Callable[[], object], then: Callable[[], object]) -> None:
    """Begin *then* in another connection once *first* is done; *first* is committed when *then* waits for its locks."""

    def begin() -> None:
        try:
            then()
        finally:
            connection.close()

    def waits() -> bool:
        with connection.cursor() as cursor:
            # Locks of all databases are in this view, so those of tests that run beside this one too.
            cursor.execute(
                "SELECT EXISTS (SELECT FROM pg_locks"
                " WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid)))"
            )
            return bool(cursor.fetchone()[0])

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first()
            begun = pool.submit(begin)
            wait_until("the other waits for a lock", waits)
        begun.result(timeout=30)


def merged() -> dict[str, str]:
    return dict(System.objects.exclude(same_as=None).values_list("slug", "same_as__slug"))


def test_two_systems_that_are_merged_into_each_other_at_once_are_merged_once(grace: User) -> None:
    with pytest.raises(MergeError):
        while_committing(lambda: merge("ada", "bob", by=grace), lambda: merge("bob", "ada", by=grace))
    assert merged() == {"ada": "bob"}


def test_a_system_that_is_merged_into_one_that_is_being_merged_is_not_left_in_between(grace: User) -> None:
    with pytest.raises(MergeError):
        while_committing(lambda: merge("bob", "cyd", by=grace), lambda: merge("ada", "bob", by=grace))
    assert merged() == {"bob": "cyd"}
    merge("ada", "bob", by=grace)
    assert merged() == {"ada": "cyd", "bob": "cyd"}


def test_a_system_that_is_split_twice_at_once_is_split_once(grace: User, systems: dict[str, System]) -> None:
    merge("ada", "bob", by=grace)
    pk = systems["ada"].pk
    with pytest.raises(MergeError):
        while_committing(lambda: split(pk, by=grace), lambda: split(pk, by=grace))
    assert merged() == {}


def test_the_database_refuses_a_system_that_is_merged_into_itself(systems: dict[str, System]) -> None:
    with pytest.raises(IntegrityError):
        System.objects.filter(slug="ada").update(same_as=systems["ada"])
