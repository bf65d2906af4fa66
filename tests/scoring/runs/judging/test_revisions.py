"""The two real revisions of the development set: judging again asks only for what was corrected."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.benchmarks import definitions
from scoring.importing.revisions import import_definition
from scoring.metrics.text.normalise import as_text
from scoring.models import Question, Score
from scoring.models.run_states import RunState
from scoring.runs import answer_sets
from tests import factories
from tests.judge_server import JudgeServer
from tests.real_data import have
from tests.scoring.runs.judging.site import judged_by, run_of, submit, work


def texts(path: Path) -> dict[str, tuple[str, str]]:
    """Question and reference of each question of a file, as the judge reads them."""
    return {row["id"]: (row["question"], as_text(row["answer"])) for row in json.loads(path.read_text("utf-8"))}


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("before", "after"), have("fanoutqa/fanout-final-dev-nov23.json", "fanoutqa/fanout-final-dev.json")
)
def test_only_what_was_corrected_is_asked_again(settings: Any, server: JudgeServer, before: Path, after: Path) -> None:
    judged_by(settings, server, SUBMISSION_CAP_USD="")
    definition = next(iter(definitions().values()))
    split = factories.split(import_definition(definition), "dev")
    factories.revise(split, definition.read_file(before).questions)
    split.refresh_from_db()
    old, new = texts(before), texts(after)
    changed = {qid for qid in new if new[qid] != old.get(qid)}
    assert 50 < len(changed) < len(new) - 50

    submission = submit(split, {qid: f"It is {reference}" for qid, (_, reference) in old.items()})
    assert work(run_of(submission)).state == RunState.DONE
    assert len(server.chats) == len(old) == 310
    server.forget()

    factories.revise(split, definition.read_file(after).questions)
    submission.refresh_from_db()
    submission.split.refresh_from_db()
    revision = submission.split.current_revision
    assert revision is not None
    run = answer_sets.ensure_run(submission.files.get().answer_set, "judge", revision)
    assert run is not None
    assert work(run).state == RunState.DONE
    asked = {(chat.question, chat.reference) for chat in server.chats}
    assert len(server.chats) == len(changed)
    assert asked == {new[qid] for qid in changed}
    assert Score.objects.filter(name="judge").count() == 2
    assert Question.objects.filter(revision=revision).count() == len(new)
