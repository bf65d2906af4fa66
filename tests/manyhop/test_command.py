"""The command on a real site: from a token to a published row, and its refusals."""

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from leaderboard.accounts import tokens
from leaderboard.models import Submission, User
from manyhop import credentials
from manyhop.cli import COMMANDS, importing, main
from manyhop.cli.running import print_table
from manyhop.cli.submitting import ONCE
from manyhop.client import Client
from manyhop.frames import table
from scoring.benchmarks.reference_texts import ReferenceTexts, texts_of_reference
from scoring.cli import COMMANDS as LOCAL
from scoring.models import AnswerBlock, Benchmark
from scoring.task_types import TASK_TYPES
from tests import boards, factories
from tests.processes import Site
from tests.scoring.logs import files as logs

STATEMENT = ["--split", "dev", "--name", "My system", "--authors", "A. Author", "--type", "PROMPT"]


@pytest.fixture(autouse=True)
def settings_of_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MANYHOP_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    for name in ("MANYHOP_SITE", "MANYHOP_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "config"


@pytest.fixture
def site(live_site: Site, tmp_path: Path) -> Site:
    made: Benchmark = factories.benchmark(n_test=12)
    boards.fill(factories.split(made, "dev"), factories.setting(made), 3)
    (tmp_path / "generations.jsonl").write_bytes(factories.generations(factories.perfect()))
    return live_site


@pytest.fixture
def signed_in(site: Site, monkeypatch: pytest.MonkeyPatch) -> User:
    ada = factories.user()
    _, secret = tokens.create_token(user=ada, name="laptop")
    monkeypatch.setenv("MANYHOP_SITE", site.url)
    monkeypatch.setenv("MANYHOP_TOKEN", secret)
    return ada


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
class TestOnASite:
    def test_from_a_token_to_a_published_row(
        self, site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str], settings_of_commands: Path
    ) -> None:
        ada = factories.user()
        _, secret = tokens.create_token(user=ada, name="laptop")
        command = [sys.executable, "-m", "manyhop", "login", "--site", site.url + "/"]
        done = subprocess.run(command, input=f"{secret}\n", text=True, env=dict(os.environ), check=False)
        assert done.returncode == 0
        assert credentials.site() == site.url
        assert credentials.token(site.url) == secret
        if os.name == "posix":
            assert stat.S_IMODE((settings_of_commands / "credentials.json").stat().st_mode) == 0o600

        file = tmp_path / "generations.jsonl"
        send = ["submit", f"openbook={file}", "--benchmark", "fanoutqa", *STATEMENT, "--no-wait", "--json"]
        assert main([*send, "--check-only"]) == 0
        assert json.loads(capsys.readouterr().out)["valid"]
        assert not Submission.objects.filter(owner=ada).exists()
        assert main(send) == 0
        sent = json.loads(capsys.readouterr().out)
        assert main(send) == 0, "the same content is the same submission"
        assert json.loads(capsys.readouterr().out)["id"] == sent["id"]
        assert main([*send, "--again", "second"]) == 0
        assert json.loads(capsys.readouterr().out)["id"] != sent["id"]

        factories.score(Submission.objects.get(pk=sent["id"]))
        assert main(["status", sent["id"], "--wait"]) == 0
        said = capsys.readouterr().out
        assert "1.0000" in said
        assert f"manyhop publish {sent['id']}" in said
        assert main(["publish", sent["id"], "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["is_public"]
        assert main(["status"]) == 0
        assert sent["id"] in capsys.readouterr().out
        assert main(["withdraw", sent["id"]]) == 2
        assert "--yes" in capsys.readouterr().err
        assert main(["withdraw", sent["id"], "--yes", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["state"] == "withdrawn"
        assert main(["logout", "--site", site.url]) == 0
        assert credentials.token(site.url) is None

    @pytest.mark.usefixtures("signed_in")
    def test_reading(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        def answer(*arguments: str) -> Any:
            assert main([*arguments, "--json"]) == 0
            return json.loads(capsys.readouterr().out)

        assert [line["slug"] for line in answer("benchmarks")] == ["fanoutqa"]
        assert answer("benchmarks", "fanoutqa")["default_split"]
        board = answer("board", "fanoutqa/dev/openbook")
        assert len(board["rows"]) == 3
        assert main(["board", "fanoutqa/dev/openbook"]) == 0
        shown = capsys.readouterr().out
        assert all(row["name"] in shown for row in board["rows"])
        assert main(["board", "fanoutqa/dev/openbook", "--all-columns"]) == 0
        every = capsys.readouterr().out
        assert {"LOOSE", "STRICT"} <= set(shown.split())
        folded = {
            column["score"].upper() for column in answer("benchmarks", "fanoutqa")["columns"] if not column["default"]
        }
        assert folded & set(every.split())
        assert not folded & set(shown.split())
        (sorting, *_) = sorted(folded & set(every.split()))
        assert main(["board", "fanoutqa/dev/openbook", "--sort", sorting.lower()]) == 0
        assert sorting in capsys.readouterr().out
        assert main(["board", "fanoutqa/dev/openbook", "--export", "csv"]) == 0
        header, *rows = capsys.readouterr().out.splitlines()
        assert {"system", "loose", "loose_low", "loose_high"} <= set(header.split(","))
        assert len(rows) >= 3
        assert main(["questions", "fanoutqa/dev", "--out", str(tmp_path / "questions.jsonl")]) == 0
        lines = (tmp_path / "questions.jsonl").read_text().splitlines()
        assert [json.loads(line)["id"] for line in lines] == ["dev-0", "dev-1", "dev-2", "dev-3"]
        slugs = [row["system"] for row in board["rows"]]
        compared = answer("compare", *slugs, "--board", "fanoutqa/dev/openbook")
        assert [system["system"] for system in compared["systems"]] == slugs
        assert main(["compare", *slugs, "--score", "loose"]) == 0
        assert capsys.readouterr().out.startswith("fanoutqa/dev/openbook")
        with Client(credentials.site()) as client:
            scores = table(client.question_scores(slugs[0], "dev", "openbook", "fanoutqa"))
        assert [row["question_id"] for row in scores] == ["dev-0", "dev-1", "dev-2", "dev-3"]
        assert set(scores[0]) >= {"answered", "loose"}
        assert main(["cite", "fanoutqa/dev/openbook"]) == 0
        assert "@" in capsys.readouterr().out
        one = ["board", "fanoutqa/dev/openbook", "--system", slugs[0], "--export"]
        assert main([*one, "every-eval-ever.json"]) == 0
        assert json.loads(capsys.readouterr().out)["evaluation_results"]
        assert main([*one, "csv"]) == 2
        assert "the formats of a system are every-eval-ever.json" in capsys.readouterr().err
        assert main(["croissant", "fanoutqa/dev"]) == 0
        assert json.loads(capsys.readouterr().out)["name"] == "FanOutQA-dev"

    @pytest.mark.usefixtures("signed_in")
    def test_a_wrong_file_is_not_sent(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        wrong = tmp_path / "wrong.jsonl"
        for content, said in (
            (b'{"id": "dev-0", "answer": 3}\n', "answer"),
            (b'{"id": "x", "answer": "a"}\n', "none of"),
        ):
            wrong.write_bytes(content)
            assert main(["submit", f"openbook={wrong}", *STATEMENT]) == 2
            told = capsys.readouterr().err
            assert said in told
            assert "Nothing was sent." in told

    @pytest.mark.usefixtures("signed_in")
    @pytest.mark.parametrize("end", ["--check-only", "--no-wait"])
    def test_another_number_of_attempts_than_the_split_takes_is_not_sent(
        self, end: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("manyhop.client.Client.validate", lambda *_, **__: pytest.fail("it was sent"))
        twice = tmp_path / "twice.jsonl"
        twice.write_bytes(factories.generations(dict.fromkeys([f"test-{n}" for n in range(12)], ("Oslo", "Rome"))))
        assert main(["submit", f"openbook={twice}", *STATEMENT, "--split", "test", end]) == 2
        told = capsys.readouterr().err
        assert "error: 2 attempts at each question; expected 1 attempt at each question" in told
        assert "Keep one line for each question" in told
        assert "Nothing was sent." in told
        assert not Submission.objects.filter(split__slug="test").exists()

    def test_a_lost_connection_makes_no_second_submission(
        self, signed_in: User, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        send = ["submit", f"openbook={tmp_path / 'generations.jsonl'}", *STATEMENT, "--no-wait"]
        really, lost = httpx.Client.send, 5
        monkeypatch.setattr("manyhop.client.FIRST_DELAY", 0.0)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

        def answer_is_lost(client: httpx.Client, request: httpx.Request) -> httpx.Response:
            nonlocal lost
            response = really(client, request)
            if request.method == "POST" and lost:
                lost -= 1
                raise httpx.ReadError("lost")
            return response

        monkeypatch.setattr(httpx.Client, "send", answer_is_lost)
        assert main(send) == 3, "five answers were lost"
        told = capsys.readouterr().err
        assert ONCE in told
        lost = 1
        assert main(send) == 0
        told = capsys.readouterr().err
        sizes = {match.groups() for match in re.finditer(r"Bytes sent: ([\d,]+) of ([\d,]+)", told)}
        assert any(sent == total for sent, total in sizes)
        assert main([*send, "--json"]) == 0
        read = capsys.readouterr()
        assert "Bytes sent" not in read.err
        submission = Submission.objects.get(owner=signed_in)
        assert json.loads(read.out)["id"] == str(submission.pk)

    @pytest.mark.usefixtures("signed_in")
    def test_epochs_of_a_log_become_attempts(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        log, out = tmp_path / "run.eval", tmp_path / "made.jsonl"
        samples = [logs.sample(f"dev-{n}", epoch) for n in range(4) for epoch in (1, 2) if (n, epoch) != (3, 2)]
        failed = logs.sample("dev-3", 2, error={"message": "timeout"}, output=None)
        log.write_bytes(logs.eval_log(*samples, failed))
        assert main(["import", str(log), "--benchmark", "fanoutqa", "--out", str(out), "--json"]) == 1
        said = capsys.readouterr()
        told = json.loads(said.out)
        assert (told["n_attempts"], told["n_answered"], told["n_with_usage"]) == (2, 7 // 2, 4)
        assert "2 attempts" in said.err
        lines = [json.loads(line) for line in out.read_text().splitlines()]
        assert [(line["id"], line["attempt"]) for line in lines] == [(f"dev-{n}", k) for n in range(4) for k in (1, 2)]
        send = ["submit", f"openbook={out}", *STATEMENT, "--no-wait", "--json"]
        assert main([*send, "--check-only"]) == 0
        assert "3 of 4 questions answered" in capsys.readouterr().err
        assert main(send) == 0
        sent = json.loads(capsys.readouterr().out)
        answer_set = Submission.objects.get(pk=sent["id"]).files.get().answer_set
        assert AnswerBlock.objects.attempts_of(answer_set, ["dev-3"]) == {"dev-3": ("dev-3 in 1", "")}

    @pytest.mark.usefixtures("signed_in")
    def test_a_log_becomes_a_submission(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        answers = factories.perfect()
        samples = [logs.sample(qid, output={"completion": text}) for qid, text in answers.items()]
        log, out, facts = tmp_path / "run.eval", tmp_path / "made.jsonl", tmp_path / "facts.json"
        log.write_bytes(logs.eval_log(*samples, logs.sample("of-no-question")))
        place = ["--benchmark", "fanoutqa", "--out", str(out), "--facts", str(facts)]
        assert main(["import", str(log), *place, "--json"]) == 1, "an id is of no question"
        said = capsys.readouterr()
        told = json.loads(said.out)
        assert (told["split"], told["n_answered"], told["n_questions"]) == ("dev", 4, 4)
        assert "of-no-question" in told["warnings"][0]
        assert "output.completion" in said.err
        lines = [json.loads(line) for line in out.read_text().splitlines()]
        assert {line["id"]: line["answer"] for line in lines} == answers
        assert lines[0]["usage"]["output_tokens"] == 4
        assert json.loads(facts.read_text())["model"] == "Qwen/Qwen3"
        assert logs.SECRET not in out.read_text() + facts.read_text() + said.out + said.err

        send = ["submit", f"openbook={log}", *STATEMENT, "--no-wait", "--json"]
        assert main(send) == 2, "the site leaves out no answer"
        assert "id is unknown" in capsys.readouterr().err
        log.write_bytes(logs.eval_log(*samples))
        assert main([*send, "--check-only"]) == 0
        capsys.readouterr()
        assert main(send) == 0
        said = capsys.readouterr()
        sent = Submission.objects.get(pk=json.loads(said.out)["id"])
        assert sent.run_facts["model"] == "Qwen/Qwen3"
        (file,) = sent.files.all()
        assert logs.SECRET.encode() not in file.original.read()
        assert file.answer_set.usage.totals["output_tokens"] == 16

        of_test = [logs.sample(qid, output={"completion": text}) for qid, text in factories.perfect("test", 12).items()]
        log.write_bytes(logs.eval_log(*of_test))
        assert main([*send, "--split", "test"]) == 0
        (file,) = Submission.objects.get(pk=json.loads(capsys.readouterr().out)["id"]).files.all()
        assert logs.SECRET.encode() not in file.original.read()

        log.write_bytes(logs.eval_log(logs.sample("of-no-question")))
        assert main(["import", str(log), *place]) == 2
        assert "--id-field" in capsys.readouterr().err
        assert main(["import", str(tmp_path), *place]) == 2
        assert main(["import", str(log), *place, "--answer-field", "target"]) == 2
        assert "output.completion" in capsys.readouterr().err

    @pytest.mark.usefixtures("signed_in")
    def test_a_table_whose_chosen_field_has_the_reference_answers_is_refused(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answers = factories.perfect()
        references = {qid: texts_of_reference(text, TASK_TYPES["text-answer"]) for qid, text in answers.items()}
        asked: list[tuple[str, ...]] = []

        def known(*place: str) -> dict[str, ReferenceTexts]:
            asked.append(place)
            return references

        monkeypatch.setattr(importing, "packaged_references", known)
        rows, out = tmp_path / "answers.jsonl", tmp_path / "made.jsonl"
        rows.write_bytes(logs.lines(*({"id": qid, "example_answer": text} for qid, text in answers.items())))
        place = ["--benchmark", "fanoutqa", "--out", str(out), "--answer-field", "example_answer"]
        assert main(["import", str(rows), *place]) == 2
        assert "“example_answer”: found the reference answers" in capsys.readouterr().err
        assert asked == [("fanoutqa", "dev")] and not out.exists()

    def test_refusals(self, site: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["status", "--site", site.url]) == 2
        assert "manyhop login" in capsys.readouterr().err
        assert main(["board", "nowhere/dev/openbook", "--site", site.url]) == 2
        file = tmp_path / "generations.jsonl"
        assert main(["submit", f"openbook={file}", *STATEMENT, "--field", "wrong", "--site", site.url]) == 2
        assert "NAME=VALUE" in capsys.readouterr().err
        assert main(["submit", str(file), *STATEMENT, "--site", site.url]) == 2
        assert "SETTING=FILE" in capsys.readouterr().err


def test_a_site_that_is_not_there(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("manyhop.client.FIRST_DELAY", 0.0)
    assert main(["benchmarks", "--site", "http://127.0.0.1:9"]) == 3
    assert "cannot be reached" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["", *LOCAL, *COMMANDS])
def test_every_command_describes_itself(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*filter(None, [command]), "--help"]
    try:
        status = main(arguments)
    except SystemExit as end:
        status = int(str(end.code))
    assert status == 0
    assert f"manyhop {command}".strip() in capsys.readouterr().out


def test_the_list_of_commands_names_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()} >= {
        *LOCAL,
        *COMMANDS,
        "site",
    }
    assert main(["scroe"]) == 2
    assert "'scroe'" in capsys.readouterr().err


def test_scoring_is_the_same_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    references, file = tmp_path / "refs.json", tmp_path / "generations.jsonl"
    references.write_text('[{"id": "a", "answer": "Oslo"}]')
    file.write_text('{"id": "a", "answer": "Oslo, of course"}\n')
    arguments = ["--references", str(references), "--generations", str(file), "--lemmatiser", "lookup"]
    assert main(["score", *arguments]) == 0
    said = capsys.readouterr().out
    assert json.loads(said)["scores"]["loose"] == 1.0
    from scoring.__main__ import main as score

    assert score(arguments) == 0
    assert capsys.readouterr().out == said


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    if shell == "bash":
        words = "COMP_WORDS=(manyhop submit --ben); COMP_CWORD=2; _manyhop; echo ${COMPREPLY[@]}"
        done = subprocess.run(["bash", "-c", f"{script}\n{words}"], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["--benchmark"]
    else:
        assert "bashcompinit" in script


def test_a_keyring_keeps_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[tuple[str, str], str] = {}

    class Ring:
        @staticmethod
        def set_password(service: str, site: str, token: str) -> None:
            kept[service, site] = token

        @staticmethod
        def get_password(service: str, site: str) -> str | None:
            return kept.get((service, site))

        @staticmethod
        def delete_password(service: str, site: str) -> None:
            del kept[service, site]

    monkeypatch.setattr(credentials, "_keyring", lambda: Ring)
    credentials.store("https://a", "mh_secret")
    assert "mh_secret" not in credentials.file().read_text()
    assert credentials.token("https://a") == "mh_secret"
    assert credentials.forget("https://a")
    assert not kept
    assert not credentials.forget("https://a")


def test_a_table_writes_no_small_number_as_0(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["P"], [[1e-300], [0.0002], [0.0]])
    assert capsys.readouterr().out.split("\n")[1:4] == ["< 0.0001", "  0.0002", "  0.0000"]
