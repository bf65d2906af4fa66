"""Results: scores with their per-item vectors, and the signature that leaderboards show."""

import io
from typing import ClassVar, Final, Self

import numpy as np
from django.db import models
from django.db.models.functions import Concat
from django.utils import timezone
from numpy.typing import NDArray

from scoring.benchmarks import names
from scoring.models.benchmarks import Split
from scoring.models.runs import Run

SCORE_KEY: Final = models.Case(
    models.When(run__subset="", then=models.F("name")),
    default=Concat("name", models.Value(names.ON_SUBSET), "run__subset", output_field=models.CharField()),
    output_field=models.CharField(),
)
"""`Score.key` in a query that filters by it or reads no instances: ``annotate(column_key=SCORE_KEY)``."""


class ScoreQuerySet(models.QuerySet["Score"]):
    """Scores, some of which are of runs that do not count."""

    def counting(self) -> Self:
        """Scores of runs that count (`Run.counts`)."""
        return self.filter(run__counts=True)


class Score(models.Model):
    """One named number of a finished run, with its per-item vector, whose mean it is.

    ``vector`` holds a NumPy ``.npy`` file of float64, shape (n_items,): for a system one item per question of the
    revision in its order, for a study one per answer. Nothing is rounded. A number that is no mean over items, such as
    a ratio of two, has an empty vector and no items: no interval, no ranks, no values of questions or categories.

    If a system answered each question several times, an item is the mean of a question's attempts, and ``attempts``
    holds a file of them all, shape (n_attempts, n_items). Where attempts at a question count differently, such as
    those that are attempted, ``attempts`` is empty, and an item is their weighted mean.

    ``weights`` has what each item counts in the value, if not all count alike: the value is then the weighted mean of
    the vector, and statistics take `scoring.statistics.completed` of both.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="scores")
    name = models.CharField(max_length=60, help_text="For example rouge1.fscore; the run has the subset.")
    value = models.FloatField()
    vector = models.BinaryField()
    attempts = models.BinaryField(
        null=True, help_text="The value of each attempt at each question, if there are several."
    )
    weights = models.BinaryField(
        null=True, help_text="What each item counts in the value, if not all count alike; 0 if it does not count."
    )
    n_items = models.PositiveIntegerField()
    n_answered = models.PositiveIntegerField()
    signature = models.CharField(max_length=400)
    low = models.FloatField(
        null=True, blank=True, help_text="Lower end of the 95 % bootstrap confidence interval of the value."
    )
    high = models.FloatField(
        null=True, blank=True, help_text="Upper end of the 95 % bootstrap confidence interval; empty until computed."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar = ScoreQuerySet.as_manager()

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
    def key(self) -> str:
        """The key of its column: its promised name. Reads its run."""
        return names.on_subset(self.name, self.run.subset)

    @property
    def per_item(self) -> NDArray[np.float64]:
        """The per-item values, shape (n_items,), float64."""
        return read_vector(self.vector)

    @property
    def per_weight(self) -> NDArray[np.float64] | None:
        """What each item counts in the value, shape (n_items,); None if all count alike."""
        return None if self.weights is None else read_vector(self.weights)

    @property
    def per_attempt(self) -> NDArray[np.float64]:
        """The values of each attempt, shape (n_attempts, n_items), float64; of one attempt those per item."""
        return self.per_item[None] if self.attempts is None else read_vector(self.attempts)


class CurrentSignature(models.Model):
    """The signature of a metric's scores that a split's leaderboards show: never two at once.

    The first score of a metric sets it. Later a maintainer sets it, after rescoring, when the reference answers, the
    judge or the metric changed; scores under other signatures remain stored and are shown separately.
    """

    split = models.ForeignKey(Split, on_delete=models.CASCADE, related_name="current_signatures")
    metric = models.CharField(max_length=40)
    subset = models.SlugField(
        blank=True, db_index=False, help_text="The subset on which it is computed; empty for the whole split."
    )
    signature = models.CharField(max_length=400)
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["split", "metric"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["split", "metric", "subset"], name="one_current_signature_per_split_and_metric"
            )
        ]

    def __str__(self) -> str:
        return self.signature

    @property
    def name(self) -> str:
        """The promised name of its metric."""
        return names.on_subset(self.metric, self.subset)


def read_vector(stored: bytes | memoryview) -> NDArray[np.float64]:
    """The values of a stored vector, or of the vectors of several attempts, in the shape in which they were stored."""
    array: NDArray[np.float64] = np.load(io.BytesIO(stored), allow_pickle=False)
    return array


def vector_bytes(per_item: NDArray[np.float64]) -> bytes:
    """The ``.npy`` bytes of a vector, or of the vectors of several attempts, readable anywhere by ``numpy.load``."""
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(per_item, dtype="<f8"), allow_pickle=False)
    return buffer.getvalue()
