"""What a copy of the references scores: as the metric has it, once, on the right queue, and without a word of it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from pytest_django import DjangoAssertNumQueries

from scoring import queries, tasks
from scoring.benchmarks import definition_of, definitions
from scoring.importing.revisions import import_definition
from scoring.metrics.base import Metric
from scoring.metrics.text.normalise import as_text
from scoring.models import Ceiling, CurrentSignature, Revision, Split
from scoring.registry import METRICS, metric_named, why_unavailable
from scoring.runs import ceilings
from scoring.workers import broker
from tests import factories
from tests.processes import Beat, Worker
from tests.reliability.ground import wait_until

LOCAL = ("accuracy", "accuracy-repaired", "rouge")


@pytest.fixture
def dev(db: None) -> Split:
    return factories.split(factories.benchmark(n_dev=6, n_test=3), "dev")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Any, ...], str]]:
    """Messages that would have been sent: task, arguments, queue."""
    found: list[tuple[str, tuple[Any, ...], str]] = []

    def keep(task: Any, *args: object, queue: str, expires: float = broker.LOOK_SECONDS) -> bool:
        assert expires > 0
        found.append((task, args, queue))
        return True

    monkeypatch.setattr(broker, "send", keep)
    return found


def revision_of(split: Split) -> Revision:
    assert split.current_revision is not None
    return split.current_revision


def measure_all() -> int:
    return sum(ceilings.measure(item.revision.pk, item.metric) for item in list(ceilings.missing()))


def test_kept_is_what_the_metric_gives_to_a_copy(dev: Split) -> None:
    assert measure_all() == 2 * len(LOCAL), "dev and test"
    references = queries.references_of(revision_of(dev))
    copies = [as_text(reference) for reference in references]
    for name in LOCAL:
        metric = metric_named(name).on_site(settings)
        scores = metric.score(metric.prepare(references), copies)
        rows = Ceiling.objects.filter(revision=dev.current_revision, metric=name)
        assert {row.name: row.value for row in rows} == {key: score.value for key, score in scores.items()}
        assert set(scores) == set(metric.score_names)
        assert {row.signature for row in rows} == {metric.signature(revision_of(dev).signature_part)}
    assert list(ceilings.missing()) == []
    assert measure_all() == 0
    columns = {column.score for column in definition_of(dev.benchmark.slug).columns if column.metric in LOCAL}
    assert columns <= set(Ceiling.objects.values_list("name", flat=True)), "each is a column of the board"


def test_the_ceilings_of_the_real_dev_split_are_those_that_are_documented(db: None, settings: Any) -> None:
    settings.LEMMATISER = "lookup"
    definition = definitions()["fanoutqa"]
    benchmark = import_definition(definition)
    source = definition.packaged()["dev"].source
    split = factories.split(benchmark, "dev")
    factories.revise(split, source.questions)
    split = factories.split(benchmark, "dev")
    assert ceilings.measure(revision_of(split).pk, "accuracy") is True
    found = dict(Ceiling.objects.values_list("name", "value"))
    assert {name: round(value, 4) for name, value in found.items()} == {"loose": 0.9784, "strict": 0.9194}


def test_the_judge_is_never_asked(dev: Split, settings: Any, sent: list[Any]) -> None:
    settings.JUDGE_API_KEY = "a-key-that-costs-money"
    assert why_unavailable(METRICS["judge"]) == ""
    assert {item.metric for item in ceilings.missing()} == set(LOCAL)
    assert ceilings.measure(revision_of(dev).pk, "judge") is False
    assert not Ceiling.objects.exists()
    assert ceilings.why_not("judge") == ceilings.NOT_ASKED
    assert [ceilings.why_not(name) for name in LOCAL] == ["", "", ""]
    assert ceilings.why_not("bleurt") == why_unavailable(METRICS["bleurt"]) != ""


def test_nothing_to_copy_is_nothing_missing(db: None) -> None:
    made = factories.benchmark(test_answers=False)
    assert {item.revision.split.slug for item in ceilings.missing()} == {"dev"}
    test = factories.split(made, "test")
    assert ceilings.measure(revision_of(test).pk, "accuracy") is False
    assert ceilings.measure(0, "accuracy") is False


def test_another_revision_is_measured_beside_the_one_still_shown(dev: Split) -> None:
    for name in LOCAL:
        signature = metric_named(name).on_site(settings).signature(revision_of(dev).signature_part)
        CurrentSignature.objects.create(split=dev, metric=name, signature=signature)
    first = revision_of(dev)
    factories.revise(dev, factories.source_questions("dev", 6, overrides={1: ["a", "b"]}))
    second = revision_of(factories.split(dev.benchmark, "dev"))
    wanted = {(item.revision, item.metric) for item in ceilings.missing() if item.revision.split_id == dev.pk}
    assert wanted == {(revision, name) for revision in (first, second) for name in LOCAL}
    measure_all()
    CurrentSignature.objects.filter(metric="rouge").delete()
    factories.revise(dev, factories.source_questions("dev", 5))
    third = revision_of(factories.split(dev.benchmark, "dev"))
    assert {(item.revision, item.metric) for item in ceilings.missing()} == {(third, name) for name in LOCAL}


def test_looking_takes_four_queries(dev: Split, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(4):
        assert len(list(ceilings.missing())) == 2 * len(LOCAL)


def test_one_message_on_the_proper_queue_and_ever_more_rarely(
    dev: Split, sent: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ceilings.send_missing() == 1, "one on each queue at a time"
    first = next(ceilings.missing())
    assert sent == [("scoring.tasks.measure_ceiling", (first.revision.pk, first.metric), "cpu")]
    assert ceilings.send_missing() == 0, "it was sent a moment ago"
    waits = []
    for _ in range(10):
        cache.delete(f"{ceilings.cache_key(first)}-sent")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(cache, "add", lambda key, value, timeout: waits.append(timeout) or True)  # type: ignore[func-returns-value]
            ceilings.send_missing()
    assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600]
    tasks.measure_ceiling(first.revision.pk, first.metric)
    second = next(ceilings.missing())
    assert second != first
    ceilings.send_missing()
    assert sent[-1] == ("scoring.tasks.measure_ceiling", (second.revision.pk, second.metric), "cpu")


def test_a_metric_that_fails_says_nothing_of_the_references_and_holds_up_no_other(
    dev: Split, sent: list[Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(self: Metric, prepared: Any, generations: Any, progress: Any = None) -> Any:
        raise ValueError(f"cannot score {generations}")

    monkeypatch.setattr(METRICS["accuracy"], "score", failing)
    failed = next(ceilings.missing())
    assert failed.metric == "accuracy"
    tasks.measure_ceiling(failed.revision.pk, failed.metric)
    assert not Ceiling.objects.exists()
    assert "ValueError" in caplog.text
    for reference in queries.references_of(failed.revision):
        for text in as_text(reference).split(" - "):
            assert len(text) < 3 or text not in caplog.text
    ceilings.send_missing()
    (message,) = sent
    assert message[1] != (failed.revision.pk, failed.metric), "it is left alone for an hour"


@pytest.mark.postgres
def test_half_a_ceiling_is_never_kept(dev: Split, monkeypatch: pytest.MonkeyPatch) -> None:
    create = Ceiling.objects.bulk_create

    def dying(rows: Any, **options: Any) -> Any:
        create(rows[:1], **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(Ceiling.objects, "bulk_create", dying)
    with pytest.raises(KeyboardInterrupt):
        ceilings.measure(revision_of(dev).pk, "rouge")
    assert not Ceiling.objects.exists()
    monkeypatch.undo()
    assert ceilings.measure(revision_of(dev).pk, "rouge") is True
    assert Ceiling.objects.count() == 9


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_worker_measures_them_by_itself(
    transactional_db: None, make_worker: Callable[..., Worker], beat: Beat
) -> None:
    factories.benchmark(n_dev=6, n_test=3)
    n_scores = sum(len(metric_named(name).score_names) for name in LOCAL)
    make_worker()
    wait_until("the ceilings of both splits", lambda: Ceiling.objects.count() == 2 * n_scores or None, seconds=90)
    assert list(ceilings.missing()) == []
