"""Files of questions: every mistake is named with its line, and no question is lost."""

import datetime
import json

import pytest

from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.generations.lines import UTF16, UTF32, Recognised
from scoring.generations.records import TOO_DEEP
from scoring.metrics.base import MAX_DEPTH
from tests.scoring.benchmarks.test_declared import declared, place_of, problems_of

FILE = "questions/dev.jsonl"
ONE = '{"id": "dev-1", "question": "?", "answer": "Oslo"}'
TWO = '{"id": "dev-2", "question": "?", "answer": "Rome"}'


def of(content: str | bytes) -> dict[str, bytes]:
    """The template with other questions of development."""
    return template("capitals") | {FILE: content.encode() if isinstance(content, str) else content}


def places(content: str | bytes) -> list[tuple[int, str]]:
    """The lines and fields of what is wrong with a file of questions; nothing else may be."""
    found = [place_of(one) for one in problems_of(of(content))]
    assert {file for file, _, _ in found} == {FILE}
    return [(line, field) for _, line, field in found]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (f"[\n{ONE},\n{TWO},\n", 3),
        (f"[\n{ONE},\n{TWO}\n\n", 3),
        ("[", 1),
        (f"[\n{ONE},\n]", 2),
        (f"[\n{ONE},\n]\n{TWO}", 2),
        (f"[\n{ONE}\n]\n\n{TWO}", 5),
        (f"[]\n{ONE}", 2),
        (f"[] {ONE}", 1),
        (f"[\n{ONE}\n{TWO}\n]", 2),
    ],
)
def test_a_list_must_end_and_nothing_follows(content: str, line: int) -> None:
    assert places(content)[0] == (line, "")


def test_a_whole_list_may_have_blanks_around_it() -> None:
    questions = declared(of(f"\n [ {ONE} ,\n\n{TWO}\n ] \n")).definition.packaged()["dev"].source.questions
    assert [one.qid for one in questions] == ["dev-1", "dev-2"]


def test_a_separate_file_of_answers_gives_the_categories_that_count_them() -> None:
    files = of("\n".join(f'{{"id": "{qid}", "question": "?"}}' for qid in ("dev-1", "dev-2")))
    rule = b'[[categories]]\ncount = "answer"\nname = "answers"\nbins = [1, 3]\n'
    toml = files["benchmark.toml"].replace(b'[[categories]]\nfield = "categories"\n', rule)
    old = b'questions = "questions/dev.jsonl"'
    files["benchmark.toml"] = toml.replace(old, old + b'\nanswers = "answers.jsonl"')
    files["answers.jsonl"] = b'{"id": "dev-2", "answer": ["a", "b", "c"]}\n{"id": "dev-1", "answer": ["a"]}'
    questions = declared(files).definition.packaged()["dev"].source.questions
    assert [one.answer_categories for one in questions] == [("answers: 1–2",), ("answers: 3 or more",)]


@pytest.mark.parametrize(("task_type", "key"), [("answer-list", "qid"), ("judged-list", "answers")])
def test_two_names_of_one_key_are_a_mistake(task_type: str, key: str) -> None:
    both = json.dumps({"id": "dev-1", "question": "?", "answer": ["a"], key: "b"})
    files = template("capitals", task_type) | {FILE: both.encode()}
    assert (FILE, 1, key) in map(place_of, problems_of(files))


@pytest.mark.parametrize("text", ["Os\0lo", "\ud800"])
def test_texts_that_no_database_stores_are_named_all_at_once(text: str) -> None:
    record = {
        "id": f"dev-{text}",
        "question": text,
        "answer": {"a": [text]},
        "categories": ["Law", text],
        "evidence": [{}, {"title": text}],
        "decomposition": [{text: "b"}],
    }
    content = f"{ONE}\n{json.dumps(record)}\n{json.dumps({**record, 'id': 'dev-3'})}\n"
    fields = ["question", "answer", "categories[1]", "evidence[1].title", "decomposition"]
    assert sorted(places(content)) == sorted([(2, "id"), *((line, field) for line in (2, 3) for field in fields)])


@pytest.mark.parametrize("key", ["answer", "decomposition"])
def test_values_may_be_nested_fifty_times(key: str) -> None:
    def nested(levels: int) -> str:
        value = "[" * (levels - 2) + '"a"' + "]" * (levels - 2)
        return json.dumps({"id": "dev-1", "question": "?", "answer": "a"} | {key: [{"b": json.loads(value)}]})

    declared(of(nested(MAX_DEPTH)))
    for levels in (MAX_DEPTH + 1, 500):
        assert places(f"{nested(levels)}\n{TWO}") == [(1, key)]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"answer": "\u200b"}, "answer"),
        ({"answer": ["Oslo", {"\u2060": "a"}]}, "answer"),
        ({"question": "\u200b"}, "question"),
        ({"id": "\u200b"}, "id"),
        ({"id": " dev-1"}, "id"),
        ({"id": "dev\n1"}, "id"),
        ({"id": "dev\u20281"}, "id"),
        ({"id": "d" * 65}, "id"),
        ({"categories": ["Law", ""]}, "categories[1]"),
        ({"categories": " "}, "categories"),
        ({"categories": ["x" * 101]}, "categories[0]"),
        ({"categories": ["Law\nTax"]}, "categories[0]"),
        ({"categories": [5]}, "categories[0]"),
        ({"categories": {"a": "b"}}, "categories"),
        ({"topic": 5}, "topic"),
        ({"topic": [{"a": "b"}]}, "topic[0]"),
        ({"topic": ""}, "topic"),
        ({"topic": "a\0"}, "topic"),
        ({"evidence": [{"url": "javascript:alert(1)"}]}, "evidence[0].url"),
        ({"evidence": [{"url": "https://a b"}]}, "evidence[0].url"),
    ],
)
def test_values_that_pages_cannot_show_are_mistakes(changes: dict[str, object], field: str) -> None:
    record = {"id": "dev-1", "question": "?", "answer": "Oslo", **changes}
    files = of(f"{json.dumps(record)}\n{TWO}")
    rules = b'field = "topic"\n[[categories]]\nfield = "categories"'
    files["benchmark.toml"] = files["benchmark.toml"].replace(b'field = "categories"', rules)
    assert [place_of(one) for one in problems_of(files)] == [(FILE, 1, field)]


def test_a_key_that_is_null_gives_no_category() -> None:
    record = {"id": "dev-1", "question": "?", "answer": "Oslo", "categories": None, "evidence": [{"url": None}]}
    assert declared(of(json.dumps(record))).definition.packaged()["dev"].source.questions[0].categories == ()


def test_the_date_of_a_revision_has_come() -> None:
    files = template("capitals")
    today = datetime.datetime.now(tz=datetime.UTC).date()
    for days, fields in ((1, []), (3, ["splits.dev.date"])):
        date = f"date = {today + datetime.timedelta(days=days)}".encode()
        changed = files | {"benchmark.toml": files["benchmark.toml"].replace(b"date = 2026-01-01", date, 1)}
        if fields:
            assert [place_of(one)[2] for one in problems_of(changed)] == fields
            assert read_declaration(changed, with_questions=False).definition.splits
        else:
            declared(changed)


@pytest.mark.parametrize(("encoding", "said"), [("utf-16", UTF16), ("utf-16-le", UTF16), ("utf-32", UTF32)])
def test_wide_characters_are_named_with_a_way_to_convert_them(encoding: str, said: Recognised) -> None:
    (problem,) = problems_of(of(f"{ONE}\n{TWO}".encode(encoding)))
    assert place_of(problem) == (FILE, 0, "")
    assert said.found in problem and said.fix in problem


@pytest.mark.parametrize(
    ("line", "field", "words"),
    [
        (ONE.replace('"Oslo"', "1" * 5000), "", "5,000"),
        (ONE.replace('"dev-1"', "5"), "id", "a number"),
        (ONE.replace('"?"', "1.5"), "question", "a number"),
        (ONE.replace('"Oslo"', "[" * 100_000), "", TOO_DEEP),
    ],
)
def test_what_was_found_is_named(line: str, field: str, words: str) -> None:
    for content, number in ((f"{TWO}\n{line}", 2), (f"[\n{TWO},\n{line}]", 3)):
        (problem,) = problems_of(of(content))
        assert place_of(problem) == (FILE, number, field)
        assert words in problem


def test_the_file_of_a_hidden_split_is_not_proposed() -> None:
    files = template("capitals")
    toml = files["benchmark.toml"].replace(b"questions/dev.jsonl", b"questions/tst.jsonl")
    (problem,) = problems_of(files | {"benchmark.toml": toml})
    assert place_of(problem)[2] == "splits.dev.questions"
    assert "test.jsonl" not in problem
