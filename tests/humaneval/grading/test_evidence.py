"""The reader for graders: which articles, by whom, what is shown of them, what is said where there are none."""

import html
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from humaneval.grading.desk import services as desk
from humaneval.grading.desk.evidence import encyclopedia_of, evidence_of
from humaneval.grading.desk.evidence_views import OTHER_PAGE
from humaneval.grading.rounds import services as rounds
from humaneval.models import GradedAnswer, GradingRound, GradingSlot, Search, Visit
from humaneval.studies.evidence_measures import Gold
from scoring.models import Question
from tests import volunteers
from tests.humaneval.grading.ground import SYSTEM, Ground, answered_study, client_of, grade_next, grader, ground

pytestmark = pytest.mark.django_db

NORWAY: dict[str, Any] = {"pageid": 1, "revid": 1, "title": "Norway", "url": "https://en.wikipedia.org/wiki/Norway"}


@pytest.fixture
def place(settings: Any, source: str) -> Ground:
    settings.ENCYCLOPEDIA = source
    return ground()


@pytest.fixture
def made(place: Ground) -> GradingRound:
    return place.round(n_calibration=1)


@pytest.fixture
def answer(made: GradingRound) -> GradedAnswer:
    """What greta has on the screen."""
    return desk.hold(grader(made))[0].graded_answer


@pytest.fixture
def greta(place: Ground) -> Client:
    return client_of(place.people[0])


def stands_on(answer: GradedAnswer, *evidence: dict[str, Any]) -> None:
    Question.objects.filter(pk=answer.question_id).update(evidence=list(evidence))


def address(answer: GradedAnswer, name: str = "article") -> str:
    return reverse("grading-article", args=[answer.round.slug, answer.position]).replace("article/", f"{name}/")


def read(client: Client, answer: GradedAnswer, name: str = "article", **query: Any) -> str:
    response = client.get(address(answer, name), query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def document(page: str) -> str:
    """The article in the page's frame."""
    found = re.search(r'srcdoc="([^"]*)"', page)
    assert found is not None
    return html.unescape(found[1])


class TestTheArticle:
    def test_stands_in_a_frame_without_scripts_with_its_contents_and_its_source(
        self, greta: Client, answer: GradedAnswer
    ) -> None:
        stands_on(answer, NORWAY)
        page = read(greta, answer, evidence=1)
        shown = document(page)
        assert 'sandbox="allow-same-origin allow-top-navigation-by-user-activation"' in page
        assert "script-src 'none'" in shown
        assert "Its capital is" in shown
        assert "<summary>Contents</summary>" in shown
        assert 'placeholder="Find in this article"' in page
        assert 'href="https://en.wikipedia.org/wiki/Norway" target="_blank" rel="noopener' in page
        assert answer.question.text in page
        assert f'href="{reverse("grading-desk", args=[answer.round.slug])}"' in page
        assert "data-used" not in page
        assert 'aria-current="page"' in page

    def test_a_search_for_passages_that_is_too_long_is_refused_by_name(
        self, greta: Client, answer: GradedAnswer
    ) -> None:
        page = read(greta, answer, "passages", path="Norway", q="government " * 30)
        assert "Your search has 330 characters. Shorten it to at most 300." in page

    def test_nothing_of_what_is_read_is_kept(self, greta: Client, place: Ground, source: str) -> None:
        made = place.round(name="People", files=[], studies=[answered_study(place, source)], graders_per_answer=1)
        answer = desk.hold(grader(made))[0].graded_answer
        stands_on(answer, NORWAY)
        read(greta, answer, evidence=1)
        read(greta, answer, "passages", path="Norway", q="government")
        assert not Visit.objects.exists()
        assert not Search.objects.exists()

    def test_reading_evidence_renews_the_claim(self, greta: Client, answer: GradedAnswer) -> None:
        ago = timezone.now() - desk.LEASE
        GradingSlot.objects.filter(grader__isnull=False).update(lease_until=ago)
        read(greta, answer, path="Norway")
        assert not GradingSlot.objects.filter(grader__isnull=False, lease_until__lt=timezone.now()).exists()
        rounds.close_round(answer.round, by=answer.round.owner)
        GradingSlot.objects.filter(grader__isnull=False).update(lease_until=ago)
        read(greta, answer, path="Norway")
        assert GradingSlot.objects.filter(grader__isnull=False, lease_until=ago).count() == desk.AHEAD


class TestFinding:
    @pytest.mark.parametrize(
        "evidence",
        [
            NORWAY | {"pageid": None},
            NORWAY | {"pageid": "###TBD###"},
            {
                "pageid": None,
                "revid": None,
                "title": "Kingdom of Norway",
                "url": "https://en.wikipedia.org/wiki/Norway",
            },
            {"pageid": None, "revid": None, "title": "", "url": "https://en.wikipedia.org/wiki/Norway"},
            {"pageid": 1, "revid": 1, "title": "Norway", "url": None},
        ],
    )
    def test_evidence_is_found_by_title_or_address(
        self, greta: Client, answer: GradedAnswer, evidence: dict[str, Any]
    ) -> None:
        stands_on(answer, evidence)
        page = read(greta, answer, evidence=1)
        assert "Norway is a country." in document(page)
        assert OTHER_PAGE not in page

    def test_another_page_of_the_same_title_is_shown_as_such(self, greta: Client, answer: GradedAnswer) -> None:
        stands_on(answer, NORWAY | {"pageid": 99})
        assert OTHER_PAGE in read(greta, answer, evidence=1)

    def test_each_page_of_the_evidence_once(self, answer: GradedAnswer) -> None:
        stands_on(
            answer,
            NORWAY,
            NORWAY | {"title": "Kingdom of Norway"},
            {"pageid": None, "title": "norway", "url": "javascript:alert(1)"},
            {"pageid": True, "title": "Oslo", "url": "javascript:alert(1)"},
            {"pageid": 4, "title": "", "url": "https://"},
        )
        answer.question.refresh_from_db()
        assert evidence_of(answer.question) == (
            Gold("Norway", 1, "https://en.wikipedia.org/wiki/Norway"),
            Gold("Oslo", None, ""),
        )

    @pytest.mark.parametrize(
        "query",
        [{"evidence": "1"}, {"evidence": "2"}, {"evidence": "٣"}, {}, {"path": "x" * 1001}, {"path": "../secret"}],
    )
    def test_missing_evidence_is_reported_with_its_original_page(
        self, greta: Client, answer: GradedAnswer, query: dict[str, str]
    ) -> None:
        stands_on(answer, {"pageid": 5, "title": "Atlantis", "url": "https://en.wikipedia.org/wiki/Atlantis"})
        page = read(greta, answer, **query)
        assert 'data-kind="missing"' in page
        original = r'class="button"\s+href="https://en\.wikipedia\.org/wiki/Atlantis"'
        assert bool(re.search(original, page)) == (query.get("evidence") == "1")

    @pytest.mark.parametrize(
        ("at", "told"),
        [
            (volunteers.NOTHING_THERE, "away"),
            ("zim:/nowhere/at/all.zim", "none"),
            ("", "none"),
        ],
    )
    def test_without_an_encyclopedia_the_source_is_named(
        self, settings: Any, greta: Client, answer: GradedAnswer, at: str, told: str
    ) -> None:
        settings.ENCYCLOPEDIA = at
        stands_on(answer, NORWAY)
        page = read(greta, answer, evidence=1)
        assert f'data-kind="{told}"' in page
        assert NORWAY["url"] in page
        assert "nowhere" not in page
        assert "127.0.0.1" not in page
        assert greta.get(address(answer, "image"), {"path": "x.png"}).status_code == 404


class TestWhoseEncyclopedia:
    """One for the whole round, so that it tells of no answer whose it is."""

    def test_a_round_uses_the_encyclopedia_of_its_study_for_every_answer(
        self, settings: Any, place: Ground, source: str
    ) -> None:
        settings.ENCYCLOPEDIA = volunteers.NOTHING_THERE
        made = place.round(studies=[answered_study(place, source)], graders_per_answer=1)
        assert encyclopedia_of(made).name.startswith("Small encyclopedia")
        client = client_of(place.people[0])
        told = set()
        for slot in desk.hold(grader(made)):
            page = read(client, slot.graded_answer, path="Norway")
            assert "Norway is a country." in document(page)
            told |= {word for word in (SYSTEM, "Small encyclopedia", "Spring study", "P-01") if word in page}
        assert not told

    def test_a_round_uses_the_site_s_encyclopedia_if_studies_have_none_or_several(
        self, settings: Any, place: Ground, source: str
    ) -> None:
        plain = answered_study(place, name="Plain")
        made = place.round(studies=[plain])
        assert encyclopedia_of(made).name.startswith("Small encyclopedia")
        others = [
            answered_study(place, f"mediawiki:http://127.0.0.1:{port}/w/api.php#date=2023-11-20", name=f"Study {port}")
            for port in (9, 10)
        ]
        assert encyclopedia_of(place.round(studies=others)).name.startswith("Small encyclopedia")
        settings.ENCYCLOPEDIA = ""
        assert encyclopedia_of(place.round(studies=[others[1], answered_study(place, source, name="Own")])) is not None


class TestWhoMayRead:
    @pytest.mark.slow
    def test_a_grader_reads_the_evidence_of_their_own_answers_only(
        self, place: Ground, made: GradingRound, answer: GradedAnswer, greta: Client
    ) -> None:
        for name in ("article", "passages", "outside"):
            assert greta.get(address(answer, name)).status_code == 200
        mine = {slot.graded_answer_id for slot in GradingSlot.objects.filter(grader=grader(made))}
        for other in made.answers.exclude(pk__in=mine):
            for name in ("article", "passages", "outside", "image"):
                assert greta.get(address(other, name)).status_code == 404
                assert client_of(place.people[1]).get(address(other, name)).status_code == 404
        grade_next(grader(made))
        assert greta.get(address(answer)).status_code == 200
        rounds.close_round(made, by=place.maintainer)
        assert greta.get(address(answer)).status_code == 200
        rounds.remove_grader(grader(made), by=place.maintainer)
        assert greta.get(address(answer)).status_code == 404

    def test_a_grader_reads_no_evidence_of_another_round(self, place: Ground, greta: Client) -> None:
        other = place.round(name="Other", graders=[place.people[1]], graders_per_answer=1)
        theirs = desk.hold(grader(other))[0].graded_answer
        assert greta.get(address(theirs)).status_code == 404

    def test_a_maintainer_reads_the_evidence_of_every_answer(self, place: Ground, made: GradingRound) -> None:
        client = client_of(place.maintainer)
        for answer in made.answers.all():
            name = "grading-known" if answer.is_calibration else "grading-decision"
            back = reverse(name, args=[made.slug, answer.position])
            assert f'href="{back}"' in read(client, answer, path="Norway")
        gone = address(answer).replace(f"/{answer.position}/", f"/{10**30}/")
        assert client.get(gone).status_code == 404
        for method in (client.post, client.put, client.delete):
            assert method(address(answer)).status_code == 405


def test_the_screen_links_to_the_reader_and_to_the_source(greta: Client, answer: GradedAnswer) -> None:
    stands_on(answer, NORWAY, {"pageid": None, "title": "Oslo", "url": None})
    page = greta.get(reverse("grading-desk", args=[answer.round.slug])).content.decode()
    first = page.split('id="grading-next"')[0]
    assert re.findall(rf'href="{address(answer)}\?evidence=(\d)"\s+data-evidence="(\d)"', first) == [
        ("1", "1"),
        ("2", "2"),
    ]
    assert first.count('href="https://en.wikipedia.org/wiki/Norway"') == 1
