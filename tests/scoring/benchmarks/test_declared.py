"""A folder with ``benchmark.toml`` becomes a definition with questions, or every mistake in it is named."""

import inspect
import json
import re
import tomllib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.conf import settings

from scoring import benchmarks
from scoring.benchmarks import form
from scoring.benchmarks.base import SourceError, content_hash
from scoring.benchmarks.columns import undisclosed_scores
from scoring.benchmarks.declared import categories
from scoring.benchmarks.declared.files import read_folder
from scoring.benchmarks.declared.questions import read_questions
from scoring.benchmarks.declared.reading import Declaration, read_declaration
from scoring.benchmarks.declared.template import KINDS, template
from scoring.benchmarks.subsets import on_split, small_parts
from scoring.files.mistakes import DID_YOU_MEAN, MAX_MISTAKES
from scoring.files.tables import SLUG
from scoring.files.toml_lines import key_lines, read_toml
from scoring.metrics import side_by_side
from scoring.metrics.list_judge.items import LIST, SINGLE
from scoring.registry import METRICS
from scoring.task_types import TASK_TYPES, known_metrics
from tests import compared_site
from tests.contracts.parts import urls
from tests.example_folder import write_example
from tests.scoring.benchmarks import mistakes

FILES = (("questions/dev.jsonl", 5), ("questions/test.jsonl", 5))
"""The question files of the template with their lines."""
PLACE = re.compile(r"(?P<file>[^:]+): (?:line (?P<line>\d+): )?(?:(?P<field>[^:]+): )?found ")


def problems_of(files: dict[str, bytes]) -> list[str]:
    with pytest.raises(SourceError) as caught:
        read_declaration(files)
    return caught.value.problems


def place_of(problem: str) -> tuple[str, int, str]:
    place = PLACE.match(problem)
    assert place, problem
    return place["file"], int(place["line"] or 0), place["field"] or ""


def changed(old: str, new: str, file: str = "benchmark.toml") -> dict[str, bytes]:
    """The template with one text replaced by another."""
    files = template("capitals")
    assert old.encode() in files[file]
    return files | {file: files[file].replace(old.encode(), new.encode(), 1)}


def declared(files: dict[str, bytes]) -> Declaration:
    return read_declaration(files)


def test_the_template_declares_a_whole_benchmark() -> None:
    declaration = declared(template("capital-cities"))
    definition = declaration.definition
    assert (definition.slug, definition.name, definition.form.version) == ("capital-cities", "Capital cities", "1.0")
    assert [(one.slug, one.hidden) for one in definition.splits] == [("dev", False), ("test", True)]
    assert [one.slug for one in definition.settings] == ["closed-book", "open-book"]
    assert definition.metrics == ("accuracy", "rouge")
    assert [one.score for one in definition.default_columns] == [
        *("loose", "strict", "rouge1.fscore", "rouge2.fscore", "rougeL.fscore")
    ]
    assert (definition.percent, definition.task_type, definition.form.limits.submissions_per_week) == (
        True,
        "text-answer",
        20,
    )
    packaged = definition.packaged()
    assert [len(packaged[split].source.questions) for split in ("dev", "test")] == [5, 5]
    question = packaged["dev"].source.questions[0]
    assert (question.qid, question.answer, question.categories) == ("dev-1", "Oslo", ("Geography",))
    results = definition.published_results
    assert results is not None
    assert results.rows[0].values == {"loose": 0.615, "strict": 0.615}
    assert {"questions/dev.jsonl", "questions/test.jsonl"}.isdisjoint(declaration.files)


def test_the_definition_is_the_same_without_its_question_files() -> None:
    whole = declared(template("capitals"))
    stored = read_declaration(whole.files, with_questions=False)
    assert stored.definition.columns == whole.definition.columns
    assert stored.definition.card == whole.definition.card
    assert stored.definition.packaged() == {}


SUBSET = """
[subsets.extended]
name = "ExtendedSet"
split = "dev"
questions = "questions/extended.jsonl"
date = 2026-02-01
"""
EXTENDED = b'{"id": "dev-1", "question": "What is the capital of Norway?", "answer": ["Oslo", "Christiania"]}\n'


def with_subset(toml: str = SUBSET, questions: bytes = EXTENDED) -> dict[str, bytes]:
    files = template("capitals")
    return files | {
        "benchmark.toml": files["benchmark.toml"] + toml.encode(),
        "questions/extended.jsonl": questions,
    }


def test_a_subset_of_a_split_is_declared_with_its_own_answers() -> None:
    declaration = declared(with_subset())
    definition = declaration.definition
    assert [(one.slug, one.name, one.split) for one in definition.subsets] == [("extended", "ExtendedSet", "dev")]
    assert list(definition.packaged()) == ["dev", "test", "extended"]
    assert definition.packaged()["extended"].source.questions[0].answer == ["Oslo", "Christiania"]
    assert "questions/extended.jsonl" not in declaration.files
    shown = on_split(definition, "dev")
    assert shown.metrics == ("accuracy", "rouge", "accuracy@extended", "rouge@extended")
    assert {one.group for one in shown.default_columns if "@" in one.score} == {"ExtendedSet"}
    assert on_split(definition, "test") is definition


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('split = "dev"', 'split = "devv"', ("benchmark.toml", "subsets.extended.split")),
        ("[subsets.extended]", "[subsets.test]", ("benchmark.toml", "subsets.test")),
        ("[subsets.extended]", f"[subsets.{'long' * 5}]", ("benchmark.toml", f"subsets.{'long' * 5}")),
        ("extended.jsonl", "extendet.jsonl", ("benchmark.toml", "subsets.extended.questions")),
        ('"dev-1"', '"test-1"', ("questions/extended.jsonl", "id")),
        ('"answer"', '"reference"', ("questions/extended.jsonl", "answer")),
    ],
)
def test_mistakes_in_a_subset_are_named(old: str, new: str, place: tuple[str, str]) -> None:
    files = with_subset(SUBSET.replace(old, new), EXTENDED.replace(old.encode(), new.encode()))
    assert [(file, field) for file, _, field in map(place_of, problems_of(files))] == [place]


def test_a_small_subset_of_a_hidden_split_is_refused() -> None:
    files = with_subset(SUBSET.replace('"dev"', '"test"'), EXTENDED.replace(b"dev-1", b"test-1"))
    assert [place_of(one)[2] for one in problems_of(files)] == ["subsets.extended.questions"]


def with_two_subsets(first: range, second: range, n_split: int = 150) -> dict[str, bytes]:
    """The template with a larger hidden split and two subsets of it, given by the numbers of their questions."""
    files = template("capitals")
    toml = files["benchmark.toml"].decode()
    for name, numbers in (("test", range(n_split)), ("first", first), ("second", second)):
        lines = [json.dumps({"id": f"test-{n}", "question": f"Which is {n}?", "answer": "Oslo"}) for n in numbers]
        files[f"questions/{name}.jsonl"] = "\n".join(lines).encode()
        if name != "test":
            subset = SUBSET.replace("extended", name).replace("ExtendedSet", name).replace('"dev"', '"test"')
            toml += subset
    return files | {"benchmark.toml": toml.encode()}


@pytest.mark.parametrize(
    ("first", "second", "size"),
    [(range(50), range(51), 1), (range(50), range(49, 100), 1), (range(70), range(60, 150), 10)],
)
def test_subsets_of_a_hidden_split_that_differ_in_few_questions_are_refused(
    first: range, second: range, size: int
) -> None:
    files = with_two_subsets(first, second)
    [problem] = problems_of(files)
    _, line, field = place_of(problem)
    assert (field, line > 0) == ("subsets.second.questions", True)
    assert {str(size), "150", f"({len(first)})", f"({len(second)})"} <= set(problem.replace(",", " ").split())
    hidden = {"benchmark.toml": files["benchmark.toml"].replace(b"hidden = true", b"hidden = false")}
    assert len(declared(files | hidden).definition.subsets) == 2


def test_subsets_of_a_hidden_split_that_differ_in_many_questions_are_declared() -> None:
    for first, second in ((range(50), range(50)), (range(50), range(100)), (range(50), range(50, 100))):
        assert len(declared(with_two_subsets(first, second)).definition.subsets) == 2


def test_three_subsets_are_checked_together() -> None:
    split = [str(number) for number in range(400)]
    pairwise_large = {"a": split[:200], "b": split[100:300], "c": [*split[:60], *split[140:260], *split[300:]]}
    assert small_parts(split, {slug: pairwise_large[slug] for slug in "ab"}) == []
    assert {slug for slug, _ in small_parts(split, pairwise_large)} == {"c"}


def test_each_of_the_planted_mistakes_has_its_message() -> None:
    problems = problems_of(mistakes.folder())
    assert sorted(map(place_of, problems)) == sorted(mistakes.PLANTED)
    assert len(mistakes.PLANTED) >= 40
    assert all(", expected " in problem for problem in problems)


def test_a_message_says_what_is_like_an_unknown_name() -> None:
    guess = DID_YOU_MEAN.partition("{")[0]
    guesses = {place_of(one): one for one in problems_of(mistakes.folder()) if guess in one or "Rename" in one}
    assert DID_YOU_MEAN.format(name="description") in guesses["benchmark.toml", 4, "descripton"]
    assert DID_YOU_MEAN.format(name="text-answer") in guesses["benchmark.toml", 10, "task_type"]
    assert DID_YOU_MEAN.format(name="questions/dev.jsonl") in guesses["benchmark.toml", 24, "splits.Test.questions"]
    assert "Rename 'qestion' to question." in guesses["questions/dev.jsonl", 3, "question"]


def test_no_message_shows_an_answer() -> None:
    files = mistakes.folder()
    secret = "Xyzzyville"
    files["questions/dev.jsonl"] = files["questions/dev.jsonl"].replace(b"Oslo", secret.encode())
    files["questions/dev.jsonl"] += b'{"id": "dev-9", "question": "Q?", "answer": {"Xyzzyville": null}}\n'
    files["questions/dev.jsonl"] += b'{"id": "Xyzzyville", "question": "Q?", "answer": "a"}\n' * 2
    assert secret not in "\n".join(problems_of(files))


def test_every_mistake_in_the_syntax_is_named() -> None:
    files = changed('name = "Capitals"', "name = Capitals")
    files["benchmark.toml"] = files["benchmark.toml"].replace(b"hidden = true", b"hidden = True")
    files["benchmark.toml"] = files["benchmark.toml"].replace(b'scores = "percent"', b'scores = "per cent"')
    places = [place_of(one) for one in problems_of(files)]
    assert [(file, field) for file, _, field in places] == [
        *(("benchmark.toml", ""), ("benchmark.toml", "scores"), ("benchmark.toml", ""))
    ]
    lines = files["benchmark.toml"].decode().splitlines()
    assert [lines[line - 1] for _, line, _ in places] == ["name = Capitals", 'scores = "per cent"', "hidden = True"]


@pytest.mark.parametrize("content", [b"", b"\n# Nothing.\n", b"\xff\xfe", b"[[[", b'a = """', b"a = " + b"[" * 5000])
def test_a_file_that_is_no_toml_is_refused(content: bytes) -> None:
    files = template("capitals") | {"benchmark.toml": content}
    assert all(problem.startswith("benchmark.toml: ") for problem in problems_of(files))


@pytest.mark.parametrize(
    ("file", "old", "new", "field"),
    [
        ("benchmark.toml", 'task_type = "text-answer"', "task_type = []", "task_type"),
        ("benchmark.toml", 'name = "Capitals"', 'name = "Capi\\u0000tals"', "name"),
        ("questions/dev.jsonl", '"Oslo"', '"Oslo", "decomposition": [{"decomposition": [5]}]', "decomposition"),
        ("questions/dev.jsonl", '"categories": ["Geography"]', '"categories": [5]', "categories[0]"),
        ("questions/dev.jsonl", '"Oslo"', '"Oslo", "answer": "Rome"', ""),
        ("questions/dev.jsonl", '"Oslo"', "NaN", ""),
        ("questions/dev.jsonl", '"Oslo"', "[1e999]", ""),
        ("reported.csv", "Baseline", "Base\x01line", "system"),
    ],
)
def test_values_that_would_stop_an_import_are_mistakes(file: str, old: str, new: str, field: str) -> None:
    problems = problems_of(changed(old, new, file))
    assert (file, field) in {(place_of(one)[0], place_of(one)[2]) for one in problems}


def test_no_declaration_is_one_problem() -> None:
    assert [place_of(one) for one in problems_of({"readme.md": b""})] == [("benchmark.toml", 0, "")]


def test_lines_of_keys_pass_over_texts_and_lists() -> None:
    text = 'a = """\nb = 1\n[c]\n"""\nd = [\n  "e = 1", # f = 2 [\n]\n["g.h"]\ni = \'\'\'\nj = 1\'\'\'\nk = 2'
    assert key_lines(text) == {
        ("a",): 1,
        ("d",): 5,
        ("g.h",): 8,
        ("g.h", "i"): 9,
        ("g.h", "k"): 11,
    }
    assert set(read_toml("x", text.encode()).values) == {"a", "d", "g.h"}


# --- The schema ----------------------------------------------------------------------------------------------------


def as_json(toml: bytes) -> Any:
    return json.loads(json.dumps(tomllib.loads(toml.decode()), default=str))


def validator() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(form.json_schema())
    return jsonschema.Draft202012Validator(form.json_schema())


def test_the_schema_accepts_the_template() -> None:
    validator().validate(as_json(template("capitals")["benchmark.toml"]))
    validator().validate(as_json(with_subset()["benchmark.toml"]))
    assert json.loads(template("capitals")["benchmark.schema.json"]) == form.json_schema()


WAYS = {"splits": "dev", "subsets": "extended", "settings": "closed-book", "metrics": "rouge"}
"""The table that stands for all of these names in the template with a subset."""


def required() -> Iterator[tuple[str, ...]]:
    """The ways to all required keys that the template with a subset has."""
    for place, field in form.keys_of(form.BenchmarkTable):
        first, *rest = place.split(".")
        if field.is_required() and "[]" not in place and first not in ("example", "questions"):
            yield (first, *(WAYS[first] if step == "NAME" else step for step in rest))


@pytest.mark.parametrize("path", list(required()), ids=".".join)
def test_checker_and_schema_agree_on_a_missing_key(path: tuple[str, ...]) -> None:
    values = tomllib.loads(with_subset()["benchmark.toml"].decode())
    table = values
    for name in path[:-1]:
        table = table[name]
    del table[path[-1]]
    faults = [fault.path for fault in form.BenchmarkTable.read(values)[1]]
    errors = [
        (*error.absolute_path, path[-1])
        for error in validator().iter_errors(json.loads(json.dumps(values, default=str)))
        if error.validator == "required"
    ]
    assert faults == errors == [path]


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('name = "Capitals"', f'name = "{"a" * 201}"', "201 characters"),
        ("2026-01-01", "2026-01-01T00:00:00", "the date"),
        ('scores = "percent"', 'scores = "percents"', "Did you mean percent?"),
        ("[splits.dev]", "[[splits]]", "Write [splits.NAME]"),
        ("submissions_per_week = 20", "submissions_per_week = true", "true"),
        ('[[links]]\ntitle = "The paper"', '[[links]]\ntitle = ""', "an empty text"),
        ("[metrics.rouge]", "[metrics.rouge]\nparameters = 5", "the number 5"),
        ('questions = "questions/dev.jsonl"', 'questions = "../dev.jsonl"', "../dev.jsonl"),
        ('questions = "questions/dev.jsonl"', 'questions = ["a", 5]', "questions[2]: found the number 5"),
        ("[limits]", "[[limits]]", "a table"),
    ],
)
def test_values_are_refused_in_words(old: str, new: str, found: str) -> None:
    assert any(found in problem for problem in problems_of(changed(old, new)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[splits.dev]", "[splits.Dev]"),
        ('name = "Capitals"', f'name = "{"a" * 201}"'),
        ("[limits]", "[limits]\nanswer_lenght = 5"),
        ("submissions_per_week = 20", "submissions_per_week = 0"),
    ],
)
def test_the_schema_refuses_what_the_check_refuses(old: str, new: str) -> None:
    files = changed(old, new)
    assert problems_of(files)
    assert list(validator().iter_errors(as_json(files["benchmark.toml"])))


def test_a_value_that_is_wrong_is_empty_for_the_checks_between_fields() -> None:
    values = tomllib.loads(with_subset()["benchmark.toml"].decode())
    values["splits"]["dev"]["hidden"] = "no"
    values["metrics"] = 5
    table, faults = form.BenchmarkTable.read(values)
    assert [fault.path for fault in faults] == [("splits", "dev", "hidden"), ("metrics",)]
    assert (table.splits["dev"].hidden, table.metrics, table.splits["test"].hidden) == (False, {}, True)


def test_every_metric_of_the_site_is_known_with_its_task_type() -> None:
    named = {name for task in TASK_TYPES for name in form.metrics_of(task)}
    further = {metric for metric in METRICS if metric.endswith("-pair")}  # made of another one
    assert set(METRICS) - further <= named


def test_urls_of_the_site_are_no_slugs() -> None:
    addresses = urls.collect()["addresses"]
    first = {address.split("/")[1] for address in addresses}
    possible = {name for name in first if re.fullmatch(SLUG, name)}
    assert "systems" in possible
    assert possible <= set(form.RESERVED_SLUGS)


# --- Parts ---------------------------------------------------------------------------------------------------------


def test_questions_may_be_a_list_in_several_files_with_separate_answers() -> None:
    files = changed('questions = "questions/test.jsonl"', 'questions = ["a.json", "b.json"]\nanswers = "answers.jsonl"')
    files["a.json"] = b'[\n {"id": "t-1", "question": "One?"},\n {"id": "t-2", "question": "Two?"}\n]\n'
    files["b.json"] = b'[{"id": "t-3", "question": "Three?"}]'
    files["answers.jsonl"] = (
        b'{"id": "t-2", "answer": ["a", 2]}\n{"id": "t-1", "answer": true}\n{"id": "t-3", "answer": 3}\n'
    )
    questions = declared(files).definition.packaged()["test"].source.questions
    assert [(one.qid, one.answer) for one in questions] == [("t-1", True), ("t-2", ["a", 2]), ("t-3", 3)]
    files["answers.jsonl"] += b'{"id": "t-9", "answer": 1}'
    files["a.json"] = files["a.json"].replace(b'"t-2"', b"2")
    assert [place_of(one) for one in problems_of(files)] == [
        *(("a.json", 3, "id"), ("answers.jsonl", 1, "id"), ("answers.jsonl", 4, "id"))
    ]


def test_categories_come_from_a_field_the_id_or_a_length() -> None:
    rules = (
        'field = "topic"\n[[categories]]\npattern = "^test-[12]$"\nname = "Early"\n'
        '[[categories]]\ncount = "answer"\nname = "answers"\nbins = [1, 2, 4]'
    )
    files = changed('field = "categories"', rules)
    lines = [
        {"id": "test-1", "question": "?", "answer": "a", "topic": "Law"},
        {"id": "test-2", "question": "?", "answer": ["a", "b", "c"], "topic": ["Law", "Tax"]},
        {"id": "test-3", "question": "?", "answer": ["a", "b", "c", "d"]},
    ]
    files["questions/test.jsonl"] = "\n".join(map(json.dumps, lines)).encode()
    questions = declared(files).definition.packaged()["test"].source.questions
    assert [(one.categories, one.answer_categories) for one in questions] == [
        (("Law", "Early"), ("answers: 1",)),
        (("Law", "Tax", "Early"), ("answers: 2–3",)),
        ((), ("answers: 4 or more",)),
    ]
    assert "answers: 1" not in questions[0].in_split(hidden=True).categories


def test_a_pattern_that_never_ends_is_named() -> None:
    files = changed('field = "categories"', 'pattern = "(a|aa)+$"\nname = "Slow"')
    files["questions/test.jsonl"] = json.dumps({"id": f"{'a' * 60}!", "question": "?", "answer": "a"}).encode()
    (problem,) = problems_of(files)
    assert place_of(problem) == ("benchmark.toml", 0, "categories")
    assert "Slow" in problem
    files = changed('field = "categories"', f'pattern = "{"(" * 3000}{")" * 3000}"\nname = "Deep"')
    assert place_of(problems_of(files)[0])[2] == "categories[1].pattern"


def test_patterns_have_a_time_for_all_ids_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(categories, "ALL_PATTERNS_SECONDS", 0.0)
    files = changed('field = "categories"', 'pattern = "(a|aa)+$"\nname = "Slow"')
    ids = [f"{'a' * 20}!{number}" for number in range(3)]  # each takes some milliseconds
    lines = [json.dumps({"id": name, "question": "?", "answer": "a"}) for name in ids]
    files["questions/test.jsonl"] = "\n".join(lines).encode()
    assert [place_of(problem) for problem in problems_of(files)] == [("benchmark.toml", 0, "categories")]


def test_a_key_of_many_parts_is_named_before_it_is_read() -> None:
    deep = ".".join(["a"] * 60_000)
    for line in (f"{deep} = 1", f"[{deep}]", f"k = {{ {deep} = 1 }}"):
        (problem,) = problems_of(changed("[splits.dev]", f"{line}\n[splits.dev]"))
        assert place_of(problem)[0] == "benchmark.toml" and "ten parts" in problem
    assert not read_toml("", b'a.b.c = "' + b"x." * 500 + b'"  # ' + b"y." * 500).mistakes


@pytest.mark.parametrize(
    "content", [b'{"x": 1}\n' * 5_000, b"key = 1\n" * 5_000, b"1\n" * 5_000, b"[1" + b",\n1" * 5_000]
)
def test_reading_ends_where_no_more_mistakes_are_listed(content: bytes) -> None:
    _, read = read_questions("test.jsonl", BytesIO(content), form.BenchmarkTable.read({"task_type": "text-answer"})[0])
    assert MAX_MISTAKES < len(read) < 2 * MAX_MISTAKES
    files = template("capitals") | {"questions/test.jsonl": content}
    assert len(problems_of(files)) == MAX_MISTAKES + 1


@pytest.mark.parametrize("name", ["benchmark.toml", "data-card.md", "reported.csv", "prompts/judge.txt"])
def test_a_file_that_is_read_as_a_whole_has_a_largest_size(name: str) -> None:
    files = template("capitals")
    files[name] = files.get(name, b"") + b"# a line\n" * 30_000
    assert [place_of(problem) for problem in problems_of(files)] == [(name, 0, "")]


def test_no_more_than_a_thousand_mistakes_are_listed() -> None:
    files = changed("[splits.dev]", "\n".join(f"k{number} = 1" for number in range(2000)) + "\n[splits.dev]")
    problems = problems_of(files)
    assert len(problems) == MAX_MISTAKES + 1
    assert {place_of(problem)[0] for problem in problems[:-1]} == {"benchmark.toml"}


def test_files_that_nothing_refers_to_are_not_kept() -> None:
    """They may be notes, or answers of a hidden split under another name."""
    files = template("capitals") | {"answers-of-test.jsonl": b"{}", "notes.txt": b"?", "prompts/judge.txt": b"?"}
    found = declared(files)
    assert found.files.keys() == {"benchmark.toml", "data-card.md", "reported.csv"}
    assert list(found.unused) == ["answers-of-test.jsonl", "notes.txt", "prompts/judge.txt"]


def test_scores_of_the_benchmarks_that_ship_that_hidden_splits_do_not_show() -> None:
    """As docs/security.md says: a longer answer or list, or more passages, would lose nothing in them."""
    found = {
        slug: undisclosed_scores(definition.metrics, definition.columns)
        for slug, definition in benchmarks.packaged_definitions().items()
    }
    rouge = {f"{variant}.{part}" for variant in ("rouge1", "rouge2", "rougeL") for part in ("precision", "recall")}
    lists = {f"list-f1.{part}" for part in ("precision", "recall", "rec_above")}
    alce = {f"list-f1-alce.{part}" for part in ("f1", "f1-5", "precision", "recall", "recall-5")}
    passages = {
        f"{name}.{number}" for name in ("arecall", "arecall-aliases", "erecall") for number in (10, 25, 50, 100, 200)
    }
    judged = {f"list-judge.{part}" for part in ("precision", "recall", "f1-recomputed")}
    assert found == {
        "fanoutqa": rouge,
        "qampari": lists | alce | passages,
        "monaco": lists | judged,
        "researchy": set(),
    }


def clustered(cluster: str = "template", name: Any = "capital of") -> dict[str, bytes]:
    """The template with a key of its questions that names their cluster."""
    files = template("capitals")
    files["benchmark.toml"] = f'cluster = "{cluster}"\n'.encode() + files["benchmark.toml"]
    for file in ("questions/dev.jsonl", "questions/test.jsonl"):
        records = [json.loads(line) | {"template": name} for line in files[file].splitlines()]
        files[file] = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    return files


@pytest.mark.parametrize(("name", "expected"), [("capital of", "capital of"), (0, "0")])
def test_a_key_of_the_questions_names_their_clusters(name: Any, expected: str) -> None:
    packaged, plain = declared(clustered(name=name)).definition.packaged(), declared(template("capitals")).definition
    for split, questions in packaged.items():
        of_split = questions.source.questions
        assert {one.cluster for one in of_split} == {expected}
        assert content_hash(of_split) == content_hash(plain.packaged()[split].source.questions)


@pytest.mark.parametrize(
    ("cluster", "name", "places"),
    [
        ("tempalte", "a", [("questions/dev.jsonl", 0, "tempalte"), ("questions/test.jsonl", 0, "tempalte")]),
        ("template", ["a"], [(file, line, "template") for file, n in FILES for line in range(1, n + 1)]),
        ("template", " ", [(file, line, "template") for file, n in FILES for line in range(1, n + 1)]),
        ("template", "a\tb", [(file, line, "template") for file, n in FILES for line in range(1, n + 1)]),
        ("template", "a" * 101, [(file, line, "template") for file, n in FILES for line in range(1, n + 1)]),
        ("answer", "a", [("benchmark.toml", 1, "cluster")]),
    ],
)
def test_mistakes_in_clusters_are_named(cluster: str, name: Any, places: list[tuple[str, int, str]]) -> None:
    assert [place_of(problem) for problem in problems_of(clustered(cluster, name))] == places


def test_each_question_without_a_cluster_is_named() -> None:
    files = clustered()
    lines = files["questions/dev.jsonl"].splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"template"', b'"other"')
    problems = problems_of(files | {"questions/dev.jsonl": b"".join(lines)})
    assert [place_of(problem) for problem in problems] == [("questions/dev.jsonl", 3, "template")]
    assert "template?" in problems_of(clustered("tempalte"))[0]


def lists(metrics: str) -> dict[str, bytes]:
    """The template of answer lists with other metrics, without published results."""
    files = template("capitals", "answer-list")
    toml = files["benchmark.toml"].replace(b"[metrics.list-f1]", metrics.encode()).partition(b"[reported]")[0]
    return files | {"benchmark.toml": toml}


def test_parameters_of_a_metric_must_be_its_own() -> None:
    good = lists("[metrics.list-f1.parameters]\nmin_f1 = 0.4")
    assert declared(good).definition.metric_parameters == {"list-f1": {"min_f1": 0.4}}
    bad = lists("[metrics.list-f1.parameters]\nmin_fl = 0.4\n[metrics.list-f1-alce.parameters]\nenough = 0")
    problems = problems_of(bad)
    assert [place_of(one)[2] for one in problems] == [
        *("metrics.list-f1.parameters.min_fl", "metrics.list-f1-alce.parameters")
    ]
    assert DID_YOU_MEAN.format(name="min_f1") in problems[0]


def test_the_usual_columns_and_formulas_name_the_thresholds_of_the_benchmark() -> None:
    metrics = (
        "[metrics.list-f1]\nparameters = { min_f1 = 1.0, min_recall = 0.95 }\n"
        "[metrics.list-f1-alce]\nparameters = { enough = 3 }"
    )
    definition = declared(lists(metrics)).definition
    columns = {one.score: one for one in definition.columns}
    assert columns["list-f1.rec_above"].short_label == "%Rec ≥ .95"
    assert "0.95" in columns["list-f1.rec_above"].description
    assert columns["list-f1.f1_above"].short_label == "%F1 ≥ 1"
    assert columns["list-f1-alce.recall-5"].short_label == "Rec-3"
    assert columns["list-f1-alce.recall-5"].label.startswith("Recall-3")
    assert columns["list-f1-alce.f1-5"].description.endswith("Recall-3.")
    assert "min(3," in definition.explanations["list-f1-alce"].formula
    assert ".95" in definition.explanations["list-f1"].formula


def test_the_site_takes_every_parameter_that_the_check_knows() -> None:
    parameters = {name: metric.parameters() for name, metric in known_metrics().items()}
    assert parameters["list-f1"] == ("min_f1", "min_recall") and not parameters["bleurt"]
    for name, given in parameters.items():
        defaults = inspect.signature(known_metrics()[name]).parameters
        METRICS[name].on_site(settings, **{parameter: defaults[parameter].default for parameter in given})


def test_short_answers_are_written_short_or_with_what_they_are() -> None:
    files = changed('task_type = "text-answer"', 'task_type = "short-answer"')
    metrics = b'[metrics.exact-match]\nparameters = { rules = "hotpotqa" }\n[metrics.inclusion]'
    toml = files["benchmark.toml"].replace(b"[metrics.accuracy]\n[metrics.rouge]", metrics)
    files["benchmark.toml"] = toml.partition(b"[reported]")[0]
    files["questions/dev.jsonl"] = b"""\
{"id": "a-1", "question": "?", "answer": "Oslo"}
{"id": "a-2", "question": "?", "answers": ["Bergen", "Bjorgvin"]}
{"id": "a-3", "question": "?", "answer": {"answers": ["5"], "kind": "number", "absolute_tolerance": 1}}
{"id": "a-4", "question": "?", "answer": {"unanswerable": true}}
"""
    for refused in (b'{"answers": ["E"], "choices": ["x", "y"]}', b'{"answers": ["x"], "weight": 0}'):
        files["questions/test.jsonl"] = b'{"id": "b-1", "question": "?", "answer": %b}\n' % refused
        assert [place_of(one)[:2] for one in problems_of(files)] == [("questions/test.jsonl", 1)]
    files["questions/test.jsonl"] = b'{"id": "b-1", "question": "?"}\n'
    definition = declared(files).definition
    assert [one.answer for one in definition.packaged()["dev"].source.questions] == [
        {"answers": ["Oslo"]},
        {"answers": ["Bergen", "Bjorgvin"]},
        {"answers": ["5"], "kind": "number", "absolute_tolerance": 1},
        {"unanswerable": True},
    ]


def test_answer_lists_are_written_short_or_as_published() -> None:
    files = lists("[metrics.list-f1]")
    files["questions/dev.jsonl"] = b"""\
{"id": "a-1", "question": "?", "answer": ["Oslo", ["Bergen", "Bjorgvin"]]}
{"qid": "a-2", "question_text": "?", "answer_list": [{"answer_text": "Rome", "aliases": ["Roma"], "aid": "x"}]}
"""
    files["questions/test.jsonl"] = b'{"id": "a-3", "question": "?", "answer": [1]}\n'
    assert [place_of(one) for one in problems_of(files)] == [("questions/test.jsonl", 1, "answer[0]")]
    files["questions/test.jsonl"] = b'{"id": "a-3", "question": "?"}\n'
    definition = declared(files).definition
    assert [one.answer for one in definition.packaged()["dev"].source.questions] == [
        [
            {"answer_text": "Oslo", "aliases": ["Oslo"]},
            {"answer_text": "Bergen", "aliases": ["Bergen", "Bjorgvin"]},
        ],
        [{"answer_text": "Rome", "aliases": ["Roma"], "aid": "x"}],
    ]
    assert definition.default_sort == "list-f1.f1"


def test_a_metric_must_fit_the_task_type() -> None:
    problems = problems_of(changed("[metrics.rouge]", "[metrics.list-f1]"))
    assert [place_of(one)[2] for one in problems] == ["metrics.list-f1"]


HIDDEN_SCORES = ["list-f1.precision", "list-f1.recall", "arecall.10"]


def with_columns(*scores: str, extra: str = "") -> dict[str, bytes]:
    """Answer lists with columns of their own; *extra* belongs to the last one."""
    files = template("lists", "answer-list")
    metric_of = {score: "list-f1" if score.startswith("list-f1.") else "passage-recall" for score in scores}
    columns = "".join(
        f'[[columns]]\nscore = "{score}"\nmetric = "{metric}"\nlabel = "{score}"\n'
        for score, metric in metric_of.items()
    )
    toml = files["benchmark.toml"].decode()
    if "passage-recall" in metric_of.values():
        toml = toml.replace("[settings.open-book]", "[metrics.passage-recall]\n[settings.open-book]\npassages = true")
    files["reported.csv"] = b"system,setting,list-f1.f1\nA,open-book,28.8\n"
    return files | {"benchmark.toml": f"{toml}\n{columns}{extra}\n".encode()}


def test_own_columns_disclose_no_more_than_the_usual_ones() -> None:
    definition = declared(with_columns("list-f1.f1", *HIDDEN_SCORES)).definition
    assert {one.score: one.disclosed for one in definition.columns} == {
        "list-f1.f1": True,
        **dict.fromkeys(HIDDEN_SCORES, False),
    }
    without = declared(with_columns("list-f1.f1")).definition
    assert {"list-f1.precision", "list-f1.recall"} <= undisclosed_scores(without.metrics, without.columns)


@pytest.mark.parametrize("score", HIDDEN_SCORES)
def test_no_column_makes_a_hidden_split_show_what_tells_answers(score: str) -> None:
    files = with_columns("list-f1.f1", score, extra="disclosed = true")
    [problem] = problems_of(files)
    assert place_of(problem)[2] == "columns[2].disclosed"
    assert files["benchmark.toml"].decode().splitlines()[place_of(problem)[1] - 1] == "disclosed = true"
    stored = read_declaration(files, with_questions=False).definition
    assert [one.disclosed for one in stored.columns] == [True, False]


def test_a_benchmark_without_a_hidden_split_may_say_that_columns_are_disclosed() -> None:
    files = with_columns("list-f1.f1", "list-f1.recall", extra="disclosed = true")
    files["benchmark.toml"] = files["benchmark.toml"].replace(b"hidden = true", b"hidden = false")
    assert [one.disclosed for one in declared(files).definition.columns] == [True, False]


def test_own_columns_and_descriptions_replace_the_usual_ones() -> None:
    files = changed(
        "[metrics.rouge]",
        'measures = "How much is found."\n[[columns]]\nscore = "strict"\nmetric = "accuracy"\nlabel = "All found"',
    )
    files["reported.csv"] = b"system,setting,strict\nA,open-book,28.8\n"
    definition = declared(files).definition
    assert [(one.score, one.label, one.disclosed) for one in definition.columns] == [("strict", "All found", True)]
    assert definition.explanations["accuracy"].measures == "How much is found."
    assert definition.explanations["accuracy"].formula
    results = definition.published_results
    assert results is not None
    assert results.rows[0].values == {"strict": 0.288}


@pytest.mark.parametrize("blank", ["", " ", ["Oslo", ""], {"": "Oslo"}, [["Oslo", "\n"]]])
def test_a_reference_answer_has_no_blank_text(blank: Any) -> None:
    lines = [{"id": "d-1", "question": "?", "answer": "Oslo"}, {"id": "d-2", "question": "?", "answer": blank}]
    files = template("capitals") | {"questions/dev.jsonl": "\n".join(map(json.dumps, lines)).encode()}
    assert [place_of(one) for one in problems_of(files)] == [("questions/dev.jsonl", 2, "answer")]


def test_a_score_is_never_lost_to_a_repeated_column_or_row() -> None:
    def with_rows(*lines: str) -> dict[str, bytes]:
        return template("capitals") | {"reported.csv": "\n".join(lines).encode()}

    [column] = problems_of(with_rows("system,setting,loose,loose", "A,open-book,1,2"))
    assert place_of(column) == ("reported.csv", 1, "loose")
    rows = ("A,open-book,1", "A,closed-book,2", " A ,open-book,3")
    [row] = problems_of(with_rows("system,setting,loose", *rows))
    assert place_of(row) == ("reported.csv", 4, "system")


def test_spaces_and_empty_rows_of_a_table_do_not_count() -> None:
    rows = b"system, setting, loose\nA , open-book, 28.8\n,,\n"
    results = declared(template("capitals") | {"reported.csv": rows}).definition.published_results
    assert results is not None
    assert [(row.system, row.values) for row in results.rows] == [("A", {"loose": 0.288})]


def test_results_may_be_json_in_shares() -> None:
    files = changed('file = "reported.csv"', 'file = "reported.json"\nscores = "share"')
    rows = [{"system": "People", "setting": "open-book", "loose": 0.85, "is_human": True, "source": "Section 4"}]
    files["reported.json"] = json.dumps(rows).encode()
    results = declared(files).definition.published_results
    assert results is not None
    assert results.systems["People"]["is_human"] is True
    assert [(row.values, row.source) for row in results.rows] == [({"loose": 0.85}, "Section 4")]


def test_a_folder_in_the_package_is_a_packaged_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_example(tmp_path / "capitals")
    card = (tmp_path / "capitals" / "data-card.md").rename(tmp_path / "card.md")
    (tmp_path / "capitals" / "data-card.md").symlink_to(card)  # as some installers do
    usual = list(benchmarks.packaged_definitions())
    monkeypatch.setattr(benchmarks, "__path__", [*benchmarks.__path__, str(tmp_path)])
    benchmarks.packaged_definitions.cache_clear()
    try:
        found = benchmarks.packaged_definitions()
    finally:
        monkeypatch.undo()
        benchmarks.packaged_definitions.cache_clear()
    assert list(found) == [*usual, "capitals"]
    assert len(found["capitals"].packaged()["test"].source.questions) == 5


def test_only_prompts_that_a_declared_judge_reads_are_part_of_the_definition() -> None:
    files = template("capitals", "judged-list") | {"prompts/judge.txt": b"Is it right?"}
    found = declared(files)
    assert found.definition.prompts.keys() == {SINGLE, LIST}
    assert found.files.keys() == {
        "benchmark.toml",
        "data-card.md",
        "reported.csv",
        f"prompts/{SINGLE}",
        f"prompts/{LIST}",
    }


@pytest.mark.parametrize("kind", KINDS)
def test_each_task_type_has_a_template(kind: str) -> None:
    definition = declared(template("capitals", kind)).definition
    (question, *_) = definition.packaged()["dev"].source.questions
    results = definition.published_results
    assert results is not None and len(results.rows[0].values) == min(2, len(definition.columns))
    assert definition.task_type == kind
    assert definition.form.default_baseline == ("" if question.has_answer else "closed-book")


def test_a_default_baseline_is_a_setting_of_compared_answers() -> None:
    line = 'default_baseline = "closed-book"'
    known = template("capitals", "compared-answer")
    wrong = {"benchmark.toml": known["benchmark.toml"].replace(line.encode(), b'default_baseline = "closed"')}
    for files in (known | wrong, changed('task_type = "text-answer"', f'task_type = "text-answer"\n{line}')):
        assert [place_of(problem)[2] for problem in problems_of(files)] == ["default_baseline"]


@pytest.mark.parametrize("value", ["0", "101", "true", "1.5", '"4"'])
def test_a_number_of_attempts_is_from_1_to_100(value: str) -> None:
    files = changed("[splits.test]", f"[splits.test]\nattempts = {value}")
    assert [place_of(problem)[2] for problem in problems_of(files)] == ["splits.test.attempts"]


def test_declared_attempts_are_what_files_need_and_answers_that_are_compared_have_one() -> None:
    toml = changed("[splits.test]", "[splits.test]\nattempts = 4")
    definition = read_declaration(toml).definition
    assert [definition.attempts(split).exactly for split in ("dev", "test", "none")] == [0, 4, 0]
    hidden = read_declaration(changed("x", "x")).definition
    assert hidden.attempts("test").exactly == (1 if hidden.split("test").hidden else 0)
    known = template("capitals", "compared-answer")
    several = known["benchmark.toml"].replace(b"[splits.test]", b"[splits.test]\nattempts = 4")
    assert [place_of(problem)[2] for problem in problems_of(known | {"benchmark.toml": several})] == [
        "splits.test.attempts"
    ]


def test_the_judge_of_lists_needs_its_two_prompts() -> None:
    files = changed("[metrics.accuracy]\n[metrics.rouge]", "[metrics.list-judge]")
    toml = files["benchmark.toml"].replace(b'task_type = "text-answer"', b'task_type = "judged-list"')
    whole = b"{question} {response} {correct_answer} final precision: final_answer_length: overlapping answers:"
    prompts = {f"prompts/{SINGLE}": whole, f"prompts/{LIST}": whole.replace(b"{correct_answer}", b"")}
    files |= {"benchmark.toml": toml}
    for given, expected in ((prompts, [f"prompts/{LIST}"]), ({}, [f"prompts/{SINGLE}", f"prompts/{LIST}"])):
        found = [problem for problem in problems_of(files | given) if problem.startswith("prompts/")]
        assert sorted(place_of(problem)[0] for problem in found) == sorted(expected)
    complete = files | dict.fromkeys(prompts, whole)
    assert not [problem for problem in problems_of(complete) if problem.startswith("prompts/")]


def test_answers_compared_side_by_side_need_no_references() -> None:
    definition = declared(compared_site.files(1)).definition
    (question,) = definition.packaged()["dev"].source.questions
    assert (definition.task_type, question.has_answer) == ("compared-answer", False)
    assert {column.metric for column in definition.columns} == {"side-by-side"}
    given = b'{"id": "q1", "question": "?", "answer": "So."}\n{"id": "q2", "question": "?", "answer": ["a"]}\n'
    (problem,) = problems_of(compared_site.files() | {"questions/dev.jsonl": given})
    assert place_of(problem) == ("questions/dev.jsonl", 2, "answer")


@pytest.mark.parametrize("lost", [*(f"{{{field}}}" for field in side_by_side.FIELDS), ""])
def test_the_prompt_of_comparisons_needs_its_places(lost: str) -> None:
    files, name = compared_site.files(), f"prompts/{side_by_side.PROMPT}"
    if lost:
        files[name] = files[name].replace(lost.encode(), b"")
    else:
        del files[name]
    (problem,) = problems_of(files)
    assert place_of(problem)[0] == name
    assert lost in problem


PLACES = "{Question} {CandidateAnswers} {NumCandidates} "


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        (PLACES + "<ScoreX>", []),
        (PLACES + '<Score1> {"score": 1} {?ReferenceAnswer}{ReferenceAnswer}{/ReferenceAnswer}', []),
        (PLACES, ["scores"]),
        (PLACES + "{?ReferenceAnswer}{ReferenceAnswer}<Score1>{/ReferenceAnswer}", ["scores"]),
        (PLACES + "\n{Rubric} <Score1>", ["2 {Rubric}"]),
        (PLACES + "{referenceAnswer}<Score1>", ["1 {referenceAnswer}"]),
        (PLACES + "{?ReferenceAnswer}{ReferenceAnswer} <Score1>", ["1 {?ReferenceAnswer}"]),
        (PLACES + "{ReferenceAnswer}{/ReferenceAnswer} <Score1>", ["1 {/ReferenceAnswer}"]),
        (PLACES + "{?ReferenceAnswer}{/ReferenceAnswer}<Score1>", ["{ReferenceAnswer} for questions with "]),
        (
            "{?ReferenceAnswer}" + PLACES + "{ReferenceAnswer}{/ReferenceAnswer}<Score1>",
            ["{Question} for questions without ", "{CandidateAnswers} for questions without "],
        ),
    ],
)
def test_prompts_of_comparisons_are_checked_by_filling_them(prompt: str, found: list[str]) -> None:
    files = compared_site.files() | {f"prompts/{side_by_side.PROMPT}": prompt.encode()}
    if not found:
        assert declared(files).definition.prompts[side_by_side.PROMPT] == prompt
        return
    problems = problems_of(files)
    assert len(problems) == len(found)
    for problem, part in zip(problems, found, strict=True):
        line, _, place = part.partition(" ") if part[0].isdigit() else ("0", "", part)
        assert place_of(problem)[1] == int(line)
        assert place in problem
    assert read_declaration(files, with_questions=False), "a stored benchmark stays on the site"


def test_prompts_of_lists_are_checked_by_filling_them() -> None:
    usual = template("capitals", "judged-list")
    single, many = f"prompts/{SINGLE}", f"prompts/{LIST}"
    files = usual | {
        single: usual[single].replace(b"final precision:", b"") + b"\n{Question}",
        many: usual[many].replace(b"final answer length:", b"").replace(b"overlapping answers", b""),
    }
    places = [place_of(problem)[0] for problem in problems_of(files)]
    assert sorted(places) == sorted([single, single, many, many])
    assert any("{Question}" in problem for problem in problems_of(files))


def test_passages_are_taken_by_a_setting_if_a_metric_scores_them() -> None:
    def made(metrics: str, setting: bytes = b"") -> dict[str, bytes]:
        files = lists(metrics)
        toml = files["benchmark.toml"].replace(b"[settings.open-book]", b"[settings.open-book]\n" + setting)
        return files | {"benchmark.toml": toml}

    both = made("[metrics.list-f1]\n[metrics.passage-recall]", b"passages = true")
    definition = declared(both).definition
    assert [one.slug for one in definition.settings if one.passages] == ["open-book"]
    assert {"arecall.10", "erecall.200"} <= {column.score for column in definition.columns}
    (problem,) = problems_of(made("[metrics.list-f1]", b"passages = true"))
    assert place_of(problem)[2] == "settings.open-book.passages"
    (problem,) = problems_of(made("[metrics.list-f1]\n[metrics.passage-recall]"))
    assert place_of(problem)[2] == "metrics.passage-recall"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("Oslo", []), ("Москва", ["rouge"]), ("東京", ["accuracy", "rouge"]), ("東京 (Tokyo)", ["accuracy"])],
)
def test_metrics_that_cannot_read_a_script_are_named(answer: str, expected: list[str]) -> None:
    files = changed('"Oslo"', json.dumps(answer), "questions/dev.jsonl")
    warnings = declared(files).warnings()
    assert sorted(name for one in warnings for name in re.findall(r"the metric (\S+) finds no words", one)) == expected


def warnings_of(files: dict[str, bytes]) -> str:
    return "\n".join(declared(files).warnings())


def test_the_templates_and_the_packaged_benchmarks_have_no_warnings() -> None:
    assert [warnings_of(template("capitals", kind)) for kind in KINDS] == [""] * len(KINDS)
    for definition in benchmarks.packaged_definitions().values():
        folder = Path(benchmarks.__file__).parent / definition.slug
        assert read_declaration(read_folder(folder)).warnings() == []


def test_keys_of_questions_that_are_not_read_are_named() -> None:
    files = template("capitals")
    dev = [json.loads(line) for line in files["questions/dev.jsonl"].splitlines()]
    dev[0] |= {"aliases": ["Christiania"], "weight": 2, "kind": "city", "steps": [1]}
    dev[1] |= {"aliases": [], "hints": ["a", "b"]}
    files["questions/dev.jsonl"] = "\n".join(map(json.dumps, dev)).encode()
    rules = '[[categories]]\nfield = "kind"\n[[categories]]\nname = "Steps"\ncount = "steps"\nbins = [0, 1]\n'
    files["benchmark.toml"] = files["benchmark.toml"].replace(b"[limits]", f"{rules}[limits]".encode())
    named = re.findall(r"dev: the key '(\w+)' of (\d)", warnings_of(files))
    assert named == [("aliases", "2"), ("weight", "1"), ("hints", "1")]


@pytest.mark.parametrize(
    ("rule", "idle"),
    [
        ('field = "categories"', False),
        ('field = "topic"', True),
        ('name = "A"\npattern = "^test-"', False),
        ('name = "A"\npattern = "^train-"', True),
        ('name = "A"\ncount = "evidence"\nbins = [1]', False),
        ('name = "A"\ncount = "evidence"\nbins = [2, 5]', True),
    ],
)
def test_a_rule_of_categories_that_matches_nothing_is_named(rule: str, idle: bool) -> None:
    assert ("categories[1]" in warnings_of(changed('field = "categories"', rule))) is idle


@pytest.mark.parametrize(
    ("row", "doubts"),
    [
        ("61.5,40.0", []),
        ("61.5,0.4", []),
        ("0,0", ["are 0"]),
        ("0.615,0.4", ["[reported]"]),
        ("0.615,", ["[reported]"]),
        ("40.0,61.5", ["strict"]),
        ("0.4,0.615", ["[reported]", "strict"]),
    ],
)
def test_published_results_that_are_probably_wrong_are_named(row: str, doubts: list[str]) -> None:
    rows = f"system,setting,loose,strict\nA,open-book,{row}\n".encode()
    warnings = declared(template("capitals") | {"reported.csv": rows}).warnings()
    assert len(warnings) == len(doubts)
    for warning, part in zip(warnings, doubts, strict=True):
        assert "A in open-book" in warning and part in warning


def test_a_single_share_among_results_in_per_cent_is_named() -> None:
    rows = b"system,setting,loose,strict\nA,open-book,61.5,40.0\nB,open-book,30.1,20.2\nC,open-book,50.2,0.385\n"
    (warning,) = declared(template("capitals") | {"reported.csv": rows}).warnings()
    assert "C in open-book" in warning and "strict" in warning


def test_small_published_shares_are_usual() -> None:
    files = changed("[reported]", '[reported]\nscores = "share"')
    files["reported.csv"] = b"system,setting,loose\nA,open-book,0.006\n"
    assert warnings_of(files) == ""
