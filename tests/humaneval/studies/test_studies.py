"""Making studies, and who sees them."""

import datetime
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from humaneval.encyclopedia.base import EncyclopediaNotConfiguredError
from humaneval.encyclopedia.reader import source_of
from humaneval.models import SamplingMethod, Study, StudyState
from humaneval.participants import invitations
from humaneval.results.exports.archive import about
from humaneval.studies.kinds.answer import CONSENT, INSTRUCTIONS
from humaneval.studies.services import clone_study, create_study, update_study
from leaderboard.accounts import tokens
from leaderboard.models import AuditRecord, User
from scoring.models import Benchmark, Split
from tests import factories

pytestmark = pytest.mark.django_db
NOW = datetime.datetime(2027, 3, 1, tzinfo=datetime.UTC)
DAY = datetime.timedelta(days=1)


@pytest.fixture
def hidden_split(made: Benchmark) -> Split:
    return factories.split(made, "test")


@pytest.fixture
def ada() -> User:
    return factories.user("ada")


def bearer(user: User) -> dict[str, str]:
    _, secret = tokens.create_token(user=user, name="test", scope="maintain")
    return {"Authorization": f"Bearer {secret}"}


class TestMaking:
    def test_the_usual_words_name_the_number_of_questions(self, ada: User, hidden_split: Split) -> None:
        study = factories.study(ada, hidden_split)
        assert study.instructions == INSTRUCTIONS.format(n_questions=2).strip()
        assert CONSENT.strip() in study.consent_text
        fixed = factories.study(
            ada, hidden_split, drawing=SamplingMethod.FIXED, question_ids=["test-0", "test-1", "test-2"]
        )
        assert fixed.instructions == INSTRUCTIONS.format(n_questions=3).strip()

    def test_only_maintainers_and_commands_choose_the_encyclopedia_and_one_that_can_be_opened(
        self, ada: User, hidden_split: Split
    ) -> None:
        """For every caller: the server reads the file, or contacts the host, that the address names."""
        setting = factories.setting(hidden_split.benchmark)
        make = partial(create_study, split=hidden_split, setting=setting, name="Any", questions_per_participant=2)
        address = "mediawiki:http://127.0.0.1:9/w/api.php#date=2023-11-20"
        for owner, by, source, problem in (
            (ada, None, address, "Only maintainers"),
            (ada, ada, address, "Only maintainers"),
            (ada, "a command", "zim:/nowhere.zim", "was not found"),
            (ada, "a command", "file:///etc/passwd", "zim:, mediawiki:"),
        ):
            with pytest.raises(ValidationError, match=problem):
                make(owner=owner, by=by, encyclopedia=source)
        assert not Study.objects.exists()
        study = make(owner=factories.maintainer(), encyclopedia=address)
        for by, source in (
            (ada, "mediawiki:http://127.0.0.1:10/w/api.php#date=2023-11-20"),
            (ada, ""),
            (study.owner, "mediawiki:http://x@127.0.0.1/w/api.php#date=2023-11-20"),
        ):
            with pytest.raises(ValidationError):
                update_study(study, {"encyclopedia": source}, by=by)
        assert Study.objects.get().encyclopedia == address
        assert update_study(study, {"encyclopedia": address, "seats": 3}, by=ada) == ["seats"]
        assert clone_study(study, by=ada).encyclopedia == address, "a maintainer chose it"

    @pytest.mark.parametrize(
        "address",
        [
            "ftp://host/x",
            "mediawiki:file:///etc/passwd#date=2023-11-20",
            "mediawiki:https://host/w/api.php",
            "zim:/a\0b",
            "zim:",
        ],
    )
    def test_a_wrong_address_is_neither_taken_nor_opened_and_hinders_no_other_change(
        self, ada: User, hidden_split: Split, address: str
    ) -> None:
        study = factories.study(ada, hidden_split)
        with pytest.raises(ValidationError):
            update_study(study, {"encyclopedia": address}, by="a command")
        Study.objects.update(encyclopedia=address.replace("\0", "\n"))  # as one from before there was a check
        old = Study.objects.get()
        with pytest.raises(EncyclopediaNotConfiguredError):
            source_of(old)
        assert update_study(old, {"seats": 3}, by=ada) == ["seats"]

    def test_state_follows_from_its_dates(self, ada: User, hidden_split: Split) -> None:
        study = factories.study(ada, hidden_split, opens_at=NOW, closes_at=NOW + DAY)
        moments = (NOW - DAY, NOW, NOW + DAY)
        assert [study.state_at(one) for one in moments] == [StudyState.DRAFT, StudyState.OPEN, StudyState.CLOSED]
        assert factories.study(ada, hidden_split).state == StudyState.DRAFT


class TestTheCommand:
    def run(self, *arguments: str, **options: Any) -> None:
        call_command("create_study", "fanoutqa", "test", "openbook", "Spring study", *arguments, **options)

    def test_makes_a_study(self, made: Benchmark, ada: User, tmp_path: Path, capsys: Any) -> None:
        ids = tmp_path / "ids.txt"
        ids.write_text("test-2\ntest-0\n")
        self.run("--owner", "ada", "--drawing", "fixed", "--ids", str(ids), "--opens", "2026-01-31", "--seats", "3")
        study = Study.objects.get()
        assert (study.question_ids, study.seats, study.owner) == (["test-2", "test-0"], 3, ada)
        assert study.opens_at == timezone.make_aware(datetime.datetime(2026, 1, 31, tzinfo=None))  # noqa: DTZ001
        assert "Spring study (spring-study): Fixed list" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["--owner", "nobody"], "account nobody."),
            (["--owner", "ada", "--questions", "9"], "questions_per_participant: "),
            (["--owner", "ada", "--opens", "soon"], "--opens: 'soon'"),
            (["--owner", "ada", "--opens", "2027-02-31"], "--opens: '2027-02-31'"),
            (["--owner", "ada", "--ids", "nowhere.txt"], "nowhere.txt: cannot be read"),
            (["--owner", "ada", "--practice", "test-0"], "a question test-0"),
            (["--owner", "ada", "--encyclopedia", "ftp://example.org", "--questions", "2"], "encyclopedia: "),
            (["--owner", "ada", "--questions", "2", "--links", "501"], "between 1 and 500 links"),
            (["--owner", "ada", "--if-missing"], "--if-missing needs --slug"),
            (["--owner", "ada", "--slug", "new", "--questions", "2"], "slug: "),
        ],
    )
    def test_says_what_is_wrong(self, made: Benchmark, ada: User, arguments: list[str], said: str) -> None:
        with pytest.raises(CommandError, match=said.replace("(", r"\(").replace(".", r"\.")):
            self.run(*arguments)
        assert not Study.objects.exists()

    def test_does_what_the_page_does(self, made: Benchmark, ada: User, tmp_path: Path, capsys: Any) -> None:
        checks = tmp_path / "checks.json"
        checks.write_text('[{"text": "Write blue.", "answers": ["blue"]}]')
        arguments = ["--owner", "ada", "--questions", "2", "--attention-checks", str(checks), "--practice", "dev-1"]
        arguments += ["--on-withdrawal", "anonymise", "--reward", "A book.", "--links", "2", "--shared-link", "5"]
        self.run(*arguments, "--opens", "now")
        study = Study.objects.get()
        assert (study.attention_checks[0]["text"], study.on_withdrawal) == ("Write blue.", "anonymise")
        assert (study.reward_note, study.state) == ("A book.", StudyState.OPEN)
        assert study.practice_question is not None
        assert study.practice_question.qid == "dev-1"
        _, *links = capsys.readouterr().out.splitlines()
        assert links == [invitations.address_of(link) for link in study.invitations.order_by("created_at")]
        assert set(AuditRecord.objects.values_list("actor_name", flat=True)) == {"manage.py create_study"}

    def test_takes_learning_and_time_limits(self, made: Benchmark, ada: User, tmp_path: Path) -> None:
        path = tmp_path / "learning.json"
        entries = [
            {"use": use, "question": "Capital?", "why": "It is.", "expected": ["Oslo", "Christiania"]}
            for use in ("example", "test", "test")
        ]
        path.write_text(json.dumps(entries))
        arguments = ["--owner", "ada", "--questions", "2", "--learning", str(path), "--test-attempts", "2"]
        self.run(*arguments, "--keeps-texts-days", "30", "--keeps-codes-days", "7")
        study = Study.objects.get()
        assert (study.learning, study.test_attempts) == (entries, 2)
        assert (study.keeps_texts_days, study.keeps_codes_days) == (30, 7)
        exported = about(study)
        assert {name: exported[name] for name in ("learning", "test_attempts", "keeps_texts_days")} == {
            "learning": entries,
            "test_attempts": 2,
            "keeps_texts_days": 30,
        }

    @pytest.mark.parametrize(
        ("entry", "said"),
        [
            ('[{"use": "test", "question": "\\ud800", "why": "w", "expected": ["a"]}]', "cannot be read as JSON"),
            ("[1]", "Write a list of objects with expected, question, use, why"),
            ('[{"use": "test", "answer": "x"}]', "Write a list of objects with"),
            ('[{"use": "quiz", "question": "?", "why": "w", "expected": ["a"]}]', "Entry 1, Use: "),
            ('[{"use": "test", "question": "?", "why": "w", "expected": []}]', "Entry 1, Right answers: "),
            ('[{"use": "test", "question": "?", "why": "w"}]', "Entry 1, Right answers: "),
            ('[{"use": "test", "question": "?", "why": "w", "expected": ["a"]}]', "even number"),
        ],
    )
    def test_says_what_is_wrong_with_learning(
        self, made: Benchmark, ada: User, tmp_path: Path, entry: str, said: str
    ) -> None:
        path = tmp_path / "learning.json"
        path.write_text(entry)
        with pytest.raises(CommandError, match=said):
            self.run("--owner", "ada", "--questions", "2", "--learning", str(path), "--test-attempts", "2")
        assert not Study.objects.exists()

    def test_makes_one_only_if_it_is_missing(self, made: Benchmark, ada: User, capsys: Any) -> None:
        arguments = ["--owner", "ada", "--questions", "2", "--slug", "mine", "--shared-link", "5", "--if-missing"]
        self.run(*arguments)
        first = capsys.readouterr().out
        self.run(*arguments)
        assert capsys.readouterr().out == first
        assert first.count("/studies/mine/join/") == 1
        assert Study.objects.get().invitations.count() == 1

    def test_names_what_is_not_imported(self, made: Benchmark, ada: User) -> None:
        with pytest.raises(CommandError, match="There is no fanoutqa/train/openbook"):
            call_command("create_study", "fanoutqa", "train", "openbook", "X", "--owner", "ada")


class TestTheApi:
    def test_shows_owners_their_own(self, client: Client, ada: User, hidden_split: Split) -> None:
        study = factories.study(ada, hidden_split)
        factories.study(factories.user("eve"), hidden_split, name="Eve's")
        (line,) = client.get("/api/v1/studies/", headers=bearer(ada)).json()
        assert (line["slug"], line["split"], line["state"]) == ("spring-study", "test", "draft")
        body = client.get(line["url"], headers=bearer(ada)).json()
        assert body["instructions"] == study.instructions
        assert body["questions_per_participant"] == 2

    def test_hides_others_and_needs_an_account(self, client: Client, ada: User, hidden_split: Split) -> None:
        factories.study(ada, hidden_split)
        eve = bearer(factories.user("eve"))
        assert client.get("/api/v1/studies/", headers=eve).json() == []
        assert client.get("/api/v1/studies/spring-study/", headers=eve).status_code == 404
        assert client.get("/api/v1/studies/").status_code == 401
        assert client.get("/api/v1/studies/spring-study/").status_code == 401

    def test_shows_maintainers_all(self, client: Client, ada: User, hidden_split: Split) -> None:
        factories.study(ada, hidden_split)
        assert len(client.get("/api/v1/studies/", headers=bearer(factories.maintainer())).json()) == 1

    @pytest.mark.parametrize("number", [1, 7])
    def test_the_list_costs_the_same_for_any_number(
        self,
        client: Client,
        ada: User,
        hidden_split: Split,
        number: int,
        django_assert_num_queries: DjangoAssertNumQueries,
    ) -> None:
        for _ in range(number):
            factories.study(ada, hidden_split)
        headers = bearer(ada)
        client.get("/api/v1/studies/", headers=headers)
        with django_assert_num_queries(2):
            assert len(client.get("/api/v1/studies/", headers=headers).json()) == number
