"""A site that grows: submissions written in bulk, and the time of each page at each size. Run by `bench_growth`."""

import datetime
import json
import sys
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

SETTINGS: Final = ("closedbook", "openbook", "evidenceprovided")
N_QUESTIONS: Final = 8
TRIES: Final = 3
ONE_IN: Final = {"private": 2, "failed": 100, "flagged": 100}
"""Every so many submissions: one that is not on a board, one with a stopped run, and one with a flag."""


def main(sizes: Sequence[int]) -> dict[str, list[tuple[float, int]]]:
    """By page or task: its seconds and the bytes of its reply at each size."""
    from django.conf import settings
    from django.db import connection
    from django.test import Client

    from scoring.models import Split, WorkerHeartbeat
    from scoring.models.workers import SWEEP
    from tests import factories

    settings.ALLOWED_HOSTS = ["*"]
    factories.benchmark(N_QUESTIONS, N_QUESTIONS)
    split = Split.objects.select_related("benchmark", "current_revision").get(slug="test", benchmark__slug="fanoutqa")
    ada, desk = Client(), Client()
    owner = factories.user()
    ada.force_login(owner)
    desk.force_login(factories.maintainer())
    WorkerHeartbeat.objects.create(name=SWEEP)
    for queue in ("cpu", "site"):
        WorkerHeartbeat.objects.create(name=f"{queue}@bench", queues=queue)
    measured: dict[str, list[tuple[float, int]]] = {}
    grown = 0
    for size in sizes:
        begin = time.perf_counter()
        for start in range(grown, size, 500):
            grow(range(start, min(start + 500, size)), split, owner)
        grown = size
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
        sys.stderr.write(f"{size} submissions written in {time.perf_counter() - begin:.0f} s\n")
        for name, ask in asked(ada, desk).items():
            measured.setdefault(name, []).append(timed(ask))
            sys.stderr.write(f"  {name}: {measured[name][-1][0]:.3f} s\n")
    return measured


def asked(ada: Any, desk: Any) -> dict[str, Callable[[], int]]:
    """What is measured, by name; each returns the size of its reply."""
    from django.core.cache import cache

    from leaderboard.board import standings, write
    from leaderboard.board.lookup import find_board
    from leaderboard.models import BoardChange

    boards = [(split, setting) for split, setting in standings.boards() if split.slug == "test"]
    BoardChange.objects.all().delete()
    write.write_all((split.pk, setting.pk) for split, setting in boards)

    def page(client: Any, address: str) -> Callable[[], int]:
        def ask() -> int:
            cache.clear()
            response = client.get(address, secure=True)
            if response.status_code != 200:
                raise RuntimeError(f"{address} answered {response.status_code}")
            return len(response.content)

        return ask

    def check() -> int:
        # What every sweep does for each board; statistics are another series.
        return sum(write.check_board(split, setting)[0] for split, setting in boards)

    def find() -> int:
        return len(repr(find_board("fanoutqa", "test", "openbook")))

    return {
        "my submissions": page(ada, "/submissions/"),
        "maintenance": page(desk, "/maintenance/"),
        "moderation": page(desk, "/maintenance/moderation/"),
        "flags": page(desk, "/maintenance/moderation/?tab=odd"),
        "queues": page(desk, "/maintenance/queues/"),
        "systems": page(desk, "/maintenance/systems/"),
        "a system": page(ada, "/systems/system-1/"),
        "board": page(ada, "/fanoutqa/test/openbook/"),
        "API board": page(ada, "/api/v1/board/?setting=openbook"),
        "API submissions": page(ada, "/api/v1/submissions/"),
        "finding a board": find,
        "checking the boards": check,
    }


def timed(ask: Callable[[], int]) -> tuple[float, int]:
    """The shortest time of some tries, after one that is not counted, and the size of the reply."""
    ask()
    seconds, size = [], 0
    for _ in range(TRIES):
        begin = time.perf_counter()
        size = ask()
        seconds.append(time.perf_counter() - begin)
        if seconds[-1] > 10:
            break
    return min(seconds), size


def grow(numbers: range, split: Any, owner: Any) -> None:
    """Submissions of three files each, scored, and every other one published under a name of its own."""
    from django.utils import timezone

    from leaderboard import models
    from scoring.models import AnswerBlock, AnswerSet, CurrentSignature, Run, Score, Setting, vector_bytes
    from scoring.models.answers import packed
    from scoring.models.run_states import RunState
    from scoring.queries import definition_on, target_signatures

    random = np.random.default_rng(numbers.start)
    definition, signatures = definition_on(split), target_signatures(split)
    for name, signature in signatures.items():
        CurrentSignature.objects.get_or_create(split=split, metric=name, defaults={"signature": signature})
    settings = list(Setting.objects.filter(slug__in=SETTINGS, benchmark=split.benchmark))
    qids = list(split.current_revision.questions.values_list("qid", flat=True))
    rows: dict[type, list[Any]] = {
        model: []
        for model in (
            *(models.System, models.Submission, AnswerSet, AnswerBlock, models.SubmissionFile, models.Publication),
            *(models.Entry, Run, Score, models.Anomaly),
        )
    }
    for number in numbers:
        at = timezone.now() - datetime.timedelta(days=365) + datetime.timedelta(minutes=number)
        system = {"name": f"System {number + 1}", "authors": "Ada Lovelace", "type": "FOUNDATION"}
        submission = models.Submission(owner=owner, split=split, created_at=at, notified_at=at, **system)
        rows[models.Submission].append(submission)
        is_public = number % ONE_IN["private"] == 0
        if is_public:
            shown = models.System(slug=f"system-{number + 1}", owner=owner, **system)
            rows[models.System].append(shown)
            state = models.PublicationState.APPROVED
            rows[models.Publication].append(models.Publication(submission=submission, state=state, decided_at=at))
        strength = random.normal(0, 0.1)
        for setting in settings:
            answers = AnswerSet(split=split, setting=setting, submission_group=submission.pk, created_at=at)
            rows[AnswerSet].append(answers)
            texts = dict.fromkeys(qids, f"It is {number}.")
            rows[AnswerBlock] += [
                AnswerBlock(answer_set=answers, number=place, content=content) for place, content in packed(texts)
            ]
            file = models.SubmissionFile(
                submission=submission,
                setting=setting,
                answer_set=answers,
                original=f"submissions/{submission.pk}/{setting.slug}.upload",
                filename=f"{setting.slug}.jsonl",
                sent_at=at,
                size=1000,
                sha256=uuid.uuid4().hex * 2,
                n_lines=len(qids),
                n_questions=len(qids),
                n_answered=len(qids),
                anomalies_checked_at=at,
            )
            rows[models.SubmissionFile].append(file)
            if number % ONE_IN["flagged"] == 1:
                rows[models.Anomaly].append(models.Anomaly(file=file, code="long", count=1))
            if is_public:
                entry = models.Entry(system=shown, split=split, setting=setting, kind="scored", answer_set=answers)
                entry.submission, entry.n_answered, entry.published_at = submission, len(qids), at
                rows[models.Entry].append(entry)
            for metric in definition.metrics:
                failed = number % ONE_IN["failed"] == 2 and metric == definition.headline_metric
                run = Run(
                    answer_set=answers, revision=split.current_revision, metric=metric, signature=signatures[metric]
                )
                run.state = RunState.FAILED if failed else RunState.DONE
                run.created_at = run.started_at = run.finished_at = at
                rows[Run].append(run)
                for column in definition.columns if not failed else ():
                    if column.metric == metric:
                        vector = np.clip(random.normal(0.5 + strength, 0.1, len(qids)), 0, 1)
                        score = Score(
                            run=run, name=column.score, value=float(vector.mean()), signature=signatures[metric]
                        )
                        score.vector, score.n_items, score.n_answered = vector_bytes(vector), len(qids), len(qids)
                        score.low, score.high = score.value - 0.02, score.value + 0.02
                        rows[Score].append(score)
    for model, made in rows.items():
        model._default_manager.bulk_create(made, batch_size=2000)  # type: ignore[attr-defined]


if __name__ == "__main__":
    import django

    django.setup()
    sys.stdout.write(json.dumps(main([int(size) for size in sys.argv[1:]])))
