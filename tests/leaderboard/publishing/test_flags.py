"""Flags make scores of a hidden split, or the rank of what may be another's, wait for a maintainer."""

import json
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from leaderboard.disclosure import HELD
from leaderboard.maintenance.moderation import services as moderation
from leaderboard.maintenance.moderation.queries import flagged, queue_page
from leaderboard.models import (
    Anomaly,
    AuditRecord,
    Entry,
    EntryKind,
    Mail,
    MailKind,
    Submission,
    SubmissionFile,
    System,
    Team,
    User,
)
from leaderboard.publishing import flags, requests
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.services import publish_submission, unpublish_submission
from leaderboard.submissions import notifications
from scoring.analysis import probing
from scoring.benchmarks import definition_of
from scoring.models import AnswerSet, Benchmark, Split
from tests import factories

pytestmark = pytest.mark.django_db

N = 12
MANY = " ".join(f"name{number}" for number in range(400))


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark(n_test=N)


@pytest.fixture
def test(made: Benchmark) -> Split:
    return factories.split(made, "test")


def padded(n: int = 1, text: str = MANY) -> dict[str, str]:
    answers = factories.perfect("test", N)
    return answers | {qid: f"{answers[qid]} {text}" for qid in list(answers)[:n]}


def own_words(seed: str, n: int = N, words: int = 10) -> dict[str, str]:
    return {f"test-{number}": " ".join(f"{seed}{number}word{index}" for index in range(words)) for number in range(n)}


def is_ranked(sent: Submission) -> bool:
    return Entry.objects.filter(submission=sent, replaced_at=None).exists()


# --- Scores that wait ----------------------------------------------------------------------------------------------


class TestScoresThatWait:
    @pytest.fixture
    def held(self, test: Split, ada: User) -> Submission:
        return factories.scored(ada, test, {"openbook": padded(), "closedbook": factories.perfect("test", N)})

    def scores(self, client: Client, sent: Submission) -> dict[str, list[Any]]:
        body = client.get(f"/api/v1/submissions/{sent.pk}/", headers=factories.token_of(sent.owner)).json()
        return {
            file["setting"]: [score["value"] for run in file["runs"] for score in run["scores"]]
            for file in body["files"]
        }

    def test_the_sender_sees_which_answers_and_why_and_no_score(self, client: Client, held: Submission) -> None:
        client.force_login(held.owner)
        page = client.get(held.get_absolute_url())
        (review,) = page.context["submission"].reviews
        assert (review.setting_slug, review.code, review.questions) == ("openbook", probing.MANY_NAMES, ["test-0"])
        assert (review.count, review.limit, review.refused) == (1, 200, False)
        assert f'data-review="{probing.MANY_NAMES}"' in page.content.decode()
        assert HELD in page.content.decode()
        values = self.scores(client, held)
        assert set(values["openbook"]) == {None}
        assert any(value is not None for value in values["closedbook"])
        api = client.get(f"/api/v1/submissions/{held.pk}/").json()["reviews"]
        assert [(one["setting"], one["code"], one["questions"]) for one in api] == [
            ("openbook", probing.MANY_NAMES, ["test-0"])
        ]

    def test_no_row_or_mail_before(self, held: Submission) -> None:
        assert notifications.queue_due() == 0
        assert not Mail.objects.exists()
        with pytest.raises(SubmissionError, match=requests.SCORES_WAIT):
            publish_submission(held, actor=held.owner)
        assert not is_ranked(held)

    def test_the_administration_makes_no_row_of_a_submission(
        self, client: Client, held: Submission, grace: User
    ) -> None:
        client.force_login(grace)
        system = System.objects.create(name="Side door", slug="side-door", owner=held.owner)
        answers = AnswerSet.objects.get(submission_file__submission=held, setting__slug="openbook")
        row = {"system": system.pk, "split": held.split_id, "setting": answers.setting_id}
        data = {
            **row,
            "kind": EntryKind.SCORED,
            "answer_set": answers.pk,
            "submission": held.pk,
            "shows_answers": "on",
            "source": "A paper",
            "published_at_0": "2026-01-01",
            "published_at_1": "00:00:00",
            "reported_values-TOTAL_FORMS": "0",
            "reported_values-INITIAL_FORMS": "0",
        }
        assert client.post(reverse("admin:leaderboard_entry_add"), data).status_code == 200, "an error in the form"
        assert not system.entries.exists()
        data["kind"] = EntryKind.REPORTED
        assert client.post(reverse("admin:leaderboard_entry_add"), data).status_code == 302
        entry = system.entries.get()
        assert (entry.answer_set, entry.submission, entry.shows_answers) == (None, None, False)

    def test_a_maintainer_approves_with_a_reason(self, client: Client, held: Submission, grace: User) -> None:
        client.force_login(grace)
        assert 'id="withheld"' in client.get("/maintenance/").content.decode()
        assert [row["pk"] for row in queue_page(QueryDict("tab=odd"))["rows"]] == [held.pk]
        address = f"/maintenance/moderation/{held.pk}/"
        seen = requests.fingerprint(held)
        assert f'value="{seen}"' in client.get(address).content.decode()
        assert client.post(address, {"action": "dismiss", "seen": seen, "flags-text": " "}).status_code == 422
        assert client.post(address, {"action": "dismiss", "seen": "x", "flags-text": "Lists."}).status_code == 422
        assert len(flagged()) == 1
        assert client.post(address, {"action": "dismiss", "seen": seen, "flags-text": "Lists."}).status_code == 302
        assert len(flagged()) == 0
        record = AuditRecord.objects.latest("pk")
        assert record.action == "submission.flags_dismissed"
        assert record.text == f"{flags.TITLES[probing.MANY_NAMES]}: Lists."
        assert None not in self.scores(client, held)["openbook"][:2]
        assert notifications.queue_due() == 1
        publish_submission(held, actor=held.owner)
        assert is_ranked(held)

    def test_refused_scores_stay_private_and_the_sender_reads_why(
        self, client: Client, held: Submission, grace: User
    ) -> None:
        moderation.decide_flags(held, actor=grace, dismissed=False, reason="A dictionary.")
        assert len(flagged()) == 0
        assert AuditRecord.objects.latest("pk").action == "submission.flags_confirmed"
        assert set(self.scores(client, held)["openbook"]) == {None}
        assert notifications.queue_due() == 1
        assert HELD in Mail.objects.get(kind=MailKind.SCORED).text
        client.force_login(held.owner)
        page = client.get(held.get_absolute_url())
        assert "A dictionary." in page.content.decode()
        with pytest.raises(SubmissionError):
            publish_submission(held, actor=held.owner)
        with pytest.raises(SubmissionError, match="no flag"):
            moderation.decide_flags(held, actor=grace, dismissed=True, reason="Again.")

    def test_a_newer_version_without_such_answers_is_shown_and_the_old_one_is_not(
        self, client: Client, test: Split, ada: User
    ) -> None:
        sent = factories.scored(ada, test, {"openbook": padded()})
        factories.replace_file(sent, factories.perfect("test", N), by=ada)
        factories.score(sent)
        client.force_login(ada)
        view = client.get(sent.get_absolute_url()).context["submission"]
        assert view.reviews == []
        (file,) = view.files
        assert any(score.value is not None for run in file.runs for score in run.scores)
        assert {score.value for old in file.earlier for score in old.scores} == {None}

    @pytest.mark.parametrize(
        ("answers", "codes"),
        [
            (padded(1, " ".join(f"name{number}" for number in range(330))), []),
            (padded(1, MANY.upper()), [probing.MANY_NAMES]),
            (padded(1, MANY.replace(" ", "_")), [probing.MANY_NAMES]),  # ROUGE finds each
            (padded(1, "".join(map(chr, range(0x4E00, 0x5200)))), [probing.MANY_NAMES]),
            (padded(1, "; ".join(f"{day} May {year}" for day in range(1, 32) for year in range(10))), [
                probing.MANY_NAMES
            ]),
            (padded(3, "very " * 2_000), []),
            (padded(4, "very " * 2_000), [probing.LONG_ANSWERS]),
        ],
    )  # fmt: skip
    def test_a_file_is_flagged_only_for_unusual_answers(
        self, test: Split, ada: User, answers: dict[str, str], codes: list[str]
    ) -> None:
        sent = factories.submission(ada, test, {"openbook": answers})
        assert list(Anomaly.objects.filter(file__submission=sent).values_list("code", flat=True)) == codes

    def test_open_splits_and_imports_do_not_wait(self, made: Benchmark, test: Split, ada: User) -> None:
        dev = factories.split(made, "dev")
        factories.submission(ada, dev, {"openbook": {"dev-0": MANY}})
        factories.submission(ada, test, {"openbook": padded()}, within_quota=False)
        assert not Anomaly.objects.exists()

    def test_a_dismissed_flag_does_not_come_back(self, held: Submission, grace: User) -> None:
        moderation.decide_flags(held, actor=grace, dismissed=True, reason="Lists.")
        for _ in range(2):
            flags.find_due()
            publish_submission(held, actor=held.owner)
        assert not Anomaly.objects.filter(file__submission=held).exists()

    def test_repeated_entries_of_a_judged_list_wait(self) -> None:
        definition = definition_of("monaco")
        assert probing.padding({"q": json.dumps([f"a{n}" for n in range(500)])}, definition) == []
        (flag,) = probing.padding({"q": json.dumps(["Oslo"] * 12 + ["Bern"])}, definition)
        assert (flag.code, flag.facts["most"]) == (probing.REPEATED, 11)


# --- Ranks that wait -----------------------------------------------------------------------------------------------


class TestRanksThatWait:
    def test_a_byte_copy_under_another_name_is_not_ranked(
        self, client: Client, test: Split, ada: User, bob: User, grace: User
    ) -> None:
        answers = factories.perfect("test", N)  # short answers: the same bytes count
        factories.published(ada, test, {"openbook": answers}, name="Original")
        copy = factories.scored(bob, test, {"openbook": answers}, name="Copy")
        publish_submission(copy, actor=bob)
        assert not is_ranked(copy) and copy.publications.get().state == "pending"
        assert [row["pk"] for row in queue_page(QueryDict())["rows"]] == [copy.pk]
        client.force_login(grace)
        assert len(flagged()) == 1 and 'id="flagged"' in client.get("/maintenance/").content.decode()
        moderation.approve(copy, actor=grace, seen=requests.fingerprint(copy))
        assert is_ranked(copy) and len(flagged()) == 0

    @pytest.mark.parametrize(("n_own", "waits"), [(0, True), (11, True), (13, False)])
    def test_so_is_one_with_half_of_the_long_answers_of_anothers(
        self, made: Benchmark, ada: User, bob: User, n_own: int, waits: bool
    ) -> None:
        dev = factories.split(factories.benchmark(n_test=24), "test")
        original, mine = own_words("ada", 24), own_words("bob", 24)
        factories.published(ada, dev, {"openbook": original | {"test-0": "Oslo"}}, name="Original")
        changed = {qid: f"{text.upper()}!" for qid, text in original.items()}
        copy = factories.scored(bob, dev, {"closedbook": changed | dict(list(mine.items())[:n_own])}, name="Copy")
        publish_submission(copy, actor=bob)
        assert is_ranked(copy) != waits

    def test_short_answers_that_agree_are_honest(self, test: Split, ada: User, bob: User) -> None:
        answers = {f"test-{number}": f"The capital of it is Oslo, number {number} now." for number in range(N)}
        factories.published(ada, test, {"openbook": answers}, name="Original")
        other = factories.scored(bob, test, {"openbook": answers | {"test-0": "Oslo"}}, name="Other")
        publish_submission(other, actor=bob)
        assert is_ranked(other)

    def test_ones_own_file_is_no_copy_nor_is_the_original(self, test: Split, ada: User, bob: User) -> None:
        answers = own_words("ada")
        first = factories.scored(ada, test, {"openbook": answers}, name="First")
        factories.scored(bob, test, {"openbook": answers}, name="Copy")
        again = factories.scored(ada, test, {"openbook": answers}, name="Again")
        for sent in (first, again):
            publish_submission(sent, actor=ada)
        assert is_ranked(first)
        assert not is_ranked(again), "bob sent it before"

    def test_a_dismissed_flag_makes_nothing_wait_and_a_confirmed_one_does(
        self, test: Split, ada: User, bob: User, grace: User
    ) -> None:
        answers = own_words("ada")
        factories.published(ada, test, {"openbook": answers}, name="Original")
        for dismissed in (True, False):
            copy = factories.scored(bob, test, {"openbook": answers}, name=f"Copy {dismissed}")
            flags.find_due()
            moderation.decide_flags(copy, actor=grace, dismissed=dismissed, reason="One laboratory.")
            assert len(flagged()) == 0
            publish_submission(copy, actor=bob)
            assert is_ranked(copy) == dismissed

    def test_a_check_that_fails_lets_nobody_pass(self, test: Split, ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
        sent = factories.scored(ada, test, {"openbook": own_words("ada")})

        def fails(file: SubmissionFile) -> None:
            raise RecursionError

        monkeypatch.setattr(flags, "check_file", fails)
        publish_submission(sent, actor=ada)
        assert not is_ranked(sent)

    def test_flags_go_with_the_row(self, test: Split, ada: User, bob: User, grace: User) -> None:
        factories.published(ada, test, {"openbook": own_words("ada")}, name="Original")
        copy = factories.published(bob, test, {"openbook": own_words("ada")}, name="Copy")
        flags.find_due()
        assert len(flagged()) == 1
        unpublish_submission(copy, actor=bob)
        assert len(flagged()) == 0
        publish_submission(copy, actor=bob)
        assert not is_ranked(copy), "the flag is still open"

    @pytest.mark.parametrize("name", ["gpt 4", "Analytical Engine", pytest.param("GPT-4", marks=pytest.mark.slow)])
    def test_a_strangers_use_of_a_known_name_waits(
        self, test: Split, ada: User, bob: User, grace: User, name: str
    ) -> None:
        factories.published(ada, test, {"openbook": own_words("ada")}, name="Analytical Engine")
        sent = factories.scored(bob, test, {"openbook": own_words("bob")}, name=name)
        publish_submission(sent, actor=bob, anonymous_until=None)
        assert not is_ranked(sent)
        moderation.approve(sent, actor=grace)
        assert is_ranked(sent)
        factories.replace_file(sent, own_words("bob2"), by=bob)
        factories.score(sent)
        publish_submission(sent, actor=bob)
        assert not sent.publications.filter(state="pending").exists(), "the name was approved"

    def test_one_s_own_name_does_not_wait(self, test: Split, ada: User) -> None:
        factories.published(ada, test, {"openbook": own_words("ada")}, name="GPT-4")
        again = factories.scored(ada, test, {"openbook": own_words("newer")}, name="GPT-4")
        publish_submission(again, actor=ada)
        assert is_ranked(again)
        team = Team.objects.create(name="Team", slug="team")
        other = factories.scored(ada, test, {"openbook": own_words("team")}, name="Unheard of")
        Submission.objects.filter(pk=other.pk).update(team=team)
        publish_submission(Submission.objects.get(pk=other.pk), actor=ada)
        assert is_ranked(other)
