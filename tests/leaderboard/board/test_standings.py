"""The statistics of boards: what is kept is what the functions give, computed once, found stale whenever it is."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.board import standings, write
from leaderboard.board.inputs import BoardInputs, read_inputs
from leaderboard.board.staleness import WRITE_BOARDS, mark_stale
from leaderboard.maintenance import rescoring
from leaderboard.models import BoardChange, BoardDocument, BoardStatistics, Entry, EntryKind, Standing, System
from leaderboard.publishing.services import publish_submission, unpublish_submission
from leaderboard.submissions import services
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.models import CurrentSignature, Run, Score, Setting, Split, vector_bytes
from scoring.queries import current_signatures
from scoring.runs import intervals
from scoring.runs.intervals import intervals_of
from scoring.statistics import BOARD_SEED, mean_interval, mean_intervals, rank_statistics
from scoring.workers import broker
from tests import boards, factories
from tests.processes import ROOT, child_environment
from tests.services import PATIENCE_SECONDS, wait_for

N_QUESTIONS = 30
N_SYSTEMS = 12


@pytest.fixture
def place(db: None) -> tuple[Split, Setting]:
    made = factories.benchmark(n_dev=4, n_test=N_QUESTIONS)
    Split.objects.update(hidden=False)  # every column has statistics
    return factories.split(made, "test"), factories.setting(made)


@pytest.fixture
def definition(place: tuple[Split, Setting]) -> BenchmarkDefinition:
    return definition_of(place[0].benchmark.slug)


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The shapes of the columns that are computed."""
    shapes: list[tuple[int, ...]] = []

    def counted(vectors: Any, **options: Any) -> Any:
        shapes.append(vectors.shape)
        return rank_statistics(vectors, **options)

    monkeypatch.setattr(standings, "rank_statistics", counted)
    return shapes


def kept() -> list[tuple[Any, ...]]:
    return list(Standing.objects.order_by("entry", "name").values_list())


# What is kept ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_kept_is_what_the_functions_give(place: tuple[Split, Setting], definition: BenchmarkDefinition) -> None:
    entries = boards.fill(*place, N_SYSTEMS, seed=3)
    assert standings.refresh(*place) is True
    n_checked = 0
    for column in definition.columns:
        rows = Score.objects.filter(run__answer_set__board_entry__in=entries, name=column.score).order_by("pk")
        scores = list(rows.select_related("run__answer_set__board_entry"))
        if not scores:
            continue
        rows_of_scores = np.stack([score.per_item for score in scores])
        interval, ranks = mean_intervals(rows_of_scores), rank_statistics(rows_of_scores, seed=BOARD_SEED)
        for index, score in enumerate(scores):
            standing = Standing.objects.get(entry=score.run.answer_set.board_entry, name=column.score)
            assert (standing.rank, standing.best_rank, standing.worst_rank, standing.marked) == (
                ranks.rank[index],
                ranks.best[index],
                ranks.worst[index],
                ranks.best[index] == 1,
            )
            assert standing.tie_group == ranks.group[index]
            assert standing.p_value == ranks.p_value[index]
            assert (score.low, score.high) == (interval.low[index], interval.high[index])
            alone = mean_interval(score.per_item)
            assert (score.low, score.high) == (alone.low, alone.high), "the same whether computed alone or with all"
            n_checked += 1
    assert n_checked == Standing.objects.count() == Score.objects.count()
    assert len({standing.rank for standing in Standing.objects.filter(name=definition.default_sort)}) > N_SYSTEMS / 2


def test_systems_that_lack_a_score_have_no_standing_in_its_column(place: tuple[Split, Setting]) -> None:
    boards.fill(*place, N_SYSTEMS)
    standings.refresh(*place)
    assert Standing.objects.filter(name="loose").count() == N_SYSTEMS
    assert Standing.objects.filter(name="judge").count() == N_SYSTEMS - N_SYSTEMS // 10


def test_people_and_published_numbers_are_never_ranked(place: tuple[Split, Setting]) -> None:
    human, reported, *_ = boards.fill(*place, N_SYSTEMS)
    human.system.is_human = True
    human.system.save()
    Score.objects.filter(run__answer_set=human.answer_set).update(value=1.0, vector=vector_bytes(np.ones(N_QUESTIONS)))
    Entry.objects.filter(pk=reported.pk).update(kind=EntryKind.REPORTED, answer_set=None)
    assert standings.refresh(*place) is True
    assert set(Standing.objects.values_list("entry", flat=True)).isdisjoint({human.pk, reported.pk})
    assert Standing.objects.filter(name="loose", rank=1).exists()
    assert Standing.objects.filter(name="loose").count() == N_SYSTEMS - 2


def test_scores_under_another_signature_have_no_standing(place: tuple[Split, Setting]) -> None:
    entries = boards.fill(*place, N_SYSTEMS)
    runs = Run.objects.filter(answer_set=entries[0].answer_set, metric="accuracy")
    Score.objects.filter(run__in=runs).update(signature="accuracy|of another day")
    standings.refresh(*place)
    assert not Standing.objects.filter(entry=entries[0], name__in=["loose", "strict"]).exists()
    assert Standing.objects.filter(entry=entries[0], name="rougeL.fscore").exists()


def test_a_score_of_other_questions_is_left_out_and_said(
    place: tuple[Split, Setting], caplog: pytest.LogCaptureFixture
) -> None:
    entries = boards.fill(*place, 4)
    odd = Score.objects.filter(run__answer_set=entries[0].answer_set, name="loose")
    odd.update(vector=vector_bytes(np.ones(N_QUESTIONS - 1)), n_items=N_QUESTIONS - 1)
    assert standings.refresh(*place) is True
    assert Standing.objects.filter(name="loose").count() == 3
    assert (1, "loose") in [record.args for record in caplog.records], "how many scores are left out, and of what"


def test_one_question_gives_ranks_and_no_interval(db: None) -> None:
    made = factories.benchmark(n_dev=1, n_test=1)
    place = factories.split(made, "test"), factories.setting(made)
    boards.fill(*place, 1)
    assert standings.refresh(*place) is True
    assert Standing.objects.filter(name="loose", rank=1, best_rank=1, worst_rank=1).count() == 1
    assert not Score.objects.exclude(low=None).exists()
    assert standings.refresh(*place) is False


# When it is computed -----------------------------------------------------------------------------------------------


def test_a_row_more_has_its_own_intervals_computed_and_gives_what_all_rows_at_once_would(
    place: tuple[Split, Setting], definition: BenchmarkDefinition, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards.fill(*place, N_SYSTEMS)
    assert standings.refresh(*place) is True
    computed: list[int] = []
    read: list[BoardInputs] = []

    def ends(vectors: Any, *args: Any, **options: Any) -> Any:
        computed.append(len(vectors))
        return intervals_of(vectors, *args, **options)

    def inputs(*place: Any) -> BoardInputs:
        read.append(read_inputs(*place))
        return read[-1]

    boards.fill(*place, 1, seed=1, prefix="Later")
    with monkeypatch.context() as patched:
        patched.setattr(intervals, "intervals_of", ends)
        patched.setattr(write, "read_inputs", inputs)
        assert standings.refresh(*place) is True
    assert computed == [1] * len(definition.columns)
    assert len(read) == 2, "before, and to see whether the board has changed meanwhile"

    def numbers() -> list[Any]:
        rows = Standing.objects.order_by("entry", "name")
        fields = [field.name for field in Standing._meta.fields if field.name not in ("id", "board")]
        return [*rows.values_list(*fields), *Score.objects.order_by("pk").values_list("low", "high")]

    before = numbers()
    BoardStatistics.objects.all().delete()
    Score.objects.update(low=None, high=None)
    assert standings.refresh(*place) is True
    assert numbers() == before


def test_a_sweep_checks_only_boards_that_were_marked_or_not_checked_for_long(
    place: tuple[Split, Setting], monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    boards.fill(*place, 3)
    with monkeypatch.context() as patched:
        patched.setattr(standings, "compute", lambda inputs: 1 / 0)
        assert standings.refresh_due() == 0
        assert BoardDocument.objects.get().settled_at is None, (
            "its statistics are missing, so the next sweep looks again"
        )
    assert standings.refresh_due() == 1
    System.objects.filter(entries__split=place[0]).update(name="Renamed")
    BoardChange.objects.all().delete()
    with django_assert_num_queries(7):
        assert standings.refresh_due() == 0, "no mark"
    mark_stale([(place[0].pk, place[1].pk)])
    assert standings.refresh_due() == 1
    System.objects.filter(entries__split=place[0]).update(name="Renamed again")
    BoardChange.objects.all().delete()
    BoardDocument.objects.update(settled_at=timezone.now() - standings.CHECK_INTERVAL)
    assert standings.refresh_due() == 1


def test_a_board_that_changes_during_the_computation_is_marked_again(
    place: tuple[Split, Setting], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that receives the change leaves a board to the one at work, so that one has to see to it."""
    boards.fill(*place, 3)
    compute = standings.compute

    def slow(inputs: BoardInputs) -> standings.Computed:
        monkeypatch.setattr(standings, "compute", compute)
        boards.fill(*place, 1, prefix="Late")
        return compute(inputs)

    monkeypatch.setattr(standings, "compute", slow)
    BoardChange.objects.all().delete()
    standings.refresh(*place)
    assert BoardChange.objects.exists()
    assert standings.refresh_marked() == 1
    assert not BoardChange.objects.exists()
    assert {standing.entry.system.name for standing in Standing.objects.all()} >= {"Late 1"}


def test_a_changed_name_is_no_reason_to_compute_again(
    place: tuple[Split, Setting], passes: list[tuple[int, ...]]
) -> None:
    entries = boards.fill(*place, 3)
    standings.refresh(*place)
    done, before = len(passes), kept()
    entries[0].system.name = "Another name"
    entries[0].system.save()
    assert standings.refresh(*place) is True, "the board shows something else"
    assert (len(passes), kept()) == (done, before)
    assert standings.refresh(*place) is False


@pytest.mark.slow
def test_switching_the_signature_puts_standings_on_the_new_scores(place: tuple[Split, Setting]) -> None:
    ada = factories.user()
    sent = factories.published(ada, place[0], {"openbook": factories.perfect("test", N_QUESTIONS)})
    boards.refresh()
    assert set(Standing.objects.values_list("name", "rank")) >= {("loose", 1), ("rougeL.fscore", 1)}
    answers = factories.source_questions("test", N_QUESTIONS, overrides={0: "something else altogether"})
    factories.revise(place[0], answers)
    split = factories.split(place[0].benchmark, "test")
    assert boards.refresh() == 1, "another revision is shown in the board's head"
    before = kept()
    rescoring.make_missing_runs(split)
    factories.score(sent)
    assert boards.refresh() == 0, "new scores that are not shown change nothing"
    assert kept() == before
    assert rescoring.switch(split)
    assert boards.refresh() == 1
    loose = Score.objects.get(signature=current_signatures(split)["accuracy"], name="loose")
    assert loose.low is not None
    assert Standing.objects.filter(name="loose").count() == 1
    assert CurrentSignature.objects.get(metric="accuracy").signature == loose.signature


def test_a_board_without_rows_loses_its_statistics(place: tuple[Split, Setting]) -> None:
    entries = boards.fill(*place, 3)
    boards.refresh()
    Entry.objects.filter(pk__in=[entry.pk for entry in entries]).update(replaced_at="2026-01-01T00:00Z")
    assert boards.refresh() == 1
    assert not BoardStatistics.objects.exists()
    assert not Standing.objects.exists()
    assert boards.refresh() == 0


def test_services_ask_for_it_on_commit(
    place: tuple[Split, Setting],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    params: list[str] = []
    monkeypatch.setattr(broker, "send", lambda task, *args, **options: params.append(task))
    ada = factories.user()
    with django_capture_on_commit_callbacks(execute=False):
        sent = factories.scored(ada, place[0], {"openbook": factories.perfect("test", N_QUESTIONS)})
    for act in (publish_submission, unpublish_submission, publish_submission, services.withdraw_submission):
        with django_capture_on_commit_callbacks(execute=True):
            act(sent, actor=ada)
            assert params == []
        assert set(params) == {WRITE_BOARDS}
        params.clear()
    with django_capture_on_commit_callbacks(execute=True):
        unpublish_submission(sent, actor=ada)
    assert params == [], "nothing was on the board"


# Failing, dying, and two at once -----------------------------------------------------------------------------------


def test_one_board_that_fails_does_not_stop_the_others(
    place: tuple[Split, Setting], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    split, setting = place
    other = factories.setting(split.benchmark, "closedbook")
    boards.fill(split, setting, 3)
    boards.fill(split, other, 3)
    compute = standings.compute

    def failing(inputs: BoardInputs) -> standings.Computed:
        if {row.entry for row in inputs.scores} & set(setting.entries.values_list("pk", flat=True)):
            raise ValueError("".join(reversed("terces")))
        return compute(inputs)

    monkeypatch.setattr(standings, "compute", failing)
    assert boards.refresh() == 1
    assert BoardStatistics.objects.get().setting == other
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.text
    monkeypatch.undo()
    assert boards.refresh() == 1


@pytest.mark.slow
def test_what_is_kept_changes_at_once_or_not_at_all(
    place: tuple[Split, Setting], monkeypatch: pytest.MonkeyPatch
) -> None:
    boards.fill(*place, 4)
    standings.refresh(*place)
    before, basis = kept(), BoardStatistics.objects.get().fingerprint
    boards.fill(*place, 3, prefix="Later")

    def failing(*args: Any, **options: Any) -> None:
        raise RuntimeError("stopped during")

    monkeypatch.setattr(intervals, "save", failing)
    with pytest.raises(RuntimeError):
        standings.refresh(*place)
    assert (kept(), BoardStatistics.objects.get().fingerprint) == (before, basis)
    monkeypatch.undo()
    assert standings.refresh(*place) is True
    assert Standing.objects.filter(name="loose").count() == 7


@contextmanager
def held_in_the_middle() -> Iterator["subprocess.Popen[str]"]:
    """Another process that is computing a board's statistics and does not get any further."""
    script = (
        "import sys, time, django; django.setup()\n"
        "from leaderboard.board import standings\n"
        "def stop(*args, **options):\n"
        "    print('computing', flush=True); time.sleep(600)\n"
        "standings.rank_statistics = stop\n"
        "print(sum(standings.refresh(*board) for board in standings.boards()), flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], env=child_environment(), cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "computing\n"
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.django_db(transaction=True)
@pytest.mark.slow
def test_two_never_compute_the_same_board_and_a_killed_one_leaves_it_free(
    transactional_db: None, passes: list[tuple[int, ...]]
) -> None:
    made = factories.benchmark(n_test=N_QUESTIONS)
    place = factories.split(made, "test"), factories.setting(made)
    boards.fill(*place, 4)
    with held_in_the_middle() as other:
        assert standings.refresh_statistics(*place, read_inputs(*place)) is False
        assert passes == []
        assert not n_snapshots_of_others()
        elsewhere = factories.setting(made, "closedbook")
        boards.fill(place[0], elsewhere, 2)
        assert standings.refresh(place[0], elsewhere) is True, "another board does not wait for it"
        other.send_signal(signal.SIGKILL)
        other.wait()
        wait_until_free(lambda: standings.refresh(*place))
    assert Standing.objects.filter(board__setting=place[1], name="loose").count() == 4


def n_snapshots_of_others() -> int:
    """How many transactions of others hold old rows back; that of the lock, which has read nothing, does not."""
    if connection.vendor != "postgresql":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
            " AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)"
        )
        (n_snapshots,) = cursor.fetchone()
    return int(n_snapshots)


def wait_until_free(act: Callable[[], bool]) -> None:
    """A database server takes a moment to notice that a client is dead."""
    wait_for(act, PATIENCE_SECONDS, "the end of the lock of a process that is dead")
