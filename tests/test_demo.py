"""The demo as a newcomer runs it: real processes, a data directory of its own, a free port.

With ``MANYHOP_DEMO_PYTHON`` it runs in another environment, such as one with only what the site needs.
"""

import fcntl
import json
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

import psutil
import pytest

from leaderboard.project.demo.content import (
    EXAMPLE_FILE,
    EXAMPLE_NAME,
    EXAMPLE_SETTING,
    MISTAKES_FILE,
    OTHER_EXAMPLE_NAME,
    PAIRS_SLUG,
    STUDY_NAME,
)
from leaderboard.project.management.commands.demo import STOP_HINT
from tests.paths import ROOT
from tests.services import Process, free_port, is_alive, wait_for

pytestmark = pytest.mark.slow

PYTHON = os.environ.get("MANYHOP_DEMO_PYTHON") or sys.executable
READY = STOP_HINT
START_SECONDS = 180
STOP_SECONDS = 30


def environment(data: Path, port: int | str) -> dict[str, str]:
    """What a newcomer's shell might hold: nothing of ours, and settings of a site that the demo must not touch."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(data),
        "MANYHOP_DATA_DIR": str(data),
        "PORT": str(port),
        "DATABASE_URL": "postgres://nobody:nothing@127.0.0.1:1/production",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "DEBUG": "1",
    }


def run(data: Path, port: int | str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PYTHON, "manage.py", "demo", *words],
        cwd=ROOT,
        env=environment(data, port),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=START_SECONDS,
        check=False,
    )


class Demo:
    """A demo, started and stopped again and again on the same data."""

    def __init__(self, directory: Path) -> None:
        self.data = directory / "data with a space"
        self.log = directory / "demo.log"
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.output = ""
        self.process = Process(
            "demo",
            [PYTHON, "manage.py", "demo"],
            self.log,
            environment=environment(self.data, self.port),
            directory=ROOT,
        )

    def start(self) -> list[psutil.Process]:
        """Starts it, waits until it says what to try, and returns every process of it."""
        self.log.write_text("")
        self.process.start()
        self.process.wait_until(lambda: READY in self.log.read_text(), START_SECONDS)
        self.output = self.log.read_text()
        return [psutil.Process(self.process.pid), *psutil.Process(self.process.pid).children(recursive=True)]

    def password(self, name: str) -> str:
        found = re.search(rf"^  {name} +(\S+)", self.output, re.MULTILINE)
        assert found is not None, self.output
        return found[1]

    def link(self, path: str) -> str:
        """The path of the first printed link that matches a pattern."""
        found = re.search(rf"{re.escape(self.url)}({path})", self.output)
        assert found is not None, self.output
        return found[1]

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.data / "manyhop.sqlite3")) as database:
            return database.execute(query).fetchall()

    def get(self, path: str) -> str:
        with build_opener().open(self.url + path, timeout=30) as response:
            return str(response.read().decode())

    def sign_in(self, name: str) -> OpenerDirector:
        browser = build_opener(HTTPCookieProcessor(CookieJar()))
        address = f"{self.url}/accounts/sign-in/"
        with browser.open(address, timeout=30) as response:
            token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', response.read().decode())
        assert token is not None
        fields = {"username": name, "password": self.password(name), "csrfmiddlewaretoken": token[1]}
        with browser.open(Request(address, urlencode(fields).encode(), {"Referer": address}), timeout=30) as response:
            assert response.status == 200
        return browser


def all_gone(processes: list[psutil.Process]) -> bool:
    return not any(is_alive(process) for process in processes)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    demo = Demo(tmp_path_factory.mktemp("demo"))
    demo.data.mkdir()
    yield demo
    demo.process.stop()


@pytest.fixture(scope="module")
def family(demo: Demo) -> list[psutil.Process]:
    """Every process of the demo after its first start."""
    return demo.start()


@pytest.mark.usefixtures("family")
class TestFirstStart:
    """From an empty directory to a site in use. These run in order, on one demo."""

    def test_it_runs_the_programs_of_a_real_site(self, family: list[psutil.Process]) -> None:
        commands = [" ".join(process.cmdline()) for process in family]
        for program in ("gunicorn", "--queues cpu,judge,bleurt", "--queues site --beat"):
            assert any(program in command for command in commands), commands

    def test_it_listens_on_this_machine_alone(self, family: list[psutil.Process]) -> None:
        listening = {
            (connection.laddr.ip, connection.laddr.port)
            for process in family
            for connection in process.net_connections(kind="inet")
            if connection.status == psutil.CONN_LISTEN
        }
        assert [ip for ip, port in listening] == ["127.0.0.1"]

    def test_the_board_shows_the_example_and_the_published_results(self, demo: Demo) -> None:
        assert f"{demo.url}/" in demo.output
        board = demo.link(rf"\S*/{EXAMPLE_SETTING}\S*")
        assert EXAMPLE_NAME in demo.get(board)
        assert "Claude 2.1" in demo.get("/"), "the best reported system"
        assert "GPT-4" in demo.get("/fanoutqa/test/openbook/")

    def test_its_worker_scores_more_examples_for_boards_and_questions(self, demo: Demo) -> None:
        published = (
            "SELECT benchmark.slug, system.name FROM leaderboard_entry AS entry "
            "JOIN leaderboard_system AS system ON system.id = entry.system_id "
            "JOIN scoring_split AS split ON split.id = entry.split_id "
            "JOIN scoring_benchmark AS benchmark ON benchmark.id = split.benchmark_id WHERE entry.kind = 'scored'"
        )
        expected = {("fanoutqa", EXAMPLE_NAME), ("fanoutqa", OTHER_EXAMPLE_NAME)}
        expected |= {
            (slug, f"{name} (example)")
            for slug, names in (
                ("lists-sample", ("Careful", "Hasty", "As many as possible")),
                ("judged-lists-sample", ("Careful", "Hasty", "As many as possible")),
                ("compared-answers-sample", ("Explains", "Guesses")),
            )
            for name in names
        }
        wait_for(lambda: set(demo.rows(published)) == expected, START_SECONDS, "the other examples", poll_seconds=0.5)
        question = re.search(r'href="(/fanoutqa/dev/questions/[^"?]+)', demo.get("/fanoutqa/dev/questions/"))
        assert question is not None
        page = demo.get(f"{question[1]}?setting={EXAMPLE_SETTING}")
        assert all(f">{name}</a>" in page for name in (EXAMPLE_NAME, OTHER_EXAMPLE_NAME))
        assert "Not public" not in page
        board = demo.link(rf"\S*/{EXAMPLE_SETTING}\S*")
        wait_for(lambda: OTHER_EXAMPLE_NAME in demo.get(board), START_SECONDS, "the board with them")

    def test_people_have_pairs_to_compare_and_answers_to_grade(self, demo: Demo) -> None:
        pairs = (
            "SELECT item.id FROM humaneval_studyitem AS item "
            f"JOIN humaneval_study AS study ON study.id = item.study_id WHERE study.slug = '{PAIRS_SLUG}'"
        )
        wait_for(lambda: demo.rows(pairs), START_SECONDS, "the pairs", poll_seconds=0.5)
        with demo.sign_in("maintainer").open(f"{demo.url}/grading/", timeout=30) as response:
            assert "Grade the examples" in response.read().decode()

    def test_its_worker_brings_ranks_and_a_state_to_cite(self, demo: Demo) -> None:
        board = demo.link(rf"\S*/{EXAMPLE_SETTING}\S*")
        document: dict[str, Any] = {}

        def has_statistics() -> bool:
            document.update(json.loads(demo.get(f"{board}export.json?columns=all")))
            return bool(document["rows"]) and document["rows"][0]["cells"]["loose"]["best_rank"] is not None

        wait_for(has_statistics, START_SECONDS, "the statistics of the example's board", poll_seconds=0.5)
        cell = document["rows"][0]["cells"]["loose"]
        assert (cell["best_rank"], cell["worst_rank"], cell["marked"]) == (1, 1, True)
        assert cell["low"] < cell["value"] < cell["high"]
        states: list[str] = []

        def is_kept() -> bool:
            states[:] = re.findall(rf"{board}states/\d{{4}}-\d\d-\d\d-[0-9a-f]{{8}}/", demo.get(f"{board}states/"))
            return bool(states)

        wait_for(is_kept, START_SECONDS, "the dated state of the example's board", poll_seconds=0.5)
        assert EXAMPLE_NAME in demo.get(states[0])

    def test_a_real_worker_scored_the_example(self, demo: Demo) -> None:
        states: dict[str, str] = dict(demo.rows("SELECT metric, state FROM scoring_run"))
        done = dict.fromkeys(("accuracy", "rouge", "list-f1"), "done")
        assert states == done | dict.fromkeys(("bleurt", "judge", "list-judge", "side-by-side"), "not_configured")
        of_example = (
            "SELECT score.name, score.value FROM scoring_score AS score "
            "JOIN scoring_run AS run ON run.id = score.run_id "
            "JOIN leaderboard_submissionfile AS file ON file.answer_set_id = run.answer_set_id "
            "JOIN leaderboard_submission AS submission ON submission.id = file.submission_id "
            f"WHERE submission.name = '{EXAMPLE_NAME}'"
        )
        scores = {name: float(value) for name, value in demo.rows(of_example)}
        assert set(scores) >= {"loose", "strict", "rouge1.fscore", "rouge2.fscore", "rougeL.fscore"}
        assert 0 < scores["strict"] < scores["loose"] < 1
        assert "scoring.tasks.execute_run" in (demo.data / "logs" / "scoring.log").read_text()

    def test_the_printed_accounts_open_their_doors(self, demo: Demo) -> None:
        page = demo.link(r"/submissions/\S+")
        with demo.sign_in("submitter").open(demo.url + page, timeout=30) as response:
            assert EXAMPLE_NAME in response.read().decode()
        with demo.sign_in("maintainer").open(f"{demo.url}/admin/", timeout=30) as response:
            assert "Submissions" in response.read().decode()

    def test_the_links_of_its_mails_are_printed(self, demo: Demo) -> None:
        browser = build_opener(HTTPCookieProcessor(CookieJar()))
        address = f"{demo.url}/accounts/sign-up/"
        with browser.open(address, timeout=30) as response:
            token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', response.read().decode())
        assert token is not None
        words = {"password1": "a long password of ada", "password2": "a long password of ada"}
        fields = {"username": "ada", "email": "ada@example.org", "csrfmiddlewaretoken": token[1], **words}
        with browser.open(Request(address, urlencode(fields).encode(), {"Referer": address}), timeout=30) as response:
            assert response.status == 200

        def links() -> list[str]:
            mail = demo.log.read_text().partition("Mail to ada@example.org: ")[2]
            return re.findall(rf"^  ({demo.url}/accounts/\S+)\n", mail, re.MULTILINE)

        wait_for(links, START_SECONDS, "the mail")
        with browser.open(links()[0], timeout=30) as response:
            assert "ada@example.org" in response.read().decode()

    def test_the_printed_study_lets_anybody_in_and_its_maintainer_look(self, demo: Demo) -> None:
        link, kept = demo.link(r"/studies/\S+"), demo.link(r"/maintenance/studies/\S+")
        with build_opener().open(demo.url + link, timeout=30) as response:
            assert STUDY_NAME in response.read().decode()
        with demo.sign_in("maintainer").open(demo.url + kept, timeout=30) as response:
            assert "No participants yet" in response.read().decode()

    def test_the_example_files_show_a_good_and_a_bad_upload(self, demo: Demo) -> None:
        from scoring.generations.reader import KnownQuestions, read_generations

        qids = [
            str(row[0])
            for row in demo.rows(
                "SELECT qid FROM scoring_question AS question JOIN scoring_split AS split "
                "ON split.current_revision_id = question.revision_id "
                "JOIN scoring_benchmark AS benchmark ON benchmark.id = split.benchmark_id "
                "WHERE split.slug = 'dev' AND benchmark.slug = 'fanoutqa' ORDER BY question.position"
            )
        ]
        known = KnownQuestions(current=qids, retired={}, other_splits={})
        with (demo.data / EXAMPLE_FILE).open("rb") as stream:
            good = read_generations(stream, known)
        with (demo.data / MISTAKES_FILE).open("rb") as stream:
            bad = read_generations(stream, known)
        assert good.ok
        assert good.n_questions == good.n_lines == len(qids)
        assert len(bad.errors) >= 3

    def test_its_secrets_stay_in_files_of_the_owner(self, demo: Demo) -> None:
        assert stat.S_IMODE(demo.data.stat().st_mode) == 0o700
        secrets = [demo.data / "secret-key", demo.data / "password-of-maintainer", demo.data / "password-of-submitter"]
        assert {stat.S_IMODE(file.stat().st_mode) for file in secrets} == {0o600}
        logs = "".join(file.read_text() for file in (demo.data / "logs").iterdir())
        assert not any(file.read_text() in logs for file in secrets)

    def test_a_second_demo_on_the_same_data_is_refused(self, demo: Demo) -> None:
        second = run(demo.data, free_port())
        assert second.returncode == 1
        assert str(demo.data) in second.stderr
        assert "MANYHOP_DATA_DIR" in second.stderr

    def test_ctrl_c_leaves_no_process_and_no_listener(self, demo: Demo, family: list[psutil.Process]) -> None:
        assert demo.process.stop(signal.SIGINT, STOP_SECONDS) == 0
        assert all_gone(family), [process for process in family if is_alive(process)]
        assert "Stopped all processes." in demo.log.read_text()
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", demo.port))


@pytest.mark.usefixtures("family")
class TestSecondStart:
    """The same directory again, after the first was stopped."""

    def test_it_makes_nothing_again_and_keeps_everything(self, demo: Demo) -> None:
        """What its owner changed too: a row taken off the board stays off, and a changed password is not printed."""
        demo.process.stop(signal.SIGINT, STOP_SECONDS)
        change = (
            "from leaderboard.models import Submission, User; "
            "from leaderboard.publishing.services import unpublish_submission; "
            f"submission = Submission.objects.get(name={EXAMPLE_NAME!r}); "
            "unpublish_submission(submission, actor=submission.owner); "
            "user = User.objects.get(username='submitter'); user.set_password('my own password'); user.save()"
        )
        assert run(demo.data, demo.port, "shell", "--command", change).returncode == 0
        everything = (
            "SELECT id FROM leaderboard_submission UNION ALL SELECT id FROM scoring_run "
            "UNION ALL SELECT id FROM scoring_revision UNION ALL SELECT password FROM leaderboard_user "
            "UNION ALL SELECT id FROM leaderboard_entry ORDER BY 1"
        )
        before, first_output = demo.rows(everything), demo.output
        processes = demo.start()
        assert demo.rows(everything) == before
        assert "Submitting an example" in first_output
        assert "Submitting an example" not in demo.output
        first, second = (output.split("Accounts", 1)[1].splitlines() for output in (first_output, demo.output))
        differing = [pair for pair in zip(first, second, strict=True) if pair[0] != pair[1]]
        assert len(differing) == 1
        assert re.search(r"submitter +\(you changed it\)", differing[0][1])
        board = demo.link(rf"\S*/{EXAMPLE_SETTING}\S*")
        assert EXAMPLE_NAME not in demo.get(board)
        # Killed without a chance to tidy up, it still leaves nothing behind.
        os.kill(demo.process.pid, signal.SIGKILL)
        wait_for(lambda: all_gone(processes), STOP_SECONDS, "the end of what a killed demo left")
        demo.process.stop()

    def test_another_command_works_on_its_data(self, demo: Demo) -> None:
        demo.process.stop(signal.SIGINT, STOP_SECONDS)
        result = run(demo.data, demo.port, "healthcheck")
        assert (result.returncode, result.stderr) == (0, "")
        assert "database: sqlite answers" in result.stdout
        assert "queue: filesystem answers" in result.stdout

    def test_links_of_another_terminal_lead_to_its_port(self, demo: Demo) -> None:
        shell = {name: environment(demo.data, 0)[name] for name in ("PATH", "HOME", "MANYHOP_DATA_DIR")}
        command = ["create_study", "fanoutqa", "dev", "openbook", "Two", "--owner", "maintainer", "--links", "1"]
        result = subprocess.run(
            [PYTHON, "manage.py", *command], cwd=ROOT, env=shell, capture_output=True, text=True, check=False
        )
        assert f"\n{demo.url}/studies/two/join/" in result.stdout, result.stderr


def test_a_busy_port_is_reported_before_anything_is_done(tmp_path: Path) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        result = run(tmp_path, port)
    assert result.returncode == 1
    assert f"Port {port} " in result.stderr
    assert re.search(r"make demo PORT=\d+", result.stderr)
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "manyhop.sqlite3").exists()


@pytest.mark.parametrize("port", ["http", "0", "65536", "-1", "８０００", "80.5"])
def test_a_port_that_is_none_is_reported(tmp_path: Path, port: str) -> None:
    result = run(tmp_path, port)
    assert result.returncode == 1
    assert f"PORT={port} " in result.stderr
    assert "65535" in result.stderr


def test_a_locked_directory_is_reported(tmp_path: Path) -> None:
    with (tmp_path / "demo.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        result = run(tmp_path, free_port())
    assert result.returncode == 1
    assert str(tmp_path) in result.stderr
    assert "MANYHOP_DATA_DIR" in result.stderr
    assert not (tmp_path / "manyhop.sqlite3").exists()
