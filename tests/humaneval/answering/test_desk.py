"""The answer page as a desk: every button saves, articles are open in tabs, passages are kept, a reload is no visit."""

import html
import re
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from humaneval.answering import consent, desks, session
from humaneval.answering.answers import LONGEST_NOTE, OTHER_NOTE
from humaneval.answering.desks import StudyDesk
from humaneval.encyclopedia.base import Article
from humaneval.models import (
    Assignment,
    Origin,
    Participant,
    ReaderTab,
    Search,
    Study,
    Visit,
)
from humaneval.models.people import PREVIEW_NUMBERS_FROM
from humaneval.participants import invitations, mails
from humaneval.results import human_row
from humaneval.results.exports.tables import TABLES
from humaneval.results.timeline import session_of
from humaneval.studies.dashboard import dashboard
from tests import volunteers

pytestmark = pytest.mark.django_db
PART = {"X-Reader": "part"}


def page(client: Client, address: str, **query: Any) -> str:
    response = client.get(address, query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def rows(study: Study, name: str) -> list[dict[str, Any]]:
    (table,) = [one for one in TABLES if one.name == name]
    return list(table.rows(study))


def form_of(shown: str) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    """What a browser without scripts sends of the page's form, whatever the button; and by button, to which address
    and as which ``do``."""
    fields: dict[str, Any] = {}
    own = shown.split('id="answer-form"')[1].split("</form>")[0]
    belonging = re.findall(r'<(?:input|textarea)\b[^>]*form="answer-form"[^>]*>(?:[^<]*</textarea>)?', shown)
    for control in [*re.findall(r"<(?:input|textarea)\b[^>]*>(?:[^<]*</textarea>)?", own), *belonging]:
        name, value = re.search(r'name="([^"]+)"', control), re.search(r'value="([^"]*)"', control)
        if name is None or ('type="checkbox"' in control and " checked" not in control):
            continue
        text = control.split(">", 1)[1].removesuffix("</textarea>") if control.startswith("<textarea") else ""
        fields.setdefault(name[1], []).append(html.unescape(value[1] if value else text))
    action = re.search(r'id="answer-form"[^>]*action="([^"]+)"', shown)
    assert action is not None
    elsewhere = re.findall(r'<button\b[^>]*form="answer-form"[^>]*>', shown)
    buttons = []
    for button in [*re.findall(r'<button\b[^>]*type="submit"[^>]*>', own), *elsewhere]:
        to, do = re.search(r'formaction="([^"]+)"', button), re.search(r'name="do"\s+value="([^"]*)"', button)
        buttons.append((to[1] if to else action[1], html.unescape(do[1]) if do else ""))
    return fields, buttons


class TestWithoutScripts:
    def test_every_button_saves_what_was_typed_first(self, client: Client, base: str, first: Assignment) -> None:
        for path in ("Norway", "Oslo"):
            page(client, f"{base}article/", path=path)
        fields, buttons = form_of(page(client, f"{base}article/", path="Oslo"))
        does = {do for url, do in buttons if url == f"{base}page/"}
        closings = {"close:Norway", "close:Oslo"}
        notes = {"note:both", "note:mine", "note:other"}
        others = {"", "save", "enter", "done", "skip", "discard", "report", *notes}
        assert does == closings | others
        assert {url for url, _ in buttons} == {f"{base}page/", f"{base}search/", f"{base}passages/"}
        old = [(f"{base}done/", ""), (f"{base}skip/", "")]  # of pages that were open before the upgrade
        for number, (url, do) in enumerate(sorted({*buttons, *old})):
            text = f"typed before button {number}"
            first.refresh_from_db()
            typed = {
                "do": [do],
                "text": [text],
                "based_on": [str(first.version)],
                "note": [f"question {number}"],
                "note_was": [first.note],
                "q": ["government", ""],
            }
            response = client.post(url, fields | typed | {"key": [""], "url": [""]})
            assert response.status_code == (422 if do == "report" else 303), do
            if do == "discard":
                assert first.revisions.filter(text=text).exists()
            else:
                assert Assignment.objects.get(pk=first.pk).text == text, (url, do)
            kept = {"note:other": first.note, "note:both": f"{first.note}\n\nquestion {number}"}
            assert Assignment.objects.get(pk=first.pk).note == kept.get(do, f"question {number}")

    def test_enter_in_a_search_field_searches(self, client: Client, base: str) -> None:
        here = f"{base}article/?path=Norway"
        usual = {"text": "Oslo", "based_on": "0", "here": here, "do": "enter", "path": "Norway"}
        for queries, shown, to in (
            (["capital", ""], "", f"{base}search/?q=capital"),
            (["capital", ""], "capital", here),
            (["", "government"], "", f"{base}passages/?path=Norway&q=government"),
        ):
            response = client.post(f"{base}page/", usual | {"q": queries, "q_shown": shown})
            assert response["Location"] == to

    @pytest.mark.parametrize("do", ["search", "passages", "enter"])
    def test_a_search_that_is_too_long_is_said_and_the_answer_is_saved(
        self, client: Client, base: str, first: Assignment, do: str
    ) -> None:
        query = "government " * 2_000
        sent = {"text": "Oslo", "based_on": "0", "here": base, "do": do, "path": "Norway", "q": [query, query]}
        response = client.post(f"{base}page/", sent)
        assert response.status_code == 422
        page = response.content.decode()
        assert "Your search has 22000 characters. Shorten it to at most 300." in page
        assert f'value="{query}"' in page
        first.refresh_from_db()
        assert first.text == "Oslo"

    def test_a_checked_practice_answer_and_a_search_keep_text_and_article(self, client: Client, study: Study) -> None:
        participant = volunteers.come_in(client, volunteers.link(study))
        assert consent.give_consent(participant, digest=consent.consent_digest(study))
        session.leave(participant, "instructed_at")
        practice, base = f"/studies/{study.slug}/practice/", f"/studies/{study.slug}/questions/0/"
        shown = client.post(f"{base}search/", {"text": "Norway: Oslo", "q": "government"}).content.decode()
        assert "6 articles found" in shown
        assert "Norway: Oslo</textarea>" in shown
        here = f"{base}article/?path=Norway"
        checked = client.post(practice, {"text": "Norway: Oslo", "here": here}).content.decode()
        assert "All items found" in checked
        assert 'title="Norway"' in checked
        assert not Visit.objects.exists()


class TestPractice:
    """Tabs and passages as in the study, without a record of them."""

    @pytest.fixture
    def base(self, client: Client, study: Study) -> str:
        participant = volunteers.come_in(client, volunteers.link(study))
        assert consent.give_consent(participant, digest=consent.consent_digest(study))
        session.leave(participant, "instructed_at")
        return f"/studies/{study.slug}/questions/0/"

    def titles(self, shown: str) -> list[str]:
        return re.findall(r'class="reader-tab__link"[^>]*title="([^"]+)"', shown)

    def test_practice_shows_open_articles_in_tabs(self, client: Client, base: str) -> None:
        page(client, f"{base}article/", path="Norway")
        assert self.titles(page(client, f"{base}article/", path="Oslo")) == ["Norway", "Oslo"]
        assert self.titles(page(client, base.replace("questions/0/", "practice/"))) == ["Norway", "Oslo"]
        found = page(client, f"{base}search/", q="government")
        assert 'name="do" value="open:Norway"' in found
        form = {"text": "Typed so far", "here": f"{base}article/?path=Oslo", "do": "close:Oslo"}
        shown = client.post(f"{base}page/", form).content.decode()
        assert (self.titles(shown), "Typed so far</textarea>" in shown) == (["Norway"], True)
        assert 'id="article-frame"' in shown
        part = client.post(f"{base}tabs/", {"open": "Oslo"}, headers={"X-Reader": "part"}).content.decode()
        assert self.titles(part) == ["Norway", "Oslo"]
        assert "<html" not in part

    def test_practice_stores_no_study_data(self, client: Client, base: str) -> None:
        page(client, f"{base}article/", path="Norway")
        assert not Visit.objects.exists()
        assert not ReaderTab.objects.exists()
        practice = base.replace("questions/0/", "practice/")
        client.post(practice, {"pass": "1"})
        assert not [key for key in dict(client.session.items()) if key.startswith("practice-")]


class TestUnknownTimes:
    def test_unmeasured_times_are_empty_and_not_0(
        self, client: Client, participant: Participant, base: str, first: Assignment
    ) -> None:
        study = participant.study
        page(client, f"{base}article/", path="Norway")
        client.post(f"{base}done/", {"text": "Oslo", "based_on": "0"})
        assert [row["active_seconds"] for row in rows(study, "timings")] == [None, None]
        assert rows(study, "participants")[0]["active_seconds"] is None
        (visit,) = rows(study, "visits")
        assert (visit["visible_seconds"], visit["scrolled_share"]) == (None, None)
        board = dashboard(study)
        assert (board["median_active_seconds"], board["rows"][0]["active_seconds"]) == (None, None)
        assert human_row.median_seconds(study) is None
        assert session_of(participant)["active_seconds"] is None
        session.finish(participant)
        assert "not measured" in page(client, f"/studies/{study.slug}/thanks/")
        assert Assignment.objects.get(pk=first.pk).active_seconds is None

    def test_a_measured_time_of_zero_is_0(self, client: Client, base: str, first: Assignment) -> None:
        client.post(f"{base}answer/", {"active": "0.0"})
        assert Assignment.objects.get(pk=first.pk).active_seconds == 0.0


class TestReloads:
    def test_reloads_of_an_article_are_counted_and_are_no_visits(self, client: Client, base: str) -> None:
        for _ in range(3):
            page(client, f"{base}article/", path="Norway")
        assert list(Visit.objects.values_list("path", "n_reloads")) == [("Norway", 2)]

    def test_reloads_of_results_are_counted_and_are_no_searches(self, client: Client, base: str) -> None:
        for _ in range(3):
            page(client, f"{base}search/", q="government")
        page(client, f"{base}passages/", path="Norway", q="capital")
        page(client, f"{base}passages/", path="Norway", q="capital")
        assert list(Search.objects.order_by("pk").values_list("query", "n_reloads")) == [
            ("government", 2),
            ("capital", 1),
        ]

    def test_an_article_opened_again_after_another_is_another_visit(self, client: Client, base: str) -> None:
        for path in ("Norway", "Oslo", "Norway"):
            page(client, f"{base}article/", path=path)
        page(client, f"{base}search/", q="x")
        page(client, f"{base}article/", path="Norway")
        page(client, base.replace("/1/", "/2/") + "article/", path="Oslo")
        page(client, f"{base}article/", path="Norway")
        assert Visit.objects.filter(path="Norway").count() == 4
        assert not Visit.objects.filter(n_reloads__gt=0).exists()


class TestTabs:
    def shown(self, text: str) -> list[str]:
        return [html.unescape(one) for one in re.findall(r'class="reader-tab" data-path="([^"]*)"', text)]

    def test_tabs_hold_open_articles_and_are_there_on_return(self, client: Client, base: str) -> None:
        for path in ("Norway", "Oslo", "Norway"):
            page(client, f"{base}article/", path=path)
        shown = page(client, base)
        assert self.shown(shown) == ["Norway", "Oslo"]
        assert self.shown(page(client, base.replace("/1/", "/2/"))) == []
        link = re.search(r'href="([^"]+from=tab)"', shown)
        assert link is not None
        page(client, f"{base}article/", path="Oslo")
        page(client, html.unescape(link[1]))
        assert Visit.objects.latest("pk").origin == Origin.TAB

    def test_a_background_tab_is_no_visit_until_it_is_shown(self, client: Client, base: str) -> None:
        page(client, f"{base}search/", q="government")
        response = client.post(f"{base}tabs/", {"open": "Norway"}, headers=PART)
        assert self.shown(" ".join(response.content.decode().split())) == ["Norway"]
        assert not Visit.objects.exists()
        assert ReaderTab.objects.get().shown_at is None
        page(client, f"{base}article/", path="Norway", **{"from": "tab"})
        assert Visit.objects.count() == 1
        assert ReaderTab.objects.get().shown_at is not None

    def test_a_tab_remembers_where_its_article_was_left(self, client: Client, base: str) -> None:
        page(client, f"{base}article/", path="Norway")
        visit = Visit.objects.get()
        client.post(f"{base}answer/", {"visit": f"{visit.pk}", "visible": "1", "scrolled": "0.7", "place": "0.5"})
        assert 'data-place="0.5"' in page(client, f"{base}article/", path="Norway")

    def test_closing_a_tab_without_scripts_shows_the_next(self, client: Client, base: str) -> None:
        for path in ("Norway", "Oslo"):
            page(client, f"{base}article/", path=path)
        usual = {"text": "", "based_on": "0", "here": f"{base}article/?path=Oslo"}
        closed = client.post(f"{base}page/", usual | {"do": "close:Oslo"})
        assert closed["Location"].startswith(f"{base}article/?path=Norway")
        assert self.shown(page(client, base)) == ["Norway"]
        usual["here"] = f"{base}article/?path=Norway"
        assert client.post(f"{base}page/", usual | {"do": "close:Norway"})["Location"] == base

    def test_at_most_twelve_tabs_are_open(self, first: Assignment) -> None:
        for number in range(desks.MOST_TABS + 3):
            StudyDesk(first).open_tab(Article(f"{number}", f"{number}", "", (), "", None, None, ""))
            StudyDesk(first).open_tab(Article("0", "0", "", (), "", None, None, ""))
        kept = [tab.path for tab in StudyDesk(first).tabs]
        assert len(kept) == desks.MOST_TABS
        assert kept[:2] == ["0", "4"], "those shown longest ago are closed"


class TestNotes:
    """As the page's script sends them: with what they were when typing began."""

    def test_of_two_different_notes_none_replaces_the_other_unasked(
        self, client: Client, base: str, first: Assignment
    ) -> None:
        for note, was, status, now in (
            ("one", "", 200, "one"),
            ("one", "", 200, "one"),  # sent again
            ("one, more\n\nend", "one", 200, "one, more\n\nend"),
            ("two", "", 409, "one, more\n\nend"),  # of another tab
            ("", "", 200, "one, more\n\nend"),  # of another tab, in which none was typed
            ("one, more\n\nend\n\ntwo", "one, more\r\n\r\nend", 200, "one, more\n\nend\n\ntwo"),  # both kept
            ("", "one, more\n\nend\n\ntwo", 200, ""),
        ):
            response = client.post(f"{base}answer/", {"note": note, "note_was": was})
            assert response.status_code == status
            first.refresh_from_db()
            assert first.note == now
            if status == 409:
                assert response.json() == {"problem": "note", "text": OTHER_NOTE, "note": now}
        for sent, before in (("a correcton", [""]), ("a correction", ["", "a correcton"]), ("", ["", "a correction"])):
            client.post(f"{base}answer/", {"note": sent, "note_was": before})  # the reply was lost each time
            first.refresh_from_db()
            assert first.note == sent
        refused = client.post(f"{base}answer/", {"note": "x" * (LONGEST_NOTE + 1), "note_was": "", "text": "typed"})
        assert (refused.status_code, refused.json()["problem"]) == (422, "refused")
        first.refresh_from_db()
        assert (first.note, first.text) == ("", "typed"), "a note holds up no answer"

    @pytest.mark.parametrize(
        ("choice", "kept"), [("mine", "mine"), ("other", "of another tab"), ("both", "of another tab\n\nmine")]
    )
    def test_without_scripts_the_page_shows_both_notes_and_a_choice(
        self, client: Client, base: str, first: Assignment, choice: str, kept: str
    ) -> None:
        old, _ = form_of(page(client, base))
        Assignment.objects.filter(pk=first.pk).update(note="of another tab")
        asked = client.post(f"{base}page/", old | {"do": "save", "note": "mine", "text": "Oslo"})
        assert asked.status_code == 422
        assert Assignment.objects.get(pk=first.pk).text == "Oslo"
        html = asked.content.decode()
        assert OTHER_NOTE in html
        assert ">mine</textarea>" in html
        assert "of another tab" in html[html.index("note-conflict") :]
        fields, buttons = form_of(html)
        assert (f"{base}page/", f"note:{choice}") in buttons
        client.post(f"{base}page/", fields | {"do": f"note:{choice}"})
        assert Assignment.objects.get(pk=first.pk).note == kept

    def test_a_note_that_is_too_long_comes_back_whole(self, client: Client, base: str) -> None:
        old, _ = form_of(page(client, base))
        long = "x" * (LONGEST_NOTE + 1)
        refused = client.post(f"{base}page/", old | {"do": "done", "note": long, "text": "Oslo"})
        assert refused.status_code == 422
        assert f">{long}</textarea>" in refused.content.decode()

    def test_an_old_or_refused_form_loses_no_note(self, client: Client, base: str, first: Assignment) -> None:
        old, _ = form_of(page(client, base))

        def note() -> str:
            first.refresh_from_db()
            return first.note

        too_long = client.post(f"{base}page/", old | {"text": "x" * 20_001, "note": "typed"})
        assert (too_long.status_code, note()) == (422, "typed")
        client.post(f"{base}page/", old | {"do": "save"})  # of another tab, in which none was typed
        assert note() == "typed"
        client.post(f"{base}page/", old | {"do": "save", "note": "there"})
        assert note() == "typed", "the page asks first"


class TestAttentionChecks:
    def test_attention_checks_look_like_questions(self, client: Client) -> None:
        checks = [{"text": "Which lake is deepest? Write teal.", "answers": ["teal"]}]
        study = volunteers.open_study(n_test=4, questions_per_participant=3, attention_checks=checks)
        link = volunteers.link(study, email="one@example.org")
        mails.send_unsent(study, by=study.owner)
        assert "You will answer 3 questions" in str(mail.outbox[-1].body)
        participant = volunteers.seated(client, study, link)
        base = f"/studies/{study.slug}/"
        assert "You will receive 3 questions" in page(client, f"{base}instructions/")
        assert "0 of 3 questions done" in page(client, f"{base}questions/")
        place = participant.assignments.get(question=None).position
        for number in (1, 2, 3):
            shown = page(client, f"{base}questions/{number}/")
            assert f"Question {number} of 3" in shown
            assert "check" not in re.sub(r"checkbox|spellcheck", "", shown.split("<main")[1]).lower(), number == place
            client.post(f"{base}questions/{number}/done/", {"text": "teal", "based_on": "0"})
        mails.remind(participant, by=study.owner)
        assert "3 of 3 questions" in str(mail.outbox[-1].body)
        session.finish(participant)
        assert "3 of 3" in page(client, f"{base}thanks/")
        assert [row["attention_check_passed"] for row in rows(study, "answers") if row["id"] == ""] == [True]
        assert rows(study, "participants")[0]["n_questions"] == 2

    def test_attention_checks_leave_at_least_one_question(self) -> None:
        checks = [{"text": "Write blue.", "answers": ["blue"]}] * 2
        with pytest.raises(Exception, match="among the 2 questions"):
            volunteers.open_study(questions_per_participant=2, attention_checks=checks).full_clean()


class TestCodesAndTimes:
    def test_a_preview_has_no_number_of_a_participant(self, client: Client, study: Study) -> None:
        link = invitations.preview_link(study, by=study.owner)
        volunteers.come_in(client, link)
        assert "Preview-1" in page(client, f"/studies/{study.slug}/consent/")
        assert volunteers.seated(Client(), study).code == "P-01"

    def test_the_millionth_participant_is_numbered_like_the_first(self, study: Study) -> None:
        one = volunteers.seated(Client(), study)
        Participant.objects.filter(pk=one.pk).update(number=999_999)
        invitations.preview_link(study, by=study.owner)
        assert volunteers.seated(Client(), study).code == "P-1000000"
        assert volunteers.seated(Client(), study).code == "P-1000001"
        assert Participant.objects.get(is_preview=True).number == PREVIEW_NUMBERS_FROM

    def test_times_of_one_session_are_in_order(self, client: Client, participant: Participant, base: str) -> None:
        page(client, f"{base}article/", path="Norway")  # a link straight to it opens the question first
        page(client, f"{base}search/", q="government")
        client.post(f"{base}done/", {"text": "Oslo", "based_on": "0"})
        Participant.objects.filter(pk=participant.pk).update(last_seen_at=participant.joined_at)
        session.finish(participant)
        row = Assignment.objects.get(participant=participant, position=1)
        person = Participant.objects.get(pk=participant.pk)
        moments = [
            *(person.joined_at, person.consented_at, person.instructed_at, person.practised_at, row.opened_at),
            *(Visit.objects.get().opened_at, Search.objects.get().at, row.saved_at, row.done_at),
            *(person.finished_at, person.last_seen_at, timezone.now()),
        ]
        known = [one for one in moments if one is not None]
        assert len(known) == len(moments)
        assert known == sorted(known)
