"""``manage.py demo``: the whole site on this machine, with example data, until Ctrl-C."""

import contextlib
import errno
import fcntl
import os
import shlex
import socket
import subprocess
import sys
import time
from argparse import REMAINDER, ArgumentParser
from collections.abc import Iterator
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
from leaderboard.operations.processes.supervisor import (
    InterruptedByUserError,
    Service,
    ServiceFailedError,
    Supervisor,
    WaitedInVainError,
)
from leaderboard.project import places
from leaderboard.project.demo import baselines, content
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
from leaderboard.project.demo.tasks import SUBMIT_BASELINES
from scoring.benchmarks import definitions, packaged_definitions
from scoring.workers import broker

STOP_HINT = "Ctrl-C stops all processes; the data stays for the next run."
START_SECONDS = 60.0
SCORING_SECONDS = 180.0
BASELINES_SECONDS = 3600.0
HIGHEST_PORT = 65535
INTERRUPTED_STATUS = 130


class Command(BaseCommand):
    """Start the demo, or run another command on its data."""

    help = (
        "Run the whole site on this machine with example data: web server, worker and scheduler, until "
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
        try:
            with only_one(settings.DATA_DIR):
                (settings.DATA_DIR / PORT_FILE).write_text(str(port))
                self.stdout.write(f"Manyhop {settings.MANYHOP_VERSION}: the demo. Its data is in {settings.DATA_DIR}")
                self.stdout.write("Preparing the database, the benchmarks and the static files ...")
                self._install_questions()
                call_command("migrate", interactive=False, verbosity=0)
                content.load_benchmarks()
                if any(definition.demo_articles for definition in definitions().values()):
                    encyclopedia = settings.DATA_DIR / ENCYCLOPEDIA_FILE
                    call_command("build_encyclopedia", out=encyclopedia, if_missing=True, verbosity=0)
                call_command("collectstatic", interactive=False, verbosity=0)
                self._serve(port)
        except (KeyboardInterrupt, InterruptedByUserError):
            self.stdout.write("Interrupted before it was ready; nothing is left running.")
            sys.exit(INTERRUPTED_STATUS)
        except ServiceFailedError as error:
            raise CommandError(f"{error}\nAll processes were stopped; the data is still stored.") from error
        self.stdout.write("Stopped all processes. The data is still stored.")

    def _install_questions(self) -> None:
        """The packages of the benchmarks' questions, without the hundreds of megabytes that their own code needs."""
        for definition in packaged_definitions().values():
            if not definition.requirement or find_spec(definition.requirement.partition("==")[0]) is not None:
                continue
            install = ["install", "--quiet", "--disable-pip-version-check", "--no-deps", definition.requirement]
            self.stdout.write(f"Installing the questions of {definition.name}: pip {' '.join(install)} ...")
            if subprocess.run([sys.executable, "-m", "pip", *install], check=False).returncode:
                self.stderr.write("They could not be installed. The demo starts with a small sample in their place.")

    def _serve(self, port: int) -> None:
        with Supervisor(services_on(port), report=self.stderr.write) as supervisor:
            accounts = content.load_accounts(settings.DATA_DIR)
            try:
                supervisor.wait_until(lambda: is_served(port), START_SECONDS)
            except WaitedInVainError:
                raise CommandError(
                    f"The web server did not answer within {START_SECONDS:.0f} s; see {settings.DATA_DIR / 'logs'}"
                ) from None
            try:
                (maintainer, *_), (submitter, *_) = accounts
                example = self._example(supervisor, submitter)
                target = content.example_target()
                study = content.load_study(target[0], maintainer) if target is not None else ""
                broker.send(SUBMIT_BASELINES, submitter.pk, queue="cpu", expires=BASELINES_SECONDS)
                self._say_what_to_try(port, accounts, example, study)
                mails = MailFolder(settings.DATA_DIR / MAILS)
                supervisor.run(lambda: [self.stdout.write(f"\n{mail}") for mail in mails.new()])
            finally:
                self.stdout.write("\nStopping ...")

    def _example(self, supervisor: Supervisor, owner: User) -> Submission | None:
        """The example submission; submitted, scored and published unless that was done before."""
        target = content.example_target()
        if target is None:
            return None
        split, setting = target
        file = content.write_example_files(settings.DATA_DIR, split)
        submission = content.find_example(owner, split)
        if submission is None:
            self.stdout.write("Submitting an example; the worker scores it ...")
            submission = content.submit_example(owner, split, [setting], file.read_bytes(), baselines.TITLES.system)
        begin = time.monotonic()
        try:
            supervisor.wait_until(lambda: content.is_settled(submission), SCORING_SECONDS)
        except WaitedInVainError:
            self.stderr.write(f"The example is not scored yet; see {settings.DATA_DIR / 'logs' / 'worker.log'}")
            return submission
        if content.publish_if_new(submission):
            self.stdout.write(f"The example was scored in {time.monotonic() - begin:.1f} s and published.")
        return submission

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
            "The worker adds baselines to the boards and to the pages of questions; this takes about a minute.",
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


def services_on(port: int) -> list[Service]:
    """The processes of the demo: the same programs that a production site runs."""
    directory: Path = settings.DATA_DIR
    logs = directory / "logs"
    environment = os.environ | {"PYTHONUNBUFFERED": "1", "SITE_URL": site_url(port), "WEB_CONCURRENCY": "2"}
    celery = [sys.executable, "-m", "celery", "-A", "leaderboard.celery:app"]
    commands = {
        "web server": [
            *(sys.executable, "-m", "gunicorn", "--config", "python:leaderboard.operations.processes.gunicorn"),
            *("--bind", f"{HOST}:{port}", "leaderboard.wsgi:application"),
        ],
        **{
            name: [
                *(*celery, "worker", "--hostname", f"{queues[0]}@%h", "--queues", ",".join(queues)),
                *("--concurrency", "2", "--loglevel", "INFO", "--include", "leaderboard.project.demo.tasks"),
                *("--without-gossip", "--without-mingle", "--without-heartbeat"),
            ]
            for name, queues in (("worker", ["cpu", "judge", "bleurt"]), ("site worker", ["site"]))
        },
        "scheduler": [
            *(*celery, "beat", "--loglevel", "INFO", "--pidfile", ""),
            *("--schedule", str(directory / "beat-schedule")),
        ],
    }
    return [
        Service(name, command, logs / f"{name.replace(' ', '-')}.log", environment=environment, directory=places.ROOT)
        for name, command in commands.items()
    ]


def is_served(port: int) -> bool:
    """Whether the site responds."""
    connection = HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
