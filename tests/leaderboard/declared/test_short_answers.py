"""A declared benchmark of short answers: scored as it is sent, on its board, and explained question by question."""

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client

from leaderboard.models import Entry
from leaderboard.publishing import requests
from leaderboard.questions.lookup import find_questions
from leaderboard.questions.question import QuestionPage, find_question
from scoring.analysis.explanations import HiddenSplitError, explain
from scoring.analysis.reference_items import ReadingRight, item_counts, items_of, reference_items, with_matches
from scoring.benchmarks.base import SourceQuestion
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.files.mistakes import SourceError
from scoring.importing.declared import import_declaration
from scoring.models import Score, Split
from tests import boards, factories
from tests.leaderboard.declared import declared_site
from tests.leaderboard.declared.test_tutorial import DOCUMENT

pytestmark = pytest.mark.django_db
QUESTIONS: tuple[dict[str, Any], ...] = (
    {"question": "What was Oslo called before 1925?", "answer": ["Kristiania", "Christiania"]},
    {"question": "How long is the bridge?", "answer": {"answers": ["380 m"], "relative_tolerance": 0.01}},
    {"question": "Who wrote the book?", "answer": "B", "choices": ["Ada Berg", "Bo Dahl", "Cy Eng"]},
    {"question": "When was the tower torn down?", "answer": {"unanswerable": True}},
)
ANSWERS = ("Kristiania", "It is 0.379 km long.", "The answer is Bo Dahl.", "The text does not say.")
OTHERS = ("Oslo", "About 350 m.", "b", "In 1911.")
BOARD = f"benchmark={declared_site.SLUG}&split=dev&setting=closed-book"


def files(metrics: str = "exact-match token-f1 inclusion", questions: Any = QUESTIONS) -> dict[str, bytes]:
    """Its folder, with the same questions in both splits but for the first word."""
    made = template(declared_site.SLUG, "short-answer")
    toml = made["benchmark.toml"].decode().partition("[reported]")[0]
    declared = "\n".join(f"[metrics.{name}]" for name in metrics.split())
    toml = toml.replace("[metrics.exact-match]\n[metrics.token-f1]", declared)
    del made["reported.csv"]
    for split in ("dev", "test"):
        lines = (
            {"id": f"{split}-{number}"} | question | {"question": f"{split.title()}: {question['question']}"}
            for number, question in enumerate(questions, start=1)
        )
        made[f"questions/{split}.jsonl"] = "\n".join(map(json.dumps, lines)).encode()
    return made | {"benchmark.toml": toml.encode()}


def declare(metrics: str = "exact-match token-f1 inclusion") -> Split:
    """The benchmark, imported; returns its open split."""
    return factories.split(import_declaration(read_declaration(files(metrics))).benchmark, "dev")


def read_questions(made: dict[str, bytes], split: str = "dev") -> Sequence[SourceQuestion]:
    return read_declaration(made).definition.packaged()[split].source.questions


def answers(texts: tuple[str, ...] = ANSWERS, split: str = "dev") -> dict[str, str]:
    return {f"{split}-{number}": text for number, text in enumerate(texts, start=1)}


def site() -> Split:
    """Two systems on the open split, of which the first is right and has public answers."""
    dev = declare()
    for name, texts in (("Right", ANSWERS), ("Mixed", OTHERS)):
        factories.published(factories.user(name.lower()), dev, {"closed-book": answers(texts)}, name=name)
    Entry.objects.filter(system__name="Right").update(shows_answers=True)
    return dev


def page_of(number: int, **query: str) -> QuestionPage:
    page = find_question(declared_site.SLUG, "dev", f"dev-{number}", AnonymousUser(), query)
    assert page is not None
    return page


def test_a_submission_is_scored_and_appears_on_the_board(client: Client) -> None:
    dev = declare()
    test = factories.split(dev.benchmark, "test")
    owner = factories.user()
    client.force_login(owner)
    upload = factories.upload(answers(split="test"))
    sent = client.post("/submit/?benchmark=capitals", declared_site.form(**{"closed-book": upload}))
    assert sent.status_code == 302, sent.content.decode()
    submission = owner.submissions.get()
    factories.score(submission)
    scores = {score.name: score.value for score in Score.objects.all()}
    assert (scores["exact-match"], scores["inclusion"]) == (0.25, 1)
    client.post(f"/submissions/{submission.pk}/publish/", {"how": "named", "seen": requests.fingerprint(submission)})
    boards.write()
    board = boards.board_for(test, factories.setting(dev.benchmark, "closed-book"))
    (row,) = board.rows
    values = {column.key: cell.value for column, cell in zip(board.columns, row.cells, strict=True)}
    assert (row.name, values["exact-match"], values["inclusion"]) == ("Atlas", 0.25, 1)
    assert client.get("/capitals/test/questions/test-1/").status_code == 404, "a hidden split shows no question"


@pytest.mark.parametrize("metrics", ["exact-match token-f1 inclusion", "exact-match", "token-f1"])
def test_a_question_page_tells_right_from_wrong_by_the_declared_metric(metrics: str, client: Client) -> None:
    dev = declare(metrics)
    factories.published(factories.user(), dev, {"closed-book": answers()})
    asked = find_questions(declared_site.SLUG, "dev")
    assert asked is not None and asked.column is not None
    assert asked.column.metric == metrics.split()[-1]
    rights = {"inclusion": [1, 1, 1, 1], "exact-match": [1, 0, 0, 0], "token-f1": [1, 0, 0, 0]}
    assert [summary.n_right for summary in asked.summaries] == rights[metrics.split()[-1]]
    for path in ("", "dev-1/", "dev-2/", "dev-3/", "dev-4/"):
        assert client.get(f"/capitals/dev/questions/{path}").status_code == 200


def test_accepted_answers_are_shown_with_options_and_tolerances(client: Client) -> None:
    site()
    assert [page_of(number).accepted for number in range(1, 5)] == [
        ["Kristiania", "Christiania"],
        ["380 m ± 1 %"],
        ["B: Bo Dahl"],
        ["unanswerable"],
    ]
    shown = client.get("/capitals/dev/questions/dev-3/").content.decode()
    assert "Cy Eng" in shown and "B: Bo Dahl" in shown


def test_verdicts_filter_the_answers_of_a_question() -> None:
    site()
    page = page_of(1, verdict="wrong")
    assert [row.entry.system.name for row in page.answers] == ["Mixed"]
    assert [(tab.label, tab.count) for tab in page.filters] == [("All", 2), ("Right", 1), ("Wrong", 1)]
    (row,) = page_of(1, verdict="right").answers
    assert [(piece.text, piece.marked) for piece in row.pieces] == [("Kristiania", True)]
    (sentence, *_) = page_of(3, verdict="disagreement").answers
    assert sentence.outcome.disagrees, "exact match does not read sentences"


def test_the_letter_of_an_option_is_not_marked_as_a_word() -> None:
    site()
    marks = {row.entry.system.name: row for row in page_of(3).answers}
    right = [(piece.text, piece.marked) for piece in marks["Right"].pieces]
    assert right == [("The answer is ", False), ("Bo Dahl", True), (".", False)]


def test_a_systems_questions_say_right_or_wrong(client: Client) -> None:
    site()
    content = client.get(f"/systems/mixed/questions/?{BOARD}").content.decode()
    assert content.count("badge--bad") == 3
    assert "Everything found" not in content and "Partly right" not in content
    only_right = client.get(f"/systems/mixed/questions/?{BOARD}&outcome=found").content.decode()
    assert "Who wrote the book?" in only_right and "How long" not in only_right
    assert "About 350 m." not in content, "the answers are not public"


def test_a_comparison_names_the_questions_that_differ(client: Client) -> None:
    site()
    address = f"/compare/?{BOARD}&system=right&system=mixed&score=inclusion"
    content = client.get(address).content.decode()
    assert "whether each answer is right" in content
    assert "Kristiania or Christiania" in content and "Bo Dahl" not in content


def test_a_hidden_split_is_neither_explained_nor_listed(client: Client) -> None:
    dev = declare()
    test = factories.split(dev.benchmark, "test")
    sent = factories.published(factories.user(), test, {"closed-book": answers(split="test")}, name="Hidden")
    assert test.current_revision is not None
    with pytest.raises(HiddenSplitError):
        explain(sent.files.get().answer_set, test.current_revision, [0], with_answers=True)
    for page in ("/capitals/test/questions/", f"/systems/hidden/questions/?{BOARD.replace('dev', 'test')}"):
        assert client.get(page).status_code == 404
    found = client.get("/capitals/test/closed-book/").content.decode()
    found += client.get("/systems/hidden/").content.decode()
    assert "Kristiania" not in found


def test_graders_see_the_accepted_answers_as_one_item() -> None:
    dev = declare()
    revision = dev.current_revision
    assert revision is not None
    right = ReadingRight(dev.pk, "grace", "a test")
    (item,) = items_of(reference_items(revision, ["dev-1"], right=right)["dev-1"])
    assert (item.text, item.also) == ("Kristiania", ("Christiania",))
    assert set(item_counts(revision).values()) == {1}
    pieces = with_matches(revision, "dev-1", "It was Christiania.", right=right, mark=True)
    assert [piece.text for piece in pieces if piece.marked] == ["Christiania"]


def test_one_question_in_several_languages_is_a_cluster_as_documented(client: Client) -> None:
    """The example of docs/benchmarks.md."""
    section = DOCUMENT.split("### One question in several languages", 1)[1].split("\n### ", 1)[0]
    toml, lines = re.findall(r"```(?:toml|text)\n(.*?)```", section, re.DOTALL)
    cluster, categories = toml.split("\n\n")
    made = files("inclusion")
    declared = made["benchmark.toml"].decode().partition("[[categories]]")[0]
    made["benchmark.toml"] = f"{cluster}\n{declared}{categories}".encode()
    made["questions/dev.jsonl"] = lines.encode()
    made["questions/test.jsonl"] = lines.replace("bridge", "tower").replace("234", "345").encode()
    dev = factories.split(import_declaration(read_declaration(made)).benchmark, "dev")
    texts = {"bridge-en": "It is 1,234.5 m long.", "bridge-de": "Sie ist 1.234,5 m lang."}
    factories.published(factories.user(), dev, {"closed-book": texts})
    assert Score.objects.get(name="inclusion").value == 1
    assert dev.current_revision is not None
    rows = dev.current_revision.questions.values_list("language", "cluster", "categories")
    assert list(rows) == [("en", "bridge", ["en"]), ("de", "bridge", ["de"])]
    shown = client.get("/capitals/dev/questions/bridge-de/").content.decode()
    assert shown.count('lang="de"') == 2, "of the question and of its accepted answer"


def test_a_language_of_the_split_is_that_of_its_questions_unless_they_have_one() -> None:
    questions = ({"question": "Wie lang?", "answer": "1.234 m"}, {"question": "How long?", "answer": "7 m"})
    made = files("inclusion", [questions[0], questions[1] | {"language": "en"}])
    made["benchmark.toml"] = made["benchmark.toml"].replace(b"hidden = false", b'hidden = false\nlanguage = "de-CH"')
    assert [question.language for question in read_questions(made)] == ["de-CH", "en"]
    assert [question.language for question in read_questions(made, "test")] == ["", "en"]
    assert read_questions(made)[0].answer == {"language": "de-CH", "answers": ["1.234 m"]}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ({"answer": "7", "kind": "number", "absolute_tolerance": 0.5}, {"answers": ["7"], "absolute_tolerance": 0.5}),
        ({"unanswerable": True}, {"unanswerable": True}),
        ({"answers": ["7"], "per_cent": True}, {"answers": ["7"], "per_cent": True}),
    ],
)
def test_keys_beside_an_answer_belong_to_it(question: dict[str, Any], answer: dict[str, Any]) -> None:
    made = files("inclusion", [{"question": "How many?"} | question])
    (read,) = read_questions(made)
    assert {key: value for key, value in read.answer.items() if key != "kind"} == answer


def test_keys_of_answers_are_mapped_from_a_published_table() -> None:
    made = files("inclusion")
    mapping = b"""
[questions]
question = "q"
language = "lang"
choices = ["a", "b"]
answer = { answers = "gold", kind = "type", relative_tolerance = "within", unanswerable = "impossible" }
"""
    made["benchmark.toml"] = made["benchmark.toml"].replace(b".jsonl", b".csv") + mapping
    for split in ("dev", "test"):
        del made[f"questions/{split}.jsonl"]
        rows = f"{split}-1,How long is {split}?,380,number,0.01,false,en,,\n{split}-2,Wer ist {split}?,B,,,,de,Ada,Bo\n"
        made[f"questions/{split}.csv"] = f"id,q,gold,type,within,impossible,lang,a,b\n{rows}".encode()
    number, choice = read_questions(made)
    assert number.answer == {
        "language": "en",
        "answers": ["380"],
        "kind": "number",
        "relative_tolerance": 0.01,
        "unanswerable": False,
    }
    assert (choice.language, choice.answer) == (
        "de",
        {"choices": {"A": "Ada", "B": "Bo"}, "language": "de", "answers": ["B"]},
    )


def test_what_is_wrong_is_named_by_line() -> None:
    wrong: list[dict[str, Any]] = [{"question": "Who?", "answer": "E", "choices": ["Ada", "Bo"]}]
    wrong += [{"question": "How many?", "answer": "many", "kind": "number"}]
    wrong += [{"question": "Where?", "answer": "Oslo", "language": "Norwegian!"}]
    wrong += [{"question": "When?", "answer": "1999", "weight": -2}]
    with pytest.raises(SourceError) as caught:
        read_declaration(files("inclusion", wrong))
    named = [problem for problem in caught.value.problems if problem.startswith("questions/dev")]
    assert sorted(problem.split(": ")[1] for problem in named) == ["line 1", "line 2", "line 3", "line 4"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [("Kristiania", ""), (["Kristiania", "Oslo"], "answer-not-a-string"), (1925, "answer-not-a-string")],
)
def test_the_check_of_a_file_takes_texts_alone(answer: object, code: str, client: Client) -> None:
    declare()
    client.force_login(factories.user())
    lines = [{"id": qid, "answer": text} for qid, text in (answers(split="test") | {"test-1": answer}).items()]
    upload = factories.upload("\n".join(map(json.dumps, lines)).encode())
    response = client.post("/api/v1/submissions/validate/", declared_site.form(**{"closed-book": upload}))
    assert [group["code"] for group in response.json()["files"][0]["groups"]] == [code] * bool(code)
