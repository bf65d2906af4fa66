"""Several attempts, weights of questions, a judge and a part that is kept for the end, all on one hidden split."""

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone

from leaderboard import disclosure
from leaderboard.board.write import write_marked
from leaderboard.maintenance import split_ends
from leaderboard.publishing.services import publish_submission
from scoring.benchmarks.declared.reading import read_declaration
from scoring.importing.declared import import_declaration
from scoring.models import Question, Run, Score, Split
from scoring.models.run_states import RunState
from tests import boards, factories, graded_site
from tests.judge_server import JudgeServer
from tests.scoring.runs.judging.site import judged_by, work

pytestmark = pytest.mark.django_db
N, K = 120, 3
RIGHT = np.random.default_rng(1).random((N, K)) < 0.4
WEIGHTS = 1 + np.arange(N) % 5
SCORES = ("exact-match", "graded-answer.correct")
BOARD = f"/{graded_site.SLUG}/test/closed-book/"
QUERY = f"?benchmark={graded_site.SLUG}&split=test&setting=closed-book"


def declare() -> Split:
    """A hidden split with all of these."""
    made = graded_site.files("[metrics.exact-match]\n[metrics.graded-answer]\n")
    lines = f'[splits.test]\nfinal = 0.5\ncloses = "2099-05-01T12:00Z"\nattempts = {K}\n'.encode()
    made["benchmark.toml"] = made["benchmark.toml"].replace(b"[splits.test]\n", lines)
    rows = (
        {
            "id": f"test-{number}",
            "question": f"Which town is {number}?",
            "answer": graded_site.TOWNS[number % 40],
            "weight": int(WEIGHTS[number]),
            "context": "Of towns.",
        }
        for number in range(N)
    )
    made["questions/test.jsonl"] = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    return factories.split(import_declaration(read_declaration(made)).benchmark, "test")


def places(part: str) -> list[int]:
    ids = Question.objects.filter(revision__current_of__part=part).values_list("qid", flat=True)
    return [int(qid.removeprefix("test-")) for qid in ids]


def mean(which: Sequence[int], *, best: bool = False) -> float:
    """The weighted mean over some questions: of the attempts' means, or of the best attempt."""
    values = RIGHT[which].max(axis=1) if best else RIGHT[which].mean(axis=1)
    return float(np.average(values, weights=WEIGHTS[which]))


def work_off() -> None:
    for run in Run.objects.filter(state=RunState.WAITING):
        assert work(run).state == RunState.DONE, run.reason


def told(numbers: Sequence[float]) -> list[str]:
    """The doors that tell one of some numbers."""
    doors = ["/", BOARD, f"{BOARD}?columns=all&sort=-pass-at-k", f"{BOARD}?sort=spread", f"{BOARD}pictures/"]
    doors += [f"{BOARD}export.{extension}?columns=all" for extension in ("csv", "json", "tex", "md")]
    doors += ["/systems/atlas/", "/api/v1/systems/atlas/scores/", f"/api/v1/board/{QUERY}&columns=all"]
    texts = "|".join(re.escape(text) for number in numbers for text in (f"{number:.3f}", f"{100 * number:.1f}"))
    found = []
    for door in doors:
        response = Client().get(door)
        assert response.status_code == 200, door
        shown = re.sub(r"<svg.*?</svg>", lambda drawn: re.sub("<[^>]*>", " ", drawn[0]), response.content.decode())
        if re.search(rf"(?<![\d.])(?:{texts})(?!\d)", shown):
            found.append(door)
    return found


def test_values_are_those_of_the_part_and_nothing_tells_of_the_best_attempts(
    settings: Any, server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disclosure, "random_number", lambda *_: 0.5)
    judged_by(settings, server)
    test, ada = declare(), factories.user()
    answers = {
        f"test-{number}": tuple(
            graded_site.TOWNS[number % 40] if right else f"moss {number} {attempt}" for attempt, right in enumerate(row)
        )
        for number, row in enumerate(RIGHT.tolist())
    }
    sent = factories.submission(ada, test, {"closed-book": answers}, name="Atlas")
    work_off()
    publish_submission(sent, actor=ada, approved=True)
    boards.refresh()
    public, final = places("public"), places("final")
    every = [*public, *final]
    best = [mean(which, best=True) for which in (public, final, every)]
    values = Score.objects.filter(name__in=SCORES).values_list("run__revision__split__slug", "value")
    assert dict(values) == {"test.public": pytest.approx(mean(public))}
    assert told([mean(public)])
    assert told([*best, mean(final), mean(every)]) == []

    Split.objects.filter(pk=test.pk).update(closes=timezone.now())
    assert split_ends.end_due() == 0
    work_off()
    assert split_ends.end_due() == 1
    write_marked()
    boards.refresh()
    expected = {"test.public": mean(public), "test.final": mean(final), "test": mean(every)}
    for name in SCORES:
        values = Score.objects.filter(name=name).values_list("run__revision__split__slug", "value")
        assert dict(values) == pytest.approx(expected)
    [row] = Client().get(f"{BOARD}export.json?columns=all").json()["rows"]
    assert row["cells"]["exact-match"]["value"] == round(mean(final), 3)
    assert row["cells"]["exact-match@whole"]["value"] == round(mean(every), 3)
    assert row["cells"]["exact-match"]["attempts"]["n_attempts"] == K
    assert told([mean(final)])
    assert told(best) == []
