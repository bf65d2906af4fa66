"""The form of an upload in a real browser: chosen files stay chosen where scripts run, and a form is stored once."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from leaderboard.models import Submission
from tests import factories
from tests.processes import Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def short(tmp_path: Path) -> Path:
    """A file without an answer to one question."""
    path = tmp_path / "short.jsonl"
    path.write_bytes(factories.generations(dict(list(factories.perfect().items())[1:])))
    return path


def fill_in(page: "Page", site: Site, path: Path) -> None:
    page.goto(f"{site.url}/submit/?split=dev")
    page.locator("#id_openbook").set_input_files(path)
    page.locator("#id_name").fill("Mine")
    page.locator("#id_authors").fill("A. Author")
    page.locator("#id_type").select_option(index=1)


def chosen(page: "Page") -> str:
    """The names of the files that the form would send for the setting open book."""
    names: str = page.locator("#id_openbook").evaluate("input => [...input.files].map(file => file.name).join()")
    return names


@pytest.mark.parametrize("javascript", [True, False])
def test_a_refused_form_is_corrected_and_sent_again(
    live_site: Site, page_factory: "PageFactory", sign_in: Callable[..., None], short: Path, javascript: bool
) -> None:
    factories.benchmark()
    page = page_factory(live_site.url, javascript=javascript, expect_statuses=[422])
    sign_in(page, factories.user(), live_site.url)
    fill_in(page, live_site, short)
    page.locator("#submit-button").click()
    page.locator("#file-reports").wait_for()
    expect(page.locator("#form-errors")).to_contain_text("Nothing was submitted.")
    expect(page.locator("#id_name")).to_have_value("Mine")
    expect(page.locator("#choose-again")).to_be_visible(visible=not javascript)
    assert chosen(page) == ("short.jsonl" if javascript else "")
    if not javascript:
        page.locator("#id_openbook").set_input_files(short)
    page.locator("#id_confirm_missing").check()
    page.locator("#submit-button").click()
    page.get_by_role("heading", name="Mine").wait_for()
    assert Submission.objects.get().files.get().filename == "short.jsonl"


def test_metadata_is_imported_beside_a_chosen_file(
    live_site: Site, page_factory: "PageFactory", sign_in: Callable[..., None], short: Path
) -> None:
    factories.benchmark()
    page = page_factory(live_site.url)
    sign_in(page, factories.user(), live_site.url)
    fill_in(page, live_site, short)
    page.locator("#paste summary").click()
    page.locator("#id_statement").fill('{"name": "Pasted"}')
    page.get_by_role("button", name="Import metadata").click()
    page.get_by_text("Filled in from your metadata").wait_for()
    expect(page.locator("#id_name")).to_have_value("Pasted")
    assert chosen(page) == "short.jsonl"


def test_a_form_whose_answer_is_lost_is_sent_again_and_stored_once(
    live_site: Site, page_factory: "PageFactory", sign_in: Callable[..., None], short: Path
) -> None:
    factories.benchmark()
    page = page_factory(live_site.url)
    sign_in(page, factories.user(), live_site.url)
    fill_in(page, live_site, short)
    page.locator("#id_confirm_missing").check()

    page.evaluate(
        "() => { const send = window.fetch; window.fetch = async (...request) => {"
        " await send(...request); window.fetch = send; throw new TypeError('The answer is lost.'); } }"
    )
    page.locator("#submit-button").click()
    page.locator("[data-upload-notice]").wait_for()
    expect(page.locator("[data-upload-notice]")).to_contain_text("stored only once")
    assert Submission.objects.count() == 1
    page.locator("#submit-button").click()
    page.wait_for_url("**/submissions/**")
    assert Submission.objects.count() == 1
