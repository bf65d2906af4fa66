"""A maintainer's way with a study in a real browser: made, opened, a link handed out, looked after, taken along."""

import datetime
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from humaneval.models import Invitation, Participant, Study
from humaneval.participants import invitations, mails
from humaneval.studies.form_steps import STEPS
from tests import factories, study_people
from tests.e2e.accessibility import looked_at
from tests.processes import Site

if TYPE_CHECKING:
    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
LONG = "A study with a name that somebody thought was a good idea " * 3
WORD = "unbreakable" * 12
SANDBOXED = "frame is sandboxed"
"""What Chromium says of a participant's page in a frame, whose scripts do not run and whose forms are not sent."""


def test_a_study_is_made_opened_and_handed_out(
    live_site: Site, page_factory: "PageFactory", sign_in: Callable[..., None], tmp_path: Path
) -> None:
    factories.benchmark()
    page = page_factory(live_site.url, expect_statuses=[422])
    page_factory.expected.append(SANDBOXED)
    sign_in(page, factories.maintainer(), live_site.url)
    page.goto("/maintenance/studies/")
    page.get_by_role("link", name="New study").click()
    page.get_by_label("Name", exact=True).fill("Spring study")
    page.get_by_role("button", name="Create draft").click()
    page.get_by_text("Draft created.").wait_for()
    page.get_by_role("button", name="Save and continue").click()
    page.get_by_label("Questions per participant").fill("9")
    page.get_by_role("button", name="Save and continue").click()
    page.get_by_role("alert").get_by_text("has only 4 questions").wait_for()
    page.locator("#form-errors:focus").wait_for()
    page.get_by_label("Questions per participant").fill("2")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Changes saved.").wait_for()
    shown = page.frame_locator("iframe[title^=Question]")
    shown.get_by_text("Question 1 of 2").wait_for()
    page.get_by_role("link", name="What they read").click()
    page.get_by_label("Contact").fill("ada@example.org")
    page.get_by_role("button", name="Save", exact=True).click()
    shown = page.frame_locator("iframe[title^=Consent]")
    shown.get_by_text("ada@example.org").first.wait_for()
    address = page.url
    shown.get_by_role("button", name="Agree and take part").click()
    shown.get_by_role("link", name="Download what is recorded about you").click()
    shown.get_by_role("heading", name="Consent").wait_for()
    assert (page.url, len(page.context.pages), Participant.objects.count()) == (address, 1, 0)
    page.get_by_label("Purpose").fill("To compare.")
    page.once("dialog", lambda dialog: dialog.dismiss())
    with page.expect_event("dialog") as asked:
        page.get_by_role("link", name="Opening").click(no_wait_after=True)
    assert asked.value.type == "beforeunload"
    expect(page.get_by_label("Purpose"), "the page was left").to_have_value("To compare.")
    page.get_by_role("button", name="Save and continue").click()
    page.wait_for_url(re.compile(f"^(?!{re.escape(address)}$)"))
    page.get_by_role("link", name="Opening").click()
    page.get_by_role("button", name="Open study and create link").click()
    link = page.locator("#link-1").inner_text().strip()
    assert link == live_site.url + invitations.path_of(Invitation.objects.get())
    volunteer = page_factory(live_site.url)
    volunteer.goto(link)
    assert "Spring study" in volunteer.locator("main").inner_text()
    page.get_by_role("link", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export data").click()
    download.value.save_as(tmp_path / "study.zip")
    assert "README.md" in zipfile.ZipFile(tmp_path / "study.zip").namelist()
    assert Study.objects.get().events.latest("pk").text == "Exported, without email addresses."


def test_every_page_of_a_study_is_accessible_and_fits(
    live_site: Site, page_factory: "PageFactory", sign_in: Callable[..., None]
) -> None:
    grace, now = factories.maintainer(), timezone.now()
    dev = factories.split(factories.benchmark(), "dev")
    day = datetime.timedelta(days=1)
    study = factories.study(grace, dev, LONG[:199], opens_at=now - day, closes_at=now + day)
    people = study_people.lively(study)
    given = study_people.assigned(people["answering"], 3, "dev-3", WORD, note=WORD, active_seconds=3000.0)
    study_people.visit(given, WORD, url=f"https://example.org/{WORD}")
    study_people.search(given, WORD)
    invitations.invite_many(study, by=grace, emails=(f"{'long' * 15}@{'long' * 15}.example",), n=1, label=WORD[:100])
    invitations.revoke(invitations.invite(study, by=grace, kind="shared", limit=5), by=grace)
    invitations.invite(study, by=grace, kind="shared", limit=5)
    assert mails.unsent(study).count() == 1
    empty = factories.study(grace, dev, "Nobody yet")
    pages = (
        "",
        "invitations/",
        "participants/P-02/",
        "participants/P-03/",
        "evidence/",
        "results/",
        "export/",
        *(f"edit/{step}/" for step in STEPS),
        "delete/",
    )
    addresses = [f"/maintenance/studies/{study.slug}/{page}" for page in pages]
    addresses += ["/maintenance/studies/", "/maintenance/studies/new/", f"/maintenance/studies/{empty.slug}/"]
    addresses += [f"/maintenance/studies/{empty.slug}/{page}" for page in ("invitations/", "evidence/", "results/")]
    page = page_factory(live_site.url)
    page_factory.expected.append(SANDBOXED)
    sign_in(page, grace, live_site.url)
    findings: list[str] = []
    for index, address in enumerate(addresses):
        findings += looked_at(page, address, dark=index % 2 == 1, unfolded=True, contrasts=False)
    assert not findings, "\n".join(findings)
