"""Systems: models, pipelines and people, as shown to the public."""

from typing import ClassVar, Final

from django.core.exceptions import ValidationError
from django.db import models
from django.urls import reverse
from django.utils import timezone

from leaderboard.models.names import SkeletonField
from leaderboard.models.people import Team, User


class SystemType(models.TextChoices):
    """The kinds of system of the official submission template."""

    FOUNDATION = "FOUNDATION", "Foundation model"
    FINETUNE = "FINETUNE", "Fine-tuned model"
    PROMPT = "PROMPT", "Prompting method"
    OTHER = "OTHER", "Other"


WITHHELD: Final = "WITHHELD"
"""Type of a system under double-blind review, whose own type is withheld."""
WITHHELD_LABEL: Final = "Withheld"


BEFORE: Final = "Of versions before 0.7.0: not used, and removed in a later version; see attributes."


def validate_attributes(values: object) -> None:
    """Accept only single values by name.

    Raises:
        ValidationError: something else.
    """
    if not isinstance(values, dict) or not all(
        isinstance(value, bool | int | float | str) for value in values.values()
    ):
        raise ValidationError('Enter an object of single values, such as {"context_size": 4096}.')


class SystemFields(models.Model):
    """A system's metadata: the fields of the official template."""

    name = models.CharField(max_length=200)
    name_skeleton = SkeletonField("name")
    authors = models.TextField()
    url = models.URLField(max_length=500, blank=True)
    citation = models.TextField(blank=True)
    type = models.CharField(max_length=20, choices=SystemType, default=SystemType.FOUNDATION)
    attributes = models.JSONField(
        default=dict,
        blank=True,
        validators=[validate_attributes],
        help_text="What benchmarks ask of their systems ([[attributes]] in benchmark.toml), by name.",
    )
    run_facts = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        validators=[validate_attributes],
        help_text="Model, access, size, scaffold and the like, by name (scoring.benchmarks.facts).",
    )
    context_size = models.PositiveBigIntegerField(null=True, blank=True, editable=False, help_text=BEFORE)
    trained_for_function_calling = models.BooleanField(null=True, blank=True, editable=False, help_text=BEFORE)
    details = models.TextField(blank=True)

    class Meta:
        abstract = True


SYSTEM_FIELDS = (
    "name",
    "authors",
    "url",
    "citation",
    "type",
    "attributes",
    "run_facts",
    "details",
)
"""The columns that a submission and its system share."""


class SystemQuerySet(models.QuerySet["System"]):
    """Systems."""

    def behind(self, slug: str) -> "System | None":
        """The system that shows what this address once named: a pseudonym that was revealed, a system that was merged,
        or an earlier name. None if the address is a system's own, or nobody's. Three queries at most."""
        named = self.select_related("revealed_as__same_as", "same_as").filter(slug=slug).first()
        if named is None:
            change = FactsChange.objects.filter(former_slug=slug).select_related("system__same_as").first()
            renamed = change.system if change is not None else None
            if renamed is None:
                return None
            shown = renamed.same_as or renamed
            # A system that left the boards may have a name since that nobody knows.
            return shown if shown.entries.filter(models.Q(replaced_at=None) | ~models.Q(retracted_at=None)) else None
        shown = named.revealed_as or named
        shown = shown.same_as or shown
        return shown if shown != named else None


class System(SystemFields):
    """A system with a public page: a model, a pipeline, or people."""

    slug = models.SlugField(max_length=120, unique=True)
    owner = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="systems")
    team = models.ForeignKey(Team, on_delete=models.SET_NULL, null=True, blank=True, related_name="systems")
    is_human = models.BooleanField(default=False)
    is_pseudonym = models.BooleanField(
        default=False, help_text="Has a pseudonym while its submission is under double-blind review."
    )
    revealed_as = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="pseudonyms",
        help_text="For a pseudonym whose day has passed: the system it was a pseudonym of. Its URL redirects there.",
    )
    traits_withheld = models.BooleanField(
        default=False, help_text="For a pseudonym: whether type and attributes are withheld."
    )
    same_as = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="members",
        help_text="The system that this one was merged into: boards show both as one row. It is merged itself into "
        "none.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = SystemQuerySet.as_manager()

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~models.Q(same_as=models.F("pk")), name="system_not_merged_into_itself"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["name"], name="system_name"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("system", args=[self.slug])

    @property
    def public_type(self) -> str:
        """Type of the system as everybody may see it: `WITHHELD` under double-blind review, unless its owner shows
        it."""
        return WITHHELD if self.traits_withheld else self.type

    @property
    def public_type_label(self) -> str:
        """Public type of the system in words."""
        return WITHHELD_LABEL if self.traits_withheld else self.get_type_display()


class FactsChange(models.Model):
    """A change of what a system states: append-only, shown to its owners and to maintainers."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, null=True, blank=True, related_name="changes")
    submission = models.ForeignKey(
        "leaderboard.Submission",
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="changes",
        help_text="Whose statement changed; empty for the system's own.",
    )
    at = models.DateTimeField(default=timezone.now, editable=False)
    actor = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    actor_name = models.CharField(max_length=150, help_text="Username at the time, or the name of the command.")
    changes = models.JSONField(help_text="By fact, its old and new value; null where it was not stated.")
    former_slug = models.SlugField(
        max_length=120, blank=True, help_text="The address that the system had before; it redirects to the new one."
    )

    class Meta:
        ordering: ClassVar = ["-at", "-pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(system=None, submission__isnull=False)
                | models.Q(system__isnull=False, submission=None),
                name="facts_change_of_a_system_or_a_submission",
            )
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor_name}: {', '.join(self.changes)}"
