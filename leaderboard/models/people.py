"""People, their teams, and what they sign in with."""

from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils import timezone


class User(AbstractUser):
    """Somebody with an account: a submitter, a grader or a maintainer."""


class ApiToken(models.Model):
    """A token for the API. Only its SHA-256 is kept; the token itself is shown once, when it is made."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=12, help_text="The first characters, to identify the token.")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class Team(models.Model):
    """People who submit together: what belongs to a team is every member's to see and to publish."""

    name = models.CharField(max_length=100)
    slug = models.SlugField(max_length=120, unique=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class TeamRole(models.TextChoices):
    """What a member may do with the team itself; with its submissions every member may do everything."""

    OWNER = "owner", "Owner"
    MEMBER = "member", "Member"


class Membership(models.Model):
    """Somebody in a team."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=TeamRole, default=TeamRole.MEMBER)
    joined_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["team", "joined_at"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "user"], name="one_membership_per_person")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class TeamInvitation(models.Model):
    """An invitation by mail to join a team. Only the SHA-256 of its link's token is kept."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField()
    digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.email} to {self.team}"
