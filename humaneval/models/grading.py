"""Grading by hand: rounds, their answers and graders, slots, every grade, and decisions."""

from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone

from humaneval.models.answering import Assignment
from humaneval.models.studies import OnNamed, _require_texts
from leaderboard.models import User
from scoring.models import AnswerSet, Question, Revision


def _require_ticks(value: Any) -> None:
    if not isinstance(value, list) or not all(isinstance(item, bool) or item in (0.5, None) for item in value):
        raise ValidationError("A list of yes and no, one for each item, is expected; for criteria also 0.5 and null.")


class Selection(models.TextChoices):
    """How a round selects its answers from the candidates."""

    ALL = "all", "All"
    SAMPLE = "sample", "A random sample, spread evenly over systems and categories"
    DISAGREEMENTS = "disagreements", "Answers on which scores and earlier grades differ most"


class GradingRound(models.Model):
    """A set of answers that people grade against the reference answers of one revision."""

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="grading_rounds")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="grading_rounds")
    selection = models.CharField(max_length=14, choices=Selection, default=Selection.ALL)
    seed = models.PositiveIntegerField(default=0, help_text="Seed of all random sampling and ordering in the round.")
    sampling = models.JSONField(
        default=list,
        blank=True,
        help_text="For each source of answers, the number of answers and the probability of each to be graded.",
    )
    graders_per_answer = models.PositiveSmallIntegerField(
        default=2, validators=[MinValueValidator(1)], help_text="Number of graders for answers graded more than once."
    )
    shared_share = models.FloatField(
        default=1.0,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text="Share of answers with that many graders; the others get one.",
    )
    answers_per_grader = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Number of answers planned for each grader. Empty: graders take answers as they come.",
    )
    release_hours = models.PositiveSmallIntegerField(
        default=48,
        db_default=48,
        validators=[MinValueValidator(1)],
        help_text="Hours without activity after which the planned answers of a grader are released.",
    )
    calibration_share = models.FloatField(
        default=0.1,
        validators=[MinValueValidator(0.0), MaxValueValidator(0.5)],
        help_text="Share of calibration answers after the start.",
    )
    calibration_start = models.PositiveSmallIntegerField(
        default=3, help_text="Number of calibration answers at the start."
    )
    shows_matches = models.BooleanField(default=True, help_text="Highlight string metric matches in answers.")
    masks = models.JSONField(
        default=list, blank=True, validators=[_require_texts], help_text="Texts masked in answers."
    )
    on_named = models.CharField(
        max_length=10,
        choices=OnNamed,
        default=OnNamed.LEAVE_OUT,
        db_default=OnNamed.LEAVE_OUT,
        help_text="Whether grades count whose graders said that the answer told them who wrote it.",
    )
    guidelines = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    closed_at = models.DateTimeField(null=True, blank=True, help_text="When grading ended.")

    class Meta:
        ordering: ClassVar = ["-created_at", "slug"]

    def __str__(self) -> str:
        return self.name


class Grader(models.Model):
    """A grader in a round, shown to the others as G-01, G-02, … While the round is open, being a grader is the right to
    see the round's reference answers."""

    round = models.ForeignKey(GradingRound, on_delete=models.CASCADE, related_name="graders")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="gradings")
    number = models.PositiveIntegerField()
    added_at = models.DateTimeField(default=timezone.now, editable=False)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["round", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["round", "user"], name="grader_once_in_a_round"),
            models.UniqueConstraint(fields=["round", "number"], name="grader_number_unique_in_round"),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def code(self) -> str:
        """The grader's code everywhere: G-01, G-02, …"""
        return f"G-{self.number:02}"


class GradedAnswerOrigin(models.Model):
    """The source of an answer in a round; a separate table, which nothing shown to graders is made from.

    Exactly one of ``answer_set`` (of a submission, with its answer to the question) and ``assignment`` (of a study's
    participant) is set. Deleting the submission, or the participant's answer on withdrawal, removes the answer from its
    rounds, together with its grades.
    """

    answer_set = models.ForeignKey(AnswerSet, on_delete=models.CASCADE, null=True, blank=True, related_name="gradings")
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, null=True, blank=True, related_name="gradings")
    why = models.CharField(
        max_length=200, blank=True, help_text="Why the answer was selected, when selecting by disagreement."
    )
    probability = models.FloatField(
        null=True,
        blank=True,
        help_text="Probability with which the answer was drawn for grading, unless selected by disagreement.",
    )

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(answer_set__isnull=False, assignment__isnull=True)
                | models.Q(answer_set__isnull=True, assignment__isnull=False),
                name="graded_answer_is_a_submission_s_or_a_study_s",
            )
        ]

    def __str__(self) -> str:
        return f"Origin {self.pk}"


class GradedAnswer(models.Model):
    """An answer to be graded. Its position in the round is random, so that it does not reveal the source."""

    round = models.ForeignKey(GradingRound, on_delete=models.CASCADE, related_name="answers")
    position = models.PositiveIntegerField(help_text="From 1, in random order.")
    origin = models.OneToOneField(GradedAnswerOrigin, on_delete=models.CASCADE, related_name="graded_answer")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    n_items = models.PositiveIntegerField(help_text="Number of items in the reference answer.")
    n_wanted = models.PositiveSmallIntegerField(help_text="Number of graders planned.")
    is_calibration = models.BooleanField(
        default=False,
        help_text="A calibration answer: every grader gets it, and their grades are compared with the known grade.",
    )

    class Meta:
        ordering: ClassVar = ["round", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["round", "position"], name="graded_answer_position_unique_in_round")
        ]

    def __str__(self) -> str:
        return f"Answer {self.position}"


class GradingSlot(models.Model):
    """One of the grades that an answer needs: free, claimed until ``lease_until``, or graded.

    A grader claims it by a conditional UPDATE; an expired claim may be taken over by another grader.
    """

    graded_answer = models.ForeignKey(GradedAnswer, on_delete=models.CASCADE, related_name="slots")
    number = models.PositiveIntegerField(help_text="From 1; for calibration answers, the grader's number.")
    grader = models.ForeignKey(Grader, on_delete=models.RESTRICT, null=True, blank=True, related_name="slots")
    claimed_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    graded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["graded_answer", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["graded_answer", "number"], name="grading_slot_number_unique"),
            models.UniqueConstraint(fields=["graded_answer", "grader"], name="one_grading_slot_per_grader_and_answer"),
            models.CheckConstraint(
                condition=models.Q(grader__isnull=True, lease_until__isnull=True, graded_at__isnull=True)
                | models.Q(grader__isnull=False, lease_until__isnull=False),
                name="taken_grading_slot_has_grader_and_lease",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["graded_at", "lease_until"], name="grading_slot_by_state")]

    def __str__(self) -> str:
        return f"{self.graded_answer}, {self.number}"


class GradeDraft(models.Model):
    """What a grader has decided so far of an answer with many criteria: no grade, and deleted when one is saved."""

    slot = models.OneToOneField(GradingSlot, on_delete=models.CASCADE, related_name="draft")
    grader = models.ForeignKey(
        Grader, on_delete=models.CASCADE, related_name="drafts", help_text="Another one may have the slot by now."
    )
    form = models.TextField(help_text="The fields of the form, URL-encoded.")
    saved_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"Draft of {self.slot}"


class GradeKind(models.TextChoices):
    """The kind of a grade."""

    GRADE = "grade", "Grader"
    KNOWN = "known", "Known grade (calibration)"
    DECISION = "decision", "Adjudication"


class Grade(models.Model):
    """One grade of an answer: append-only. The newest version of the same person, answer and kind counts.

    A grader's grade counts only while the slot is graded: reopening the slot leaves the grade stored.
    """

    graded_answer = models.ForeignKey(GradedAnswer, on_delete=models.CASCADE, related_name="grades")
    kind = models.CharField(max_length=10, choices=GradeKind, default=GradeKind.GRADE)
    slot = models.ForeignKey(
        GradingSlot,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="grades",
        help_text="Empty unless given by a grader.",
    )
    author = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    version = models.PositiveIntegerField(default=1)
    ticks = models.JSONField(
        validators=[_require_ticks],
        help_text="For each reference item, in order, whether the answer contains it.",
    )
    contradicts = models.BooleanField(default=False)
    extra_wrong = models.BooleanField("wrong claims beyond the reference", default=False)
    extra_right = models.BooleanField("correct facts beyond the reference", default=False)
    refuses = models.BooleanField("refuses, or does not answer", default=False)
    unclear_question = models.BooleanField(default=False)
    reference_wrong = models.BooleanField(default=False)
    named = models.BooleanField(
        "the answer told who wrote it", default=False, db_default=False, help_text="As the grader said."
    )
    note = models.TextField(blank=True)
    proposal = models.TextField(blank=True, help_text="Corrected reference, if it is marked as wrong.")
    seconds = models.FloatField(
        null=True, blank=True, help_text="Seconds on the screen; at most the time since the answer was reserved."
    )
    made_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["graded_answer", "made_at", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["slot", "version"], condition=models.Q(slot__isnull=False), name="grade_version_unique_in_slot"
            ),
            models.UniqueConstraint(
                fields=["graded_answer", "kind", "version"],
                condition=models.Q(slot__isnull=True),
                name="grade_version_unique_without_slot",
            ),
            models.CheckConstraint(
                condition=models.Q(kind=GradeKind.GRADE, slot__isnull=False)
                | (~models.Q(kind=GradeKind.GRADE) & models.Q(slot__isnull=True)),
                name="grader_s_grade_has_a_slot",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.graded_answer}, version {self.version}"

    @property
    def grader_code(self) -> str:
        """The code of its grader; empty for a known grade or a decision."""
        return self.slot.grader.code if self.slot is not None and self.slot.grader is not None else ""


class CorrectionState(models.TextChoices):
    """The decision about a reference answer that a grader marked as wrong."""

    ACCEPTED = "accepted", "Accepted"
    REJECTED = "rejected", "Rejected"


class ReferenceCorrection(models.Model):
    """A decision about a question whose reference answer graders marked as wrong: append-only, the newest counts."""

    round = models.ForeignKey(GradingRound, on_delete=models.CASCADE, related_name="corrections")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="+")
    state = models.CharField(max_length=10, choices=CorrectionState)
    answer_json = models.TextField(blank=True, help_text="The corrected reference answer as JSON, if accepted.")
    note = models.TextField(blank=True)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    decided_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["round", "decided_at", "pk"]

    def __str__(self) -> str:
        return f"{self.get_state_display()}: {self.question.qid}"
