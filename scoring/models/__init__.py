"""What is scored, against what, and what came out.

Nothing here knows who wrote an answer: submissions and studies point at an `AnswerSet`, never the other way.
Reference answers stand in `Reference`, which nothing outside this package may read.
"""

import io
import json
import uuid
from typing import Any, ClassVar

import numpy as np
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from numpy.typing import NDArray

from scoring.models.imports import ImportDraft
from scoring.models.judge import BudgetRelease, JudgeBatch, JudgeEstimate, JudgeTurn, Verdict
from scoring.models.run_states import RunState
from scoring.models.workers import WorkerSighting

__all__ = [
    "Answer",
    "AnswerSet",
    "Benchmark",
    "BudgetRelease",
    "Ceiling",
    "CurrentSignature",
    "ImportDraft",
    "JudgeBatch",
    "JudgeEstimate",
    "JudgeTurn",
    "Question",
    "Reference",
    "Revision",
    "Run",
    "Score",
    "Setting",
    "Split",
    "Verdict",
    "WorkerSighting",
    "read_vector",
    "vector_bytes",
]


def _require_json_object_list(value: Any) -> None:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValidationError("A list of objects is expected.")


class Benchmark(models.Model):
    """A question-answering benchmark; what it declares of itself is in `scoring.benchmarks`."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    citation = models.TextField(blank=True, help_text="How to cite the benchmark, one line.")
    url = models.URLField(blank=True)
    licence = models.CharField(max_length=200, blank=True)
    position = models.PositiveIntegerField(default=0)
    needs_approval = models.BooleanField(
        "publishing needs approval",
        null=True,
        blank=True,
        help_text="Whether a maintainer has to approve before a submission goes to the board. Unknown: as the "
        "benchmark itself declares.",
    )

    class Meta:
        ordering: ClassVar = ["position", "slug"]

    def __str__(self) -> str:
        return self.name


class Setting(models.Model):
    """What a system is given besides the question: nothing, an encyclopedia, the evidence, …"""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="settings")
    slug = models.SlugField()
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    position = models.PositiveIntegerField(default=0)
    accepts_submissions = models.BooleanField(default=True)

    class Meta:
        ordering: ClassVar = ["benchmark", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["benchmark", "slug"], name="setting_slug_unique_in_benchmark")
        ]

    def __str__(self) -> str:
        return self.name


class Split(models.Model):
    """A part of a benchmark's questions (dev, test); what it holds today is its current revision."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="splits")
    slug = models.SlugField()
    name = models.CharField(max_length=100)
    hidden = models.BooleanField(default=False, help_text="Reference answers and per-question outcomes stay private.")
    position = models.PositiveIntegerField(default=0)
    current_revision = models.ForeignKey(
        "Revision", on_delete=models.PROTECT, null=True, blank=True, related_name="current_of"
    )

    class Meta:
        ordering: ClassVar = ["benchmark", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["benchmark", "slug"], name="split_slug_unique_in_benchmark")
        ]

    def __str__(self) -> str:
        return f"{self.benchmark} {self.slug}"

    def clean(self) -> None:
        """Whoever chooses the revision by hand chooses one of this split.

        Raises:
            ValidationError: it is another split's.
        """
        if self.current_revision is not None and self.current_revision.split_id != self.pk:
            raise ValidationError({"current_revision": f"{self.current_revision} is no revision of this split."})


class Revision(models.Model):
    """One state of a split's questions and answers, identified by the SHA-256 of their canonical JSON."""

    split = models.ForeignKey(Split, on_delete=models.CASCADE, related_name="revisions")
    content_hash = models.CharField(max_length=64)
    questions_hash = models.CharField(max_length=64, help_text="The same over the questions alone.")
    date = models.DateField(help_text="When this state was published.")
    note = models.TextField(blank=True)
    has_references = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["split", "created_at", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["split", "content_hash"], name="revision_content_unique_in_split")
        ]

    def __str__(self) -> str:
        return f"{self.split}@{self.short_hash}"

    @property
    def short_hash(self) -> str:
        """The first eight hexadecimal digits: enough to tell revisions apart in a signature."""
        return self.content_hash[:8]

    @property
    def signature_part(self) -> str:
        """``dev@3f2a9c1b``: how a score's signature names what it was scored against."""
        return f"{self.split.slug}@{self.short_hash}"


class Question(models.Model):
    """A question as one revision words it. ``qid`` is its identity across revisions."""

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="questions")
    qid = models.CharField(max_length=64)
    position = models.PositiveIntegerField()
    text = models.TextField()
    categories = models.JSONField(default=list)
    decomposition = models.JSONField(
        default=list,
        blank=True,
        validators=[_require_json_object_list],
        help_text="Sub-questions without their answers; empty on a hidden split, where they would tell the answer.",
    )
    evidence = models.JSONField(
        default=list,
        blank=True,
        validators=[_require_json_object_list],
        help_text="Necessary evidence: page id (or none), revision id, title and address of each article.",
    )

    class Meta:
        ordering: ClassVar = ["revision", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["revision", "qid"], name="question_unique_in_revision"),
            models.UniqueConstraint(fields=["revision", "position"], name="question_position_unique_in_revision"),
        ]

    def __str__(self) -> str:
        return f"{self.qid}: {self.text[:60]}"


class Reference(models.Model):
    """The reference answer of a question. Private: nothing outside ``scoring`` reads this table.

    The answer is kept as JSON *text*: a database's own JSON type may reorder the keys of an object, and the order of
    a reference's lines is part of what ROUGE-L measures.
    """

    question = models.OneToOneField(Question, on_delete=models.CASCADE, related_name="reference")
    answer_json = models.TextField()
    decomposition_json = models.TextField(default="[]", help_text="The decomposition with the sub-questions' answers.")

    def __str__(self) -> str:
        return f"Reference of {self.question_id}"

    @property
    def answer(self) -> Any:
        """The reference answer: a primitive, a list or a dict, nested, in the order of the source file."""
        return json.loads(self.answer_json)


class AnswerSet(models.Model):
    """The answers that one party gave to the questions of one split in one setting: the thing that is scored."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    split = models.ForeignKey(Split, on_delete=models.PROTECT, related_name="answer_sets")
    setting = models.ForeignKey(Setting, on_delete=models.PROTECT, related_name="answer_sets")
    handed_in = models.UUIDField(
        null=True, blank=True, db_index=True, help_text="Equal for answer sets handed in together; a budget is for all."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    closed_at = models.DateTimeField(
        null=True, blank=True, help_text="When answers in it were deleted; from then on nothing scores it again."
    )

    class Meta:
        ordering: ClassVar = ["created_at"]

    def __str__(self) -> str:
        return f"{self.split}, {self.setting}: {self.id}"


class Answer(models.Model):
    """One answer, kept as sent. A participant is named (by a code) only in a study, where several may answer."""

    answer_set = models.ForeignKey(AnswerSet, on_delete=models.CASCADE, related_name="answers")
    qid = models.CharField(max_length=64)
    participant = models.CharField(max_length=32, blank=True)
    text = models.TextField(blank=True)
    withdrawn_at = models.DateTimeField(
        null=True, blank=True, help_text="When who gave it withdrew; scores made before count it, new ones do not."
    )

    class Meta:
        ordering: ClassVar = ["answer_set", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["answer_set", "qid", "participant"], name="answer_unique_in_set")
        ]

    def __str__(self) -> str:
        return f"{self.qid}: {self.text[:60]}"


class Run(models.Model):
    """One metric's work on one answer set under one signature; what is to be done stands here, not in a queue.

    A worker claims a waiting run by a conditional UPDATE that sets ``lease_token`` and ``lease_until`` and renews
    them while it works. A run whose lease has passed belongs to nobody and goes back to waiting.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    answer_set = models.ForeignKey(AnswerSet, on_delete=models.CASCADE, related_name="runs")
    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="runs")
    metric = models.CharField(max_length=40)
    signature = models.CharField(max_length=400)
    repeat = models.PositiveSmallIntegerField(
        default=0, help_text="0 is the score; others do the same work again to measure its noise."
    )
    state = models.CharField(max_length=20, choices=RunState, default=RunState.WAITING)
    reason = models.TextField(blank=True, help_text="Why it waits, failed or cannot run; shown to the submitter.")
    done_items = models.PositiveIntegerField(default=0)
    total_items = models.PositiveIntegerField(default=0)
    attempts = models.PositiveIntegerField(default=0)
    lease_token = models.CharField(max_length=32, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True, help_text="When its last message was given to the broker.")
    times_sent = models.PositiveIntegerField(default=0)
    not_before = models.DateTimeField(null=True, blank=True, help_text="A waiting run is left alone until then.")
    waits = models.PositiveIntegerField(default=0, help_text="How often in a row it went back in line without result.")
    asked_since = models.DateTimeField(
        null=True, blank=True, help_text="When somebody had it tried again: earlier failures do not count against it."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["created_at", "metric"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["answer_set", "metric", "signature", "repeat"], name="run_unique"),
            models.CheckConstraint(
                condition=~models.Q(state=RunState.RUNNING)
                | (models.Q(lease_until__isnull=False) & ~models.Q(lease_token="")),
                name="running_run_has_a_lease",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["state", "lease_until"]),
            models.Index(fields=["state", "sent_at"]),
            models.Index(
                fields=["metric", "-finished_at"],
                condition=models.Q(state=RunState.DONE, repeat=0),
                name="run_done_lately_by_metric",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.metric} of {self.answer_set_id}: {self.get_state_display()}"


class Score(models.Model):
    """One named number of a finished run, with the vector it is the mean of.

    ``vector`` holds a NumPy ``.npy`` file of float64, shape (n_items,): for a system one item per question of the
    revision in its order, for a study one per answer. Nothing is rounded.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="scores")
    name = models.CharField(max_length=60)
    value = models.FloatField()
    vector = models.BinaryField()
    n_items = models.PositiveIntegerField()
    n_answered = models.PositiveIntegerField()
    signature = models.CharField(max_length=400)
    low = models.FloatField(null=True, blank=True, help_text="Lower end of the 95 % bootstrap interval of the value.")
    high = models.FloatField(null=True, blank=True, help_text="Its upper end; empty until it is computed.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["run", "pk"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["run", "name"], name="score_unique_in_run")]
        indexes: ClassVar = [
            models.Index(
                fields=["id"], condition=models.Q(low__isnull=True, n_items__gt=1), name="score_without_interval"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} = {self.value}"

    @property
    def per_item(self) -> NDArray[np.float64]:
        """The per-item values, shape (n_items,), float64."""
        return read_vector(self.vector)


class CurrentSignature(models.Model):
    """Which signature of a metric's scores a split's boards show: never two at once.

    The first score of a metric sets it. Later a maintainer does, after re-scoring, when the reference answers, the
    judge or the metric changed; scores under other signatures are kept and shown apart.
    """

    split = models.ForeignKey(Split, on_delete=models.CASCADE, related_name="current_signatures")
    metric = models.CharField(max_length=40)
    signature = models.CharField(max_length=400)
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["split", "metric"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["split", "metric"], name="one_current_signature_per_split_and_metric")
        ]

    def __str__(self) -> str:
        return self.signature


class Ceiling(models.Model):
    """What a verbatim copy of the reference answers scores: the most that a metric gives on a revision.

    Nothing of the references is in it but their mean score.
    """

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="ceilings")
    metric = models.CharField(max_length=40)
    name = models.CharField(max_length=60, help_text="The score's name, for example rouge1.fscore.")
    signature = models.CharField(max_length=400)
    value = models.FloatField()
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["revision", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["revision", "signature", "name"], name="ceiling_unique")
        ]

    def __str__(self) -> str:
        return f"At most {self.name} = {self.value}"


def read_vector(stored: bytes | memoryview) -> NDArray[np.float64]:
    """The per-item values of a stored vector, shape (n_items,), float64."""
    array: NDArray[np.float64] = np.load(io.BytesIO(bytes(stored)), allow_pickle=False)
    return array


def vector_bytes(per_item: NDArray[np.float64]) -> bytes:
    """The ``.npy`` bytes of a vector, readable anywhere by ``numpy.load``."""
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(per_item, dtype="<f8"), allow_pickle=False)
    return buffer.getvalue()
