"""The demo's further benchmarks, declared folders made from open questions, and its baselines."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celery.exceptions import Retry
from django.core.management import call_command
from django.test import Client

from humaneval.models import Study
from leaderboard.board.table import board_for
from leaderboard.board.write import open_board
from leaderboard.models import Entry, Submission, System
from leaderboard.project.demo import baselines, content, samples
from leaderboard.project.demo.tasks import submit_baselines
from leaderboard.publishing.removal import unpublish_submission
from leaderboard.submissions import notifications
from scoring import declarations
from scoring.analysis.explanations import HiddenSplitError
from scoring.benchmarks import definition_of
from scoring.benchmarks.declared import template as declared_template
from scoring.metrics.asking.config import NO_JUDGE
from scoring.models import Baseline, Question, Revision, Run, Split, Verdict
from scoring.models.run_states import RunState
from tests import boards, factories

pytestmark = pytest.mark.django_db
LISTS, JUDGED, COMPARED = samples.SAMPLES


@pytest.fixture
def source() -> Iterator[Split]:
    """The packaged open split, imported."""
    call_command("import_benchmark", "fanoutqa", verbosity=0)
    declarations.clear()
    yield Split.objects.select_related("benchmark").get(hidden=False)
    declarations.clear()


@pytest.mark.slow
def test_two_systems_are_scored_and_the_home_page_lists_all_benchmarks(
    source: Split, tmp_path: Path, client: Client
) -> None:
    samples.load_samples(tmp_path, source)
    assert {one.name for one in tmp_path.iterdir()} == {one["slug"] for one in samples.SAMPLES}
    owner = factories.user("ada")
    Split.objects.filter(pk=source.pk).update(hidden=True)  # its own baselines are tested below
    submitted = content.submit_baselines(owner)
    of_lists, of_references = (
        [one.name for one in of_kind] for of_kind in (baselines.OF_LISTS, baselines.OF_REFERENCES)
    )
    assert [one.name for one in submitted] == [*of_lists, *of_references] * 2 + of_lists
    for submission in submitted:
        factories.score(submission)
        assert content.publish_if_new(submission)
    assert System.objects.count() == len(of_lists + of_references), "one page over all benchmarks"
    boards.refresh()
    for sample in (LISTS, JUDGED):
        split = Split.objects.get(benchmark__slug=sample["slug"])
        questions = Question.objects.filter(revision=split.current_revision)
        assert questions.count() == len(samples.sample_questions(sample, source)) > 100
        assert definition_of(sample["slug"]).task_type == sample["task_type"]
        assert not split.hidden
        assert Entry.objects.filter(split=split).count() == len(of_lists + of_references)
        found = open_board(sample["slug"], split.slug, samples.SETTING)
        assert found is not None
        values = [float(row.cells[0].value or 0) for row in board_for(found, as_page=True).rows]
        assert values == sorted(values, reverse=True)
        assert all(0 < value < 1 for value in values)

    judged = Run.objects.filter(metric="list-judge")
    assert set(judged.values_list("state", flat=True)) == {RunState.NOT_CONFIGURED}, "no score is invented"
    page = client.get(f"/{JUDGED['slug']}/dev/{samples.SETTING}/").content.decode()
    assert "Not scored yet." in page

    compared = Run.objects.exclude(state=RunState.CANCELLED).filter(metric="side-by-side")
    assert {(run.state, run.reason) for run in compared} == {(RunState.NOT_CONFIGURED, NO_JUDGE)}
    baseline = Baseline.objects.get().answer_set
    assert {run.opponent for run in compared} == {baseline}
    assert {run.answer_set for run in compared} - {baseline}
    assert Revision.objects.get(split__benchmark__slug=COMPARED["slug"]).has_references
    board = f"/{COMPARED['slug']}/dev/{samples.SETTING}/"
    assert Entry.objects.filter(split=baseline.split, shows_answers=True).count() == len(of_lists)
    content.load_pairs(factories.maintainer())
    content.load_pairs(factories.maintainer("second"))
    assert Study.objects.get(slug=content.PAIRS_SLUG).items.exists()
    boards.refresh()
    page = client.get(board).content.decode()
    assert not Verdict.objects.exists(), "no verdict is invented"
    assert all(f">{name}<" in page for name in of_lists)

    assert content.submit_baselines(owner) == submitted, "they are submitted once"
    assert Submission.objects.count() == len(submitted)


def test_baselines_read_no_article_and_not_the_reference_of_their_question(db: None) -> None:
    split = factories.split(factories.benchmark(n_dev=8), "dev")
    references = baselines.items_of(split)
    assert references.keys() == {f"dev-{number}" for number in range(8)}
    frequent, shuffled, words = baselines.OF_REFERENCES
    given: dict[str, dict[str, Any]] = {}
    for baseline in (baselines.TITLES, frequent, shuffled, words):
        lines = [json.loads(line) for line in baselines.generations(split, baseline, references)]
        assert all(line["usage"]["seconds"] > 0 and line["usage"].keys() == {"seconds"} for line in lines)
        given[baseline.name] = {line["id"]: line["answer"] for line in lines}
    own = {qid: ", ".join(items) for qid, items in references.items()}
    assert sorted(given[shuffled.name].values()) == sorted(own.values())
    assert all(given[shuffled.name][qid] != own[qid] for qid in own)
    changed = references | {"dev-0": ["Unheard of"] * 9}
    question = Question.objects.get(revision=split.current_revision, qid="dev-0")
    assert frequent.answer(question, changed) == frequent.answer(question, references)
    assert given[words.name]["dev-0"] == "What is the capital of Norway 0", question.text
    split.hidden = True
    split.save()
    with pytest.raises(HiddenSplitError):
        baselines.items_of(split)


def test_the_task_submits_and_publishes_the_baselines_once(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    split = factories.split(factories.benchmark(), "dev")
    owner = factories.user("ada")
    with pytest.raises(Retry):  # they are not scored yet
        submit_baselines.apply(args=(owner.pk,), throw=True)
    submitted = Submission.objects.filter(owner=owner)
    assert {submission.name for submission in submitted} == {baseline.name for baseline in baselines.OF_REFERENCES}
    assert not notifications.due().exists(), "no mail is sent about them"
    for submission in submitted:
        factories.score(submission)
    for _ in range(2):
        submit_baselines.apply(args=(owner.pk,), throw=True)
        n_settings = split.benchmark.settings.filter(accepts_submissions=True).count()
        assert Entry.objects.filter(split=split).count() == n_settings * len(baselines.OF_REFERENCES) > 3
    page = client.get("/fanoutqa/dev/questions/dev-0/").content.decode()
    assert all(f">{baseline.name}</a>" in page for baseline in baselines.OF_REFERENCES)
    assert "Not public" not in page
    unpublish_submission(submitted[0], actor=owner)
    submit_baselines.apply(args=(owner.pk,), throw=True)
    assert not submitted[0].entries.filter(replaced_at=None).exists(), "what its owner takes off stays off"


def test_single_answers_and_lists_are_gold_answers(source: Split) -> None:
    counts = {len(items) for _, items in samples.sample_questions(JUDGED, source)}
    assert min(counts) == 1 and max(counts) > 10
    assert min(len(items) for _, items in samples.sample_questions(LISTS, source)) == LISTS["fewest"]


def test_a_hidden_split_gives_no_sample(source: Split) -> None:
    source.hidden = True
    assert samples.sample_questions(LISTS, source) == []


def test_without_the_prompts_of_a_judge_there_is_no_judged_sample(
    source: Split, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(declared_template, "packaged_definitions", dict)
    samples.load_samples(tmp_path, source)
    assert [one.name for one in tmp_path.iterdir()] == [LISTS["slug"]]
