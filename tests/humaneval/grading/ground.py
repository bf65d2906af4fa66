"""A site with answers to grade, and rounds of them, made through the services."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.test import Client
from django.utils import timezone

from humaneval.grading.desk import adjudication
from humaneval.grading.desk import services as desk
from humaneval.grading.grade_scores import MARKS, Ticked
from humaneval.models import Grade, GradedAnswer, GradeKind, Grader, GradingRound, GradingSlot, Study
from leaderboard.models import Submission, SubmissionFile, User
from scoring.models import Split
from tests import factories, study_people

SYSTEM = "Quixotic-77 Turbo"
"""A system's name that stands nowhere else."""


@dataclass
class Ground:
    """Submissions by ada to a hidden split, a maintainer, and two graders."""

    split: Split
    maintainer: User
    ada: User
    submissions: list[Submission]
    people: list[User]

    @property
    def files(self) -> list[SubmissionFile]:
        return list(SubmissionFile.objects.filter(submission__in=self.submissions).order_by("pk"))

    def round(self, **fields: Any) -> GradingRound:
        given: dict[str, Any] = {"graders": self.people, "files": self.files} | fields
        return factories.grading_round(self.maintainer, self.split, **given)


def ground(n: int = 6, *, systems: Sequence[str] = (SYSTEM,), text: str = "") -> Ground:
    made = factories.benchmark(n_test=n)
    split = factories.split(made, "test")
    ada = factories.user("ada")
    answers = {qid: f"{text}{answer}" for qid, answer in factories.perfect("test", n, right=n // 2).items()}
    sent = [factories.submission(ada, split, {"openbook": answers}, name=name) for name in systems]
    return Ground(
        split=split,
        maintainer=factories.maintainer(),
        ada=ada,
        submissions=sent,
        people=[factories.user("greta"), factories.user("gunnar")],
    )


def answered_study(place: Ground, encyclopedia: str = "", text: str = "Oslo, as I read.", **fields: Any) -> Study:
    """A study with one answer, to the split's first question."""
    study = factories.study(place.maintainer, place.split, encyclopedia=encyclopedia, **fields)
    study_people.assigned(study_people.participant(study, 1), 1, f"{place.split.slug}-0", text)
    return study


def round_form(place: Ground, **typed: Any) -> dict[str, Any]:
    """What a maintainer sends to make a round of all answers by two graders."""
    return {
        "name": "Autumn",
        "systems": [file.pk for file in place.files],
        "selection": "all",
        "graders": "greta, gunnar",
        "graders_per_answer": "2",
        "shared_percent": "100",
        "n_calibration": "0",
        "calibration_percent": "10",
        "guidelines": "Tick.",
        "seed": "1",
    } | typed


def client_of(user: User | None = None) -> Client:
    """A browser in which a user has signed in, or nobody."""
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def grader(round_: GradingRound, number: int = 1) -> Grader:
    return round_.graders.select_related("round__revision", "user").get(number=number)


def ticks(n_items: int, n_on: int, **marks: bool) -> Ticked:
    """The first so many items ticked; if none is, the answer contradicts."""
    wrong = {} if n_on else {"contradicts": True}
    return Ticked(tuple(index < n_on for index in range(n_items)), **wrong | marks)


def know_all(round_: GradingRound, by: User) -> None:
    """Give each calibration answer its known grade, with every item ticked."""
    for answer in round_.answers.filter(is_calibration=True):
        whole = ticks(answer.n_items, answer.n_items)
        adjudication.decide(round_=round_, answer=answer, kind=GradeKind.KNOWN, by=by, ticked=whole)


def grade_next(who: Grader, share: float = 1.0, *marks: str, **said: Any) -> GradingSlot | None:
    """Grade what the grader has on the screen, with that share of the items ticked and some marks."""
    held = desk.hold(who)
    if not held:
        return None
    _grade(who, held[0], share, *marks, **said)
    return held[0]


def grade_all(who: Grader, share: float = 1.0) -> int:
    n = 0
    while held := desk.hold(who):
        for slot in held:
            _grade(who, slot, share)
        n += len(held)
    return n


def _grade(who: Grader, slot: GradingSlot, share: float, *marks: str, **said: Any) -> None:
    n_items = slot.graded_answer.n_items
    ticked = ticks(n_items, round(share * n_items), **dict.fromkeys(marks, True))
    desk.save_grade(grader=who, slot=slot.pk, ticked=ticked, **said)


def grade_at_once(
    round_: GradingRound, ticked: Callable[[Grader, GradedAnswer], Ticked], seconds: float | None = None
) -> None:
    """What the desk stores when each grader has graded each answer of a round without calibration, inserted as rows.

    For tests of what comes after grading; a hundred grades through the desk take seconds.
    """
    now = timezone.now()
    graders = list(round_.graders.order_by("number"))
    slots = list(GradingSlot.objects.filter(graded_answer__round=round_).select_related("graded_answer__question"))
    grades = []
    for slot in slots:
        who = graders[slot.number - 1]
        slot.grader, slot.claimed_at, slot.graded_at, slot.lease_until = who, now, now, now + desk.LEASE
        found = ticked(who, slot.graded_answer)
        grades.append(
            Grade(
                graded_answer=slot.graded_answer,
                kind=GradeKind.GRADE,
                slot=slot,
                author_id=who.user_id,
                version=1,
                ticks=list(found.ticks),
                seconds=seconds,
                made_at=now,
                **{mark: getattr(found, mark) for mark in MARKS},
            )
        )
    GradingSlot.objects.bulk_update(slots, ["grader", "claimed_at", "graded_at", "lease_until"])
    Grade.objects.bulk_create(grades)
