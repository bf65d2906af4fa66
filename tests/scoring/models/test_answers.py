"""Answers of systems in compressed blocks."""

import json
import re

import pytest
import zstandard
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from scoring.models import AnswerBlock, AnswerSet
from scoring.models.answers import BLOCK_BYTES, packed
from scoring.queries import answers_digest
from tests import factories

pytestmark = pytest.mark.django_db
STORABLE = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))


@pytest.fixture
def sets() -> list[AnswerSet]:
    """Three empty answer sets."""
    made = factories.benchmark()
    split, setting = factories.split(made, "dev"), factories.setting(made)
    return [AnswerSet.objects.create(split=split, setting=setting) for _ in range(3)]


def long_texts(n: int) -> dict[str, str]:
    """Answers of ten blocks."""
    return {f"q{number}": f"{number} " * (10 * BLOCK_BYTES // n // 3) for number in range(n)}


@given(st.dictionaries(st.text(min_size=1, max_size=64), STORABLE))
def test_no_answer_is_lost_and_none_is_in_two_blocks(texts: dict[str, str]) -> None:
    contents = [json.loads(zstandard.decompress(content)) for _, content in packed(texts)]
    assert {qid: text for content in contents for qid, text in content.items()} == texts
    assert sum(map(len, contents)) == len(texts)


def test_answers_come_back_as_sent(sets: list[AnswerSet]) -> None:
    texts = long_texts(200) | {"": "é\n\u2028 \U0001f600", "blank": " ", "empty": ""}
    AnswerBlock.objects.store(sets[0], texts)
    AnswerBlock.objects.store(sets[1], {"q1": "another's"})
    assert AnswerBlock.objects.texts_of(sets[0]) == texts
    assert AnswerBlock.objects.texts_of(sets[2]) == {}
    assert AnswerBlock.objects.filter(answer_set=sets[0]).count() == 16
    size = sum(len(content) for content in AnswerBlock.objects.values_list("content", flat=True))
    assert size < sum(map(len, texts.values())) / 5


@pytest.mark.parametrize("n", [1, 30, 1000])
def test_one_question_is_found_in_sets_of_any_size_and_read_from_one_block_of_each(
    sets: list[AnswerSet], n: int
) -> None:
    AnswerBlock.objects.store(sets[0], long_texts(n))
    AnswerBlock.objects.store(sets[1], {"q0": "short", "other": "text"})
    with CaptureQueriesContext(connection) as queries:
        texts = {key: text for key, qid, text in AnswerBlock.objects.texts(sets, ["q0"]) if qid == "q0"}
    assert texts == {sets[0].pk: long_texts(n)["q0"], sets[1].pk: "short"}
    assert len(queries) == 1
    with connection.cursor() as cursor:
        cursor.execute(re.sub("^DECLARE .*? FOR ", "", queries[0]["sql"]))  # PostgreSQL reads it in parts
        assert len(cursor.fetchall()) == 2


def several(answer_set: AnswerSet, answers: dict[str, str], n_attempts: int = 3) -> AnswerSet:
    """The answer set with several attempts at each question."""
    answer_set.n_attempts = n_attempts
    answer_set.save()
    AnswerBlock.objects.store(answer_set, answers)
    return answer_set


def test_several_attempts_come_back_together_each_alone_and_the_first_alone(sets: list[AnswerSet]) -> None:
    sent = {"q1\t1": "Oslo", "q1\t3": "", "q2\t2": "Rome"}
    key = several(sets[0], sent).pk
    answers = AnswerBlock.objects
    assert answers.attempts_of(key) == {"q1": ("Oslo", None, ""), "q2": (None, "Rome", None)}
    assert answers.texts_of(key) == sent
    assert answers.first_texts_of(key) == {"q1": "Oslo"}
    assert answers.texts_of(key, ["q2"]) == {"q2\t2": "Rome"}


def test_one_attempt_is_stored_as_one_text_and_read_by_every_reader(sets: list[AnswerSet]) -> None:
    texts = {"q1": "Oslo", "odd\tid": "Rome"}
    AnswerBlock.objects.store(sets[0], texts)
    [content] = AnswerBlock.objects.values_list("content", flat=True)
    assert json.loads(zstandard.decompress(content)) == texts
    assert AnswerBlock.objects.texts_of(sets[0]) == AnswerBlock.objects.first_texts_of(sets[0]) == texts
    assert AnswerBlock.objects.attempts_of(sets[0], ["q1"]) == {"q1": ("Oslo",)}


@pytest.mark.parametrize("changed", ["q1\t1", "q2\t3"])
def test_a_digest_covers_every_attempt(sets: list[AnswerSet], changed: str) -> None:
    sent = {f"q{number}\t{attempt}": "Oslo" for number in (1, 2) for attempt in (1, 2, 3)}
    first, same = several(sets[0], sent), several(sets[1], sent)
    other = several(sets[2], sent | {changed: "Rome"})
    assert answers_digest(first) == answers_digest(same) != answers_digest(other)
