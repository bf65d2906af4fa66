"""A study of each type from the shared link to the receipt: by keyboard alone, on a phone, and without scripts."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from humaneval.models import Kind, Participant
from humaneval.participants.invitations import path_of
from tests import volunteers
from tests.browser import DESKTOP, PHONE
from tests.firefox import Firefox, FirefoxError
from tests.processes import Site, child_environment
from tests.services import PATIENCE_SECONDS, wait_for
from tests.studies_of_types import N_QUESTIONS, open_study_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser import PageFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
MAIN_BUTTON = "main form .button--primary"
ONWARD = "main .row a.button--primary"
RADIO = "fieldset[data-choices] input[type=radio]"
MOST_TABS = 80
PLACE = """((selector) => {
  const element = [...document.querySelectorAll(selector)].find((one) => one.checkVisibility());
  if (!element || document.readyState !== "complete") return null;
  element.scrollIntoView({ block: "center" });
  const { x, y, width, height } = element.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
})"""
"""Where the first visible element of a selector is, once the page is loaded."""


class Device(Protocol):
    """What a browser is made to do."""

    def open(self, url: str) -> None: ...

    def value(self, expression: str) -> Any: ...

    def press(self, keys: str) -> None: ...

    def tap(self, x: float, y: float, *, pointer: str) -> None: ...


class Chromium:
    """A page of Chromium with the interface of `tests.firefox.Firefox`."""

    NAMES = {"\ue004": "Tab", "\ue006": "Enter"}

    def __init__(self, page: "Page") -> None:
        self._page = page

    def open(self, url: str) -> None:
        self._page.goto(url)

    def value(self, expression: str) -> Any:
        return self._page.evaluate(expression)

    def press(self, keys: str) -> None:
        for key in keys:
            self._page.keyboard.press(self.NAMES.get(key, key))

    def tap(self, x: float, y: float, *, pointer: str) -> None:
        if pointer == "touch":
            self._page.touchscreen.tap(x, y)
        else:
            self._page.mouse.click(x, y)


class Person:
    """Somebody at a browser who has only a keyboard, a finger, or a mouse and no scripts."""

    def __init__(self, device: Device, way: str) -> None:
        self._device, self._way = device, way

    def go_on(self, selector: str) -> None:
        """Activate what leads to another page, and wait for that."""
        before = self._now("performance.timeOrigin")
        self.activate(selector, "\ue006")
        wait_for(lambda: self._now("performance.timeOrigin") not in (before, None), PATIENCE_SECONDS, "the next page")
        wait_for(lambda: self._now("document.readyState === 'complete'"), PATIENCE_SECONDS, "all of the page")
        assert self._device.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), (
            f"wider than the window, after {selector}"
        )

    def activate(self, selector: str, key: str = " ") -> None:
        """Use one control: the first that is visible."""
        place = wait_for_value(lambda: self._now(f"{PLACE}({json.dumps(selector)})"), f"{selector} in the page")
        if self._way != "keyboard":
            self._device.tap(*place, pointer="touch" if self._way == "phone" else "mouse")
            return
        for _ in range(MOST_TABS):
            self._device.press("\ue004")
            if self._device.value(f"document.activeElement.matches({json.dumps(selector)})"):
                self._device.press(key)
                return
        pytest.fail(f"the keyboard does not come to {selector}")

    def type(self, selector: str, text: str) -> None:
        """Go to a field and type."""
        self.activate(selector, text)
        if self._way != "keyboard":
            self._device.press(text)

    def names(self) -> list[str]:
        """The names of the groups of radio buttons, in order."""
        found: list[str] = self._device.value(
            f"[...new Set([...document.querySelectorAll({json.dumps(RADIO)})].map((one) => one.name))]"
        )
        return found

    def _now(self, expression: str) -> Any:
        """The value of an expression; None while one page replaces the other."""
        from playwright.sync_api import Error

        try:
            return self._device.value(expression)
        except (Error, FirefoxError):
            return None


def wait_for_value(read: Any, what: str) -> Any:
    """The first value that is not None."""
    seen: list[Any] = []

    def arrived() -> bool:
        seen.append(read())
        return seen[-1] is not None

    wait_for(arrived, PATIENCE_SECONDS, what)
    return seen[-1]


def write(person: Person) -> None:
    person.type("#answer", "Oslo")


def choose(person: Person) -> None:
    """One possibility of each question on the page."""
    for name in person.names():
        person.activate(f'{RADIO}[name="{name}"]')


@pytest.fixture(scope="module")
def server(django_db_setup: None, static_root: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    site = Site(tmp_path_factory.mktemp("study-site"), child_environment(STATIC_ROOT=str(static_root)))
    try:
        yield site.start()
    finally:
        site.stop()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return volunteers.encyclopedia(tmp_path_factory.mktemp("encyclopedia"))


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("way", ["keyboard", "phone", "no scripts"])
@pytest.mark.parametrize("browser_name", ["chromium", pytest.param("firefox", marks=pytest.mark.firefox)])
def test_from_the_shared_link_to_the_receipt(
    browser_name: str,
    way: str,
    kind: Kind,
    transactional_db: None,
    server: Site,
    source: str,
    tmp_path: Path,
    page_factory: "PageFactory",
) -> None:
    study = open_study_of(kind, tmp_path, encyclopedia=source)
    address = server.url + path_of(volunteers.link(study, kind="shared", limit=3))
    viewport, javascript = PHONE if way == "phone" else DESKTOP, way != "no scripts"
    if browser_name == "firefox":
        with Firefox(viewport, javascript=javascript) as firefox:
            take_part(Person(firefox, way), firefox, address, kind)
    else:
        page = page_factory(viewport=viewport, javascript=javascript, has_touch=way == "phone")
        chromium = Chromium(page)
        take_part(Person(chromium, way), chromium, address, kind)
    participant = Participant.objects.get()
    assert participant.consent is not None
    assert participant.finished_at is not None
    rows = list(participant.assignments.order_by("position"))
    assert len(rows) == N_QUESTIONS
    for row in rows:
        assert row.done_at is not None
        assert row.text == "Oslo" if kind == Kind.ANSWER else row.text


def take_part(person: Person, device: Device, address: str, kind: Kind) -> None:
    """Do everything, from the link to the last page."""
    device.open(address)
    person.go_on("#enter")
    person.go_on("#agree")
    person.go_on(MAIN_BUTTON)  # the instructions
    if kind == Kind.ANSWER:
        person.go_on("button[name=pass]")
    person.go_on(ONWARD)
    for _ in range(N_QUESTIONS):
        (write if kind == Kind.ANSWER else choose)(person)
        person.go_on("#mark-done")
    person.go_on(ONWARD)
    person.go_on(MAIN_BUTTON)
    code = device.value("document.querySelector('#receipt-code').textContent.trim()")
    assert code == Participant.objects.get().receipt_code
