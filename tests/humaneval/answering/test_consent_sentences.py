"""Every sentence that somebody may read before they agree is true: one test a sentence, and none without a test."""

import datetime
import html
import io
import json
import re
import uuid
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import pytest
from django.apps import apps
from django.db import models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from humaneval.answering.session import closed_reason
from humaneval.answering.withdrawal import withdraw
from humaneval.models import (
    Assignment,
    Invitation,
    InvitationKind,
    ItemOrigin,
    Kind,
    Participant,
    Platform,
    ReaderTab,
    Search,
    Study,
    StudyItem,
    Visit,
    Withdrawal,
)
from humaneval.models.studies import STATEMENT
from humaneval.participants.invitations import path_of
from humaneval.results.answer_sets import make_answer_set
from humaneval.results.exports.archive import write_export
from humaneval.results.item_votes import outcome_of
from humaneval.results.pair_choices import pair_outcome_of, systems_of
from humaneval.results.ratings import outcome_of_ratings
from humaneval.results.retention import delete_due
from leaderboard.models import User
from scoring.models import Run
from tests import factories, volunteers
from tests.studies_of_types import open_study_of

pytestmark = pytest.mark.django_db
STATED: dict[str, Any] = {name: f"{name} stated" for name in STATEMENT} | {"reward_note": "A book."}
PAID: dict[str, Any] = {"pay": Decimal("6.50"), "currency": "GBP", "time_limit": 60}
LIMITS = {"keeps_texts_days": 30, "keeps_codes_days": 60}
EMAIL, ADDRESS = "somebody@example.org", "203.0.113.77"
ALL_KINDS = tuple(Kind)
READING = (Kind.ANSWER, Kind.PAIRS)
JUDGING = (Kind.ITEMS, Kind.PAIRS)
WHAT = {Kind.ANSWER: "answers", Kind.ITEMS: "judgements", Kind.PAIRS: "choices", Kind.RATINGS: "ratings"}
SHOWN: set[str] = set()
"""The sentences that a test shows to be true."""
Test = TypeVar("Test", bound=Callable[..., None])


def shows(*sentences: str) -> Callable[[Test], Test]:
    """Lists the sentences that a test shows to be true."""

    def note(test: Test) -> Test:
        SHOWN.update(sentences)
        return test

    return note


@dataclass
class Journey:
    """Somebody who took part, was invited by email, and did everything that the type of study has."""

    study: Study
    client: Client
    link: Invitation

    @property
    def who(self) -> Participant:
        return Participant.objects.get(number=1, is_preview=False, study=self.study)

    @property
    def first(self) -> Assignment:
        return self.who.assignments.get(position=1)

    def url(self, name: str, *more: Any) -> str:
        return reverse(f"study-{name}", args=[self.study.slug, *more])

    def own_data(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(self.client.get(self.url("own-data")).content)
        return loaded


Start = Callable[..., Journey]


@pytest.fixture
def start(source: str, tmp_path: Path) -> Start:
    """``start(kind)``: somebody who agreed; ``start(kind, agree=False)``: who reads the consent page."""

    def begin(kind: Kind, *, agree: bool = True, **fields: Any) -> Journey:
        study = open_study_of(kind, tmp_path, encyclopedia=source if kind in READING else "", **fields)
        link = volunteers.link(study, email=EMAIL)
        journey = Journey(study, Client(REMOTE_ADDR=ADDRESS), link)
        journey.client.post(path_of(link))
        if agree:
            digest = consent_page(journey).context["digest"]
            journey.client.post(journey.url("consent"), {"digest": digest, "publication": "yes"})
        return journey

    return begin


@pytest.fixture
def take_part(start: Start) -> Start:
    """``take_part(kind)``: somebody who went on to the last page."""

    def do(kind: Kind, **fields: Any) -> Journey:
        journey = start(kind, **fields)
        client, url = journey.client, journey.url
        client.post(url("instructions"))
        client.post(url("practice"), {"pass": "1"})
        page = client.get(url("question", 1))
        if kind in READING:
            client.get(url("search", 1), {"q": "Norway"})
            for path in ("Norway", "Oslo"):
                client.get(url("article", 1), {"path": path, "from": "link"})
            client.get(url("article", 1), {"path": "Oslo", "from": "link"})
            visit = Visit.objects.order_by("pk").first()
            client.post(url("report", 1), {"url": "https://example.org/read-elsewhere"})
        fields = {"note": "a note"} if kind in READING else {}
        if kind in READING and visit is not None:
            fields |= {
                "visit": str(visit.pk),
                "visible": "0.001",
                "scrolled": "0.5",
                "place": "0.25",
                "shown": visit.pk,
            }
            fields[f"used-{visit.pk}"] = "on"
        if kind == Kind.PAIRS:
            fields |= {"left_score": "70", "left_strength": "clear"}
        for version, do in enumerate(("save", "done")):
            choice = {
                Kind.ANSWER: ("Os", "Oslo"),
                Kind.ITEMS: ("no", "yes"),
                Kind.PAIRS: ("right", "left"),
                Kind.RATINGS: ("", ""),
            }[kind][version]
            rated = {}
            if kind == Kind.RATINGS:
                rated = {f"rating-{asked.name}": asked.options[version].value for asked, _ in page.context["questions"]}
            sent = {"text": choice, "based_on": version, "key": str(uuid.uuid4()), "active": "0.001"}
            client.post(url("page", 1), {**fields, **sent, **rated, "do": do})
        if kind != Kind.ANSWER:
            client.post(url("page", 1), {"do": "named"})
            client.post(url("page", 1), {"do": "done"})
        client.get(url("question", 2))
        client.post(url("page", 2), {"do": "skip"})
        client.post(url("finish"))
        assert journey.who.finished_at is not None
        assert journey.first.done_at is not None
        return journey

    return do


def consent_page(journey: Journey) -> Any:
    return journey.client.get(journey.url("consent"))


def sentences_of(page: str) -> set[str]:
    """The sentences, and the items of lists, between the heading and the end of a consent page."""
    card = page[page.index("<h1>Consent</h1>") : page.index("</main>")]
    blocks = re.findall(r"<(p|li|label)\b[^>]*>(.*?)</\1>", card, re.DOTALL)
    texts = (" ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split()) for _, text in blocks)
    return {one.rstrip(";.").replace(" ,", ",") for text in texts for one in re.split(r"(?<=[.!?]) (?=[A-Z])", text)}


def stored_with(needle: str) -> set[str]:
    """The models of the whole site that have rows with a text."""
    found = set()
    for model in apps.get_models():
        texts = [
            field.attname
            for field in model._meta.concrete_fields
            if isinstance(field, models.CharField | models.TextField | models.JSONField | models.GenericIPAddressField)
        ]
        rows = model._default_manager.values_list(*texts) if texts else []
        if any(needle in str(row) for row in rows):
            found.add(model.__name__)
    return found


def exported(study: Study, **options: Any) -> str:
    out = io.BytesIO()
    write_export(study, out, by="test", **options)
    with zipfile.ZipFile(out) as archive:
        return "\n".join(archive.read(name).decode() for name in archive.namelist())


def each(*kinds: Kind) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("kind", kinds or ALL_KINDS)


# --- What the study is for ----------------------------------------------------------------------------------------


@shows(
    "In this study, you answer questions with the help of an encyclopedia, so that the answers of people can be "
    "compared with those of computer systems"
)
def test_answers_are_scored_as_those_of_systems_are(take_part: Start) -> None:
    journey = take_part(Kind.ANSWER)
    result = make_answer_set(journey.study, by="test")
    assert list(result.answer_set.answers.values_list("participant", "text")) == [("P-01", "Oslo")]
    assert Run.objects.filter(answer_set=result.answer_set).exists()


@shows(
    "In this study, you judge whether passages of text support answers to questions, so that the answers in a data "
    "set, or those of computer systems, can be checked"
)
def test_judgements_decide_about_answers(take_part: Start) -> None:
    journey = take_part(Kind.ITEMS, on_named="keep")
    judged = {row.item.key: row.by_votes for row in outcome_of(journey.study).rows}
    assert judged[journey.first.item.key] is True  # type: ignore[union-attr]


@shows(
    "In this study, you compare answers to questions, so that the computer systems that wrote them, and other methods "
    "that compare them, can be judged"
)
def test_pairs_are_answers_of_systems(take_part: Start) -> None:
    journey = take_part(Kind.PAIRS)
    item = journey.first.item
    assert item is not None
    assert {item.first_set_id, item.second_set_id} <= set(systems_of(journey.study))


@shows("In this study, you rate texts, such as questions, so that their sources can be compared")
def test_ratings_are_compared_by_group(take_part: Start) -> None:
    journey = take_part(Kind.RATINGS, on_named="keep")
    assert "machines" in str(outcome_of_ratings(journey.study))


@each()
@shows("Taking part is voluntary")
def test_who_declines_is_asked_nothing(start: Start, kind: Kind) -> None:
    journey = start(kind, agree=False)
    journey.client.post(journey.url("consent"), {"decline": "1"})
    assert journey.who.declined_at is not None
    assert not Assignment.objects.exists()


@each()
@pytest.mark.parametrize("page", ["consent", "thanks"])
@shows("You can stop and withdraw at any time")
def test_withdrawing_works_before_the_first_question_and_after_the_last(
    start: Start, take_part: Start, kind: Kind, page: str
) -> None:
    journey = (start if page == "consent" else take_part)(kind)
    assert journey.url("withdraw") in journey.client.get(journey.url(page), follow=True).content.decode()
    journey.client.post(journey.url("withdraw"))
    assert journey.who.withdrawn_at is not None


# --- What is recorded ---------------------------------------------------------------------------------------------


READ = (
    "when, how you reached them, how long they were visible, how far you scrolled, how often you reloaded them, which "
    "are open in tabs and where you left them"
)
USE = "when it was opened, skipped or marked done, and how many seconds the page was in use"


@each()
@shows(
    "We record:",
    *(f"your {what}, with every saved version and its time" for kind, what in WHAT.items() if kind != Kind.PAIRS),
    "your choices, scores and marks, your choices with every saved version and its time",
    "which of the two answers was on the left, and whether you say that an answer told you who wrote it",
    "whether you say that an answer told you who wrote it",
    "when you joined, agreed, completed each step, finished, and were last active",
    *(f"for each question, {USE}", f"for each text, {USE}"),
)
def test_answers_and_times_are_kept_as_the_page_says(take_part: Start, kind: Kind) -> None:
    journey = take_part(kind)
    row, own = journey.first, journey.own_data()
    versions = list(row.revisions.order_by("version"))
    assert len({version.text for version in versions}) == len(versions) == 2
    assert versions[0].saved_at < versions[1].saved_at
    names = ["joined_at", "consented_at", "instructed_at", "finished_at", "last_seen_at"]
    assert all(own[name] for name in (*names, *["practised_at"] * (kind == Kind.ANSWER)))
    first, second = own["answers"]
    assert first["opened_at"] and first["done_at"] and first["active_seconds"] > 0
    assert second["opened_at"] and second["skipped_at"]
    assert (first["named_at"] is not None) == (kind != Kind.ANSWER)
    if kind == Kind.PAIRS:
        assert row.critique == {"left": {"score": 70, "strength": ["clear"]}}
        assert first["swapped"] is row.swapped


@each(*READING)
@shows(
    "your searches",
    *(
        f"the articles you open in the reader: {READ}",
        f"your searches, and the articles you open in the reader: {READ}",
    ),
    "what you select, note or add yourself",
)
def test_what_is_read_and_noted_is_kept_as_the_page_says(take_part: Start, kind: Kind) -> None:
    first = take_part(kind).own_data()["answers"][0]
    assert first["searches"][0]["query"] == "Norway"
    visits = list(Visit.objects.exclude(origin="reported").order_by("pk"))
    assert [(visit.title, visit.origin) for visit in visits] == [("Norway", "link"), ("Oslo", "link")]
    assert visits[0].visible_seconds is not None
    assert visits[0].scrolled_share == 0.5
    assert visits[1].n_reloads == 1
    assert set(ReaderTab.objects.values_list("title", flat=True)) == {"Norway", "Oslo"}
    assert ReaderTab.objects.filter(place=0.25).exists()
    assert first["note"] == "a note"
    assert next(visit["title"] for visit in first["visits"] if visit["used"]) == "Norway"
    assert "https://example.org/read-elsewhere" in [visit["url"] for visit in first["visits"]]


@shows("For some answers, we know whether the passage supports them", "For some pairs, we know which answer is better")
def test_known_answers_are_among_the_others(tmp_path: Path) -> None:
    open_study_of(Kind.PAIRS, tmp_path, injected_share=0.5)
    open_study_of(Kind.ITEMS, tmp_path, injected_share=0.5)
    assert StudyItem.objects.filter(origin=ItemOrigin.INJECTED).values("study").distinct().count() == 2


@each(*JUDGING)
@shows(*(f"We use these to estimate how reliable {WHAT[kind]} are" for kind in JUDGING))
def test_what_people_say_of_known_answers_is_reported_for_each(take_part: Start, kind: Kind) -> None:
    journey = take_part(kind, injected_share=0.5)
    known = Assignment.objects.filter(item__origin=ItemOrigin.INJECTED)
    known.update(text="no" if kind == Kind.ITEMS else "tie", skipped_at=None, done_at=timezone.now())
    assert known.count() == 1
    if kind == Kind.ITEMS:
        estimate = outcome_of(journey.study).voters[0].injected
    else:
        estimate = pair_outcome_of(journey.study)["people"][0][3]
    assert estimate.n_items == 1


RECORDED: dict[type[models.Model], set[str]] = {
    Participant: {
        *("id", "study_id", "number", "is_preview", "joined_at", "last_seen_at", "consent_id", "consented_at"),
        *("agrees_to_publication", "declined_at", "instructed_at", "practised_at", "finished_at", "withdrawn_at"),
        *("dropped_at", "excluded_at", "exclusion_reason", "extended_until", "reminded_at", "receipt_code"),
        *("platform_id", "platform_key", "rehearsed_at", "attempts"),
    },
    Assignment: {
        *("id", "participant_id", "position", "question_id", "attention_check", "item_id", "text", "version"),
        *("saved_at", "opened_at", "done_at", "skipped_at", "active_seconds", "active_at", "note", "swapped"),
        *("named_at", "critique"),
    },
    Search: {"id", "assignment_id", "kind", "query", "article", "n_results", "n_reloads", "at"},
    ReaderTab: {"id", "assignment_id", "path", "title", "opened_at", "shown_at", "place"},
    Visit: {
        *("id", "assignment_id", "origin", "search_id", "rank", "path", "title", "url", "page_id", "revision_id"),
        *("opened_at", "n_reloads", "visible_seconds", "scrolled_share", "used"),
    },
}
"""What the sentences about the record cover. A further column needs a sentence in the consent texts first."""


@shows("We do not track anything that this page does not say")
def test_no_table_about_participants_has_another_column() -> None:
    assert {model: {field.attname for field in model._meta.concrete_fields} for model in RECORDED} == RECORDED
    about = {
        relation.related_model.__name__
        for model in (Participant, Assignment)
        for relation in model._meta.related_objects
        if isinstance(relation.related_model, type)
    }
    assert about == {"Assignment", "Invitation", "AnswerRevision", "Search", "Visit", "ReaderTab", "GradedAnswerOrigin"}


@each()
@shows("You do not need an account or a name")
def test_nobody_signs_in_or_gives_a_name(take_part: Start, kind: Kind) -> None:
    client = take_part(kind).client
    assert "sessionid" not in client.cookies
    assert not User.objects.filter(last_login__isnull=False).exists()


@each()
@shows(
    *(
        f"An email address is stored only if you were invited by email, and separately from your {what}"
        for what in WHAT.values()
    )
)
def test_an_address_is_in_one_table_and_only_of_who_was_invited_so(take_part: Start, kind: Kind) -> None:
    journey = take_part(kind)
    assert stored_with(EMAIL) == {"Contact"}
    shared = volunteers.link(journey.study, kind=InvitationKind.SHARED, limit=1)
    other = volunteers.come_in(Client(), shared)
    assert other.invitation.email == ""


@each()
@shows(
    *(f"{what.capitalize()} may be published without anything that identifies you by name" for what in WHAT.values())
)
def test_what_is_exported_for_publication_names_nobody(take_part: Start, kind: Kind) -> None:
    journey = take_part(kind)
    files = exported(journey.study)
    assert EMAIL not in files
    assert journey.who.receipt_code not in files
    assert "P-01" in files


# --- What the page says ------------------------------------------------------------------------------------------


@each()
@shows("The study's maintainers see what is recorded under your code, P-01, and can export it")
def test_maintainers_see_and_export_the_record_by_code(take_part: Start, kind: Kind) -> None:
    journey = take_part(kind)
    maintainer = Client()
    maintainer.force_login(journey.study.owner)
    page = maintainer.get(reverse("manage-study-participant", args=[journey.study.slug, "P-01"]))
    assert page.status_code == 200
    assert '"participant": "P-01", "position": 1' in exported(journey.study)


@each()
@shows("This site does not store your internet address")
def test_no_table_and_no_log_has_the_address(take_part: Start, kind: Kind, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG"):
        take_part(kind)
    assert stored_with(ADDRESS) == set()
    assert ADDRESS not in caplog.text
    assert not any(ADDRESS in str(vars(record).get("args", "")) for record in caplog.records)


@each()
@shows("One cookie recognises your browser during the study, and one protects its forms")
def test_two_cookies_are_set(take_part: Start, kind: Kind) -> None:
    names = {name for name, cookie in take_part(kind).client.cookies.items() if cookie.value}
    assert names - {"messages"} == {"study", "csrftoken"}


@each()
@shows("At the bottom of each page, you can download all that is recorded about you")
def test_the_download_has_everything(take_part: Start, kind: Kind) -> None:
    journey = take_part(kind)
    assert journey.url("own-data") in journey.client.get(journey.url("thanks")).content.decode()
    own = journey.own_data()
    internal = {"id", "study_id", "number", "is_preview", "consent_id"}
    assert set(own) >= {field.attname for field in Participant._meta.fields} - internal
    told = {"question_id", "item_id", "attention_check", "id", "participant_id", "version", "active_at"}
    assert set(own["answers"][0]) >= {field.attname for field in Assignment._meta.fields} - told


@pytest.mark.parametrize("name", [*STATEMENT])
@shows(*(f"{label}: {name} stated" for name, label in STATEMENT.items()), "Pay: A book", "About this study:")
def test_what_is_stated_is_what_the_study_says(start: Start, name: str) -> None:
    journey = start(Kind.ITEMS, agree=False, **STATED)
    assert f"{STATEMENT[name]}: {getattr(journey.study, name)}" in sentences_of(consent_page(journey).content.decode())
    assert f"Pay: {journey.study.reward_note}".rstrip(".") in sentences_of(consent_page(journey).content.decode())


@shows("Time limit: Participation ends 60 min after you agree", "Pay: 6.50 GBP for finishing")
def test_pay_is_that_of_the_study_and_the_time_limit_ends_participation(start: Start) -> None:
    journey = start(Kind.ITEMS, **PAID)
    assert f"Pay: {journey.study.pay} {journey.study.currency} for finishing." in journey.study.consent_in_full
    for minutes, is_over in ((59, False), (61, True)):
        moment = timezone.now() - datetime.timedelta(minutes=minutes)
        Participant.objects.filter(pk=journey.who.pk).update(consented_at=moment)
        assert bool(closed_reason(journey.who)) == is_over


@shows("My answers may be published word for word, without my name", "I can take part without this")
def test_publication_is_agreed_to_by_itself(start: Start) -> None:
    assert start(Kind.ANSWER, asks_publication=True).who.agrees_to_publication is True
    other = start(Kind.ITEMS, agree=False, asks_publication=True)
    other.client.post(other.url("consent"), {"digest": consent_page(other).context["digest"]})
    assert other.who.agrees_to_publication is False
    assert other.who.assignments.exists()


# --- What happens later ------------------------------------------------------------------------------------------


@each()
@shows(
    "If you withdraw, your answers and everything else recorded about you are deleted",
    "Only your participant code and the times at which you joined, agreed and withdrew remain",
)
def test_withdrawing_deletes_everything_else(take_part: Start, kind: Kind) -> None:
    journey = take_part(kind, asks_publication=True)
    journey.client.post(journey.url("withdraw"))
    assert not Assignment.objects.exists()
    assert stored_with(EMAIL) == set()
    left = {name for name, value in Participant.objects.values().get().items() if value not in (None, "", False, [])}
    codes = {"id", "study_id", "number", "receipt_code"}  # the last is a random text then
    assert left - codes == {"joined_at", "consented_at", "consent_id", "withdrawn_at"}
    assert journey.who.receipt_code.startswith("withdrawn-")
    assert journey.study.events.filter(participant_code="P-01").count() == 1


@each()
@shows(
    "If you withdraw, your answers are stored without anything that links them to you",
    "Your email address and notes are deleted",
)
def test_withdrawing_takes_away_what_links_answers_to_people(take_part: Start, kind: Kind) -> None:
    journey = take_part(kind, on_withdrawal=Withdrawal.ANONYMISE)
    receipt = journey.who.receipt_code
    journey.client.post(journey.url("withdraw"))
    assert journey.first.text
    assert journey.first.note == ""
    assert stored_with(EMAIL) == stored_with(receipt) == stored_with("somebody-there") == set()
    assert Client().get(path_of(journey.link)).status_code == 404


@each()
@shows(
    "What you type (answers, notes, marks, searches, addresses of articles) is deleted 30 days after the study ends",
    "Choices, scores, times, and the titles of the articles that you open or add are kept",
)
def test_texts_are_deleted_in_time(take_part: Start, kind: Kind) -> None:
    journey = take_part(kind, **LIMITS)
    before = journey.first
    titles = list(Visit.objects.order_by("pk").values_list("title", flat=True))
    end = timezone.now() - datetime.timedelta(days=31)
    Study.objects.update(opens_at=end - datetime.timedelta(days=1), closes_at=end)
    delete_due()
    after = journey.first
    assert after.note == ""
    assert not Search.objects.filter(query="Norway").exists()
    assert not Visit.objects.filter(url__contains="elsewhere").exists()
    assert list(Visit.objects.order_by("pk").values_list("title", flat=True)) == titles
    assert (after.opened_at, after.done_at) == (before.opened_at, before.done_at)
    assert (after.text == before.text) is (kind != Kind.ANSWER)
    assert {place: list(said) for place, said in after.critique.items()} == (
        {"left": ["score"]} if before.critique else {}
    )


@each()
@shows(
    "Your link, your receipt code, your email address and your ID on a platform are deleted 60 days after the study "
    "ends",
    "From then on, your link no longer works",
)
def test_links_and_addresses_are_deleted_in_time(take_part: Start, kind: Kind) -> None:
    journey = take_part(kind, **LIMITS)
    receipt = journey.who.receipt_code
    Participant.objects.update(platform_id="somebody-there submission")
    end = timezone.now() - datetime.timedelta(days=61)
    Study.objects.update(opens_at=end - datetime.timedelta(days=1), closes_at=end)
    delete_due()
    assert stored_with(EMAIL) == stored_with(receipt) == set()
    assert Client().get(path_of(journey.link)).status_code == 404
    assert journey.client.get(journey.url("thanks")).status_code == 403


@each()
@shows(
    "Also recorded: your ID on Prolific, and that of your submission there, to pay you and to admit nobody twice",
    "Only the study team sees them; exports of the data have a pseudonym instead",
    "If you withdraw, they are deleted, and a code that stands for your ID stays, so that nobody takes part twice",
)
def test_ids_on_a_platform_are_for_pay_and_admission_and_in_no_export(start: Start, kind: Kind) -> None:
    study = start(kind, agree=False, platform=Platform.PROLIFIC).study
    path = path_of(volunteers.link(study, kind=InvitationKind.SHARED, limit=2))
    ids = {"PROLIFIC_PID": "5f3c0000aaaa1111bbbb2222", "STUDY_ID": "65d0", "SESSION_ID": "65e1"}
    sent = Client().get(path, ids).context["ids"]
    assert Client().post(path, sent).status_code == 302
    assert Client().post(path, sent).status_code == 403
    person = Participant.objects.get(platform_id__isnull=False)
    assert person.platform_id == "5f3c0000aaaa1111bbbb2222 65e1"
    stranger = Client()
    stranger.force_login(factories.user("stranger"))
    assert stranger.get(reverse("manage-study", args=[study.slug])).status_code in (403, 404)
    assert "5f3c0000aaaa1111bbbb2222" not in exported(study)
    assert str(person.platform_key) in exported(study)
    withdraw(person)
    left = Participant.objects.values_list("platform_id", "platform_key").get(pk=person.pk)
    assert left == (None, person.platform_key)
    assert str(person.platform_key) not in exported(study)
    assert Client().post(path, sent).status_code == 403


# --- None without a test -----------------------------------------------------------------------------------------

NO_PROMISES = {"This site records:"}


def forms() -> Iterator[dict[str, Any]]:
    """The studies whose consent pages have different sentences."""
    for how in Withdrawal.values:
        for asks in (True, False):
            for stated in ({}, STATED | LIMITS | {"platform": Platform.PROLIFIC}):
                yield {"on_withdrawal": how, "asks_publication": asks, **stated}
    yield PAID


@each()
def test_no_consent_page_has_a_sentence_without_a_test(start: Start, kind: Kind) -> None:
    for fields in forms():
        page = consent_page(start(kind, agree=False, **fields)).content.decode()
        assert sentences_of(page) - NO_PROMISES - SHOWN == set()


def test_every_sentence_that_a_test_names_is_on_a_page(start: Start) -> None:
    seen: set[str] = set()
    for kind in Kind:
        for fields in forms():
            seen |= sentences_of(consent_page(start(kind, agree=False, **fields)).content.decode())
    assert SHOWN - seen == set()


@each()
def test_a_text_of_ones_own_is_followed_by_what_is_recorded(start: Start, kind: Kind) -> None:
    page = consent_page(start(kind, agree=False, consent_text="We ask you things.")).content.decode()
    assert "This site records:" in page
    assert sentences_of(page) - NO_PROMISES - {"We ask you things"} <= SHOWN
