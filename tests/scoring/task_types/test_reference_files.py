"""QAMPARI's files of gold answers and files of passages: read in each packing, or every problem reported."""

import gzip
import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from scoring.files.mistakes import SourceError
from scoring.files.objects import NO_OBJECT
from scoring.metrics.passage_recall import Passage
from scoring.task_types.reference_files import read_gold_lists, read_passages
from tests.real_data import files
from tests.scoring.benchmarks.test_declared import place_of

OSLO = {"answer_text": "Oslo", "aid": "q1__0", "aliases": ["Oslo", "Christiania"]}
ROME = {"answer_text": "Rome", "aid": "q1__1", "aliases": []}
QUESTIONS: list[dict[str, Any]] = [
    {"qid": "q1__wikidata_simple__test", "question_text": "Which?", "answer_list": [OSLO, ROME]},
    {"id": "q2", "answer_list": [OSLO]},
]


def text_of(rows: list[Any]) -> bytes:
    return "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows).encode()


def archive(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as found:
        for name, content in members.items():
            found.writestr(name.replace("__", "."), content)
    return stream.getvalue()


def given(folder: Path, content: bytes) -> Path:
    path = folder / "questions.bin"
    path.write_bytes(content)
    return path


def problems_of(folder: Path, content: bytes) -> list[str]:
    path = given(folder, content)
    with pytest.raises(SourceError) as caught:
        read_gold_lists(path)
    return caught.value.problems


PLAIN = text_of(QUESTIONS)
PACKED = {
    "plain": PLAIN,
    "gzip": gzip.compress(PLAIN),
    "zip": archive(test_data__jsonl=PLAIN, README__md=b"Hello"),
    "gzip in zip": archive(test_data__jsonl__gz=gzip.compress(PLAIN)),
}


@pytest.mark.parametrize("content", PACKED.values(), ids=PACKED)
def test_files_are_read_in_each_packing(tmp_path: Path, content: bytes) -> None:
    references = read_gold_lists(given(tmp_path, content))
    assert references.ids == ("q1__wikidata_simple__test", "q2")
    assert references.answers[1] == [{"answer_text": "Oslo", "aliases": ["Oslo", "Christiania"]}]
    assert references.fingerprint == hashlib.sha256(content).hexdigest()[:8]
    assert references.evidence == ((), ())


def test_evidence_comes_from_proofs_or_contexts(tmp_path: Path) -> None:
    proof = {"proof_text": "Oslo is …", "found_in_url": "https://en.wikipedia.org/wiki/Oslo_%28city%29", "pid": "1"}
    with_proof = {"qid": "a", "answer_list": [OSLO | {"proof": [proof, {}, "x"]}, ROME | {"proof": None}]}
    with_contexts = {"qid": "b", "answer_list": [OSLO], "positive_ctxs": [{"title": "T", "text": "x", "id": 1}]}
    references = read_gold_lists(given(tmp_path, text_of([with_proof, with_contexts])))
    assert references.evidence == ((Passage("Oslo (city)", "Oslo is …"),), (Passage("T", "x"),))


def test_every_problem_is_reported_with_its_place(tmp_path: Path) -> None:
    rows: list[Any] = [
        QUESTIONS[1],
        "{'qid': 1}",
        {"answer_list": [OSLO]},
        {"qid": 7, "answer_list": [OSLO]},
        QUESTIONS[1],
        {"qid": "a"},
        {"qid": "b", "answer_list": []},
        {"qid": "c", "answer_list": [OSLO, "x", {"aliases": "y"}, {"answer_text": "z", "aliases": [1]}]},
        {"qid": "d", "answer_list": {"answer_text": "x"}},
        "[1]",
    ]
    found = problems_of(tmp_path, text_of(rows))
    assert [place_of(problem)[1:] for problem in found] == [
        (2, ""),
        (3, "qid"),
        (4, "qid"),
        (5, "id"),
        (6, "answer_list"),
        (7, "answer_list"),
        (8, "answer_list[1]"),
        (8, "answer_list[2].answer_text"),
        (8, "answer_list[2].aliases"),
        (8, "answer_list[3].aliases[0]"),
        (9, "answer_list"),
        (10, ""),
    ]
    assert all(", expected " in problem for problem in found)
    assert "again after line 1" in found[3]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", NO_OBJECT),
        (b"\n\n", NO_OBJECT),
        (b'[{"qid": "a"}]', "answer_list"),
        (b"%PDF", "a PDF document"),
        (gzip.compress(PLAIN)[:-5], "cannot be unpacked"),
        (b"PK\x03\x04 nothing", "cannot be unpacked"),
        (archive(a__jsonl=PLAIN, b__jsonl=PLAIN), "2 of them: a.jsonl, b.jsonl"),
        (archive(a__txt=PLAIN), ": found none"),
    ],
)
def test_other_files_are_refused_as_a_whole(tmp_path: Path, content: bytes, words: str) -> None:
    (problem,) = problems_of(tmp_path, content)
    assert words in problem


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        read_gold_lists(tmp_path / "none.jsonl")


def test_passages_are_read_or_refused(tmp_path: Path) -> None:
    good = {"id": "q1", "passages": [{"title": "T", "text": "x", "score": 1.5}, {"title": "", "text": "y"}]}
    path = given(tmp_path, gzip.compress(text_of([good, {"qid": "q2", "passages": []}])))
    assert read_passages(path) == {"q1": (Passage("T", "x"), Passage("", "y")), "q2": ()}
    path = given(tmp_path, text_of([{"id": "q1"}, {"id": "q2", "passages": [{"title": "T"}, 5]}]))
    with pytest.raises(SourceError) as caught:
        read_passages(path)
    fields = [place_of(problem)[1:] for problem in caught.value.problems]
    assert fields == [(1, "passages"), (2, "passages[0].text"), (2, "passages[1]")]


@pytest.mark.data
@pytest.mark.parametrize("path", files("benchmarks/qampari/*.jsonl"), ids=lambda path: path.name)
def test_the_stand_in_is_read(path: Path) -> None:
    references = read_gold_lists(path)
    assert len(references.ids) == len(path.read_text(encoding="utf-8").splitlines())
