"""Flags of systems with several attempts at each question, of which each is read."""

import pytest

from scoring.analysis.anomalies import REPEATED_ANSWER, SAME_ANSWERS, find_anomalies
from scoring.analysis.copied_references import copied_references
from scoring.analysis.probing import LONG_ANSWERS, padding
from scoring.benchmarks import definitions
from scoring.models import AnswerSet, Revision, Split
from scoring.runs.answer_sets import create_answer_set
from tests import factories

pytestmark = pytest.mark.django_db
N = 12


@pytest.fixture
def dev() -> Split:
    """An open split of twelve questions."""
    return factories.split(factories.benchmark(n_dev=N), "dev")


def long(text: object) -> str:
    """A text of more than ten words that no other has."""
    return " ".join(f"{text}-{number}" for number in range(12))


def store(dev: Split, attempts: dict[int, list[str]]) -> AnswerSet:
    """An answer set, by the places of its questions."""
    answers = {f"dev-{place}\t{n}": text for place, texts in attempts.items() for n, text in enumerate(texts, start=1)}
    return create_answer_set(split=dev, setting=factories.setting(dev.benchmark), answers=answers, n_attempts=3)


def revision_of(dev: Split) -> Revision:
    """The current revision."""
    assert dev.current_revision is not None
    return dev.current_revision


def test_copies_of_any_attempt_are_found_in_any_attempt(dev: Split) -> None:
    first = store(dev, {place: [long(f"a{place}"), long(f"b{place}"), long(f"c{place}")] for place in range(N)})
    other = store(dev, {place: [long(f"x{place}"), long(f"y{place}"), long(f"b{place}")] for place in range(N)})
    assert find_anomalies(first, revision_of(dev)) == []
    [anomaly] = find_anomalies(other, revision_of(dev))
    assert (anomaly.code, anomaly.count, anomaly.others) == (SAME_ANSWERS, N, ((first.pk, N),))
    assert anomaly.qids == tuple(f"dev-{place}" for place in range(N))


def test_equal_attempts_of_one_system_are_no_stock_phrase_and_no_repeated_answer(dev: Split) -> None:
    first = store(dev, {place: [long(place)] * 3 for place in range(N)})
    assert find_anomalies(first, revision_of(dev)) == []
    copied = store(dev, {place: [long(place)] * 3 for place in range(N)})
    assert [anomaly.code for anomaly in find_anomalies(copied, revision_of(dev))] == [SAME_ANSWERS]


def test_an_answer_repeated_in_one_attempt_at_many_questions_is_found(dev: Split) -> None:
    repeated = store(dev, {place: [long(place), "I do not know that", long(-place - 1)] for place in range(N)})
    [anomaly] = find_anomalies(repeated, revision_of(dev))
    assert (anomaly.code, anomaly.count) == (REPEATED_ANSWER, N)


def test_limits_count_questions_by_their_largest_attempt() -> None:
    definition = next(iter(definitions().values()))
    runaway = "word " * 10_000
    once = {f"q{n}\t{attempt}": runaway for n in range(3) for attempt in (1, 2, 3)}
    assert LONG_ANSWERS not in [anomaly.code for anomaly in padding(once, definition)]
    more = once | {"q3\t2": runaway, "q3\t1": "short", "q3\t3": "short"}
    [anomaly] = [anomaly for anomaly in padding(more, definition) if anomaly.code == LONG_ANSWERS]
    assert (anomaly.count, sorted(anomaly.qids)) == (4, ["q0", "q1", "q2", "q3"])


def test_a_reference_answer_in_any_attempt_is_a_copy(dev: Split) -> None:
    questions = factories.source_questions("dev", N, overrides={n: f"the long answer number {n}" for n in range(N)})
    factories.revise(dev, questions)
    dev.refresh_from_db()
    answers = {f"dev-{n}\t{attempt}": "something else" for n in range(N) for attempt in (1, 2)}
    assert copied_references(answers, dev) == []
    answers |= {f"dev-{n}\t2": f"the long answer number {n}" for n in range(3)}
    [anomaly] = copied_references(answers, dev)
    assert anomaly.count == 3
