"""Mistakes of authors that are valid files: a check refuses what nobody can mean, and warns of the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from tests.scoring.benchmarks.test_declared import PLACE, changed, place_of, problems_of

DEV = "questions/dev.jsonl"


def asked(*changes: dict[str, Any], file: str = DEV, task_type: str = "text-answer") -> dict[str, bytes]:
    """The template with these changes of the first questions of a split."""
    files = template("capitals", task_type)
    lines = [json.loads(line) for line in files[file].splitlines()]
    for line, change in zip(lines, changes, strict=False):
        line |= change
    # Inclusion reads tolerances.
    toml = files["benchmark.toml"].replace(b"[metrics.exact-match]", b"[metrics.inclusion]\n\n[metrics.exact-match]")
    return files | {"benchmark.toml": toml, file: "\n".join(map(json.dumps, lines)).encode()}


def warnings_of(files: dict[str, bytes]) -> list[str]:
    return read_declaration(files).warnings()


# --- Texts of questions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("nan", "the text nan"),
        ("None", "the text None"),
        (["Oslo", "N/A"], "the text N/A"),
        ("['Oslo', 'Bergen']", "a list written as text"),
        ('["Oslo", null]', "a list written as text"),
        ("R&amp;D", "the HTML entity &amp;"),
        ("caf&#233;", "the HTML entity &#233;"),
        ("MÃ¼nchen", "characters of a wrong encoding (mojibake)"),
        ({"Stra\ufffde": "a"}, "the character U+FFFD"),
        ("Os\u200blo", "the invisible character U+200B (zero width space)"),
        ("\u202eolsO", "the invisible character U+202E (right-to-left override)"),
        ("B", "a single letter"),
        ("(c)", "a single letter"),
        ("-", "the text -"),
        ("<i>Oslo</i>", "the HTML tag <i>"),
        ("S\\u00e3o Paulo", "the escape \\u00e3, written out"),
        ("Oslo\n", "white space around it"),
        (["NYC | New York"], "several answers in one text"),
    ],
)
def test_an_answer_that_is_probably_not_meant_is_named_by_file_line_and_key(answer: Any, found: str) -> None:
    (warning,) = [one for one in warnings_of(asked({}, {"answer": answer})) if found in one]
    assert place_of(warning) == (DEV, 2, "answer")


@pytest.mark.parametrize(
    "answer",
    [
        "Oslo",
        "Nan Goldin",
        "none of them",
        "München",
        "(secret)",
        "[…]",
        "AT&T",
        "No, the letters are AT&T; it was founded as the Bell Telephone Company, and renamed in the year 1885 for all.",
        "5",
        "می‌روم",
        "東京",
        "Zürich’s",
    ],
)
def test_ordinary_answers_are_not_named(answer: str) -> None:
    assert [one for one in warnings_of(asked({"answer": answer})) if one.startswith(DEV)] == []


def test_a_letter_is_an_ordinary_answer_to_a_question_with_choices() -> None:
    asked_with = {"answer": "B", "choices": ["Oslo", "Lima"]}
    assert [one for one in warnings_of(asked(asked_with, {"answer": "C"})) if "a single letter" in one] == [
        one for one in warnings_of(asked({}, {"answer": "C"})) if "a single letter" in one
    ]


@pytest.mark.parametrize(("answer", "said"), [("Oslo", "again in"), ("Lima", "again, with another answer in")])
def test_a_question_that_a_split_has_twice_is_named(answer: str, said: str) -> None:
    again = {"question": "what is the capital  of Norway?", "answer": answer}
    (warning,) = warnings_of(asked({}, {}, again))
    assert f"the same question {said} 1 line ({DEV}: line 3, after line 1)" in warning


def test_ids_that_differ_in_capitals_alone_are_named() -> None:
    (warning,) = warnings_of(asked({}, {"id": "DEV-1"}))
    assert f"({DEV}: line 2)" in warning


def test_a_file_that_is_imported_alone_is_read_with_the_same_warnings(tmp_path: Path) -> None:
    file = tmp_path / "more.jsonl"
    file.write_text('{"id": "dev-1", "question": "Which?", "answer": "nan"}\n')
    (remark,) = read_declaration(template("capitals")).definition.read_file(file).remarks
    assert place_of(remark) == ("more.jsonl", 1, "answer")


def test_one_sign_in_many_questions_is_one_warning_with_the_lines() -> None:
    (warning,) = warnings_of(asked({"answer": "nan"}, {}, {"answer": "nan"}, {"answer": "nan"}))
    assert place_of(warning)[1] == 1
    assert "in 2 further lines: 3, 4." in warning


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"question": "What does R&amp;D mean?"}, "question"),
        ({"categories": ["nan"]}, "categories"),
        ({"evidence": [{"title": "MÃ¼nchen"}]}, "evidence"),
    ],
)
def test_the_other_texts_of_a_question_are_read_too(change: dict[str, Any], field: str) -> None:
    (warning,) = warnings_of(asked(change))
    assert place_of(warning) == (DEV, 1, field)


def test_no_warning_shows_a_reference_answer() -> None:
    secrets = {"answer": "Geheimer MÃ¼nchner Ort"}, {"answer": "['Secret', 'Hidden']"}, {"answer": "Hidden &amp; dry"}
    warnings = " ".join(warnings_of(asked(*secrets, file="questions/test.jsonl")))
    assert "mojibake" in warnings and "&amp;" in warnings
    assert not any(word in warnings for word in ("Geheim", "Secret", "Hidden", "nchner"))


@pytest.mark.parametrize("qid", ["dev\u200b-1", "dev-\u202e1", "d\ufffdv-1", "dev&amp;1", "d\u0435v-1", "TODO:\u200b"])
def test_an_id_that_people_cannot_type_is_a_mistake(qid: str) -> None:
    assert [place_of(one) for one in problems_of(asked({"id": qid}))] == [(DEV, 1, "id")]


def test_a_question_of_the_template_is_a_mistake() -> None:
    assert [place_of(one) for one in problems_of(asked({}, {"question": "TODO: a question"}))] == [(DEV, 2, "question")]
    assert warnings_of(asked({"answer": "Todo o nada"})) == []


# --- benchmark.toml, the data card, published results ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('name = "Capitals"', 'name = "TODO: its name"', "name"),
        ('name = "Capitals"', 'name = "Capitals &amp; rivers"', "name"),
        ('name = "Capitals"', 'name = "Capit\ufffdls"', "name"),
        ('name = "Capitals"', 'name = "Capi\u200btals"', "name"),
        ('name = "Open book"', 'name = "closed  Book"', "settings.open-book.name"),
        ('name = "Test"', 'name = "Development"', "splits.test.name"),
        ("published = 2026-01-01", "published = 2999-01-01", "reported.published"),
        ("date = 2026-01-01", "date = 2999-01-01", "splits.dev.date"),
        ("title = {Capitals: an example},", "title = {C}, author = {A One, B Two, C Three, D Four},", "bibtex"),
        ("title = {Capitals: an example},", "title = {C}, author = {A One, B Two, C Three},", "bibtex"),
        ("title = {Capitals: an example},", "title = {Capitals: an example}", "bibtex"),
        ("year = {2026},\n}", "year = {2026},\n", "bibtex"),
        ("@misc{", "@inproceeding{", "bibtex"),
        ("@misc{capitals,", "@misc{", "bibtex"),
        ("  title = {Capitals: an example},\n", "", "bibtex"),
        ('scores = "percent"', 'scores = "percent"\ndefault_sort = "exact"', "default_sort"),
        ('scores = "percent"', 'scores = "percent"\ndefault_sort = "rouge1.precision"', "default_sort"),
    ],
)
def test_what_nobody_can_mean_in_a_declaration_is_refused_by_key(old: str, new: str, field: str) -> None:
    assert [place_of(one)[2] for one in problems_of(changed(old, new))] == [field]


def test_a_sort_by_no_column_lists_the_columns() -> None:
    (problem,) = problems_of(changed('scores = "percent"', 'scores = "percent"\ndefault_sort = "exact"'))
    assert {"loose,", "strict,", "rouge1.fscore,"} <= set(problem.split())


COLUMNS = """
[[columns]]
score = "loose"
metric = "accuracy"
label = "Loose"
{first}

[[columns]]
score = "strict"
metric = "accuracy"
label = "Strict"
{second}

[limits]
"""


@pytest.mark.parametrize(
    ("first", "second", "field"),
    [
        ("higher_is_better = false", "", "columns[1].higher_is_better"),
        ("", 'unit = "seconds"', "columns[2].unit"),
        (
            'short_label = "Acc."\ngroup = "Accuracy"',
            'short_label = "acc."\ngroup = "accuracy"',
            "columns[2].short_label",
        ),
        ('short_label = "EM"', 'short_label = "EM"', "columns[2].short_label"),
    ],
)
def test_a_column_against_its_metric_or_with_the_label_of_another_is_refused(
    first: str, second: str, field: str
) -> None:
    assert [
        place_of(one)[2] for one in problems_of(changed("[limits]", COLUMNS.format(first=first, second=second)))
    ] == [field]
    harmless = COLUMNS.format(first='higher_is_better = true\nunit = "share"', second='group = "Accuracy"')
    assert read_declaration(changed("[limits]", harmless)).definition.columns[0].label == "Loose"


@pytest.mark.parametrize("label", ["loose", "ROUGE-1 F1"])
def test_two_columns_have_two_labels(label: str) -> None:
    columns = COLUMNS.format(first="", second="").replace('"Strict"', f'"{label}"')
    assert [place_of(one)[2] for one in problems_of(changed("[limits]", columns))] == ["columns[2].label"]


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('name = "Capitals"', 'name = "nan"', "name"),
        ('name = "Capitals"', 'name = "MÃ¼nchen"', "name"),
        ('name = "Capitals"', 'name = "C\u0430pitals"', "name"),
        ("hidden = false", "note = \"['a']\"\nhidden = false", "splits.dev.note"),
    ],
)
def test_what_may_be_meant_in_a_declaration_is_a_warning(old: str, new: str, field: str) -> None:
    (warning,) = warnings_of(changed(old, new))
    assert place_of(warning)[2] == field


def test_an_attribute_may_offer_the_word_none() -> None:
    attribute = '[[attributes]]\nname = "search"\nlabel = "Search"\nkind = "choice"\nchoices = ["None", "web"]\n\n'
    assert warnings_of(changed("[limits]", f"{attribute}[limits]")) == []


@pytest.mark.parametrize("text", ["R&amp;D", "Stra\ufffde", "Os\u200blo"])
def test_damaged_texts_of_the_data_card_are_refused_by_line(text: str) -> None:
    files = template("capitals")
    files["data-card.md"] += f"\nOf {text}.\n".encode()
    assert [place_of(one)[:2] for one in problems_of(files)] == [
        ("data-card.md", files["data-card.md"].count(b"\n")),
    ]


@pytest.mark.parametrize("text", ["MÃ¼nchen", "<b>all</b>"])
def test_what_may_be_meant_in_the_data_card_is_a_warning(text: str) -> None:
    files = template("capitals")
    files["data-card.md"] += f"\nOf {text}.\n".encode()
    (warning,) = warnings_of(files)
    assert place_of(warning)[:2] == ("data-card.md", files["data-card.md"].count(b"\n"))


@pytest.mark.parametrize("system", ["nan", "MÃ¼nchen", "['A', 'B']"])
def test_odd_names_of_published_systems_are_warnings(system: str) -> None:
    table = f'system,setting,loose\n"{system}",closed-book,40\n'.encode()
    assert [one for one in warnings_of(template("capitals") | {"reported.csv": table}) if system in one]


def test_two_spellings_of_one_published_system_are_a_warning() -> None:
    table = b"system,setting,loose\nGPT-4,closed-book,40\ngpt 4,closed-book,41\nGPT-4o,closed-book,42\n"
    (warning,) = warnings_of(template("capitals") | {"reported.csv": table})
    assert "GPT-4 and gpt 4" in warning


@pytest.mark.parametrize(
    ("label", "keys", "named"),
    [
        ("Error rate", "", True),
        ("Tokens per question", 'unit = "tokens"', True),
        ("Cost", "higher_is_better = false", False),
        ("Coverage", "", False),
        ("Tokens per second", 'unit = "number"', False),
    ],
)
def test_a_published_column_of_which_less_is_better_states_its_direction(label: str, keys: str, named: bool) -> None:
    column = f'[[columns]]\nscore = "other"\nreported = true\nlabel = "{label}"\n{keys}\n\n[limits]'
    places = [place_of(one)[2] for one in warnings_of(changed("[limits]", column))]
    assert places == ["columns[1].higher_is_better"] * named


def test_a_stored_declaration_stays_readable_whatever_a_check_refuses_now() -> None:
    stored = read_declaration(template("capitals")).files
    old = stored["benchmark.toml"].replace(b'"Open book"', b'"Closed book"').replace(b"year = {2026},\n}", b"")
    assert read_declaration({**stored, "benchmark.toml": old}, with_questions=False).definition.slug == "capitals"
    with pytest.raises(SourceError):
        read_declaration(template("capitals") | {"benchmark.toml": old})


# --- Places that an author left open ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("https://arxiv.org/abs/XXXX.XXXXX", "XXXX"),
        ("https://example.org/26XX.XXXXX", "XXXXX"),
        ("https://example.org/FIXME", "FIXME"),
        ("https://example.org/super-bowl-XXX", ""),
        ("https://example.org/todo-lists", ""),
    ],
)
def test_a_place_that_an_author_left_open_is_named(text: str, found: str) -> None:
    files = template("capitals")
    files["benchmark.toml"] += f'\n[[links]]\ntitle = "The paper"\nurl = "{text}"\n'.encode()
    warnings = [one for one in warnings_of(files) if "placeholder" in one]
    assert [(place_of(one)[2], f"found {found}," in one) for one in warnings] == [("links[2].url", True)] * bool(found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{Capitals: an example}", "{Title of the Paper}"),
        ("title = {Capitals: an example}", "title = {C}, author = {Last, First and Last, First}"),
        ("title = {Capitals: an example}", "title = {C}, author = {Author One and Author Two}"),
    ],
)
def test_words_of_an_example_in_bibtex_are_named(old: str, new: str) -> None:
    (warning,) = warnings_of(changed(old, new))
    assert place_of(warning)[2] == "bibtex" and "placeholder" in warning


@pytest.mark.parametrize(
    ("text", "named"),
    [("[hours to be added]", True), ("[it is to be added](#hours)", False), ("[to be or not]", False)],
)
def test_brackets_that_are_to_be_filled_in_the_data_card_are_named_by_line(text: str, named: bool) -> None:
    files = template("capitals")
    files["data-card.md"] += f"\nThey needed {text}.\n".encode()
    line = files["data-card.md"].count(b"\n")
    assert [place_of(one)[:2] for one in warnings_of(files)] == [("data-card.md", line)] * named


# --- How short answers are compared ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stated", "field", "found"),
    [
        ({"answer": 380, "relative_tolerance": 5}, "relative_tolerance", "5, which is 500 per cent"),
        ({"answer": "Oslo", "relative_tolerance": 0.1}, "relative_tolerance", "an answer that is no number"),
        ({"answer": "5", "kind": "text", "absolute_tolerance": 1}, "absolute_tolerance", "an answer that is no number"),
        ({"answer": "2021-02-31", "kind": "date"}, "answer", "a day that its month does not have"),
        ({"answer": "31 June 2021", "kind": "date"}, "answer", "a day that its month does not have"),
    ],
)
def test_a_short_answer_that_is_probably_compared_otherwise_is_named(
    stated: dict[str, Any], field: str, found: str
) -> None:
    before = warnings_of(asked({}, task_type="short-answer"))
    (warning,) = set(warnings_of(asked({}, stated, task_type="short-answer"))) - set(before)
    assert place_of(warning) == (DEV, 2, field) and found in warning


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("weight", -1, "found -1, expected a number above 0"),
        ("weight", "much", 'found the text "much", expected a number above 0'),
        ("relative_tolerance", -0.5, "found -0.5, expected a number from 0 on"),
        ("kind", "name", 'found the text "name", expected one of auto'),
        ("per_cent", 1, "found 1, expected true or false"),
    ],
)
def test_a_wrong_value_beside_an_answer_is_refused_under_its_own_key(key: str, value: Any, found: str) -> None:
    (problem,) = problems_of(asked({}, {"answer": "12", key: value}, task_type="short-answer"))
    assert place_of(problem) == (DEV, 2, key) and found in problem


@pytest.mark.parametrize(
    "stated",
    [
        {"answer": "about 380 m", "relative_tolerance": 0.05},
        {"answer": ["a dozen", "12"], "absolute_tolerance": 1},
        {"answer": 380, "kind": "number", "weight": "2", "relative_tolerance": 0},
        {"answer": "29 February 1712", "kind": "date"},
        {"answer": "13/02/2021", "kind": "date"},
        {"answer": "February 2021", "kind": "date"},
    ],
)
def test_tolerances_of_numbers_and_days_of_a_calendar_are_not_named(stated: dict[str, Any]) -> None:
    before = warnings_of(asked({}, task_type="short-answer"))
    assert set(warnings_of(asked({}, stated, task_type="short-answer"))) <= set(before)


# --- Two files that do not agree -------------------------------------------------------------------------------------


def with_answers_file(
    questions: list[dict[str, Any]], answers: list[dict[str, Any]], toml: str = ""
) -> dict[str, bytes]:
    """The template, whose hidden split has its answers in a file of their own."""
    old = 'questions = "questions/test.jsonl"'
    files = changed(old, f'{old}\nanswers = "answers.jsonl"\n{toml}')
    for name, records in (("questions/test.jsonl", questions), ("answers.jsonl", answers)):
        files[name] = "\n".join(map(json.dumps, records)).encode()
    return files


ASKED = [{"id": f"t-{number}", "question": f"Which is {number}?"} for number in range(3)]
GIVEN = [{"id": f"t-{number}", "answer": name} for number, name in enumerate(("Oslo", "Lima", "Rome"))]


def test_answers_that_two_files_state_differently_are_refused_by_line() -> None:
    both = [ASKED[0] | {"answer": "Oslo"}, ASKED[1] | {"answer": "Bern"}, ASKED[2]]
    (problem,) = problems_of(with_answers_file(both, GIVEN))
    assert place_of(problem) == ("answers.jsonl", 2, "answer")
    assert "questions/test.jsonl: line 2" in problem
    assert "Lima" not in problem and "Bern" not in problem


SHORT: list[dict[str, Any]] = [
    {"answer": 12, "kind": "number", "relative_tolerance": 0.1, "weight": "2"},
    {"answer": "Lima", "choices": ["Rome", "Lima"]},
    {"answer": ["Rome", "Roma"], "language": "it"},
]


def short_answers_twice(*answers: Any) -> dict[str, bytes]:
    """The template for short answers, whose open split has its answers in its file of questions and in another."""
    files = template("capitals", "short-answer")
    old = b'questions = "questions/dev.jsonl"'
    assert old in files["benchmark.toml"]
    files["benchmark.toml"] = files["benchmark.toml"].replace(old, old + b'\nanswers = "answers.jsonl"', 1)
    given = [{"id": one["id"], "answer": answer} for one, answer in zip(ASKED, answers, strict=True)]
    both = [{**one, **answer} for one, answer in zip(ASKED, SHORT, strict=True)]
    for name, records in ((DEV, both), ("answers.jsonl", given)):
        files[name] = "\n".join(map(json.dumps, records)).encode()
    return files


def test_one_of_two_files_may_leave_out_how_an_answer_is_compared() -> None:
    packaged = read_declaration(short_answers_twice(12, "Lima", ["Rome", "Roma"])).definition.packaged()
    number, option, _ = (question.answer for question in packaged["dev"].source.questions)
    assert number == {"answers": ["12"], "kind": "number", "relative_tolerance": 0.1, "weight": 2.0}
    assert option["answers"] == ["Lima"] and len(option["choices"]) == 2


@pytest.mark.parametrize("other", [13, {"answers": [12], "kind": "text"}, {"unanswerable": True}])
def test_only_what_two_files_say_differently_of_a_short_answer_is_refused(other: Any) -> None:
    (problem,) = problems_of(short_answers_twice(other, "Lima", ["Rome", "Roma"]))
    assert place_of(problem) == ("answers.jsonl", 1, "answer")


def test_questions_that_two_files_state_differently_are_refused_by_line() -> None:
    shifted = [one | {"question": ASKED[(place + 1) % 3]["question"]} for place, one in enumerate(GIVEN)]
    assert [place_of(one) for one in problems_of(with_answers_file(ASKED, shifted))] == [
        ("answers.jsonl", line, "question") for line in (1, 2, 3)
    ]
    same = [one | {"question": f" {asked['question']}"} for one, asked in zip(GIVEN, ASKED, strict=True)]
    assert read_declaration(with_answers_file(ASKED, same)).definition.packaged()["test"]


def test_a_field_of_answers_that_no_question_has_is_named_once() -> None:
    files = changed("[splits.dev]", '[questions]\nanswer = "Answer"\n\n[splits.dev]')
    found = [place_of(problem) for problem in problems_of(files)]
    assert found == list(dict.fromkeys(found)) and (DEV, 0, "Answer") in found
    assert not [place for place in found if place[1]]


def test_an_answer_that_is_missing_on_a_hidden_split_is_named() -> None:
    (problem,) = problems_of(with_answers_file(ASKED, GIVEN[:2]))
    assert place_of(problem) == ("questions/test.jsonl", 3, "answer")
    assert "'t-2'" in problem and "splits.test.unscored" in problem


def test_all_answers_of_a_hidden_split_may_come_later() -> None:
    files = template("capitals") | {"questions/test.jsonl": "\n".join(map(json.dumps, ASKED)).encode()}
    assert len(read_declaration(files).definition.packaged()["test"].source.questions) == 3


def test_a_question_that_is_declared_as_not_scored_is_left_out() -> None:
    definition = read_declaration(with_answers_file(ASKED, GIVEN[:2], 'unscored = ["t-2"]')).definition
    assert [one.qid for one in definition.packaged()["test"].source.questions] == ["t-0", "t-1"]
    assert list(definition.unscored("test")) == ["t-2"]
    assert not definition.unscored("dev")


@pytest.mark.parametrize("qid", ["t-7", "t-0"])
def test_only_a_question_without_an_answer_is_declared_as_not_scored(qid: str) -> None:
    files = with_answers_file(ASKED, GIVEN[:2], f'unscored = ["t-2", "{qid}"]')
    (problem,) = problems_of(files)
    assert place_of(problem)[2] == "splits.test.unscored[2]" and PLACE.match(problem)


# --- More that authors do by accident --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "field", "found"),
    [
        ({"answer": "Oslo; Kristiania"}, "answer", "several answers in one text"),
        ({"answer": "Oslo / Kristiania"}, "answer", "several answers in one text"),
        ({"answer": '"Oslo"'}, "answer", "quotation marks around it"),
        ({"answer": "Oslo,"}, "answer", "a separator at its end"),
        ({"answer": "- Oslo"}, "answer", "the mark of a list"),
        ({"answer": r"\frac{1}{2}"}, "answer", "LaTeX"),
        ({"answer": "Answer: Oslo"}, "answer", "the word Answer before it"),
        ({"answer": "no answer"}, "answer", "words that say that there is no answer"),
        ({"answer": ["Oslo", "Oslo"]}, "answer", "an accepted answer again"),
        ({"answer": "Oslo[1]"}, "answer", "the mark of a footnote"),
        ({"answer": "Oslo\u00b9"}, "answer", "the mark of a footnote"),
        ({"answer": "Oslo, Bergen, etc."}, "answer", "words for further answers"),
        ({"answer": "and others"}, "answer", "words for further answers"),
        ({"answer": ["Jos? Saramago", "Saramago"]}, "answer", "a question mark inside a name"),
        ({"answer": "M?nchen"}, "answer", "a question mark inside a name"),
        ({"answer": "Franz_Kafka"}, "answer", "words joined by underscores"),
        ({"answer": "Battle_of_Hastings"}, "answer", "words joined by underscores"),
        ({"answer": "Osl\u043e"}, "answer", "letters of two scripts"),
        ({"choices": ["A) Lima", "B) Oslo"], "answer": "B"}, "choices", "a letter or number before each option"),
        ({"choices": ["1. Lima", "2. Oslo"], "answer": "B"}, "choices", "a letter or number before each option"),
        (
            {"choices": ["Lima", "Oslo (correct)"], "answer": "B"},
            "choices",
            "an option that is marked as the right one",
        ),
        ({"choices": ["Lima", "Oslo \u2713"], "answer": "B"}, "choices", "an option that is marked"),
        ({"answer": "Oslo " * 101}, "answer", "more than 500 characters"),
        ({"answer": "Oslo", "unanswerable": True}, "unanswerable", "true beside an answer"),
        ({"answer": "Oslo", "per_cent": True}, "per_cent", "an answer that is no number"),
        ({"answer": 12, "absolute_tolerance": 20}, "absolute_tolerance", "20, so that 0 would be right too"),
        ({"answer": "03/04/2021", "kind": "date"}, "answer", "a date whose day may be its month"),
        ({"choices": ["Lima", "Oslo", "Lima"], "answer": "Oslo"}, "choices", "an option again"),
        ({"choices": ["Lima"], "answer": "Lima"}, "choices", "a single option"),
        ({"choices": ["Lima", "nan"], "answer": "Lima"}, "choices", "the text nan"),
        ({"question": "Where is {city}?"}, "question", "a slot in braces"),
        ({"question": "**Where** is it?"}, "question", "marks of Markdown"),
        ({"question": "x"}, "question", "a text of a letter or two"),
        ({"language": "jp"}, "language", "jp, the code of a country"),
        ({"context": "nan"}, "context", "the text nan"),
        ({"answer": "Oder (Odra)"}, "answer", "a further name in brackets"),
        ({"question": "How large is it, in square kilometres?", "answer": "536 ha"}, "answer", "another unit than"),
        ({"answer": "Bront&euml;"}, "answer", "the HTML entity"),
    ],
)
def test_a_slip_in_a_short_question_is_named_by_line_and_key(change: dict[str, Any], field: str, found: str) -> None:
    before = warnings_of(asked({}, task_type="short-answer"))
    new = set(warnings_of(asked({}, change, task_type="short-answer"))) - set(before)
    assert [place_of(one) for one in new if f"found {found}" in one] == [(DEV, 2, field)]


@pytest.mark.parametrize(
    "change",
    [
        {"answer": "1/2"},
        {"answer": "AC/DC"},
        {"answer": "-5"},
        {"answer": "$5 to $10"},
        {"question": r"What is \nu in \frac{a}{bcd}?"},
        {"choices": ["AA", "Aa", "aa"], "answer": "Aa"},
        {"choices": ["A. Lincoln", "A. Johnson"], "answer": "A"},
        {"choices": ["A*", "A"], "answer": "A*"},
        {"answer": "5 km\u00b2"},
        {"answer": "The Others"},
        {"answer": "Who? Me"},
        {"answer": "Quo vadis?"},
        {"answer": "page?id=5"},
        {"answer": "MAX_VALUE"},
        {"answer": "my_Value"},
        {"answer": "h\u03bd"},
        {"answer": ["and then there were none", "both"]},
        {"choices": ["x²", "x2"], "answer": "x2"},
        {"language": "pt-BR"},
        {"answer": "13/04/2021", "kind": "date"},
        {"answer": ["The Raven", '"The Raven"']},
        {"answer": ["Oder (Odra)", "Oder", "Odra"]},
        {"question": "How large is it, in square kilometres?", "answer": "536 km²"},
        {"answer": "2.70 g/cm³", "kind": "number", "relative_tolerance": 0.02},
        {"answer": "4.7 kΩ", "kind": "number"},
    ],
)
def test_what_only_looks_like_a_slip_is_not_named(change: dict[str, Any]) -> None:
    before = warnings_of(asked({}, task_type="short-answer"))
    assert set(warnings_of(asked({}, change, task_type="short-answer"))) <= set(before)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (["Oslo", "Bergen", "and Narvik"], "a last entry that begins with and"),
        ([["Menorca", "Majorca"], "Majorca"], "a name of two entries"),
        (["Oslo", "Bergen", "etc."], "words for further answers"),
        (["Oslo", "Bergen", "others"], "words for further answers"),
        (["Oslo", "Bergen[12]"], "the mark of a footnote"),
        (["Oslo", "Bergen", "Oslo"], "an entry again"),
    ],
)
def test_a_slip_in_a_list_of_answers_is_named_by_line(answer: Any, found: str) -> None:
    (warning,) = [one for one in warnings_of(asked({}, {"answer": answer}, task_type="answer-list")) if found in one]
    assert place_of(warning) == (DEV, 2, "answer")


@pytest.mark.parametrize(
    ("again", "found"), [("Luis Barragan", True), ("luis  barragán", True), ("Luis Barragó", False)]
)
def test_an_entry_of_a_judged_list_that_repeats_another_one_is_named_by_line(again: str, found: bool) -> None:
    change = {"answer": ["Luis Barragán", "Kevin Roche", again]}
    warnings = warnings_of(asked({}, change, task_type="judged-list"))
    assert [place_of(one) for one in warnings if "found an entry again" in one] == [(DEV, 2, "answer")] * found


@pytest.mark.parametrize(
    ("again", "found"), [("cites statistics.", True), ("Cites statistics;", True), ("Cites no statistics", False)]
)
def test_a_criterion_that_differs_from_another_one_in_its_last_mark_is_named_by_line(again: str, found: bool) -> None:
    change = {"answer": [{"criterion": "Cites statistics", "weight": 3}, {"criterion": again, "weight": 5}]}
    warnings = warnings_of(asked({}, change, task_type="rubric"))
    assert [place_of(one) for one in warnings if "a criterion again" in one] == [(DEV, 2, "answer")] * found


@pytest.mark.parametrize("text", ["Weighs cost; names both", "Weighs cost and benefit;", "Franz_Kafka"])
def test_the_sentences_of_criteria_are_not_read_as_names(text: str) -> None:
    criteria = [{"criterion": text, "weight": 1}, {"criterion": "And says why, in a word", "weight": 2}]
    assert not warnings_of(asked({}, {"answer": criteria}, task_type="rubric"))


@pytest.mark.parametrize("field", ["dimension", "rubric"])
def test_a_criterion_that_lacks_what_the_others_have_is_named_by_line(field: str) -> None:
    criteria = [{"criterion": "Cites statistics", "weight": 3, field: "Facts"}, {"criterion": "Is short", "weight": 1}]
    (warning,) = warnings_of(asked({}, {"answer": criteria}, task_type="rubric"))
    assert place_of(warning) == (DEV, 2, "answer")
    assert f"without {field}" in warning


@pytest.mark.parametrize(("key", "value"), [("weight", 0), ("weight", "40%"), ("optional", "yes"), ("dimension", 5)])
def test_a_wrong_field_of_a_criterion_is_named_with_its_value(key: str, value: Any) -> None:
    criteria = [{"criterion": "Is short", "weight": 1}, {"criterion": "Cites statistics", "weight": 3, key: value}]
    (problem,) = problems_of(asked({}, {"answer": criteria}, task_type="rubric"))
    assert place_of(problem) == (DEV, 2, f"answer[1].{key}")
    assert str(value) in problem.partition(", expected")[0]


def test_a_damaged_character_in_a_criterion_is_named() -> None:
    criteria = [{"criterion": "Names M\ufffdnchen", "weight": 1}]
    (warning,) = warnings_of(asked({}, {"answer": criteria}, task_type="rubric"))
    assert place_of(warning) == (DEV, 2, "answer")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"choices": ["Volt", "Ohm", "Weber"], "answer": "B"}, True),
        ({"choices": ["Volt", "Ohm", "Weber"], "answer": "C"}, False),
        ({"choices": ["Volt", "Ohm", "Farad"], "answer": "B"}, False),
    ],
)
def test_a_question_of_two_splits_is_named_whatever_the_order_of_its_options(
    change: dict[str, Any], named: bool
) -> None:
    ask = {"question": "Which unit measures resistance?"}
    files = asked(ask | {"choices": ["Ohm", "Weber", "Volt"], "answer": "A"}, task_type="short-answer")
    files |= {"questions/test.jsonl": json.dumps({"id": "t-1"} | ask | change).encode()}
    if named:
        assert [place_of(one) for one in problems_of(files)] == [("questions/test.jsonl", 1, "question")]
    files["benchmark.toml"] = files["benchmark.toml"].replace(b"hidden = true", b"hidden = false")
    warnings = [one for one in warnings_of(files) if "a question of dev again" in one]
    assert [f"(questions/test.jsonl: line 1, as {DEV}: line 1)" in one for one in warnings] == [True] * named


def test_an_entry_without_its_aliases_is_named_by_what_it_lacks() -> None:
    change = {"answer": [{"answer_text": "Oslo"}]}
    (problem,) = problems_of(asked({}, change, task_type="answer-list"))
    assert place_of(problem)[1] == 2 and "found an object without aliases" in problem


@pytest.mark.parametrize("answer", [["Oslo", "Andorra"], [["Oslo", "Christiania"], ["Bergen", "Bjorgvin"]]])
def test_an_ordinary_list_of_answers_is_not_named(answer: Any) -> None:
    before = warnings_of(asked({}, task_type="answer-list"))
    assert warnings_of(asked({}, {"answer": answer}, task_type="answer-list")) == before


def test_a_key_that_is_not_read_is_named_with_the_nearest_one_at_the_head_of_a_table() -> None:
    files = template("capitals", "short-answer")
    files["benchmark.toml"] = files["benchmark.toml"].replace(b"dev.jsonl", b"dev.csv")
    files["questions/dev.csv"] = b"id,question,answer,absolute_tolerence\na-1,How far?,12,\na-2,How high?,13,1\n"
    (warning,) = [one for one in warnings_of(files) if "is not read" in one]
    assert "(questions/dev.csv: line 1)" in warning and "Did you mean absolute_tolerance?" in warning


CRITERION = {"criterion": "Names both builders", "weight": 2}


@pytest.mark.parametrize(
    ("task_type", "answer", "key", "nearest"),
    [
        ("rubric", [CRITERION, {"criterion": "x", "weight": 1, "optinal": True}], "answer.optinal", "optional"),
        ("rubric", json.dumps([CRITERION | {"dimenson": "Facts"}]), "answer.dimenson", "dimension"),
        ("rubric", [CRITERION | {"tags": ["level:example"]}], "answer.tags", ""),
        ("rubric", [{"title": "Builders", "description": "Names both.", "weight": 1}], "answer.description", ""),
        ("rubric", {"criteria": [CRITERION], "reprot": "It is old."}, "answer.reprot", "report"),
        (
            "rubric",
            {"criterions": {"Facts": [CRITERION | {"explanaton": "y"}]}, "dimension_weight": {"Facts": 1}},
            "answer.explanaton",
            "explanation",
        ),
        (
            "short-answer",
            {"answers": ["12"], "absolute_tolerence": 1},
            "answer.absolute_tolerence",
            "absolute_tolerance",
        ),
    ],
)
def test_a_field_of_an_answer_that_is_not_read_is_named_with_the_nearest_one(
    task_type: str, answer: Any, key: str, nearest: str
) -> None:
    (warning,) = [one for one in many(answer, task_type=task_type) if "is not read" in one]
    assert f"the key {key!r} of 1 question (questions/dev.jsonl: line 1)" in warning
    assert warning.partition("is not read.")[2].strip() == (f"Did you mean {nearest}?" if nearest else "")


@pytest.mark.parametrize(("bins", "number"), [("[1, 2]", 0), ("[2, 3]", 5)])
def test_bins_that_leave_questions_out_are_named_with_their_number(bins: str, number: int) -> None:
    files = template("capitals", "answer-list")
    files["benchmark.toml"] += f'\n[[categories]]\nname = "Answers"\ncount = "answer"\nbins = {bins}\n'.encode()
    two = {"answer": ["Oslo", "Bergen"]}
    files |= {DEV: asked(two, task_type="answer-list")[DEV]}
    warnings = [one for one in warnings_of(files) if "].bins: found" in one]
    assert [f"found {number + 4} questions below 2" in one for one in warnings] == [True] * bool(number)


def many(*answers: Any, task_type: str = "short-answer", ask: str = "Which is {}?", **keys: Any) -> list[str]:
    """New warnings about an open split whose questions have these answers, and further keys."""
    rows = [{"id": f"q-{n}", "question": ask.format(n), "answer": answer} for n, answer in enumerate(answers)]
    files = template("capitals", task_type)
    before = set(warnings_of(files))
    lines = "\n".join(json.dumps(row | keys) for row in rows).encode()
    return [one for one in warnings_of(files | {DEV: lines}) if one not in before]


@pytest.mark.parametrize(
    ("answers", "found", "line"),
    [
        (("Oslo", "Rome", "https://en.wikipedia.org/wiki/Lima"), "an address", 3),
        ((["Oslo", "Rome"], ["Lima", "Bern"], ["Oslo, Rome, Lima, Bern"]), "one entry with several commas", 3),
        (("Oslo", ["Rome", "Lima"], "Lima"), "an alias that is the answer of a question beside it", 2),
        (("Oslo", ["Rome", "Oslo"], "Lima"), "an alias that is the answer of a question beside it", 2),
        (("Oslo", "Io (moon)"), "a qualifier in brackets", 2),
        (("77,4", "Oslo"), "a comma before decimals", 1),
        (("8849", "6371", "384.400", "12742"), "a point before three digits", 3),
        (("78,4 °C", "384.400 km"), "a comma before decimals", 1),
        (("78,4 °C", "384.400 km"), "a point before three digits", 2),
    ],
)
def test_an_answer_that_is_odd_beside_others_is_named_by_line(answers: Any, found: str, line: int) -> None:
    task_type = "answer-list" if isinstance(answers[0], list) else "short-answer"
    (warning,) = [one for one in many(*answers, task_type=task_type, language="en") if found in one]
    assert place_of(warning) == (DEV, line, "answer")


@pytest.mark.parametrize(
    ("answers", "language"),
    [
        (("https://example.org/1", "https://example.org/2"), "en"),
        ((["Oslo", "Rome"], ["Lima", "Bern"], ["Paris, Texas, United States"]), "en"),
        (("77,4", "8849", "6371", "384.400", "12742"), "de"),
        (("Oslo", ["Rome", "Roma"], "Wednesday (or later)"), "en"),
        (("Oslo", ["Oslo", "Christiania"], "Rome"), "en"),
        (("1.602", "2.718", "77.4", "8849"), "en"),
        (("Oslo?", "Rome", "Lima", "Bern", "Paris"), "en"),
    ],
)
def test_answers_of_one_form_are_not_named(answers: Any, language: str) -> None:
    task_type = "answer-list" if isinstance(answers[0], list) else "short-answer"
    assert many(*answers, task_type=task_type, ask="City {}?", language=language) == []


@pytest.mark.parametrize(("last", "named"), [("Which river flows", True), ("Name it.", False), ("Who?", False)])
def test_the_only_question_without_its_mark_is_named(last: str, named: bool) -> None:
    rows = [{"id": f"q-{n}", "question": f"Which is {n}?", "answer": f"{n}"} for n in range(12)]
    rows[7]["question"] = last
    files = template("capitals") | {DEV: "\n".join(map(json.dumps, rows)).encode()}
    places = [place_of(one) for one in warnings_of(files) if "without a question mark" in one]
    assert places == [(DEV, 8, "question")] * named


def test_questions_and_answers_in_each_other_s_place_are_named() -> None:
    warnings = many(*(f"Where is {n}?" for n in range(6)), ask="City {}")
    assert [one for one in warnings if "6 of 6 reference answers end with a question mark" in one]


def test_a_cluster_that_all_questions_share_is_named() -> None:
    files = template("capitals", "short-answer")
    files["benchmark.toml"] = files["benchmark.toml"].replace(b"slug = ", b'cluster = "topic"\nslug = ', 1)
    for file in (DEV, "questions/test.jsonl"):
        rows = [json.loads(line) | {"topic": f"t{n}"} for n, line in enumerate(files[file].splitlines())]
        files[file] = "\n".join(map(json.dumps, rows)).encode()
    assert not [one for one in warnings_of(files) if "cluster" in one]
    rows = [json.loads(line) | {"topic": "all"} for line in files[DEV].splitlines()]
    (warning,) = [
        one for one in warnings_of(files | {DEV: "\n".join(map(json.dumps, rows)).encode()}) if "cluster" in one
    ]
    assert warning.startswith("dev: cluster: topic has one value")


@pytest.mark.parametrize(("language", "number"), [("de", 5), ("en", 0)])
def test_english_questions_with_another_language_are_named(language: str, number: int) -> None:
    warnings = many("Oslo", "Rome", "Lima", "Bern", "Paris", language=language)
    assert [f"{number} questions begin in English" in one for one in warnings] == [True] * bool(number)


def test_tolerances_that_no_metric_reads_are_named_with_the_one_that_does() -> None:
    files = asked({"answer": 12, "absolute_tolerance": 1}, task_type="short-answer")
    assert not [one for one in warnings_of(files) if "[metrics.inclusion]" in one]
    files["benchmark.toml"] = files["benchmark.toml"].replace(b"[metrics.inclusion]\n", b"")
    (warning,) = [one for one in warnings_of(files) if "[metrics.inclusion]" in one]
    assert "absolute_tolerance and kind are not read by" in warning


@pytest.mark.parametrize(("limit", "named"), [(3, True), (80, False)])
def test_a_limit_that_refuses_the_reference_answers_is_named(limit: int, named: bool) -> None:
    files = changed("[limits]", f"[limits]\nanswer_length = {limit}")
    warnings = [one for one in warnings_of(files) if "answer_length" in one]
    assert [place_of(one)[2] for one in warnings] == ["limits.answer_length"] * named


def test_a_wrong_value_is_quoted_in_an_open_split_alone() -> None:
    wrong = {"answer": "Oslo", "kind": "numeric"}
    (opened,) = problems_of(asked({}, wrong, task_type="short-answer"))
    (hidden,) = problems_of(asked({}, wrong, file="questions/test.jsonl", task_type="short-answer"))
    assert 'found the text "numeric"' in opened and "numeric" not in hidden


def test_nothing_is_quoted_while_it_is_not_clear_whether_a_split_is_hidden() -> None:
    files = asked({}, {"answer": "Oslo", "kind": "numeric"}, task_type="short-answer")
    files["benchmark.toml"] = files["benchmark.toml"].replace(b"hidden = false", b'hidden = "false"')
    assert not [one for one in problems_of(files) if "numeric" in one]


def test_categories_that_people_read_as_one_are_named() -> None:
    others = [{"categories": ["Geography", "People"]}] * 3
    (found,) = [one for one in warnings_of(asked(*others, {"categories": ["geography"]})) if "categories: found" in one]
    assert "'geography' beside 'Geography'" in found


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("hidden = true", "hidden = true\ncloses = 2020-05-01T12:00:00Z", "splits.test.closes"),
        ("hidden = true", "hidden = true\nopens = 2199-05-01T12:00:00Z", "splits.test.opens"),
        ("hidden = true", 'hidden = true\nlanguage = "jp"', "splits.test.language"),
        ("published = 2026-01-01", "published = 1026-01-01", "reported.published"),
        ("year = {2026}", "year = {2016}", "bibtex"),
        ("year = {2026}", "year = {2926}", "bibtex"),
        ("https://capitals.example/paper", "https://arxiv.org/abs/26011234", "links[1].url"),
        ("https://capitals.example/paper", "https://example.com/paper.pdf", "links[1].url"),
        ("https://capitals.example/", "http://www.example.org", "url"),
        ("[limits]", COLUMNS.format(first="digits = 1", second=""), "columns[1].digits"),
        ("[limits]", COLUMNS.format(first="digits = 2", second=""), "columns[1].digits"),
    ],
)
def test_a_slip_in_a_declaration_is_named_by_key(old: str, new: str, field: str) -> None:
    places = [place_of(one) for one in warnings_of(changed(old, new))]
    assert [place[2] for place in places if place[0] == "benchmark.toml"] == [field]


def test_digits_with_one_after_the_point_of_per_cent_are_not_named() -> None:
    assert warnings_of(changed("[limits]", COLUMNS.format(first="digits = 3", second=""))) == []


@pytest.mark.parametrize("file", ["data-card.md", "reported.csv"])
def test_a_conflict_that_nobody_has_resolved_is_refused_by_line(file: str) -> None:
    files = template("capitals")
    files[file] += b"<<<<<<< HEAD\nA.\n=======\nB.\n>>>>>>> other\n"
    last = files[file].count(b"\n")
    problems = [place_of(one)[:2] for one in problems_of(files) if "the mark of a conflict" in one]
    assert problems == [(file, last - 4), (file, last)]


JUDGED = """You grade answers.

{example}
Question: {{question}}
Gold target: {{{first}}}
Predicted answer: {{{second}}}

A: CORRECT
B: INCORRECT
C: NOT_ATTEMPTED
"""
PROMPT = "prompts/graded_answer_prompt.txt"


def judged(example: str = "", first: str = "target", second: str = "predicted_answer") -> dict[str, bytes]:
    """The template with a judge of short answers and its prompt."""
    files = template("capitals", "short-answer")
    toml = files["benchmark.toml"].replace(b"[metrics.exact-match]", b"[metrics.graded-answer]\n[metrics.exact-match]")
    prompt = JUDGED.format(example=example, first=first, second=second)
    return files | {"benchmark.toml": toml, PROMPT: prompt.encode()}


def test_places_of_a_prompt_behind_each_other_s_label_are_named_by_line() -> None:
    assert not [one for one in warnings_of(judged()) if one.startswith("prompts/")]
    swapped = [
        one for one in warnings_of(judged(first="predicted_answer", second="target")) if one.startswith("prompts/")
    ]
    assert [place_of(one)[:2] for one in swapped] == [(PROMPT, 5), (PROMPT, 6)]


def test_a_hidden_question_with_its_answer_in_a_prompt_is_refused_by_line() -> None:
    hidden, opened = (
        json.loads(template("capitals", "short-answer")[file].splitlines()[0]) for file in ("questions/test.jsonl", DEV)
    )
    (problem,) = problems_of(judged(f"Example: {hidden['question']} {hidden['answer'][0]}."))
    assert place_of(problem)[:2] == (PROMPT, 3) and hidden["answer"][0] not in problem
    for example in (f"Example: {opened['question']} {opened['answer'][0]}.", f"Example: {hidden['question']} Rome."):
        assert read_declaration(judged(example))


def test_a_hidden_question_in_a_script_without_spaces_is_refused_in_a_prompt() -> None:
    question = {"id": "t-018", "question": "流经第比利斯市中心的是哪一条河流？", "answer": ["库拉河", "姆特克瓦里河"]}
    files = asked(question, file="questions/test.jsonl", task_type="short-answer")
    files["data-card.md"] += "\n例如流经第比利斯市中心的是哪一条河流，答案是库拉河。\n".encode()
    assert [place_of(one)[0] for one in problems_of(files) if PLACE.match(one)] == ["data-card.md"]


ALIASES = ["Kura", "Mtkvari", "It is the Kura. It rises in the mountains of Turkey."]
HIDDEN = {"id": "t-017", "question": "Which river flows through Tbilisi?", "answer": ALIASES}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("To “Which river flows through Tbilisi?”, Kura and Mtkvari are right.", True),
        ("The answer of t-017 is Kura now.", True),
        ("In t-017 it is enough to say: It rises in the mountains of Turkey.", True),
        ("We ask “Which river flows through Tbilisi?” and the like.", False),
        ("The answer of t-017 was corrected.", False),
        ("The answer of t-0171 is Kura now, and t-017b has none.", False),
    ],
)
@pytest.mark.parametrize("file", ["data-card.md", "benchmark.toml"])
def test_a_hidden_question_beside_its_answer_is_refused_wherever_everybody_reads_it(
    file: str, text: str, named: bool
) -> None:
    files = asked(HIDDEN, file="questions/test.jsonl", task_type="short-answer")
    if file == "data-card.md":
        files[file] += f"\n{text}\n".encode()
    else:
        files[file] = files[file].replace(b"hidden = true", f"note = '{text}'\nhidden = true".encode())
    line = next(n for n, line in enumerate(files[file].decode().splitlines(), start=1) if text in line)
    problems = problems_of(files) if named else [read_declaration(files).definition.slug]
    assert [place_of(one) for one in problems if PLACE.match(one)] == [
        (file, line, "splits.test.note" if file == "benchmark.toml" else "")
    ] * named
    assert not any(word in problem for problem in problems for word in ("Kura", "Mtkvari"))


HEAD = "system,setting,loose,strict,type,is_human,run.released\n"
OTHER_ROWS = "".join(f"{name},closed-book,{loose},{loose - 9}\n" for name, loose in (("B", 59), ("C", 63), ("D", 70)))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("Humans,closed-book,61.5,40.0\n", "is_human"),
        ("A,closed-book,61.5,40.0,FOUNDATION,true\n", "beside the type or attributes of a model"),
        ("A,closed-book,61.5,40.0,,,2026-02-01\n", "run.released is 2026-02-01"),
        ("A,closed-book,60,4.4\n" + OTHER_ROWS, "the published strict is a tenth of all others"),
        ("Your system,closed-book,61.5,40.0\n", "found Your system, as an example has it"),
    ],
)
def test_odd_rows_of_published_results_are_named(table: str, said: str) -> None:
    (warning,) = warnings_of(template("capitals") | {"reported.csv": f"{HEAD}{table}".encode()})
    assert said in warning


@pytest.mark.parametrize(
    "table",
    [
        "A,closed-book,61.5,40.0,FOUNDATION,false,2025-12-31\nPeople,closed-book,91,90,,true\n",
        "A,closed-book,1.2,0\nB,closed-book,61.5,40.0\n",
        "Random,closed-book,4.4,2.1\n" + OTHER_ROWS,
    ],
)
def test_ordinary_rows_of_published_results_are_not_named(table: str) -> None:
    assert warnings_of(template("capitals") | {"reported.csv": f"{HEAD}{table}".encode()}) == []


ROUGE = b"system,setting,rouge1.fscore,rouge2.fscore,rouge1.precision,rouge1.recall\n"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (b"A,closed-book,30,35,31,30\n", "rouge2.fscore is above rouge1.fscore"),
        (b"A,closed-book,33,12,34,30\n", "rouge1.fscore is above the mean of precision and recall"),
        (b"A,closed-book,32.1,12,34,30\n", ""),
    ],
)
def test_scores_that_cannot_be_above_others_are_named(row: bytes, said: str) -> None:
    warnings = warnings_of(template("capitals") | {"reported.csv": ROUGE + row})
    assert [said in one for one in warnings] == [True] * bool(said)


def test_a_date_of_a_system_that_has_not_come_is_named() -> None:
    files = changed("[limits]", '[[attributes]]\nname = "built"\nlabel = "Built"\nkind = "date"\n\n[limits]')
    table = b"system,setting,loose,built\nA,closed-book,60,2942-10-24\nB,closed-book,59,2024-10-24\n"
    (warning,) = warnings_of(files | {"reported.csv": table})
    assert "A in closed-book: built is 2942-10-24" in warning


def test_a_dash_in_an_id_among_ids_with_hyphens_is_named_by_line() -> None:
    (warning,) = warnings_of(asked({}, {"id": "dev\u20112"}))
    assert "another dash" in warning and f"({DEV}: line 2)" in warning


def test_references_that_a_metric_finds_in_no_answer_because_of_their_full_stop_are_named() -> None:
    warnings = warnings_of(asked({}, {"answer": "Ice floats on water."}))
    assert [one for one in warnings if "1 of 5 reference answers of dev end with a full stop" in one]


@pytest.mark.parametrize(
    ("dimensions", "places"),
    [
        ('["Facts", "Sources"]', []),
        ('["Facts", "Sources", "Style"]', [("benchmark.toml", "metrics.rubric.parameters.dimensions[3]")]),
        ('["Facts"]', []),
        (
            '["Facts", "Source"]',
            [
                ("benchmark.toml", "metrics.rubric.parameters.dimensions[2]"),
                *[(DEV, "answer")] * 5,
                *[("questions/test.jsonl", "answer")] * 5,
            ],
        ),
    ],
)
def test_dimensions_that_are_nearly_those_with_a_column_or_have_no_criteria_are_refused(
    dimensions: str, places: list[tuple[str, str]]
) -> None:
    files = template("capitals", "rubric")
    declared = f"[metrics.rubric]\nparameters = {{ dimensions = {dimensions} }}".encode()
    files["benchmark.toml"] = files["benchmark.toml"].replace(b"[metrics.rubric]", declared)
    if places:
        assert [place_of(one)[::2] for one in problems_of(files)] == places
    else:
        assert read_declaration(files)


def test_a_field_of_a_mapping_that_no_question_has_is_named() -> None:
    files = changed("[splits.dev]", '[questions]\nlanguage = "lang"\ncategories = "categories"\n\n[splits.dev]')
    assert [one for one in warnings_of(files) if "questions.language: found no question whose field lang" in one]
