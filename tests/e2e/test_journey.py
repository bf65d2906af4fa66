"""The main job in a real browser, against the real server and a real worker: upload, scoring, rank."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from leaderboard.accounts import tokens
from leaderboard.board.exports.snapshots import snapshot_name
from leaderboard.board.table.types import ALL_COLUMNS
from leaderboard.models import Entry, Submission, User
from leaderboard.submissions.views import ON_BOARD
from scoring.benchmarks import definition_of, definitions
from scoring.models import Benchmark, Run, Score, Split
from scoring.models.run_states import RunState
from tests import boards, factories, real_data
from tests.browser import wait_until_settled
from tests.e2e.accessibility import looked_at, violations
from tests.e2e.test_accounts import link_in_mail
from tests.processes import Site, Worker

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.browser import PageFactory

pytestmark = pytest.mark.django_db(transaction=True)
SCORED_WITHIN = 60_000


@pytest.fixture
def imported(transactional_db: None) -> Benchmark:
    """The benchmark as a newcomer's site has it: its packaged questions and the published tables."""
    slug = next(iter(definitions()))
    call_command("import_benchmark", slug, verbosity=0)
    call_command("import_reported", slug, verbosity=0)
    return Benchmark.objects.get()


@pytest.fixture
def dev_file(tmp_path: Path) -> Path:
    """A system that names every second key or item of the reference answers, for all but two of the dev questions."""
    answers = {}
    for question in definition_of("fanoutqa").packaged()["dev"].source.questions[:-2]:
        reference: Any = question.answer
        if isinstance(reference, dict):
            reference = [f"{key}: {value}" for key, value in list(reference.items())[::2]]
        if isinstance(reference, list):
            reference = "\n".join(map(str, reference))
        answers[question.qid] = str(reference)
    path = tmp_path / "my system.jsonl"
    path.write_bytes(factories.generations(answers))
    return path


def fill(page: "Page", path: Path, *, name: str, split: str, confirmed: bool = False) -> None:
    page.goto("/submit/")
    page.get_by_label("Development" if split == "dev" else "Test", exact=True).check()
    page.get_by_label("Name", exact=False).first.fill(name)
    page.locator("[name=authors]").fill("Ada and Bob")
    page.locator("[name=type]").select_option("PROMPT")
    page.locator("[name=context_size]").fill("128000")
    page.locator("[name=openbook]").set_input_files(path)
    page.locator("[name=confirm_missing]").set_checked(confirmed)


def send(page: "Page") -> None:
    page.get_by_role("button", name="Check and submit").click()


def open_once_written(page: "Page", url: str, shown: "Locator") -> None:
    """Open a page that shows a change once a worker has written the board, which takes it a moment."""
    for _ in range(60):
        page.goto(url)
        if shown.count() == 1:
            return
        page.wait_for_timeout(500)
    pytest.fail(f"{url} does not show the change.")


def test_a_newcomer_submits_a_file_watches_it_scored_and_finds_it_ranked(
    imported: Benchmark, dev_file: Path, live_site: Site, worker: Worker, page_factory: "PageFactory", tmp_path: Path
) -> None:
    page = page_factory(live_site.url, expect_statuses=[422])
    page.goto("/")
    page.get_by_role("link", name="Submit", exact=True).click()
    page.get_by_role("main").get_by_role("link", name="Create account").click()
    page.locator("[name=password2]").wait_for()  # the page before has a field for a username too
    page.locator("[name=username]").fill("newcomer")
    page.locator("[name=email]").fill("newcomer@example.org")
    page.locator("[name=password1]").fill("correct horse battery")
    page.locator("[name=password2]").fill("correct horse battery")
    page.get_by_role("button", name="Sign up").click()
    page.get_by_role("heading", name="Check your email").wait_for()
    page.goto(link_in_mail(live_site, "newcomer@example.org", "/accounts/verify/"))
    page.get_by_role("button", name="Confirm address").click()
    page.wait_for_url("**/submit/")

    # A file with mistakes comes back with every one of them, by line, and keeps nothing.
    broken = tmp_path / "broken.jsonl"
    lines = dev_file.read_text().splitlines()
    broken.write_text(
        "\n".join([lines[0], '{"id": 5, "answer": "x"}', "not json", lines[0].replace('": "', '": "No ')])
    )
    fill(page, broken, name="My system", split="dev")
    send(page)
    page.get_by_text("line 3").first.wait_for()
    expect(page.get_by_text("line 2")).not_to_have_count(0)
    expect(page.locator("[name=name]")).to_have_value("My system")
    assert not Submission.objects.exists()
    assert list(violations(page)) == []

    # A file that leaves questions out is asked about before it is taken.
    fill(page, dev_file, name="My system", split="dev")
    send(page)
    page.get_by_text("2 of 310 questions").first.wait_for()
    assert not Submission.objects.exists()

    # The right file is scored by the worker while the page shows how far it is, without being reloaded.
    fill(page, dev_file, name="My system", split="dev", confirmed=True)
    send(page)
    page.wait_for_url(re.compile("/submissions/[0-9a-f-]+/$"))
    page.evaluate("window.untouched = true")
    publish = page.locator("#publish")
    publish.wait_for(timeout=SCORED_WITHIN)
    assert page.evaluate("window.untouched") is True
    main = page.get_by_role("main")
    expect(main.get_by_text("308 of 310")).not_to_have_count(0)
    expect(main.get_by_text("2 of 310 questions")).not_to_have_count(0)
    loose = Score.objects.get(name="loose")
    expect(main.get_by_text(f"{loose.value:.3f}")).not_to_have_count(0)
    assert 0.3 < loose.value < 0.9
    assert list(violations(page)) == []

    publish.click()
    page.get_by_text(ON_BOARD).wait_for()
    row = page.get_by_role("row", name=re.compile("My system"))
    open_once_written(page, "/fanoutqa/dev/openbook/", row)
    assert row.locator("td").first.inner_text().split()[0] == "1"
    expect(row.get_by_text(f"{loose.value:.3f}")).to_have_count(1)
    row.get_by_role("link", name="My system").click()
    page.get_by_role("heading", name="My system").wait_for()
    assert list(violations(page)) == []
    assert set(Run.objects.values_list("metric", "state")) >= {("accuracy", RunState.DONE), ("rouge", RunState.DONE)}


@pytest.mark.slow
def test_the_same_without_javascript(
    imported: Benchmark,
    dev_file: Path,
    live_site: Site,
    worker: Worker,
    page_factory: "PageFactory",
    sign_in: Callable[..., None],
) -> None:
    page = page_factory(live_site.url, javascript=False)
    sign_in(page, factories.user("ada"), live_site.url)
    fill(page, dev_file, name="Plain", split="dev", confirmed=True)
    send(page)
    page.wait_for_url(re.compile("/submissions/[0-9a-f-]+/$"))
    deadline = SCORED_WITHIN / 500
    while not page.locator("#publish").count() and deadline > 0:
        page.wait_for_timeout(500)
        page.reload()
        deadline -= 1
    page.locator("#publish").click()
    page.get_by_text(ON_BOARD).wait_for()
    open_once_written(page, "/fanoutqa/dev/openbook/", page.get_by_role("row", name=re.compile("Plain")))
    page.get_by_role("link", name="Show all columns").click()
    expect(page).to_have_url(re.compile(r"\?columns=all$"))
    expect(page.locator("[id='sort-rouge2.precision']")).to_have_count(1)
    page.locator("[id='sort-rouge2.fscore']").click()
    expect(page).to_have_url(re.compile(r"\?sort=-rouge2\.fscore&columns=all$"))
    expect(page.get_by_role("row", name=re.compile("Plain"))).to_have_count(1)
    page.get_by_role("link", name="Show fewer columns").click()
    expect(page).to_have_url(re.compile(r"\?sort=-rouge2\.fscore$"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "generations"),
    real_data.have(
        "fanoutqa/synthetic-test-answers.json", "official/openbook-generations/results-openbook-gpt-4o.jsonl"
    ),
)
def test_a_real_file_for_the_hidden_split(
    imported: Benchmark,
    answers: Path,
    generations: Path,
    live_site: Site,
    worker: Worker,
    page_factory: "PageFactory",
    sign_in: Callable[..., None],
) -> None:
    call_command("import_benchmark", "fanoutqa", test_answers=answers, verbosity=0)
    page = page_factory(live_site.url)
    sign_in(page, factories.user("ada"), live_site.url)
    fill(page, generations, name="GPT-4o", split="test", confirmed=True)
    send(page)
    page.locator("#publish").wait_for(timeout=SCORED_WITHIN)
    main = page.get_by_role("main")
    expect(main.get_by_text("721 of 724")).not_to_have_count(0)
    expect(main.get_by_text("3 of 724 questions")).not_to_have_count(0)
    expect(main.locator("[id$=retired-id]")).to_have_count(1)
    page.locator("#publish").click()
    page.get_by_text(ON_BOARD).wait_for()
    row = page.get_by_role("row", name=re.compile("GPT-4o"))
    open_once_written(page, "/fanoutqa/test/openbook/", row)
    assert row.locator("td").first.inner_text().split()[0] == "1"  # its range may be there already
    expect(page.locator("#board-notes")).to_contain_text("3 of 724 questions unanswered, scored 0")


@pytest.fixture
def rich_site(imported: Benchmark, tmp_path: Path) -> dict[str, str]:
    """Pages with everything on them: long names, ties, warnings, failures; by name, with their addresses."""
    dev = factories.split(imported, "dev")
    ada, grace = factories.user("ada"), factories.maintainer()
    ids = list(Split.objects.get(slug="dev").current_revision.questions.values_list("qid", flat=True))  # type: ignore[union-attr]
    some = dict.fromkeys(ids[:200], "Oslo, Nairobi and Lima")
    long_name = "An extraordinarily long system name that somebody thought was a good idea " * 2
    for number, name in enumerate((long_name, "Tied one", "Tied two")):
        authors = "First Author, Second Author, " * (60 if number == 0 else 1)
        factories.published(ada, dev, {"openbook": some, "closedbook": some}, name=name[:199], authors=authors)
    failed = factories.submission(ada, dev, {"openbook": some}, name="Failed")
    Run.objects.filter(answer_set__submission_file__submission=failed).update(
        state=RunState.FAILED, reason="Something went wrong on our side."
    )
    waiting = factories.submission(ada, dev, {"openbook": some}, name="Waiting")
    tokens.create_token(user=ada, name="CI")
    assert User.objects.count() == 2
    assert grace.is_superuser
    kept = boards.take_state(dev, factories.setting(imported))
    assert kept is not None
    return {
        "board": "/fanoutqa/dev/openbook/",
        "reported board": "/fanoutqa/test/evidenceprovided/?sort=-judge",
        "empty board": "/fanoutqa/dev/openbook-limited/",
        "board with all columns": "/fanoutqa/dev/openbook/?columns=all",
        "pictures": "/fanoutqa/dev/openbook/pictures/",
        "definitions": "/definitions/",
        "about": "/about/",
        "how to submit": "/how-to-submit/",
        "data card": "/fanoutqa/data-card/",
        "dated states": "/fanoutqa/dev/openbook/states/",
        "a dated state": f"/fanoutqa/dev/openbook/states/{snapshot_name(kept)}/",
        "system": Entry.objects.filter(system__name__startswith="An extra")[0].system.get_absolute_url(),
        "reported system": "/systems/gpt-4/",
        "questions": "/systems/tied-one/questions/?split=dev&setting=openbook",
        "comparison": "/compare/?system=tied-one&system=tied-two&split=dev&setting=openbook",
        "choosing what to compare": "/compare/?system=gpt-4&split=dev&setting=openbook",
        "submit": "/submit/",
        "check": "/check/",
        "failed submission": f"/submissions/{failed.pk}/",
        "waiting submission": f"/submissions/{waiting.pk}/",
        "scored submission": Submission.objects.get(name="Tied one").get_absolute_url(),
        "replacing a file": f"/submissions/{failed.pk}/files/openbook/replace/",
        "my submissions": "/submissions/",
        "account": "/accounts/",
        "API": "/api/v1/docs/",
        "not found": "/systems/nowhere/",
        "re-scoring": "/maintenance/fanoutqa/dev/rescore/",
    }


@pytest.mark.slow
def test_more_columns_come_without_loading_the_page(
    rich_site: dict[str, str], live_site: Site, page_factory: "PageFactory"
) -> None:
    page = page_factory(live_site.url)
    page.goto(rich_site["board"])
    page.evaluate("window.untouched = true")
    further = page.locator("[id='sort-rouge2.precision']")
    expect(further).to_have_count(0)
    page.locator("#other-columns").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Show fewer columns").wait_for()
    expect(page).to_have_url(re.compile(r"\?columns=all$"))
    expect(page.locator("#other-columns")).to_be_focused()
    expect(page.locator("#announcer")).to_contain_text(ALL_COLUMNS)
    expect(page.locator("th", has_text="ROUGE (precision)")).not_to_have_count(0)
    further.click()
    page.wait_for_url("**/?sort=-rouge2.precision&columns=all")
    wait_until_settled(page)
    assert page.get_by_role("row").count() > 3
    assert list(violations(page)) == []
    page.get_by_role("link", name="Show fewer columns").click()
    further.wait_for(state="detached")
    assert page.evaluate("window.untouched") is True
    expect(page.locator("th", has_text="ROUGE (precision)")).to_have_count(0)
    page.go_back()
    further.wait_for()


@pytest.mark.slow
def test_every_page_with_real_content_is_accessible_and_fits(
    rich_site: dict[str, str],
    live_site: Site,
    page_factory: "PageFactory",
    sign_in: Callable[..., None],
) -> None:
    member = page_factory(live_site.url, expect_statuses=[404])
    maintainer = page_factory(live_site.url)
    sign_in(member, User.objects.get(username="ada"), live_site.url)
    sign_in(maintainer, User.objects.get(username="grace"), live_site.url)
    findings: list[str] = []
    for index, (name, address) in enumerate(rich_site.items()):
        page = maintainer if name == "re-scoring" else member
        findings += looked_at(page, address, dark=index % 2 == 1, contrasts=False)
    assert not findings, "\n".join(findings)
