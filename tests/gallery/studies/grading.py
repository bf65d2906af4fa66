"""Grading rounds: nothing graded, graders who differ, a judge on trial, a correction that is not accepted."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from django import forms
from django.utils import timezone
from django.utils.translation import gettext

from humaneval.grading.desk.page import NOTHING_AND_MORE, UNDECIDED, Filled, Screen
from humaneval.grading.grade_scores import VERDICTS
from humaneval.grading.guidelines import EXAMPLES
from humaneval.grading.outcome.agreement import ALPHA, KAPPA
from humaneval.grading.outcome.correction_views import CorrectionForm
from humaneval.grading.outcome.reference_corrections import Correction
from humaneval.grading.outcome.upper_bounds import UpperBound
from humaneval.grading.rounds.forms import ExtendForm, RoundForm
from humaneval.grading.rounds.sampling import Candidate
from humaneval.grading.rounds.selection import ChosenAnswers
from humaneval.models import (
    CorrectionState,
    Grade,
    GradeKind,
    Grader,
    GradingRound,
    GradingSlot,
    ReferenceCorrection,
    Study,
)
from humaneval.studies.evidence_measures import Gold
from leaderboard.models import SubmissionFile, User
from scoring.analysis.explanations import Piece, ReferenceLine
from scoring.analysis.reference_items import Item
from scoring.metrics.list_judge import list_agreement
from scoring.metrics.rubric.references import Criterion
from scoring.models import Question, Revision, Score
from scoring.statistics import Corrected, Estimate, Interval, JudgeValidation
from scoring.task_types import task_type_named
from tests.gallery.site import SamplePage
from tests.gallery.site.console import split
from tests.gallery.site.systems import LONG_REPORT
from tests.gallery.site.texts import LONG_NAME, LONG_WORD
from tests.gallery.studies.ground import DAY, KEEPER, LONG_QUESTION, QUESTIONS, page, study

ENDS = Interval(0.424, 0.756)


def _round(**fields: Any) -> GradingRound:
    usual: dict[str, Any] = {
        "slug": "sample",
        "name": f"{LONG_NAME}, {LONG_WORD}",
        "revision": Revision(split=split(hidden=False), content_hash="0" * 64),
        "guidelines": "Compare.",
        "created_at": timezone.now() - DAY,
    }
    return GradingRound(**(usual | fields))


def _counted(round_: Any, n_answers: int, n_slots: int, n_graded: int) -> Any:
    round_.n_answers, round_.n_slots, round_.n_graded = n_answers, n_slots, n_graded
    return round_


def _grader(round_: GradingRound, number: int, name: str, **fields: Any) -> Any:
    return Grader(round=round_, user=User(username=name), number=number, **fields)


# --- A round -------------------------------------------------------------------------------------------------------


def _new() -> dict[str, Any]:
    """A form with long choices, and errors side by side with fields that have none."""
    sent = {"name": "", "graders": "", "graders_per_answer": "0", "n_answers": "-1", "selection": "all", "seed": "1"}
    form = RoundForm(sent, systems=SubmissionFile.objects.none(), studies=Study.objects.none())
    form.fields["systems"] = forms.MultipleChoiceField(
        choices=[(name, f"{name}, open book (724 answers)") for name in (LONG_WORD * 2, LONG_NAME, "A system")],
        widget=forms.CheckboxSelectMultiple,
        label="Answers of systems",
    )
    return {"form": form, "split": split(hidden=False), "nothing": False}


def _many() -> dict[str, Any]:
    """A search among many files, and the plan of the round, which is not made yet."""
    shown = _new()
    typed = {"name": LONG_NAME, "systems": [LONG_WORD * 2], "search": LONG_WORD}
    form = RoundForm(initial=typed, systems=SubmissionFile.objects.none(), studies=Study.objects.none())
    form.fields["search"] = copy.deepcopy(RoundForm.base_fields["search"])
    form.fields["search"].help_text = "1 ticked, listed first. Not ticked: 1,999 found, the first 100 listed."
    form.fields["systems"] = shown["form"].fields["systems"]
    answers = [Candidate(str(number), "", f"file {number < 1200}", "") for number in range(1240)]
    chosen = ChosenAnswers(answers, answers[:10], {"": 1.0}, {}, [])
    plan = {"round": GradingRound(graders_per_answer=2, answers_per_grader=100), "chosen": chosen, "n_graders": 25}
    return shown | {"form": form, "plan": plan}


def _extend(**fields: Any) -> dict[str, Any]:
    """A plan that is extended, with errors; or a closed round."""
    shown = _round(answers_per_grader=100, **fields)
    sent = {"n_before": "1240", "n_answers": "-1", "graders": "", "answers_per_grader": "0"}
    form = ExtendForm(sent, round_=shown, systems=SubmissionFile.objects.none(), studies=Study.objects.none())
    return {"round": shown, "grader": _grader(shown, 1, "greta"), "form": form}


def _corrections() -> dict[str, Any]:
    """One to decide, with a form that was refused, and one that was decided."""
    shown, now = _round(), timezone.now()
    slot = GradingSlot(grader=_grader(shown, 1, "greta"))
    grades = (
        Grade(slot=slot, proposal="The last one is missing."),
        Grade(kind=GradeKind.DECISION, note=f"Dated. {LONG_WORD}"),
    )
    decision = ReferenceCorrection(
        round=shown,
        state=CorrectionState.ACCEPTED,
        answer_json='{"Norway": "Oslo"}',
        note=f"As proposed. {LONG_WORD}",
        decided_by=KEEPER,
        decided_at=now,
    )
    lines = (("Norway", "Oslo"), (LONG_WORD, "Lima"), ("1951",))
    corrections = [
        (Correction(Question(qid=qid, text=text), grades, decided), lines, f'{{"{LONG_WORD}":"Lima"}}')
        for qid, text, decided in (("36146d2306ce9ca3", LONG_QUESTION, None), ("e9", QUESTIONS[0], decision))
    ]
    refused = CorrectionForm(
        {"state": CorrectionState.ACCEPTED, "answer": "{not JSON", "note": ""}, task=task_type_named("text-answer")
    )
    refused.is_valid()
    return {"round": shown, "corrections": corrections, "form": refused, "failed": "36146d2306ce9ca3"}


def _desk() -> dict[str, Any]:
    """A long answer with masked words, and what could not be saved."""
    shown = _round(graders_per_answer=2)
    items = (Item(0, "Norway", is_key=True), Item(1, "Oslo", is_key=False, also=("Christiania",)))
    screen = Screen(
        position=7,
        question=LONG_QUESTION,
        asked=Question(text=LONG_QUESTION),
        lines=(ReferenceLine(items, 0), ReferenceLine((Item(2, LONG_WORD, is_key=False),), 1)),
        filled=Filled(ticks=frozenset({1}), none=True, note=LONG_WORD),
        answer=(Piece("I am ▮▮▮. It is "), Piece("Oslo", marked=True), Piece(f", {LONG_WORD}.")),
        n_left_out=1_204,
        masked=True,
        evidence=(Gold("Norway", 1, "https://en.wikipedia.org/wiki/Norway"), Gold(LONG_WORD, None)),
        again=True,
    )
    work = {"n_graded": 1_203, "n_left": 17, "percent": 98.0}
    problem = gettext(NOTHING_AND_MORE)
    return {"round": shown, "grader": _grader(shown, 1, "greta"), "work": work, "screens": [screen], "problem": problem}


def _criteria() -> dict[str, Any]:
    """A long report with its contents, and criteria that are decided, open, and a fault; one is missing."""
    shown = _desk()
    declared = (
        Criterion("Names both builders", 4.0, "Facts", "Each by the full name."),
        Criterion(f"Does not mention {LONG_WORD}", 1.0),
        Criterion("Invents a source", -5.0, "Sources", rubric=LONG_WORD),
    )
    items = (Item(number, one.criterion, is_key=False, criterion=one) for number, one in enumerate(declared))
    screen = replace(
        shown["screens"][0],
        lines=tuple(ReferenceLine((item,), 0) for item in items),
        filled=Filled(verdicts={0: "partly", 2: "met"}, note=LONG_WORD),
        choices=tuple(VERDICTS),
        answer=(),
        report=LONG_REPORT,
    )
    return shown | {"screens": [screen], "by_criteria": True, "problem": gettext(UNDECIDED) % {"numbers": "2"}}


def _guidelines() -> dict[str, Any]:
    return {"round": _round(), "grader": None, "can_maintain": True, "examples": EXAMPLES}


# --- What comes out ------------------------------------------------------------------------------------------------


def _trial(n: int) -> JudgeValidation:
    confusion = np.array([[n // 4, n // 8], [n // 8, n // 2]])
    kappa = Estimate(0.61 if n > 8 else None, ENDS if n > 8 else None, n)
    bias = Estimate(-0.048, Interval(-0.12, 0.03) if n > 8 else None, n)
    share = Estimate(0.75, Interval(0.61, 0.88), n)
    return JudgeValidation(n, confusion, share, kappa, bias, sensitivity=share, specificity=share)


def _outcome() -> dict[str, Any]:
    shown = _round(closed_at=timezone.now())
    undefined = Estimate(None, None, 1)
    agreement = {
        "n_answers": 1000,
        "n_shared": 940,
        "n_items": 8113,
        "measures": (
            ("Items, found or not", ALPHA, Estimate(0.606, ENDS, 8113), "item"),
            ("Letters, A to F", ALPHA, Estimate(0.53, None, 940), "answer"),
            ("Items, found or not", KAPPA, Estimate(0.604, ENDS, 8113), "item"),
        ),
        "kappas": (("G-01 and G-02", Estimate(0.605, ENDS, 663), undefined),),
        "biases": (("G-01", Estimate(-0.013, Interval(-0.098, 0.075), 940)), ("G-02", Estimate(None, None, 0))),
    }
    groups = tuple((name, _trial(n)) for name, n in ((LONG_NAME, 480), (LONG_WORD, 8), ("A system", 512)))
    trial = {
        "signature": f"judge|model:{LONG_WORD}|prompt:v2|data:dev@3f2a9c1b|manyhop:0.4.0",
        "whole": _trial(1000),
        "of_lists": False,
        "tables": (("By system", groups), ("By category", groups[1:])),
        "n_undecided": 12,
    }
    pairs = (
        (QUESTIONS[0], f"{LONG_NAME}, P-01", f"{LONG_NAME}, P-02", list_agreement(["Oslo"], ["oslo"])),
        (LONG_WORD, "Spring, P-01", "Spring, P-14", list_agreement(["Oslo", "Lima"], ["Oslo"])),
    )
    corrected = [
        (Score(value=0.612), party, Corrected(0.574, 0.531, 0.618, 940, 724))
        for party in (LONG_NAME, LONG_WORD, "A system")
    ]
    return {
        "round": shown,
        "grader": None,
        "agreement": agreement,
        "methods": "1,000 answers to 480 questions of FanOutQA (dev split) were selected for grading by hand.",
        "with_sources": True,
        "is_sample": True,
        "fewest": 30,
        "validations": [trial],
        "corrected": corrected,
        "corrected_name": "judge",
        "list_pairs": {"pairs": pairs, "shown": pairs, "n_accepted": 1},
        "bounds": [UpperBound(study(), 0.847, 0.79, 0.9, 0.71, 140, 14, 140)],
    }


def _criteria_outcome() -> dict[str, Any]:
    """The outcome of a round in which people decide criteria; one dimension has too few decisions."""
    shown = _outcome()
    dimensions = (
        (LONG_NAME, ALPHA, Estimate(0.58, ENDS, 5000), "decision"),
        (LONG_WORD, ALPHA, Estimate(None, None, 0), "decision"),
    )
    agreement = shown["agreement"] | {"n_unsure": 14, "measures": dimensions}
    tables = (*shown["validations"][0]["tables"], ("By dimension", ((LONG_WORD, _trial(8)),)))
    trial = shown["validations"][0] | {"tables": tables, "n_unsure": 1}
    return shown | {"by_criteria": True, "agreement": agreement, "validations": [trial], "bounds": []}


def graders_pages() -> dict[str, SamplePage]:
    """The samples of what graders see."""
    return {
        "grading-desk": page("Grading desk, not accepted", "grading/desk", _desk),
        "grading-criteria": page("Grading desk, criteria", "grading/desk", _criteria),
        "guidelines": page("Guidelines", "grading/guidelines", _guidelines),
    }


def pages() -> dict[str, SamplePage]:
    """The samples by their names."""
    return {
        **graders_pages(),
        "round-errors": page("New round, not accepted", "grading/new", _new),
        "round-plan": page("New round of many files, with its plan", "grading/new", _many),
        "round-extended": page("Extend a round, not accepted", "grading/extend", _extend),
        "round-closed": page(
            "Extend a round that is closed", "grading/extend", lambda: _extend(closed_at=timezone.now())
        ),
        "corrections": page("Corrections, one not accepted", "grading/corrections", _corrections),
        "outcome": page("Outcome, the judge on trial", "grading/outcome", _outcome),
        "outcome-criteria": page("Outcome, by criteria", "grading/outcome", _criteria_outcome),
    }
