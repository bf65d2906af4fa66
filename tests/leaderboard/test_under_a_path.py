"""A site under a path of its host: no page, redirect, cookie or mail leads out of it."""

import re
import runpy
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.test import Client
from django.urls import Resolver404, clear_script_prefix, resolve, reverse, set_script_prefix
from pytest_django import Settings

from humaneval.answering import consent, session
from humaneval.models import Study
from humaneval.participants import invitations
from humaneval.participants import mails as study_mails
from leaderboard.accounts import mails, tokens
from leaderboard.accounts.teams import services as teams
from leaderboard.maintenance import needs
from leaderboard.models import Team, User
from leaderboard.project import settings as project
from leaderboard.submissions import notifications
from leaderboard.tasks import send_notices
from scoring.models import Benchmark
from tests import boards, compared_site, factories, study_people, volunteers
from tests.processes import Worker
from tests.services import PATIENCE_SECONDS, wait_for

pytestmark = pytest.mark.django_db
HOST: Final = "http://testserver"
PATH: Final = "/manyhop"
COMPLETE: Final = re.compile(rf"{HOST}[^\s\"'<>&,)]*")
"""A complete address at the site's host, wherever it stands in a page or a file."""
IN_JSON: Final = re.compile(r'":\s?"(/[^"]*)"')


@pytest.fixture(autouse=True)
def under_a_path(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[None]:
    """The settings of a site whose SITE_URL has a path, and the prefix that its processes give to all their paths."""
    file = str(project.__file__)
    without = runpy.run_path(file)
    monkeypatch.setenv("SITE_URL", f"{HOST}{PATH}")
    for name, value in runpy.run_path(file).items():
        if name.isupper() and value != without[name]:
            setattr(settings, name, value)
    settings.STORAGES = settings.STORAGES  # the storage of static files begins again, with its new address
    set_script_prefix(PATH)
    yield
    clear_script_prefix()


class Addresses(HTMLParser):
    """The attributes of a page that are paths of its host: links, actions, sources and data for scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.paths: list[str] = []
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and value.startswith("/"):
                self.paths.append(value)
                if name in ("href", "src", "hx-get"):
                    self.links.append(value)


def is_inside(address: str) -> bool:
    path = urlsplit(address).path
    return path == PATH or path.startswith(f"{PATH}/")


class Visitor:
    """A browser behind a proxy that takes the path off, and what it saw that leads out of the path."""

    def __init__(self, user: User | None = None) -> None:
        self.client = Client()
        self.outside: set[str] = set()
        if user is not None:
            self.client.force_login(user)

    def ask(self, address: str, form: dict[str, Any] | None = None) -> Any:
        path = address.removeprefix(HOST).removeprefix(PATH) or "/"
        response = self.client.get(path) if form is None else self.client.post(path, form)
        found = [f"cookie {name} at {it['path']}" for name, it in response.cookies.items() if not is_inside(it["path"])]
        if response.status_code >= 400:
            found.append(f"status {response.status_code}")
        found += self._outside_of(response)
        self.outside.update(f"{address}: {it}" for it in found)
        return response

    def _outside_of(self, response: Any) -> list[str]:
        headers = [response.get("Location", ""), *re.findall(r"<([^>]+)>", response.get("Link", ""))]
        addresses = [it for it in headers if it.startswith(("/", HOST))]
        if not response.streaming and response.content[:2] != b"PK":
            text = response.content.decode()
            addresses += COMPLETE.findall(text)
            is_page = response["Content-Type"].startswith("text/html")
            if response.resolver_match.view_name != "api-schema":  # its examples are of a made-up site
                addresses += Addresses(text).paths if is_page else IN_JSON.findall(text)
        return [address for address in addresses if not is_inside(address)]

    def crawl(self, *starts: str) -> set[str]:
        """Follow links and redirects from some pages to one page of each kind; returns their kinds."""
        waiting, known, visited = list(starts), set(starts), set[str]()
        while waiting:
            address = waiting.pop(0)
            try:
                kind = resolve(urlsplit(address).path.removeprefix(PATH) or "/").view_name
            except Resolver404:  # static files, which the web server has in another test
                assert address.startswith(f"{PATH}/static/"), address
                continue
            if kind in visited:
                continue
            visited.add(kind)
            response = self.ask(address)
            further = [response.get("Location", "")]
            # A participant's page, shown to the maintainer, has links for participants alone.
            is_followed = kind != "manage-study-shown" and not response.streaming
            if is_followed and response["Content-Type"].startswith("text/html"):
                further += Addresses(response.content.decode()).links
            waiting += [link for link in dict.fromkeys(further) if is_inside(link) and link not in known]
            known.update(further)
        return visited


@pytest.fixture
def people() -> dict[str, User]:
    """A site with something on each page: boards, a comparison, a study, a grading round, a team."""
    made = factories.benchmark()
    ada, grace = factories.user("ada"), factories.maintainer()
    dev, test = factories.split(made, "dev"), factories.split(made, "test")
    factories.published(ada, dev, {"openbook": factories.perfect()}, name="First")
    factories.published(ada, dev, {"openbook": factories.perfect(right=2)}, name="Second")
    factories.published(ada, test, {"openbook": factories.perfect("test")}, name="Hidden")
    private = factories.scored(ada, dev, {"openbook": factories.perfect(right=1)}, name="Private")
    study_people.lively(factories.study(grace, dev))
    files = list(private.files.all())
    factories.grading_round(grace, dev, graders=[grace], files=files, n_calibration=1, graders_per_answer=1)
    teams.create_team(by=ada, name="A team")
    tokens.create_token(user=ada, name="CI")
    essays = compared_site.declare(2)
    compared_site.rank(factories.split(essays, "dev"), factories.setting(essays, "closed-book"), 2)
    boards.refresh()
    return {"ada": ada, "grace": grace}


@pytest.mark.parametrize(
    ("who", "n_kinds"), [("", 25), ("ada", 45), pytest.param("grace", 150, marks=pytest.mark.slow)]
)
def test_no_page_leads_out_of_the_path(people: dict[str, User], who: str, n_kinds: int) -> None:
    visitor = Visitor(people.get(who))
    starts = ["home", "robots", "favicon", "sitemap", "api-docs", "api-root", "how-to-submit"]
    api = ["api-benchmarks", "api-board", "api-systems", "api-submissions"]
    visited = visitor.crawl(*map(reverse, starts + api if who else starts))
    assert not visitor.outside, "\n".join(sorted(visitor.outside))
    assert len(visited) > n_kinds, sorted(visited)


def links_in(text: str) -> list[str]:
    return [address.rstrip(".").removeprefix(HOST) for address in COMPLETE.findall(text)]


def test_signing_up_and_in_and_out_stays_in_the_path() -> None:
    factories.benchmark()
    visitor = Visitor()
    passwords = {"password1": factories.PASSWORD, "password2": factories.PASSWORD}
    visitor.ask(reverse("sign-up"), {"username": "ada", "email": "ada@example.org", **passwords})
    [verify] = [link for link in links_in(str(mail.outbox[-1].body)) if "/verify/" in link]
    visitor.ask(verify)
    visitor.ask(verify, {})
    visitor.ask(reverse("sign-out"), {})
    form = {"username": "ada", "password": factories.PASSWORD}
    board = reverse("about")
    assert visitor.ask(f"{reverse('sign-in')}?next={board}", {**form, "next": board})["Location"] == board
    assert visitor.ask(reverse("submit")).status_code == 200
    visitor.ask(reverse("sign-out"), {})
    asked = visitor.ask(reverse("submit"))
    assert asked["Location"] == f"{reverse('sign-in')}?next={reverse('submit')}"
    for outside in ("/", "/~eve/sign-in/", f"{PATH}/../~eve/", f"{PATH}x/"):
        assert visitor.ask(reverse("sign-in"), {**form, "next": outside})["Location"] == reverse("my-submissions")
        visitor.ask(reverse("sign-out"), {})
    assert not visitor.outside, "\n".join(sorted(visitor.outside))


def test_messages_keep_to_the_path() -> None:
    """Django has no setting for the path of their cookie."""
    ada = factories.user("ada")
    token, _ = tokens.create_token(user=ada, name="CI")
    visitor = Visitor(ada)
    revoked = visitor.ask(reverse("token-revoke", args=[token.pk]), {})
    assert revoked.cookies["messages"]["path"] == f"{PATH}/"
    assert not visitor.outside


def test_another_site_at_the_root_of_the_host_signs_nobody_out() -> None:
    """Its cookies come too, after those of the path, and a name of theirs that is ours as well would hide ours."""
    client = Client(enforce_csrf_checks=True)
    client.force_login(factories.user("ada"))
    token = volunteers.csrf_token(client.get("/accounts/").content)
    ours = [f"{name}={cookie.value}" for name, cookie in client.cookies.items()]
    cookies = "; ".join([*ours, "sessionid=of-another-site", f"csrftoken={'x' * 32}"])
    form = {"csrfmiddlewaretoken": token, "name": "Ada"}
    path = reverse("account-name").removeprefix(PATH)
    saved = Client(enforce_csrf_checks=True).post(path, form, headers={"cookie": cookies})
    assert saved["Location"] == reverse("account")


def test_mails_lead_into_the_path(people: dict[str, User]) -> None:
    ada, grace = people["ada"], people["grace"]
    visitor = Visitor(factories.user("bob"))
    new = dict.fromkeys(("password1", "password2"), "another password 42")
    visitor.ask(reverse("account_change_password"), {"oldpassword": factories.PASSWORD} | new)
    visitor.ask(reverse("account_reset_password"), {"email": "bob@example.org"})
    teams.invite(by=ada, team=Team.objects.get(), email="nobody@example.org")
    study = Study.objects.get()
    invitations.invite(study, by=grace, email="volunteer@example.org")
    study_mails.send_unsent(study, by=grace)
    notifications.queue_due()
    notifications.revision_changed(factories.split(Benchmark.objects.get(slug="fanoutqa"), "dev"))
    needs.queue_mails()
    mails.send_due()
    sent = [str(message.body) for message in mail.outbox]
    links = {link for text in sent for link in links_in(text)}
    assert len(sent) >= 7, sent
    assert not [link for link in links if not is_inside(link)]
    maintainer = Visitor(grace)
    for link in links:
        maintainer.ask(link)
    assert not [told for told in maintainer.outside if "status 403" not in told]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_worker_knows_the_path(make_worker: Callable[..., Worker]) -> None:
    """It has no request."""
    dev = factories.split(factories.benchmark(), "dev")
    sent = factories.scored(factories.user("ada"), dev, {"openbook": factories.perfect()})
    worker = make_worker(queues="site")
    send_notices.apply_async(queue="site")
    printed = f"{HOST}{PATH}{sent.get_absolute_url().removeprefix(PATH)}"
    wait_for(lambda: printed in worker.log.read_text(), PATIENCE_SECONDS, f"an email with {printed}")


def test_errors_of_the_api_are_problem_documents() -> None:
    visitor = Visitor()
    missing = visitor.client.get("/api/v1/nothing/")
    assert missing["Content-Type"] == "application/problem+json"
    without_slash = visitor.client.post("/api/v1/submissions")
    assert (without_slash.status_code, without_slash["Location"]) == (308, f"{PATH}/api/v1/submissions/")


def test_probes_need_no_https(settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = True
    client = Client()
    assert client.get("/about/")["Location"] == f"https://testserver{PATH}/about/"
    assert client.get("/healthz").status_code == 200


def test_a_participant_stays_in_the_path(tmp_path: Path) -> None:
    study = volunteers.open_study(encyclopedia=volunteers.encyclopedia(tmp_path))
    visitor = Visitor()
    join = invitations.path_of(volunteers.link(study))
    home = reverse("study-home", args=[study.slug])
    visitor.ask(join)
    visitor.ask(join, {})
    visitor.crawl(home)
    participant = study.participants.get()
    assert consent.give_consent(participant, digest=consent.consent_digest(study))
    session.leave(participant, "instructed_at")
    session.leave(participant, "practised_at")
    read = reverse("study-article", args=[study.slug, 1])
    visited = visitor.crawl(home, f"{read}?path=Norway")
    assert not visitor.outside, "\n".join(sorted(visitor.outside))
    assert "study-article" in visited
