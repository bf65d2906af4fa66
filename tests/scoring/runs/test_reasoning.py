"""A benchmark that removes reasoning from answers before they are scored."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring import queries, registry
from scoring.benchmarks import definition_of
from scoring.metrics.asking.items import JudgeSettings
from scoring.models import AnswerBlock, Score
from scoring.task_types import TASK_TYPES
from tests import factories

pytestmark = pytest.mark.django_db
NO_ANSWER = "dev-3"


def with_reasoning() -> dict[str, str]:
    """Right answers after reasoning that names every capital, and one that breaks off before the answer."""
    answers = {qid: f"<think>Or not?</think>\n\n{text}" for qid, text in factories.perfect().items()}
    return answers | {NO_ANSWER: "<think>Germany has Berlin and 3."}


@pytest.fixture
def removing(monkeypatch: pytest.MonkeyPatch) -> None:
    definition = definition_of("fanoutqa")
    answers = definition.form.answers.model_copy(update={"remove_reasoning": True})
    definition = replace(definition, form=definition.form.model_copy(update={"answers": answers}))
    monkeypatch.setattr(registry, "definition_of", lambda slug: definition)


@pytest.mark.usefixtures("removing")
def test_metrics_get_answers_without_reasoning_and_the_file_stays() -> None:
    split = factories.split(factories.benchmark(), "dev")
    submission = factories.submission(factories.user(), split, {"openbook": with_reasoning()})
    answer_set = submission.files.get().answer_set
    assert AnswerBlock.objects.texts_of(answer_set) == with_reasoning()
    assert split.current_revision is not None
    items = queries.items_to_score(answer_set, split.current_revision)
    expected = factories.perfect() | {NO_ANSWER: ""}
    assert dict(zip(items.qids, items.generations, strict=True)) == expected
    factories.score(submission)
    scores = {score.name: score for score in Score.objects.all()}
    assert scores["loose"].n_answered == 3
    assert all("|reasoning:removed|" in score.signature for score in scores.values())


@pytest.mark.usefixtures("removing")
def test_it_is_part_of_every_signature() -> None:
    metrics = definition_of("fanoutqa").metrics
    assert {"accuracy", "rouge", "bleurt", "judge"} <= set(metrics)
    for name in metrics:
        signature = registry.signature_of(registry.metric_of("fanoutqa", name), "dev@0")
        assert "|reasoning:removed|" in signature, name


def test_no_signature_has_it_where_nothing_is_removed() -> None:
    for name in definition_of("fanoutqa").metrics:
        assert "reasoning" not in registry.signature_of(registry.metric_of("fanoutqa", name), "dev@0")
    answers = with_reasoning()
    assert registry.scored_texts("fanoutqa", answers) is answers


def test_a_metric_that_benchmarks_share_removes_reasoning_for_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = registry.metric_of("fanoutqa", "accuracy")
    definition = definition_of("fanoutqa")
    answers = definition.form.answers.model_copy(update={"remove_reasoning": True})
    other = replace(definition, form=definition.form.model_copy(update={"answers": answers}))
    monkeypatch.setattr(registry, "definition_of", lambda slug: other)
    removing = registry.metric_of("other", "accuracy")
    assert "|reasoning:removed|" in removing.signature("dev@0")
    assert "reasoning" not in usual.signature("dev@0")
    assert registry.metric_of("other", "accuracy") is removing  # with what it has cached


def test_a_judges_signature_gives_back_whether_reasoning_was_removed() -> None:
    for settings in (JudgeSettings("m"), JudgeSettings("m", removes_reasoning=True)):
        assert JudgeSettings.of_signature(settings.signature("dev@0")) == settings


def test_lists_lose_reasoning_and_keep_their_answers() -> None:
    task = TASK_TYPES["answer-list"]
    assert task.without_reasoning('["<think>Rome", "or</think>", "Oslo", ""]') == '["Oslo"]'
    assert task.without_reasoning('["Rome",""]') == '["Rome",""]'
