"""Users, their teams and their tokens."""

from typing import Any, ClassVar, Final

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone

from leaderboard.models.names import SkeletonField, skeleton

FOREIGN_NAME: Final = "A username must not contain @: it could be the email address of another person."
LIKE_ANOTHER: Final = "This username looks like that of another account. Choose another username."


class User(AbstractUser):
    """A user with an account: a submitter, a grader or a maintainer."""

    username_skeleton = SkeletonField("username")
    muted_mails = models.JSONField(default=list, blank=True, help_text="The kinds of emails that were turned off.")
    rights_withheld = False
    """Whether the request is by an API token whose scope leaves out the user's rights as staff; not stored."""

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Whether the user is of the staff and has a permission: without the staff flag no permission counts, whether
        it comes from a group, from the account itself or from being a superuser."""
        return self.is_staff and not self.rights_withheld and super().has_perm(perm, obj)

    def clean(self) -> None:
        """Refuse a name that reads as the address of another person or looks like another account's name, in the
        administration too.

        Raises:
            ValidationError: the username is such a name.
        """
        super().clean()
        if self.has_foreign_name:
            raise ValidationError({"username": FOREIGN_NAME}, code="foreign_name")
        # Names from before this rule stay.
        is_new = not User.objects.filter(pk=self.pk, username=self.username).exists()
        if is_new and User.look_alikes(self.username).exclude(pk=self.pk).exists():
            raise ValidationError({"username": LIKE_ANOTHER}, code="like_another")

    @classmethod
    def look_alikes(cls, username: str) -> "models.QuerySet[User]":
        """The accounts whose names look like a username, as ``а1`` in Cyrillic looks like ``a1``."""
        key = skeleton(username)
        return cls.objects.filter(username_skeleton=key) if key else cls.objects.none()

    @property
    def has_foreign_name(self) -> bool:
        """Whether the username reads as an email address and is not a verified one of this account. At most one
        query."""
        name = self.username.lower()
        if "@" not in name or self.pk is None:
            return "@" in name
        return not self.emailaddress_set.filter(email=name, verified=True).exists()  # type: ignore[attr-defined]


class TokenScope(models.TextChoices):
    """Permissions of a program that uses an API token; each scope includes those before it."""

    READ = "read", "Read"
    SUBMIT = "submit", "Read and submit"
    MAINTAIN = "maintain", "Read, submit and use a maintainer's rights"


class ApiToken(models.Model):
    """A token for the API. Only its SHA-256 is stored; the token itself is shown once, when it is created."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    scope = models.CharField(max_length=10, choices=TokenScope)
    prefix = models.CharField(max_length=12, help_text="The first characters, to identify the token.")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField()
    expiry_notified_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def has_expired(self) -> bool:
        """Whether its time is over."""
        return self.expires_at <= timezone.now()

    def allows(self, scope: str) -> bool:
        """Whether its scope is *scope* or includes it."""
        return TokenScope.values.index(self.scope) >= TokenScope.values.index(scope)


class Team(models.Model):
    """People who submit together: every member may see and publish what belongs to the team."""

    name = models.CharField(max_length=100)
    slug = models.SlugField(max_length=120, unique=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class TeamRole(models.TextChoices):
    """Rights of a member over the team itself; every member may do everything with its submissions."""

    OWNER = "owner", "Owner"
    MEMBER = "member", "Member"


class Membership(models.Model):
    """A user's membership of a team."""

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
    """An invitation by email to join a team. Only the SHA-256 of its link's token is stored."""

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

    @property
    def has_run_out(self) -> bool:
        """Whether it can no longer be accepted."""
        return self.expires_at <= timezone.now()
