"""The pages: who may see which, what stands on them, what never does, and all of it without JavaScript."""

import json
import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db.models import F
from django.test import Client
from django.urls import reverse

from humaneval.grading.current_grades import ticked_of
from humaneval.grading.desk import adjudication
from humaneval.grading.desk import services as desk
from humaneval.grading.desk.page import NOTHING_AND_MORE, NOTHING_SELECTED
from humaneval.grading.outcome.correction_views import CANNOT_BE_FOUND
from humaneval.grading.rounds import selection
from humaneval.grading.rounds import services as rounds
from humaneval.grading.urls import urlpatterns
from humaneval.models import Grade, GradeKind, GradingRound, GradingSlot, ReferenceCorrection
from leaderboard.accounts import tokens
from leaderboard.models import User
from scoring.importing import drafts
from scoring.models import Question, Reference
from scoring.models.drafts import ImportDraft
from tests import factories, study_people
from tests.chance import without_ids
from tests.humaneval.grading.ground import (
    SYSTEM,
    Ground,
    answered_study,
    client_of,
    grade_all,
    grade_next,
    grader,
    ground,
    know_all,
    round_form,
)
from tests.notices import error_codes, notices

pytestmark = pytest.mark.django_db


PICTURE = "grading-article-image"
READER = ("grading-article", "grading-article-passages", "grading-article-outside", PICTURE)
"""The evidence of an answer. There is no encyclopedia here, so that it is said where else to read, and no picture."""


def addresses(made: GradingRound) -> dict[str, str]:
    """Every address of the console, by its name."""
    ordinary = made.answers.filter(is_calibration=False)[0].position
    known = made.answers.filter(is_calibration=True)[0].position
    arguments: dict[str, list[Any]] = {
        "grading": [],
        "grading-new": ["fanoutqa", "test"],
        "grading-known": [made.slug, known],
        "grading-decision": [made.slug, ordinary],
        "grading-export": [made.slug, "json"],
        "grading-methods": [made.slug, "tex"],
    }
    arguments |= {name: [made.slug, ordinary] for name in READER}
    names = [pattern.name for pattern in urlpatterns if pattern.name]
    return {name: reverse(name, args=arguments.get(name, [made.slug])) for name in names}


POST_ONLY = {
    "grading-graders",
    "grading-close",
    "grading-corrections-revision",
    "grading-publish-corrected",
    "grading-publish-bound",
}
FOR_GRADERS = {"grading", "grading-round", "grading-desk", "grading-guidelines"}


@pytest.fixture
def place() -> Ground:
    return ground(n=8)


@pytest.fixture
def made(place: Ground) -> GradingRound:
    return place.round(n_calibration=2, masks=rounds.masks_for(place.files))


class TestWhoMaySee:
    def strangers(self, place: Ground, made: GradingRound) -> dict[str, User | None]:
        """Everybody who has nothing to do with grading, a removed grader and one of another round among them."""
        viewer = factories.user("viewer", is_staff=True)
        viewer.user_permissions.add(*Permission.objects.filter(codename__startswith="view_"))
        clerk = factories.user("clerk", is_staff=True)
        clerk.user_permissions.set(Permission.objects.exclude(content_type__model="reference"))
        owner = factories.user("owner")
        factories.study(owner, place.split)
        removed = rounds.add_grader(made, factories.user("removed"), by=place.maintainer)
        rounds.remove_grader(removed, by=place.maintainer)
        return {
            "anonymous": None,
            "submitter": place.ada,
            "owner of a study": owner,
            "viewer": viewer,
            "maintainer without the right to see references": clerk,
            "removed": removed.user,
        }

    @pytest.mark.slow
    def test_everybody_else_gets_404_everywhere(self, place: Ground, made: GradingRound) -> None:
        for who, user in self.strangers(place, made).items():
            client = client_of(user)
            for name, address in addresses(made).items():
                odd = () if user is not None else (client.put, client.delete, client.options)
                for method in (client.get, client.post, *odd):
                    assert method(address).status_code == 404, (who, name, method)

    def test_an_api_token_opens_nothing(self, place: Ground, made: GradingRound) -> None:
        _, key = tokens.create_token(user=place.people[0], name="laptop", scope="maintain")
        for address in addresses(made).values():
            assert Client().get(address, HTTP_AUTHORIZATION=f"Bearer {key}").status_code == 404

    def test_a_grader_sees_their_round_and_nothing_of_keeping_it(self, place: Ground, made: GradingRound) -> None:
        client = client_of(place.people[0])
        for name, address in addresses(made).items():
            expected = 405 if name in POST_ONLY else 200 if name in FOR_GRADERS else 404
            assert client.get(address).status_code == expected, name
        assert client.post(addresses(made)["grading-graders"], {"graders": "ada"}).status_code == 404
        assert client.post(addresses(made)["grading-close"], {"confirm": "on"}).status_code == 404
        other = place.round(name="Other", graders=[place.ada], graders_per_answer=1)
        for name in FOR_GRADERS - {"grading"}:
            assert client.get(reverse(name, args=[other.slug])).status_code == 404, name

    def test_a_grader_sees_options_context_and_language_of_a_question(self, place: Ground, made: GradingRound) -> None:
        Question.objects.update(context=["There are fjords.", {"A": "Ada", "B": "Bo Dahl"}], language="nb")
        grader_at_desk, address = client_of(place.people[0]), addresses(made)["grading-desk"]
        shown = grader_at_desk.post(address, {"action": "start"}, follow=True).content.decode()
        assert all(text in shown for text in ("There are fjords.", "Bo Dahl", 'lang="nb"'))

    def test_no_page_is_kept_by_a_cache(self, place: Ground, made: GradingRound) -> None:
        client = client_of(place.maintainer)
        for name, address in addresses(made).items():
            if name not in POST_ONLY | {"grading-desk", PICTURE}:
                assert "no-store" in client.get(address)["Cache-Control"], name


class TestNothingTellsWhoseAnswerItIs:
    """Before the round is closed; the name stands in the answers themselves too, where it is masked."""

    @pytest.fixture
    def place(self) -> Ground:
        return ground(n=8, text=f"As {SYSTEM.upper()} I say: ")

    def everything(self, client: Client, made: GradingRound) -> dict[str, str]:
        """All that a grader can make the console say, at every step of grading."""
        said: dict[str, str] = {}
        at_desk = reverse("grading-desk", args=[made.slug])
        for step in range(2):
            for name in FOR_GRADERS:
                address = reverse(name, args=[] if name == "grading" else [made.slug])
                said[f"{name} {step}"] = client.get(address).content.decode()
            said[f"start {step}"] = client.post(at_desk, {"action": "start"}, HTTP_X_DESK="1").content.decode()
            slot = re.search(r'name="answer" value="(\d+)"', said[f"start {step}"])
            assert slot
            for name in set(READER) - {PICTURE}:
                response = client.get(reverse(name, args=[made.slug, slot[1]]), {"evidence": "1"})
                assert response.status_code == 200
                said[f"{name} {step}"] = response.content.decode()
            sent = {"action": "save", "answer": slot[1]}
            steps = {"wrong": sent, "save": sent | {"contradicts": "on"}, "undo": {"action": "undo"}}
            for name, typed in steps.items():
                said[f"{name} {step}"] = client.post(at_desk, typed, HTTP_X_DESK="1").content.decode()
        return said

    def telling(self, place: Ground) -> list[str]:
        file = place.files[0]
        return [SYSTEM, "Quixotic", str(place.submissions[0].pk), str(file.answer_set_id), "A. Author", "Open book"]

    @pytest.mark.slow
    def test_no_source_is_shown_to_a_grader(self, place: Ground, made: GradingRound) -> None:
        said = self.everything(client_of(place.people[0]), made)
        assert any("▮▮▮" in text for text in said.values())
        for where, text in said.items():
            for word in self.telling(place):
                assert word.lower() not in text.lower(), (where, word)

    def test_no_source_is_shown_to_a_maintainer_who_grades(self, place: Ground, made: GradingRound) -> None:
        rounds.add_grader(made, place.maintainer, by=place.maintainer)
        client = client_of(place.maintainer)
        for name, address in addresses(made).items():
            if name in POST_ONLY | {"grading-new"}:
                continue
            response = client.get(address)
            # That answer is still to be graded, perhaps by them: no grades of others before.
            expected = {"grading-export": 404, "grading-masks": 404, PICTURE: 404, "grading-decision": 302}
            assert response.status_code == expected.get(name, 200), name
            for word in self.telling(place):
                assert word.lower() not in response.content.decode().lower(), (name, word)
        rounds.close_round(made, by=place.maintainer)
        assert SYSTEM in client.get(addresses(made)["grading-round"]).content.decode()
        assert SYSTEM in client.get(addresses(made)["grading-export"]).content.decode()

    def test_the_admin_site_hides_sources_from_a_maintainer_who_grades(self, place: Ground, made: GradingRound) -> None:
        rounds.add_grader(made, place.maintainer, by=place.maintainer)
        client = client_of(place.maintainer)
        origins = "/admin/humaneval/gradedanswerorigin/"
        answer = made.answers.all()[0]
        assert "0 graded answer origins" in client.get(origins).content.decode()
        assert client.get(f"{origins}{answer.origin_id}/change/").status_code == 302
        page = client.get(f"/admin/humaneval/gradedanswer/{answer.pk}/change/").content.decode()
        assert f"Origin {answer.origin_id}" not in page
        rounds.close_round(made, by=place.maintainer)
        assert "8 graded answer origins" in client.get(origins).content.decode()

    @pytest.mark.slow
    def test_no_score_is_shown_to_a_grader(self, place: Ground, made: GradingRound) -> None:
        factories.score(place.submissions[0])
        for where, text in self.everything(client_of(place.people[0]), made).items():
            if not where.startswith("grading-guidelines"):  # where the examples have theirs
                assert not re.search(r"accuracy|\b[01]\.\d\d|rouge", without_ids(text), re.IGNORECASE), where


class TestTheDesk:
    def at(self, made: GradingRound) -> str:
        return reverse("grading-desk", args=[made.slug])

    def test_grading_without_javascript(self, place: Ground, made: GradingRound) -> None:
        client = client_of(place.people[0])
        assert b'value="start"' in client.get(self.at(made)).content
        assert client.post(self.at(made), {"action": "start"}).status_code == 302
        page = client.get(self.at(made)).content.decode()
        held = desk.held_by(grader(made))
        assert held[0].graded_answer.question.text in page
        assert 'id="grading-next"' in page
        n_items = held[0].graded_answer.n_items
        assert page.split("grading-next")[0].count('name="item"') == n_items
        refused = client.post(
            self.at(made),
            {"action": "save", "answer": held[0].graded_answer.position, "item": [0], "refuses": "on", "note": "hm"},
        )
        assert refused.status_code == 422
        shown = re.search(r'role="alert">.*?<p>([^<]*)</p>', refused.content.decode(), re.DOTALL)
        assert shown and shown[1] == desk.REFUSAL_WITH_ITEMS
        assert ">hm</textarea>" in refused.content.decode()
        said = {
            "action": "save",
            "answer": held[0].graded_answer.position,
            "item": list(range(n_items)),
            "note": "well",
            "seconds": "0.1",
        }
        assert client.post(self.at(made), said).status_code == 302
        grade = Grade.objects.get()
        assert (grade.ticks, grade.note, grade.author) == ([True] * n_items, "well", place.people[0])
        page = client.get(self.at(made)).content.decode()
        assert "<b>1</b> graded" in page
        assert client.post(self.at(made), {"action": "undo"}).status_code == 302
        assert " data-again>" in client.get(self.at(made)).content.decode()

    def test_none_of_the_items_is_a_grade_that_must_be_said(self, place: Ground, made: GradingRound) -> None:
        client = client_of(place.people[0])
        client.post(self.at(made), {"action": "start"})
        said = {"action": "save", "answer": desk.held_by(grader(made))[0].graded_answer.position}
        for more, reason in (({}, NOTHING_SELECTED), ({"none": "on", "item": ["0"]}, NOTHING_AND_MORE)):
            refused = client.post(self.at(made), said | more)
            assert refused.status_code == 422
            assert reason in refused.content.decode()
        assert client.post(self.at(made), said | {"none": "on"}).status_code == 302
        grade = Grade.objects.get()
        assert (any(grade.ticks), ticked_of(grade).letter) == (False, "F")
        client.post(self.at(made), {"action": "undo"})
        page = client.get(self.at(made)).content.decode()
        assert re.search(r'name="none" data-key="f" checked', " ".join(page.split()))

    def test_no_key_of_a_slot_is_on_the_page(self, place: Ground) -> None:
        """Slots of answers with a known grade are made when they are claimed: their keys would tell them apart."""
        made = place.round(n_calibration=2)
        know_all(made, place.maintainer)
        client = client_of(place.people[0])
        client.post(self.at(made), {"action": "start"})
        GradingSlot.objects.update(id=F("id") + 7_000_000)
        held, page = desk.held_by(grader(made)), client.get(self.at(made)).content.decode()
        assert [slot.graded_answer.is_calibration for slot in held] == [True, True]
        assert f'name="answer" value="{held[0].graded_answer.position}"' in page
        assert "70000" not in without_ids(page)

    @pytest.mark.slow
    @pytest.mark.parametrize("item", [["99"], ["-1"], ["x"], ["1e3"], ["٣"], ["9" * 30]])
    def test_an_item_that_does_not_exist_is_refused(self, place: Ground, made: GradingRound, item: list[str]) -> None:
        client = client_of(place.people[0])
        client.post(self.at(made), {"action": "start"})
        slot = desk.held_by(grader(made))[0].graded_answer.position
        assert client.post(self.at(made), {"action": "save", "answer": slot, "item": item}).status_code == 422
        assert not Grade.objects.exists()

    def test_a_note_is_saved_up_to_its_limit_and_refused_with_a_reason_beyond(
        self, place: Ground, made: GradingRound
    ) -> None:
        client = client_of(place.people[0])
        client.post(self.at(made), {"action": "start"})
        said = {"action": "save", "answer": desk.held_by(grader(made))[0].graded_answer.position, "contradicts": "on"}
        for note, told in (("x" * 5001, "Note: Ensure this value has at most 5000"), ("a\0b", "Note: Null characters")):
            response = client.post(self.at(made), said | {"note": note})
            assert response.status_code == 422
            assert told in response.content.decode()
        sent = said | {"note": "line\r\n" * 1000, "seconds": "-3"}  # a clock that was set back meanwhile
        assert client.post(self.at(made), sent).status_code == 302
        assert Grade.objects.get().note == "line\n" * 999 + "line"
        assert Grade.objects.get().seconds is None

    @pytest.mark.parametrize("slot", ["", "x", "-5", "0", "999999", "9" * 40])
    def test_an_answer_that_the_grader_does_not_hold_is_refused(
        self, place: Ground, made: GradingRound, slot: str
    ) -> None:
        client = client_of(place.people[0])
        response = client.post(self.at(made), {"action": "save", "answer": slot, "item": ["0"]})
        assert response.status_code == 409
        assert desk.CLAIM_EXPIRED in response.content.decode()

    @pytest.mark.slow
    def test_matches_are_marked_unless_the_round_says_otherwise(self, place: Ground) -> None:
        for shows, name in ((True, "With"), (False, "Without")):
            made = place.round(name=name, shows_matches=shows, graders_per_answer=1)
            client = client_of(place.people[0])
            marked = ""
            for _ in range(8):
                marked += client.post(self.at(made), {"action": "start"}, HTTP_X_DESK="1").content.decode()
                grade_next(grader(made))
            assert ("<mark>" in marked) is shows

    def test_markup_in_an_answer_is_shown_as_text(self, place: Ground, made: GradingRound) -> None:
        made.answers.update(text="<script>alert(1)</script><img src=x>\u202e")
        page = client_of(place.people[0]).post(self.at(made), {"action": "start"}, HTTP_X_DESK="1").content.decode()
        assert "&lt;script&gt;alert(1)" in page
        assert "<img" not in page
        assert "\u202e" not in page

    def test_a_page_takes_as_many_queries_however_many_answers_there_are(
        self, place: Ground, made: GradingRound, django_assert_max_num_queries: Any
    ) -> None:
        client = client_of(place.people[0])
        client.post(self.at(made), {"action": "start"})
        with django_assert_max_num_queries(19):
            assert client.get(self.at(made)).status_code == 200


class TestKeeping:
    def test_making_a_round(self, place: Ground) -> None:
        client = client_of(place.maintainer)
        address = reverse("grading-new", args=["fanoutqa", "test"])
        page = client.get(address).content.decode()
        assert SYSTEM in page
        choice = {"selection": "sample", "n_answers": "5", "shared_percent": "50", "n_calibration": "1"}
        said = round_form(place, **choice, mask_names="on", masks=" a  lab \n\na lab\n")
        wrong = client.post(address, said | {"graders": "greta\nnobody", "n_answers": ""})
        assert wrong.status_code == 422
        assert set(error_codes(wrong)) == {"graders", "n_answers"}
        assert " nobody." in wrong.context["form"].errors["graders"][0]
        assert wrong.context["form"].errors["n_answers"] == [selection.NUMBER_NEEDED]
        assert not GradingRound.objects.exists()
        assert client.post(address, said).status_code == 302
        made = GradingRound.objects.get()
        assert (made.slug, made.shared_share, made.answers.count()) == ("autumn", 0.5, 6)
        assert made.masks == [SYSTEM, "Quixotic-77", "Quixotic", "a lab"]
        assert [one.user.get_username() for one in made.graders.all()] == ["greta", "gunnar"]

    def test_a_source_without_answers_in_the_round_is_counted_but_not_named(self, place: Ground) -> None:
        study = answered_study(place)
        lost = factories.study(place.maintainer, place.split, name="Lost study")
        of_another = study_people.assigned(study_people.participant(lost, 1), 1, "test-1", "Reykjavik")
        question = Question.objects.filter(revision__split__slug="dev").order_by("pk")[0]
        type(of_another).objects.filter(pk=of_another.pk).update(question=question)  # its question went with a revision
        said = round_form(place, studies=[study.pk, lost.pk], selection="sample", n_answers="2")
        own = said | {"graders": f"greta, {place.maintainer.get_username()}"}
        response = client_of(place.maintainer).post(reverse("grading-new", args=["fanoutqa", "test"]), own, follow=True)
        assert " 1 of your 3 " in dict(notices(response))["warn"]
        assert not any(name in response.content.decode() for name in (SYSTEM, "Lost study"))

    def test_a_file_of_another_split_is_refused(self, place: Ground) -> None:
        dev = factories.split(place.split.benchmark, "dev")
        other = factories.submission(place.ada, dev, {"openbook": factories.perfect("dev")}, name="Elsewhere")
        response = client_of(place.maintainer).post(
            reverse("grading-new", args=["fanoutqa", "test"]),
            {"name": "x", "systems": [other.files.get().pk], "graders": "greta"},
        )
        assert response.status_code == 422
        assert not GradingRound.objects.exists()

    def test_graders_come_and_go_and_the_round_is_closed_once(self, place: Ground, made: GradingRound) -> None:
        client = client_of(place.maintainer)
        client.post(reverse("grading-graders", args=[made.slug]), {"graders": "ada"})
        assert made.graders.filter(user=place.ada, number=3).exists()
        client.post(reverse("grading-graders", args=[made.slug]), {"remove": "3"})
        assert made.graders.get(number=3).removed_at is not None
        for wrong in ("99", "x", "", "²"):
            assert client.post(reverse("grading-graders", args=[made.slug]), {"remove": wrong}).status_code == 404
        close = reverse("grading-close", args=[made.slug])
        client.post(close)
        assert GradingRound.objects.get().closed_at is None
        client.post(close, {"confirm": "on"})
        assert GradingRound.objects.get().closed_at is not None

    def test_known_grades_lead_from_one_to_the_next(self, place: Ground, made: GradingRound) -> None:
        client = client_of(place.maintainer)
        first, second = (answer.position for answer in made.answers.filter(is_calibration=True))
        address = reverse("grading-known", args=[made.slug, first])
        assert client.post(address, {}).status_code == 422
        following = client.post(address, {"item": ["0"]})
        assert following["Location"] == reverse("grading-known", args=[made.slug, second])
        assert client.post(following["Location"], {"contradicts": "on"})["Location"].endswith("/calibration/")
        assert Grade.objects.filter(kind=GradeKind.KNOWN).count() == 2
        ordinary = made.answers.filter(is_calibration=False)[0].position
        assert client.get(reverse("grading-known", args=[made.slug, ordinary])).status_code == 404


class TestAdjudication:
    def test_differences_are_listed_and_decided_and_the_grades_stay(self, place: Ground) -> None:
        made = place.round()
        assert grade_all(grader(made, 1), share=1.0) == grade_all(grader(made, 2), share=0.5) == 8
        before = list(Grade.objects.values_list("pk", "ticks"))
        found = adjudication.differences(made)
        # Where the reference has one item, half of it is none of it (Python rounds 0.5 to 0).
        assert len(found) == 8
        client = client_of(place.maintainer)
        address = reverse("grading-decision", args=[made.slug, found[0].answer.position])
        page = client.get(address).content.decode()
        assert "G-01" in page and "G-02" in page
        response = client.post(address, {"item": ["0"], "note": "so it is"})
        assert response["Location"] == reverse("grading-decision", args=[made.slug, found[1].answer.position])
        assert client.post(address, {"contradicts": "on"}).status_code == 302
        decisions = Grade.objects.filter(kind=GradeKind.DECISION).order_by("version")
        assert [(one.version, one.note) for one in decisions] == [(1, "so it is"), (2, "")]
        assert list(Grade.objects.filter(kind=GradeKind.GRADE).values_list("pk", "ticks")) == before
        assert sum(one.decided for one in adjudication.differences(made)) == 1

    def test_a_maintainer_who_grades_sees_others_grades_after_their_own(self, place: Ground) -> None:
        made = place.round(graders=[*place.people, place.maintainer], graders_per_answer=3)
        for number, share in ((1, 1.0), (2, 0.5)):
            grade_all(grader(made, number), share=share)
        client = client_of(place.maintainer)
        listed = reverse("grading-adjudication", args=[made.slug])
        links = re.compile(rf'href="{listed}(\d+)/"')
        assert links.findall(client.get(listed).content.decode()) == []
        unseen = reverse("grading-decision", args=[made.slug, 1])
        assert client.get(unseen)["Location"] == client.post(unseen, {"contradicts": "on"})["Location"] == listed
        assert not Grade.objects.filter(kind=GradeKind.DECISION).exists()
        mine = grade_next(grader(made, 3))
        assert mine is not None
        assert set(links.findall(client.get(listed).content.decode())) == {str(mine.graded_answer.position)}
        rounds.close_round(made, by=place.maintainer)
        assert len(set(links.findall(client.get(listed).content.decode()))) == 8

    def test_the_form_begins_with_what_most_ticked(self, place: Ground) -> None:
        people = [*place.people, factories.user("gerd")]
        made = place.round(graders=people, graders_per_answer=3)
        for number, share in ((1, 1.0), (2, 1.0), (3, 0.0)):
            grade_all(grader(made, number), share=share)
        position = adjudication.differences(made)[0].answer.position
        answer = made.answers.get(position=position)
        given = adjudication.side_by_side(made, answer)
        filled = adjudication.filled_for(answer, GradeKind.DECISION, [ticked for _, ticked in given])
        assert (filled.ticks, filled.marks) == (frozenset(range(answer.n_items)), frozenset())


class TestCorrections:
    @pytest.mark.slow
    def test_a_marked_reference_is_listed_decided_and_exported(self, place: Ground) -> None:
        made = place.round(graders_per_answer=1)
        grade_next(grader(made), 1.0, "reference_wrong", note="moved", proposal="Bergen")
        client = client_of(place.maintainer)
        address = reverse("grading-corrections", args=[made.slug])
        assert "Bergen" in client.get(address).content.decode()
        qid = Grade.objects.get().graded_answer.question.qid
        blank = [(text, CANNOT_BE_FOUND) for text in ('" "', '{"": 1}', "[NaN]", "1e999", "-Infinity")]
        bad = [("{", "as JSON"), ("", "as JSON"), ("[]", "no items"), ("null", "NoneType"), (r'"\ud800"', "as JSON")]
        for answer, told in bad + blank:
            refused = client.post(address, {"question": qid, "state": "accepted", "answer": answer})
            assert refused.status_code == 422, answer
            assert told in refused.content.decode()
        assert client.post(address, {"question": "dev-0", "state": "rejected"}).status_code == 404
        said = {"question": qid, "state": "accepted", "answer": '{"Norway": "Bergen"}', "note": "since May"}
        assert client.post(address, said).status_code == 302
        assert ReferenceCorrection.objects.get().answer_json == '{"Norway": "Bergen"}'
        document = json.loads(client.get(reverse("grading-corrections-file", args=[made.slug])).content)
        (one,) = document["corrections"]
        assert one["id"] == qid
        assert one["marks"] == [{"by": "G-01", "note": "moved", "proposal": "Bergen"}]
        assert (one["decision"]["state"], one["decision"]["answer"]) == ("accepted", {"Norway": "Bergen"})

        before = made.revision
        prepared = client.post(reverse("grading-corrections-revision", args=[made.slug]), follow=True)
        draft = ImportDraft.objects.get()
        plan = drafts.plan_of(draft)
        assert list(plan.diff.answers_changed) == [qid]
        assert not (plan.diff.added or plan.diff.removed or plan.diff.rewordings)
        assert prepared.status_code == 200
        imported = drafts.apply(draft, shown=drafts.fingerprint(draft, plan))
        assert (imported.becomes_current, imported.revision != before) == (True, True)
        answers = Reference.objects.filter(question__revision=imported.revision)
        assert answers.get(question__qid=qid).answer == {"Norway": "Bergen"}
        old = {one.question.qid: one for one in Reference.objects.filter(question__revision=before)}
        for new in answers.exclude(question__qid=qid).select_related("question"):
            assert new.answer_json == old[new.question.qid].answer_json
            assert new.decomposition_json == old[new.question.qid].decomposition_json

        again = client.post(reverse("grading-corrections-revision", args=[made.slug]), follow=True)
        ((tone, reason),) = notices(again)
        assert (tone, before.signature_part in reason) == ("bad", True)

    def test_without_an_accepted_correction_there_is_no_revision_to_prepare(self, place: Ground) -> None:
        made = place.round(graders_per_answer=1)
        client = client_of(place.maintainer)
        told = client.post(reverse("grading-corrections-revision", args=[made.slug]), follow=True)
        assert notices(told) == [("bad", drafts.NONE_ACCEPTED)]
        assert not ImportDraft.objects.exists()

    def test_a_mark_that_was_taken_back_is_not_listed(self, place: Ground) -> None:
        made = place.round(graders_per_answer=1)
        grade_next(grader(made), 1.0, "reference_wrong")
        desk.take_back(grader(made))
        page = client_of(place.maintainer).get(reverse("grading-corrections", args=[made.slug])).content.decode()
        assert "No corrections" in page
