"""Benchmarks and their contents: settings, splits, the revisions of a split, questions and reference answers.

Reference answers are in `Reference`, which nothing outside ``scoring`` may read.
"""

import datetime
import json
from typing import Any, ClassVar, Final, Literal

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone

from scoring.benchmarks.declared.context import is_picture


def require_json_object_list(value: Any) -> None:
    """A validator of fields that hold a JSON list of objects."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValidationError("Expected a list of objects.")


class Benchmark(models.Model):
    """A question-answering benchmark; its definition is in `scoring.benchmarks`."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    citation = models.TextField(blank=True, help_text="Citation of the benchmark, in one line.")
    url = models.URLField(blank=True)
    licence = models.CharField(max_length=200, blank=True)
    position = models.PositiveIntegerField(default=0)
    needs_approval = models.BooleanField(
        "publishing needs approval",
        null=True,
        blank=True,
        help_text="Whether a maintainer must approve a submission before it appears on the board. Unknown: the "
        "benchmark's own default.",
    )

    class Meta:
        ordering: ClassVar = ["position", "slug"]

    def __str__(self) -> str:
        return self.name


class Setting(models.Model):
    """The input that a system gets besides the question: nothing, an encyclopedia, the evidence, …"""

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


class SplitPhase(models.TextChoices):
    """Who sees a split, and whether answers are accepted."""

    DRAFT = "draft", "Draft: maintainers and invited accounts see it, and submit to it"
    OPEN = "open", "Published"
    ARCHIVED = "archived", "Archived: shown, and closed to submissions"


class SplitPart(models.TextChoices):
    """The parts of a hidden split of which one is kept for the end."""

    PUBLIC = "public", "Public part"
    FINAL = "final", "Final part"


Times = Literal["upcoming", "open", "closed"]
"""Whether a split accepts files, by the times that it declares."""


def times_of(opens: datetime.datetime | None, closes: datetime.datetime | None, now: datetime.datetime) -> Times:
    """Where a moment is among the times of a split. At the moment at which it closes, it is closed."""
    if closes is not None and now >= closes:
        return "closed"
    return "upcoming" if opens is not None and now < opens else "open"


class SplitManager(models.Manager["Split"]):
    """The splits that have boards, without the subsets of splits."""

    def __init__(self, *, drafts: bool = False) -> None:
        super().__init__()
        self._drafts = drafts

    def get_queryset(self) -> models.QuerySet["Split"]:
        """Splits that are no subset of another; without drafts, unless they are wanted."""
        splits = super().get_queryset().filter(subset_of=None)
        return splits if self._drafts else splits.exclude(phase=SplitPhase.DRAFT)


class Split(models.Model):
    """A part of a benchmark's questions (dev, test); its present content is its current revision.

    A *subset* has some of the questions of another split, with reference answers of its own. Nobody submits answers for
    it: the boards of its split show the scores of the same answers on it.

    A hidden split that keeps a *final part* for the end has two subsets that the site draws, and that nobody is shown:
    its boards show scores on the public part until the final ones are shown, and nothing is scored on the rest before
    the split closes.
    """

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="splits")
    slug = models.SlugField()
    name = models.CharField(max_length=100)
    hidden = models.BooleanField(default=False, help_text="Reference answers and per-question results stay private.")
    rounding_step = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0001), MaxValueValidator(1.0)],
        help_text="Of a hidden split: shown scores are rounded to it. Empty: to three digits.",
    )
    pass_at_approved = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="Of a hidden split: whether pass@k and pass^k of several attempts are shown.",
    )
    withheld_scores = models.JSONField(
        null=True,
        blank=True,
        help_text="Scores that are not shown, of a competition before version 0.8.0: a list of pairs, the key of a "
        "submission's file and the score's name. Remove a pair to show its score.",
    )
    phase = models.CharField(
        max_length=8, choices=SplitPhase.choices, default=SplitPhase.OPEN, db_default=SplitPhase.OPEN
    )
    opens = models.DateTimeField(null=True, editable=False, help_text="Files that arrive before are refused.")
    closes = models.DateTimeField(null=True, editable=False, help_text="Files that arrive from then on are refused.")
    final = models.FloatField(
        null=True, editable=False, help_text="The share of its questions that is kept for the end."
    )
    final_shown_at = models.DateTimeField(
        null=True, editable=False, help_text="Since when boards rank by the part that was kept for the end."
    )
    part = models.CharField(
        max_length=6,
        choices=SplitPart.choices,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="Which part of its split this is, if the site drew it. Its questions are told to nobody.",
    )
    position = models.PositiveIntegerField(default=0)
    subset_of = models.ForeignKey(
        "self",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        help_text="The split that has these questions too, if this is a subset with reference answers of its own.",
    )
    current_revision = models.ForeignKey(
        "Revision", on_delete=models.PROTECT, null=True, blank=True, related_name="current_of"
    )

    # What asks for splits without a thought gets no drafts: a page that forgets them tells nobody of one.
    objects: ClassVar = SplitManager()
    with_drafts: ClassVar = SplitManager(drafts=True)
    every: ClassVar = models.Manager["Split"]()
    """With drafts and subsets."""

    class Meta:
        ordering: ClassVar = ["benchmark", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["benchmark", "slug"], name="split_slug_unique_in_benchmark")
        ]

    def __str__(self) -> str:
        return f"{self.benchmark}, {self.name.lower()}"

    @property
    def is_hidden(self) -> bool:
        """Whether its reference answers and per-question results stay private. Those of a subset are as private as
        those of its split, to whose questions they belong."""
        return self.hidden if self.subset_of is None else self.subset_of.hidden

    @property
    def board_split(self) -> int:
        """The key of the split whose boards show the scores: the one that a subset belongs to."""
        return self.subset_of_id or self.pk

    @property
    def shown_part(self) -> str:
        """The part that boards rank by: empty for all questions of a split that keeps none for the end."""
        if self.final is None:
            return ""
        return SplitPart.PUBLIC if self.final_shown_at is None else SplitPart.FINAL

    @property
    def is_shown(self) -> bool:
        """Whether boards show scores on the questions of this split or subset. Of a split with a final part they show
        those on the public part first, and then those on the final part and on all questions."""
        whole = self if self.subset_of is None else self.subset_of
        return whole.final is None or (self.part == SplitPart.PUBLIC) == (whole.final_shown_at is None)

    def is_kept_back(self, now: datetime.datetime) -> bool:
        """Whether nothing may be scored on its questions yet, because some of them are kept for the end."""
        whole = self if self.subset_of is None else self.subset_of
        return not self.is_shown and whole.closes is not None and now < whole.closes

    @property
    def step(self) -> float | None:
        """The step that shown scores are rounded to; None if they have their column's digits."""
        whole = self if not self.part or self.subset_of is None else self.subset_of
        return whole.rounding_step if self.is_hidden else None

    def clean(self) -> None:
        """Check that a revision chosen by hand belongs to this split."""
        if self.current_revision is not None and self.current_revision.split_id != self.pk:
            raise ValidationError({"current_revision": f"{self.current_revision} is not a revision of this split."})


class Revision(models.Model):
    """One state of a split's questions and answers, identified by the SHA-256 of their canonical JSON."""

    split = models.ForeignKey(Split, on_delete=models.CASCADE, related_name="revisions")
    content_hash = models.CharField(max_length=64)
    questions_hash = models.CharField(max_length=64, help_text="SHA-256 of the questions only.")
    date = models.DateField(help_text="When this revision was published.")
    note = models.TextField(blank=True)
    clusters_hash = models.CharField(
        max_length=64, blank=True, default="", help_text="SHA-256 of the clusters of its questions; empty without any."
    )
    has_references = models.BooleanField(default=False)
    """Whether answers can be scored: every question has the reference answer that its task type needs."""
    lost_scores = models.JSONField(null=True, editable=False)
    """Scores of copies of the reference answers below the best (`scoring.benchmarks.copies.LostScore`); None if it was
    imported before these were computed. For maintainers only, if the split is hidden."""
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
        """The first eight hexadecimal digits: enough to distinguish revisions in a signature."""
        return self.content_hash[:8]

    @property
    def signature_part(self) -> str:
        """``dev@3f2a9c1b``: the name in a score's signature of the data scored against."""
        return f"{self.split.slug}@{self.short_hash}"

    @property
    def clusters(self) -> tuple[str, ...] | None:
        """The cluster of each question, in their order; None if it has no clusters. One query if it has."""
        if not self.clusters_hash:
            return None
        rows = self.questions.order_by("position").values_list("qid", "cluster")
        return tuple(cluster or f"\t{qid}" for qid, cluster in rows)  # no cluster has a tab


SHORT_CONTEXT: Final = 2_000
"""The most characters and cells of a context that a page shows open."""


class Question(models.Model):
    """A question as worded in one revision. ``qid`` is its identity across revisions."""

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="questions")
    qid = models.CharField(max_length=64)
    position = models.PositiveIntegerField()
    text = models.TextField()
    categories = models.JSONField(default=list)
    cluster = models.CharField(
        max_length=100,
        blank=True,
        default="",
        help_text="The name of its cluster of similar questions, for statistics. Never shown.",
    )
    decomposition = models.JSONField(
        default=list,
        blank=True,
        validators=[require_json_object_list],
        help_text=("Sub-questions without their answers; empty on a hidden split, where they would reveal the answer."),
    )
    evidence = models.JSONField(
        default=list,
        blank=True,
        validators=[require_json_object_list],
        help_text="Necessary evidence: page id (or none), revision id, title and URL of each article.",
    )
    context = models.JSONField(
        null=True,
        blank=True,
        help_text=(
            "What it is about: a list of texts, of tables as lists of rows, of pictures by their SHA-256, and of "
            "options by their labels."
        ),
    )
    weight = models.FloatField(null=True, blank=True, help_text="What it counts in scores; empty for 1.")
    language = models.CharField(
        max_length=35, blank=True, default="", db_default="", help_text="The code of its language, such as de."
    )

    class Meta:
        ordering: ClassVar = ["revision", "position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["revision", "qid"], name="question_unique_in_revision"),
            models.UniqueConstraint(fields=["revision", "position"], name="question_position_unique_in_revision"),
        ]

    def __str__(self) -> str:
        return f"{self.qid}: {self.text[:60]}"

    @property
    def context_blocks(self) -> list[str | list[list[str]] | dict[str, Any]]:
        """The texts, tables and pictures that it is about, in their order, and its options by their labels."""
        return self.context or []

    @property
    def context_parts(self) -> list[tuple[str, list[list[str]], dict[str, Any] | None]]:
        """The texts, tables and pictures that it is about: of each block a text, the rows of a table, or a picture."""
        return [
            (block, [], None)
            if isinstance(block, str)
            else ("", block, None)
            if isinstance(block, list)
            else ("", [], block)
            for block in self.context_blocks
            if not isinstance(block, dict) or is_picture(block)
        ]

    @property
    def has_short_context(self) -> bool:
        """Whether pages show the context without being asked."""
        return sum(len(text) + sum(map(len, rows)) for text, rows, _ in self.context_parts) <= SHORT_CONTEXT

    @property
    def options(self) -> dict[str, str]:
        """Its options by their labels."""
        blocks = [block for block in self.context_blocks if isinstance(block, dict) and not is_picture(block)]
        return {label: text for block in blocks for label, text in block.items()}


class Reference(models.Model):
    """The reference answer of a question. Private: nothing outside ``scoring`` reads this table.

    The answer is stored as JSON *text*: a database's own JSON type may reorder the keys of an object, and the order of
    a reference's lines affects ROUGE-L.
    """

    question = models.OneToOneField(Question, on_delete=models.CASCADE, related_name="reference")
    answer_json = models.TextField()
    decomposition_json = models.TextField(
        default="[]", help_text="The decomposition, including the answers to the sub-questions."
    )

    def __str__(self) -> str:
        return f"Reference of {self.question_id}"

    @property
    def answer(self) -> Any:
        """The reference answer: a primitive, a list or a dict, nested, in the order of the source file."""
        return json.loads(self.answer_json)
