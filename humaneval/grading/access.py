"""Access rights under /grading/. Every other visitor gets 404 (`Http404`), as where there is nothing.

A round is managed by maintainers with the rights to change scored data and to see reference answers. A grader is an
account in the round's list. Both may see the reference answers of the round's split: only this module grants
that right, also for the items of a study.
"""

from typing import Final

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404

from humaneval.models import GradedAnswer, Grader, GradingRound, Study
from leaderboard.access import is_maintainer
from leaderboard.models import User
from scoring.analysis.reference_items import ReadingRight

Visitor = AbstractBaseUser | AnonymousUser
ONLY_MAINTAINERS: Final = "This split is hidden: only maintainers who may see its reference answers can load items."


def require_anybody(user: Visitor) -> User:
    """Require a visitor who manages rounds, or grades in one. At most three queries."""
    known = user if isinstance(user, User) and user.is_active else None
    if known and (can_maintain_rounds(known) or Grader.objects.filter(user=known, removed_at=None).exists()):
        return known
    raise Http404("There is no such page.")


def can_maintain_rounds(user: Visitor) -> bool:
    """Whether a user manages rounds: maintainers who may see reference answers do."""
    return isinstance(user, User) and is_maintainer(user) and user.has_perm("scoring.view_reference")


def require_round_maintainer(user: Visitor) -> User:
    """Require a visitor who manages rounds; graders get 404 too."""
    if isinstance(user, User) and can_maintain_rounds(user):
        return user
    raise Http404("There is no such page.")


def round_for_maintainer(user: Visitor, slug: str) -> GradingRound:
    """A round, for a visitor who may manage it."""
    require_round_maintainer(user)
    return _round(slug)


def round_for_member(user: Visitor, slug: str) -> tuple[GradingRound, Grader | None]:
    """A round, for a visitor who manages it or grades in it, with their row as grader."""
    round_ = _round(slug)
    grader = _grader(user, round_)
    if grader is None:
        require_round_maintainer(user)
    return round_, grader


def grader_for(user: Visitor, slug: str) -> Grader:
    """A visitor's row as grader of a round, with the round, unless they were removed from it. Two queries."""
    grader = _grader(user, _round(slug))
    if grader is None:
        raise Http404("There is no such page.")
    return grader


def may_see_sources(round_: GradingRound, grader: Grader | None) -> bool:
    """Whether a maintainer may see whose answers are in a round: always, unless they grade in it and it is open."""
    return grader is None or round_.closed_at is not None


def answer_for_maintainer(round_: GradingRound, position: int, *, calibration: bool) -> GradedAnswer:
    """An answer of a round by its number: a calibration answer, or another."""
    answer = round_.answers.select_related("question").filter(position=position, is_calibration=calibration).first()
    if answer is None:
        raise Http404("There is no such answer.")
    answer.round = round_
    return answer


def answer_to_read(user: Visitor, slug: str, position: int) -> tuple[GradedAnswer, Grader | None]:
    """An answer of a round by its number, for a visitor who may read its evidence, with their row as its grader.

    A grader may read it for the answers that they have or had on the screen, a manager of rounds for all. Three queries
    for a grader, and at most three more for a manager.
    """
    round_ = _round(slug)
    grader = _grader(user, round_)
    answers = GradedAnswer.objects.filter(round=round_, position=position).select_related("question")
    # Only what the grader has or had on the screen: the evidence of other answers would tell what comes.
    answer = (
        answers.filter(slots__grader=grader, slots__claimed_at__isnull=False).first() if grader is not None else None
    )
    reads_as = grader if answer is not None else None
    if answer is None:
        require_round_maintainer(user)
        answer = answers.first()
    if answer is None:
        raise Http404("There is no such answer.")
    answer.round = round_
    return answer, reads_as


def right_of(user: User, round_: GradingRound) -> ReadingRight:
    """The right to see a round's reference answers, of a maintainer or a grader. At most three queries."""
    if _grader(user, round_) is not None:
        return ReadingRight(round_.revision.split_id, user.get_username(), f"grader of {round_.slug}")
    require_round_maintainer(user)
    return ReadingRight(round_.revision.split_id, user.get_username(), f"maintainer, for {round_.slug}")


def right_to_make_items(user: User, study: Study) -> ReadingRight:
    """The right to compare answers with a study's reference answers, for the items of the study.

    The result reveals reference answers, so on a hidden split only maintainers who may see them have it.

    Raises:
        PermissionDenied: the split is hidden, and the user may not see its references.
    """
    if study.split.hidden and not can_maintain_rounds(user):
        raise PermissionDenied(ONLY_MAINTAINERS)
    return ReadingRight(study.split_id, user.get_username(), f"items of {study.slug}")


def right_of_operator(round_: GradingRound) -> ReadingRight:
    """The right of a person who may run the site's commands, and so has access to the whole database."""
    return ReadingRight(round_.revision.split_id, "manage.py", f"export of {round_.slug}")


def _round(slug: str) -> GradingRound:
    round_ = GradingRound.objects.select_related("revision__split__benchmark", "owner").filter(slug=slug).first()
    if round_ is None:
        raise Http404("There is no such page.")
    return round_


def _grader(user: Visitor, round_: GradingRound) -> Grader | None:
    if not isinstance(user, User) or not user.is_active:
        return None
    grader = round_.graders.filter(user=user, removed_at=None).first()
    if grader is not None:
        grader.round = round_
        grader.user = user
    return grader
