"""A site that grows: submissions written by COPY, and what pages and tasks take at each size. Run by `bench_growth`."""

from __future__ import annotations

import datetime
import enum
import hashlib
import io
import itertools
import json
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from tests.bench import throughput_site
from tests.bench.corpus import N_QUESTIONS


class Family(NamedTuple):
    """Submissions of one kind."""

    split: str
    settings: tuple[str, ...]
    n_questions: int
    backed_up_to: int
    """The size up to which the backup and the migrations are measured."""


FAMILIES: Final = {
    "three files": Family("dev", tuple(throughput_site.SETTINGS), N_QUESTIONS, 10_000),
    "one short file": Family("test", ("closedbook",), 20, 10_000),
}
"""Of an open and of a hidden split."""
N_TEXTS: Final = 20
"""Different files of answers in each setting."""
N_UPLOADS: Final = 100
"""Submissions with uploaded files."""
AT_ONCE: Final = 500
ONE_IN: Final = {"private": 2, "failed": 100, "flagged": 100}
"""Every so many submissions: one that is not on a board, one with a stopped run, and one with a flag."""
TRIES: Final = 5
ENOUGH_SECONDS: Final = 5.0
"""After so many, nothing is tried again."""
MIGRATED_FROM: Final = "0034_format_of_documents"
"""The oldest state of the tables of `leaderboard` to which its migrations can be reversed."""

PERSON, FIRST, DOWNLOAD, TASK = "person", "first", "download", "task"
"""Who waits: somebody for a page; the first reader of a board after a change; a program, for everything there is;
nobody."""

BOARD: Final = (
    "/",
    "/{board}/",
    "/{board}/?q=lovelace",
    "/{board}/?page=2",
    "/{board}/pictures/",
    "/{board}/embed/",
    "/{board}/badges/system-1.svg",
    "/{board}/preview.png",
    "/api/v1/board/?{where}&page_size=100",
    "/{benchmark}/{split}/questions/",
    "/{benchmark}/{split}/questions/{qid}/",
    "/api/v1/benchmarks/{benchmark}/splits/{split}/questions/{qid}/",
)
"""What is made of all rows of a board, and cached until it changes."""
PUBLIC: Final = (
    "/{board}/states/",
    "/{board}/feed/",
    "/{benchmark}/feed/",
    "/systems/system-1/",
    "/systems/system-1/questions/?{where}",
    "/systems/system-1/preview.png",
    "/compare/?{where}&system=system-1&system=system-3",
    "/api/v1/systems/",
    "/api/v1/systems/system-1/",
    "/api/v1/systems/system-1/scores/?{where}",
    "/api/v1/comparison/?{where}&system=system-1&system=system-3",
    "/api/v1/benchmarks/{benchmark}/splits/{split}/questions/",
)
OWN: Final = (
    "/submit/?benchmark={benchmark}",
    "/submissions/",
    "/submissions/{submission}/",
    "/submissions/{submission}/progress/",
    "/submissions/{submission}/publish/",
    "/accounts/",
    "/accounts/delete/",
    "/api/v1/submissions/",
    "/api/v1/submissions/{submission}/",
)
MAINTENANCE: Final = (
    "/maintenance/",
    "/maintenance/moderation/",
    "/maintenance/moderation/?tab=odd",
    "/maintenance/moderation/?tab=public",
    "/maintenance/moderation/?tab=decided",
    "/maintenance/moderation/{submission}/",
    "/maintenance/queues/",
    "/maintenance/systems/",
    "/maintenance/systems/?system=system-1&into=system-3",
    "/maintenance/audit/",
    "/maintenance/quotas/",
    "/maintenance/judge/",
    "/maintenance/{benchmark}/{split}/rescore/",
    "/maintenance/{benchmark}/{split}/import/",
    "/grading/new/{benchmark}/{split}/",
    "/admin/",
)
ADMIN: Final = (
    *("leaderboard/submission", "leaderboard/submission/?q=system+11", "leaderboard/submissionfile"),
    *("leaderboard/publication", "leaderboard/anomaly", "leaderboard/entry", "leaderboard/system"),
    *("leaderboard/system/?q=system+11", "leaderboard/receipt", "scoring/answerset", "scoring/run", "scoring/score"),
)
DOWNLOADS: Final = (
    "/api/v1/board/?{where}",
    "/{board}/export.csv",
    "/{board}/export.json",
    "/sitemap.xml",  # search engines alone ask for sitemaps
    "/sitemap-systems.xml",
)
COUNTS: Final = ("/metrics",)
"""What Prometheus asks for, as a maintainer may."""


def main(family: str, sizes: Sequence[int], tries: int) -> dict[str, Any]:
    """By page or task: who waits for it, its series, and the bytes of its reply at each size."""
    from django.conf import settings
    from django.db import connection

    from leaderboard.publishing.names import check_names

    settings.ALLOWED_HOSTS = ["testserver"]
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    site = Site(FAMILIES[family])
    measured: dict[str, Any] = {}
    bytes_of: list[int] = []
    grown = 0
    for size in sizes:
        begin, empty = time.perf_counter(), throughput_site.database_bytes()
        for start in range(grown, size, AT_ONCE):
            site.grow(range(start, min(start + AT_ONCE, size)))
        check_names()  # as a worker does soon after each
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
        bytes_of.append(round((throughput_site.database_bytes() - empty) / (size - grown)))
        grown = size
        sys.stderr.write(f"{size} submissions written in {time.perf_counter() - begin:.0f} s\n")
        for name, (waiting, ask) in site.asked(size).items():
            row = measured.setdefault(name, {"waiting": waiting, "seconds": [], "bytes": []})
            seconds, n_bytes = timed(ask, tries)
            row["seconds"].append(seconds)
            row["bytes"].append(n_bytes)
            best = min(seconds)
            sys.stderr.write(f"  {name}: {best[0]:.3f} s, {best[1]:.3f} s by the clock\n")
            sys.stderr.flush()
    return {"bytes": bytes_of, "measured": measured}


def timed(ask: Callable[[], int], tries: int) -> tuple[list[tuple[float, float]], int]:
    """Seconds of processor (of this process and of its database server's) and of the clock, of some tries after one
    that is not counted unless it took long; and the size of the reply."""
    seconds: list[tuple[float, float]] = []
    for attempt in range(tries + 1):
        begin, busy = time.perf_counter(), processor_seconds()
        size = ask()
        taken = (processor_seconds() - busy, time.perf_counter() - begin)
        if attempt or not tries or taken[1] > ENOUGH_SECONDS:
            seconds.append(taken)
        if taken[1] > ENOUGH_SECONDS or sum(wall for _, wall in seconds) > ENOUGH_SECONDS:
            break
    return seconds, size


def processor_seconds() -> float:
    """Of this process and of the server process of its connection, so far."""
    from django.db import connection

    connection.ensure_connection()
    server: int = connection.connection.info.backend_pid
    of_server = (~server << 3) | 2  # the clock of a process: clock_getcpuclockid(3) of Linux
    return time.process_time() + time.clock_gettime(of_server)


class Site:
    """A site of one benchmark, where one person sends everything."""

    def __init__(self, family: Family) -> None:
        from django.db import connection
        from django.test import Client

        from leaderboard.submissions.receipts.services import current_key
        from scoring.models import CurrentSignature, Setting, WorkerHeartbeat
        from scoring.models.workers import SWEEP
        from scoring.queries import definition_on, target_signatures
        from tests import factories

        self.split, self.owner = throughput_site.benchmark(family.n_questions, family.split)
        self.family = family
        self.definition, self.signatures = definition_on(self.split), target_signatures(self.split)
        for name, signature in self.signatures.items():
            CurrentSignature.objects.create(split=self.split, metric=name, signature=signature)
        known = {setting.slug: setting for setting in Setting.objects.filter(benchmark=self.split.benchmark)}
        self.settings = [known[slug] for slug in family.settings]
        self.qids = tuple(self.split.current_revision.questions.order_by("position").values_list("qid", flat=True))
        self.key = current_key()
        self.keys = itertools.count(1)
        WorkerHeartbeat.objects.create(name=SWEEP)
        for queue in ("cpu", "site"):
            WorkerHeartbeat.objects.create(name=f"{queue}@bench", queues=queue)
        self.anybody, self.ada, self.desk = Client(), Client(), Client()
        self.ada.force_login(self.owner)
        self.desk.force_login(factories.maintainer())
        with connection.cursor() as cursor:
            cursor.execute("SET max_parallel_workers_per_gather = 0")  # else other processes would have a share

    # --- What is asked ---------------------------------------------------------------------------------------------

    def asked(self, size: int) -> dict[str, tuple[str, Callable[[], int]]]:
        """What is measured, by name: who waits, and a function that does it and returns the size of the reply."""
        from leaderboard import tasks
        from leaderboard.board import standings, write
        from leaderboard.models import BoardChange, BoardDocument, Submission
        from scoring import tasks as scoring_tasks

        boards = [(split, setting) for split, setting in standings.boards() if split.pk == self.split.pk]
        BoardChange.objects.all().delete()
        for board in boards:
            write.write(*board)
        newest = Submission.objects.filter(entries__isnull=False).order_by("-created_at").first()
        assert newest is not None
        where = {"benchmark": self.split.benchmark.slug, "split": self.split.slug, "setting": self.settings[0].slug}
        words = where | {
            "board": "/".join(where.values()),
            "where": "&".join(f"{name}={value}" for name, value in where.items()),
            "qid": self.qids[0],
            "submission": newest.pk,
        }
        asked: dict[str, tuple[str, Callable[[], int]]] = {}
        admin = tuple(f"/admin/{path}" if "?" in path else f"/admin/{path}/" for path in ADMIN)
        for waiting, client, addresses in (
            (FIRST, self.anybody, BOARD),
            (PERSON, self.anybody, PUBLIC),
            (PERSON, self.ada, OWN),
            (PERSON, self.desk, MAINTENANCE + admin),
            (DOWNLOAD, self.anybody, DOWNLOADS),
            (DOWNLOAD, self.desk, COUNTS),
        ):
            for address in addresses:
                if "question" in address and self.split.hidden:
                    continue
                asked[address] = waiting, page(client, address.format_map(words), waiting)
                if waiting == FIRST:
                    asked[f"{address} again"] = PERSON, page(client, address.format_map(words), "")

        def check() -> int:
            # What every sweep does for each board; statistics are another series.
            return sum(write.check_board(split, setting)[0] for split, setting in boards)

        def rewrite() -> int:
            # What follows a publication.
            BoardDocument.objects.update(fingerprint="")
            return write.write(*boards[0])

        asked["check every board"] = TASK, check
        asked["write a board"] = TASK, rewrite
        for task in (
            *(scoring_tasks.sweep, tasks.issue_receipts, tasks.send_notices, tasks.find_oddities),
            *(tasks.reveal_names, tasks.mail_maintainers),
        ):
            asked[task.name] = TASK, partial(done, task)
        if size <= self.family.backed_up_to:
            asked["backup"] = TASK, backup
            asked["migrate"] = TASK, migrate
        return asked

    # --- Writing ---------------------------------------------------------------------------------------------------

    def grow(self, numbers: range) -> None:
        """Submissions that are scored and have a receipt, every other one published under a name of its own."""
        from django.core.files.base import ContentFile
        from django.core.files.storage import default_storage
        from django.utils import timezone

        from leaderboard import models
        from scoring.models import AnswerBlock, AnswerSet, Run, Score, vector_bytes
        from scoring.models.run_states import RunState

        random = np.random.default_rng(numbers.start)
        split, n_questions = self.split, len(self.qids)
        tables = (
            *(models.System, models.Submission, AnswerSet, AnswerBlock, models.SubmissionFile, models.Publication),
            *(models.Entry, Run, Score, models.Anomaly, models.Receipt),
        )
        rows: dict[Any, list[Any]] = {model: [] for model in tables}

        def add(model: Any, **fields: Any) -> Any:
            row = model(**fields)
            row.pk = row.pk or next(self.keys)
            rows[model].append(row)
            return row

        for number in numbers:
            at = timezone.now() - datetime.timedelta(days=365) + datetime.timedelta(minutes=number)
            named = {"name": f"System {number + 1}", "authors": "Ada Lovelace", "type": "FOUNDATION"}
            sent = add(models.Submission, owner=self.owner, split=split, created_at=at, notified_at=at, **named)
            is_public = number % ONE_IN["private"] == 0
            if is_public:
                system = add(models.System, slug=f"system-{number + 1}", owner=self.owner, **named)
                add(models.Publication, submission=sent, state=models.PublicationState.APPROVED, decided_at=at)
            statement = json.dumps({"system": sent.name, "files": [uuid.uuid4().hex for _ in range(30)]})
            receipt = {"basis": uuid.uuid4().hex * 2, "issued_at": timezone.now(), "openings_json": "[]"}
            add(models.Receipt, submission=sent, key=self.key, statement_json=statement, signature="s" * 88, **receipt)
            for setting in self.settings:
                answers = add(AnswerSet, split=split, setting=setting, submission_group=sent.pk, created_at=at)
                content, blocks = self.texts(setting.slug, number % N_TEXTS)
                for place, packed in blocks:
                    add(AnswerBlock, answer_set=answers, number=place, content=packed)
                original = f"submissions/{sent.pk}/{setting.slug}.upload" if number < N_UPLOADS else ""
                sha256 = uuid.uuid4().hex * 2
                if original:
                    content += b"\n" * number  # no other submission has the same file
                    sha256 = hashlib.sha256(content).hexdigest()
                    default_storage.save(original, ContentFile(content))
                file = add(
                    models.SubmissionFile,
                    submission=sent,
                    setting=setting,
                    answer_set=answers,
                    original=original,
                    filename=f"{setting.slug}.jsonl",
                    sent_at=at,
                    size=len(content),
                    sha256=sha256,
                    n_lines=n_questions,
                    n_questions=n_questions,
                    n_answered=n_questions,
                    anomalies_checked_at=at,
                )
                if number % ONE_IN["flagged"] == 1:
                    add(models.Anomaly, file=file, code="long", count=1)
                if is_public:
                    scored = {"kind": "scored", "answer_set": answers, "n_answered": n_questions, "published_at": at}
                    add(models.Entry, system=system, split=split, setting=setting, submission=sent, **scored)
                for metric, signature in self.signatures.items():
                    failed = number % ONE_IN["failed"] == 2 and metric == self.definition.headline_metric
                    run = add(
                        Run,
                        answer_set=answers,
                        revision=split.current_revision,
                        metric=metric,
                        signature=signature,
                        state=RunState.FAILED if failed else RunState.DONE,
                        **dict.fromkeys(("created_at", "started_at", "finished_at"), at),
                    )
                    for column in self.definition.columns if not failed else ():
                        if column.metric == metric:
                            # Shares of a few parts, as the accuracy of an answer is.
                            vector = np.round(np.clip(random.normal(0.5, 0.3, n_questions), 0, 1) * 8) / 8
                            value = float(vector.mean())
                            add(
                                Score,
                                run=run,
                                name=column.score,
                                value=value,
                                vector=vector_bytes(vector),
                                low=value - 0.02,
                                high=value + 0.02,
                                signature=signature,
                                **dict.fromkeys(("n_items", "n_answered"), n_questions),
                            )
        for model, made in rows.items():
            copy(model, made)

    def texts(self, setting: str, number: int) -> tuple[bytes, list[tuple[int, bytes]]]:
        """A file of answers, and its blocks."""
        from scoring.models.answers import packed
        from tests.factories import generations

        if (setting, number) not in self._texts:
            answers = dict(throughput_site.answers_of(self.qids, throughput_site.SETTINGS[setting], number))
            self._texts[setting, number] = generations(answers), list(packed(answers))
        return self._texts[setting, number]

    _texts: Final[dict[tuple[str, int], tuple[bytes, list[tuple[int, bytes]]]]] = {}


def page(client: Any, address: str, waiting: str) -> Callable[[], int]:
    """A function that reads a page, and returns its size: from the cache if nobody is named who waits; for the first
    reader of a board, the process has not read its document either."""
    from django.core.cache import cache

    from leaderboard.board import lookup

    def ask() -> int:
        if waiting:
            cache.clear()
        if waiting == FIRST:
            lookup.parsed.clear()
        response = client.get(address, secure=True)
        if response.status_code != 200:
            raise RuntimeError(f"{address} answered {response.status_code}")
        return len(response.getvalue() if response.streaming else response.content)

    return ask


def done(task: Any) -> int:
    """Do a task, which has no reply."""
    task()
    return 0


def backup() -> int:
    """Make a backup."""
    from django.core.management import call_command

    with tempfile.TemporaryDirectory() as directory:
        target = Path(directory) / "backup.tar.gz"
        call_command("backup", target, stdout=io.StringIO())
        return target.stat().st_size


def migrate() -> int:
    """Bring the tables of an earlier version up to date."""
    from django.core.management import call_command

    call_command("migrate", "leaderboard", MIGRATED_FROM, verbosity=0)
    call_command("migrate", verbosity=0)
    return 0


def copy(model: Any, rows: list[Any]) -> None:
    """Write rows by COPY, and move on the sequence of their keys."""
    from django.core.management.color import no_style
    from django.db import connection, transaction
    from django.db.models.expressions import DatabaseDefault

    fields = model._meta.concrete_fields

    def column(row: Any, field: Any) -> Any:
        value = field.pre_save(row, True)
        if isinstance(value, DatabaseDefault):
            value = field.db_default
        value = field.get_db_prep_save(value, connection)
        return value.value if isinstance(value, enum.Enum) else value

    with transaction.atomic(), connection.cursor() as cursor:
        names = ", ".join(f'"{field.column}"' for field in fields)
        with cursor.copy(f'COPY "{model._meta.db_table}" ({names}) FROM STDIN (FORMAT BINARY)') as stream:
            stream.set_types([field.db_type(connection).partition("(")[0] for field in fields])
            for row in rows:
                stream.write_row([column(row, field) for field in fields])
        for sql in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(sql)


if __name__ == "__main__":
    import django

    django.setup()
    given, *rest = sys.argv[1:]
    sys.stdout.write(json.dumps(main(given, [int(size) for size in rest[1:]], int(rest[0]))))
