"""QAMPARI's declaration: its files as questions, its published table."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from scoring.benchmarks import definition_of
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.columns import shown_when_hidden
from scoring.benchmarks.qampari import KINDS, LAST_BIN, bin_of, kind_of, read_file
from scoring.metrics.answer_lists import gold_lists
from scoring.metrics.base import ReferenceAnswer
from scoring.task_types import metrics_of
from tests.real_data import ROOT, have
from tests.scoring.benchmarks.test_declared import place_of

PROOF = {"proof_text": "Oslo is the capital.", "found_in_url": "https://en.wikipedia.org/wiki/Oslo_(city)", "pid": "1"}
OSLO = {"answer_text": "Oslo", "aid": "0__0", "aliases": ["Christiania"], "answer_url": "x", "proof": [PROOF, PROOF]}
REPORTED = "benchmarks/qampari/reported.json"


def record(qid: str = "0__wikidata_simple__dev", **changes: Any) -> dict[str, Any]:
    return {"qid": qid, "question_text": " Which? ", "answer_list": [OSLO] * 5, "split": "dev"} | changes


def given(folder: Path, *records: dict[str, Any]) -> Path:
    path = folder / "dev_data.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(one) + "\n" for one in records).encode()))
    return path


def test_a_published_line_becomes_a_question(tmp_path: Path) -> None:
    source = read_file(given(tmp_path, record(), record("1__other", answer_list=[OSLO] * 16)))
    first, second = source.questions
    assert (first.qid, first.text) == ("0__wikidata_simple__dev", "Which?")
    assert gold_lists([first.answer])[0][0].aliases == ("Christiania",)
    evidence = {"pageid": None, "revid": None, "title": "Oslo (city)", "url": PROOF["found_in_url"]}
    assert first.answer_evidence == (evidence,), "each page once"
    assert (first.categories, first.answer_categories) == (("Wikidata, simple",), ("5 answers",))
    assert (second.categories, second.answer_categories) == ((), ("16–50 answers",))
    (remark,) = source.remarks
    assert remark.startswith("dev_data.jsonl.gz: 1 ids ")


def test_proofs_are_stored_but_for_training(tmp_path: Path) -> None:
    proof = {"found_in_url": PROOF["found_in_url"], "proof_text": PROOF["proof_text"]}
    dev, train = read_file(given(tmp_path, record(), record("0__wikidata_simple__train"))).questions
    assert dev.answer[0] == {"answer_text": "Oslo", "aliases": ["Christiania"], "proof": [proof, proof]}
    assert train.answer[0] == {"answer_text": "Oslo", "aliases": ["Christiania"]}
    assert train.answer_evidence == dev.answer_evidence


def test_a_file_without_answers_is_read_too(tmp_path: Path) -> None:
    line = record()
    del line["answer_list"]
    (question,) = read_file(given(tmp_path, line)).questions
    assert (question.has_answer, question.answer_categories, question.answer_evidence) == (False, (), ())


def test_only_an_open_split_gets_what_tells_the_answer(tmp_path: Path) -> None:
    (question,) = read_file(given(tmp_path, record())).questions
    shown, hidden = question.in_split(hidden=False), question.in_split(hidden=True)
    assert (shown.categories, len(shown.evidence)) == (("Wikidata, simple", "5 answers"), 1)
    assert (hidden.categories, hidden.evidence) == (("Wikidata, simple",), ())
    assert not hidden.answer_categories and not hidden.answer_evidence
    assert shown.answer == hidden.answer


def test_every_mistake_is_reported_with_line_and_field(tmp_path: Path) -> None:
    bad = {"answer_text": 5, "aliases": "Oslo"}
    path = given(tmp_path, record(), record("1__x", question_text=" "), record("2__x", answer_list=[bad]), record())
    with pytest.raises(SourceError) as caught:
        read_file(path)
    found = caught.value.problems
    assert [place_of(problem)[1:] for problem in found] == [
        (2, "question_text"),
        (3, "answer_list[0].answer_text"),
        (3, "answer_list[0].aliases"),
        (4, "qid"),
    ]
    assert all(str(tmp_path) not in problem for problem in found)


@pytest.mark.parametrize(
    ("qid", "kind"),
    [
        ("799__wikidata_simple__dev", "Wikidata, simple"),
        ("136__wikidata_intersection__dev", "Wikidata, intersection"),
        ("248__wikidata_comp__dev", "Wikidata, composition"),
        ("481__wikitables_simple__dev", "Wikipedia tables, simple"),
        ("59092__wikitables_composition__train", "Wikipedia tables, composition"),
        ("a1__standin__test", None),
    ],
)
def test_the_kind_of_a_question_is_read_from_its_id(qid: str, kind: str | None) -> None:
    assert kind_of(qid) == kind
    assert kind is None or kind in KINDS.values()


def test_the_bins_are_those_of_the_figure() -> None:
    bins = [bin_of(n) for n in (4, 5, 6, 7, 8, 15, 16, 50, 51, 100, 101)]
    assert bins[1:] == [
        "5 answers", "6–7 answers", "6–7 answers", "8–15 answers", "8–15 answers", "16–50 answers", "16–50 answers",
        "51–100 answers", "51–100 answers", LAST_BIN,
    ]  # fmt: skip


def test_columns_that_tell_more_of_single_references_are_not_disclosed() -> None:
    shown = {column.score for column in definition_of("qampari").columns if column.disclosed}
    assert shown == {"list-f1.f1", "list-f1.f1_above"}


def test_a_list_score_that_a_hidden_split_shows_falls_with_wrong_candidates_whatever_is_repeated() -> None:
    """One right answer, sent a hundred times, and 400 candidates: what is shown must not hide the candidates."""
    gold: ReferenceAnswer = [{"answer_text": name, "aliases": [name]} for name in ("Oslo", "Bern", "Rome")]
    padded = json.dumps(["Oslo"] * 100 + [f"candidate {number}" for number in range(400)])
    for metric in (made() for made in metrics_of("answer-list") if not made.needs_site):
        scores = metric.score(metric.prepare([gold]), [padded])
        shown = {score: scores[score].value for score in scores if shown_when_hidden(metric.name, score)}
        assert all(value < 0.01 for value in shown.values()), shown


@pytest.mark.data
@pytest.mark.parametrize("path", have(REPORTED))
def test_the_reported_rows_are_the_papers(path: tuple[Path, ...]) -> None:
    tables = json.loads(path[0].read_text(encoding="utf-8"))
    definition = definition_of("qampari")
    results = definition.published_results
    assert results is not None
    shares = {
        "list-f1.recall": "recall", "list-f1.precision": "precision", "list-f1.f1": "f1",
        "list-f1.rec_above": "recall_at_least_0.8", "list-f1.f1_above": "f1_at_least_0.5",
    }  # fmt: skip
    expected = [{name: float(row[key]) for name, key in shares.items()} for row in tables["table4"]]
    assert [
        {name: pytest.approx(100 * value) for name, value in row.values.items() if "@" not in name}
        for row in results.rows
    ] == expected
    assert {row.system for row in results.rows} == set(results.systems)
    (section,) = (one for one in definition.card.sections if one.slug == "retrieval")
    for point in section.points:
        retriever, name = point.partition(":")[0].split(", ")
        assert point.partition(": ")[2].split(", ") == [row[f"{name} {retriever}"] for row in tables["table3"]]


@pytest.mark.data
@pytest.mark.parametrize("paper", sorted((ROOT.parent / "seeds").glob("002*.txt")))
def test_the_reported_rows_have_the_papers_scores_on_the_subset(paper: Path) -> None:
    before = paper.read_text(encoding="utf-8").partition("Table 8: ")[0]
    printed = re.findall(r"^w\. annotations ([\d. ]+)$", before, re.MULTILINE)
    results = definition_of("qampari").published_results
    assert results is not None
    rows = [row for row in results.rows if row.source.startswith("Tables 4 and 8 of")]
    assert [row.system.replace("-bm25-trained-on-qampari", "") for row in rows] == [
        *("fid-only", "fid-and-nq", "pig-only", "pig-and-nq")
    ]
    parts = [f"list-f1.{part}@extended" for part in ("recall", "precision", "f1", "rec_above", "f1_above")]
    shown = [[pytest.approx(100 * row.values[part]) for part in parts] for row in rows]
    assert shown == [[float(number) for number in line.split()] for line in printed]
