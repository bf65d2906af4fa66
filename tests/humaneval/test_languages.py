"""The language of participants' and graders' pages and mails: everything on them comes from the catalogue."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import pytest
from django.core import mail
from django.shortcuts import render
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import translation
from pytest_django import Settings

from humaneval.encyclopedia.reader import Reading
from humaneval.grading.desk import services as desk
from humaneval.grading.errors import RoundClosedError
from humaneval.models import InvitationKind, Participant, Study
from humaneval.participants import mails
from humaneval.participants.invitations import path_of
from humaneval.studies import pairs
from humaneval.studies.languages import language_of
from humaneval.studies.script_texts import SCRIPT_TEXTS
from leaderboard.models import User
from scoring.models import Question
from tests import pseudo_language, volunteers
from tests.gallery.studies.volunteers import pages as gallery_pages
from tests.humaneval import test_items, test_pairs, test_ratings
from tests.humaneval.grading.ground import Ground, grade_all, grader, ground
from tests.pseudo_language import CLOSED, LONGER, OPENED, RIGHT_TO_LEFT, pseudo

pytestmark = pytest.mark.django_db
SCRIPTS: Final = pseudo_language.ROOT / "static" / "js"
SHOWN: Final = (
    *("aria-label", "title", "placeholder", "alt", "data-empty", "data-announce", "data-label", "data-unsaved"),
    *("data-saved", "data-away", "data-nothing", "data-more", "data-refusal"),
)
VOID: Final = frozenset({"input", "br", "img", "link", "meta", "wbr"})
NOT_TEXT: Final = frozenset({"script", "style", "pre", "code", "kbd", "time", "title"})


class Untranslated(HTMLParser):
    """The words of a page that are not from the catalogue. Data say so by ``dir="auto"``; or are code, keys, times."""

    def __init__(self, page: str, *, main_only: bool = False) -> None:
        super().__init__()
        self.words: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self._depth = 0
        # The frame of graders' pages is that of the whole site, in English.
        self.feed(page[page.index("<main") : page.index("</main>")] if main_only else page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        is_data = tag in NOT_TEXT or given.get("dir") == "auto" or any(within for _, within in self._open)
        if not is_data:
            for name in SHOWN:
                if given.get("inputmode") != "url":
                    self._look(given.get(name) or "", 0)
        if tag not in VOID:
            self._open.append((tag, is_data))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not any(within for _, within in self._open):
            self._depth = self._look(data, self._depth)
        else:
            self._depth += data.count(OPENED) - data.count(CLOSED)

    def _look(self, text: str, depth: int) -> int:
        for piece in re.split(f"([{OPENED}{CLOSED}])", text):
            depth += {OPENED: 1, CLOSED: -1}.get(piece, 0)
            if not depth and re.search("[A-Za-z]{2}", piece):
                self.words.append(piece.strip())
        return depth


@pytest.fixture
def catalogues(settings: Settings, tmp_path: Path) -> None:
    settings.LOCALE_PATHS = [pseudo_language.write(tmp_path / "locale")]


def ask_in(language: str) -> None:
    """Every question says that it is in a language."""
    Question.objects.update(language=language)


def look(client: Client, path: str, *, main_only: bool = False, **sent: Any) -> str:
    """Require a page that is in the pseudo-language altogether; return it."""
    response = client.post(path, sent) if sent else client.get(path)
    assert response.status_code in (200, 403, 409, 422), (path, response.status_code)
    page = response.content.decode()
    assert f'<html lang="{LONGER}"' in page
    assert OPENED in page
    assert Untranslated(page, main_only=main_only).words == [], path
    return page


@pytest.mark.usefixtures("catalogues")
class TestEverythingIsFromTheCatalogue:
    def test_on_the_way_of_a_participant(self, source: str) -> None:
        study = volunteers.open_study(encyclopedia=source, contact="ada@example.org")
        ask_in(LONGER)
        client, of = Client(), f"/studies/{study.slug}/"
        link = volunteers.link(study, kind=InvitationKind.SHARED, limit=5)
        look(client, path_of(link))
        volunteers.come_in(client, link)
        look(client, path_of(link))
        look(client, f"{of}consent/")
        look(client, f"{of}consent/", digest="of another text")
        other = Client()
        volunteers.come_in(other, link)
        other.post(f"{of}consent/", {"decline": "1"})
        look(other, f"{of}declined/")
        volunteers.seated(client, study)
        for name in ("instructions", "questions", "finish", "withdraw", "questions/1"):
            look(client, f"{of}{name}/")
        look(client, f"{of}questions/1/search/?q=capital")
        look(client, f"{of}questions/1/search/?q=qqqq")
        look(client, f"{of}questions/1/article/?path=Norway")
        look(client, f"{of}questions/1/article/?path=Nowhere")
        look(client, f"{of}questions/1/passages/?path=Norway&q=capital")
        look(client, f"{of}questions/1/passages/?path=Norway&q=qqqq")
        look(client, f"{of}questions/1/outside/?to=https://outside.example/")
        look(client, f"{of}questions/1/done/", text="", based_on="0")
        look(client, f"{of}questions/1/page/", do="report", url="no address")
        look(client, f"{of}questions/1/page/", note="x" * 20_001)
        client.post(f"{of}questions/1/page/", {"text": "Oslo", "based_on": "0", "url": "https://outside.example/a"})
        look(client, f"{of}questions/1/")
        look(client, f"{of}questions/1/page/", text="Bergen", based_on="0")
        client.post(f"{of}finish/")
        look(client, f"{of}thanks/")
        client.post(f"{of}questions/1/answer/", {"text": "late"})
        Participant.objects.update(withdrawn_at=study.opens_at)
        look(client, f"{of}questions/")

    def test_on_the_practice_question(self, source: str) -> None:
        study = volunteers.open_study(encyclopedia=source)
        practice = Question.objects.filter(revision__split__slug="dev").first()
        assert practice is not None
        Study.objects.filter(pk=study.pk).update(practice_question=practice)
        ask_in(LONGER)
        client, of = Client(), f"/studies/{study.slug}/"
        participant = volunteers.seated(client, study)
        Participant.objects.filter(pk=participant.pk).update(practised_at=None)
        look(client, f"{of}practice/")
        look(client, f"{of}practice/", text="")
        look(client, f"{of}practice/", text="Oslo")

    def test_where_items_are_checked_pairs_compared_and_texts_rated(self, grace: User, tmp_path: Path) -> None:
        checked = test_items.make_study(grace)
        test_items.load(checked, test_items.lines(*test_items.regular()), tmp_path, grace)
        compared = test_pairs.make_study(grace)
        pairs.make_pairs(compared, test_pairs.add_systems(compared), 2, by=grace)
        rated = test_ratings.make_study(grace, tmp_path)
        ask_in(LONGER)
        for study in (checked, compared, rated):
            client, of = Client(), f"/studies/{study.slug}/"
            volunteers.seated(client, study)
            for path in ("instructions/", "questions/", "questions/1/"):
                look(client, f"{of}{path}")
            assert "data-state" in look(client, f"{of}questions/1/done/", text="nonsense", based_on="0")
            client.post(f"{of}questions/1/page/", {"do": "named"})
            look(client, f"{of}questions/1/")

    @pytest.mark.parametrize("name", gallery_pages())
    def test_in_the_gallery(self, name: str, client: Client) -> None:
        sample = gallery_pages()[name]
        with translation.override(LONGER):
            page = render(RequestFactory().get("/"), sample.template, sample.context({})).content.decode()
        assert Untranslated(page).words == []

    def test_on_the_pages_of_a_grader_and_of_who_decides(self, settings: Settings, source: str) -> None:
        settings.ENCYCLOPEDIA = source
        place: Ground = ground()
        Question.objects.update(evidence=[{"pageid": 1, "revid": 1, "title": "Norway"}])
        round_ = place.round(n_calibration=1, graders_per_answer=2)
        ask_in(LONGER)
        client, keeper = Client(), Client()
        client.force_login(place.people[0])
        keeper.force_login(place.maintainer)
        at = reverse("grading-desk", args=[round_.slug])
        look(client, at, main_only=True)
        client.post(at, {"action": "start"})
        held = desk.held_by(grader(round_))[0].graded_answer
        look(client, at, main_only=True)
        look(client, at, main_only=True, action="save", answer=str(held.position))
        look(client, at, main_only=True, action="undo")
        look(client, reverse("grading-guidelines", args=[round_.slug]), main_only=True)
        for name, query in (
            ("article", "evidence=1"),
            ("article", "path=Nowhere"),
            ("article-passages", "path=Norway"),
        ):
            path = reverse(f"grading-{name}", args=[round_.slug, held.position])
            look(client, f"{path}?{query}", main_only=True)
        known = round_.answers.get(is_calibration=True)
        look(keeper, reverse("grading-calibration", args=[round_.slug]), main_only=True)
        look(keeper, reverse("grading-known", args=[round_.slug, known.position]), main_only=True)
        look(keeper, reverse("grading-known", args=[round_.slug, known.position]), main_only=True, note="x")
        grade_all(grader(round_, 1))
        grade_all(grader(round_, 2), share=0.0)
        look(client, at, main_only=True)
        look(keeper, reverse("grading-adjudication", args=[round_.slug]), main_only=True)
        decided = round_.answers.filter(is_calibration=False).first()
        assert decided is not None
        path = reverse("grading-decision", args=[round_.slug, decided.position])
        keeper.post(path, {"item": "0", "note": "A note", "proposal": "Another"})
        look(keeper, path, main_only=True)

    def test_in_the_mails(self, source: str) -> None:
        study = volunteers.open_study(encyclopedia=source, reward_note="")
        ask_in(LONGER)
        link = volunteers.link(study, email="ada@example.org")
        mails.send_one(link, by="keeper")
        participant = volunteers.seated(Client(), study, link)
        mails.remind(participant, by="keeper")
        assert len(mail.outbox) == 2
        for sent in mail.outbox:
            text = re.sub(r"https?://\S+", "", str(sent.body))
            assert re.findall("[A-Za-z]{2,}", re.sub(f"{OPENED}[^{CLOSED}]*{CLOSED}", "", text)) == []
            assert OPENED in sent.subject

    def test_in_the_texts_of_scripts(self, source: str) -> None:
        study = volunteers.open_study(encyclopedia=source)
        ask_in(LONGER)
        client = Client()
        volunteers.seated(client, study)
        page = client.get(f"/studies/{study.slug}/questions/1/").content.decode()
        found = re.search(r'<script id="script-texts" type="application/json">(.*?)</script>', page)
        assert found is not None
        assert json.loads(found[1]) == {text: pseudo(text) for text in SCRIPT_TEXTS}


def test_scripts_take_their_texts_from_the_list() -> None:
    said = set()
    for path in [*(SCRIPTS / "answering").glob("*.js"), *(SCRIPTS / "grading").glob("*.js"), SCRIPTS / "site.js"]:
        said |= set(re.findall(r'(?<![.\w])say\(\s*"((?:[^"\\]|\\.)*)"', path.read_text()))
    said |= set(re.findall(r'"(Colour theme: [^"]*)"', (SCRIPTS / "theme.js").read_text()))
    assert said == set(SCRIPT_TEXTS)


@pytest.mark.usefixtures("catalogues")
class TestWhichLanguage:
    def test_it_is_that_of_the_questions_if_there_is_a_catalogue_for_it(self) -> None:
        study = volunteers.open_study()
        questions = Question.objects.filter(revision=study.split.current_revision)
        for code, language in {
            LONGER: LONGER,
            RIGHT_TO_LEFT: RIGHT_TO_LEFT,
            "ar-EG": RIGHT_TO_LEFT,
            "nn": "en-gb",
            "": "en-gb",
            "../x": "en-gb",
        }.items():
            ask_in(code)
            assert language_of(questions) == language

    def test_questions_in_several_languages_are_asked_in_english(self) -> None:
        study = volunteers.open_study()
        ask_in(LONGER)
        questions = Question.objects.filter(revision=study.split.current_revision)
        first = questions.first()
        assert first is not None
        Question.objects.filter(pk=first.pk).update(language=RIGHT_TO_LEFT)
        assert language_of(questions) == "en-gb"

    def test_a_page_from_right_to_left_says_so(self, client: Client) -> None:
        study = volunteers.open_study()
        ask_in(RIGHT_TO_LEFT)
        page = client.get(path_of(volunteers.link(study))).content.decode()
        assert '<html lang="ar" dir="rtl">' in page

    def test_other_pages_and_what_a_browser_asks_for_stay_english(self, client: Client) -> None:
        study = volunteers.open_study()
        ask_in(LONGER)
        volunteers.seated(client, study)
        client.get(f"/studies/{study.slug}/questions/", HTTP_ACCEPT_LANGUAGE="ar")
        for path in (reverse("about"), f"/studies/{study.slug}/withdrawn/delete/", "/studies/no-study/"):
            page = client.get(path, HTTP_ACCEPT_LANGUAGE=LONGER).content.decode()
            assert '<html lang="en">' in page and OPENED not in page and "script-texts" not in page

    def test_forms_for_one_and_for_several(self) -> None:
        with translation.override(LONGER):
            assert Reading("results", query="q", hits=((None, ""),)).title == pseudo(  # type: ignore[arg-type]
                "%(n)d article found for “%(query)s”"
            ) % {"n": 1, "query": "q"}
            several = Reading("results", query="q", hits=((None, ""),) * 2).title  # type: ignore[arg-type]
            assert several == pseudo("%(n)d articles found for “%(query)s”") % {"n": 2, "query": "q"}
            assert str(RoundClosedError()) == pseudo("This round is closed.")

    def test_without_catalogues_nothing_is_asked_of_the_database(
        self, settings: Settings, django_assert_num_queries: Any
    ) -> None:
        settings.LOCALE_PATHS = [settings.BASE_DIR / "locale"]
        with django_assert_num_queries(0):
            assert language_of(Question.objects.all()) == "en-gb"
