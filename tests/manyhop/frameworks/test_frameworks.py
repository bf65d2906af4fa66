"""Tasks of the real frameworks with their mock models: from questions to logs, scores and rows of a site; and the
program that reads Croissant.

They are installed in an environment of their own, since they need other versions of packages than the site's
tests; ``MANYHOP_FRAMEWORKS_PYTHON`` names one that has them and this checkout.
"""

import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from leaderboard.accounts import tokens
from leaderboard.models import Submission
from manyhop.cli import main
from scoring.benchmarks import definition_of
from scoring.generations.records import TEXT_ANSWERS, list_answers
from scoring.logs.log import Wanted
from scoring.logs.reading import read_log
from scoring.metrics.text.normalise import as_text
from scoring.models import Question
from tests import factories
from tests.encyclopedia_server import MediaWikiServer, WikiPage
from tests.example_folder import write_example
from tests.manyhop.distributions import PATIENT, build, said
from tests.paths import ROOT
from tests.processes import Site

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

HERE = Path(__file__).parent
N = 6
STATEMENT = ["--split", "dev", "--name", "My system", "--authors", "A. Author", "--type", "PROMPT", "--no-wait"]
DEV = definition_of("fanoutqa").packaged()["dev"].source.questions[:N]
CITIES = ["Oslo", "Lima", "Accra", "Tokyo", "Ottawa"]
ARTICLE = "".join(f"<p>Place {n} is small. {'It has fjords. ' * 30}</p>" for n in range(9))
ARTICLE += "<p>The capital of Norway is <a href='x'>Oslo</a>.</p>"


class Run(NamedTuple):
    """A run of inspect_ai: its log, or what was said instead."""

    said: str

    @property
    def log(self) -> Path:
        return Path(self.said)

    @property
    def document(self) -> Any:
        return json.loads(self.log.read_bytes())


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The interpreter of an environment with both frameworks and Manyhop."""
    if named := os.environ.get("MANYHOP_FRAMEWORKS_PYTHON"):
        return named
    folder = tmp_path_factory.mktemp("frameworks")
    said(sys.executable, "-m", "venv", str(folder / "environment"))
    (wheel,) = build(folder, "--wheel").glob("*.whl")
    interpreter = str(folder / "environment" / "bin" / "python")
    install = [interpreter, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check", *PATIENT]
    said(*install, "--no-deps", "--requirement", str(HERE / "requirements.txt"))
    said(*install, "--no-deps", str(wheel), "fanoutqa==1.1.1")
    return interpreter


@pytest.fixture(autouse=True, scope="module")
def settings_of_commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Neither the site nor the caches of who runs the tests; no framework looks for anything on the internet."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MANYHOP_CONFIG_DIR", str(folder))
        patch.setenv("PYTHONPATH", str(HERE / "no_downloads"))
        patch.setenv("HF_HOME", str(folder / "hf"))
        patch.setenv("HF_HUB_OFFLINE", "1")
        patch.setenv("HF_DATASETS_OFFLINE", "1")
        for name in ("MANYHOP_SITE", "MANYHOP_TOKEN"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="module")
def qampari(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of questions with lists of answers, as they are published."""
    path = tmp_path_factory.mktemp("qampari") / "dev_data.jsonl"
    gold = [{"answer_text": city, "aliases": [city]} for city in CITIES]
    lines = [{"qid": f"{n}__wikidata_simple__dev", "question_text": "Which?", "answer_list": gold} for n in range(3)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


LISTS = ['["Oslo", "Lima"]', "1. Oslo\n2. Bergen", "I do not know."]
"""The model's answers to these questions."""
TEXTS = [as_text(DEV[0].answer), "no", as_text(DEV[2].answer) + " and more", "Oslo", as_text(DEV[4].answer), ""]
"""The model's answers to the first questions of FanOutQA."""


def inspected(python: str, folder: Path, *runs: Mapping[str, Any]) -> list[Run]:
    """Run tasks with inspect_ai."""
    done = subprocess.run(
        [python, str(HERE / "run_inspect.py"), str(folder)],
        input=json.dumps(runs),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == len(runs), done.stdout + done.stderr
    return list(map(Run, lines))


def evaluated(python: str, folder: Path, tasks: Sequence[str], answers: Mapping[str, str], *more: str) -> Any:
    """Run tasks with lm_eval; returns the scores of each by its name."""
    (folder / "answers.json").write_text(json.dumps(answers))
    command = [python, str(HERE / "run_lm_eval.py"), str(folder / "answers.json"), "--include_path", str(folder)]
    command += ["--tasks", ",".join(tasks), "--model", "dummy", "--log_samples", "--output_path", str(folder / "logs")]
    done = subprocess.run([*command, *more], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (results,) = (folder / "logs").rglob("results_*.json")
    return json.loads(results.read_text())["results"]


def samples(folder: Path, task: str) -> Path:
    (path,) = (folder / "logs").rglob(f"samples_{task}_*.jsonl")
    return path


def scored(folder: Path, log: Path, references: Path, ids: set[str], *options: str, field: str = "") -> dict[str, Any]:
    """What ``manyhop score`` says of the answers in a log."""
    with log.open("rb") as stream:
        read = read_log([(log.name, stream)], Wanted(frozenset(ids), field))
    lists = "answer-list" in options
    generations, out = folder / f"{log.stem}-generations.jsonl", folder / f"{log.stem}-scores.json"
    generations.write_bytes(read.generations(list_answers() if lists else TEXT_ANSWERS))
    files = ["--references", str(references), "--generations", str(generations), "--out", str(out)]
    assert main(["score", *files, "--per-question", *options]) in (0, 1)
    scores: dict[str, Any] = json.loads(out.read_text())
    return scores


def flat(scores: Mapping[str, Any]) -> dict[str, float]:
    """Scores by the names that the frameworks show."""
    values: dict[str, float] = {}
    for name, value in scores.items():
        parts = value if isinstance(value, dict) else {"": value}
        values |= {f"{name}.{part}".rstrip("."): number for part, number in parts.items()}
    return values


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("references") / "references.json"
    path.write_text(json.dumps([{"id": question.qid, "answer": question.answer} for question in DEV]))
    return path


METRICS = ("--metrics", "accuracy,rouge")
LIST_METRICS = ("--task", "answer-list", "--metrics", "list-f1,list-f1-alce")


@pytest.fixture(scope="module")
def runs(python: str, qampari: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Run]]:
    """Runs of inspect_ai, by what they are for."""
    pages = {
        "Norway": WikiPage(1, [(11, "2020-01-01", ARTICLE), (12, "2024-01-01", "<p>Changed.</p>")]),
        "Peru": WikiPage(2, [(21, "2020-01-01", "<p>The capital of Peru is Lima.</p>")]),
    }
    folder = tmp_path_factory.mktemp("inspect")
    evidence = [{"pageid": 1, "revid": 11, "title": "Norway", "url": "https://en.wikipedia.org/wiki/Norway"}]
    question = {"id": "q1", "text": "What is the capital of Norway?", "categories": [], "decomposition": []}
    own = folder / "questions.jsonl"
    declared = folder / "capitals"
    write_example(declared)
    own.write_text(json.dumps(question | {"evidence": evidence}) + "\n")
    with MediaWikiServer(pages) as wiki:
        dev = {"questions": "package", "split": "dev", "setting": "closedbook"}
        at_wiki = {"questions": str(own), "split": "dev", "wikipedia": f"{wiki.url}/w/api.php", "passages": 2}
        calls = [
            ["search", {"query": "capital"}],
            ["read", {"title": "Norway", "query": "capital"}],
            ["read", {"title": "Atlantis", "query": "capital"}],
            "Oslo",
        ]
        fanoutqa = "manyhop/fanoutqa"
        lists = {"questions": str(qampari), "split": "dev", "setting": "closedbook"}
        asked: dict[str, dict[str, Any]] = {
            "texts": {"task": fanoutqa, "args": dev, "outputs": TEXTS, "limit": N},
            "lists": {"task": "manyhop/qampari", "args": lists, "outputs": LISTS},
            "hidden": {"task": fanoutqa, "args": dev | {"split": "test"}, "outputs": ["Oslo"], "limit": 1},
            "evidence": {"task": fanoutqa, "args": at_wiki | {"setting": "evidenceprovided"}, "outputs": ["Oslo"]},
            "open": {"task": fanoutqa, "args": at_wiki | {"setting": "openbook"}, "outputs": calls},
            "setting": {"task": fanoutqa, "args": dev | {"setting": "openbook-limited"}, "outputs": []},
            "split": {"task": fanoutqa, "args": dev | {"split": "nope"}, "outputs": []},
            "benchmark": {"task": "manyhop/benchmark", "args": dev | {"benchmark": "nope"}, "outputs": []},
            "file": {"task": fanoutqa, "args": dev | {"questions": "nowhere.json"}, "outputs": []},
            "documents": {"task": "manyhop/qampari", "args": lists | {"setting": "evidenceprovided"}, "outputs": []},
            "folder": {
                "task": "manyhop/benchmark",
                "args": {"folder": str(declared), "split": "dev", "setting": "closed-book"},
                "outputs": ["Oslo"],
                "limit": 1,
            },
        }
        yield dict(zip(asked, inspected(python, folder, *asked.values()), strict=True))


class TestInspect:
    def test_numbers_are_those_of_the_command(self, runs: dict[str, Run], references: Path, tmp_path: Path) -> None:
        expected = scored(tmp_path, runs["texts"].log, references, {question.qid for question in DEV}, *METRICS)
        self.compare(runs["texts"].document, expected)
        assert expected["scores"]["loose"] > 0.4

    def test_so_are_those_of_lists(self, runs: dict[str, Run], qampari: Path, tmp_path: Path) -> None:
        ids = {json.loads(line)["qid"] for line in qampari.read_text().splitlines()}
        expected = scored(tmp_path, runs["lists"].log, qampari, ids, *LIST_METRICS)
        self.compare(runs["lists"].document, expected)
        given = sorted(runs["lists"].document["samples"], key=lambda sample: sample["id"])
        completions = [json.loads(sample["output"]["completion"]) for sample in given]
        assert completions == [["Oslo", "Lima"], ["Oslo", "Bergen"], ["I do not know."]]
        last = given[1]["messages"][-1]
        assert last["content"] == LISTS[1], "what the model wrote is kept"

    @staticmethod
    def compare(document: Any, expected: Mapping[str, Any]) -> None:
        by_id = {sample["id"]: sample for sample in document["samples"]}
        assert list(by_id.keys() - {item["id"] for item in expected["questions"]}) == []
        for item in expected["questions"]:
            sample = by_id[item["id"]]
            (score,) = sample["scores"].values()
            assert score["value"] == flat({name: item[name] for name in item if name not in ("id", "answered")})
        (score,) = document["results"]["scores"]
        assert {name: metric["value"] for name, metric in score["metrics"].items()} == flat(expected["scores"])

    def test_a_hidden_split_has_no_target_and_no_score(self, runs: dict[str, Run]) -> None:
        (sample,) = runs["hidden"].document["samples"]
        assert sample["target"] == ""
        (score,) = sample["scores"].values()
        assert "hidden" in score["explanation"]
        assert "manyhop submit" in score["explanation"]
        assert not isinstance(score["value"], dict)
        (total,) = runs["hidden"].document["results"]["scores"]
        assert math.isnan(total["metrics"]["mean_scores"]["value"])

    def test_evidence_is_the_best_passages_of_the_dated_articles(self, runs: dict[str, Run]) -> None:
        (sample,) = runs["evidence"].document["samples"]
        asked = sample["messages"][0]["content"]
        assert asked.startswith("*** BEGIN DATA ***\n\n# Norway\n")
        assert "The capital of Norway is Oslo." in asked
        assert "Changed." not in asked
        assert asked.count("# Norway\n") == 2
        assert asked.endswith("Current date: 11-20-2023.\n\n[Question]: What is the capital of Norway?")

    def test_open_book_searches_and_reads(self, runs: dict[str, Run]) -> None:
        (sample,) = runs["open"].document["samples"]
        search, article, missing = [message for message in sample["messages"] if message["role"] == "tool"]
        assert search["content"].splitlines() == ["Peru"], "the wiki searches today's articles"
        given = article["content"].split("# Norway\n")
        assert [len(text.strip()) > 0 for text in given[1:]] == [True, True]
        assert "The capital of Norway is Oslo." in given[1]
        assert missing["error"]["message"].startswith("There is no article 'Atlantis'")
        assert sample["output"]["completion"] == "Oslo"

    @pytest.mark.parametrize(
        ("run", "words"),
        [
            ("setting", "'openbook-limited', expected one of fanoutqa's"),
            ("split", "'nope', expected one of fanoutqa's: dev, test"),
            ("benchmark", "No benchmark 'nope'"),
            ("file", "nowhere.json cannot be read"),
            ("documents", "these questions of qampari/dev name none"),
        ],
    )
    def test_what_there_is_not_is_refused(self, runs: dict[str, Run], run: str, words: str) -> None:
        assert runs[run].said.startswith("refused: ")
        assert words in runs[run].said

    def test_a_declared_benchmark_is_a_task_too(self, runs: dict[str, Run]) -> None:
        (sample,) = runs["folder"].document["samples"]
        assert sample["target"]
        assert sample["output"]["completion"]


class TestLmEval:
    def test_numbers_are_those_of_the_command(
        self, python: str, qampari: Path, references: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = ["--out", str(tmp_path)]
        assert main(["lm-eval", "fanoutqa/dev/closedbook", "--questions", "package", *out]) == 0
        texts = capsys.readouterr().out.strip()
        assert main(["lm-eval", "qampari/dev/closedbook", "--questions", str(qampari), *out]) == 0
        lists = capsys.readouterr().out.strip()
        assert main(["lm-eval", "fanoutqa/test/closedbook", "--questions", "package", *out]) == 1
        said_of_hidden = capsys.readouterr()
        hidden = said_of_hidden.out.strip()
        assert "are hidden" in said_of_hidden.err
        assert all(not json.loads(line)["target"] for line in (tmp_path / f"{hidden}.jsonl").read_text().splitlines())

        ids = [json.loads(line)["qid"] for line in qampari.read_text().splitlines()]
        test = definition_of("fanoutqa").packaged()["test"].source.questions[:N]
        answers = dict(zip([*(question.qid for question in DEV), *ids], [*TEXTS, *LISTS], strict=True))
        answers |= dict.fromkeys((question.qid for question in test), "Oslo")
        results = evaluated(python, tmp_path, [texts, lists, hidden], answers, "--limit", str(N))
        for task, reference, options, field in (
            (texts, references, METRICS, ""),
            (lists, qampari, LIST_METRICS, "filtered_resps"),
        ):
            log = samples(tmp_path, task)
            expected = scored(tmp_path, log, reference, set(answers), *options, field=field)
            lines = list(map(json.loads, log.read_text().splitlines()))
            for line, item in zip(lines, expected["questions"], strict=True):
                assert line["doc"]["id"] == item["id"]
                values = flat({name: item[name] for name in item if name not in ("id", "answered")})
                assert {name: line[name] for name in values} == values
            means = {name.partition(",")[0]: value for name, value in results[task].items() if "stderr" not in name}
            assert {name: means[name] for name in flat(expected["scores"])} == flat(expected["scores"])
        assert len(samples(tmp_path, hidden).read_text().splitlines()) == N


@pytest.fixture
def signed_in(live_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    factories.benchmark()
    _, secret = tokens.create_token(user=factories.user(), name="laptop")
    monkeypatch.setenv("MANYHOP_SITE", live_site.url)
    monkeypatch.setenv("MANYHOP_TOKEN", secret)


@pytest.mark.usefixtures("signed_in")
@pytest.mark.django_db(transaction=True)
def test_logs_become_rows_of_a_site(python: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = factories.perfect()
    args = {"split": "dev", "setting": "closedbook"}
    asked = {"task": "manyhop/fanoutqa", "args": args, "outputs": list(answers.values()), "format": "eval"}
    (run,) = inspected(python, tmp_path, asked)
    assert main(["lm-eval", "fanoutqa/dev/closedbook", "--out", str(tmp_path)]) == 1, "a site has no reference answers"
    task = capsys.readouterr().out.strip()
    evaluated(python, tmp_path, [task], answers)

    for number, log in enumerate((run.log, samples(tmp_path, task))):
        out = tmp_path / f"{number}.jsonl"
        assert main(["import", str(log), "--benchmark", "fanoutqa", "--out", str(out)]) == 0
        assert {line["id"]: line["answer"] for line in map(json.loads, out.read_text().splitlines())} == answers
        assert main(["check", str(out), "--any-ids"]) == 0
        capsys.readouterr()
        assert main(["submit", f"closedbook={log}", *STATEMENT, "--json", "--again", str(number)]) == 0
        sent = Submission.objects.get(pk=json.loads(capsys.readouterr().out)["id"])
        factories.score(sent)
        (file,) = sent.files.all()
        assert file.setting.slug == "closedbook"
        loose = file.answer_set.runs.get(metric="accuracy").scores.get(name="loose")
        assert loose.value == 1.0
        if number == 0:
            assert sent.run_facts["model"] == "mockllm/model"
            assert "inspect_ai 0.3.285" in sent.run_facts["framework"]
            totals = file.answer_set.usage.totals
            assert (totals["input_tokens"], totals["output_tokens"]) == (400, 40)
            assert totals["cost_usd"] == pytest.approx(0.008)


@pytest.mark.usefixtures("signed_in")
@pytest.mark.django_db(transaction=True)
def test_the_commands_of_the_documentation(python: str, tmp_path: Path) -> None:
    section = (ROOT / "docs" / "command.md").read_text().split("## Tasks of frameworks")[1].split("\n## ")[0]
    commands = re.findall(r"^\$ (.+)$", section, re.MULTILINE)
    assert [command.split()[0] for command in commands] == [
        "pip",
        "inspect",
        "manyhop",
        "pip",
        "manyhop",
        "lm_eval",
        "manyhop",
    ]
    assert commands[1] in (ROOT / "docs" / "tutorial.md").read_text()
    for command in commands:
        if command.startswith("pip install"):
            continue  # `make install` does not, and the environment has them
        written = command.replace("openai/gpt-4o-mini", "mockllm/model")
        for name, pattern in (("logs/RUN.eval", "logs/*.eval"), ("logs/MODEL/SAMPLES.jsonl", "logs/*/samples_*.jsonl")):
            if name in written:
                (log,) = tmp_path.glob(pattern)
                written = written.replace(name, str(log)) + " --no-wait"
        path = f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", written],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 1), f"{command}\n{done.stdout}{done.stderr}"
    assert {file.setting.slug for sent in Submission.objects.all() for file in sent.files.all()} == {"closedbook"}
    assert Submission.objects.count() == 2


@pytest.mark.usefixtures("signed_in")
@pytest.mark.django_db(transaction=True)
def test_mlcroissant_loads_what_croissant_describes(python: str, live_site: Site, tmp_path: Path) -> None:
    (command,) = re.findall(r"^\$ (mlcroissant .+)$", (ROOT / "docs" / "exports.md").read_text(), re.MULTILINE)
    command = command.replace("https://manyhop.example", live_site.url)
    path = f"{Path(python).parent}{os.pathsep}{os.environ['PATH']}"
    programs = {"PATH": path, "PYTHONPATH": "", "HOME": str(tmp_path)}
    described = command.partition(" --jsonld ")[2].partition(" ")[0]
    for asked in (f"mlcroissant validate --jsonld {described}", command):
        done = subprocess.run(
            ["bash", "-c", asked], env=os.environ | programs, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "WARNING" not in done.stderr.upper(), "an issue of the description"
    assert all(question.qid in done.stdout for question in Question.objects.filter(revision__split__slug="dev"))
