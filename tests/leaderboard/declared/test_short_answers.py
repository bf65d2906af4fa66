"""A declared benchmark of short answers: scored as it is sent, on its board, and explained question by question."""

import json
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
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.declared import import_declaration
from scoring.models import Score, Split
from tests import boards, factories
from tests.leaderboard.declared import declared_site

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
    toml = made["benchmark.toml"].decode().partition("# Published results")[0]
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
