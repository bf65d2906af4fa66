"""Reading studies."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet

from humaneval.models import Study
from leaderboard.models import User


def studies_of(user: User | AnonymousUser) -> QuerySet[Study]:
    """The studies that somebody may see: their own, or all with the right to view studies."""
    studies = Study.objects.select_related("split__benchmark", "setting", "owner")
    if not isinstance(user, User):
        return studies.none()
    return studies if user.has_perm("humaneval.view_study") else studies.filter(owner=user)


def studies_kept_by(user: User) -> QuerySet[Study]:
    """The studies that somebody may keep: their own, or all with the right to change studies."""
    studies = Study.objects.select_related("split__benchmark", "split__current_revision", "setting", "owner")
    if not user.is_active:
        return studies.none()
    keeps_all = user.is_staff and user.has_perm("humaneval.change_study")
    return studies if keeps_all else studies.filter(owner=user)
