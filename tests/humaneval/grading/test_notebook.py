"""The notebook of a round: every figure of the page of the outcome follows from the JSON document beside it."""

import io
import random
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client

from humaneval.grading.desk.adjudication import decide
from humaneval.grading.grade_scores import Ticked
from humaneval.models import Grade, GradedAnswer, GradedAnswerOrigin, GradeKind, Grader, GradingRound, Selection
from humaneval.results.answer_sets import make_answer_set
from leaderboard.models import Submission, User
from scoring.models import Run, Score, Split, vector_bytes
from scoring.models.run_states import RunState
from scoring.queries import items_to_score, target_signatures
from scoring.statistics import JudgeValidation
from tests import factories, study_people
from tests.humaneval.grading import test_criteria, test_judge_validation
from tests.humaneval.grading.ground import grade_at_once
from tests.humaneval.results.test_notebook import code_of, require_no_site
from tests.judge_server import Chat, JudgeServer, Play

pytestmark = pytest.mark.django_db
sent, owner, dev = test_judge_validation.sent, test_judge_validation.owner, test_judge_validation.dev
server = test_criteria.server
N_PEOPLE = 11


def figures_of(client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, list[Any]]:
    """The figures that the notebook of a downloaded archive computes, without those that are unknown."""
    content = client.get("/grading/spring/export.zip").content
    zipfile.ZipFile(io.BytesIO(content)).extractall(folder)
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    for cell in code_of(folder):
        exec(cell, names)
    return {name: [one for one in numbers if one is not None] for name, numbers in names["figures"].items()}


@pytest.fixture
def graded(owner: User, sent: Submission, dev: Split) -> GradingRound:
    """A system and a study, judged and graded by three graders who differ, with decisions, calibration and names."""
    study = factories.study(owner, dev)
    for number in range(1, N_PEOPLE + 1):
        who = study_people.participant(study, number)
        for place in range(4):
            study_people.assigned(who, place + 1, f"dev-{(5 * number + place) % 44}", f"Oslo {number}")
    result = make_answer_set(study, by=owner)
    judge = Run.objects.get(answer_set=result.answer_set, metric="judge")
    dice = random.Random(5)
    assert dev.current_revision is not None
    n = len(items_to_score(result.answer_set, dev.current_revision))
    values = np.array([float(dice.random() < 0.6) for _ in range(n)])
    signature = target_signatures(dev)["judge"]
    Run.objects.filter(pk=judge.pk).update(state=RunState.DONE, signature=signature)
    measured = {"vector": vector_bytes(values), "n_items": n, "n_answered": n, "signature": signature}
    Score.objects.create(run=judge, name="judge", value=values.mean(), **measured)
    round_ = factories.grading_round(
        owner,
        dev,
        graders=[factories.user(f"grader{number}") for number in range(3)],
        files=list(sent.files.all()),
        studies=[study],
        graders_per_answer=3,
        selection=Selection.SAMPLE,
        n_answers=80,
        calibration_start=0,
    )

    def ticked(grader: Grader, answer: GradedAnswer) -> Ticked:
        right = tuple(dice.random() < 0.75 + grader.number / 20 for _ in range(answer.n_items))
        return Ticked(right, contradicts=not any(right), extra_right=dice.random() < 0.2)

    grade_at_once(round_, ticked)
    answers = list(round_.answers.order_by("position"))
    for number, answer in enumerate(answers[:12]):
        said = Ticked((number % 3 > 0,) * answer.n_items, refuses=number % 3 == 0)
        if number > 8:
            round_.answers.filter(pk=answer.pk).update(is_calibration=True)
        kind = GradeKind.KNOWN if number > 8 else GradeKind.DECISION
        decide(round_=round_, answer=answer, kind=kind, by=owner, ticked=said)
    Grade.objects.filter(slot__grader__number=3, graded_answer__in=answers[40:]).delete()
    named = Grade.objects.filter(kind=GradeKind.GRADE, graded_answer__in=answers[20:23])
    named.update(named=True)
    GradedAnswerOrigin.objects.filter(graded_answer__in=answers[30:40]).update(probability=0.4)
    study.participants.filter(number=N_PEOPLE).update(excluded_at=round_.created_at)
    return round_


def estimate(one: Any) -> list[float]:
    return [end for end in (one.value, one.low, one.high) if end is not None]


def agreement_on(page: Any) -> dict[str, list[Any]]:
    """The figures of agreement on the page of the outcome, by their names in the notebook."""
    agreement, by_criteria = page["agreement"], page["by_criteria"]
    measures = {f"{what}: {coefficient}": found for what, coefficient, found, _ in agreement["measures"]}
    for pair, items, letters in agreement["kappas"]:
        measures |= (
            {f"{pair}, criteria": items} if by_criteria else {f"{pair}, items": items, f"{pair}, letters": letters}
        )
    measures |= {f"Leniency of {code}": bias for code, bias in agreement["biases"]}
    counts = [agreement[name] for name in ("n_answers", "n_shared", "n_items")]
    of_all = {"Who wrote it": [page["n_named"]], "Agreement": counts}
    return of_all | {f"Agreement: {name}": [*estimate(one), one.n_items] for name, one in measures.items()}


def validation_on(page: Any) -> dict[str, list[Any]]:
    """The figures of the judge beside people on that page."""
    (validation,) = page["validations"]
    tables = [("all", validation["whole"])]
    tables += [(f"{label}, {name}", group) for label, groups in validation["tables"] for name, group in groups]
    expected = {f"{validation['signature']}: {name}": measures_of(group) for name, group in tables}
    return expected | {f"{validation['signature']}: undecided": [validation["n_undecided"]]}


def corrected_on(page: Any) -> dict[str, list[Any]]:
    """The corrected scores on that page."""
    return {
        f"Corrected scores: {name} ({score.signature})": [score.value, *estimate(found), found.n_graded]
        for score, name, found in page["corrected"]
    }


def measures_of(group: JudgeValidation) -> list[float]:
    estimates = group.accuracy, group.sensitivity, group.specificity, group.kappa, group.bias
    return [*group.confusion.ravel(), *(end for one in estimates for end in estimate(one)), group.n_items]


def test_it_computes_every_figure_of_the_outcome(
    client: Client, owner: User, graded: GradingRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(owner)
    page = client.get("/grading/spring/outcome/").context
    expected = agreement_on(page) | validation_on(page) | corrected_on(page)
    assert len(page["agreement"]["kappas"]) == len(page["agreement"]["biases"]) == 3
    assert min(page["n_named"], page["validations"][0]["n_undecided"]) > 0
    assert len(page["corrected"]) == 2
    (bound,) = page["bounds"]
    strict = [bound.strict, bound.strict_low, bound.strict_high]
    counts = [bound.n_answers, bound.n_calibration, bound.n_people, bound.n_questions]
    expected[f"Human performance: {bound.study.slug}"] = [bound.loose, bound.low, bound.high, *strict, *counts]
    assert bound.n_people < N_PEOPLE
    figures = figures_of(client, tmp_path, monkeypatch)
    assert figures.keys() == expected.keys()
    for name, numbers in expected.items():
        assert figures[name] == pytest.approx(numbers, abs=1e-12), name


def test_a_round_of_disagreements_without_grades_has_no_figures(
    client: Client, owner: User, graded: GradingRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    GradingRound.objects.update(selection=Selection.DISAGREEMENTS)
    client.force_login(owner)
    names = figures_of(client, tmp_path, monkeypatch).keys()
    assert not [name for name in names if name.startswith(("Corrected", "Human"))]
    Grade.objects.all().delete()
    assert figures_of(client, tmp_path, monkeypatch) == {"Who wrote it": [0]}
    require_no_site(tmp_path)


N_REPORTS = 40
CLIPPED = 'clip = "mean"'


def is_met(chat: Chat) -> bool:
    return "Not Satisfied" not in str(test_criteria.by_word(chat).message)


@pytest.fixture(params=["", CLIPPED, "scale = 10"], ids=["as it is", "clipped", "on a scale"])
def decided(server: JudgeServer, request: pytest.FixtureRequest) -> GradingRound:
    """Reports of a system, of whose criteria two people decide most alike, some in part, and some of which neither can
    say; the maintainer settles a few, and the last question has no report. Where the mean is clipped, each report has a
    fault. On a scale, the judge gives 9 for what is met and 4 for what is not."""
    if "scale" in request.param:
        server.rule = lambda chat: Play("text", message='{"score": 9}' if is_met(chat) else '{"score": 4}')
    texts = "Of builders and a year, invented.", "Of builders.", "Of builders."
    reports = {f"test-{n}": texts[n % 3] for n in range(1, N_REPORTS)}
    place = test_criteria.placed(test_criteria.declared(N_REPORTS, parameters=request.param), reports)
    round_ = test_criteria.created(place, selection=Selection.SAMPLE, n_answers="36")
    dice = random.Random(3)

    def said(grader: Grader, answer: GradedAnswer) -> Ticked:
        unsure = answer.position % 6 == 0 or dice.random() < 0.1
        is_invented = request.param == CLIPPED or answer.position % 4 == 0
        return Ticked((dice.choice((True, True, 0.5)), None if unsure else False, dice.random() < 0.2, is_invented))

    grade_at_once(round_, said)
    for number, answer in enumerate(round_.answers.order_by("position")[:6]):
        right = Ticked((True, number % 2 == 0, None if number == 4 else False, False))
        decide(round_=round_, answer=answer, kind=GradeKind.DECISION, by=place.maintainer, ticked=right)
    return round_


def test_it_computes_every_figure_of_decisions_about_criteria(
    client: Client, decided: GradingRound, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(decided.owner)
    page = client.get("/grading/spring/outcome/").context
    agreement, (validation,) = page["agreement"], page["validations"]
    expected = agreement_on(page) | validation_on(page) | corrected_on(page)
    expected["Agreement: could not say"] = [agreement["n_unsure"]]
    expected[f"{validation['signature']}: nobody could say"] = [validation["n_unsure"]]
    assert [heading for heading, _ in validation["tables"]] == ["By system", "By category", "By dimension"]
    assert min(agreement["n_unsure"], validation["n_undecided"], validation["n_unsure"]) > 0
    ((score, _, found),) = page["corrected"]
    assert (found.low == 0) == ("clip:mean" in score.signature)
    figures = figures_of(client, tmp_path, monkeypatch)
    assert figures.keys() == expected.keys()
    for name, numbers in expected.items():
        assert figures[name] == pytest.approx(numbers, abs=1e-12), name
