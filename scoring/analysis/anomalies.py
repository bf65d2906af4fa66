"""Anomalies in the answers of an answer set, counted so that a maintainer can review them. No score depends on them.

`find_anomalies` looks for two kinds: answers that are the same as those of another set, and one answer given to many
questions. The findings contain no text of an answer: only counts and the ids of questions and answer sets.

Other sets are read in pieces, so memory does not grow with their number: at most `SKETCH` numbers are stored for each
compared answer. Only `PROBES` answers of each other set are read first; the whole set is read only if one of these
matches.
"""

import heapq
import json
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final
from uuid import UUID

from scoring.generations.keys import by_question, qid_of
from scoring.metrics.text.as_read import as_read, joined
from scoring.metrics.text.normalise import as_text
from scoring.models import AnswerBlock, AnswerSet, Question, Revision
from scoring.registry import scored_texts

SAME_ANSWERS: Final = "same_answers"
REPEATED_ANSWER: Final = "repeated_answer"

WORDS_COMPARED: Final = 2_000
"""The number of words from the beginning of an answer that are compared."""
SHINGLE: Final = 4
"""The number of consecutive words that make one shingle."""
MIN_WORDS: Final = 10
"""Shorter answers are not compared: two systems may legitimately give the same name or number."""
SKETCH: Final = 64
"""Numbers stored per answer."""
ALIKE: Final = 0.8
"""Two answers count as the same from this share of common shingles on (estimated, standard error at most 0.06)."""
MIN_SHARED: Final = 5
"""The minimum number of long answers shared with another set for a report."""
SAME_SHARE: Final = 0.5
"""The minimum share of them among the compared ones. In nine official files, two systems share at most 4.8 %, and two
settings of one system 6.3 %."""
STOCK: Final = 3
"""An answer given by its own set to this many questions is a phrase ("The text does not say …"), and not compared."""
PROBES: Final = 32
MOST_SETS: Final = 50
"""The maximum number of sets that are read whole, those with the most matching probes first."""

MIN_REPEATS: Final = 10
REPEATED_SHARE: Final = 0.1
"""The share of the answers above which one and the same text of several words is repeated too often, unless a reference
answer is repeated as often. An answer of one word, such as yes, may be right so often."""

MOST_NAMED: Final = 100
"""The maximum number of question ids reported."""

_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True)
class Anomaly:
    """An anomaly of an answer set."""

    code: str
    count: int
    """The number of affected answers; several to one question count once."""
    qids: tuple[str, ...]
    """The first of the affected questions."""
    others: tuple[tuple[UUID, int], ...] = ()
    """For copies: the other answer sets with their number of shared answers, largest first."""
    facts: Mapping[str, int] = field(default_factory=dict)
    """The values that it was measured against."""


def find_anomalies(answer_set: AnswerSet, revision: Revision, *, not_compared: Collection[UUID] = ()) -> list[Anomaly]:
    """All anomalies of a set's answers to a revision's questions, in a fixed order.

    Args:
        not_compared: answer sets that may legitimately share answers, such as those of the same people.

    A set of 724 answers of 600 characters compared with 300 others took 1.3 s of processor time and 4 MiB on SQLite.
    """
    texts = scored_texts(answer_set.split.benchmark.slug, AnswerBlock.objects.texts_of(answer_set))
    qids = Question.objects.filter(revision=revision).order_by("position").values_list("qid", flat=True)
    given = by_question({key: text for key, text in texts.items() if text})
    answers = {qid: given[qid] for qid in qids if qid in given}
    digests = {qid: {_digest(text): text for text in attempts} for qid, attempts in answers.items()}
    anomalies = [*_same_answers(answer_set, answers, digests, not_compared)]
    repeated = Counter(
        digest for attempts in digests.values() for digest, text in attempts.items() if len(words_of(text, most=2)) > 1
    )
    for digest, count in repeated.most_common(1):
        if (
            count >= MIN_REPEATS
            and count > REPEATED_SHARE * len(answers)
            and count > _most_frequent_reference(revision)
        ):
            where = [qid for qid in answers if digest in digests[qid]]
            anomalies.append(Anomaly(REPEATED_ANSWER, count, tuple(where[:MOST_NAMED])))
    return anomalies


def _most_frequent_reference(revision: Revision) -> int:
    """The number of questions that have the most frequent reference answer of a revision. One query."""
    stored = Question.objects.filter(revision=revision, reference__isnull=False).values_list("reference__answer_json")
    texts = (as_text(json.loads(answer)) for (answer,) in stored)
    return max(Counter(map(_digest, texts)).values(), default=0)


def words_of(text: str, most: int = WORDS_COMPARED) -> list[str]:
    """The first words of a text as metrics read it: repaired, without case, punctuation and compatibility forms.

    >>> words_of("Ｏｓｌｏ, (popu.lation: 700,000)!")
    ['oslo', 'population', '700000']
    """
    read = joined(as_read(text[: 20 * most]))
    return [match.group() for match in islice(_WORD.finditer(read), most)]


def sketch_of(text: str) -> tuple[int, ...]:
    """The `SKETCH` smallest hashes of a text's shingles, ascending; empty for a text that is too short to compare."""
    words = words_of(text)
    if len(words) < MIN_WORDS:
        return ()
    shingles = {
        zlib.crc32(" ".join(words[start : start + SHINGLE]).encode()) for start in range(len(words) - SHINGLE + 1)
    }
    return tuple(heapq.nsmallest(SKETCH, shingles))


def alike(first: Sequence[int], second: Sequence[int]) -> float:
    """The share of shingles that two texts have in common (Jaccard), estimated from their sketches: 0 to 1.

    Broder (1997), On the resemblance and containment of documents. Exact where both have at most `SKETCH` shingles.
    """
    if not first or not second:
        return 0.0
    union = heapq.nsmallest(SKETCH, set(first) | set(second))
    return len(set(union) & set(first) & set(second)) / len(union)


def _digest(text: str) -> int:
    """A number that two texts have in common if they have the same words, in any case and punctuation."""
    return zlib.crc32(" ".join(words_of(text)).encode())


def _same_answers(
    answer_set: AnswerSet,
    answers: Mapping[str, Sequence[str]],
    digests: Mapping[str, Collection[int]],
    not_compared: Collection[UUID],
) -> Iterator[Anomaly]:
    """Sets that share enough long answers, each with the number of all answers that are the same, short ones too. Of
    several attempts at a question any may be the same as any of the other set."""
    sketches = {qid: {sketch for text in attempts if (sketch := sketch_of(text))} for qid, attempts in answers.items()}
    given = Counter(sketch for attempts in sketches.values() for sketch in attempts)
    compared = {qid: [sketch for sketch in attempts if given[sketch] < STOCK] for qid, attempts in sketches.items()}
    own = {qid: attempts for qid, attempts in compared.items() if attempts}
    if len(own) < MIN_SHARED:
        return
    earlier = AnswerSet.objects.filter(split=answer_set.split_id, created_at__lt=answer_set.created_at)
    earlier = earlier.exclude(pk__in=[answer_set.pk, *not_compared])
    # The answers to these are together in a few blocks of each set.
    probes = sorted(own, key=lambda qid: zlib.crc32(qid.encode()))[:PROBES]
    benchmark = answer_set.split.benchmark.slug
    rows = AnswerBlock.objects.texts(earlier, probes)
    probed = _shared(((other, key, scored_texts(benchmark, {key: text})[key]) for other, key, text in rows), own)
    counted: dict[UUID, set[str]] = {}
    for candidate in sorted(probed, key=lambda other: -len(probed[other]))[:MOST_SETS]:
        texts = scored_texts(benchmark, AnswerBlock.objects.texts_of(candidate))
        shared = _shared(((candidate, key, text) for key, text in texts.items()), own)[candidate]
        if len(shared) >= max(MIN_SHARED, SAME_SHARE * len(own)):
            counted[candidate] = shared | {
                qid_of(key) for key, text in texts.items() if text and _digest(text) in digests.get(qid_of(key), ())
            }
    if counted:
        every = set().union(*counted.values())
        counts = Counter({other: len(same) for other, same in counted.items()}).most_common()
        in_order = [qid for qid in answers if qid in every]
        yield Anomaly(SAME_ANSWERS, len(every), tuple(in_order[:MOST_NAMED]), tuple(counts))


def _shared(
    answers: Iterable[tuple[UUID, str, str]], own: Mapping[str, Sequence[tuple[int, ...]]]
) -> dict[UUID, set[str]]:
    """By answer set: the questions whose answer in that set, named by its key, is one of *own*."""
    shared: dict[UUID, set[str]] = defaultdict(set)
    for other, key, text in answers:
        qid = qid_of(key)
        if qid in own and qid not in shared[other]:
            sketch = sketch_of(text)
            if any(alike(attempt, sketch) >= ALIKE for attempt in own[qid]):
                shared[other].add(qid)
    return shared
