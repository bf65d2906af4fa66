"""Detection of anomalies in scored files, and their display for maintainers."""

import logging
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core.cache import cache
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from leaderboard.models import Anomaly, Submission, SubmissionFile
from scoring.analysis import anomalies, probing
from scoring.metrics.judge.pairs import PAIR
from scoring.models import AnswerSet, Run
from scoring.models.run_states import ACTIVE
from scoring.workers.locks import only_one

logger = logging.getLogger(__name__)

AT_ONCE = 10
"""Files of one sweep."""
RETRY_SECONDS = 3600
"""A file whose check failed is left out so long."""
_FAILED = "anomalies-failed"

IDENTICAL = "identical_file"
TITLES = {
    IDENTICAL: "The same file as another submission",
    anomalies.COPIED: "Answers copied from another submission",
    anomalies.ADDRESSES_JUDGE: "Answers that address the judge",
    anomalies.LONG: "Unusually long answers",
    anomalies.LIKE_REFERENCES: "Answers identical to the references",
    probing.NEARLY_IDENTICAL: "Files that differ in a few answers",
    probing.ONE_WORD: "Mostly answers of one word, nearly all wrong",
    probing.PADDED: "Answers of repeated words, nearly all wrong",
}
MEANINGS = {
    IDENTICAL: "Somebody else sent this file before: both are equal, byte for byte.",
    anomalies.COPIED: (
        f"At least {anomalies.MIN_SHARED_SHARE:.0%} of the answers of {anomalies.MIN_WORDS} words or more are nearly "
        "identical to earlier answers from another submitter; the number of equal answers includes short ones. The "
        "same model with the same prompt can cause this too."
    ),
    anomalies.ADDRESSES_JUDGE: (
        "The answers contain instructions, letters to reply with, or phrases from the judge's prompt."
    ),
    anomalies.LONG: (
        f"The answers are more than {anomalies.LONG_FACTOR:g} times the median length of other submissions "
        "in this setting, and longer than the judge reads."
    ),
    anomalies.LIKE_REFERENCES: (
        f"At least {anomalies.MIN_LIKE_SHARE:.0%} of the answers with a reference of {anomalies.MIN_REFERENCE_WORDS} "
        "words or more repeat it item by item, in the same order, with hardly any other words."
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
}


def due() -> QuerySet[SubmissionFile]:
    """Files that were not checked yet and whose scoring has finished, oldest first."""
    runs = Run.objects.filter(answer_set=OuterRef("answer_set"), repeat=0).exclude(metric=PAIR)
    return (
        SubmissionFile.objects.filter(anomalies_checked_at=None, submission__withdrawn_at=None)
        .filter(Exists(runs), ~Exists(runs.filter(state__in=ACTIVE)))
        .order_by("sent_at", "pk")
    )


def find_due() -> int:
    """Check due files, up to `AT_ONCE`; returns how many there were. One process at a time.

    A check that fails is logged and tried again after `RETRY_SECONDS`; it does not stop the others.
    """
    failed: list[int] = cache.get(_FAILED, [])
    waiting = due().exclude(pk__in=failed)
    if not waiting.exists():
        return 0
    n_looked = 0
    with only_one("anomalies") as mine:
        if not mine:
            return 0
        for file in waiting.select_related(
            "submission", "answer_set__split__current_revision", "answer_set__split__benchmark"
        )[:AT_ONCE]:
            try:
                check_file(file)
            except Exception:
                logger.exception("Checking file %s for anomalies failed; further files are checked.", file.pk)
                failed = [*failed, file.pk]
                cache.set(_FAILED, failed, RETRY_SECONDS)
            n_looked += 1
    return n_looked


@transaction.atomic
def check_file(file: SubmissionFile) -> list[Anomaly]:
    """Check a file, again if it was checked before; new results replace earlier ones."""
    revision = file.answer_set.split.current_revision
    own = _of_the_same(file.submission)
    found = anomalies.find_anomalies(file.answer_set, revision, not_compared=own) if revision else []
    found = _with_identical(file, found, own)
    if file.answer_set.split.hidden:
        found += probing.look(file.answer_set, own)
    Anomaly.objects.filter(file=file).delete()
    where = _places([other for one in found for other, _ in one.others])
    rows = [
        Anomaly(
            file=file,
            code=one.code,
            count=one.count,
            details={
                "questions": list(one.qids),
                "others": [{**where[other], "count": count} for other, count in one.others if other in where],
                "facts": dict(one.facts),
            },
        )
        for one in found
    ]
    Anomaly.objects.bulk_create(rows)
    SubmissionFile.objects.filter(pk=file.pk).update(anomalies_checked_at=timezone.now())
    return rows


def _with_identical(
    file: SubmissionFile, found: list[anomalies.Anomaly], own: Sequence[uuid.UUID]
) -> list[anomalies.Anomaly]:
    """The findings, with other people's files that are equal byte for byte named as that, and not as copied answers."""
    answer_set = file.answer_set
    earlier = SubmissionFile.objects.filter(
        sha256=file.sha256, answer_set__split=answer_set.split_id, answer_set__created_at__lt=answer_set.created_at
    ).exclude(answer_set__in=own)
    same = list(earlier.order_by("sent_at").values_list("answer_set", flat=True)[: anomalies.MOST_SETS])
    if not same:
        return found
    rest = [replace(one, others=tuple(pair for pair in one.others if pair[0] not in same)) for one in found]
    identical = tuple((other, file.n_answered) for other in same)
    return [
        anomalies.Anomaly(IDENTICAL, file.n_answered, (), identical),
        *(one for one in rest if one.code != anomalies.COPIED or one.others),
    ]


def _of_the_same(submission: Submission) -> list[uuid.UUID]:
    """Answer sets of the same people, who may legitimately submit the same answers twice."""
    party = Q(submission_file__submission__owner=submission.owner_id)
    if submission.team_id:
        party |= Q(submission_file__submission__team=submission.team_id)
    own = AnswerSet.objects.filter(party, split=submission.split_id).order_by("-submission_file__sent_at", "pk")
    return list(own.values_list("pk", flat=True))


def _places(answer_sets: Sequence[uuid.UUID]) -> dict[uuid.UUID, dict[str, Any]]:
    files = SubmissionFile.objects.filter(answer_set__in=answer_sets).select_related("setting")
    return {
        file.answer_set_id: {
            "submission": str(file.submission_id),
            "setting": file.setting.slug,
            "version": file.version,
        }
        for file in files
    }


# --- Telling -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OtherFile:
    """A file whose answers another file repeats, with all versions that contain them."""

    name: str
    setting: str
    count: int
    """The number of answers in its current version; if that has too few of them, in the newest that has enough."""
    pk: str
    n_older: int
    """The number of other versions with the same answers, which were replaced by it."""
    replaced: bool
    """Whether the counted version was replaced by another."""


@dataclass(frozen=True)
class AnomalyView:
    """An anomaly of a file, as shown to a maintainer."""

    code: str
    title: str
    meaning: str
    setting: str
    version: int
    count: int
    n_answered: int
    questions: list[str]
    others: list[OtherFile]
    facts: list[tuple[str, int]]

    @property
    def n_unnamed(self) -> int:
        """The number of further questions that are not named."""
        return max(0, self.count - len(self.questions))

    @property
    def tone(self) -> str:
        """The colour of its badge: a finding that may be innocent is not alarming."""
        return "warn" if self.code == anomalies.LONG else "bad"


FACTS = {
    "comparable": "answers with such a reference",
    "files": "nearly identical files",
    "differing": "answers that differ, at most",
    "usual": "usual length in characters",
    "limit": "limit",
    "longest": "longest",
}


def anomalies_of(submission: Submission) -> list[AnomalyView]:
    """All anomalies of a submission's current files. Three queries."""
    rows = list(
        Anomaly.objects.filter(file__submission=submission, file__replaced_at=None)
        .select_related("file__setting")
        .order_by("file__setting__position", "code")
    )
    named = {other["submission"] for row in rows for other in row.details.get("others", [])}
    names = {str(pk): name for pk, name in Submission.objects.filter(pk__in=named).values_list("pk", "name")}
    current = {
        (str(pk), setting): version
        for pk, setting, version in SubmissionFile.objects.filter(submission__in=named, replaced_at=None).values_list(
            "submission", "setting__slug", "version"
        )
    }
    return [
        AnomalyView(
            code=row.code,
            title=TITLES.get(row.code, row.code),
            meaning=MEANINGS.get(row.code, ""),
            setting=row.file.setting.name,
            version=row.file.version,
            count=row.count,
            n_answered=row.file.n_answered,
            questions=list(row.details.get("questions", [])),
            others=_others(row, names, current),
            facts=[(FACTS.get(name, name), value) for name, value in row.details.get("facts", {}).items()],
        )
        for row in rows
    ]


def _others(row: Anomaly, names: Mapping[str, str], current: Mapping[tuple[str, str], int]) -> list[OtherFile]:
    """The files whose answers a file repeats, most repeated first: one for each other file, whatever its versions."""
    versions: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for other in row.details.get("others", []):
        of_file = versions[other["submission"], other["setting"]]
        # Findings from before versions were stored have none: then the number is known, but not the versions.
        of_file[other.get("version", -len(of_file))] = other["count"]
    found = []
    for (pk, setting), counts in versions.items():
        if pk in names:
            newest = current.get((pk, setting))
            shown = newest if newest in counts else max(counts)
            replaced = shown > 0 and shown != newest
            found.append(OtherFile(names[pk], setting, counts[shown], pk, len(counts) - 1, replaced))
    return sorted(found, key=lambda other: -other.count)
