"""Studies in which people answer a benchmark's questions, check answers to them, or rate texts."""

import datetime
from typing import Any, ClassVar, Final

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.utils import timezone

from humaneval.models.exclusion_rules import validate_rules
from humaneval.models.platforms import Platform, validate_completions
from leaderboard.models import User
from scoring.models import Question, Setting, Split

QUESTION_NEEDED: Final = "A fixed list needs at least one question."
CLOSES_TOO_EARLY: Final = "The closing time must be after the opening time."
NO_FIXED_ITEMS: Final = "Items are sampled by their number of votes. Choose another sampling, and no question IDs."
NO_CHECKS_OF_ITEMS: Final = "Attention checks are for studies with written answers. Leave this empty."
TEXTS_EXPECTED: Final = "A list of texts is expected."
STATEMENT: Final = {
    "purpose": "Purpose",
    "duration": "Time that it takes",
    "risks": "Risks",
    "readers": "Who sees your answers",
    "responsible": "Responsible",
    "institution": "Institution",
    "approval": "Approval",
    "contact": "Contact",
}
"""What a review board wants to read in a consent text, besides the text itself: labels, by the names of a study's
fields."""
RETENTION: Final = {
    "keeps_texts_days": "What you type (answers, notes, marks, searches, addresses of articles) is deleted {days} "
    "after the study ends. Choices, scores, times, and the titles of the articles that you open or add are kept.",
    "keeps_codes_days": "Your link, your receipt code, your email address and your ID on a platform are deleted {days} "
    "after the study ends. From then on, your link no longer works.",
}
"""What a consent text says of a study's time limits, by the names of the fields; `humaneval.results.retention` does it.
Not translated: it is part of the text that participants agree to, whose every change is asked again."""
PLATFORM_STATEMENT: Final = (
    "your ID on {}, and that of your submission there, to pay you and to admit nobody twice. Only the study team sees "
    "them; exports of the data have a pseudonym instead."
)
CODE_STAYS: Final = (
    "If you withdraw, they are deleted, and a code that stands for your ID stays, so that nobody takes part twice."
)
"""What the consent text of a study on a platform says if it deletes on withdrawal, and what withdrawing then does."""


class SamplingMethod(models.TextChoices):
    """How the questions of each participant are drawn."""

    RANDOM = "random", "Random, without repeats for a participant"
    BALANCED = "balanced", "Balanced: each question reaches the target number of answers before any exceeds it"
    STRATIFIED = "stratified", "Stratified: random within categories, in proportion to the split"
    FIXED = "fixed", "Fixed list, the same for every participant"
    PLANNED = "planned", "Planned: each question, of a list or of the split, gets exactly the target number of answers"


class Kind(models.TextChoices):
    """What people do in a study; `humaneval.studies.kinds` has what differs between them."""

    ANSWER = "answer", "Answer questions with an encyclopedia"
    ITEMS = "items", "Check answers against passages"
    PAIRS = "pairs", "Compare answers side by side"
    RATINGS = "ratings", "Rate items"


class StudyState(models.TextChoices):
    """The state of a study, by its dates only."""

    DRAFT = "draft", "Draft"
    OPEN = "open", "Open"
    CLOSED = "closed", "Closed"


class Withdrawal(models.TextChoices):
    """The treatment of a participant's answers on withdrawal, as in the consent text."""

    DELETE = "delete", "Deleted"
    ANONYMISE = "anonymise", "Anonymised"


class OnNamed(models.TextChoices):
    """The treatment of what people say of answers of which people said that an answer told them who wrote it."""

    LEAVE_OUT = "leave-out", "Left out"
    KEEP = "keep", "Kept"


def _require_attention_checks(value: Any) -> None:
    if not isinstance(value, list):
        raise ValidationError("A list of attention checks is expected.")
    for number, check in enumerate(value, start=1):
        answers = check.get("answers") if isinstance(check, dict) else None
        if (
            not isinstance(check, dict)
            or not isinstance(check.get("text"), str)
            or not isinstance(answers, list)
            or not answers
            or not all(isinstance(answer, str) and answer.strip() for answer in answers)
        ):
            raise ValidationError(
                f"Attention check {number}: an object with a text and a list of accepted answers is expected."
            )


def _require_texts(value: Any) -> None:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValidationError(TEXTS_EXPECTED)


def _stated(max_length: int, verbose_name: str | None = None, *, help_text: str = "") -> "models.CharField[str, str]":
    """A field of `STATEMENT`: a text that is empty unless it is stated."""
    return models.CharField(
        verbose_name, max_length=max_length, blank=True, default="", db_default="", help_text=help_text
    )


class Study(models.Model):
    """A study: its questions, its instructions and consent text, its limits and its opening times."""

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=200)
    owner = models.ForeignKey(User, on_delete=models.PROTECT, related_name="studies")
    split = models.ForeignKey(Split, on_delete=models.PROTECT, related_name="studies")
    setting = models.ForeignKey(Setting, on_delete=models.PROTECT, related_name="studies")
    kind = models.CharField("type", max_length=12, choices=Kind, default=Kind.ANSWER)
    consent_text = models.TextField(help_text="The text that participants agree to before they start.")
    purpose = _stated(500, help_text="Of the study, in a sentence or two.")
    duration = _stated(100, "time", help_text="Such as: about 40 minutes.")
    risks = _stated(500, help_text="Such as: none beyond those of reading.")
    readers = _stated(500, "who sees the answers", help_text="Such as: the study team.")
    responsible = _stated(200, "responsible person", help_text="Who answers for the study.")
    institution = _stated(200)
    approval = _stated(200, "approval number", help_text="Review board and number.")
    contact = _stated(
        200,
        help_text="Whom participants can ask: an email address, or a name with a telephone number. On every page.",
    )
    asks_publication = models.BooleanField(
        "ask whether answers may be published",
        default=False,
        db_default=False,
        help_text="A question of its own beside the consent text: people who say no can take part.",
    )
    keeps_texts_days = models.PositiveSmallIntegerField(
        "texts are deleted after",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Days after the end of the study (if it is never closed, after the last activity) until what "
        "participants typed is deleted; leave empty to keep it.",
    )
    keeps_codes_days = models.PositiveSmallIntegerField(
        "links and addresses are deleted after",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Days after the end of the study until links, receipt codes and email addresses are deleted; leave "
        "empty to keep them.",
    )
    texts_deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    codes_deleted_at = models.DateTimeField(null=True, blank=True, editable=False)
    instructions = models.TextField()
    questions_per_participant = models.PositiveIntegerField(default=10, validators=[MinValueValidator(1)])
    drawing = models.CharField(max_length=12, choices=SamplingMethod, default=SamplingMethod.RANDOM)
    seed = models.PositiveIntegerField(
        default=0, help_text="Seed of the sampling. The same seed selects the same questions."
    )
    answers_per_question = models.PositiveIntegerField(
        default=1,
        validators=[MinValueValidator(1)],
        help_text="Target number of answers per question, for balanced and planned sampling.",
    )
    question_ids = models.JSONField(
        default=list,
        blank=True,
        validators=[_require_texts],
        help_text="Question IDs, for a fixed list, or of a plan.",
    )
    attention_checks = models.JSONField(
        default=list,
        blank=True,
        validators=[_require_attention_checks],
        help_text='Questions that test attention: [{"text": "…", "answers": ["…"]}].',
    )
    n_qualification = models.PositiveSmallIntegerField(
        "qualification items",
        default=0,
        help_text="Number of loaded items of known outcome that are drawn for each attempt at the test.",
    )
    qualification_share = models.FloatField(
        "qualification threshold",
        default=0.8,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text="Share of an attempt at the test that must be right, 0 to 1.",
    )
    learning = models.JSONField(
        "examples, practice and test",
        default=list,
        db_default=[],
        blank=True,
        editable=False,
        help_text="Entries with use (example, practice or test), the texts of the type, expected (every answer that is "
        "right) and why.",
    )
    test_attempts = models.PositiveSmallIntegerField(
        "attempts at the test",
        default=1,
        db_default=1,
        choices=[(1, "One"), (2, "Two, with other questions")],
        help_text="With two attempts, the second half of the test is for those who fail the first: enter twice as many "
        "questions. Those who fail the last attempt are screened out.",
    )
    injected_share = models.FloatField(
        "injected wrong answers",
        default=0.1,
        validators=[MinValueValidator(0.0), MaxValueValidator(0.5)],
        help_text="Wrong answers added, as a share of the items or pairs, 0 to 0.5.",
    )
    checked_share = models.FloatField(
        "staff check",
        default=0.05,
        validators=[MinValueValidator(0.0), MaxValueValidator(1.0)],
        help_text="Share of the accepted items that the team checks, 0 to 1.",
    )
    declaration = models.TextField(
        blank=True, editable=False, help_text="What participants rate on which scales, as uploaded: TOML."
    )
    practice_question = models.ForeignKey(
        Question,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Must be from a split with public answers, because participants see the reference.",
    )
    encyclopedia = models.CharField(
        max_length=500,
        blank=True,
        help_text="zim:/path or mediawiki:https://…. Leave empty to use the site's encyclopedia.",
    )
    on_withdrawal = models.CharField(max_length=10, choices=Withdrawal, default=Withdrawal.DELETE)
    counts_unfinished = models.BooleanField(
        "count unfinished answers",
        default=False,
        help_text="Also counts answers that were saved while being typed and never marked done, unless the participant "
        "finished the study.",
    )
    masks = models.JSONField(
        default=list,
        db_default=[],
        blank=True,
        validators=[_require_texts],
        help_text="Texts masked in the answers of pairs, besides the names of the systems.",
    )
    on_named = models.CharField(
        "choices, votes and ratings on answers that told who wrote them",
        max_length=10,
        choices=OnNamed,
        default=OnNamed.LEAVE_OUT,
        db_default=OnNamed.LEAVE_OUT,
        help_text="Whether those count that participants marked with “This answer told me who wrote it”.",
    )
    on_shared_computer = models.BooleanField(
        "participants share computers",
        default=False,
        db_default=False,
        help_text="The last page has the button “Done”, which ends the session in this browser; closing the browser "
        "does too.",
    )
    seats = models.PositiveIntegerField(default=14, validators=[MinValueValidator(1)])
    release_hours = models.PositiveSmallIntegerField(
        "released after",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Hours without activity after which the seat of a participant who has not finished is given to the "
        "next person; leave empty to release none.",
    )
    reward_note = models.TextField(blank=True)
    platform = models.CharField(
        max_length=10,
        choices=Platform,
        blank=True,
        default="",
        db_default="",
        help_text="Platform that recruits and pays. People who open a shared link must then come from there.",
    )
    completions = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        editable=False,
        validators=[validate_completions],
        help_text="By outcome: the address that people open at the end, or the code that they copy.",
    )
    time_limit = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Minutes between consent and finishing, after which taking part ends; leave empty for no limit.",
    )
    pay = models.DecimalField(
        max_digits=8,
        decimal_places=2,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text="What a person is paid for finishing; leave empty if nothing.",
    )
    currency = models.CharField(
        max_length=3,
        blank=True,
        default="",
        db_default="",
        validators=[RegexValidator("^[A-Z]{3}$", "Enter three capital letters, such as GBP.")],
        help_text="Of the pay, such as GBP, USD or EUR.",
    )
    exclusion_rules = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        editable=False,
        validators=[validate_rules],
        help_text="By the names of the rules: the number of each.",
    )
    opens_at = models.DateTimeField(null=True, blank=True, help_text="Leave empty to keep the study a draft.")
    closes_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["-created_at", "slug"]
        verbose_name_plural = "studies"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(closes_at__isnull=True)
                | models.Q(opens_at__isnull=True)
                | models.Q(closes_at__gt=models.F("opens_at")),
                name="study_closes_after_it_opens",
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def consent_in_full(self) -> str:
        """The consent text with what is stated of the study, as participants agree to it."""
        stated = {label: str(getattr(self, name)) for name, label in STATEMENT.items()}
        if self.platform:
            stays = f" {CODE_STAYS}" if self.on_withdrawal == Withdrawal.DELETE else ""
            stated["Also recorded"] = PLATFORM_STATEMENT.format(self.get_platform_display()) + stays
        if self.time_limit:
            stated["Time limit"] = f"Participation ends {self.time_limit} min after you agree."
        if self.pay is not None:
            stated["Pay"] = f"{self.pay} {self.currency} for finishing."
        limits = {name: getattr(self, name) for name in RETENTION}
        if not any(stated.values()) and not any(limits.values()):
            return self.consent_text
        stated["Pay"] = " ".join(f"{stated.get('Pay', '')} {self.reward_note}".split())
        lines = [f"- {label}: {value}" for label, value in stated.items() if value]
        for name, sentence in RETENTION.items():
            if limits[name]:
                lines.append("- " + sentence.format(days="1 day" if limits[name] == 1 else f"{limits[name]} days"))
        return "\n".join([self.consent_text, "", "About this study:", "", *lines])

    def state_at(self, moment: datetime.datetime) -> StudyState:
        if self.opens_at is None or moment < self.opens_at:
            return StudyState.DRAFT
        if self.closes_at is not None and moment >= self.closes_at:
            return StudyState.CLOSED
        return StudyState.OPEN

    @property
    def state(self) -> StudyState:
        return self.state_at(timezone.now())

    def clean(self) -> None:
        """Validate the study for forms: report every inconsistency.

        Raises:
            ValidationError: by field.
        """
        problems: dict[str, str] = {}
        if self.setting_id and self.split_id and self.setting.benchmark_id != self.split.benchmark_id:
            problems["setting"] = (
                f"{self.setting} and {self.split} belong to different benchmarks. Choose a setting of the same "
                f"benchmark."
            )
        if self.opens_at and self.closes_at and self.closes_at <= self.opens_at:
            problems["closes_at"] = CLOSES_TOO_EARLY
        if self.practice_question and self.practice_question.revision.split.hidden:
            problems["practice_question"] = "Choose a question from a split with public answers."
        if self.pay is not None and not self.currency:
            problems["currency"] = "Enter the currency of the pay, such as GBP."
        if self.split_id:
            problems |= self._question_problems()
        if problems:
            raise ValidationError(problems)

    def _question_problems(self) -> dict[str, str]:
        if self.kind != Kind.ANSWER:  # all other types are about items
            problems = {}
            if self.drawing == SamplingMethod.FIXED or self.question_ids:
                problems["drawing"] = NO_FIXED_ITEMS
            if self.attention_checks:
                problems["attention_checks"] = NO_CHECKS_OF_ITEMS
            return problems
        revision = self.split.current_revision
        known = set(revision.questions.values_list("qid", flat=True)) if revision else set()
        if not known:
            return {"split": f"{self.split} has no questions yet."}
        listed = self.drawing == SamplingMethod.PLANNED and self.question_ids
        if self.drawing == SamplingMethod.FIXED or listed:
            unknown = sorted(set(self.question_ids) - known)
            if not self.question_ids:
                return {"question_ids": QUESTION_NEEDED}
            if unknown:
                return {"question_ids": f"{self.split} has no question {', '.join(unknown[:5])}."}
            if len(set(self.question_ids)) < len(self.question_ids):
                return {"question_ids": "The list contains a question more than once. Remove the duplicates."}
        if self.drawing == SamplingMethod.FIXED:
            return {}
        n_pool = len(self.question_ids) if listed else len(known)
        if self.questions_per_participant - len(self.attention_checks) > n_pool:
            place = "The list" if listed else str(self.split)
            return {"questions_per_participant": f"{place} has only {n_pool:,} questions."}
        if self.attention_checks and len(self.attention_checks) >= self.questions_per_participant:
            return {
                "attention_checks": f"Attention checks are among the {self.questions_per_participant} questions of a "
                "participant. Enter fewer checks, or more questions."
            }
        return {}

    @property
    def n_asked(self) -> int:
        """How many questions a participant is asked, with the attention checks among them; they look alike."""
        fixed = self.drawing == SamplingMethod.FIXED
        return len(self.question_ids) + len(self.attention_checks) if fixed else self.questions_per_participant
