"""Access rights to studies. Every other visitor gets 404."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from humaneval.models import Participant, Study
from humaneval.studies.queries import studies_maintained_by
from leaderboard.access import is_maintainer
from leaderboard.models import User


def may_make_studies(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether a user may make a study: maintainers with that right may."""
    return isinstance(user, User) and user.has_perm("humaneval.add_study")


def may_delete_studies(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Whether a user may delete a study with all its data: maintainers with that right may."""
    return isinstance(user, User) and user.has_perm("humaneval.delete_study")


def require_study_maintainer(user: AbstractBaseUser | AnonymousUser) -> User:
    """Require a user who may make a study or has one.

    Raises:
        Http404: any other user.
    """
    if isinstance(user, User) and (may_make_studies(user) or studies_maintained_by(user).exists()):
        return user
    raise Http404("There is no such page.")


def study_for(user: AbstractBaseUser | AnonymousUser, slug: str) -> Study:
    """A study, for a user who may manage it: its owner, or a maintainer with the right to change studies.

    Raises:
        Http404: there is none, or it is another user's: the two are indistinguishable.
    """
    study = studies_maintained_by(user).filter(slug=slug).first() if isinstance(user, User) else None
    if study is None:
        raise Http404("There is no such study.")
    return study


def participant_for(study: Study, code: str) -> Participant:
    """A participant of a study by the code, such as P-01; previews are not found.

    Raises:
        Http404: there is none.
    """
    number = code.removeprefix("P-")
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise Http404("There is no such participant.")
    people = study.participants.select_related("study", "consent")
    person = people.filter(number=int(number), is_preview=False).first()
    if person is None or person.code != code:
        raise Http404("There is no such participant.")
    return person


def may_see_grades(user: AbstractBaseUser | AnonymousUser, study: Study) -> bool:
    """Whether a user may see the scores of a study's answers, singly or per answer set (which may have one answer): on
    a hidden split maintainers only, because scores reveal information about the reference answers."""
    return not study.split.hidden or is_maintainer(user)
