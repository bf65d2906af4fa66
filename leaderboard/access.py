"""Who may see and do what. A stranger is told that there is nothing; a reader without the right is refused."""

import uuid

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404

from leaderboard.models import Entry, Submission, SubmissionFile, User


def submission_for(user: User | AnonymousUser, pk: uuid.UUID) -> Submission:
    """A submission for its owner or a maintainer.

    Raises:
        Http404: there is none, or it is somebody else's: no difference is shown.
    """
    submission = Submission.objects.select_related("owner", "split__benchmark").filter(pk=pk).first()
    if submission is None or not can_see(user, submission):
        raise Http404("There is no such submission, or it is not yours.")
    return submission


def own_submission(user: User | AnonymousUser, pk: uuid.UUID) -> Submission:
    """A submission for its owner alone, to change it; raises as `submission_for`."""
    submission = submission_for(user, pk)
    if submission.owner_id != user.pk:
        raise Http404("There is no such submission, or it is not yours.")
    return submission


def submission_file_for(user: User | AnonymousUser, pk: uuid.UUID, setting: str) -> SubmissionFile:
    """The original file of one setting for the submission's owner or a maintainer; raises as `submission_for`."""
    submission = submission_for(user, pk)
    file = submission.files.select_related("setting").filter(setting__slug=setting).first()
    if file is None:
        raise Http404("The submission has no file in this setting.")
    return file


def can_see(user: User | AnonymousUser, submission: Submission) -> bool:
    """Whether *user* is the submission's owner or a maintainer with the right to view submissions."""
    if not user.is_authenticated:
        return False
    return submission.owner_id == user.pk or user.has_perm("leaderboard.view_submission")


def can_read_answers(user: AbstractBaseUser | AnonymousUser, entry: Entry) -> bool:
    """Whether *user* may read the answers behind a row: its submission's owner, a maintainer, or, where the owner says
    so and the split is not hidden, everybody."""
    if entry.shows_answers and not entry.split.hidden:
        return True
    return isinstance(user, User) and entry.submission is not None and can_see(user, entry.submission)


def require_maintainer(user: AbstractBaseUser | AnonymousUser) -> None:
    """Let pass only maintainers.

    Raises:
        Http404: a stranger, or somebody without any right: they are not told that there is such a page.
        PermissionDenied: somebody of the staff without this right.
    """
    if not isinstance(user, User) or not user.is_staff:
        raise Http404("There is no such page.")
    if not is_maintainer(user):
        raise PermissionDenied("This page is for maintainers.")


def is_maintainer(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether *user* may change what is scored and against what, and spend the site's money."""
    return isinstance(user, User) and user.is_staff and user.has_perm("scoring.change_split")
