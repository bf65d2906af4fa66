"""Boards and pages of benchmarks whose reports a judge decides about by criteria."""

import csv
import json
import re
from collections.abc import Iterator
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.management import call_command
from django.test import Client

from leaderboard.board.table.cells import NOTHING_COUNTS
from leaderboard.models import Entry, Submission, User
from leaderboard.publishing.services import publish_submission
from leaderboard.questions.criteria import criteria_of
from leaderboard.questions.question import find_question
from scoring.analysis.explanations import HiddenSplitError
from scoring.benchmarks import definition_of
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template, write_files
from scoring.metrics.rubric.decisions import LONGEST_REASON, Decision
from scoring.models import Question, Run, Score, Split, Verdict
from scoring.models.run_states import RunState
from scoring.registry import metric_named
from scoring.runs.intervals import fill
from scoring.runs.judging.criteria import QuestionCriteria
from scoring.statistics import mean_interval
from tests import boards, factories
from tests.counting import n_queries
from tests.judge_server import JudgeServer, Play
from tests.paths import ROOT
from tests.scoring.runs.judging.site import judged_by, work
from tests.scoring.runs.judging.test_citations import NORWAY, by_page, by_words
from tests.scoring.runs.judging.test_rubrics import (
    CRITERIA,
    DIMENSIONS,
    REPORT,
    RUBRICS,
    TASK,
    by_criterion,
    imported,
    lines,
)

pytestmark = pytest.mark.django_db
QUESTION = "/researchrubrics/test/questions/r1/"
API = "/api/v1/benchmarks/researchrubrics/splits/test/questions/r1/answers/"
REQUIRED = "[metrics.rubric]\nparameters = { required = true }\n"
PAGES = ("/systems/atlas/", "/researchrubrics/test/questions/", QUESTION)


def published(split: Split, answers: dict[str, Any] | bytes, name: str, setting: str = "agent") -> None:
    owner = factories.user(name.lower())
    submission = factories.submission(owner, split, {setting: answers}, name=name)
    for run in Run.objects.filter(answer_set__submission_file__submission=submission):
        work(run)
    publish_submission(submission, actor=owner, approved=True)


def declared(folder: Path, metrics: str, *rows: dict[str, Any], **prompts: bytes) -> Split:
    """The open split of the template's benchmark of reports with other metrics.

    Args:
        rows: other questions.
        prompts: further prompts by the stem of their files.
    """
    files = template("reports", "rubric") | {f"prompts/{name}.txt": text for name, text in prompts.items()}
    files["benchmark.toml"] = files["benchmark.toml"].replace(b"[metrics.rubric]\n", metrics.encode())
    if rows:
        files["questions/dev.jsonl"] = lines(*rows).encode()
    write_files(folder / "reports", {name: content.replace(b"TODO: ", b"Our ") for name, content in files.items()})
    call_command("benchmark", "import", folder / "reports", publish=True, stdout=StringIO())
    return Split.objects.get(slug="dev")


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        server.rule = by_criterion
        yield server


@pytest.fixture
def split(settings: Any, server: JudgeServer, tmp_path: Path) -> Split:
    judged_by(settings, server)
    split = imported(tmp_path, "researchrubrics", tasks=lines(*RUBRICS))
    published(split, {"r1": "Ada and Bo built them.", "r2": "Ada, as I made up."}, "Atlas")
    published(split, {"r1": "Nobody knows."}, "Borealis")
    boards.write()
    return split


def test_the_board_and_all_pages_of_a_judged_split_answer(split: Split, client: Client) -> None:
    page = client.get("/researchrubrics/test/agent/").content.decode()
    assert page.index("Atlas") < page.index("Borealis")
    for url in PAGES:
        assert client.get(url).status_code == 200, url


def test_the_beginning_of_a_report_is_its_text_without_headings(split: Split, client: Client) -> None:
    published(split, {"r1": "# Bridges\n\n## Summary\n\nAda and Bo\nbuilt them."}, "Cirrus")
    Entry.objects.update(shows_answers=True)
    boards.write()
    beginnings = re.findall(r'class="answers__excerpt" dir="auto">([^<]*)<', client.get(QUESTION).content.decode())
    assert beginnings == ["Ada and Bo built them.", "Nobody knows.", "Ada and Bo built them."]


def decided_criteria(user: Any = None) -> list[tuple[str, str, int, dict[str, tuple[float, str]]]]:
    """The criteria of the first question as its page shows them: text, weight, number of systems that meet it, and by
    system the decision and its reason."""
    page = find_question("researchrubrics", "test", "r1", user or AnonymousUser(), {})
    assert page is not None
    (table,) = criteria_of(page)
    assert not table.is_relative
    return [
        (
            line.criterion.criterion,
            line.weight,
            line.n_best,
            {one.row.entry.system.name: (one.decision.score, one.decision.reason) for one in line.answers},
        )
        for line in table.lines
    ]


def test_a_page_shows_every_criterion_with_the_decision_about_each_system(split: Split, client: Client) -> None:
    Entry.objects.update(shows_answers=True)
    assert decided_criteria() == [
        ("Names both builders", "4", 1, {"Atlas": (1.0, "So."), "Borealis": (0.0, "So.")}),
        ("Invents a source", "−5", 0, {"Atlas": (0.0, "So."), "Borealis": (0.0, "So.")}),
    ]
    text = client.get(QUESTION).content.decode()
    assert text.count('class="verdict verdict--wrong"') == 1, "Borealis lacks the builders"
    assert text.count('class="verdict verdict--right"') == 3, "no report has the fault"
    answers = {row["system"]: row for row in client.get(API).json()}
    assert answers["atlas"]["criteria_scores"] == {"rubric": 1.0}
    assert answers["borealis"]["criteria_scores"] == {"rubric": 0.0}
    assert re.findall(r"(\S+) <span class=\"answers__second\">rubric</span>", text) == ["100.0", "0.0"]
    rows = {name: row["criteria"] for name, row in answers.items()}
    decided = {"score": 1.0, "reference": None}
    assert rows["atlas"] == {"rubric": [decided, decided | {"score": 0.0}]}
    assert "builders" not in str(rows) and "So." not in str(rows), "the API quotes no criterion, as no reference"


def test_reasons_are_for_those_who_may_read_the_answer(split: Split, client: Client) -> None:
    assert {decision for *_, own in decided_criteria() for decision in own.values()} == {(0.0, ""), (1.0, "")}
    assert "So." not in client.get(QUESTION).content.decode() + client.get(API).content.decode()
    owner = User.objects.get(username="atlas")
    assert {own["Atlas"][1] for *_, own in decided_criteria(owner)} == {"So."}
    assert {own["Borealis"][1] for *_, own in decided_criteria(owner)} == {""}
    client.force_login(owner)
    assert client.get(QUESTION).content.decode().count("So.") == 2


def test_a_report_is_read_by_everybody_if_it_is_public_and_by_its_owner(split: Split, client: Client) -> None:
    url = f"{QUESTION}?left=atlas&right=borealis"
    assert "Ada and Bo" not in client.get(url).content.decode()
    client.force_login(User.objects.get(username="atlas"))
    page = client.get(url).content.decode()
    assert "Ada and Bo" in page
    assert "Nobody knows." not in page
    Entry.objects.update(shows_answers=True)
    client.logout()
    page = client.get(url).content.decode()
    assert "Ada and Bo" in page and "Nobody knows." in page
    assert f'href="{QUESTION}?left=atlas"' in client.get(QUESTION).content.decode()
    compared = unescape(client.get("/compare/?system=atlas&system=borealis").content.decode())
    assert f'href="{QUESTION}?setting=agent&left=atlas&right=borealis"' in compared
    Split.objects.update(hidden=True)
    assert "left=atlas" not in client.get("/compare/?system=atlas&system=borealis").content.decode()


def test_an_answer_without_content_has_no_decisions_on_the_page(split: Split, client: Client) -> None:
    published(split, {"r1": " ", "r2": "Ada and Bo built them."}, "Cirrus")
    boards.write()
    assert client.get(API).status_code == 200
    assert {name for *_, own in decided_criteria() for name in own} == {"Atlas", "Borealis"}


def test_reasons_are_plain_text_and_cut(split: Split, client: Client) -> None:
    Entry.objects.update(shows_answers=True)
    reason = "<b>It</b> \u202e says\n" + "so " * 1_000
    Verdict.objects.update(reply=json.dumps({"verdict": "Satisfied", "reasoning": reason}))
    text = client.get(QUESTION).content.decode()
    assert "&lt;b&gt;It&lt;/b&gt; ⟨U+202E⟩ says so so" in text
    assert text.count("so ") < 4 * LONGEST_REASON / 2
    Verdict.objects.update(reply="")
    assert {reason for *_, own in decided_criteria() for _, reason in own.values()} == {""}


def crawled(client: Client) -> str:
    """All texts of the site that links lead to, from its front page and from the API's list of benchmarks."""
    texts: dict[str, str] = {}
    found = ["/", "/api/v1/benchmarks/", QUESTION, API, API.removesuffix("answers/")]
    while found:
        url = found.pop()
        if url in texts or not re.match(r"/(researchrubrics|systems|api/v1|$)", url):
            continue
        response = client.get(url)
        texts[url] = response.getvalue().decode(errors="replace") if response.status_code == 200 else ""
        found += re.findall(r'"(?:http://testserver)?(/[^"#?]*)"', unescape(texts[url]))
    assert len(texts) > 20
    return "\n".join(texts.values())


def test_a_hidden_split_shows_neither_criteria_nor_decisions_nor_reasons(split: Split, client: Client) -> None:
    Entry.objects.update(shows_answers=True)
    Verdict.objects.update(reply=json.dumps({"verdict": "Satisfied", "reasoning": "As the report says."}))
    told = ("Names both builders", "Invents a source", "As the report says.", "criteria-title", "References")
    text = crawled(client)
    assert [word for word in told if word not in text] == [], "all of it is there while the split is open"
    question = Question.objects.get(revision=split.current_revision, qid="r1")
    Split.objects.update(hidden=True)
    boards.write()
    with pytest.raises(HiddenSplitError):
        QuestionCriteria(question)
    for user in (None, User.objects.get(username="atlas")):
        if user is not None:
            client.force_login(user)
        assert client.get(QUESTION).status_code == client.get(API).status_code == 404
        text = crawled(client)
        assert [word for word in told if word in text] == []


def test_the_number_of_queries_for_criteria_does_not_grow_with_systems(
    split: Split, client: Client, server: JudgeServer
) -> None:
    before = n_queries(client, QUESTION)
    for number in range(4):
        published(split, {"r1": f"Report {number} of Ada."}, f"System {number}")
    boards.write()
    assert len(decided_criteria()[0][-1]) == 6
    assert n_queries(client, QUESTION) == before


def test_the_counts_of_criteria_are_of_the_judged_answers_on_the_page(
    split: Split, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        published(split, {"r1": f"Report {number} of Ada." if number else " ", "r2": "Bo."}, f"System {number}")
    boards.write()
    assert [one[:3] for one in decided_criteria()] == [("Names both builders", "4", 3), ("Invents a source", "−5", 0)]
    text = " ".join(client.get(QUESTION).content.decode().split())
    assert "Counts are of the judged answers on this page." in text and "met by 3 of 4" in text
    monkeypatch.setattr("leaderboard.questions.question.PER_PAGE", 2)
    assert "met by 0 of 2" in client.get(QUESTION).content.decode()


def test_a_page_shows_both_scores_of_each_criterion_beside_a_reference_report(
    settings: Any, server: JudgeServer, tmp_path: Path, client: Client
) -> None:
    judged_by(settings, server)
    reply = {
        name: [
            {"criterion": f"has {name}", "analysis": f"On {name}.", "article_1_score": 8, "article_2_score": 6.5},
            {"criterion": f"Has {name}", "analysis": "Again.", "article_1_score": 0, "article_2_score": 0},
        ]
        for name in DIMENSIONS
    }
    reply["insight"] = []
    server.rule = lambda chat: Play("text", message=f"```json\n{json.dumps(reply)}\n```")
    reference = lines(REPORT | {"article": "# A reference\n<script>alert(1)</script> of *ours*."})
    split = imported(tmp_path, "deepresearch", tasks=lines(TASK), criteria=lines(CRITERIA), reference=reference)
    published(split, {"1": "Our report."}, "Atlas")
    Entry.objects.update(shows_answers=True)
    boards.write()
    page = find_question("deepresearch", "test", "1", AnonymousUser(), {})
    assert page is not None
    (table,) = criteria_of(page)
    assert table.is_relative
    decided = {line.criterion.dimension: [one.decision for one in line.answers] for line in table.lines}
    assert decided == {name: [] if name == "insight" else [Decision(8.0, 6.5, f"On {name}.")] for name in DIMENSIONS}
    text = client.get("/deepresearch/test/questions/1/").content.decode()
    assert text.count("reference 6.5") == 3
    assert "instruction following (weight 0.25) · weight 1" in " ".join(text.split())
    assert "&lt;script&gt;alert(1)&lt;/script&gt; of <em>ours</em>." in text.partition("Show the report</summary>")[2]
    board = client.get("/deepresearch/test/agent/").content.decode()
    assert "instruction following" in board and "instruction_following" not in board
    Split.objects.update(hidden=True)
    assert client.get("/deepresearch/test/questions/1/").status_code == 404
    assert text.count("not judged") == 1


def columns_of(page: Any) -> list[str]:
    return re.findall(r'id="sort-([\w.-]+)"', page.content.decode())


def test_deepresearch_bench_goes_from_the_authors_files_to_a_board_with_all_dimensions(
    settings: Any, server: JudgeServer, tmp_path: Path, client: Client
) -> None:
    judged_by(settings, server)
    reply = {name: [{"criterion": f"Has {name}", "article_1_score": 6, "article_2_score": 4}] for name in DIMENSIONS}
    server.rule = lambda chat: Play("text", message=json.dumps(reply))
    split = imported(tmp_path, "deepresearch", tasks=lines(TASK), criteria=lines(CRITERIA), reference=lines(REPORT))
    published(split, {"1": "Our report."}, "Atlas")
    boards.write()
    url = "/deepresearch/test/agent/"
    scores = [
        "against-reference",
        *(f"against-reference.{name.replace('_', '-')}" for name in DIMENSIONS),
    ]
    page = client.get(url)
    assert columns_of(page)[1:6] == scores
    assert page.content.decode().count("60.0") >= 5
    every = [column.key for column in definition_of("deepresearch").columns]
    for asked in ("all", ",".join(every)):
        assert set(columns_of(client.get(f"{url}?columns={asked}"))) >= set(every), "FACT has no score yet"
    by_another = columns_of(client.get(f"{url}?sort=-fact.accuracy"))
    assert "against-reference" in by_another and not set(scores[1:]) & set(by_another)
    assert scores[2] in columns_of(client.get(f"{url}?sort=-fact.accuracy,-{scores[2]}"))


def test_pages_say_what_is_optional_or_negative_and_boards_how_much_is_met_of_the_rest(
    settings: Any, server: JudgeServer, tmp_path: Path, client: Client
) -> None:
    judged_by(settings, server)
    criteria = [
        {"criterion": "Names both builders", "weight": 1},
        {"criterion": "Names both bridges", "weight": 7, "optional": True},
        {"criterion": "Invents a source", "weight": -2},
    ]
    rows = [{"id": f"dev-{n}", "question": f"Compare two bridges of {n}.", "answer": criteria} for n in range(2)]
    split = declared(tmp_path, REQUIRED, *rows)
    published(split, {"dev-0": "Ada and Bo.", "dev-1": "Ada, as I made up."}, "Atlas", "closed-book")
    published(split, {"dev-0": "Bo."}, "Borealis", "closed-book")
    boards.write()
    scores = Score.objects.filter(name__in=("rubric", "rubric.required")).order_by("name")
    of_atlas = scores.filter(run__answer_set__submission_file__submission__name="Atlas")
    assert [score.value for score in of_atlas] == [(8 / 8 + 6 / 8) / 2, 1.0]
    page = client.get("/reports/dev/questions/dev-0/").content.decode()
    facts = [" ".join(text.split()) for text in re.findall(r'(?s)class="criteria__facts">(.*?)</span>', page)]
    assert facts == [
        "weight 1 · met by 1 of 2",
        "optional · weight 7 · met by 1 of 2",
        "negative · weight −2 · met by 0 of 2",
    ]
    assert ">Required" in client.get("/reports/dev/closed-book/").content.decode()

    def shares() -> dict[str, str]:
        exported = client.get("/reports/dev/closed-book/export.csv").getvalue().decode()
        return {row["system"]: row["rubric.required"] for row in csv.DictReader(StringIO(exported)) if row["rubric"]}

    assert shares() == {"Atlas": "1.0", "Borealis": "0.0"}
    Split.objects.update(hidden=True)
    boards.write()
    assert set(shares().values()) == {""}


def test_reports_scored_before_the_share_of_required_criteria_was_declared_get_it_without_a_request(
    settings: Any, server: JudgeServer, tmp_path: Path
) -> None:
    judged_by(settings, server)
    published(declared(tmp_path, "[metrics.rubric]\n"), {"dev-1": "Ada and Bo."}, "Atlas", "closed-book")
    n, toml = len(server.chats), tmp_path / "reports" / "benchmark.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace("[metrics.rubric]\n", REQUIRED), encoding="utf-8")
    call_command("benchmark", "import", tmp_path / "reports", stdout=StringIO())
    call_command("rescore", "reports", "dev", stdout=StringIO())
    work(Run.objects.select_related("answer_set__split", "revision__split").get(state=RunState.WAITING))
    assert Score.objects.filter(name="rubric.required").count() == 1
    assert Score.objects.filter(name="rubric").count() == 2
    assert len(server.chats) == n > 0


def test_there_is_no_list_of_verdicts_on_whole_answers(split: Split, client: Client) -> None:
    Entry.objects.update(shows_answers=True)
    where = "?benchmark=researchrubrics&split=test&setting=agent"
    assert client.get(f"/systems/atlas/questions/verdicts.csv{where}").status_code == 404
    assert client.get(f"/api/v1/systems/atlas/verdicts/{where}").status_code == 404
    assert "verdicts.csv" not in client.get("/systems/atlas/").content.decode()


def test_judge_details_count_criteria(split: Split, client: Client) -> None:
    submission = Submission.objects.get(name="Atlas")
    client.force_login(submission.owner)
    text = " ".join(client.get(f"/submissions/{submission.pk}/judge/").content.decode().split())
    assert "<dt>Verdicts about criteria</dt> <dd> 4 of 4 (100" in text
    assert "; 1 answer without any (missing, scored 0) </dd>" in text
    assert client.get(submission.get_absolute_url()).content.decode().count(">Judge details<") == 1, "once a judge"


def test_judge_details_say_nothing_of_missing_answers_where_all_are_there(split: Split, client: Client) -> None:
    published(split, dict.fromkeys(("r1", "r2", "r3"), "Ada and Bo."), "Cirrus")
    submission = Submission.objects.get(name="Cirrus")
    client.force_login(submission.owner)
    text = client.get(f"/submissions/{submission.pk}/judge/").content.decode()
    assert "6 of 6 (100" in text
    assert "without any" not in text


def test_pages_of_questions_lead_to_criteria_and_wait_for_no_verdicts(split: Split, client: Client) -> None:
    page, listed = (client.get(url).content.decode() for url in (QUESTION, "/researchrubrics/test/questions/"))
    assert "criterion by criterion" in page
    assert "No metric of this benchmark" not in page
    assert "with the answers of all systems" in listed
    assert "No system has verdicts" not in listed and "Discrimination" not in listed


def cited_reports(settings: Any, server: JudgeServer, folder: Path) -> Split:
    """An open split whose reports are judged by criteria and twice by their citations, with two systems, of which one
    cites nothing."""
    judged_by(settings, server)
    prompt = ROOT / "scoring" / "benchmarks" / "folders" / "deepresearch" / "prompts" / "fact_prompt.txt"
    judges = "[metrics.rubric]\n[metrics.citations]\n[metrics.fact]\n"
    split = declared(folder, judges, fact_prompt=prompt.read_bytes())

    def verdict(chat: Any) -> Play:
        text = chat.body["messages"][-1]["content"]
        return (
            by_words(chat) if "<premise>" in text else by_page(chat) if "<statements>" in text else by_criterion(chat)
        )

    server.rule = verdict
    cited = {"answer": "It is Oslo [1]. It is old [1].", "citations": [NORWAY]}
    published(split, {"dev-1": cited, "dev-2": cited | {"answer": "Oslo [1]."}}, "Atlas", "closed-book")
    published(split, {"dev-1": "It is Oslo."}, "Borealis", "closed-book")
    boards.write()
    return split


def test_judge_details_have_every_judge_of_a_benchmark(
    settings: Any, server: JudgeServer, tmp_path: Path, client: Client
) -> None:
    cited_reports(settings, server, tmp_path)
    submission = Submission.objects.get(name="Atlas")
    client.force_login(submission.owner)
    page = " ".join(client.get(f"/submissions/{submission.pk}/judge/").content.decode().split())
    headings = re.findall(r'id="judging-\d+">([^<]*)<', page)
    assert headings == [
        f"Closed book: {judge}" for judge in ("Rubric score", "Citations, by a judge", "Citations of pages")
    ]
    about = "<dt>Verdicts about {}</dt> <dd> {}"
    for told in (about.format("criteria", "6 of 6 ("), about.format("citations", "3 of 3 ("), "2 of 2 ("):
        assert told in page, told
    for judge in ("rubric", "citations", "fact"):
        assert metric_named(judge)().explanation().measures in unescape(page)
    assert page.count("3 answers without any (missing, or no text cited)") == 2


def test_pages_about_files_tell_of_citations_where_a_benchmark_reads_them(
    settings: Any, server: JudgeServer, tmp_path: Path, client: Client
) -> None:
    cited_reports(settings, server, tmp_path)
    client.force_login(User.objects.get(username="atlas"))
    pages = ("/submit/?benchmark=reports", "/how-to-submit/")
    assert [client.get(url).content.decode().count("<code>citations</code>") for url in pages] == [1, 1]
    factories.benchmark()
    assert "<code>citations</code>" not in client.get("/submit/?benchmark=fanoutqa").content.decode()


def test_pages_say_that_a_system_that_cites_nothing_has_no_accuracy(
    settings: Any, server: JudgeServer, tmp_path: Path, client: Client
) -> None:
    cited_reports(settings, server, tmp_path)
    submission = Submission.objects.get(name="Borealis")
    told = {
        "/reports/dev/closed-book/export.csv": NOTHING_COUNTS,
        "/systems/borealis/": NOTHING_COUNTS,
        "/compare/?system=atlas&system=borealis": "B: no answer counts in it",
        submission.get_absolute_url(): NOTHING_COUNTS,
    }
    client.force_login(submission.owner)
    for url, reason in told.items():
        page = client.get(url).getvalue().decode()
        assert reason in page and "scored yet" not in page, url


def test_a_table_in_markdown_says_that_a_judge_decided_about_citations(
    settings: Any, server: JudgeServer, tmp_path: Path, client: Client
) -> None:
    cited_reports(settings, server, tmp_path)
    columns = {one["key"]: one for one in client.get("/reports/dev/closed-book/export.json").json()["columns"]}
    bounds = [columns[key].get("bounds", "0 to 1") for key in ("rubric", "citations.recall")]
    assert bounds == [None, "0 to 1"], "a rubric's score may be below 0"
    head = client.get("/reports/dev/closed-book/export.md").content.decode().partition("\n")[0]
    assert "| Rubric score | Citation recall \\(judge\\) | Citation precision \\(judge\\) | Citation accuracy |" in head


def test_criteria_and_citations_are_shown_of_the_attempt_that_the_reader_chooses(
    settings: Any, server: JudgeServer, tmp_path: Path, client: Client
) -> None:
    split = cited_reports(settings, server, tmp_path)
    rows = [
        {"id": "dev-1", "attempt": attempt, "answer": f"It is {name} [1].", "citations": [NORWAY]}
        for attempt, name in enumerate(("Oslo", "Bergen"), start=1)
    ]
    published(split, lines(*rows).encode(), "Cygnus", "closed-book")
    Entry.objects.update(shows_answers=True)
    boards.write()
    for attempt, name, query in ((1, "Oslo", ""), (2, "Bergen", "?attempt=2"), (2, "Bergen", "?attempt=3")):
        page = " ".join(client.get(f"/reports/dev/questions/dev-1/{query}").content.decode().split())
        criteria, _, citations = page.partition('id="criteria-title"')[2].partition('id="citations-title"')
        for section, n in ((criteria, 3), (citations, 1)):
            assert section.count(f"Cygnus, attempt {attempt}<") == n
            assert "Atlas<" in section, "a single attempt has no number"
        assert f'left=cygnus&amp;attempt={attempt}#citations-title">Cygnus' in citations
        assert f"It is {name} [1]." not in citations, "the page of the report has its sentences"
        report = client.get(f"/reports/dev/questions/dev-1/?left=cygnus&attempt={attempt}").content.decode()
        assert f"It is {name} [1]." in report.partition('id="citations-title"')[2]
        assert f'aria-current="page">Attempt {attempt}<' in page
        address = f"/api/v1/benchmarks/reports/splits/dev/questions/dev-1/answers/{query}"
        (row,) = (row for row in client.get(address).json() if row["system"] == "cygnus")
        assert row["attempt"] == attempt
        assert row["citations"]["sentences"][0]["text"] == f"It is {name} [1]."
    report = client.get("/reports/dev/questions/dev-1/?left=cygnus&right=atlas&attempt=2").content.decode()
    assert "Cygnus, attempt 2<" in report.partition('id="citations-title"')[2]


def test_the_score_beside_a_report_is_that_of_the_attempt_that_the_reader_chooses(split: Split, client: Client) -> None:
    reports = ("Nobody knows.", "Ada and Bo built them.")
    attempts = [{"id": "r1", "attempt": number, "answer": text} for number, text in enumerate(reports, start=1)]
    published(split, lines(*attempts).encode(), "Cygnus")
    boards.write()
    for query, expected in (("", 0.0), ("?attempt=2", 1.0), ("?attempt=9", 1.0)):
        scores = {row["system"]: row["criteria_scores"]["rubric"] for row in client.get(API + query).json()}
        assert scores == {"atlas": 1.0, "borealis": 0.0, "cygnus": expected}
        text = client.get(QUESTION + query).content.decode()
        shown = re.findall(r"(\S+) <span class=\"answers__second\">(rubric[^<]*)</span>", text)
        attempt = 2 if query else 1
        assert shown == [("100.0", "rubric"), ("0.0", "rubric"), (f"{100 * expected}", f"rubric, attempt {attempt}")]


def test_a_report_that_is_not_judged_yet_has_no_score_beside_it(split: Split, client: Client) -> None:
    Score.objects.filter(run__answer_set__board_entry__system__slug="borealis").delete()
    scores = {row["system"]: row["criteria_scores"] for row in client.get(API).json()}
    assert scores == {"atlas": {"rubric": 1.0}, "borealis": {"rubric": None}}
    assert client.get(QUESTION).content.decode().count("Not scored") == 1


def test_the_api_gives_long_answers_whole(split: Split, client: Client) -> None:
    report = "It is long. " * 20_000
    attempts = [{"id": "r1", "attempt": number, "answer": f"{number}: {report}"} for number in (1, 2)]
    published(split, lines(*attempts).encode(), "Cygnus")
    Entry.objects.update(shows_answers=True)
    boards.write()
    (row,) = (row for row in client.get(API).json() if row["system"] == "cygnus")
    assert row["answer"] == f"1: {report}"
    assert client.get(f"{API}?attempt=two").status_code == 400
    assert [attempt["answer"] for attempt in row["attempts"]] == [f"1: {report}", f"2: {report}"]


def test_a_judge_of_criteria_is_tried_on_copies_of_the_criteria(
    settings: Any, server: JudgeServer, tmp_path: Path
) -> None:
    judged_by(settings, server)
    server.rule = by_criterion
    folder = tmp_path / "reports"
    write_files(folder, template("reports", "rubric"))
    out = StringIO()
    call_command("benchmark", "try-judge", str(folder), "-n", "2", stdout=out, no_color=True)
    said = out.getvalue()
    assert len(server.chats) == 12, "two questions, each with its own answer and another, three criteria each"
    assert said.count("--- read as: verdict 0") == 12
    assert "**Title**: Names Accra." in said and "12 requests to" in said
    assert "Names Accra.\nSays since when" in said


def test_a_declared_mean_is_clipped_with_its_interval_and_ranks_and_differences_are_of_what_it_was_before(
    settings: Any, server: JudgeServer, tmp_path: Path, client: Client
) -> None:
    judged_by(settings, server)
    clipping = '[metrics.rubric]\nparameters = { clip = "mean", dimensions = ["Facts", "Sources"] }\n'
    faults = [{"criterion": "Names it.", "weight": 1, "dimension": "Facts"}, {"criterion": "Invents it.", "weight": -2}]
    rows = [{"id": f"dev-{n}", "question": f"Where is river {n}?", "answer": faults} for n in range(40)]
    split = declared(tmp_path, clipping, *rows)

    def verdict(chat: Any) -> Play:
        text = chat.body["messages"][-1]["content"]
        is_met = ("Invented." if "Invents it." in text else "Oslo.") in text
        return Play("text", message=json.dumps({"criteria_met": is_met}))

    server.rule = verdict
    names = {"Honest": 0, "Zealous": 25, "Worse": 40}
    for name, n_wrong in names.items():
        answers = {f"dev-{n}": "Oslo." if n >= n_wrong else "Invented." for n in range(40)}
        published(split, answers, name, "closed-book")
    boards.write()
    scores = {
        score.run.answer_set.submission_file.submission.name: score for score in Score.objects.filter(name="rubric")
    }
    assert {name: score.per_item.mean() for name, score in scores.items()} == {
        "Honest": 1,
        "Zealous": -0.875,
        "Worse": -2,
    }
    assert {name: (score.value, score.low, score.high) for name, score in scores.items()} == {
        "Honest": (1.0, pytest.approx(mean_interval([1] * 40).low), 1.0),
        "Zealous": (0.0, 0.0, 0.0),
        "Worse": (0.0, 0.0, 0.0),
    }
    assert "|clip:mean|" in scores["Zealous"].signature
    Score.objects.update(low=None, high=None)
    assert fill() == 6
    assert {tuple(pair) for pair in Score.objects.filter(name="rubric").values_list("low", "high")} == {
        (scores["Honest"].low, 1.0),
        (0.0, 0.0),
    }
    boards.refresh()
    board = boards.board_for(split, scores["Honest"].run.answer_set.setting)
    assert [(row.name, row.cells[0].value, row.rank, row.best_rank, row.worst_rank) for row in board.rows] == [
        ("Honest", 1.0, 1, 1, 1),
        ("Zealous", 0.0, 2, 2, 2),
        ("Worse", 0.0, 3, 3, 3),
    ]
    page = " ".join(client.get("/compare/?system=zealous&system=worse").content.decode().split())
    assert "1.125" in page or "112.5" in page, "the difference of the means as they were"
    assert "clipped to 0 to 1" in client.get("/definitions/").content.decode()


def test_the_example_of_the_documentation_is_a_benchmark_without_mistakes() -> None:
    section = (ROOT / "docs" / "benchmarks.md").read_text().partition("### Reports judged by criteria")[2]
    declared, question = re.findall(r"```(?:toml|json)\n(.*?)```", section, re.DOTALL)[:2]
    task_type, _, metric = declared.partition("\n\n")
    files = template("reports", "rubric")
    toml = files["benchmark.toml"].decode()
    assert f"{task_type}\n" in toml and "[metrics.rubric]\n" in toml
    files["benchmark.toml"] = toml.replace("[metrics.rubric]\n", metric).encode()
    definition = read_declaration(files | {"questions/dev.jsonl": question.encode()}).definition
    assert [column.label for column in definition.columns] == ["Rubric score", "Facts", "Sources"]
    (read,) = definition.packaged()["dev"].source.questions
    assert [(one["weight"], one["dimension"]) for one in read.answer["criteria"]] == [(4, "Facts"), (-5, "Sources")]
