"""The demo's further benchmarks: declared folders, made from open questions, each with two scored systems."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from leaderboard.board import standings
from leaderboard.board.table import board_for
from leaderboard.board.write import open_board
from leaderboard.models import Entry, System
from leaderboard.project.demo import content, samples
from scoring import declarations
from scoring.benchmarks import definition_of
from scoring.benchmarks.declared import template as declared_template
from scoring.metrics.asking.config import NO_JUDGE
from scoring.models import Baseline, Question, Revision, Run, Split
from scoring.models.run_states import RunState
from tests import factories

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
    assert {one.name for one in tmp_path.iterdir()} == {one.slug for one in samples.SAMPLES}
    owner = factories.user("ada")
    submitted = content.submit_samples(owner, source)
    assert [one.name for one in submitted] == list(samples.SYSTEMS) * 3
    for submission in submitted:
        factories.score(submission)
        assert content.publish_if_new(submission) is (submission.split.benchmark.slug != COMPARED.slug)
    assert System.objects.count() == len(samples.SYSTEMS), "one page over all benchmarks"
    standings.refresh_stale()
    for sample in (LISTS, JUDGED):
        split = Split.objects.get(benchmark__slug=sample.slug)
        questions = Question.objects.filter(revision=split.current_revision)
        assert questions.count() == len(samples.sample_questions(sample, source)) > 100
        assert definition_of(sample.slug).task_type == sample.task_type
        assert not split.hidden
        assert Entry.objects.filter(split=split).count() == len(samples.SYSTEMS)
        found = open_board(sample.slug, split.slug, samples.SETTING)
        assert found is not None
        values = [float(row.cells[0].value or 0) for row in board_for(found, as_page=True).rows]
        assert values == sorted(values, reverse=True)
        assert all(0 < value < 1 for value in values)

    judged = Run.objects.filter(metric="list-judge")
    assert set(judged.values_list("state", flat=True)) == {RunState.NOT_CONFIGURED}, "no score is invented"
    page = client.get(f"/{JUDGED.slug}/dev/{samples.SETTING}/").content.decode()
    assert "Not scored yet." in page

    compared = Run.objects.exclude(state=RunState.CANCELLED).filter(metric="side-by-side")
    assert {(run.state, run.reason) for run in compared} == {(RunState.NOT_CONFIGURED, NO_JUDGE)}
    baseline = Baseline.objects.get().answer_set
    assert {run.opponent for run in compared} == {baseline}
    assert {run.answer_set for run in compared} - {baseline}
    assert Revision.objects.get(split__benchmark__slug=COMPARED.slug).has_references

    samples.load_samples(tmp_path, source)
    assert content.submit_samples(owner, source) == [], "they are submitted once"


def test_single_answers_and_lists_are_gold_answers(source: Split) -> None:
    counts = {len(items) for _, items in samples.sample_questions(JUDGED, source)}
    assert min(counts) == 1 and max(counts) > 10
    assert min(len(items) for _, items in samples.sample_questions(LISTS, source)) == LISTS.fewest


def test_a_hidden_split_gives_no_sample(source: Split) -> None:
    source.hidden = True
    assert samples.sample_questions(LISTS, source) == []


def test_without_the_prompts_of_a_judge_there_is_no_judged_sample(
    source: Split, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(declared_template, "packaged_definitions", dict)
    samples.load_samples(tmp_path, source)
    assert [one.name for one in tmp_path.iterdir()] == [LISTS.slug]
