"""Reports from the authors' files to scores, judged criterion by criterion or beside a reference report."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from scoring.models import Benchmark, Run, Score, Split, Verdict
from scoring.models.run_states import RunState
from tests import factories
from tests.judge_server import Chat, JudgeServer, Play
from tests.scoring.runs.judging.site import judged_by, run_of, work

pytestmark = pytest.mark.django_db

BUILDERS = {"title": "Names both builders", "weight": 4.0, "category": "Explicit Criteria"}
SOURCE = {"title": "Invents a source", "weight": -5.0, "category": "References"}
RUBRICS = [
    {"sample_id": name, "prompt": f"Compare two bridges of {name}.", "rubrics": json.dumps([BUILDERS, SOURCE])}
    for name in ("r1", "r2", "r3")
]
TASK = {"id": 1, "topic": "Art", "language": "en", "prompt": "Compare two bridges."}
DIMENSIONS = ("comprehensiveness", "insight", "instruction_following", "readability")
CRITERIA = {
    "id": 1,
    "prompt": TASK["prompt"],
    "dimension_weight": dict.fromkeys(DIMENSIONS, 0.25),
    "criterions": {
        name: [{"criterion": f"Has {name}", "explanation": "It does.", "weight": 1.0}] for name in DIMENSIONS
    },
}
REPORT = {"id": 1, "prompt": TASK["prompt"], "article": "The reference report."}


def lines(*rows: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def imported(folder: Path, slug: str, **files: str) -> Split:
    """The split of a shipped folder, from files in their authors' form; the first has the questions."""
    for name, content in files.items():
        (folder / f"{name}.jsonl").write_text(content, encoding="utf-8")
    questions = folder / f"{next(iter(files))}.jsonl"
    call_command("import_benchmark", slug, "--questions", "test", questions, stdout=StringIO())
    return factories.split(Benchmark.objects.get(slug=slug), "test")


def sent(split: Split, answers: dict[str, str], metric: str) -> Run:
    return run_of(factories.submission(factories.user(), split, {"agent": answers}), "agent", metric)


def by_criterion(chat: Chat) -> Play:
    """A judge that finds builders where they are named, and no invented source but in reports that say so."""
    text = chat.body["messages"][-1]["content"]
    report = text.partition("## Document Content")[2].partition("## Rubric Criterion")[0]
    is_met = "Ada" in report if "**Title**: Names both" in text else "made up" in report
    verdict = {"verdict": "Satisfied" if is_met else "Not Satisfied", "score": float(is_met), "reasoning": "So."}
    return Play("text", message=json.dumps(verdict))


def test_every_criterion_is_asked_for_stored_and_counted(settings: Any, server: JudgeServer, tmp_path: Path) -> None:
    judged_by(settings, server)
    server.rule = by_criterion
    split = imported(tmp_path, "researchrubrics", tasks=lines(*RUBRICS))
    run = work(sent(split, {"r1": "Ada and Bo built them.", "r2": "Ada, as I made up."}, "rubric"))
    assert (run.state, run.reason) == (RunState.DONE, "")
    (score,) = Score.objects.filter(run=run)
    assert (score.name, score.n_answered) == ("rubric", 2)
    assert score.value == pytest.approx((1 - 1 / 4 + 0) / 3)
    assert len(server.chats) == 4, "two criteria of two reports; the third question has no answer"
    assert sorted(Verdict.objects.values_list("qid", "letter")) == [("r1", "0"), ("r1", "1"), ("r2", "1"), ("r2", "1")]
    assert score.signature.startswith(f"rubric|model:{settings.JUDGE_MODEL}|prompt:rubric-")


def test_a_changed_criterion_alone_is_asked_for_again(settings: Any, server: JudgeServer, tmp_path: Path) -> None:
    judged_by(settings, server)
    server.rule = by_criterion
    split = imported(tmp_path, "researchrubrics", tasks=lines(RUBRICS[0]))
    work(sent(split, {"r1": "Ada and Bo built them."}, "rubric"))
    assert len(server.chats) == 2
    changed = RUBRICS[0] | {"rubrics": json.dumps([BUILDERS, SOURCE | {"title": "Invents a number"}])}
    imported(tmp_path, "researchrubrics", tasks=lines(changed))
    split.refresh_from_db()
    call_command("rescore", "researchrubrics", "test", stdout=StringIO())
    work(Run.objects.select_related("answer_set__split", "revision__split").get(revision=split.current_revision))
    assert len(server.chats) == 3


def test_a_report_is_scored_beside_the_reference_report(settings: Any, server: JudgeServer, tmp_path: Path) -> None:
    judged_by(settings, server)
    means = {"comprehensiveness": (6, 4), "insight": (5, 5), "instruction_following": (9, 3), "readability": (0, 8)}
    reply = {
        name: [{"criterion": f"Has {name}", "analysis": "…", "article_1_score": first, "article_2_score": second}]
        for name, (first, second) in means.items()
    }
    server.rule = lambda chat: Play("text", message=f"```json\n{json.dumps(reply)}\n```")
    split = imported(tmp_path, "deepresearch", tasks=lines(TASK), criteria=lines(CRITERIA), reference=lines(REPORT))
    run = work(sent(split, {"1": "Our report."}, "against-reference"))
    assert (run.state, run.reason) == (RunState.DONE, "")
    assert {score.name: score.value for score in Score.objects.filter(run=run)} == {
        "against-reference": 0.5,
        "against-reference.comprehensiveness": 0.6,
        "against-reference.insight": 0.5,
        "against-reference.instruction-following": 0.75,
        "against-reference.readability": 0.0,
    }
    (chat,) = server.chats
    assert '"Our report."' in chat.body["messages"][0]["content"]
    assert '"The reference report."' in chat.body["messages"][0]["content"]
