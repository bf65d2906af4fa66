"""Flags of submissions: unusual files, which a maintainer reviews.

A flag is an `Anomaly` of a file that was sent or scored. A submission's flags decide whether its scores (`WITHHOLDING`)
or its rank (`RANKING`) wait for a maintainer. A flag is found once. A maintainer who dismisses it deletes it; one who
confirms it gives the reason.
"""

import logging
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.core.cache import cache
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from leaderboard.disclosure import CAUSE_SHOWN, WITHHOLDING, holds_without_cause
from leaderboard.models import Anomaly, Submission, SubmissionFile, System
from leaderboard.publishing import names
from scoring.analysis import anomalies, copied_references, probing
from scoring.benchmarks import definition_of
from scoring.models import AnswerBlock, AnswerSet, Run, Split
from scoring.models.run_states import ACTIVE, RunState
from scoring.registry import scored_texts
from scoring.workers.locks import only_one

logger = logging.getLogger(__name__)

AT_ONCE = 10
"""Files of one sweep."""
RETRY_SECONDS = 3600
"""A file whose check failed is left out so long."""
_FAILED = "anomalies-failed"
OF_FILE: Final = ("answer_set__split__current_revision", "answer_set__split__benchmark")

SAME_FILE: Final = "same_file"
RANKING: Final = (SAME_FILE, anomalies.SAME_ANSWERS)
"""A submission with one of these is ranked once a maintainer approves it."""
SHOWN: Final = (*CAUSE_SHOWN, *RANKING)
"""Flags that a submitter learns of; only maintainers learn of the others."""
TITLES = {
    SAME_FILE: "Same file",
    anomalies.SAME_ANSWERS: "Same answers",
    anomalies.REPEATED_ANSWER: "Repeated answer",
    probing.NEARLY_IDENTICAL: "Files that differ in a few answers",
    probing.ONE_WORD: "Mostly answers of one word, nearly all wrong",
    probing.PADDED: "Answers of repeated words, nearly all wrong",
    probing.MANY_NAMES: "Answers with very many names and numbers",
    probing.LONG_ANSWERS: "Several very long answers",
    probing.REPEATED: "Lists that repeat their entries",
    copied_references.COPIED_REFERENCES: "Answers equal to the reference answers",
}
"""Five kinds of flags: the first three, the signs of probing, and copies of reference answers."""
ALL: Final = tuple(TITLES)
MEANINGS = {
    SAME_FILE: "Somebody else sent this file before: both are equal, byte for byte.",
    anomalies.SAME_ANSWERS: (
        f"At least {anomalies.SAME_SHARE:.0%} of the answers of {anomalies.MIN_WORDS} words or more are equal to "
        "earlier answers from another submitter, or nearly so; the number of equal answers includes short ones. The "
        "same model with the same prompt can cause this too."
    ),
    anomalies.REPEATED_ANSWER: (
        f"More than {anomalies.REPEATED_SHARE:.0%} of the answers are one and the same text of several words, which is "
        "more often than any reference answer is repeated. A text that is written for a judge may get the same verdict "
        "everywhere."
    ),
    probing.NEARLY_IDENTICAL: (
        f"The same people sent at least {probing.MIN_FILES} other files for this hidden split that differ from it "
        f"in at most {probing.DIFFERING_SHARE:.0%} of the answers. The differences of their scores can test guesses."
    ),
    probing.ONE_WORD: (
        f"At least {probing.ONE_WORD_SHARE:.0%} of the answers are one word, and every score is below "
        f"{probing.NEAR_ZERO:g}. A few of the other answers may be guesses that the scores test."
    ),
    probing.PADDED: (
        f"At least {probing.MIN_PADDED} answers repeat a few words {probing.MIN_WORDS_OF_PADDING} times or more, and "
        f"every score is below {probing.NEAR_ZERO:g}. Padding gives each guess a weight of its own in a score."
    ),
    probing.MANY_NAMES: (
        "An answer to a hidden split may hold any number of guesses and lose nothing in accuracy. The number is "
        "estimated from the different words and sequences of three words."
    ),
    probing.LONG_ANSWERS: (
        "Answers to a hidden split may hold any number of guesses and lose nothing in accuracy. Up to "
        f"{probing.LONG_ANSWERS_ALLOWED} answers of a file may have more characters than the limit."
    ),
    probing.REPEATED: (
        "A judge of lists counts an entry each time, so that a right one that is repeated hides any number of guesses."
    ),
    copied_references.COPIED_REFERENCES: (
        f"More than {copied_references.COPIED_SHARE:.0%} of the reference answers of more than "
        f"{copied_references.MOST_WORDS} words are given to the letter, as metrics read them: the reference answers "
        "may have become known. The sender learns only that the scores are held."
    ),
}


UNITS: Final = {
    probing.MANY_NAMES: "names and numbers",
    probing.LONG_ANSWERS: "characters",
    probing.REPEATED: "repeated entries",
}
"""Units that the limits of the flags in `CAUSE_SHOWN` count in an answer."""


def record_holds(file: SubmissionFile, answers: Mapping[str, str]) -> None:
    """Flag a file that was just sent for a hidden split if its scores must wait for a maintainer."""
    split = file.answer_set.split
    texts = scored_texts(split.benchmark.slug, answers)
    found = probing.padding(texts, definition_of(split.benchmark.slug))
    found += copied_references.copied_references(texts, split)
    Anomaly.objects.bulk_create(_row(file, flag, {}) for flag in found)


def references_imported(split: Split) -> None:
    """Compare the files of a hidden split that have no score yet with its reference answers, which they waited for."""
    if not split.is_hidden:
        return
    scored = Run.objects.filter(answer_set=OuterRef("answer_set"), state=RunState.DONE)
    files = SubmissionFile.objects.filter(~Exists(scored), imported=False, submission__split=split.board_split)
    files = files.exclude(anomalies__code=copied_references.COPIED_REFERENCES)
    for file in files.select_related("answer_set__split__benchmark").iterator(chunk_size=AT_ONCE):
        texts = scored_texts(split.benchmark.slug, AnswerBlock.objects.texts_of(file.answer_set))
        found = copied_references.copied_references(texts, file.answer_set.split)
        Anomaly.objects.bulk_create(_row(file, flag, {}) for flag in found)


def flags_of(submission: Submission, codes: Sequence[str]) -> QuerySet[Anomaly]:
    """The flags of a submission's current files."""
    return Anomaly.objects.filter(file__submission=submission, file__replaced_at=None, code__in=codes)


@dataclass(frozen=True)
class Hold:
    """A file whose scores wait for a maintainer, for a cause that its sender does not see."""

    setting_name: str
    setting_slug: str
    reason: str
    """Reason why a maintainer decided not to show the scores; empty while they wait."""

    @property
    def refused(self) -> bool:
        """Whether a maintainer decided not to show the scores."""
        return bool(self.reason)


@dataclass(frozen=True)
class Review(Hold):
    """A flag of `CAUSE_SHOWN`: why the scores of a file of a hidden split wait for a maintainer's approval."""

    code: str
    title: str
    meaning: str
    count: int
    """Number of answers above the limit."""
    questions: list[str]
    """Ids of the first hundred questions, that with the largest value first."""
    limit: int
    unit: str
    """Unit that the limit counts."""
    most: int
    """The largest value of an answer, in the unit of the limit."""


def reviews_of(submission: Submission) -> list[Review]:
    """The flags of `CAUSE_SHOWN` for which scores of a submission's current files wait. One query."""
    rows = flags_of(submission, CAUSE_SHOWN).select_related("file__setting")
    return [
        Review(
            setting_name=row.file.setting.name,
            setting_slug=row.file.setting.slug,
            code=row.code,
            title=TITLES[row.code],
            meaning=MEANINGS[row.code],
            count=row.count,
            questions=list(row.details["questions"]),
            limit=row.details["facts"]["limit"],
            unit=UNITS[row.code],
            most=row.details["facts"]["most"],
            reason=row.reason,
        )
        for row in rows.order_by("file__setting__position", "code")
    ]


def holds_of(submission: Submission, shown_files: Collection[int]) -> list[Hold]:
    """The current files of a submission of which its sender sees that they are held, and nothing more. One query.

    Args:
        shown_files: the keys of the files whose results are shown.
    """
    rows = flags_of(submission, WITHHOLDING).select_related("file__setting").order_by("file__setting__position", "code")
    return [
        Hold(flag.file.setting.name, flag.file.setting.slug, flag.reason)
        for flag in holds_without_cause(rows, shown_files)
    ]


def rank_waits(submission: Submission) -> bool:
    """Whether a maintainer must approve a submission before it is ranked, because it or its name may be another's.
    Checks files that no worker has checked yet, so that nobody is quicker than the check."""
    files = submission.files.filter(replaced_at=None, imported=False, anomalies_checked_at=None)
    for file in files.select_related("submission", *OF_FILE):
        try:
            check_file(file)
        except Exception:
            logger.exception("Checking file %s for anomalies failed; its publication waits for a maintainer.", file.pk)
            return True
    if flags_of(submission, RANKING).exists():
        return True
    # Its name may be one of others' systems, unless its owner or team is on a board with it already.
    party = {"team": submission.team} if submission.team_id else {"team": None, "owner": submission.owner}
    if System.objects.filter(name=submission.name, entries__isnull=False, **party).exists():
        return False
    name = submission.name
    same = names.same_names(name, owner=submission.owner, team=submission.team)
    return bool(same) or names.is_published(name)


def dismiss(submission: Submission) -> int:
    """Delete a submission's open flags; returns how many there were."""
    return flags_of(submission, ALL).filter(reason="").delete()[0]


def confirm(submission: Submission, reason: str) -> int:
    """Store the reason for which a submission's open flags are right; returns how many there were."""
    return flags_of(submission, ALL).filter(reason="").update(reason=reason)


def due() -> QuerySet[SubmissionFile]:
    """Files that were not checked yet and whose scoring has finished, oldest first."""
    runs = Run.objects.filter(answer_set=OuterRef("answer_set"), counts=True)
    return (
        SubmissionFile.objects.filter(anomalies_checked_at=None, submission__withdrawn_at=None)
        .filter(Exists(runs), ~Exists(runs.filter(state__in=ACTIVE)))
        .order_by("sent_at", "pk")
    )


def find_due() -> int:
    """Check due files, up to `AT_ONCE`; returns how many there were. One process at a time.

    A check that fails is logged and tried again after `RETRY_SECONDS`; it does not stop the others.
    """
    # In the cache, not in the table: after a while, or once the cache is lost, the file is simply tried again.
    failed: list[int] = cache.get(_FAILED, [])
    waiting = due().exclude(pk__in=failed)
    if not waiting.exists():
        return 0
    n_looked = 0
    with only_one("anomalies") as mine:
        if not mine:
            return 0
        for file in waiting.select_related("submission", *OF_FILE)[:AT_ONCE]:
            try:
                check_file(file)
            except Exception:
                logger.exception("Checking file %s for anomalies failed; further files are checked.", file.pk)
                failed = [*failed, file.pk]
                cache.set(_FAILED, failed, RETRY_SECONDS)
            n_looked += 1
    return n_looked


@transaction.atomic
def check_file(file: SubmissionFile) -> None:
    """Check a file, unless it was checked before, and store its flags."""
    # The update locks the row: of two workers, one finds it checked.
    unchecked = SubmissionFile.objects.filter(pk=file.pk, anomalies_checked_at=None)
    if not unchecked.update(anomalies_checked_at=timezone.now()):
        return
    revision = file.answer_set.split.current_revision
    # The same people may legitimately submit the same answers twice.
    submission = file.submission
    party = Q(submission_file__submission__owner=submission.owner_id)
    if submission.team_id:
        party |= Q(submission_file__submission__team=submission.team_id)
    of_party = AnswerSet.objects.filter(party, split=submission.split_id)
    own = list(of_party.order_by("-submission_file__sent_at", "pk").values_list("pk", flat=True))
    answer_set = file.answer_set
    flags = anomalies.find_anomalies(answer_set, revision, not_compared=own) if revision else []
    identical = SubmissionFile.objects.filter(
        sha256=file.sha256, answer_set__split=answer_set.split_id, answer_set__created_at__lt=answer_set.created_at
    ).exclude(answer_set__in=own)
    equal = list(identical.order_by("sent_at").values_list("answer_set", flat=True)[: anomalies.MOST_SETS])
    if equal:  # the same file says more than the same answers
        flags = [flag for flag in flags if flag.code != anomalies.SAME_ANSWERS]
        others = tuple((other, file.n_answered) for other in equal)
        flags.append(anomalies.Anomaly(SAME_FILE, file.n_answered, (), others))
    if answer_set.split.hidden:
        flags += probing.look(answer_set, own)
    named = SubmissionFile.objects.filter(answer_set__in=[other for flag in flags for other, _ in flag.others])
    where = {
        other.answer_set_id: {"submission": str(other.submission_id), "setting": other.setting.slug}
        for other in named.select_related("setting")
    }
    Anomaly.objects.bulk_create(_row(file, flag, where) for flag in flags)


def _row(file: SubmissionFile, anomaly: anomalies.Anomaly, where: Mapping[uuid.UUID, Mapping[str, Any]]) -> Anomaly:
    others = [{**where[other], "count": count} for other, count in anomaly.others if other in where]
    details = {"questions": list(anomaly.qids), "others": others, "facts": dict(anomaly.facts)}
    return Anomaly(file=file, code=anomaly.code, count=anomaly.count, details=details)
