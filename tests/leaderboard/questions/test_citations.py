"""The section *Citations* of a question's page, the API of answers, and who sees what."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from leaderboard.models import Entry, User
from scoring.analysis.explanations import HiddenSplitError
from scoring.models import Question, Split
from scoring.runs.judging.citations import MOST_CITATIONS, marked_answers
from tests import boards
from tests.counting import n_queries
from tests.judge_server import JudgeServer
from tests.leaderboard.declared import test_reports
from tests.scoring.runs.judging.site import judged_by
from tests.scoring.runs.judging.test_citations import CITED, MUSIC, NORWAY, by_words, capitals

pytestmark = pytest.mark.django_db
PAGE = "/capitals/dev/questions/dev-1/?setting=open-book"
API = "/api/v1/benchmarks/capitals/splits/dev/questions/dev-1/answers/?setting=open-book"
ANSWERS = "/api/v1/systems/atlas/answers/?benchmark=capitals&split=dev&setting=open-book"


def published(split: Split, answer: Any, name: str) -> None:
    test_reports.published(split, {"dev-1": answer, "dev-2": "Nairobi."}, name, "open-book")


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        server.rule = by_words
        yield server


@pytest.fixture
def split(settings: Any, server: JudgeServer) -> Split:
    judged_by(settings, server)
    split = capitals("citations")
    published(split, CITED, "Atlas")
    published(split, "Oslo.", "Borealis")
    Entry.objects.update(shows_answers=True)
    boards.write()
    return split


def section(client: Client) -> str:
    text = client.get(PAGE).content.decode()
    return " ".join(text.partition('id="citations-title"')[2].partition("</section>")[0].split())


def test_each_sentence_has_its_mark_in_words_and_its_reason(split: Split, client: Client) -> None:
    text = section(client)
    assert text.count("verdict--right") == 1 and text.count("verdict--wrong") == 1
    assert "1 not cited · 0 sources" in text and text.count("<h3>Sources</h3>") == 1, "Borealis cites nothing"
    words = ("Supported", "Unsupported", "Not cited", "Not judged")
    assert [word for word in words if f"{word} </span>" in text] == [*words[:3]]
    assert "1 supported · 1 unsupported · 1 not cited · 2 sources" in text
    assert text.count("So.") == 2
    assert f'<a href="{NORWAY["url"]}" rel="nofollow ugc">Norway</a>' in text
    assert NORWAY["text"] not in text, "texts of sources are not shown"


def test_the_api_has_citations_and_marks_where_the_answer_is_public(split: Split, client: Client) -> None:
    rows = {row["system"]: row["citations"] for row in client.get(API).json()}
    assert [one["state"] for one in rows["borealis"]["sentences"]] == ["not cited"]
    shown = rows["atlas"]
    assert [one["state"] for one in shown["sentences"]] == ["supported", "unsupported", "not cited"]
    assert shown["citations"][0] == {"id": "", "url": NORWAY["url"], "title": "Norway", "quote": ""}
    assert (shown["n_sentences"], shown["n_citations"]) == (3, 2)
    answers = {row["question_id"]: row["citations"] for row in client.get(ANSWERS).json()}
    assert answers == {"dev-1": CITED["citations"], "dev-2": []}
    Entry.objects.update(shows_answers=False)
    assert {row["citations"] for row in client.get(API).json()} == {None}
    assert section(client) == ""
    client.force_login(User.objects.get(username="atlas"))
    assert "Norway" in section(client)


def test_an_answer_whose_citations_nobody_judged_shows_them_without_marks(settings: Any, client: Client) -> None:
    published(capitals("citations"), CITED, "Atlas")
    Entry.objects.update(shows_answers=True)
    boards.write()
    text = section(client)
    assert "2 not judged · 1 not cited · 2 sources" in text
    assert "verdict--" not in text


def test_an_answer_that_was_sent_without_citations_has_its_marks(split: Split, client: Client) -> None:
    published(split, "The capital is Oslo [1]. It is old.", "Cygnus")
    published(split, " ", "Draco")
    Entry.objects.update(shows_answers=True)
    boards.write()
    text = section(client)
    assert "1 unsupported · 1 not cited · 0 sources" in text
    assert "It cites what is not among the citations." in text
    assert "Draco" not in text, "it has no answer"
    rows = {row["system"]: row["citations"] for row in client.get(API).json()}
    assert [one["state"] for one in rows["cygnus"]["sentences"]] == ["unsupported", "not cited"]
    assert rows["draco"] is None


def test_answers_without_citations_have_no_marks_where_no_judge_checks_any(client: Client) -> None:
    split = capitals("evidence")
    published(split, CITED, "Atlas")
    published(split, "Oslo, as in [1].", "Borealis")
    Entry.objects.update(shows_answers=True)
    boards.write()
    rows = {row["system"]: row["citations"] for row in client.get(API).json()}
    assert rows["borealis"] is None and rows["atlas"]["n_citations"] == 2
    assert "Borealis" not in section(client)


def test_hostile_citations_are_text(settings: Any, server: JudgeServer, client: Client) -> None:
    judged_by(settings, server)
    cited = [
        {"url": "javascript:alert(1)", "title": "<script>alert(1)</script>", "quote": "\u202e<b>x</b>" * 1_000},
        {"url": 'https://a.example/"onclick="x', "id": "x"},
        {"url": "data:text/html,x"},
        {"id": "<i>7</i>", "text": "Oslo"},
        *[MUSIC] * 900,
    ]
    answer = "<script>alert(2)</script> is Oslo [1]. It is [99999]. It is [0]. It is Oslo [4]. " + "More. " * 5_000
    published(capitals("citations"), {"answer": answer, "citations": cited}, "Atlas")
    Entry.objects.update(shows_answers=True)
    boards.write()
    text = section(client)
    assert "<script>" not in text and "<b>x" not in text and "<i>" not in text and "\u202e" not in text
    assert "javascript:" not in text.replace("&lt;", "<").partition("<h3>")[0]
    assert 'href="javascript' not in text and 'href="data' not in text and '"onclick="x"' not in text
    assert text.count("It cites what is not among the citations.") == 2
    assert text.count("The text of what it cites was not sent.") == 0, "the quote stands for it"
    assert text.count("<li>") == 1 + 200 and "The first 200 of 5,004 sentences." in text
    (row,) = client.get(API).json()
    assert len(row["citations"]["sentences"]) == row["citations"]["n_sentences"] == 5_004
    assert text.count("<li dir") == MOST_CITATIONS
    assert len(text) < 200_000


def test_a_hidden_split_shows_no_citations_at_any_door(split: Split, client: Client) -> None:
    Split.objects.update(hidden=True)
    boards.write()
    question = Question.objects.get(revision=split.current_revision, qid="dev-1")
    with pytest.raises(HiddenSplitError):
        marked_answers(question, {}, {}, {})
    for name in (None, "atlas"):
        if name:
            client.force_login(User.objects.get(username=name))
        assert [client.get(url).status_code for url in (PAGE, API)] == [404, 404]
        system = client.get("/systems/atlas/").content.decode()
        assert "Norway" not in system and "Cit. recall" not in system


def test_the_number_of_queries_does_not_grow_with_systems(split: Split, client: Client) -> None:
    before = n_queries(client, PAGE)
    for number in range(3):
        published(split, CITED | {"answer": f"Oslo [1]. Number {number} [2]."}, f"System {number}")
    Entry.objects.update(shows_answers=True)
    boards.write()
    assert section(client).count("criteria__facts") == 5
    assert n_queries(client, PAGE) == before


@pytest.mark.parametrize(
    ("citations", "shown"),
    [([{"quote": "x"}], "citations[1]"), ([], "1 answer points to citations that were not sent")],
)
def test_a_file_is_checked_for_wrong_and_for_missing_citations(
    split: Split, client: Client, citations: list[dict[str, str]], shown: str
) -> None:
    client.force_login(User.objects.get(username="atlas"))
    line = {"id": "dev-1", "answer": "Oslo [1].", "citations": citations}
    file = SimpleUploadedFile("open-book.jsonl", json.dumps(line).encode())
    response = client.post(reverse("check"), {"benchmark": "capitals", "split": "dev", "open-book": file})
    assert shown in response.content.decode()
