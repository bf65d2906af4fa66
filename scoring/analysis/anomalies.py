"""Anomalies in the answers of an answer set, counted so that a maintainer can review them. No score depends on them.

`find_anomalies` looks for four kinds: answers that another set contained before (some, or nearly all: a copy), answers
that address the judge, answers much longer than usual, and answers that repeat the reference word for word. The
findings contain no text of an answer or a reference: only counts and the ids of questions and answer sets.

Other sets are read in pieces, so memory does not grow with their number: at most `SKETCH` numbers are stored for each
compared answer. Only `PROBES` answers of each other set are read first; the whole
set is read only if one of these matches. The time therefore grows by about 32 answers for each set of the split. A set
that shares a tenth of its answers is missed with a probability of 3 %, one that shares a fifth with 0.1 %.
"""

import heapq
import json
import re
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from statistics import median
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef

from scoring.metrics.asking.prompt_injection import flags
from scoring.metrics.judge.prompt import MAX_ANSWER_CHARACTERS
from scoring.metrics.text.normalise import as_text
from scoring.models import AnswerBlock, AnswerSet, Question, Revision
from scoring.registry import task_type_of

COPIED: Final = "copied"
COPY: Final = "copy"
ADDRESSES_JUDGE: Final = "addresses_judge"
LONG: Final = "long"
LIKE_REFERENCES: Final = "like_references"

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
MIN_SHARED_SHARE: Final = 0.1
"""The minimum share of them among the compared ones. In nine official files, two systems share at most 4.7 %, and two
settings of one system 6.4 %; in all 27 of them, at most 10.9 %."""
COPY_SHARE: Final = 0.95
"""A set is a copy of another from this share of its compared answers on."""
STOCK: Final = 3
"""An answer given by its own set to this many questions is a phrase ("The text does not say …"), and not compared."""
PROBES: Final = 32
MOST_SETS: Final = 50
"""The maximum number of sets that are read whole, those with the most matching probes first."""

LONG_FACTOR: Final = 8.0
"""A multiple of the median length of others' answers in the same setting; at least the length that a judge reads."""
MIN_OTHERS: Final = 3
"""With fewer other sets the usual length is unknown, and no answer is called long."""
OTHERS: Final = 50
"""The number of latest other sets that determine the usual length."""

MIN_REFERENCE_WORDS: Final = 6
"""A brief, correct answer repeats shorter references word for word."""
MIN_LIKE: Final = 3
MIN_LIKE_SHARE: Final = 0.25
"""The minimum share of answers that repeat the reference among those with a long enough one. In eight official
files, at most 6.1 % do; more than the share of completely correct answers (at most 26.5 %) cannot."""

MOST_NAMED: Final = 100
"""The maximum number of question ids reported."""
CHUNK: Final = 100

_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True)
class Anomaly:
    """An anomaly of an answer set."""

    code: str
    count: int
    """The number of affected answers."""
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

    A set of 724 answers of 600 characters compared with 300 others took 1.3 s of processor time and 4 MiB on SQLite;
    the module docstring says how this grows.
    """
    usual = _usual_length(answer_set, not_compared)
    limit = max(int(LONG_FACTOR * usual), MAX_ANSWER_CHARACTERS) if usual is not None else None
    long: list[str] = []
    longest = 0
    to_judge: list[str] = []
    signs: Counter[str] = Counter()
    verbatim: dict[str, bool] = {}
    same: dict[str, int] = {}
    sketches: dict[str, tuple[int, ...]] = {}
    plain = task_type_of(answer_set.split.benchmark.slug).plain
    questions = Question.objects.filter(revision=revision).order_by("position")
    if revision.has_references:
        questions = questions.select_related("reference")
    rows = questions.iterator(chunk_size=CHUNK)
    answers = AnswerBlock.objects.texts_of(answer_set)
    while chunk := list(islice(rows, CHUNK)):
        for question in chunk:
            text = answers.get(question.qid, "")
            if not text:
                continue
            longest = max(longest, len(text))
            if limit is not None and len(text) > limit:
                long.append(question.qid)
            names = flags(text[:MAX_ANSWER_CHARACTERS])
            if names:
                to_judge.append(question.qid)
                signs.update(names)
            reference = plain(question.reference.answer) if hasattr(question, "reference") else ""
            if revision.has_references and is_comparable(reference):
                verbatim[question.qid] = is_verbatim(text, reference)
            same[question.qid] = _digest(text)
            sketch = sketch_of(text)
            if sketch:
                sketches[question.qid] = sketch
    results = [*_copied(answer_set, sketches, same, not_compared)]
    if to_judge:
        results.append(Anomaly(ADDRESSES_JUDGE, len(to_judge), tuple(to_judge[:MOST_NAMED]), facts=dict(signs)))
    if long and usual is not None and limit is not None:
        facts = {"usual": usual, "limit": limit, "longest": longest}
        results.append(Anomaly(LONG, len(long), tuple(long[:MOST_NAMED]), facts=facts))
    repeating = [qid for qid, is_same in verbatim.items() if is_same]
    if len(repeating) >= max(MIN_LIKE, MIN_LIKE_SHARE * len(verbatim)):
        facts = {"comparable": len(verbatim)}
        results.append(Anomaly(LIKE_REFERENCES, len(repeating), tuple(repeating[:MOST_NAMED]), facts=facts))
    return results


# --- Copies --------------------------------------------------------------------------------------------------------


def words_of(text: str, most: int = WORDS_COMPARED) -> list[str]:
    """The first words of a text in the compared form: without case, punctuation and compatibility forms.

    >>> words_of("Ｏｓｌｏ, (population: 700,000)!")
    ['oslo', 'population', '700', '000']
    """
    composed = unicodedata.normalize("NFKC", text[: 20 * most]).casefold()
    return [match.group() for match in islice(_WORD.finditer(composed), most)]


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


def _copied(
    answer_set: AnswerSet,
    sketches: Mapping[str, tuple[int, ...]],
    digests: Mapping[str, int],
    not_compared: Collection[UUID],
) -> Iterator[Anomaly]:
    """Sets that share enough long answers, each with the number of all answers that are the same, short ones too."""
    given = Counter(sketches.values())
    own = {qid: sketch for qid, sketch in sketches.items() if given[sketch] < STOCK}
    if len(own) < MIN_SHARED:
        return
    earlier = AnswerSet.objects.filter(split=answer_set.split_id, created_at__lt=answer_set.created_at)
    earlier = earlier.exclude(pk__in=[answer_set.pk, *not_compared])
    # The answers to these are together in a few blocks of each set.
    probes = sorted(own, key=lambda qid: zlib.crc32(qid.encode()))[:PROBES]
    probed = _shared(AnswerBlock.objects.texts(earlier, probes), own)
    counted: dict[UUID, set[str]] = {}
    code = COPIED
    for candidate in sorted(probed, key=lambda other: -len(probed[other]))[:MOST_SETS]:
        texts = AnswerBlock.objects.texts_of(candidate)
        shared = _shared(((candidate, qid, text) for qid, text in texts.items()), own)[candidate]
        if len(shared) >= max(MIN_SHARED, MIN_SHARED_SHARE * len(own)):
            code = COPY if len(shared) >= COPY_SHARE * len(own) else code
            counted[candidate] = shared | {
                qid for qid, text in texts.items() if text and digests.get(qid) == _digest(text)
            }
    if counted:
        every = set().union(*counted.values())
        counts = Counter({other: len(same) for other, same in counted.items()}).most_common()
        in_order = [qid for qid in digests if qid in every]
        yield Anomaly(code, len(every), tuple(in_order[:MOST_NAMED]), tuple(counts[:MOST_SETS]))


def _shared(answers: Iterable[tuple[UUID, str, str]], own: Mapping[str, tuple[int, ...]]) -> dict[UUID, set[str]]:
    """By answer set: the questions whose answer in that set is one of *own*."""
    shared: dict[UUID, set[str]] = defaultdict(set)
    for other, qid, text in answers:
        if qid in own and alike(own[qid], sketch_of(text)) >= ALIKE:
            shared[other].add(qid)
    return shared


# --- Lengths and references ----------------------------------------------------------------------------------------


def _usual_length(answer_set: AnswerSet, not_compared: Collection[UUID]) -> int | None:
    """The median length of others' answers in the same setting, in characters; `None` if too few others sent any."""
    others = (
        AnswerSet.objects.filter(
            Exists(AnswerBlock.objects.filter(answer_set=OuterRef("pk"))),
            split=answer_set.split_id,
            setting=answer_set.setting_id,
        )
        .exclude(pk__in=[answer_set.pk, *not_compared])
        .order_by("-created_at", "pk")
    )
    latest = list(others.values_list("pk", flat=True)[:OTHERS])
    if len(latest) < MIN_OTHERS:
        return None
    return int(median(len(text) for _, _, text in AnswerBlock.objects.texts(latest) if text))


def is_comparable(reference: Any) -> bool:
    """Whether a reference is long enough for `is_verbatim`."""
    return len(words_of(as_text(reference), most=MIN_REFERENCE_WORDS)) == MIN_REFERENCE_WORDS


def is_verbatim(text: str, reference: Any) -> bool:
    """Whether an answer is the reference word for word, as a list of lines or as JSON, with at most a fifth more text.

    >>> is_verbatim("Oslo - 1, Bergen - 2, Voss - 3", {"Oslo": 1, "Bergen": 2, "Voss": 3})
    True
    >>> is_verbatim("Oslo", "Oslo")
    False
    """
    for form in (as_text(reference), json.dumps(reference, ensure_ascii=False)):
        expected = words_of(form, most=10_000)
        if len(expected) < MIN_REFERENCE_WORDS:
            continue
        given = words_of(text, most=len(expected) + len(expected) // 5 + 1)
        if len(given) > len(expected) * 1.2:
            continue
        if f" {' '.join(expected)} " in f" {' '.join(given)} ":
            return True
    return False
