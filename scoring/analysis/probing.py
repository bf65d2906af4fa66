"""Signs that a file for a hidden split was made to discover its answers, not to answer its questions.

Enters: an answer set, with the other sets of the same people. Leaves: findings for a maintainer, as
`scoring.analysis.anomalies.Anomaly`, without any answer. A system can show each of the signs without such a purpose.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID
from zlib import crc32

from scoring.analysis.anomalies import MOST_NAMED, Anomaly
from scoring.models import Answer, AnswerSet, Score
from scoring.models.run_states import RunState

NEARLY_IDENTICAL: Final = "nearly_identical"
ONE_WORD: Final = "one_word"
PADDED: Final = "padded"

MOST_SETS: Final = 20
"""The maximum number of other sets of the same people that are compared, latest first."""
DIFFERING_SHARE: Final = 0.02
"""Two files are nearly identical if at most this share of the answers differs, and at least one."""
MIN_FILES: Final = 2
"""The minimum number of other files that must be nearly identical."""
ONE_WORD_SHARE: Final = 0.5
"""A share of the answers; benchmarks with single-word answers need another sign."""
MIN_WORDS_OF_PADDING: Final = 32
DISTINCT_SHARE: Final = 0.1
"""An answer is padded if it has this many words and at most this share of them are distinct."""
MIN_PADDED: Final = 3
NEAR_ZERO: Final = 0.05
"""Only files whose scores are all below this are checked for one-word and padded answers."""

_WORD: Final = re.compile(r"\w+")


def look(answer_set: AnswerSet, own_sets: Sequence[UUID]) -> list[Anomaly]:
    """All signs of probing in a set, in a fixed order. Three queries.

    Args:
        own_sets: answer sets of the same people in the same split, the latest first.
    """
    hashes: dict[str, int] = {}
    one_word: list[str] = []
    padded: list[str] = []
    for _, qid, text in _answers([answer_set.pk]):
        hashes[qid] = crc32(text.encode())
        words = _WORD.findall(text.casefold())
        if len(words) <= 1:
            one_word.append(qid)
        elif len(words) >= MIN_WORDS_OF_PADDING and len(set(words)) <= DISTINCT_SHARE * len(words):
            padded.append(qid)
    found = list(_nearly_identical(hashes, [pk for pk in own_sets if pk != answer_set.pk][:MOST_SETS]))
    if not _scores_near_zero(answer_set):
        return found
    if one_word and len(one_word) >= ONE_WORD_SHARE * len(hashes):
        found.append(Anomaly(ONE_WORD, len(one_word), tuple(one_word[:MOST_NAMED])))
    if len(padded) >= MIN_PADDED:
        found.append(Anomaly(PADDED, len(padded), tuple(padded[:MOST_NAMED])))
    return found


def _answers(answer_sets: Sequence[UUID]) -> Iterator[tuple[UUID, str, str]]:
    rows = Answer.objects.filter(answer_set__in=answer_sets).exclude(text="").order_by("pk")
    return rows.values_list("answer_set", "qid", "text").iterator(chunk_size=500)


def _nearly_identical(hashes: Mapping[str, int], others: Sequence[UUID]) -> Iterator[Anomaly]:
    """Several other files of the same people that differ from this one in a few answers."""
    n_same: Counter[UUID] = Counter()
    sizes: Counter[UUID] = Counter()
    differing: dict[UUID, list[str]] = {}
    for other, qid, text in _answers(others) if others and hashes else ():
        sizes[other] += 1
        if hashes.get(qid) == crc32(text.encode()):
            n_same[other] += 1
        else:
            differing.setdefault(other, []).append(qid)
    near = {}
    for other, size in sizes.items():
        n_differing = max(size, len(hashes)) - n_same[other]
        if 1 <= n_differing <= max(1, DIFFERING_SHARE * len(hashes)):
            near[other] = n_differing
    if len(near) >= MIN_FILES:
        qids = list(dict.fromkeys(qid for other in near for qid in differing.get(other, ())))
        alike = tuple((other, n_same[other]) for other in near)
        facts = {"files": len(near), "differing": max(near.values())}
        yield Anomaly(NEARLY_IDENTICAL, len(qids), tuple(qids[:MOST_NAMED]), alike, facts)


def _scores_near_zero(answer_set: AnswerSet) -> bool:
    scores = Score.objects.filter(run__answer_set=answer_set, run__state=RunState.DONE, run__repeat=0)
    values = list(scores.exclude(name__endswith="precision").values_list("value", flat=True))
    return bool(values) and max(values) < NEAR_ZERO
