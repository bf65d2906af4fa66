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
