"""Public fields of questions that tell their reference answers are refused on hidden splits, or named."""

import json
import tracemalloc
from collections.abc import Sequence
from typing import Any

import pytest

from scoring.benchmarks.base import SourceError, SourceQuestion
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.benchmarks.declared.warnings import leaks_of_declaration
from scoring.benchmarks.leaks import Leak, leaks_in
from scoring.task_types import TASK_TYPES

TEXT = TASK_TYPES["text-answer"]
DEV, TEST = "questions/dev.jsonl", "questions/test.jsonl"


def question(number: int, answer: Any, *categories: str, text: str = "What is it?", **further: Any) -> SourceQuestion:
    return SourceQuestion(f"q-{number}", text, categories, further.pop("evidence", ()), answer=answer, **further)


def whole(questions: Sequence[SourceQuestion]) -> list[tuple[int, str]]:
    return [(leak.position, leak.field) for leak in leaks_in(questions, TEXT) if leak.whole]


@pytest.mark.parametrize("value", ["Oslo", "oslo.", "Ｏs\u200blo", "O.slo"])
def test_a_category_that_a_metric_reads_as_the_answer_equals_it(value: str) -> None:
    assert whole([question(0, "Oslo", value)]) == [(0, "categories")]


@pytest.mark.parametrize(("answer", "value"), [(1200, "1,200"), (True, "Yes"), (["Oslo", "Bern"], "Oslo, Bern")])
def test_numbers_truth_values_and_lists_are_compared_as_texts(answer: Any, value: str) -> None:
    assert whole([question(0, answer, value)]) == [(0, "categories")]


def test_each_public_field_is_compared() -> None:
    leaking = question(0, "Oslo", text="Oslo?", cluster="oslo", evidence=({"title": "Oslo", "url": ""},))
    assert whole([leaking]) == [(0, "cluster"), (0, "evidence"), (0, "question")]
    assert whole([SourceQuestion("oslo", "Where?", (), (), answer="Oslo")]) == [(0, "id")]
    address = {"title": "Norway", "url": "https://en.wikipedia.org/wiki/Oslo?action=raw#History"}
    assert whole([question(0, "Oslo", evidence=(address,))]) == [(0, "evidence.url")]


@pytest.mark.parametrize(("n_telling", "n_named"), [(20, 20), (18, 18), (15, 0)])
def test_ids_that_end_with_the_answer_tell_it_if_nearly_all_do(n_telling: int, n_named: int) -> None:
    keys = ["abcd"[n % 4] for n in range(20)]
    ids = [f"t{n}-{key}" if n < n_telling else f"t{n}-x" for n, key in enumerate(keys)]
    questions = [SourceQuestion(qid, "Which?", (), (), answer=key) for qid, key in zip(ids, keys, strict=True)]
    assert whole(questions) == [(n, "id") for n in range(n_named)]


def test_other_names_of_an_answer_count() -> None:
    answer = [{"answer_text": "Nairobi", "aliases": ["Nairobi City"]}]
    leaks = leaks_in([question(0, answer, "nairobi city")], TASK_TYPES["answer-list"])
    assert leaks == [Leak(0, "categories", True)]


def test_one_entry_of_a_list_or_a_longer_text_contains_the_answer() -> None:
    parts = [question(0, ["Oslo", "Bern"], "Oslo"), question(1, "Oslo", text="Is Oslo larger than Bern?")]
    assert leaks_in(parts, TEXT) == [Leak(0, "categories", False), Leak(1, "question", False)]
    assert leaks_in([question(0, "B", text="2+2? (A) 3 (B) 4"), question(1, "Os", text="An osmosis")], TEXT) == []


def test_a_column_of_letters_that_are_always_the_answer_is_no_closed_vocabulary() -> None:
    assert len(whole([question(n, "ABCD"[n % 4], "ABCD"[n % 4]) for n in range(100)])) == 100


def test_values_that_do_not_tell_the_answer_are_a_closed_vocabulary() -> None:
    assert whole([question(n, ("yes", "no")[n % 2], ("yes", "no")[n // 2 % 2]) for n in range(100)]) == []
    about_oslo = [question(n, "Oslo" if n == 0 else f"Place {n}", "Oslo") for n in range(20)]
    assert whole(about_oslo) == []
    assert whole(about_oslo[:5]) == [(0, "categories")], "few questions have the value"


def folder(*, dev: Sequence[dict[str, Any]] = (), test: Sequence[dict[str, Any]] = ()) -> dict[str, bytes]:
    """The template with further questions."""
    files = template("capitals")
    for name, rows in ((DEV, dev), (TEST, test)):
        files[name] += "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    return files


def test_leaks_of_a_hidden_split_are_refused_together_by_line() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "h-0", "question": "2+2? (A) 3 (B) 4", "answer": "B", "categories": ["B"]},
        {"id": "h-1", "question": "Who wrote it?", "answer": "Ada Lovelace"},
        {"id": "h-2", "question": "Who played it?", "answer": "Ada Lovelace"},
    ]
    with pytest.raises(SourceError) as caught:
        read_declaration(folder(dev=[{**rows[1], "id": "d-1", "question": "WHO wrote it"}], test=rows))
    problems = caught.value.problems
    first = len(template("capitals")[TEST].splitlines()) + 1
    assert [problem.partition(": found ")[0] for problem in problems] == [
        f"{TEST}: line {first}: categories",
        f"{TEST}: line {first + 1}: question",
    ]
    assert all("Lovelace" not in problem for problem in problems)


def test_a_subset_of_a_hidden_split_is_refused_with_fields_that_equal_its_own_answers() -> None:
    files = folder()
    hundred = [{"id": f"h-{n}", "question": f"Which place has number {n}?", "answer": f"Place {n}"} for n in range(100)]
    files[TEST] += "".join(f"{json.dumps(row)}\n" for row in hundred).encode()
    subset: list[dict[str, Any]] = [{**row, "answer": f"Town {row['id']}"} for row in hundred[:50]]
    subset[3]["categories"] = ["town H-3"]
    files["questions/subset.jsonl"] = "".join(f"{json.dumps(row)}\n" for row in subset).encode()
    files["benchmark.toml"] += (
        b'\n[subsets.towns]\nname = "Towns"\nsplit = "test"\nquestions = "questions/subset.jsonl"\ndate = 2026-01-01\n'
    )
    with pytest.raises(SourceError) as caught:
        read_declaration(files)
    assert [problem.partition(": found ")[0] for problem in caught.value.problems] == [
        "questions/subset.jsonl: line 4: categories"
    ]


def test_the_example_of_the_data_card_is_no_question_of_a_hidden_split() -> None:
    asked = json.loads(template("capitals")[TEST].splitlines()[0])["question"]
    example = f'\n[example]\nquestion = {json.dumps(asked.upper())}\nanswer = ["A place"]\nsource = "A paper"\n'
    files = folder()
    files["benchmark.toml"] += example.encode()
    with pytest.raises(SourceError) as caught:
        read_declaration(files)
    assert "example.question: found a question of the hidden split test" in "\n".join(caught.value.problems)


def test_a_title_among_many_pages_of_evidence_is_contained() -> None:
    def pages(number: int) -> tuple[dict[str, str], ...]:
        return tuple({"title": title, "url": ""} for title in ("Oslo", "Bern", "Rome", "Lima", "Cairo")[:number])

    leaks = [leaks_in([question(0, "Oslo", evidence=pages(number))], TEXT) for number in (4, 5)]
    assert leaks == [[Leak(0, "evidence", True)], [Leak(0, "evidence", False)]]


def test_what_is_not_refused_is_named() -> None:
    asked = {"question": "Is Lovelace Lane in Lovelace?", "answer": "Lovelace"}
    dev = [{"id": "d-1", "question": "Who is it?", "answer": "Ada", "categories": ["Ada"]}]
    test = [{"id": "h-1", **asked}, {"id": "h-2", "question": "Who is it?", "answer": "Grace"}]
    warnings = leaks_of_declaration(read_declaration(folder(dev=dev, test=test)).definition)
    assert [warning.partition(" the ")[0] for warning in warnings if "-1'" in warning or "-2'" in warning] == [
        "dev: categories equals",
        "test: question contains",
        "test: an open split has",
    ]
    assert not any("Ada" in warning or "Lovelace" in warning for warning in warnings)


def test_the_template_has_no_leak() -> None:
    assert leaks_of_declaration(read_declaration(template("capitals")).definition) == []


def test_looking_for_leaks_keeps_no_texts_of_all_questions_in_memory() -> None:
    task = TASK_TYPES["answer-list"]
    answers = [task.stored([f"Town {number} {part}" for part in range(3)]) for number in range(1_500)]
    questions = [question(number, answer, text=f"Where is bridge {number}?") for number, answer in enumerate(answers)]
    assert not leaks_in(questions, task)  # fills the cache of words
    tracemalloc.start()
    try:
        leaks_in(questions, task)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 600 * len(questions), "the texts with their reference answers take about 900 bytes a question"
