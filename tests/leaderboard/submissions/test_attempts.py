"""Files that answer a question several times: from an upload to scores."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from leaderboard.models import User
from scoring import benchmarks
from scoring.models import AnswerBlock, Run, Score, Split
from scoring.runs import intervals
from scoring.statistics.proportions import proportion_interval
from tests import factories

pytestmark = pytest.mark.django_db

PERFECT = factories.perfect()
"""An answer with everything, to each of four questions."""
NO = "I do not know."


@pytest.fixture
def dev() -> Split:
    """An open split of four questions."""
    return factories.split(factories.benchmark(), "dev")


@pytest.fixture
def ada() -> User:
    """A submitter."""
    return factories.user()


def declare_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Declare two attempts at each question of the hidden split."""
    known = dict(benchmarks.packaged_definitions())
    slug, first = next(iter(known.items()))
    splits = [own.model_copy(update={"attempts": 2 if own.hidden else None}) for own in first.splits]
    known[slug] = replace(first, splits=tuple(splits))
    monkeypatch.setattr(benchmarks, "packaged_definitions", lambda: known)


def scores_of(sent: Any) -> dict[str, Score]:
    """The scores of a submission's only file."""
    return {score.name: score for score in Score.objects.filter(run__answer_set__submission_file__submission=sent)}


def test_a_score_is_the_mean_of_attempts_and_keeps_each(dev: Split, ada: User) -> None:
    right = list(PERFECT.values())
    answers = {
        "dev-0": (right[0], right[0], NO), "dev-1": (NO, None, right[1]), "dev-2": (None, "", NO)
    }  # fmt: skip
    sent = factories.scored(ada, dev, {"openbook": answers})
    file = sent.files.get()
    assert (file.n_questions, file.n_answered) == (4, 6 // 3)
    answer_set = file.answer_set
    assert answer_set.n_attempts == 3
    assert AnswerBlock.objects.attempts_of(answer_set, ["dev-1"]) == {"dev-1": (NO, None, right[1])}
    strict = scores_of(sent)["strict"]
    assert strict.per_attempt.tolist() == [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]
    assert strict.per_item.tolist() == [2 / 3, 1 / 3, 0, 0]
    assert strict.value == 3 / 12
    assert (strict.n_items, strict.n_answered) == (4, 2)
    assert strict.low is not None
    assert {warning["code"] for warning in file.warnings} == {"missing-answer", "missing-attempt", "empty-answer"}


def test_one_attempt_is_scored_as_a_file_without_the_key(dev: Split, ada: User) -> None:
    plain = scores_of(factories.scored(ada, dev, {"openbook": PERFECT}))
    numbered = {qid: (answer,) for qid, answer in PERFECT.items()}
    again = scores_of(factories.scored(ada, dev, {"openbook": numbered}, name="Numbered"))
    assert plain.keys() == again.keys()
    for name, score in plain.items():
        assert score.attempts is None
        assert (score.value, bytes(score.vector), score.low) == (
            again[name].value, bytes(again[name].vector), again[name].low
        )  # fmt: skip


def test_equal_attempts_have_the_scores_and_intervals_of_one(dev: Split, ada: User) -> None:
    once = scores_of(factories.scored(ada, dev, {"openbook": PERFECT | {"dev-3": NO}}))
    thrice = {qid: (answer,) * 3 for qid, answer in (PERFECT | {"dev-3": NO}).items()}
    several = scores_of(factories.scored(ada, dev, {"openbook": thrice}, name="Thrice"))
    for name, score in once.items():
        assert several[name].value == pytest.approx(score.value, abs=1e-12)
        assert several[name].per_item == pytest.approx(score.per_item, abs=1e-12)
        assert (several[name].low, several[name].high) == pytest.approx((score.low, score.high), abs=1e-9)


def test_missing_intervals_are_computed_again_over_questions(dev: Split, ada: User) -> None:
    answers = {qid: (answer, NO) for qid, answer in PERFECT.items()} | {"dev-0": (NO, NO)}
    strict = scores_of(factories.scored(ada, dev, {"openbook": answers}))["strict"]
    Score.objects.filter(pk=strict.pk).update(low=None, high=None)
    assert intervals.fill() == 1
    refilled = Score.objects.get(pk=strict.pk)
    assert (refilled.low, refilled.high) == (strict.low, strict.high)


def test_a_hidden_split_takes_one_attempt_unless_its_benchmark_declares_more(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = factories.split(factories.benchmark(), "test")
    answers = {"test-0": ("Oslo", "Bergen")}
    with pytest.raises(AssertionError, match="other-attempts"):
        factories.submission(ada, test, {"openbook": answers})
    declare_two(monkeypatch)
    sent = factories.submission(ada, test, {"openbook": answers})
    assert sent.files.get().answer_set.n_attempts == 2
    factories.score(sent)
    strict = scores_of(sent)["strict"]
    alone = proportion_interval(round(strict.value * strict.n_items), strict.n_items)
    assert (strict.low, strict.high) == (float(alone.low), float(alone.high)), "it tells the mean alone"
    with pytest.raises(AssertionError, match="other-attempts"):
        factories.submission(ada, test, {"openbook": {"test-0": "Oslo"}}, name="Once")


def test_flags_read_every_attempt(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    test = factories.split(factories.benchmark(), "test")
    declare_two(monkeypatch)
    guesses = " ".join(f"name{number}" for number in range(3000))
    sent = factories.submission(ada, test, {"openbook": {"test-0": ("Oslo", guesses), "test-1": ("Rome", "Bern")}})
    [flag] = sent.files.get().anomalies.all()
    assert (flag.code, flag.details["questions"]) == ("many_names", ["test-0"])


def test_runs_count_items_and_name_answers_that_take_too_long(dev: Split, ada: User, settings: Any) -> None:
    settings.METRIC_ANSWER_SECONDS = 1e-9
    sent = factories.scored(ada, dev, {"openbook": {qid: (answer, NO) for qid, answer in PERFECT.items()}})
    run = Run.objects.filter(answer_set__submission_file__submission=sent).exclude(too_long=[]).first()
    assert run is not None
    assert run.total_items == 8
    assert "dev-0 (attempt 2)" in run.too_long


class AnyValues(TestCase):
    """Whatever attempts were given."""

    @given(
        st.lists(st.tuples(*[st.sampled_from([*PERFECT.values(), NO, "", None])] * 3), min_size=4, max_size=4).filter(
            lambda rows: any(text and text.strip() for row in rows for text in row)
        )
    )
    @hypothesis_settings(max_examples=10, deadline=None)
    def test_a_stored_value_is_the_mean_of_its_attempts(self, rows: list[tuple[str | None, ...]]) -> None:
        dev = factories.split(factories.benchmark(), "dev")
        answers = {f"dev-{place}": row for place, row in enumerate(rows)}
        n_attempts = max(number for row in rows for number, text in enumerate(row, start=1) if text is not None)
        for score in scores_of(factories.scored(factories.user(), dev, {"openbook": answers})).values():
            assert score.per_attempt.shape == (n_attempts, 4)
            assert np.array_equal(score.per_attempt.mean(axis=0), score.per_item)
            assert score.per_item.mean() == pytest.approx(score.value, abs=1e-12)
