"""Rights of single accounts on a benchmark: see its drafts, and exceed or keep below its weekly quota."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from leaderboard.models.people import Team, User
from scoring.models import Benchmark


class DraftReader(models.Model):
    """An account that sees the draft splits of a benchmark and may submit to them, beside its maintainers."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="draft_readers")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    invited_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    invited_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["benchmark", "user__username"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["benchmark", "user"], name="draft_reader_once_per_benchmark")
        ]

    def __str__(self) -> str:
        return f"{self.user} sees drafts of {self.benchmark}"


class QuotaException(models.Model):
    """A maintainer's decision that a team, or a person who submits alone, has another quota for one benchmark."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="+")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, null=True, blank=True, related_name="quota_exceptions")
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, blank=True, related_name="quota_exceptions")
    per_week = models.PositiveIntegerField(null=True, blank=True, help_text="Empty for no limit.")
    more_files = models.PositiveIntegerField(
        default=0, help_text="Files for a hidden split beyond each limit of the general quota of files."
    )
    note = models.CharField(max_length=400, blank=True, help_text="Reason, for other maintainers.")
    made_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    made_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["benchmark", "-made_at"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(team__isnull=False, user__isnull=True) | Q(team__isnull=True, user__isnull=False),
                name="quota_exception_is_of_a_team_or_a_person",
            ),
            models.UniqueConstraint(fields=["benchmark", "team"], name="one_quota_exception_per_team_and_benchmark"),
            models.UniqueConstraint(fields=["benchmark", "user"], name="one_quota_exception_per_person_and_benchmark"),
        ]

    def __str__(self) -> str:
        many = "no limit" if self.per_week is None else f"{self.per_week} per week"
        files = f", {self.more_files} more files for a hidden split" if self.more_files else ""
        return f"{self.team or self.user}: {many} of {self.benchmark}{files}"
