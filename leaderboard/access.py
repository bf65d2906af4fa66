"""Access control: a stranger gets 404; a reader without the right is refused."""

import uuid
from collections.abc import Collection
from typing import Final

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.core.validators import slug_re
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest
from django.utils import timezone

from leaderboard.models import ApiToken, DraftReader, Entry, Membership, Submission, SubmissionFile, System, Team, User
from scoring.declarations import known_benchmarks
from scoring.models import Benchmark, Split, SplitPhase

MAINTAIN: Final = "scoring.change_split"
"""The permission of maintainers."""


def signed_in_user(request: HttpRequest) -> User:
    """The account behind a request whose view requires ``login_required``.

    Raises:
        PermissionDenied: nobody is signed in.
    """
    if not isinstance(request.user, User):
        raise PermissionDenied("Sign in first.")
    return request.user


def submission_for(user: User | AnonymousUser, pk: uuid.UUID) -> Submission:
    """A submission for its owner, a member of its team or a maintainer.

    Raises:
        Http404: it does not exist or belongs to somebody else; the response is the same for both.
    """
    submission = Submission.objects.select_related("owner", "team", "split__benchmark").filter(pk=pk).first()
    if submission is None or not can_view(user, submission):
        raise Http404("This submission does not exist, or you do not have access to it.")
    return submission


def own_submission(user: User | AnonymousUser, pk: uuid.UUID) -> Submission:
    """A submission that *user* `can_edit`, to change it; raises the same errors as `submission_for`."""
    submission = submission_for(user, pk)
    if not can_edit(user, submission):
        raise Http404("This submission does not exist, or you do not have access to it.")
    return submission


def can_edit_system(user: AbstractBaseUser | AnonymousUser, system: System) -> bool:
    """Whether *user* may change the facts of a system: its owner, a member of its team or a maintainer. Nobody may
    change those of a pseudonym, which are its submission's, or of a row of people. At most one query."""
    if not isinstance(user, User) or system.is_pseudonym or system.is_human:
        return False
    if is_maintainer(user):
        return True
    if system.team_id is None:
        return system.owner_id == user.pk
    return Membership.objects.filter(team=system.team_id, user=user).exists()


def editable_system(user: User | AnonymousUser, slug: str) -> System:
    """A system whose facts *user* may change.

    Raises:
        Http404: it does not exist, or is somebody else's; the response is the same for both.
    """
    system = System.objects.select_related("owner", "team").filter(slug=slug).first()
    if system is None or not can_edit_system(user, system):
        raise Http404("This system does not exist, or you cannot change it.")
    return system


def editable_submission(user: User | AnonymousUser, pk: uuid.UUID) -> Submission:
    """A submission whose facts *user* may change: its owner, its team or a maintainer; raises the same errors as
    `submission_for`."""
    submission = submission_for(user, pk)
    if not (can_edit(user, submission) or is_maintainer(user)):
        raise Http404("This submission does not exist, or you do not have access to it.")
    return submission


def submission_file_for(user: User | AnonymousUser, pk: uuid.UUID, setting: str, version: str = "") -> SubmissionFile:
    """The original file of one setting, for users who can see the submission; raises the same errors as
    `submission_for`.

    Args:
        version: a number; the current version if empty.
    """
    files = submission_for(user, pk).files.select_related("setting").filter(setting__slug=setting)
    if version:
        files = files.filter(version=int(version)) if version.isdecimal() and len(version) < 7 else files.none()
    else:
        files = files.filter(replaced_at=None)
    file = files.first()
    if file is None:
        raise Http404("The submission has no such file.")
    return file


def can_edit(user: AbstractBaseUser | AnonymousUser, submission: Submission) -> bool:
    """Whether *user* may replace, retry, publish and withdraw *submission*.

    A submission for a team belongs to its members: each of them may, including the submitter only while in the team.
    Any other submission belongs to its submitter alone. Maintainers have other rights. At most one query.
    """
    if not isinstance(user, User):
        return False
    if submission.team_id is None:
        return submission.owner_id == user.pk
    return Membership.objects.filter(team=submission.team_id, user=user).exists()


def submissions_visible_to(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Submission]:
    """The submissions that belong to *user*: submitted by them, or for a team that they are in. No query by itself. Of
    a team that they have left, only those for which nobody else has sent a file.

    A maintainer may view other submissions too (`can_view`), but this list does not contain them.
    """
    if not isinstance(user, User):
        return Submission.objects.none()
    by_others = SubmissionFile.objects.filter(submission=OuterRef("pk")).exclude(sent_by=user)
    own = Q(owner=user) & (Q(team=None) | ~Exists(by_others))
    return Submission.objects.filter(own | Q(team__in=teams_of(user)))


def teams_of(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Team]:
    """The teams that *user* is in and may submit for, ordered by name. No query by itself."""
    return Team.objects.filter(memberships__user=user) if isinstance(user, User) else Team.objects.none()


def team_for(user: AbstractBaseUser | AnonymousUser, slug: str) -> Team:
    """A team for its members.

    Raises:
        Http404: the team does not exist or the user is not in it; the response is the same for both.
    """
    team = teams_of(user).filter(slug=slug).first()
    if team is None:
        raise Http404("This team does not exist, or you are not a member.")
    return team


def can_view(user: AbstractBaseUser | AnonymousUser, submission: Submission) -> bool:
    """Whether *user* `can_edit` the submission, sent all of its files for a team that they have left since, or is a
    maintainer with the right to view submissions."""
    if not isinstance(user, User):
        return False
    return (
        can_edit(user, submission)
        or (submission.owner_id == user.pk and not submission.files.exclude(sent_by=user).exists())
        or user.has_perm("leaderboard.view_submission")
    )


def has_files_of_others(user: User, submission: Submission) -> bool:
    """Whether somebody other than *user* sent a file of a submission, of any version. One query."""
    senders = submission.files.order_by().values_list("sent_by", flat=True).distinct()
    return any((sender or submission.owner_id) != user.pk for sender in senders)


def can_read_answers(user: AbstractBaseUser | AnonymousUser, entry: Entry) -> bool:
    """Whether *user* may read the answers behind a row: users who can see its submission may; everybody may if its
    owners made the answers public and the split is not hidden."""
    if entry.shows_answers and not entry.split.hidden:
        return True
    return isinstance(user, User) and entry.submission is not None and can_view(user, entry.submission)


def readable_answers(user: AbstractBaseUser | AnonymousUser, entries: Collection[Entry]) -> set[int]:
    """The keys of the rows behind which *user* `can_read_answers`, of rows that were loaded with their splits. At most
    three queries, whatever the number of rows, and none for strangers."""
    readable = {entry.pk for entry in entries if entry.shows_answers and not entry.split.hidden}
    if not isinstance(user, User):
        return readable
    if user.has_perm("leaderboard.view_submission"):
        return readable | {entry.pk for entry in entries if entry.submission_id is not None}
    submissions = {entry.submission_id for entry in entries if entry.submission_id is not None}
    own = set(submissions_visible_to(user).filter(pk__in=submissions).values_list("pk", flat=True))
    return readable | {entry.pk for entry in entries if entry.submission_id in own}


class TokenError(ValueError):
    """An API token that is not valid; the message says why."""


def active_tokens() -> QuerySet[ApiToken]:
    """The API tokens that work: neither revoked nor expired, of an account that is not disabled. No query by itself."""
    # No join with the accounts, so that PostgreSQL locks the tokens alone.
    enabled = User.objects.filter(is_active=True)
    return ApiToken.objects.filter(revoked_at=None, expires_at__gt=timezone.now(), user__in=enabled.values("pk"))


def require_enabled(user: User) -> None:
    """Require an account not to be disabled, and keep it so until the end of the caller's transaction: an upload may
    take longer than the account lasts. One query, which locks the account.

    Raises:
        PermissionDenied: it was disabled or deleted since the request began.
    """
    # With `no_key`, rows that refer to the account can still be inserted meanwhile, such as a submission of another
    # request.
    if not User.objects.select_for_update(no_key=True).filter(pk=user.pk, is_active=True).exists():
        raise PermissionDenied("This account was disabled during the request. Nothing was stored.")


def require_active_token(token: ApiToken) -> None:
    """Require a token to be still valid, and keep it so until the end of the caller's transaction: an upload may take
    longer than its token lasts. One query.

    Raises:
        TokenError: it was revoked or expired, or its account was disabled, since the request began.
    """
    if not active_tokens().select_for_update(no_key=True).filter(pk=token.pk).exists():
        raise TokenError("This token was revoked or expired during the request. Nothing was stored.")


def is_slug(text: str) -> bool:
    """Whether a text of a request can be a slug; with another one PostgreSQL may refuse to compare."""
    return slug_re.fullmatch(text) is not None


def sees_drafts(user: AbstractBaseUser | AnonymousUser, benchmark: str) -> bool:
    """Whether *user* sees the draft splits of a benchmark, given by its slug, and may submit to them: a maintainer, or
    an invited account. No query for strangers."""
    if not isinstance(user, User):
        return False
    return is_maintainer(user) or DraftReader.objects.filter(benchmark__slug=benchmark, user=user).exists()


def splits_visible_to(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Split]:
    """The splits that *user* sees: all but the drafts of benchmarks that the account was not invited to. No query by
    itself."""
    if not isinstance(user, User):
        return Split.objects.all()
    if is_maintainer(user):
        return Split.with_drafts.all()
    invited = DraftReader.objects.filter(benchmark=OuterRef("benchmark"), user=user)
    return Split.with_drafts.filter(~Q(phase=SplitPhase.DRAFT) | Exists(invited))


def benchmarks_visible_to(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Benchmark]:
    """The benchmarks of which *user* sees a split. No query by itself."""
    return known_benchmarks(drafts=True).filter(Exists(splits_visible_to(user).filter(benchmark=OuterRef("pk"))))


def require_maintainer(user: AbstractBaseUser | AnonymousUser) -> None:
    """Refuse everybody except maintainers.

    Raises:
        Http404: a stranger, or a user without any right: the page's existence is not revealed.
        PermissionDenied: a staff user without this right.
    """
    if not isinstance(user, User) or not user.is_staff:
        raise Http404("This page does not exist.")
    if not is_maintainer(user):
        raise PermissionDenied("This page is for maintainers only.")


def maintainers() -> QuerySet[User]:
    """Everybody who `is_maintainer` and whose account is not disabled. No query by itself."""
    able: QuerySet[User] = User.objects.with_perm(MAINTAIN, backend="django.contrib.auth.backends.ModelBackend")
    return able.filter(is_staff=True)


def is_maintainer(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether *user* may change what is scored, the references that it is scored against, and the site's spending."""
    return isinstance(user, User) and user.has_perm(MAINTAIN)
