"""ScholarQA-CS from its authors' file to scores: general and own criteria, two rubrics, and what is asked again."""

import json
from copy import deepcopy
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from leaderboard.models import Entry
from leaderboard.publishing.services import publish_submission
from scoring.models import Benchmark, Question, Run, Score, Split
from scoring.models.run_states import RunState
from scoring.runs.judging.queries import judging_of
from tests import boards, factories
from tests.judge_server import Chat, JudgeServer, Play
from tests.scoring.metrics.rubric.test_measures import CONFIGURATION
from tests.scoring.runs.judging.site import judged_by, run_of, work

pytestmark = pytest.mark.django_db
SECOND = CONFIGURATION | {
    "other_properties": [{"name": "most_important_item_0", "criterion": "Says why", "weight": 0.6}]
}


def case(case_id: str, question: str, annotator: str, configuration: dict[str, Any]) -> dict[str, Any]:
    config = deepcopy(configuration) | {"question": question}
    told = {"initial_prompt": question, "metric_config": {"name": "rubric_corpusqa_generic", "config": config}}
    return told | {"case_id": case_id, "annotator": annotator, "agreement": case_id != "c3"}


CASES = [
    case("c1", "Which bridges are old?", "Annotator 1 Assignments", CONFIGURATION),
    case("c2", "Which bridges are old?", "Annotator 2 Assignments", SECOND),
    case("c3", "Which bridges are new?", "Annotator 2 Assignments", SECOND),
]


def imported(folder: Path, cases: list[dict[str, Any]]) -> Split:
    file = folder / "test_configs_snippets.json"
    file.write_text(json.dumps(cases), encoding="utf-8")
    call_command("import_benchmark", "scholarqa", "--questions", "test", file, stdout=StringIO())
    return factories.split(Benchmark.objects.get(slug="scholarqa"), "test")


def judge(chat: Chat) -> Play:
    """Claims are cited with excerpts, one snippet is there, and criteria get 8, but in a report that says nothing."""
    text = chat.body["messages"][-1]["content"]
    if "several claims" in text:
        return Play("text", message=json.dumps({"claims": [{"claim_text": "a", "citations": [{"excerpts": ["e"]}]}]}))
    score = 1 if "<snippets>" in text else 0 if "Nothing" in text else 8
    return Play("text", message=json.dumps({"score": score}))


def test_from_the_authors_file_to_a_scored_board(
    settings: Any, server: JudgeServer, tmp_path: Path, client: Client
) -> None:
    judged_by(settings, server)
    server.rule = judge
    split = imported(tmp_path, CASES)
    qids = Question.objects.filter(revision=split.current_revision).values_list("qid", flat=True)
    assert sorted(qids) == ["c1", "c3"], "objects with the same question are one"
    owner = factories.user()
    sent = factories.submission(owner, split, {"search": {"c1": "Aby has one.", "c3": "Nothing."}}, name="Atlas")
    waiting = run_of(sent, "search", "rubric")
    expected = judging_of(waiting).estimate
    assert expected is not None
    run = work(waiting)
    assert (run.state, run.reason) == (RunState.DONE, "")
    # c1: expertise, claims, three criteria, two lists of snippets, and the second rubric's own criterion, because the
    # rubrics share what is general. c3: expertise, claims and its criterion.
    assert len(server.chats) == expected.n_calls == 8 + 3
    scores = {score.name: score.value for score in Score.objects.filter(run=run)}
    general = 0.05 + 0.05 * 0.8 + 0.2 + 0.1
    first = general + 0.12 * 0.8 + 0.12 * 0.5 + 0.12 * 0.8 + 0.12 + 0.12 * 0.8
    second = general + 0.6 * 0.8
    assert scores["rubric"] == pytest.approx(((first + second) / 2 + 0.05 + 0.3) / 2)
    assert scores["rubric.ingredients"] == pytest.approx((((first - general) / 0.6 + 0.8) / 2 + 0) / 2)
    publish_submission(sent, actor=owner, approved=True)
    Entry.objects.update(shows_answers=True)
    boards.write()
    assert "Atlas" in client.get("/scholarqa/test/search/").content.decode()
    page = client.get("/scholarqa/test/questions/c1/").content.decode()
    assert page.count("Met to 80 %") == 6 and page.count("Partly met") == 1
    assert "Annotator 2 Assignments" in page and "not judged" not in page


def test_changed_weights_ask_nothing_and_a_changed_criterion_only_itself(
    settings: Any, server: JudgeServer, tmp_path: Path
) -> None:
    judged_by(settings, server)
    server.rule = judge
    split = imported(tmp_path, CASES[:1])
    first = work(run_of(factories.submission(factories.user(), split, {"search": {"c1": "Aby."}}), "search", "rubric"))
    n_before, value = len(server.chats), Score.objects.get(run=first, name="rubric").value

    def again(configuration: dict[str, Any]) -> tuple[int, float]:
        imported(tmp_path, [case("c1", "Which bridges are old?", "Annotator 1 Assignments", configuration)])
        split.refresh_from_db()
        call_command("rescore", "scholarqa", "test", stdout=StringIO())
        runs = Run.objects.select_related("answer_set__split", "revision__split")
        run = work(runs.get(revision=split.current_revision))
        return len(server.chats) - n_before, Score.objects.get(run=run, name="rubric").value

    changed = deepcopy(CONFIGURATION)
    changed["other_properties"][0]["weight"], changed["citations_weight"] = 0.04, 0.4
    n_asked, new_value = again(changed)
    assert (n_asked, new_value != value) == (0, True)
    changed["other_properties"][2]["criterion"] = "Mentions a toll"
    assert again(changed)[0] == 1
