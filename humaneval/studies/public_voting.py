"""Opening the pairs of a study to votes of visitors who do not sign in."""

from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from humaneval.models import ItemOrigin, Kind, PublicVote, Study, StudyItem, StudyState
from humaneval.studies import activity_log
from leaderboard.board.staleness import mark_split
from leaderboard.models import Entry, User

HIDDEN: Final = "Public voting shows answers to everybody. This split is hidden, so its answers are not shown."
NO_PAIRS: Final = "There are no pairs yet. Make them first."
NOT_PUBLIC: Final = "The answers of {} are not public. Ask the owner to show them, or make pairs of other systems."


class PublicVotingError(ValueError):
    """Public voting cannot be opened; the message says why."""


@transaction.atomic
def open_voting(study: Study, *, by: User) -> None:
    """Let visitors vote on the pairs of a study, while the study is open.

    Raises:
        PublicVotingError: there are no pairs, or their answers are not public.
    """
    pairs = study.items.exclude(origin=ItemOrigin.INJECTED).exclude(first_set=None)
    if study.split.hidden:
        raise PublicVotingError(HIDDEN)
    if study.kind != Kind.PAIRS or not pairs.exists():
        raise PublicVotingError(NO_PAIRS)
    sets = {key for both in pairs.values_list("first_set", "second_set").distinct() for key in both}
    closed = Entry.objects.filter(answer_set__in=sets).exclude(pk__in=public_answers().values("pk"))
    names = list(closed.order_by("system__name").values_list("system__name", flat=True))
    if names:
        raise PublicVotingError(NOT_PUBLIC.format(", ".join(names)))
    Study.objects.filter(pk=study.pk).update(public_from=timezone.now())
    mark_split(study.split_id)
    activity_log.record_action(study, "study.public-voting", "Public voting opened.", by=by)


@transaction.atomic
def close_voting(study: Study, *, by: User) -> None:
    """End public voting; the votes stay."""
    Study.objects.filter(pk=study.pk).update(public_from=None)
    study.open_pairs.all().delete()
    mark_split(study.split_id)
    activity_log.record_action(study, "study.public-voting", "Public voting closed.", by=by)


def public_answers() -> QuerySet[Entry]:
    """The rows on boards whose answers everybody may see now: their owners may make them private again, or withdraw."""
    return Entry.objects.filter(replaced_at=None, shows_answers=True, answer_set__isnull=False)


def public_pairs(study: Study) -> QuerySet[StudyItem]:
    """The pairs that visitors may see now."""
    public = public_answers().values("answer_set")
    return study.items.filter(first_set__in=public, second_set__in=public).exclude(origin=ItemOrigin.INJECTED)


def voting_url(split: int) -> str:
    """The URL of the voting page of the latest study that is open for public voting on a split, by the split's key;
    empty if there is none, or it has nothing to show. One query, and one for each such study."""
    studies = Study.objects.filter(split=split, kind=Kind.PAIRS, public_from__isnull=False).order_by("-public_from")
    study = next((study for study in studies if study.state == StudyState.OPEN and public_pairs(study).exists()), None)
    return reverse("study-vote", args=[study.slug]) if study else ""


def has_public_votes(study: Study) -> bool:
    """Whether anybody has voted. One query."""
    return PublicVote.objects.filter(item__study=study).exists()
