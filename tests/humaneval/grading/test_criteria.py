"""Rounds in which people decide criteria: from the form to agreement, the judge beside people, and corrected scores."""

import csv
import datetime
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import connection
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import strip_tags

from humaneval.grading import access
from humaneval.grading.criteria import choices_in
from humaneval.grading.desk.adjudication import calibrations, differences, filled_for
from humaneval.grading.grade_scores import Ticked
from humaneval.grading.outcome import export, methods
from humaneval.grading.outcome.agreement import agreement_of
from humaneval.grading.outcome.graded_answers import judged_sets_of
from humaneval.grading.outcome.judge_comparison import DIMENSION, Decision, compare
from humaneval.grading.outcome.judge_validation import corrected_scores, judge_validations_of, publish_corrections
from humaneval.grading.outcome.rating_matrices import final_grades, grade_arrays
from humaneval.grading.outcome.upper_bounds import upper_bounds_of
from humaneval.grading.rounds import services as rounds
from humaneval.models import Grade, GradedAnswer, GradeDraft, GradeKind, Grader, GradingRound, GradingSlot, Selection
from humaneval.studies.services import create_study
from leaderboard.models import CorrectedScore
from leaderboard.questions.criteria import CriterionLine, DecidedAnswer
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.declared import import_declaration
from scoring.metrics.rubric.decisions import Decision as Decided
from scoring.metrics.rubric.references import Criterion, in_words
from scoring.models import Question, Run, Score, Setting, Split
from scoring.statistics import corrected_total
from tests import factories, study_people
from tests.chance import without_ids
from tests.humaneval.grading.ground import Ground, client_of, grade_at_once, round_form
from tests.judge_server import Chat, JudgeServer, Play
from tests.scoring.runs.judging.site import judged_by, work
from tests.scoring.runs.judging.test_rubrics import CRITERIA as REPORT_CRITERIA
from tests.scoring.runs.judging.test_rubrics import DIMENSIONS, REPORT, TASK, imported, lines

pytestmark = pytest.mark.django_db

CRITERIA = [
    {"criterion": "Names both builders", "weight": 4, "dimension": "Facts"},
    {
        "criterion": "Gives a year",
        "weight": 2,
        "dimension": "Facts",
        "explanation": "Any year of the building.",
        "optional": True,
    },
    {"criterion": "Cites a source", "weight": 2, "dimension": "Sources"},
    {"criterion": "Invents a source", "weight": -4, "dimension": "Sources"},
]
WORDS = ("builders", "year", "source", "invented")
"""The judge finds a criterion met in a report that has its word."""
REPORTS = {"test-1": "Of builders, a year and a source.", "test-2": "Of builders, and invented."}
SAID: Mapping[tuple[int, str], tuple[str, ...]] = {
    (1, "test-1"): ("met", "met", "not-met", "not-met"),
    (1, "test-2"): ("met", "not-met", "not-met", "met"),
    (2, "test-1"): ("met", "not-met", "not-met", "not-met"),
    (2, "test-2"): ("met", "not-met", "cannot-say", "not-met"),
}
"""What each grader says of each report."""


def by_word(chat: Chat) -> Play:
    text = chat.body["messages"][-1]["content"]
    report = text.partition("## Document Content")[2].partition("## Rubric Criterion")[0]
    word = next(word for word, one in zip(WORDS, CRITERIA, strict=True) if f"**Title**: {one['criterion']}" in text)
    is_met = word in report
    return Play("text", message=json.dumps({"verdict": "Satisfied" if is_met else "Not Satisfied"}))


LENGTH = {"criterion": "Is short", "weight": 2, "dimension": "Form", "measure": "length", "words": [5, 9]}
"""A criterion that no judge is asked about: a report of seven words meets half of it."""


def declared(
    n_questions: int = 2,
    *,
    n_attempts: int = 1,
    parameters: str = "",
    criteria: Sequence[dict[str, Any]] = CRITERIA,
    **prompts: str,
) -> Split:
    """The hidden test split of a benchmark of reports; *parameters* are those of its metric, in TOML."""
    files = template("reports", "rubric")
    lines = [
        json.dumps({"id": f"test-{n}", "question": f"Compare two bridges of {n}.", "answer": criteria})
        for n in range(1, n_questions + 1)
    ]
    files["questions/test.jsonl"] = "\n".join(lines).encode()
    files |= {f"prompts/{name}.txt": text.encode() for name, text in prompts.items()}
    del files["reported.csv"]
    toml = files["benchmark.toml"].decode().partition("[reported]")[0]
    toml = toml.partition("[[categories]]")[0]
    if n_attempts > 1:
        toml = toml.replace("[splits.test]\n", f"[splits.test]\nattempts = {n_attempts}\n")
    toml = toml.replace("[metrics.rubric]\n", f"[metrics.rubric]\nparameters = {{ {parameters} }}\n")
    files["benchmark.toml"] = toml.encode()
    return factories.split(import_declaration(read_declaration(files)).benchmark, "test")


@pytest.fixture
def server(settings: Any) -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        server.rule = by_word
        judged_by(settings, server)
        yield server


def placed(split: Split, reports: Mapping[str, Any]) -> Ground:
    """A submission with these reports, which the judge has read, and people who grade."""
    ada = factories.user("ada")
    sent = factories.submission(ada, split, {"open-book": reports}, name="Atlas")
    for run in Run.objects.filter(answer_set__submission_file__submission=sent):
        work(run)
    people = [factories.user("greta"), factories.user("gunnar")]
    return Ground(split, factories.maintainer(), ada, [sent], people)


@pytest.fixture
def place(server: JudgeServer) -> Ground:
    return placed(declared(), REPORTS)


def fields(said: tuple[str, ...]) -> dict[str, str]:
    return {f"criterion-{number}": verdict for number, verdict in enumerate(said)}


def created(place: Ground, **typed: Any) -> GradingRound:
    """A round of all reports by two graders, made with the form."""
    sent = round_form(place, name="Spring", **typed)
    made = client_of(place.maintainer).post("/grading/new/reports/test/", sent)
    assert made.status_code == 302, made.content.decode()
    return GradingRound.objects.get()


def begin(client: Client, round_: GradingRound) -> tuple[str, str]:
    """A grader's page with the first answer, and the answer's number."""
    address = reverse("grading-desk", args=[round_.slug])
    shown = client.post(address, {"action": "start"}, follow=True).content.decode()
    return shown, re.findall(r'name="answer" value="(\d+)"', shown)[0]


def graded(place: Ground) -> GradingRound:
    """That round, graded by both graders on their pages, without scripts."""
    round_ = created(place)
    desk = reverse("grading-desk", args=[round_.slug])
    for number, user in enumerate(place.people, 1):
        client = client_of(user)
        shown, _ = begin(client, round_)
        for _ in REPORTS:
            position = int(re.findall(r'name="answer" value="(\d+)"', shown)[0])
            qid = GradedAnswer.objects.get(position=position).question.qid
            sent = {"action": "save", "answer": position, "seconds": "60"} | fields(SAID[number, qid])
            shown = client.post(desk, sent, follow=True).content.decode()
        assert "Nothing left to grade" in shown
    return round_


class TestTheDesk:
    def test_a_grader_sees_each_criterion_and_everybody_else_none(self, place: Ground) -> None:
        round_ = created(place)
        greta = client_of(place.people[0])
        shown, _ = begin(greta, round_)
        assert all(str(one["criterion"]) in shown for one in CRITERIA)
        assert "Any year of the building." in shown
        first = shown.partition('id="grading-next"')[0]
        assert first.count('type="radio"') == 3 * 4, "met, not met, cannot say"
        assert "Partly met" not in shown and 'name="item"' not in shown and 'name="contradicts"' not in shown
        assert (first.count(">Fault<"), first.count(">Optional<")) == (1, 1)
        rounds.remove_grader(Grader.objects.get(user=place.people[0]), by=place.maintainer)
        for client in (greta, client_of(place.ada), Client()):
            for name in ("grading-desk", "grading-round", "grading-outcome", "grading-guidelines"):
                assert client.get(reverse(name, args=[round_.slug])).status_code == 404
            for url in ("/reports/test/questions/test-1/", "/systems/atlas/", "/reports/test/open-book/"):
                assert "Names both builders" not in client.get(url).content.decode()

    def test_a_grade_with_an_undecided_criterion_comes_back_as_it_was_sent(self, place: Ground) -> None:
        round_, client = created(place), client_of(place.people[0])
        _, position = begin(client, round_)
        desk = reverse("grading-desk", args=[round_.slug])
        for verdicts in (("met", "", "not-met", "met"), ("met", "partly", "not-met", "met"), ("met",)):
            sent = {"action": "save", "answer": position, "note": "So."} | fields(verdicts)
            response = client.post(desk, sent)
            assert response.status_code == 422
            text = response.content.decode()
            assert re.search(r'name="criterion-0"\s+value="met"\s+required\s+checked', text)
            assert ">So.</textarea>" in text
        assert not Grade.objects.exists()

    def test_the_keys_of_criteria_are_named_before_the_first_answer_is_shown(self, place: Ground) -> None:
        round_ = created(place)
        text = client_of(place.people[1]).get(reverse("grading-desk", args=[round_.slug])).content.decode()
        keys = re.findall(r'<kbd class="key">(.)</kbd>', text.partition("key-help")[2].partition("</details>")[0])
        assert "4" in keys
        assert "a" not in keys, "which ticks items"

    def test_partly_met_is_offered_where_the_prompt_of_the_judge_offers_it(self, place: Ground) -> None:
        assert "partly" not in choices_in(created(place))
        prompt = "{response}\n{criterion}\nSay verdict: Satisfied, Partially Satisfied or Not Satisfied."
        declared(rubric_prompt=prompt, rubric_system_prompt="Judge.")
        assert choices_in(GradingRound.objects.get()) == ("met", "partly", "not-met", "cannot-say")

    def test_a_report_is_shown_as_far_as_the_judge_reads_it(self, place: Ground) -> None:
        round_ = created(place)
        GradedAnswer.objects.update(text="word " * 30_000 + "the end")
        assert "the end" in begin(client_of(place.people[0]), round_)[0]

    def test_a_report_is_shown_as_markdown_with_its_contents_and_without_names_of_systems(self, place: Ground) -> None:
        round_ = created(place, masks="Atlas")
        text = (
            "# Bridges of At**las**\n\n| At | Las |\n|---|---|\n| 1 | 2 |\n\n<b>Atlas</b> [At](https://a.example)las\n"
        )
        GradedAnswer.objects.update(text=text + "word " * 3_000)
        page, _ = begin(client_of(place.people[0]), round_)
        headings = re.findall(r'<h4 id="(answer-\d+-1)">Bridges of ▮▮▮</h4>', page)
        assert len(headings) == len(set(headings)) == 2, "of the answer, and of the next one"
        assert all(f'href="#{heading}"' in page for heading in headings), "in the table of contents"
        assert page.count("<td>1</td>") == 2
        assert "&lt;b&gt;▮▮▮&lt;/b&gt; ▮▮▮" in page
        assert "atlas" not in " ".join(strip_tags(page).split()).casefold()

    def test_what_is_decided_so_far_is_kept_without_being_a_grade(self, place: Ground) -> None:
        round_ = created(place)
        desk = reverse("grading-desk", args=[round_.slug])
        client = client_of(place.people[0])
        _, position = begin(client, round_)
        sent = {"action": "keep", "answer": position, "note": "So.", "named": "on", "criterion-9": "x" * 1_000}
        assert client.post(desk, sent | fields(("met", "", "cannot-say"))).status_code == 302
        text = client.get(desk).content.decode()
        assert len(re.findall(r"required\s+checked", text)) == 2
        assert ">So.</textarea>" in text and "xxx" not in without_ids(text)
        assert not Grade.objects.exists() and agreement_of(grade_arrays(round_))["n_answers"] == 0
        assert client.post(desk, sent | {"note": "n" * 5_001}, HTTP_X_DESK="1").status_code == 422
        assert client.post(desk, sent | fields(("met", "met")), HTTP_X_DESK="1").status_code == 204
        complete = {"action": "save", "answer": position} | fields(SAID[1, "test-1"])
        assert client.post(desk, complete).status_code == 302
        assert not GradeDraft.objects.exists()
        assert client.post(desk, sent, HTTP_X_DESK="1").status_code == 409, "it is graded"

    def test_nobody_sees_the_draft_of_another_grader_whose_claim_ran_out(self, place: Ground) -> None:
        round_ = created(place, graders="greta", graders_per_answer="1")
        rounds.add_grader(round_, place.people[1], by=place.maintainer)
        desk = reverse("grading-desk", args=[round_.slug])
        greta, gunnar = map(client_of, place.people)
        _, position = begin(greta, round_)
        greta.post(desk, {"action": "keep", "answer": position, "note": "Mine."} | fields(("met",)))
        GradingSlot.objects.update(lease_until=F("lease_until") - datetime.timedelta(days=1))
        text, _ = begin(gunnar, round_)
        assert f'name="answer" value="{position}"' in text
        assert "Mine." not in text and "checked" not in text.partition('id="held"')[2]
        assert greta.post(desk, {"action": "keep", "answer": position}, HTTP_X_DESK="1").status_code == 409

    def test_an_undone_grade_comes_back_with_its_verdicts(self, place: Ground) -> None:
        round_ = graded(place)
        desk = reverse("grading-desk", args=[round_.slug])
        text = client_of(place.people[1]).post(desk, {"action": "undo"}, follow=True).content.decode()
        assert len(re.findall(r'value="[a-z-]+"\s+required\s+checked', text)) == len(CRITERIA)

    def test_calibration_compares_decisions_and_scores(self, place: Ground) -> None:
        round_ = created(place, n_calibration="1")
        (answer,) = round_.answers.filter(is_calibration=True)
        known = client_of(place.maintainer).post(
            reverse("grading-known", args=[round_.slug, answer.position]), fields(("met", "met", "not-met", "met"))
        )
        assert known.status_code == 302
        desk = reverse("grading-desk", args=[round_.slug])
        client = client_of(place.people[0])
        client.post(desk, {"action": "start"})
        said = {"action": "save", "answer": answer.position} | fields(("met", "met", "not-met", "not-met"))
        client.post(desk, said)
        result = calibrations(round_)[Grader.objects.get(user=place.people[0]).pk]
        assert (result["n_graded"], result["items"], result["bias"]) == (1, 0.75, 0.5)
        page = client_of(place.maintainer).get(reverse("grading-round", args=[round_.slug])).content.decode()
        assert "Calibration: criteria" in page and "Calibration: letters" not in page


class TestOutcome:
    def test_agreement_is_over_decisions_and_by_dimension(self, place: Ground) -> None:
        """Computed by hand: seven decisions have two grades, and two of these differ."""
        found = agreement_of(grade_arrays(graded(place)))
        assert (found["n_answers"], found["n_items"], found["n_unsure"]) == (2, 8, 1)
        assert found["items"].n_items == 7
        assert found["items"].value == pytest.approx(1 - (4 / 14) / (2 * 6 * 8 / (14 * 13)))
        by_dimension = {what: (estimate.value, estimate.n_items) for what, _, estimate, _ in found["measures"]}
        assert by_dimension["Facts"] == (pytest.approx(1 - (2 / 8) / (2 * 5 * 3 / (8 * 7))), 4)
        assert by_dimension["Sources"] == (pytest.approx(0), 3)
        ((_, kappa, _),) = found["kappas"]
        assert kappa.value == pytest.approx((5 / 7 - 23 / 49) / (1 - 23 / 49))
        assert dict(found["biases"])["G-02"].value == pytest.approx((0.5 - 0.75 + 4 / 6 - 0) / 2)
        assert found["items"].interval.low < found["items"].value < found["items"].interval.high

    def test_what_is_computed_of_a_report_is_beside_people_too(self, server: JudgeServer) -> None:
        place = placed(declared(criteria=[*CRITERIA, LENGTH]), REPORTS)
        round_ = created(place)
        grade_at_once(round_, lambda who, answer: Ticked((True,) * answer.n_items))
        (judged,) = judged_sets_of(round_)
        assert judged.verdicts == {"test-1": (1, 1, 1, 0, 0.5), "test-2": (1, 0, 0, 1, 1.0)}

    def test_the_judge_is_compared_criterion_by_criterion(self, place: Ground) -> None:
        round_ = graded(place)
        (view,) = judge_validations_of(round_, judged_sets_of(round_))
        assert (view["n_undecided"], view["n_unsure"]) == (2, 0)
        whole = view["whole"]
        assert whole.confusion.tolist() == [[3, 0], [1, 2]], "of the source of the first report people found none"
        assert (whole.accuracy.value, whole.sensitivity.value, whole.specificity.value) == (5 / 6, 1.0, 0.75)
        tables = {label: {name: group.n_items for name, group in groups} for label, groups in view["tables"]}
        assert tables["By system"] == {"Atlas, open book": 6}
        assert tables["By dimension"] == {"Facts": 3, "Sources": 3}

    def test_the_number_of_queries_does_not_grow_with_systems(self, place: Ground) -> None:
        def n_queries(name: str) -> int:
            round_ = place.round(name=name)
            grade_at_once(round_, lambda who, answer: Ticked((True,) * answer.n_items))
            with CaptureQueriesContext(connection) as queries:
                judged = judged_sets_of(round_)
                assert judge_validations_of(round_, judged)
                corrected_scores(round_, judged)
            assert [len(one.verdicts) for one in judged] == [len(REPORTS)] * len(place.submissions)
            return len(queries)

        before = n_queries("Of one")
        for name in ("Borealis", "Cygnus"):
            sent = factories.submission(place.ada, place.split, {"open-book": REPORTS}, name=name, within_quota=False)
            for run in Run.objects.filter(answer_set__submission_file__submission=sent):
                work(run)
            place.submissions.append(sent)
        assert n_queries("Of three") == before

    def test_of_several_attempts_the_first_is_graded_and_compared_and_the_score_is_not_corrected(
        self, server: JudgeServer
    ) -> None:
        n = 31
        files = {f"test-{number}": ("Of builders.", "Of a year, invented.") for number in range(1, n + 1)}
        round_ = created(placed(declared(n, n_attempts=2), files))
        assert {answer.text for answer in round_.answers.all()} == {"Of builders."}
        grade_at_once(round_, lambda who, answer: Ticked((True, False, False, False)))
        (view,) = judge_validations_of(round_, judged_sets_of(round_))
        assert view["whole"].confusion.tolist() == [[3 * n, 0], [0, n]], "the verdicts on the first attempts"
        score = Score.objects.get(name="rubric")
        assert score.per_attempt.tolist() == [[0.5] * n, [-0.25] * n]
        client, slugs = client_of(round_.owner), (round_.revision.split.benchmark.slug, round_.revision.split.slug)
        for page in (("grading-round", round_.slug), ("grading-new", *slugs)):
            assert ", attempt 1 of 2" in client.get(reverse(page[0], args=page[1:])).content.decode()
        assert corrected_scores(round_, judged_sets_of(round_)) == []
        (judged,) = export.as_document(round_, right=access.right_of(round_.owner, round_))["judged"]
        assert (judged["correctable"], judged["answers"][0]["verdicts"]) == (False, (1.0, 0.0, 0.0, 0.0))

    def test_a_decision_settles_what_graders_differ_on(self, place: Ground) -> None:
        round_ = graded(place)
        (answer,) = round_.answers.filter(question__qid="test-2")
        listed = {one.answer.question.qid: one.n_items_differ for one in differences(round_)}
        assert listed == {"test-1": 1, "test-2": 2}
        answer.round = round_
        given = [Ticked(tuple(grade.ticks)) for grade in answer.grades.all()]
        assert filled_for(answer, GradeKind.DECISION, given).verdicts == {0: "met", 1: "not-met"}
        client = client_of(place.maintainer)
        address = reverse("grading-decision", args=[round_.slug, answer.position])
        assert "Can’t say" in client.get(address).content.decode()
        decision = fields(("met", "not-met", "cannot-say", "not-met"))
        assert client.post(address, decision).status_code == 302
        (view,) = judge_validations_of(round_, judged_sets_of(round_))
        assert (view["n_undecided"], view["n_unsure"]) == (1, 1)
        assert view["whole"].confusion.tolist() == [[2, 0], [2, 2]]
        final = {one.answer.question.qid: one.met for one in final_grades(round_)}
        assert final == {"test-1": (1.0, 0.5, 0.0, 0.0), "test-2": (1.0, 0.0, None, 0.0)}

    def test_the_pages_and_the_paragraph_tell_the_same(self, place: Ground) -> None:
        round_ = graded(place)
        client = client_of(place.maintainer)
        page = client.get(reverse("grading-outcome", args=[round_.slug])).content.decode()
        text = " ".join(page.split())
        assert "Facts: Krippendorff" in text and "decisions about criteria" not in text
        assert "83.3 % of 6 decisions" in text
        assert "75.0 % of 4 decisions that people found not met" in text
        assert "Letters, A to F" not in text
        (paragraph,) = methods.methods_of(round_, agreement_of(grade_arrays(round_)))
        assert "which criteria of its question an answer meets" in paragraph
        assert "criteria, met or not = 0.458" in paragraph
        assert "Graders could not say in 1 decision" in paragraph
        for name in ("grading-adjudication", "grading-calibration", "grading-guidelines", "grading-round"):
            assert client.get(reverse(name, args=[round_.slug])).status_code == 200

    def test_files_have_each_decision_with_the_number_of_its_criterion(self, place: Ground) -> None:
        round_ = graded(place)
        rows = list(csv.DictReader(io.StringIO(export.as_csv(round_).decode())))
        assert len(rows) == 4 * len(CRITERIA)
        told = {(row["by"], row["question_id"], int(row["criterion"])): row["verdict"] for row in rows}
        for (number, qid), verdicts in SAID.items():
            assert tuple(told[f"G-0{number}", qid, place] for place in (1, 2, 3, 4)) == verdicts
        assert {row["score"] for row in rows if row["by"] == "G-01"} == {"0.75", "0.0"}
        assert "builders" not in export.as_csv(round_).decode(), "no criterion of a hidden split"
        document = json.loads(export.as_file(round_, "json", right=access.right_of(place.maintainer, round_)).decode())
        (answer,) = (one for one in document["answers"] if one["question_id"] == "test-2")
        assert answer["criteria"][3] == {"criterion": "Invents a source", "weight": -4.0, "dimension": "Sources"}
        assert [grade["ticks"] for grade in answer["grades"]] == [
            [True, False, False, True],
            [True, False, None, False],
        ]
        assert "letter" not in answer["grades"][0]

    def test_a_criterion_marked_as_wrong_is_corrected_as_a_rubric(self, place: Ground) -> None:
        round_ = graded(place)
        Grade.objects.filter(author=place.people[0]).update(reference_wrong=True, proposal="Drop it.")
        client, address = client_of(place.maintainer), reverse("grading-corrections", args=[round_.slug])
        assert "Drop it." in client.get(address).content.decode()
        sent = {"question": "test-1", "state": "accepted"}
        assert client.post(address, sent | {"answer": '{"criteria": [{"criterion": ""}]}'}).status_code == 422
        right = json.dumps({"criteria": CRITERIA[:2]})
        assert client.post(address, sent | {"answer": right}).status_code == 302
        prepared = client.post(reverse("grading-corrections-revision", args=[round_.slug]))
        assert client.get(prepared["Location"]).status_code == 200

    def test_reports_beside_a_reference_report_are_graded_and_no_judge_is_validated(
        self, server: JudgeServer, tmp_path: Path
    ) -> None:
        split = imported(
            tmp_path, "deepresearch", tasks=lines(TASK), criteria=lines(REPORT_CRITERIA), reference=lines(REPORT)
        )
        ada, people = factories.user("ada"), [factories.user("greta"), factories.user("gunnar")]
        sent = factories.submission(ada, split, {"agent": {"1": "Our report."}}, name="Atlas")
        round_ = Ground(split, factories.maintainer(), ada, [sent], people).round()
        assert "partly" in choices_in(round_)
        grade_at_once(round_, lambda who, answer: Ticked((True, 0.5, False, who.number == 1)))
        found = agreement_of(grade_arrays(round_))
        assert [what for what, *_ in found["measures"]][1:-2] == [in_words(name) for name in DIMENSIONS]
        assert (found["items"].n_items, found["n_unsure"]) == (4, 0)
        assert (
            judge_validations_of(round_, judged_sets_of(round_)),
            corrected_scores(round_, judged_sets_of(round_)),
        ) == ([], [])
        page = client_of(round_.owner).get(reverse("grading-outcome", args=[round_.slug]))
        assert page.status_code == 200

    def test_there_is_no_human_row_of_items(self, place: Ground) -> None:
        setting = Setting.objects.get(benchmark=place.split.benchmark, slug="open-book")
        study = create_study(
            owner=place.maintainer, split=place.split, setting=setting, name="Spring", questions_per_participant=1
        )
        study_people.assigned(study_people.participant(study, 1), 1, "test-1", "Of builders, as I read.")
        round_ = created(place, studies=[study.pk])
        grade_at_once(round_, lambda who, answer: Ticked((True,) * answer.n_items))
        assert upper_bounds_of(round_) == []
        assert client_of(place.maintainer).get(reverse("grading-outcome", args=[round_.slug])).status_code == 200


@pytest.mark.parametrize(("share", "is_met"), [(1.0, True), (0.9, True), (0.6, True), (0.5, False), (0.0, False)])
def test_the_judge_counts_a_criterion_as_met_by_more_than_half_as_pages_of_questions_do(
    share: float, is_met: bool
) -> None:
    for said in (0.0, 0.5, 1.0):
        comparison = compare([Decision(share, [said], f"q{n}", {DIMENSION: "Facts"}) for n in range(30)])
        assert comparison is not None
        assert comparison["whole"].confusion[int(is_met), int(said == 1)] == 30
    shown = DecidedAnswer(Mock(), Decided(share), is_fault=False)
    assert CriterionLine(Criterion("Names Oslo", 1), [shown]).n_best == is_met


def test_the_judge_of_lists_finds_a_list_right_only_in_whole() -> None:
    comparison = compare([Decision(share, [1.0], "q", {"By system": "Atlas"}) for share in (1.0, 0.9)])
    assert comparison is not None
    assert comparison["whole"].confusion.tolist() == [[0, 1], [0, 1]]


N = 34


class TestCorrected:
    @pytest.fixture
    def many(self, server: JudgeServer) -> Ground:
        """Reports to all but the last of many questions; the judge finds the builders in all, and no source."""
        return placed(declared(N), {f"test-{n}": "Of builders." for n in range(1, N)})

    @staticmethod
    def place_of(answer: GradedAnswer) -> int:
        return int(answer.question.qid.removeprefix("test-"))

    def found(self, grader: Grader, answer: GradedAnswer) -> Ticked:
        """What people say: of the first twenty reports as the judge, of the others that they invent a source; of the
        year the first grader cannot say anything, and the second neither."""
        return Ticked((True, None, False, self.place_of(answer) > 20))

    def test_a_fully_graded_score_is_the_mean_of_what_people_say(self, many: Ground) -> None:
        round_ = created(many)
        grade_at_once(round_, self.found)
        ((score, name, corrected),) = corrected_scores(round_, judged_sets_of(round_))
        assert (score.name, name) == ("rubric", "Atlas, open book")
        assert score.value == pytest.approx((N - 1) * 0.5 / N)
        people = [0.5 if n <= 20 else 0.0 for n in range(1, N)]
        assert corrected.value == pytest.approx(sum(people) / N), "the question without an answer counts 0"
        assert corrected.low < corrected.value < corrected.high
        assert (corrected.n_graded, corrected.n_judged) == (N - 1, 0)

    def test_a_sampled_score_is_estimated_and_shown_on_boards(self, many: Ground) -> None:
        round_ = created(many, selection=Selection.SAMPLE, n_answers="30")
        grade_at_once(round_, self.found)
        graded = sorted(self.place_of(answer) for answer in round_.answers.select_related("question"))
        expected = corrected_total(
            [0.5] * (N - 1),
            [place - 1 for place in graded],
            [0.5 if place <= 20 else 0.0 for place in graded],
            [30 / (N - 1)] * (N - 1),
            lowest=-0.5,
        )
        assert expected is not None
        ((_, _, corrected),) = corrected_scores(round_, judged_sets_of(round_))
        assert corrected.value == pytest.approx(expected.value * (N - 1) / N)
        assert corrected.high == pytest.approx(expected.high * (N - 1) / N)
        assert publish_corrections(round_, by=many.maintainer) == 1
        assert CorrectedScore.objects.get().value == pytest.approx(corrected.value)
        page = client_of(many.maintainer).get(reverse("grading-outcome", args=[round_.slug])).content.decode()
        assert "A corrected score needs" not in page

    @pytest.mark.parametrize(("n_good", "mean"), [(18, (18 - 15) * 0.5 / N), (0, 0.0)])
    def test_a_corrected_score_is_clipped_as_the_mean_on_the_board_is(
        self, server: JudgeServer, n_good: int, mean: float
    ) -> None:
        """Without clipping the first would have an interval from below 0, and the second a mean of nearly -½."""
        reports = {f"test-{n}": "Of builders." for n in range(1, N)}
        round_ = created(placed(declared(N, parameters='clip = "mean"'), reports))

        def found(_: Grader, answer: GradedAnswer) -> Ticked:
            is_good = self.place_of(answer) <= n_good
            return Ticked((is_good, False, False, not is_good))

        grade_at_once(round_, found)
        ((_, _, corrected),) = corrected_scores(round_, judged_sets_of(round_))
        assert [corrected.value, corrected.low] == pytest.approx([mean, 0.0])
        assert corrected.high > 0.1 if n_good else corrected.high == 0.0

    def test_an_answer_without_all_verdicts_is_not_compared_and_its_score_not_corrected(self, many: Ground) -> None:
        round_ = created(many)
        grade_at_once(round_, self.found)
        Question.objects.filter(qid="test-1").update(text="Another question?")
        assert corrected_scores(round_, judged_sets_of(round_)) == []
        (view,) = judge_validations_of(round_, judged_sets_of(round_))
        assert (view["whole"].n_items, view["n_unsure"]) == (3 * (N - 2), N - 2)
