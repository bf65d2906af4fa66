"""Short answers that are judged with a benchmark's own prompt: asked, read, stored, scored; unparsed is no zero."""

from typing import Any

import pytest

from scoring.metrics.asking.config import NO_JUDGE
from scoring.metrics.asking.replies import Outcome
from scoring.models import Run, Score, Verdict
from scoring.models.run_states import RunState
from scoring.queries import target_signatures
from scoring.registry import metric_of, why_unavailable
from scoring.runs import intervals
from tests import factories, graded_site
from tests.judge_server import JudgeServer, Play
from tests.scoring.metrics.graded_answer.prompts import GRADES
from tests.scoring.runs.judging.site import judged_by, run_of, work

pytestmark = pytest.mark.django_db


def sent(metric: str = "graded-answer", answers: Any = None, **declared: Any) -> Run:
    dev = factories.split(graded_site.declare(**declared), "dev")
    answers = answers or graded_site.answers("dev", right=20, wrong=10, unknown=6)
    return run_of(factories.submission(factories.user(), dev, {"closed-book": answers}), "closed-book", metric)


def test_grades_are_asked_for_stored_and_scored(settings: Any, server: JudgeServer) -> None:
    judged_by(settings, server)
    run = work(sent())
    assert (run.state, run.reason) == (RunState.DONE, "")
    scores = {one.name.partition(".")[2]: one for one in Score.objects.filter(run=run)}
    assert {name: score.value for name, score in scores.items()} == {
        "correct": 0.5,
        "accuracy-given-attempted": pytest.approx(2 / 3),
        "f-score": pytest.approx(2 * 0.5 * (2 / 3) / (0.5 + 2 / 3)),
        "incorrect": 0.25,
        "not-attempted": 0.25,
    }
    assert len(server.chats) == 36, "questions without an answer are no request"
    assert set(Verdict.objects.values_list("letter", flat=True)) == {"correct", "incorrect", "not attempted"}
    signature = scores["correct"].signature
    assert signature.startswith(f"graded-answer|model:{settings.JUDGE_MODEL}|prompt:grades-")
    assert "|cut:20000|" in signature
    assert scores["correct"].n_answered == 36


def test_ratios_have_an_interval_too_and_a_missing_one_is_computed(settings: Any, server: JudgeServer) -> None:
    judged_by(settings, server)
    run = work(sent())

    def ends() -> dict[str, bool]:
        return {one.name.partition(".")[2]: one.low is not None for one in Score.objects.filter(run=run)}

    names = ("correct", "accuracy-given-attempted", "f-score", "incorrect", "not-attempted")
    expected = dict.fromkeys(names, True)
    assert ends() == expected
    Score.objects.filter(run=run, name="graded-answer.correct").update(low=None, high=None)
    assert intervals.fill() == 1, "an interval that is missing is computed, and no other"
    assert ends() == expected


def test_verdicts_with_a_stated_confidence_have_a_calibration_error(settings: Any, server: JudgeServer) -> None:
    judged_by(settings, server)
    run = work(sent("verified-answer", graded_site.answers("dev", right=20, wrong=10, confidence=80)))
    scores = {one.name: one for one in Score.objects.filter(run=run)}
    assert scores["verified-answer.correct"].value == 0.5
    error = scores["verified-answer.calibration-error"]
    mean = (8 * 0.4 + 22 * 0.8) / 30
    assert error.value == pytest.approx(mean - 2 / 3)
    assert (error.low, error.n_items) == (None, 0)
    assert set(Verdict.objects.values_list("letter", flat=True)) == {
        "correct/80",
        "correct/40",
        "incorrect/80",
        "incorrect/40",
    }


def test_a_prompt_with_the_questions_context_gets_it(settings: Any, server: JudgeServer) -> None:
    judged_by(settings, server)
    work(sent(answers={"dev-3": "town AD"}, graded_answer_prompt=f"{{context}} ({{categories}})\n{GRADES}"))
    (chat,) = server.chats
    assert chat.body["messages"][0]["content"].startswith("Of AD. (odd)\nAssign")


@pytest.mark.parametrize(("metric", "text"), [("graded-answer", "A or B"), ("verified-answer", "confidence: 80")])
def test_a_reply_without_a_verdict_is_asked_for_again_and_then_no_zero(
    settings: Any, server: JudgeServer, metric: str, text: str
) -> None:
    judged_by(settings, server)
    server.rule = lambda chat: Play("text", message=text)
    run = work(sent(metric, {"dev-1": "x", "dev-2": "y"}))
    assert run.state == RunState.INCOMPLETE
    assert f"2 {Outcome.UNPARSED.label}." in run.reason
    assert not Score.objects.filter(run=run).exists()
    assert len(server.chats) == 6


def test_without_a_judge_the_reason_is_given_and_the_signature_names_prompt_and_model(settings: Any) -> None:
    run = sent()
    assert run.state == RunState.NOT_CONFIGURED
    assert why_unavailable(metric_of(graded_site.SLUG, "graded-answer")) == NO_JUDGE
    wanted = target_signatures(run.answer_set.split)
    assert wanted["graded-answer"].startswith(f"graded-answer|model:{settings.JUDGE_MODEL}|prompt:grades-")
    assert wanted["verified-answer"].startswith(f"verified-answer|model:{settings.JUDGE_MODEL}|prompt:verdicts-")
