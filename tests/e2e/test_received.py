"""A large upload in a real browser: its page follows the check, with and without scripts."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client
from pytest_django import Settings

from leaderboard.models import ReceivedUpload, User
from leaderboard.submissions.checking import check_upload
from tests import factories
from tests.processes import Site

if TYPE_CHECKING:
    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def received(owner: User, **fields: Any) -> ReceivedUpload:
    client = Client()
    client.force_login(owner)
    good = factories.upload(factories.perfect())
    assert client.post("/submit/", factories.form_data(openbook=good) | fields).status_code == 302
    return ReceivedUpload.objects.get()


@pytest.mark.timeout(120)
@pytest.mark.parametrize("javascript", [True, False])
def test_the_page_follows_the_check_to_the_scores_or_the_problems(
    live_site: Site,
    page_factory: "PageFactory",
    sign_in: Callable[..., None],
    settings: Settings,
    javascript: bool,
) -> None:
    settings.CHECK_LATER_BYTES = 0
    factories.benchmark()
    ada = factories.user()
    page = page_factory(live_site.url, javascript=javascript)
    sign_in(page, ada, live_site.url)
    upload = received(ada)
    page.goto(upload.get_absolute_url())
    assert page.locator("#checking progress").get_attribute("value") == "0"
    ReceivedUpload.objects.update(n_read=upload.size // 2)
    if not javascript:
        page.get_by_role("link", name="Reload").click()
    page.locator('#checking progress[value="49"], #checking progress[value="50"]').wait_for()
    check_upload(str(upload.pk))
    if not javascript:
        page.get_by_role("link", name="Reload").click()
    page.get_by_role("heading", name="Scores", exact=True).wait_for()
    wrong = received(ada, name="Wrong", openbook=factories.upload(b'{"id": "dev-0", "answer": 7}\n'))
    page.goto(wrong.get_absolute_url())
    page.locator("#checking").wait_for()
    check_upload(str(wrong.pk))
    if not javascript:
        page.get_by_role("link", name="Reload").click()
    page.locator("#correct").click()
    page.locator("#form-errors").wait_for()
    assert page.locator("#id_name").input_value() == "Wrong"
    assert page.locator("#file-reports").is_visible()
