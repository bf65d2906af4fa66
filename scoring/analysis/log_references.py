"""Known reference answers among those of an uploaded log.

Enters: the hashes that `scoring.logs.references` made of a log. Leaves: a finding for a maintainer, with ids of
questions and without any answer.
"""

from typing import Final

from scoring.analysis.anomalies import CHUNK, MOST_NAMED, Anomaly
from scoring.logs.references import HASH_BYTES, reference_hash
from scoring.models import Question, Revision
from scoring.registry import task_type_of

IN_LOG: Final = "references_in_log"


def references_in_log(hashes: bytes, revision: Revision, key: bytes) -> Anomaly | None:
    """The questions of a revision whose reference answer is among the hashed ones; None if there are none. One query.

    Args:
        hashes: one after the other.
        key: the key that they were made with.
    """
    of_log = {hashes[start : start + HASH_BYTES] for start in range(0, len(hashes), HASH_BYTES)}
    plain = task_type_of(revision.split.benchmark.slug).plain
    questions = Question.objects.filter(revision=revision, reference__isnull=False).select_related("reference")
    known = [
        question.qid
        for question in questions.order_by("position").iterator(chunk_size=CHUNK)
        if reference_hash(key, question.qid, plain(question.reference.answer)) in of_log
    ]
    return Anomaly(IN_LOG, len(known), tuple(known[:MOST_NAMED])) if known else None
