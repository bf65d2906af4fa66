"""Published files of the benchmarks that ship as folders become scored boards by commands; questions are made up."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.models import Entry, EntryKind
from scoring.__main__ import main
from scoring.benchmarks import definition_of, definitions, files_in, shipped_folders
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.models import Benchmark, Question, Reference, Score
from tests import boards, factories
from tests.paths import ROOT
from tests.scoring.benchmarks.test_decryption import encrypted

CANARY = "made-up canary 0001"


def lines(*rows: Mapping[str, Any]) -> str:
    return "\n".join(json.dumps(row) for row in rows)


@dataclass(frozen=True)
class Published:
    """A file in its authors' form, answers to its questions, and the scores that they get."""

    slug: str
    split: str
    setting: str
    file: str
    content: str
    answers: Mapping[str, str]
    scores: Mapping[str, float]
    categories: frozenset[str] = frozenset()
    beside: Mapping[str, str] = field(default_factory=dict)


FACTS = [["Aby", 0], ["Bro", 2]]
PAGES = [["Aby", ["Aby has a bridge of 1702."]], ["Bro", ["…", "…", "Its bridge is of 1810."]]]
HOTPOTQA: list[dict[str, Any]] = [
    {"_id": "5a1", "question": "Which town has the older bridge?", "answer": "Aby", "type": "comparison"}
    | {"level": "hard", "supporting_facts": FACTS, "context": PAGES},
    {"_id": "5a2", "question": "Is Bro a town?", "answer": "yes", "type": "bridge", "level": "easy"}
    | {"supporting_facts": FACTS[1:], "context": PAGES},
]
MUSIQUE: dict[str, Any] = {
    "id": "2hop__1_2",
    "question": "Who founded the town of the old bridge?",
    "answer": "Ada Berg",
    "answer_aliases": ["A. Berg"],
    "answerable": True,
    "paragraphs": [{"idx": 0, "title": "Aby", "paragraph_text": "…", "is_supporting": True}],
    "question_decomposition": [{"question": "Where is the bridge?", "answer": "Aby", "paragraph_support_idx": 0}],
}
TATQA = {
    "table": {"uid": "t1", "table": [["", "2019", "2018"], ["Sales", "1,496", "1,202"]]},
    "paragraphs": [{"uid": "p1", "order": 1, "text": "Sales are in millions."}],
    "questions": [
        {"uid": "u1", "question": "What did sales change by?", "answer": -12.6, "scale": "million"}
        | {"answer_type": "arithmetic", "answer_from": "table-text"},
        {"uid": "u2", "question": "Which years are shown?", "answer": ["2019", "2018"], "scale": ""}
        | {"answer_type": "multi-span", "answer_from": "table"},
    ],
}
OPTIONS = ["(A)It rains.", "(B)It snows.", "(C)Neither."]
FRAMES = (
    "\tPrompt\tAnswer\twikipedia_link_1\treasoning_types\twiki_links\n"
    "0\tHow old was the bridge then?\t37\thttps://en.wikipedia.org/wiki/Aby\tNumerical reasoning | Tabular reasoning"
    "\t['https://en.wikipedia.org/wiki/Aby, https://en.wikipedia.org/wiki/Bro ']\n"
)
SIMPLEQA = (
    "metadata,problem,answer\n"
    "\"{'topic': 'Art', 'answer_type': 'Person', 'urls': ['https://a.example/\\nhttps://b.example/']}\","
    "Who built the bridge?,Ada Berg\n"
)
BROWSECOMP = "problem,answer,problem_topic,canary\n{},{},Art,{}\n"

CASES = [
    Published(
        "hotpotqa",
        "dev",
        "distractor",
        "hotpot_dev_distractor_v1.json",
        json.dumps(HOTPOTQA),
        {"5a1": "the Aby!", "5a2": "yes it is"},
        {"exact-match": 0.5, "token-f1.f1": 0.5},
        frozenset({"comparison", "bridge", "hard", "easy"}),
    ),
    Published(
        "musique",
        "dev",
        "evidenceprovided",
        "musique_ans_v1.0_dev.jsonl",
        lines(MUSIQUE, MUSIQUE | {"id": "3hop1__4_5_6", "question": "Who else?", "answer_aliases": []}),
        {"2hop__1_2": "A Berg", "3hop1__4_5_6": "Ada"},
        {"exact-match": 0.5, "token-f1.f1": (1 + 2 / 3) / 2},
        frozenset({"2 hops", "3 hops"}),
    ),
    Published(
        "twowiki",
        "dev",
        "evidenceprovided",
        "dev.json",
        json.dumps([HOTPOTQA[0] | {"answer_id": "Q1"}, HOTPOTQA[1] | {"answer_id": None}]),
        {"5a1": "Abyer", "5a2": "yes"},
        {"exact-match": 1.0, "token-f1.f1": 1.0},
        frozenset({"comparison", "bridge"}),
        {"id_aliases.json": lines({"Q_id": "Q1", "aliases": ["Aaby"], "demonyms": ["Abyer"]})},
    ),
    Published(
        "frames",
        "test",
        "openbook",
        "test.tsv",
        FRAMES,
        {"How old was the bridge then?": "It was 37 years old."},
        {"inclusion": 1.0, "exact-match": 0.0},
        frozenset({"Numerical reasoning", "Tabular reasoning"}),
    ),
    Published(
        "simpleqa",
        "test",
        "closedbook",
        "simple_qa_test_set.csv",
        SIMPLEQA,
        {"Who built the bridge?": "It was built by Ada Berg."},
        {"inclusion": 1.0},
        frozenset({"Art", "Person"}),
    ),
    Published(
        "bamboogle",
        "test",
        "closedbook",
        "Bamboogle.csv",
        "Question,Answer\nWho was mayor when the bridge was built?,Ada Berg\n",
        {"Who was mayor when the bridge was built?": "Ada  Berg."},
        {"exact-match": 1.0, "token-f1.f1": 1.0, "inclusion": 1.0},
    ),
    Published(
        "browsecomp",
        "test",
        "browsing",
        "browse_comp_test_set.csv",
        BROWSECOMP.format(encrypted("Who built it?", CANARY), encrypted("Ada Berg", CANARY), CANARY),
        {"Who built it?": "Explanation: …\nExact Answer: Ada Berg\nConfidence: 80%"},
        {"inclusion": 1.0},
        frozenset({"Art"}),
    ),
    Published(
        "agieval",
        "gaokao-physics",
        "closedbook",
        "gaokao-physics.jsonl",
        lines(
            {"passage": "A text.", "question": "What follows?", "options": OPTIONS, "label": ["A", "B"]}
            | {"answer": None},
            {"passage": None, "question": "And then?", "options": OPTIONS, "label": "C", "answer": None},
        ),
        {"What follows?": "A", "And then?": "The answer is (C)."},
        {"inclusion": 0.5},
    ),
    Published(
        "agieval",
        "math",
        "closedbook",
        "math.jsonl",
        lines({"passage": None, "question": "How much?", "options": None, "label": None, "answer": "\\frac{1}{2}"}),
        {"How much?": "The answer is $\\frac{1}{2}$."},
        {"inclusion": 1.0},
    ),
    Published(
        "tatqa",
        "test",
        "evidenceprovided",
        "tatqa_dataset_test_gold.json",
        json.dumps([TATQA]),
        {"u1": "The change is 12.6.", "u2": "2019, 2018"},
        {"inclusion": 0.5},
        frozenset({"arithmetic", "multi-span", "table", "table-text"}),
    ),
]


def imported(case: Published, folder: Path) -> Benchmark:
    """The benchmark on this site, by the command of the docs."""
    for name, content in {case.file: case.content, **case.beside}.items():
        (folder / name).write_text(content, encoding="utf-8")
    said = StringIO()
    call_command("import_benchmark", case.slug, "--questions", case.split, folder / case.file, stdout=said)
    return Benchmark.objects.get(slug=case.slug)


def ids(case: Published) -> dict[str, str]:
    """The ids of questions, by themselves and by the questions' texts."""
    rows = dict(Question.objects.filter(revision__split__slug=case.split).values_list("text", "qid"))
    return rows | {qid: qid for qid in rows.values()}


@pytest.mark.django_db
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.slug}-{case.split}")
def test_a_published_file_becomes_a_scored_board(case: Published, tmp_path: Path, client: Client) -> None:
    split = factories.split(imported(case, tmp_path), case.split)
    known = ids(case)
    answers = {known[question]: answer for question, answer in case.answers.items()}
    assert len(answers) == len(set(known.values()))
    found = Question.objects.filter(revision=split.current_revision).values_list("categories", flat=True)
    assert {category for categories in found for category in categories} == case.categories
    factories.published(factories.user(), split, {case.setting: answers}, name="Atlas")
    scores = {score.name: score.value for score in Score.objects.all() if score.name in case.scores}
    assert scores == pytest.approx(dict(case.scores))
    boards.write()
    page = client.get(f"/{case.slug}/{case.split}/{case.setting}/")
    assert page.status_code == 200
    assert b"Atlas" in page.content


def test_each_shipped_folder_is_tried_here() -> None:
    judged = {"deepresearch", "researchrubrics", "scholarqa"}  # see test_reports
    assert {case.slug for case in CASES} | judged == set(shipped_folders())


@pytest.mark.django_db
def test_a_site_knows_a_shipped_benchmark_once_it_imports_it(tmp_path: Path, client: Client) -> None:
    assert not set(shipped_folders()) & set(definitions())
    assert client.get("/bamboogle/data-card/").status_code == 404
    (case,) = (case for case in CASES if case.slug == "bamboogle")
    imported(case, tmp_path)
    assert client.get("/bamboogle/data-card/").status_code == 200
    assert set(shipped_folders()) & set(definitions()) == {"bamboogle"}


@pytest.mark.django_db
def test_a_dry_run_leaves_nothing_and_files_are_needed(tmp_path: Path) -> None:
    for options in (["--dry-run", "--questions", "test", str(tmp_path / "a.csv")], []):
        (tmp_path / "a.csv").write_text("Question,Answer\nWho?,Ada Berg\n")
        if options:
            call_command("import_benchmark", "bamboogle", *options, stdout=StringIO())
        else:
            with pytest.raises(CommandError, match="--questions"):
                call_command("import_benchmark", "bamboogle", stdout=StringIO())
        assert not Benchmark.objects.exists()
        assert "bamboogle" not in definitions()


@pytest.mark.django_db
def test_a_benchmark_that_a_site_declared_under_the_same_name_stays_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "frames"
    folder.mkdir()
    for name, content in template("frames").items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content.replace(b"TODO: ", b"Our "))
    call_command("benchmark", "import", folder, publish=True, stdout=StringIO())
    questions = tmp_path / "more.jsonl"
    questions.write_text('{"id": "q-1", "question": "Where is our bridge?", "answer": "Aby"}')
    call_command("import_benchmark", "frames", "--questions", "dev", str(questions), stdout=StringIO())
    assert [split.slug for split in definition_of("frames").splits] == ["dev", "test"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("slug", "split", "column", "n_rows"),
    [("twowiki", "dev", "joint-f1", 10), ("simpleqa", "test", "graded-answer.correct", 23)],
)
def test_published_results_are_reported_rows(
    slug: str, split: str, column: str, n_rows: int, tmp_path: Path, client: Client
) -> None:
    (case,) = (case for case in CASES if case.slug == slug)
    imported(case, tmp_path)
    call_command("import_reported", slug, stdout=StringIO())
    assert list(Entry.objects.values_list("kind", flat=True)) == [EntryKind.REPORTED] * n_rows
    assert all("README of" in source for source in Entry.objects.values_list("source", flat=True))
    boards.write()
    page = client.get(f"/{slug}/test/{case.setting}/?columns={column}").content.decode()
    assert definition_of(slug).column(column).short_label in page


def test_a_published_row_names_the_raw_results_that_it_is_from_where_the_table_lacks_it() -> None:
    results = read_declaration(files_in(shipped_folders()["deepresearch"])).definition.published_results
    assert results is not None
    sources = [row.source.partition(" of ")[0] for row in results.rows]
    assert sources == ["Main Results in the README"] * 16 + ["Raw results in results/race and results/fact"]


@pytest.mark.django_db
def test_test_files_without_answers_are_imported(tmp_path: Path) -> None:
    rows = [{key: row[key] for key in ("_id", "question", "context")} for row in HOTPOTQA]
    case = Published("hotpotqa", "test", "openbook", "hotpot_test_fullwiki_v1.json", json.dumps(rows), {}, {})
    split = factories.split(imported(case, tmp_path), "test")
    assert Question.objects.filter(revision=split.current_revision).count() == len(rows)
    assert split.hidden
    assert not Reference.objects.exists()


@pytest.mark.django_db
def test_nobody_sees_encrypted_questions_in_plain(tmp_path: Path, client: Client) -> None:
    (case,) = (case for case in CASES if case.slug == "browsecomp")
    split = factories.split(imported(case, tmp_path), "test")
    qid = ids(case)["Who built it?"]
    factories.published(factories.user(), split, {"browsing": {qid: "Ada Berg"}}, name="Atlas")
    boards.write()
    shown = [
        "/",
        "/browsecomp/test/browsing/",
        "/browsecomp/data-card/",
        "/how-to-submit/?benchmark=browsecomp",
        "/api/v1/benchmarks/browsecomp/splits/test/",
    ]
    kept = ["/browsecomp/test/questions/", f"/browsecomp/test/questions/{qid}/"]
    kept += ["/api/v1/benchmarks/browsecomp/splits/test/questions/"]
    answers = {url: client.get(url) for url in (*shown, *kept)}
    assert [url for url in shown if answers[url].status_code != 200] == []
    assert [url for url in kept if answers[url].status_code not in (403, 404)] == []
    assert [url for url, answer in answers.items() if b"Who built it?" in answer.content] == []
    assert [url for url, answer in answers.items() if b"Ada Berg" in answer.content] == []


def test_the_documented_commands_name_splits_that_there_are() -> None:
    section = (ROOT / "docs" / "benchmarks.md").read_text().split("## Further benchmarks", 1)[1].split("\n## ", 1)[0]
    commands = [shlex.split(command) for command in re.findall(r"\| `(\w+ --questions [^`]+)`", section)]
    assert {slug for slug, *_ in commands} == set(shipped_folders())
    for slug, *options in commands:
        definition = read_declaration(files_in(shipped_folders()[slug])).definition
        named = [split for option, split in pairwise(options) if option == "--questions"]
        assert set(named) <= {split.slug for split in definition.splits}


def test_a_published_file_is_listed_and_scored_without_a_site(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (case,) = (case for case in CASES if case.slug == "browsecomp")
    file, answers = tmp_path / case.file, tmp_path / "answers.jsonl"
    file.write_text(case.content)
    given = ["--benchmark", case.slug, "--split", case.split, "--questions"]
    assert main([*given, str(file), "--list-questions"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert (listed["question"], listed["context"], "answer" in listed) == ("Who built it?", [CANARY], False)
    answers.write_text(json.dumps({"id": listed["id"], "answer": "Ada Berg"}))
    assert main([*given, str(file), "--generations", str(answers)]) == 0
    assert json.loads(capsys.readouterr().out)["scores"] == {"inclusion": 1.0}
    assert main([*given, str(tmp_path / "none.csv"), "--list-questions"]) == 2
