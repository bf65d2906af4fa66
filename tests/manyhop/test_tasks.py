"""What tasks of both frameworks are made of, and the files for lm-evaluation-harness; no framework is needed."""

import doctest
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from manyhop import lm_eval, records
from manyhop.cli import main
from manyhop.tasks import prompts, questions, scoring
from manyhop.tasks.questions import Questions, TaskError
from manyhop.tasks.wikipedia import NoArticleError, Wikipedia
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import canonical_json
from scoring.benchmarks.declared.template import template, write_files
from scoring.metrics import official
from scoring.task_types import task_type_named
from tests.encyclopedia_server import Fault, MediaWikiServer, WikiPage
from tests.example_folder import write_example

ARTICLE = "".join(f"<p>Place {n} is small. {'It has fjords. ' * 30}</p>" for n in range(9))
ARTICLE += "<h2>Capital</h2><p>The capital of Norway is <a href='x'>Oslo</a>.</p>"
GOLD = {"answer_text": "Oslo", "aliases": ["Oslo"]}
EVIDENCE = {"pageid": 1, "revid": 11, "title": "Norway", "url": "https://en.wikipedia.org/wiki/Norway"}


@pytest.fixture
def wiki() -> Iterator[MediaWikiServer]:
    revisions = [(11, "2020-01-01", ARTICLE), (12, "2024-01-01", "<p>Changed.</p>")]
    with MediaWikiServer({"Norway": WikiPage(1, revisions)}) as server:
        yield server


def file_of(folder: Path, *evidence: dict[str, Any]) -> str:
    """A file as ``manyhop questions`` writes it, with one question."""
    path = folder / "questions.jsonl"
    question = {"id": "q1", "text": "What is the capital of Norway?", "categories": [], "decomposition": []}
    path.write_text(json.dumps(question | {"evidence": evidence}) + "\n")
    return str(path)


def test_the_examples_hold() -> None:
    assert doctest.testmod(prompts).failed == 0


def test_an_open_split_has_answers_and_a_hidden_one_has_none() -> None:
    dev = questions.read("fanoutqa", "dev", "closedbook", questions="package")
    assert len(dev.questions) == 310
    assert all(question.has_answer for question in dev.questions)
    assert set(dev.metrics) == {"accuracy", "rouge"}
    assert not dev.without_scores
    test = questions.read("fanoutqa", "test", "closedbook", questions="package")
    assert not test.metrics
    assert "are hidden" in test.without_scores


def test_hidden_answers_on_this_computer_stay_out(tmp_path: Path) -> None:
    data = [{"id": "a1", "question": "Which?", "answer": "Oslo", "categories": [], "decomposition": []}]
    path = tmp_path / "test.json"
    path.write_text(json.dumps(data))
    assert definition_of("fanoutqa").read_file(path).questions[0].has_answer
    (question,) = questions.read("fanoutqa", "test", "closedbook", questions=str(path)).questions
    assert (question.has_answer, question.decomposition) == (False, ())
    (question,) = questions.read("fanoutqa", "dev", "closedbook", questions=str(path)).questions
    assert question.answer == "Oslo"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("expected its name", {}),
        ("No benchmark 'nope'", {"benchmark": "nope", "questions": "package"}),
        ("split: found 'nope'", {"split": "nope", "questions": "package"}),
        ("setting: found 'openbook-limited'", {"setting": "openbook-limited", "questions": "package"}),
        ("cannot be read", {"questions": "nowhere.json"}),
        ("are in no package here", {"benchmark": "qampari", "questions": "package"}),
        ("expected one source", {"questions": "package", "site": "http://127.0.0.1:9"}),
        ("does not exist", {"folder": "nowhere"}),
    ],
)
def test_what_there_is_not_is_refused(words: str, named: dict[str, str]) -> None:
    with pytest.raises(TaskError) as refused:
        questions.read(**({"benchmark": "fanoutqa"} | named if named else {}))
    assert words in str(refused.value)


def test_evidence_must_be_articles_of_wikipedia(tmp_path: Path) -> None:
    cases: list[tuple[list[dict[str, Any]], str]] = [
        ([], "name none"),
        ([EVIDENCE, {"url": "https://example.org/x"}], "name other documents"),
    ]
    for evidence, words in cases:
        with pytest.raises(TaskError, match=words):
            questions.read("fanoutqa", "dev", "evidenceprovided", questions=file_of(tmp_path, *evidence))


def test_a_folder_is_a_source(tmp_path: Path) -> None:
    write_example(tmp_path / "capitals")
    source = questions.read(split="dev", setting="closed-book", folder=str(tmp_path / "capitals"))
    assert source.input == questions.CLOSED
    assert source.metrics
    assert all(question.has_answer for question in source.questions)
    with pytest.raises(TaskError, match="expected qampari"):
        questions.read("qampari", folder=str(tmp_path / "capitals"))


def test_prompts_are_those_of_the_paper() -> None:
    source: Questions = questions.read("fanoutqa", "dev", "closedbook", questions="package")
    form = task_type_named(source.benchmark.task_type).answer_format(None)
    asked = prompts.prompt("Who?", questions.CLOSED, form, prompts.day("2023-11-20"))
    assert asked == (
        "Answer the following question, and output only your answer. If the answer is a list, output one on each line. "
        "Current date: 11-20-2023.\n\n[Question]: Who?"
    )
    with pytest.raises(TaskError, match="YYYY-MM-DD"):
        prompts.day("November 2023")


def test_an_answer_that_is_no_list_scores_zero() -> None:
    gold = json.dumps([{"answer_text": "Oslo", "aliases": ["Oslo"]}])
    metrics: dict[str, dict[str, Any]] = {"list-f1": {}}
    assert scoring.scores('["Oslo"]', gold, "answer-list", metrics)["list-f1.f1"] == 1.0
    assert scoring.scores("Oslo", gold, "answer-list", metrics)["list-f1.f1"] == 0.0


@pytest.mark.parametrize(
    ("answer", "gold", "task_type", "metrics", "score"),
    [
        ("<think>Rome? Bergen?</think> Oslo", '"Oslo"', "text-answer", {"rouge": {}}, "rouge1.precision"),
        ('["<think>Rome", "Bergen</think>", "Oslo"]', json.dumps([GOLD]), "answer-list", {"list-f1": {}}, "list-f1.f1"),
    ],
)
def test_reasoning_is_removed_where_the_benchmark_says_so(
    answer: str, gold: str, task_type: str, metrics: dict[str, dict[str, Any]], score: str
) -> None:
    assert scoring.scores(answer, gold, task_type, metrics)[score] < 1
    assert scoring.scores(answer, gold, task_type, metrics, remove_reasoning=True)[score] == 1


def test_a_task_removes_reasoning_as_its_benchmark_declares(tmp_path: Path) -> None:
    write_example(tmp_path / "capitals")
    declaration = tmp_path / "capitals" / "benchmark.toml"
    text = declaration.read_text("utf-8")
    declaration.write_text(f"{text}\n[answers]\nremove_reasoning = true\n", "utf-8")
    source = questions.read(split="dev", setting="closed-book", folder=str(tmp_path / "capitals"))
    name = lm_eval.write(source, tmp_path / "tasks", date="", wikipedia="", passages=1)
    document = json.loads((tmp_path / "tasks" / f"{name}.jsonl").read_text().splitlines()[0])
    gold = json.loads(document["target"])
    right = gold if isinstance(gold, str) else ", ".join(gold)
    reasoned = f"<think>Many other words here?</think>{right}"
    assert lm_eval.process_results(document, [reasoned]) == lm_eval.process_results(document, [right])
    declaration.write_text(text, "utf-8")
    source = questions.read(split="dev", setting="closed-book", folder=str(tmp_path / "capitals"))
    assert not source.remove_reasoning


def test_a_site_says_whether_its_benchmark_removes_reasoning() -> None:
    fields: dict[str, Any] = dict.fromkeys(records.Benchmark.__struct_fields__, "")
    for value in (True, False):
        of_site = records.Benchmark(**fields | {"remove_reasoning": value})
        assert Questions(of_site, "dev", "closed-book", ()).remove_reasoning is value


def test_means_are_those_of_the_metrics() -> None:
    assert scoring.means({"loose": [0.1] * 10}) == {"loose": 0.09999999999999999}


class TestWikipedia:
    def test_articles_are_of_their_day(self, wiki: MediaWikiServer) -> None:
        address = f"{wiki.url}/w/api.php"
        old = Wikipedia(prompts.day("2023-11-20"), address)
        assert old.article("norway")[0] == "Norway"
        assert "## Capital" in old.article("Norway")[1]
        assert "Changed." in Wikipedia(prompts.day("2024-06-01"), address).article("Norway")[1]
        assert "Changed." in old.article("Norway", 12)[1]
        assert len(old.evidence([EVIDENCE, EVIDENCE])) == 1
        assert old.search("fjords") == []
        assert old.search("Changed") == ["Norway"]
        with pytest.raises(NoArticleError, match="of 2023-11-20"):
            old.article("Atlantis")
        with pytest.raises(NoArticleError, match="no revision 99"):
            old.article("Norway", 99)

    def test_texts_are_those_of_the_package(self, wiki: MediaWikiServer) -> None:
        official._prepare_imports()
        from fanoutqa.utils import markdownify

        html = wiki._html(ARTICLE + '<img alt="A"><script>x</script><div> </div><ul><li>One</li></ul>')
        wiki.pages["Norway"].revisions[0] = (11, "2020-01-01", html)
        text = Wikipedia(None, f"{wiki.url}/w/api.php").article("Norway", 11)[1]
        assert text == markdownify(wiki._html(html))

    def test_a_busy_wiki_is_asked_again(self, wiki: MediaWikiServer, monkeypatch: pytest.MonkeyPatch) -> None:
        wiki.fault = Fault("status", 503)

        def recover(seconds: float) -> None:
            wiki.fault = None

        monkeypatch.setattr("time.sleep", recover)
        assert Wikipedia(None, f"{wiki.url}/w/api.php").article("Norway", 11)[0] == "Norway"

    def test_what_is_no_wiki_is_said(self, wiki: MediaWikiServer) -> None:
        with pytest.raises(TaskError, match="answered 404"):
            Wikipedia(None, f"{wiki.url}/elsewhere").search("Oslo")
        wiki.error = "readonly"
        with pytest.raises(TaskError, match="readonly"):
            Wikipedia(None, f"{wiki.url}/w/api.php").search("Oslo")
        with pytest.raises(TaskError, match="cannot be reached"):
            Wikipedia(None, "http://127.0.0.1:9/w/api.php").search("Oslo")


class TestLmEval:
    def test_evidence_is_in_the_prompts(self, wiki: MediaWikiServer, tmp_path: Path) -> None:
        place = ["lm-eval", "fanoutqa/dev/evidenceprovided", "--questions", file_of(tmp_path, EVIDENCE)]
        place += ["--out", str(tmp_path), "--wikipedia", f"{wiki.url}/w/api.php"]
        assert main([*place, "--passages", "1"]) == 1, "there are no reference answers"
        (line,) = (tmp_path / "manyhop_fanoutqa_dev_evidenceprovided.jsonl").read_text().splitlines()
        asked = json.loads(line)["prompt"]
        assert asked.count("# Norway\n") == 1
        assert "The capital of Norway is Oslo." in asked
        wiki.pages.clear()
        assert main(place) == 2

    @pytest.mark.parametrize(
        ("benchmark", "line", "scores"),
        [
            (
                "fanoutqa",
                {"question": "Which?", "answer": "Oslo", "categories": [], "decomposition": []},
                "rouge1.recall",
            ),
            ("qampari", {"question_text": "Which?", "answer_list": [GOLD]}, "list-f1-alce.f1"),
            ("monaco", {"question": "Which?", "answers": ["Oslo"]}, "list-f1.f1"),
            ("researchy", {"question": "Why?"}, ""),
        ],
    )
    def test_every_benchmark_is_a_task(self, benchmark: str, line: Any, scores: str, tmp_path: Path) -> None:
        file = tmp_path / "questions"
        written = line | {"qid" if benchmark == "qampari" else "id": "1__wikidata_simple__x"}
        file.write_text(json.dumps([written] if benchmark == "fanoutqa" else written) + "\n")
        split = "test" if benchmark in ("qampari", "researchy") else "dev"
        place = ["lm-eval", f"{benchmark}/{split}/closedbook", "--questions", str(file), "--out", str(tmp_path)]
        assert main(place) == (0 if scores else 1)
        name = f"manyhop_{benchmark}_{split}_closedbook"
        (document,) = map(json.loads, (tmp_path / f"{name}.jsonl").read_text().splitlines())
        assert document["id"] == "1__wikidata_simple__x"
        assert ("JSON array" in document["prompt"]) == (benchmark in ("qampari", "monaco"))
        declared = re.findall(r"^  - metric: (.+)$", (tmp_path / f"{name}.yaml").read_text(), re.MULTILINE)
        assert (scores in declared) == bool(scores)
        assert list(lm_eval.process_results(document, ["Oslo"])) == declared

    @pytest.mark.parametrize("place", ["fanoutqa/dev/openbook", "fanoutqa/nope", "nope", "a/b/c/d", "qampari/dev"])
    def test_what_there_is_not_is_refused(self, place: str, tmp_path: Path) -> None:
        assert main(["lm-eval", place, "--questions", "package", "--out", str(tmp_path / "tasks")]) == 2
        assert not (tmp_path / "tasks").exists()

    def test_a_site_that_is_not_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("manyhop.client.FIRST_DELAY", 0.0)
        place = ["lm-eval", "fanoutqa/dev", "--site", "http://127.0.0.1:9", "--out", str(tmp_path)]
        assert main(place) == 3

    @pytest.mark.parametrize("name", ["mean_of_nothing", "means"])
    def test_an_unknown_name_is_refused(self, name: str) -> None:
        with pytest.raises(AttributeError):
            getattr(lm_eval, name)


def test_a_question_is_asked_with_its_context_and_options_from_each_source(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    question = {"id": "q1", "text": "Who?", "categories": [], "decomposition": [], "evidence": []}
    file.write_text(
        json.dumps(question | {"context": ["It was Bo.", {"A": "Ada", "B": "Bo"}], "language": "en"}) + "\n"
    )
    (of_site,) = questions.read("fanoutqa", "test", "closedbook", questions=str(file)).questions
    assert prompts.asked(of_site) == "It was Bo.\n\nWho?\n\nA. Ada\nB. Bo"
    folder = tmp_path / "quiz"
    files = template("quiz", "short-answer")
    del files["reported.csv"]
    toml = files["benchmark.toml"].decode().partition("[reported]")[0]
    files["questions/dev.jsonl"] = b'{"id": "d1", "question": "Who?", "answer": "B", "choices": ["Ada", "Bo"]}'
    write_files(folder, files | {"benchmark.toml": toml.encode()})
    source = questions.read(split="dev", setting="closed-book", folder=str(folder))
    (own,) = source.questions
    assert prompts.asked(own) == "Who?\n\nA. Ada\nB. Bo"
    target = canonical_json(own.answer)
    assert scoring.scores("B", target, "short-answer", source.metrics, remove_reasoning=False)["exact-match"] == 1
