"""A system that the paper, the official results and the official submissions name differently is one row."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from leaderboard.maintenance import system_merges
from leaderboard.models import AuditRecord, Entry, Submission, System
from leaderboard.official.submissions import publish_scored
from leaderboard.publishing import merges, names
from leaderboard.publishing.reported_rows import import_published
from scoring.benchmarks import definition_of
from scoring.models import Benchmark
from tests import boards, factories
from tests.leaderboard.official.repository import scores, write_answers, write_results, write_statement

pytestmark = pytest.mark.django_db

OFFICIAL_NAMES = {
    "LLaMA 2 Chat 70B": "LLaMA 2 70B",
    "GPT-4": "GPT-4",
    "GPT-3.5-turbo": "GPT-3.5-turbo",
    "Mistral-7B Instruct": "Mistral-7B",
    "Mixtral-8x7B Instruct": "Mixtral-8x7B",
    "GPT-4-turbo": "GPT-4-turbo",
    "Claude 2.1": "Claude 2.1",
}
"""The names in FanOutQA's repository, with those in its paper."""
MODEL, IN_REPOSITORY = "Mixtral-8x7B", "Mixtral-8x7B Instruct"


@pytest.fixture
def made() -> Benchmark:
    factories.maintainer("keeper")
    return factories.benchmark()


def import_paper() -> tuple[int, int]:
    results = definition_of("fanoutqa").published_results
    assert results is not None
    return import_published(Benchmark.objects.get(), results)


def import_results(folder: Path, *official: str, owner: str | None = None) -> None:
    for number, name in enumerate(official):
        metadata = {"name": name, "authors": "A. Author", "type": "FOUNDATION", "context": 8192}
        write_results(folder, f"model-{number}", metadata=metadata, closedbook=scores(loose=0.4), openbook=None)
    call_command("import_results", folder, owner=owner, verbosity=0, stdout=None)


def import_submission(folder: Path) -> None:
    """Import the official submission of one model, and publish it once it is scored."""
    write_statement(
        folder, name=IN_REPOSITORY, openbook_generations=None, closedbook_generations="results-openbook-example.jsonl"
    )
    write_answers(folder, factories.perfect("test"), "closedbook")
    call_command("import_submissions", folder, owner="keeper", verbosity=0, stdout=None)
    sent = Submission.objects.get()
    factories.score(sent)
    publish_scored([sent])


def rows(client: Client) -> list[str]:
    boards.refresh()
    board = client.get("/api/v1/board/?benchmark=fanoutqa&split=test&setting=closedbook").json()
    return sorted(row["name"] for row in board["rows"])


@pytest.mark.parametrize("owner", [None, "keeper"])
@pytest.mark.parametrize("paper_first", [True, False])
def test_seven_models_are_seven_rows_whichever_is_imported_first(
    made: Benchmark, client: Client, tmp_path: Path, owner: str | None, paper_first: bool
) -> None:
    imports: list[Callable[[], object]] = [
        import_paper,
        lambda: import_results(tmp_path, *OFFICIAL_NAMES, owner=owner),
    ]
    for run in imports if paper_first else imports[::-1]:
        run()
    assert rows(client) == sorted(OFFICIAL_NAMES.values())
    before = list(System.objects.order_by("pk").values("pk", "slug", "same_as"))
    for run in imports:
        run()
    assert list(System.objects.order_by("pk").values("pk", "slug", "same_as")) == before
    merged = System.objects.get(name="LLaMA 2 Chat 70B")
    answer = client.get(f"/systems/{merged.slug}/")
    assert answer["Location"] == System.objects.get(name="LLaMA 2 70B").get_absolute_url()


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
def test_a_paper_results_and_a_submission_are_one_row(
    made: Benchmark, client: Client, tmp_path: Path, order: tuple[int, ...]
) -> None:
    imports: list[Callable[[], object]] = [
        import_paper,
        lambda: import_results(tmp_path, IN_REPOSITORY, owner="keeper"),
        lambda: import_submission(tmp_path),
    ]
    for place in order:
        imports[place]()
    assert rows(client) == sorted(OFFICIAL_NAMES.values())
    board = client.get("/api/v1/board/?benchmark=fanoutqa&split=test&setting=closedbook").json()
    (row,) = (row for row in board["rows"] if row["name"] == MODEL)
    assert (row["kind"], [other["kind"] for other in row["alternatives"]]) == ("scored", ["reported", "reported"])


def test_what_a_maintainer_split_stays_split(made: Benchmark, client: Client, tmp_path: Path) -> None:
    import_paper()
    import_results(tmp_path, IN_REPOSITORY)
    assert AuditRecord.objects.get(action="system.merged").actor_name == "import of model-0.json"
    system_merges.split(System.objects.get(name=IN_REPOSITORY).pk, by=factories.maintainer())
    import_paper()
    import_results(tmp_path, IN_REPOSITORY)
    assert {MODEL, IN_REPOSITORY} <= set(rows(client))


def test_systems_of_others_are_left_alone(made: Benchmark, client: Client, tmp_path: Path) -> None:
    test = factories.split(made, "test")
    own = factories.published(
        factories.user(), test, {"closedbook": factories.perfect("test")}, name=IN_REPOSITORY
    ).entries.get()
    import_paper()
    import_results(tmp_path, IN_REPOSITORY)
    assert rows(client) == sorted([*OFFICIAL_NAMES.values(), IN_REPOSITORY])
    own.system.refresh_from_db()
    assert own.system.same_as is None


def test_a_name_that_the_declaration_gives_a_published_system_needs_approval() -> None:
    assert names.is_published("Mixtral-8x7B Instruct")
    assert not names.is_published("Mixtral-8x7B Base")


def test_a_merge_the_other_way_round_stays(made: Benchmark, tmp_path: Path) -> None:
    import_paper()
    paper = System.objects.get(name=MODEL)
    other = System.objects.create(name=IN_REPOSITORY, authors="A. Author", slug="other")
    merges.merge(paper.slug, other.slug, by=factories.maintainer())
    import_results(tmp_path, IN_REPOSITORY)
    paper.refresh_from_db()
    assert paper.same_as == other
    assert Entry.objects.get(is_official=True).system == other


def test_two_names_of_a_declaration_are_suggested_for_merging(made: Benchmark, monkeypatch: pytest.MonkeyPatch) -> None:
    import_paper()
    user = factories.published(
        factories.user(), factories.split(made, "test"), {"closedbook": factories.perfect("test")}, name="Mixture"
    ).entries.get()
    assert not system_merges.merge_page()["suggestions"]
    monkeypatch.setattr(names, "of_aliases", lambda: {"Mixture": MODEL})
    assert system_merges.merge_page()["suggestions"] == [(user.system, System.objects.get(name=MODEL))]
