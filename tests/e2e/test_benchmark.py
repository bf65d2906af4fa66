"""From an empty folder to a running board, in a browser: as docs/benchmarks.md says."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from leaderboard.submissions.views import ON_BOARD
from scoring.models import Benchmark, Score
from tests import factories
from tests.e2e.accessibility import violations
from tests.e2e.test_journey import SCORED_WITHIN, open_once_written
from tests.example_folder import write_example
from tests.leaderboard.declared import declared_site
from tests.processes import Site, Worker

if TYPE_CHECKING:
    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def archive(folder: Path) -> Path:
    """The folder as a zip archive."""
    return Path(shutil.make_archive(str(folder), "zip", folder.parent, folder.name))


def test_an_author_declares_a_benchmark_and_sees_its_board(
    live_site: Site, worker: Worker, page_factory: PageFactory, sign_in: Callable[..., None], tmp_path: Path
) -> None:
    folder = tmp_path / declared_site.SLUG
    write_example(folder)
    page = page_factory(live_site.url, expect_statuses=[422])
    sign_in(page, factories.maintainer(), live_site.url)
    page.goto("/maintenance/")
    page.get_by_role("main").get_by_role("link", name="Benchmarks", exact=True).click()

    # A mistake comes back with its file, line and field.
    toml = folder / "benchmark.toml"
    whole = toml.read_text()
    toml.write_text(whole.replace("hidden = true", "hiden = true"))
    page.locator("[name=archive]").set_input_files(archive(folder))
    page.get_by_role("button", name="Review changes").click()
    line = whole[: whole.index("[splits.test]")].count("\n") + 1
    page.get_by_text(f"benchmark.toml: line {line}: splits.test.hidden: found nothing").wait_for()
    assert list(violations(page)) == []

    # The right folder is shown before it is imported.
    toml.write_text(whole)
    page.locator("[name=archive]").set_input_files(archive(folder))
    page.get_by_role("button", name="Review changes").click()
    page.get_by_role("heading", name="Import draft: Capitals 1.0").wait_for()
    assert not Benchmark.objects.exists()
    assert list(violations(page)) == []
    page.get_by_role("button", name="Import benchmark").click()
    page.get_by_text("Capitals 1.0 is imported.").wait_for()
    assert list(violations(page)) == []

    # It is a draft until it is published.
    page.get_by_role("button", name="Publish all splits").click()
    page.get_by_text("Capitals, test is published.").wait_for()

    # A system is submitted, scored by the worker, published, and on the board in per cent.
    generations = tmp_path / "atlas.jsonl"
    generations.write_bytes(factories.generations(declared_site.RIGHT))
    page.goto("/submit/?benchmark=capitals")
    page.get_by_label("Name", exact=False).first.fill("Atlas")
    page.get_by_label("Test", exact=True).check()
    page.locator("[name=authors]").fill("A. Author")
    page.locator("[name=type]").select_option("FOUNDATION")
    page.locator("[name=context_size]").fill("8192")
    page.locator("[name=closed-book]").set_input_files(generations)
    page.get_by_role("button", name="Check and submit").click()
    page.wait_for_url(re.compile("/submissions/[0-9a-f-]+/$"))
    publish = page.locator("#publish")
    publish.wait_for(timeout=SCORED_WITHIN)
    publish.click()
    page.get_by_text(ON_BOARD).wait_for()
    row = page.get_by_role("row", name=re.compile("Atlas"))
    open_once_written(page, "/capitals/test/closed-book/", row)
    assert Score.objects.get(name="loose").value == 0.8
    expect(row.get_by_text("80.0")).not_to_have_count(0)
    assert list(violations(page)) == []
    page.goto("/capitals/data-card/")
    assert list(violations(page)) == []
