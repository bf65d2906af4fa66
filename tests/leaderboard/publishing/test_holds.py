"""Files whose answers are the reference answers of a hidden split are held, and senders learn nothing more."""

import datetime
import json
from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.disclosure import HELD
from leaderboard.maintenance.moderation import services as moderation
from leaderboard.models import Anomaly, Mail, Submission, User
from leaderboard.publishing import flags, requests
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions import notifications
from scoring.analysis.copied_references import COPIED_REFERENCES
from scoring.analysis.probing import MANY_NAMES
from scoring.models import Split
from tests import factories

pytestmark = pytest.mark.django_db

N = 20
GOLD = {f"test-{number}": f"The old town of Place{number}, founded in {1200 + number}" for number in range(N)}
"""The reference answers of the hidden split, of seven words."""


def hidden_split(gold: Mapping[str, Any] = GOLD) -> Split:
    questions = factories.source_questions("test", N, overrides=dict(enumerate(gold.values())))
    made = factories.benchmark()
    factories.revise(factories.split(made, "test"), questions, factories.DATE + datetime.timedelta(days=1))
    return factories.split(made, "test")


def copies(n_copied: int, gold: Mapping[str, str] = GOLD) -> dict[str, str]:
    """A file with the first reference answers as its answers, and the rest in other words."""
    return {qid: text if place < n_copied else f"I think: {text}" for place, (qid, text) in enumerate(gold.items())}


@pytest.fixture
def test() -> Split:
    return hidden_split()


def is_held(sent: Submission) -> bool:
    return Anomaly.objects.filter(file__submission=sent, code=COPIED_REFERENCES).exists()


def api(client: Client, sent: Submission) -> dict[str, Any]:
    headers = factories.token_of(sent.owner)
    document: dict[str, Any] = client.get(f"/api/v1/submissions/{sent.pk}/", headers=headers).json()
    return document


@pytest.mark.parametrize(("n_copied", "held"), [(2, False), (3, True), (20, True)])
def test_more_than_a_tenth_of_the_longer_reference_answers_are_needed(
    test: Split, ada: User, n_copied: int, held: bool
) -> None:
    assert is_held(factories.submission(ada, test, {"openbook": copies(n_copied)})) is held


@pytest.mark.parametrize(
    "write",
    [
        str.upper,
        lambda text: text.replace("Place", "Pl.ace"),
        lambda text: text.translate({code: code + 0xFEE0 for code in range(ord("A"), ord("z") + 1)}),
        lambda text: "".join(f"&#{ord(letter)};" for letter in text),
        lambda text: f"{text}.",
    ],
    ids=["case", "signs within words", "wide letters", "entities", "full stop"],
)
def test_another_way_of_writing_that_metrics_read_alike_is_a_copy(test: Split, ada: User, write: Any) -> None:
    answers = {qid: write(text) for qid, text in GOLD.items()}
    assert is_held(factories.submission(ada, test, {"openbook": answers}))


def test_reference_answers_of_three_words_do_not_count(ada: User) -> None:
    short = {qid: f"Old Place{place} town" for place, qid in enumerate(GOLD)}
    test = hidden_split(short)
    assert not is_held(factories.submission(ada, test, {"openbook": short}))
    mixed = {**short, **dict(list(GOLD.items())[:5])}
    test = hidden_split(mixed)
    assert is_held(factories.submission(ada, test, {"openbook": copies(3, mixed)})), "three of the five that count"


@pytest.mark.parametrize("n_longer", [1, 5, 20])
def test_one_or_two_equal_answers_hold_no_file_however_few_longer_reference_answers_there_are(
    ada: User, n_longer: int
) -> None:
    gold = {qid: text if place < n_longer else f"Place{place}" for place, (qid, text) in enumerate(GOLD.items())}
    test = hidden_split(gold)
    for n_copied in (1, 2):
        assert not is_held(factories.submission(ada, test, {"openbook": copies(n_copied, gold)}))


def test_structured_reference_answers_are_compared_as_they_are_written_for_metrics(ada: User) -> None:
    test = hidden_split({qid: {"Old Town": [place, "founded"], "New": True} for place, qid in enumerate(GOLD)})
    answers = {qid: f"Old Town - {place}\nfounded\nNew - yes" for place, qid in enumerate(GOLD)}
    assert is_held(factories.submission(ada, test, {"openbook": answers}))


def test_of_lists_every_entry_is_equal_in_any_order(ada: User) -> None:
    made = factories.list_benchmark()
    Split.objects.filter(benchmark=made, slug="test").update(hidden=True)
    test = factories.split(made, "test")
    gold = {
        question.qid: [item["answer_text"] for item in question.answer] for question in factories.list_questions("test")
    }
    *others, last = gold
    two_copies = {qid: gold[qid] if place < 2 else ["Atlantis"] for place, qid in enumerate(others)}
    for entries, held in (
        (list(reversed(gold[last])), True),
        ([*gold[last], gold[last][0].upper()], True),
        (gold[last][1:], False),
        ([*gold[last], "Atlantis"], False),
    ):
        sent = factories.submission(ada, test, {"openbook": {**two_copies, last: entries}})
        assert is_held(sent) is held, entries


def test_reference_answers_of_a_subset_count(ada: User, test: Split) -> None:
    questions = factories.source_questions("test", N, overrides={place: f"It is town {place}" for place in range(N)})
    subset = Split.every.create(benchmark=test.benchmark, slug="part", name="Part", position=0, subset_of=test)
    Split.objects.filter(pk=test.pk).update(hidden=False)  # of a hidden one, at least 50 questions
    factories.revise(Split.every.get(pk=subset.pk), questions)
    Split.objects.filter(pk=test.pk).update(hidden=True)
    test = factories.split(test.benchmark, "test")
    answers = {f"test-{place}": f"it is town {place}" for place in range(N)}
    assert is_held(factories.submission(ada, test, {"openbook": answers}))


def test_each_setting_and_each_version_is_compared_and_no_import(test: Split, ada: User) -> None:
    sent = factories.submission(ada, test, {"openbook": copies(0), "closedbook": copies(N)})
    flag = Anomaly.objects.get(code=COPIED_REFERENCES)
    assert flag.file.setting.slug == "closedbook"
    factories.replace_file(sent, copies(N), by=ada)
    assert Anomaly.objects.filter(code=COPIED_REFERENCES).count() == 2
    assert not is_held(factories.submission(ada, test, {"openbook": copies(N)}, within_quota=False))


def test_open_splits_hold_nothing(test: Split, ada: User) -> None:
    dev = factories.split(test.benchmark, "dev")
    gold = {0: GOLD["test-0"], 1: GOLD["test-1"]}
    factories.revise(dev, factories.source_questions("dev", 2, overrides=gold), datetime.date(2026, 1, 1))
    answers = {f"dev-{place}": text for place, text in gold.items()}
    assert not is_held(factories.submission(ada, factories.split(test.benchmark, "dev"), {"openbook": answers}))


def test_files_that_waited_for_the_reference_answers_are_compared_when_these_are_imported(ada: User) -> None:
    made = factories.benchmark(n_test=N, test_answers=False)
    sent = factories.submission(ada, factories.split(made, "test"), {"openbook": copies(N)})
    imported = factories.submission(ada, factories.split(made, "test"), {"openbook": copies(N)}, within_quota=False)
    assert not is_held(sent)
    hidden_split()
    assert is_held(sent)
    assert not is_held(imported)


def test_a_revision_holds_no_file_that_was_scored_before(test: Split, ada: User) -> None:
    sent = factories.scored(ada, test, {"openbook": copies(0)})
    hidden_split({qid: f"I think: {text}" for qid, text in GOLD.items()})
    assert not is_held(sent)


# --- What senders and maintainers learn -----------------------------------------------------------------------------


def test_the_sender_learns_that_the_file_is_held_and_nothing_else(test: Split, ada: User, client: Client) -> None:
    seen = []
    for n_copied in (3, N):
        sent = factories.scored(ada, test, {"openbook": copies(n_copied), "closedbook": copies(0)})
        document = api(client, sent)
        assert document["reviews"] == []
        assert document["holds"] == [{"setting": "openbook", "refused": False, "reason": ""}]
        scores = {
            file["setting"]: {(score["value"], score["reason"]) for run in file["runs"] for score in run["scores"]}
            for file in document["files"]
        }
        assert {value for value, _ in scores["openbook"]} == {None}
        assert any(value is not None for value, _ in scores["closedbook"])
        assert not document["can_publish"]
        with pytest.raises(SubmissionError, match=requests.SCORES_WAIT):
            publish_submission(sent, actor=ada)
        assert notifications.queue_due() == 0 and not Mail.objects.exists()
        client.force_login(ada)
        page = client.get(sent.get_absolute_url())
        text = page.content.decode()
        assert 'data-hold="openbook"' in text and 'data-hold="closedbook"' not in text
        for told in (text, json.dumps(document), client.get("/submissions/").content.decode()):
            assert COPIED_REFERENCES not in told and flags.TITLES[COPIED_REFERENCES] not in told
        seen.append({"scores": scores["openbook"], "events": [event["text"] for event in document["events"]]})
    assert seen[0] == seen[1], "three copies and twenty"


def test_until_results_are_told_a_held_file_looks_like_any_other(
    test: Split, ada: User, client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.HIDDEN_STATES_MINUTES = 10
    noon = datetime.datetime(2030, 3, 1, 12, 1, tzinfo=datetime.UTC)
    monkeypatch.setattr(timezone, "now", lambda: noon)
    for n_copied in (0, N):
        sent = factories.submission(ada, test, {"openbook": copies(n_copied)})
        factories.score(sent)
        document = api(client, sent)
        assert document["holds"] == []
        with pytest.raises(SubmissionError, match=requests.STILL_SCORING):
            publish_submission(sent, actor=ada)
        client.force_login(ada)
        assert "held" not in client.get(f"/submissions/{sent.pk}/progress/").content.decode()
    monkeypatch.setattr(timezone, "now", lambda: noon + datetime.timedelta(minutes=10))
    assert api(client, sent)["holds"] == [{"setting": "openbook", "refused": False, "reason": ""}]


def test_a_file_that_waits_for_a_cause_that_is_told_is_not_called_held_too(
    test: Split, ada: User, client: Client
) -> None:
    many = " ".join(f"name{number}" for number in range(400))
    sent = factories.scored(ada, test, {"openbook": {**copies(N), "test-0": many}})
    assert set(Anomaly.objects.values_list("code", flat=True)) == {COPIED_REFERENCES, MANY_NAMES}
    document = api(client, sent)
    assert [review["code"] for review in document["reviews"]] == [MANY_NAMES]
    assert document["holds"] == []


def test_the_digest_of_what_is_decided_does_not_tell_the_flag(test: Split, ada: User) -> None:
    sent = factories.scored(ada, test, {"openbook": copies(N)})
    before = requests.fingerprint(sent)
    Anomaly.objects.all().delete()
    assert requests.fingerprint(sent) == before


def test_a_maintainer_sees_the_numbers_and_no_question(test: Split, ada: User, grace: User, client: Client) -> None:
    sent = factories.scored(ada, test, {"openbook": copies(3)})
    client.force_login(grace)
    page = client.get(f"/maintenance/moderation/{sent.pk}/")
    (anomaly,) = page.context["page"]["anomalies"]
    assert (anomaly["title"], anomaly["row"].count) == (flags.TITLES[COPIED_REFERENCES], 3)
    assert anomaly["facts"] == [("reference answers of more than three words", N)]
    assert anomaly["questions"] == [], "with the answers, they would tell reference answers"
    assert 'id="withheld"' in client.get("/maintenance/").content.decode()


def test_a_maintainer_decides(test: Split, ada: User, grace: User, client: Client) -> None:
    dismissed, confirmed = (
        factories.scored(ada, test, {"openbook": copies(N)}, name=f"System {number}") for number in range(2)
    )
    moderation.decide_flags(dismissed, actor=grace, dismissed=True, reason="A rule of ours.")
    moderation.decide_flags(confirmed, actor=grace, dismissed=False, reason="Ask us by email.")
    document = api(client, dismissed)
    assert document["holds"] == [] and document["can_publish"]
    assert api(client, confirmed)["holds"] == [{"setting": "openbook", "refused": True, "reason": "Ask us by email."}]
    assert notifications.queue_due() == 2
    client.force_login(ada)
    assert "Ask us by email." in client.get(confirmed.get_absolute_url()).content.decode()
    assert any(HELD in mail.text for mail in Mail.objects.all())
