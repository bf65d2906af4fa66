"""Volunteers who type while the web server is killed, and a hundred of them at once."""

import http.client
import math
import re
import statistics
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from django.test import Client

from humaneval.answering.consent import consent_digest
from humaneval.models import Assignment, InvitationKind, Participant, Study
from humaneval.participants.invitations import path_of
from tests import volunteers
from tests.processes import Site, nobody_asks
from tests.services import PATIENCE_SECONDS, wait_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
BROWSERS = 10
VOLUNTEERS = 100
SAVES = 3
UNSAVED_SECONDS = 2.0
LATE_SECONDS = 2.0
"""How late a busy machine with ten browsers may begin a request."""
NOTE_REQUESTS = """() => {
  const send = window.fetch;
  window.requests = [];
  window.fetch = async (url, options) => {
    if (!options?.body?.has?.("text")) return send(url, options);
    const times = [Date.now(), null];
    window.requests.push(times);
    const response = await send(url, options);
    times[1] = Date.now();
    return response;
  };
}"""
"""Notes when each text was sent and when it was answered."""
TYPE_ON = """() => {
  const field = document.getElementById("answer");
  window.typed = [];
  window.typing = setInterval(() => {
    field.value += `word${window.typed.length} `;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    window.typed.push([Date.now(), field.value]);
  }, 150);
}"""


def test_a_killed_web_server_loses_no_saved_text_and_no_typing(live_site: Site, page_factory: "PageFactory") -> None:
    study = volunteers.open_study(seats=BROWSERS)
    pages: list[tuple[Page, Participant]] = []
    for _ in range(BROWSERS):
        client = Client()
        participant = volunteers.seated(client, study)
        cookie = client.cookies["study"]
        page = page_factory(live_site.url)
        page.context.add_cookies([{"name": "study", "value": cookie.value, "url": live_site.url, "httpOnly": True}])
        page.goto(f"/studies/{study.slug}/questions/1/")
        pages.append((page, participant))

    def texts() -> dict[Any, str]:
        return dict(Assignment.objects.filter(position=1).values_list("participant_id", "text"))

    for page, _ in pages:
        page.evaluate(NOTE_REQUESTS)
        page.evaluate(TYPE_ON)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while Assignment.objects.filter(position=1, version__gte=5).count() < BROWSERS:
        assert time.monotonic() < deadline, "not all of them were saved five times"
        pages[0][0].wait_for_timeout(100)  # in which the requests of all pages are let through
    killed = time.time()
    live_site.kill9()
    wait_for(nobody_asks, PATIENCE_SECONDS, "the last commit")
    kept = texts()
    for page, _ in pages:
        page.locator("#save-status[data-state=away]").wait_for()
        page.evaluate("clearInterval(window.typing)")
    for page, participant in pages:
        typed = page.evaluate("window.typed")
        requests = [times for times in page.evaluate("window.requests") if times[0] / 1000 < killed]
        # The text waits for the last request that was answered, and the one that was not.
        under_way = sum(min((answered or math.inf) / 1000, killed) - begun / 1000 for begun, answered in requests[-2:])
        saved_until = killed - UNSAVED_SECONDS - LATE_SECONDS - under_way
        before = [text for moment, text in typed if moment / 1000 < saved_until]
        assert before, "it was typed on for longer"
        assert kept[participant.pk].startswith(before[-1]), "more than the last two seconds were unsaved"
        assert len(typed[-1][1]) > len(kept[participant.pk]), "it was typed on while the server was away"
    assert texts() == kept, "nothing changes while nobody serves"

    live_site.start()
    wanted = {participant.pk: page.evaluate("window.typed.at(-1)[1]") for page, participant in pages}
    for page, _ in pages:
        page.evaluate("window.dispatchEvent(new Event('online'))")
        page.locator("#save-status[data-state=saved]").wait_for()
        assert page.locator("#conflict").is_hidden()
    assert texts() == wanted
    for assignment in Assignment.objects.filter(position=1):
        revisions = list(assignment.revisions.order_by("version").values_list("text", flat=True))
        assert len(revisions) == assignment.version
        assert all(later.startswith(earlier) for earlier, later in pairwise(revisions))
    page_factory.expected += [f"ERR_{kind}" for kind in ("CONNECTION_REFUSED", "CONNECTION_RESET")]
    page_factory.expected += [f"ERR_{kind}" for kind in ("EMPTY_RESPONSE", "SOCKET_NOT_CONNECTED")]


class Volunteer:
    """Somebody with a browser without scripts, on a connection that stays open."""

    def __init__(self, site: Site, study: Study) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=2 * PATIENCE_SECONDS)
        self.cookies: dict[str, str] = {}
        self.base = f"/studies/{study.slug}/"
        self.token = ""
        self.seconds: list[float] = []

    def ask(self, path: str, fields: dict[str, str] | None = None) -> tuple[int, str]:
        """One request; the status, and where it leads to or what it shows."""
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        body = None
        if fields is not None:
            body = urlencode({"csrfmiddlewaretoken": self.token, **fields})
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        begin = time.perf_counter()
        self.connection.request("POST" if fields is not None else "GET", path, body, headers)
        response = self.connection.getresponse()
        text = response.read().decode()
        self.seconds.append(time.perf_counter() - begin)
        for cookie in response.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', text)
        self.token = found[1] if found else self.token
        return response.status, response.getheader("Location") or text

    def take_part(self, link: str, digest: str, start: threading.Barrier) -> str:
        """All of it, up to three saved versions of an answer; what was typed at last."""
        start.wait(PATIENCE_SECONDS)
        expected = [
            (self.ask(link), 200),
            (self.ask(link, {}), 302),
            (self.ask(f"{self.base}consent/", {"digest": digest}), 302),
            (self.ask(f"{self.base}instructions/", {}), 302),
            (self.ask(f"{self.base}practice/", {"pass": "1"}), 302),
            (self.ask(f"{self.base}questions/1/"), 200),
            (self.ask(f"{self.base}questions/1/search/?q=capital"), 200),
            (self.ask(f"{self.base}questions/1/article/?path=Norway"), 200),
        ]
        page, name = uuid.uuid4().int >> 48 << 48, uuid.uuid4().hex
        self.seconds.clear()
        for version in range(SAVES):
            key = str(uuid.UUID(int=page + version))
            fields = {"text": f"{name} {version}", "key": key, "based_on": str(version), "active": "1"}
            expected.append((self.ask(f"{self.base}questions/1/answer/", fields), 200))
        self.connection.close()
        wrong = [(status, wanted, text[:300]) for (status, text), wanted in expected if status != wanted]
        assert not wrong, wrong
        return f"{name} {SAVES - 1}"


@pytest.fixture
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    yield volunteers.encyclopedia(tmp_path_factory.mktemp("encyclopedia"))


def test_a_hundred_volunteers_at_once(live_site: Site, source: str) -> None:
    study = volunteers.open_study(encyclopedia=source, seats=VOLUNTEERS)
    shared = path_of(volunteers.link(study, kind=InvitationKind.SHARED, limit=VOLUNTEERS))
    people = [Volunteer(live_site, study) for _ in range(VOLUNTEERS)]
    start = threading.Barrier(VOLUNTEERS)
    digest = consent_digest(study)
    begin = time.perf_counter()
    with ThreadPoolExecutor(VOLUNTEERS) as threads:
        typed = list(threads.map(lambda one: one.take_part(shared, digest, start), people))
    seconds = [time_ for one in people for time_ in one.seconds]
    print(
        f"{VOLUNTEERS} volunteers in {time.perf_counter() - begin:.1f} s; a save took "
        f"{statistics.median(seconds):.2f} s at the median, {max(seconds):.2f} s at most"
    )
    answers = Assignment.objects.filter(position=1)
    assert sorted(answers.values_list("text", flat=True)) == sorted(typed)
    assert set(answers.values_list("version", flat=True)) == {SAVES}
    assert sorted(Participant.objects.values_list("number", flat=True)) == list(range(1, VOLUNTEERS + 1))
    assert "Traceback" not in live_site.log.read_text()
