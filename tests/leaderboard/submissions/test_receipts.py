"""Receipts: of what was really scored, signed, checked offline, and shown to nobody too soon."""

import base64
import datetime
import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from leaderboard.models import Receipt, ReceiptKey, Submission, User
from leaderboard.publishing import pseudonyms
from leaderboard.publishing import services as publishing
from leaderboard.publishing.reveal import reveal_submission
from leaderboard.submissions import services
from leaderboard.submissions.receipts import services as issuing
from leaderboard.submissions.receipts.views import OTHER_KEY
from leaderboard.tasks import issue_receipts
from scoring import receipts
from scoring.__main__ import main
from scoring.cli import verify
from scoring.models import Benchmark, Score
from tests import factories
from tests.paths import ROOT

pytestmark = pytest.mark.django_db
ANSWERS = factories.perfect("test") | {"test-0": "Oslo ünï"}


@pytest.fixture
def ada(made: Benchmark) -> User:
    return factories.user()


@pytest.fixture
def sent(made: Benchmark, ada: User) -> Submission:
    return factories.scored(ada, factories.split(made, "test"), {"openbook": ANSWERS, "closedbook": ANSWERS})


def issued(sent: Submission) -> Receipt:
    receipt = issuing.issue(sent)
    assert receipt is not None
    return receipt


def document(sent: Submission) -> dict[str, Any]:
    return issuing.as_document(issued(sent), with_answers=True)


def written(folder: Path, content: dict[str, Any], name: str = "receipt.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content))
    return path


def verified(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    code = main(["verify", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out + said.err


class TestIssuing:
    def test_it_tells_what_was_scored(self, sent: Submission) -> None:
        found = document(sent)
        statement = found["statement"]
        assert (statement["submission"], statement["split"], statement["system"]) == (
            str(sent.pk),
            "test",
            "Example system",
        )
        named = [{name: value for name, value in one.items() if name != "commitment"} for one in statement["scores"]]
        # The receipt does not name its owner.
        assert not re.search(r"\bada\b", json.dumps(statement | {"scores": named})), (
            "the receipt does not name its owner"
        )
        files = {file["setting"]: file for file in statement["files"]}
        assert {name: file["sha256"] for name, file in files.items()} == {
            file.setting.slug: file.sha256 for file in sent.files.all()
        }
        values = {(one["setting"], one["name"]): one["value"] for one in statement["scores"]}
        stored = Score.objects.filter(run__answer_set__submission_file__submission=sent)
        assert len(values) == stored.count() > 0
        one = stored.get(name="loose", run__answer_set__setting__slug="openbook")
        assert values["openbook", "loose"] == round(one.value, 3), "a hidden split"
        assert values["openbook", "rouge1.precision"] is None
        assert one.signature in {score["signature"] for score in statement["scores"]}
        assert found["answers"]["openbook"]["test-0"] == receipts.answer_hash("Oslo ünï")
        assert not receipts.wrong_answers(found)

    def test_the_signature_is_one_by_the_published_key(self, sent: Submission) -> None:
        """By the library alone, without a line of ours."""
        found = document(sent)
        text = json.dumps(found["statement"], sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
        public = base64.b64decode(ReceiptKey.objects.get().public_key)
        Ed25519PublicKey.from_public_bytes(public).verify(base64.b64decode(found["signature"]), text)

    def test_each_state_has_one_and_none_changes(self, made: Benchmark, ada: User, sent: Submission) -> None:
        waiting = factories.submission(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        issue_receipts()
        [first] = Receipt.objects.all()
        assert first.submission == sent, "nothing is said of what is not scored yet"
        before = first.statement_json
        issue_receipts()
        assert issuing.issue(sent) is None
        assert Receipt.objects.count() == 1
        factories.score(waiting)
        issue_receipts()
        assert Receipt.objects.filter(submission=waiting).count() == 1
        run = sent.files.order_by("pk")[0].answer_set.runs.get(metric="rouge")
        run.finished_at = timezone.now() + datetime.timedelta(days=1)
        run.save()
        run.scores.filter(name="rouge1.fscore").update(value=0.25)
        issue_receipts()
        assert Receipt.objects.filter(submission=sent).count() == 2
        first.refresh_from_db()
        assert first.statement_json == before

    def test_one_is_not_issued_for_what_was_withdrawn(self, sent: Submission, ada: User) -> None:
        services.withdraw_submission(sent, actor=ada)
        issue_receipts()
        assert not Receipt.objects.exists()

    def test_a_key_of_ones_own_and_a_change_of_keys(self, sent: Submission, settings: Any, client: Client) -> None:
        first = issued(sent)
        settings.RECEIPT_KEY = base64.b64encode(bytes(range(32))).decode()
        Score.objects.filter(name="loose").update(value=0.5)
        second = issued(sent)
        assert first.key != second.key
        assert receipts.signature_holds(issuing.as_document(first, with_answers=False))
        assert receipts.signature_holds(issuing.as_document(second, with_answers=False))
        listed = client.get("/receipts/keys/").json()
        assert [one["fingerprint"] for one in listed["keys"]] == [first.key.fingerprint, second.key.fingerprint]
        assert listed["current"] == second.key.fingerprint
        settings.RECEIPT_KEY = "not a key"
        with pytest.raises(receipts.ReceiptError, match="a key is not valid"):
            issuing.site_key()

    def test_the_derived_key_is_the_same_each_time_and_no_other_sites(self) -> None:
        one, again, other = (receipts.public_text(receipts.key_from_secret(text * 20)) for text in ("ab", "ab", "ac"))
        assert one == again != other


class TestShowing:
    def test_only_its_owner_sees_it_until_it_is_published(self, sent: Submission, ada: User, client: Client) -> None:
        receipt = issued(sent)
        address = receipt.get_absolute_url()
        stranger = factories.user("eve")
        for asker in (None, stranger):
            if asker:
                client.force_login(asker)
            assert client.get(address).status_code == 404
            assert client.get(f"{address}receipt.json").status_code == 404
        client.force_login(ada)
        assert "answers" in client.get(f"{address}receipt.json").json()
        page = client.get(address)
        assert page.status_code == 200
        assert "Example system" in page.content.decode()
        assert address in client.get(sent.get_absolute_url()).content.decode()
        publishing.publish_submission(sent, actor=ada)
        everybody = Client()
        assert everybody.get(address).status_code == 200
        public = everybody.get(f"{address}receipt.json").json()
        assert "answers" not in public, "the hash of a short answer tells it"
        assert receipts.signature_holds(public)

    def test_how_files_were_called_is_for_who_sent_them(self, sent: Submission, ada: User, client: Client) -> None:
        assert "filename" not in json.dumps(document(sent))
        publishing.publish_submission(sent, actor=ada)
        old = Receipt.objects.get()
        statement = json.loads(old.statement_json)
        statement["files"][0]["filename"] = "secret-project.jsonl"
        old.statement_json = receipts.canonical(statement).decode()
        old.signature = receipts.sign(issuing.site_key(), statement)
        old.basis = "0" * 64
        old.save()
        kept = receipts.canonical(issuing.as_document(old, with_answers=False))
        Receipt.objects.update(names_files=True)
        address = old.get_absolute_url()
        assert client.get(address).status_code == 404, "there is none yet to show instead"
        assert (issuing.issue_due(), issuing.issue_due()) == (1, 0)
        newer = Receipt.objects.get(names_files=False)
        assert client.get(address)["Location"] == newer.get_absolute_url()
        assert client.get(f"{address}receipt.json")["Location"] == f"{newer.get_absolute_url()}receipt.json"
        shown = client.get(f"{address}receipt.json", follow=True).json()
        assert receipts.signature_holds(shown) and "secret-project" not in json.dumps(shown)
        assert "secret-project" not in client.get(address, follow=True).content.decode()
        answer = client.post("/receipts/verify/", {"receipt": SimpleUploadedFile("receipt.json", kept)})
        assert "Receipt verified" in answer.content.decode(), "who has the old one can go on checking it"
        client.force_login(ada)
        assert "secret-project.jsonl" in client.get(address).content.decode()

    def test_not_while_it_is_on_the_board_under_another_name(self, sent: Submission, ada: User, client: Client) -> None:
        receipt = issued(sent)
        publishing.publish_submission(sent, actor=ada, anonymous_until=pseudonyms.today() + datetime.timedelta(days=9))
        assert client.get(receipt.get_absolute_url()).status_code == 404
        reveal_submission(sent, actor=ada)
        assert client.get(receipt.get_absolute_url()).status_code == 200


class TestCommand:
    def test_a_receipt_and_its_file(self, sent: Submission, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = written(tmp_path, document(sent))
        file = tmp_path / "generations.jsonl"
        file.write_bytes(factories.generations(ANSWERS))
        key = ReceiptKey.objects.get()
        for given in (key.public_key, key.fingerprint):
            code, said = verified(capsys, path, "--generations", file, "--key", given)
            assert code == 0, said
        assert "byte for byte" in said
        assert "openbook loose = " in said
        assert verify.VALID in said

    def test_the_same_answers_in_other_bytes(
        self, sent: Submission, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = written(tmp_path, document(sent))
        file = tmp_path / "generations.jsonl.gz"
        file.write_bytes(gzip.compress(factories.generations(dict(reversed(ANSWERS.items())))))
        code, said = verified(capsys, path, "--generations", file, "--setting", "openbook")
        assert (code, verify.SAME_ANSWERS.format("openbook") in said) == (0, True)
        code, said = verified(capsys, path, "--generations", file)
        assert (code, verify.CHOOSE.partition("(")[0] in said, " --setting" in said) == (2, True, True)

    def test_another_file_is_told_by_its_answers(
        self, sent: Submission, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = written(tmp_path, document(sent))
        file = tmp_path / "generations.jsonl"
        file.write_bytes(factories.generations(ANSWERS | {"test-2": "Bergen", "new": "x"}))
        code, said = verified(capsys, path, "--generations", file, "--setting", "closedbook")
        assert code == 2
        assert verify.OTHER_FILE.format("closedbook") in said
        assert "2 answers differ: new, test-2" in said

    @pytest.mark.parametrize("what", ["value", "file", "answers", "signature", "key", "other key"])
    def test_whatever_is_changed_is_found(
        self, sent: Submission, tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str
    ) -> None:
        found = document(sent)
        arguments: list[str] = []
        if what == "value":
            found["statement"]["scores"][0]["value"] += 1e-15 + found["statement"]["scores"][0]["value"] * 1e-15
        elif what == "file":
            found["statement"]["files"][0]["sha256"] = "0" * 64
        elif what == "answers":
            found["answers"]["openbook"]["test-0"] = receipts.answer_hash("Bergen")
        elif what == "signature":
            found["signature"] = base64.b64encode(bytes(64)).decode()
        elif what == "key":
            stranger = receipts.key_from_secret("somebody else" * 5)
            found["public_key"] = receipts.public_text(stranger)
        else:
            stranger = receipts.key_from_secret("somebody else" * 5)
            found |= {
                "public_key": receipts.public_text(stranger),
                "signature": receipts.sign(stranger, found["statement"]),
            }
            arguments = ["--key", ReceiptKey.objects.get().fingerprint]
        code, said = verified(capsys, written(tmp_path, found), *arguments)
        assert code == 2, said
        assert "Verification failed." in said

    @pytest.mark.parametrize(
        "content",
        ["", "[]", "{}", '{"statement": {"format": "other"}}', '{"statement": {"format": "manyhop-receipt/1"}}'],
    )
    def test_what_is_no_receipt(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str) -> None:
        path = tmp_path / "receipt.json"
        path.write_text(content)
        code, said = verified(capsys, path)
        assert (code, "error: " in said) == (2, True)
        assert verified(capsys, tmp_path / "missing.json")[0] == 2

    def test_it_needs_neither_a_site_nor_a_database(self, sent: Submission, tmp_path: Path) -> None:
        path = written(tmp_path, document(sent))
        code = (
            "import sys, runpy\n"
            f"sys.argv = ['scoring', 'verify', {str(path)!r}]\n"
            "try:\n    runpy.run_module('scoring', run_name='__main__')\n"
            "except SystemExit as end:\n    assert end.code == 0, end.code\n"
            "assert not {name.partition('.')[0] for name in sys.modules} & {'django', 'celery', 'spacy', 'psycopg'}\n"
        )
        environment = {key: text for key, text in os.environ.items() if not key.startswith("DJANGO")}
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


class TestPage:
    def post(self, client: Client, content: bytes, generations: bytes | None = None) -> tuple[int, str]:
        files = {"receipt": SimpleUploadedFile("receipt.json", content)}
        if generations is not None:
            files["generations"] = SimpleUploadedFile("generations.jsonl", generations)
        answer = client.post("/receipts/verify/", files)
        return answer.status_code, answer.content.decode()

    def test_a_receipt_of_this_site_holds(self, sent: Submission, client: Client) -> None:
        content = receipts.canonical(document(sent))
        status, page = self.post(client, content, factories.generations(ANSWERS))
        assert (status, "Receipt verified" in page) == (200, True)
        assert "byte for byte" in page
        assert verify.WHOSE_KEY not in page and "--key" not in page
        status, page = self.post(client, content, factories.generations({"test-0": "x"}))
        assert (status, "Verification failed" in page) == (422, True)

    def test_one_that_somebody_signed_himself_does_not(self, sent: Submission, client: Client) -> None:
        found = document(sent)
        stranger = receipts.key_from_secret("somebody else" * 5)
        found |= {
            "public_key": receipts.public_text(stranger),
            "signature": receipts.sign(stranger, found["statement"]),
        }
        status, page = self.post(client, receipts.canonical(found))
        assert (status, OTHER_KEY[1:] in page) == (422, True)

    @pytest.mark.parametrize(
        "content", [b"", b"no JSON", b"\xff\xfe", b'{"statement": {"format": "<script>"}}', b"[" * 100_000]
    )
    def test_what_is_no_receipt_is_said_to_be_none(self, client: Client, content: bytes) -> None:
        status, page = self.post(client, content)
        assert (status, 'href="#id_receipt"' in page) == (422, True)
        assert "<script>" not in page.replace("<script src", "")


class TestCommitments:
    def test_they_are_opened_by_the_exact_values_alone(self, sent: Submission) -> None:
        receipt = issued(sent)
        found = issuing.as_document(receipt, with_answers=True)
        openings = issuing.openings_of(receipt)
        scores = found["statement"]["scores"]
        assert len(openings) == len(scores) > 0
        assert all(len(one["commitment"]) == 64 for one in scores)
        assert receipts.wrong_openings(found, openings) == []
        exact = {(one.run.answer_set.setting.slug, one.name): one.value for one in Score.objects.all()}
        assert {(one["setting"], one["name"]): one["value"] for one in openings} == exact
        openings[0]["value"] += 1e-9
        assert len(receipts.wrong_openings(found, openings)) == 1
        assert len(receipts.wrong_openings(found, [])) == len(scores)
        assert openings[0]["salt"] not in json.dumps(found)

    def test_an_open_split_has_none(self, made: Benchmark, ada: User) -> None:
        sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect()})
        receipt = issued(sent)
        assert receipt.openings_json == ""
        assert "commitment" not in receipt.statement_json

    def test_a_maintainer_proves_them_by_command_and_page(
        self, sent: Submission, client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        receipt = issued(sent)
        path = written(tmp_path, issuing.as_document(receipt, with_answers=False))
        call_command("open_receipt", str(receipt.pk))
        openings = tmp_path / "openings.json"
        openings.write_text(capsys.readouterr().out)
        assert verified(capsys, path, "--openings", openings)[0] == 0
        openings.write_text("[]")
        code, said = verified(capsys, path, "--openings", openings)
        assert (code, "commits to" in said) == (2, True)
        client.force_login(factories.maintainer())
        upload = SimpleUploadedFile("receipt.json", path.read_bytes())
        assert client.post("/receipts/verify/", {"receipt": upload}).status_code == 200
        receipt.openings_json = "[]"
        receipt.save()
        upload.seek(0)
        assert client.post("/receipts/verify/", {"receipt": upload}).status_code == 422, "values that prove nothing"

    def test_receipts_with_exact_values_are_for_maintainers(self, sent: Submission, ada: User, client: Client) -> None:
        old = issued(sent)
        Receipt.objects.update(has_exact_values=True, basis="an earlier one")
        client.force_login(ada)
        assert client.get(old.get_absolute_url()).status_code == 404
        issue_receipts()
        newer = Receipt.objects.get(has_exact_values=False)
        assert client.get(old.get_absolute_url())["Location"] == newer.get_absolute_url()
        client.force_login(factories.maintainer())
        assert client.get(old.get_absolute_url()).status_code == 200
