"""Lists in pages: every row once, whatever comes or goes meanwhile; cursors of elsewhere are refused."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from leaderboard.api.paging import MAX_PAGE_SIZE
from leaderboard.models import Submission, System, User
from scoring.models import Benchmark
from tests import boards, factories

pytestmark = pytest.mark.django_db
SYSTEMS = "/api/v1/systems/"
QUESTIONS = "/api/v1/benchmarks/fanoutqa/splits/test/questions/"


def link(response: Any, relation: str) -> str:
    """The address that a Link header gives; empty if it gives none."""
    found = re.search(rf'<([^>]*)>; rel="{relation}"', response.headers.get("Link", ""))
    return found.group(1) if found else ""


def pages(client: Client, path: str, relation: str = "next", **options: Any) -> Iterator[Any]:
    while path:
        response = client.get(path, **options)
        assert response.status_code == 200
        yield response
        path = link(response, relation)


@pytest.fixture
def systems(roomy: Benchmark) -> list[str]:
    boards.fill(factories.split(roomy, "test"), factories.setting(roomy), 23)
    return sorted(System.objects.values_list("slug", flat=True))


def test_every_row_once_forwards_and_backwards(client: Client, systems: list[str]) -> None:
    there = list(pages(client, f"{SYSTEMS}?page_size=5"))
    assert [line["slug"] for page in there for line in page.json()] == systems
    assert [len(page.json()) for page in there] == [5, 5, 5, 5, 3]
    assert not link(there[0], "prev")
    back = list(pages(client, link(there[-1], "prev"), "prev"))
    assert [line["slug"] for page in reversed(back) for line in page.json()] == systems[:20]
    assert link(back[-1], "next")


def test_one_page_leads_nowhere(client: Client, systems: list[str]) -> None:
    assert "Link" not in client.get(SYSTEMS)
    assert "Link" not in client.get(f"{SYSTEMS}?page_size=23")
    assert "Link" not in client.get(f"{SYSTEMS}?q=nobody")


def test_filters_go_along(client: Client, systems: list[str]) -> None:
    found = [line for page in pages(client, f"{SYSTEMS}?type=PROMPT&type=OTHER&page_size=2") for line in page.json()]
    assert len(found) == System.objects.filter(type__in=["PROMPT", "OTHER"]).count()
    assert {line["type"] for line in found} == {"PROMPT", "OTHER"}


def test_rows_that_come_and_go_meanwhile(client: Client, systems: list[str]) -> None:
    first = client.get(f"{SYSTEMS}?page_size=10")
    System.objects.filter(slug=systems[9]).delete()  # the very row that the cursor is of
    System.objects.filter(slug=systems[0]).delete()
    rest = [line["slug"] for page in pages(client, link(first, "next")) for line in page.json()]
    assert rest == systems[10:]


def test_submissions_made_at_one_moment_are_told_apart(
    client: Client, made: Benchmark, ada: User, token: dict[str, str]
) -> None:
    dev = factories.split(made, "dev")
    now = timezone.now()
    for _ in range(7):
        factories.submission(ada, dev, {"openbook": factories.perfect()})
    Submission.objects.update(created_at=now)
    factories.submission(factories.user("eve"), dev, {"openbook": factories.perfect()})
    lines = [
        line["id"] for page in pages(client, "/api/v1/submissions/?page_size=2", headers=token) for line in page.json()
    ]
    wanted = Submission.objects.filter(owner=ada).order_by("-created_at", "-pk")
    assert lines == [str(submission.pk) for submission in wanted]


def test_questions_of_another_revision_are_not_mixed(client: Client, roomy: Benchmark) -> None:
    first = client.get(f"{QUESTIONS}?page_size=5")
    assert link(first, "next")
    factories.revise(factories.split(roomy, "test"), factories.source_questions("test", 11))
    response = client.get(link(first, "next"))
    assert response.status_code == 400
    assert "Start again" in response.json()["detail"]


@pytest.mark.parametrize("size", ["0", "-1", str(MAX_PAGE_SIZE + 1), "ten", "", "1.5", "²", "9" * 400])
def test_a_page_size_out_of_range(client: Client, systems: list[str], size: str) -> None:
    response = client.get(SYSTEMS, {"page_size": size})
    assert response.status_code == 400
    assert "page_size" in response.json()["detail"]


def test_cursors_of_elsewhere(client: Client, systems: list[str], roomy: Benchmark) -> None:
    cursor = link(client.get(f"{SYSTEMS}?page_size=5"), "next").split("cursor=")[1]
    forged = signing.dumps(["n", ["x"]], salt="api-cursor:0")
    for path, sent in (
        (QUESTIONS, cursor),
        (f"{SYSTEMS}?q=system", cursor),
        (SYSTEMS, cursor[:-1]),
        (SYSTEMS, "x" + cursor),
        (SYSTEMS, forged),
        (SYSTEMS, "bjpb"),
        (SYSTEMS, "☃"),
    ):
        response = client.get(f"{path}{'&' if '?' in path else '?'}cursor={sent}")
        assert response.status_code == 400, (path, sent)
        assert response["Content-Type"] == "application/problem+json"
    assert client.get(f"{SYSTEMS}?page_size=7&cursor={cursor}").status_code == 200, "another page size is fine"
