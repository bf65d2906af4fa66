"""Reports on a question: one, two side by side, and whose are shown to whom."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from leaderboard.models import Entry
from leaderboard.questions.question import find_question
from leaderboard.questions.reports import Reading, reading_of
from leaderboard.web.markdown import WORDS_WITH_CONTENTS
from scoring.generations.keys import answer_key
from scoring.models import AnswerBlock, Split
from tests import compared_site, factories
from tests.counting import n_queries

pytestmark = pytest.mark.django_db
URL = "/essays/dev/questions/dev-1/"
REPORT = "# Rivers\n\nThey carry **goods**[^1].\n\n[^1]: Of all kinds."


@pytest.fixture
def entries() -> list[Entry]:
    """Three systems with public reports on three questions; the first has a long one on the second question."""
    essays = compared_site.declare(3)
    entries = compared_site.rank(factories.split(essays, "dev"), factories.setting(essays, "closed-book"), 3)
    Entry.objects.update(shows_answers=True)
    for number, entry in enumerate(entries):
        texts = {f"dev-{question}": f"{REPORT}\n\nBy number {number}." for question in range(3)}
        if not number:
            texts["dev-1"] += f"\n\n## Longer\n\n{'word ' * WORDS_WITH_CONTENTS}"
        assert entry.answer_set is not None
        factories.change_answers(entry.answer_set, texts)
    return entries


def reading(**query: str) -> Reading:
    page = find_question("essays", "dev", "dev-1", AnonymousUser(), {})
    assert page is not None
    reading = reading_of(page, query)
    assert reading is not None
    return reading


def slugs(entries: list[Entry]) -> list[str]:
    return [entry.system.slug for entry in entries]


def test_a_question_leads_to_the_reports_of_all_whose_answers_are_public(entries: list[Entry], client: Client) -> None:
    page = client.get(URL).content.decode()
    first, second, third = slugs(entries)
    assert f'href="{URL}?left={first}"' in page
    Entry.objects.filter(pk=entries[1].pk).update(shows_answers=False)
    page = client.get(URL).content.decode()
    assert f'href="{URL}?left={second}"' not in page
    assert re.findall(r'<option value="([^"]*)"', page) == [first, third, "", first, third]


def test_one_report_is_shown_with_headings_notes_contents_and_as_sent(entries: list[Entry], client: Client) -> None:
    page = client.get(URL, {"left": slugs(entries)[0]}).content.decode()
    assert '<h3 id="left-1">Rivers</h3>' in page
    assert '<h4 id="left-2">Longer</h4>' in page
    assert 'href="#left-2"' in page, "it is long enough for a table of contents"
    assert 'href="#left-note-1"' in page and 'id="left-note-1"' in page
    assert "They carry **goods**[^1]." in page, "the plain text"
    assert page.count("reports__side") == 1


def test_two_reports_stand_side_by_side_with_ids_of_their_own(entries: list[Entry], client: Client) -> None:
    first, second, _ = slugs(entries)
    page = client.get(URL, {"left": second, "right": first}).content.decode()
    assert page.index("By number 1.") < page.index("By number 0.")
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(set(ids)) == len(ids)
    assert {"left-1", "left-note-1", "right-1", "right-2", "right-note-1"} <= set(ids)
    links = [unescape(link) for link in re.findall(r'href="([^"]+)" rel="(?:prev|next)"', page)]
    query = f"left={second}&right={first}"
    assert links == [f"/essays/dev/questions/dev-{number}/?{query}" for number in (0, 2)]


def test_a_side_that_nobody_has_is_ignored_and_named(entries: list[Entry], client: Client) -> None:
    first = slugs(entries)[0]
    for query, shown in (
        ({"left": "nobody", "right": first}, {"left": "", "right": first}),
        ({"left": first, "right": first}, {"left": first, "right": ""}),
        ({"left": "nobody", "right": "<b>"}, {"left": "", "right": ""}),
    ):
        assert reading(**query).slugs == shown
        page = client.get(URL, query).content.decode()
        ignored = page.partition("Not known here and ignored:")[2].partition("</p>")[0]
        assert ignored.count("<code>") == sum(query[side] != shown[side] for side in query)
        assert ("reports__side" in page) is any(shown.values())


def test_a_report_that_is_not_public_is_not_shown(entries: list[Entry], client: Client) -> None:
    Entry.objects.update(shows_answers=False)
    first = slugs(entries)[0]
    assert reading(left=first).choices == []
    assert [(row.is_readable, row.report) for row in reading(left=first).reports.values()] == [(False, None)]
    page = client.get(URL, {"left": first}).content.decode()
    assert "Rivers" not in page
    assert "has not made the answers public" in page


def test_the_reader_chooses_the_attempt_of_both_reports(entries: list[Entry], client: Client) -> None:
    answer_set, (first, second, _) = entries[0].answer_set, slugs(entries)
    assert answer_set is not None
    AnswerBlock.objects.filter(answer_set=answer_set).delete()
    assert [row.report for row in reading(left=first).reports.values()] == [None]
    assert "No answer" in client.get(URL, {"left": first}).content.decode()
    answer_set.n_attempts = 3
    AnswerBlock.objects.store(answer_set, {answer_key("dev-1", n, 3): f"# Attempt {n}" for n in (1, 2)})
    for chosen, shown in (("", 1), ("2", 2), ("3", 3), ("99", 3), ("0", 1), ("x", 1)):
        query = {"left": first, "right": second, "attempt": chosen}
        page = " ".join(client.get(URL, query).content.decode().split())
        assert ('<h3 id="left-1">Attempt' in page) is (shown < 3), "there is no third answer"
        assert f"Attempt {shown} of 3" in page
        assert "By number 1." in page, "of the other system its only one"
        current = page.partition('aria-label="Attempts"')[2].partition("</nav>")[0]
        assert f'aria-current="page">Attempt {shown}<' in current
        assert current.count(f"?left={first}&amp;right={second}&amp;attempt=") == 3
    page = client.get(URL).content.decode()
    assert [f"left={first}&amp;attempt={n}" in page for n in (2, 3)] == [True, False]


def test_a_later_attempt_leads_to_its_report_without_a_first_answer(entries: list[Entry], client: Client) -> None:
    answer_set, (first, *_) = entries[0].answer_set, slugs(entries)
    assert answer_set is not None
    AnswerBlock.objects.filter(answer_set=answer_set).delete()
    answer_set.n_attempts = 3
    AnswerBlock.objects.store(answer_set, {answer_key("dev-1", 2, 3): "# Attempt 2"})
    page = client.get(URL).content.decode()
    assert f'href="{URL}?left={first}"' not in page
    assert [f"left={first}&amp;attempt={n}" in page for n in (2, 3)] == [True, False]


def test_a_hidden_split_has_no_reports(entries: list[Entry], client: Client) -> None:
    Split.objects.update(hidden=True)
    assert client.get(URL, {"left": slugs(entries)[0]}).status_code == 404


def test_answers_that_are_no_reports_are_not_read_as_some(client: Client) -> None:
    made = factories.benchmark()
    factories.published(factories.user(), factories.split(made, "dev"), {"openbook": factories.perfect()}, name="All")
    Entry.objects.update(shows_answers=True)
    page = client.get("/fanoutqa/dev/questions/dev-0/", {"left": "all"}).content.decode()
    assert "reports__side" not in page and "reading-form" not in page
    assert "<code>left=all</code>" in page, "it is named as ignored"


def test_the_number_of_queries_does_not_grow_with_systems(entries: list[Entry], client: Client) -> None:
    url = f"{URL}?left={slugs(entries)[0]}&right={slugs(entries)[1]}"
    n = n_queries(client, url)
    Entry.objects.filter(pk=entries[2].pk).delete()
    assert n_queries(client, url) == n
