"""What is odd about the answers of an answer set, counted so that a maintainer looks at it. No score depends on it.

Four things are looked for (`find_anomalies`): answers that another set gave before, answers that address the judge,
answers much longer than usual, and answers that are the reference word for word. Nothing of an answer or a reference is
in what is found: only counts and the ids of questions and answer sets.

Everything is read in pieces, so memory does not grow with the answers or with the number of other sets: of each answer
that is compared at most `SKETCH` numbers are kept. Other sets are first asked for `PROBES` of the answers alone, and
only those where one of these is the same are read whole. So the time grows by some 32 answers for each set of the
split: a set that shares a tenth of its answers is missed with a chance of 3 %, one that shares a fifth of them with one
of 0.1 %.
"""

import heapq
import json
import re
import unicodedata
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from statistics import median
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.db.models.functions import Length

from scoring.metrics.judge.prompt import MAX_ANSWER_CHARACTERS
from scoring.metrics.judge.prompt_injection import flags
from scoring.metrics.text.normalise import as_text
from scoring.models import Answer, AnswerSet, Question, Revision

COPIED: Final = "copied"
ADDRESSES_JUDGE: Final = "addresses_judge"
LONG: Final = "long"
LIKE_REFERENCES: Final = "like_references"

WORDS_COMPARED: Final = 2_000
"""Of an answer, as many words from its beginning are compared."""
SHINGLE: Final = 4
"""Words in a row that are one thing to have in common."""
MIN_WORDS: Final = 12
"""Shorter answers are not compared with those of others: two systems give the same name or number without any wrong."""
SKETCH: Final = 64
"""Numbers kept of an answer."""
ALIKE: Final = 0.8
"""The share of shingles (estimated, standard error at most 0.06) from which on two answers count as the same."""
MIN_SHARED: Final = 5
"""So many answers have to be another set's before it is told."""
STOCK: Final = 3
"""An answer that its own set gives to so many questions is a phrase ("The text does not say …") and not compared."""
PROBES: Final = 32
MOST_SETS: Final = 50
"""Sets that are read whole, those with most of the probes first."""

LONG_FACTOR: Final = 8.0
"""Times the median length of others' answers in the same setting; at least what a judge reads."""
MIN_OTHERS: Final = 3
"""With fewer other sets nobody can say what is usual, and no answer is called long."""
OTHERS: Final = 50
"""The latest other sets, which say what is usual."""

MIN_REFERENCE_WORDS: Final = 6
"""Shorter references are given word for word by whoever is right and brief."""
MIN_LIKE: Final = 3

MOST_NAMED: Final = 100
"""Ids of questions that are told."""
CHUNK: Final = 100

_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True)
class Anomaly:
    """Something odd about an answer set."""

    code: str
    count: int
    """How many answers."""
    qids: tuple[str, ...]
    """The first of them."""
    others: tuple[tuple[UUID, int], ...] = ()
    """For copies: other answer sets and how many answers are theirs, the most first."""
    facts: Mapping[str, int] = field(default_factory=dict)
    """What it was measured by."""


def find_anomalies(answer_set: AnswerSet, revision: Revision, *, not_compared: Collection[UUID] = ()) -> list[Anomaly]:
    """All that is odd about a set's answers to a revision's questions, in a fixed order.

    Args:
        not_compared: answer sets whose answers it may repeat, those of the same people for example.

    A set of 724 answers of 600 characters beside 300 others took 1.3 s of processor time and 4 MiB on SQLite; see the
    module for how that grows.
    """
    usual = _usual_length(answer_set, not_compared)
    limit = max(int(LONG_FACTOR * usual), MAX_ANSWER_CHARACTERS) if usual is not None else None
    long: list[str] = []
    longest = 0
    to_judge: list[str] = []
    signs: Counter[str] = Counter()
    like: list[str] = []
    sketches: dict[str, tuple[int, ...]] = {}
    questions = Question.objects.filter(revision=revision).order_by("position")
    if revision.has_references:
        questions = questions.select_related("reference")
    rows = questions.iterator(chunk_size=CHUNK)
    while chunk := list(islice(rows, CHUNK)):
        answers = _answers(answer_set, [question.qid for question in chunk])
        for question in chunk:
            text = answers.get(question.qid, "")
            if not text:
                continue
            longest = max(longest, len(text))
            if limit is not None and len(text) > limit:
                long.append(question.qid)
            found = flags(text[:MAX_ANSWER_CHARACTERS])
            if found:
                to_judge.append(question.qid)
                signs.update(found)
            if revision.has_references and is_verbatim(text, _reference(question)):
                like.append(question.qid)
            sketch = sketch_of(text)
            if sketch:
                sketches[question.qid] = sketch
    results = [*_copied(answer_set, sketches, not_compared)]
    if to_judge:
        results.append(Anomaly(ADDRESSES_JUDGE, len(to_judge), tuple(to_judge[:MOST_NAMED]), facts=dict(signs)))
    if long and usual is not None and limit is not None:
        facts = {"usual": usual, "limit": limit, "longest": longest}
        results.append(Anomaly(LONG, len(long), tuple(long[:MOST_NAMED]), facts=facts))
    if len(like) >= MIN_LIKE:
        results.append(Anomaly(LIKE_REFERENCES, len(like), tuple(like[:MOST_NAMED])))
    return results


def _reference(question: Question) -> Any:
    return question.reference.answer if hasattr(question, "reference") else ""


def _answers(answer_set: AnswerSet, qids: Sequence[str]) -> dict[str, str]:
    found = Answer.objects.filter(answer_set=answer_set, participant="", qid__in=qids).exclude(text="")
    return dict(found.order_by().values_list("qid", "text"))


# --- Copies --------------------------------------------------------------------------------------------------------


def words_of(text: str, most: int = WORDS_COMPARED) -> list[str]:
    """The first words of a text as they are compared: no case, no punctuation, no compatibility forms.

    >>> words_of("Ｏｓｌｏ, (population: 700,000)!")
    ['oslo', 'population', '700', '000']
    """
    composed = unicodedata.normalize("NFKC", text[: 20 * most]).casefold()
    return [match.group() for match in islice(_WORD.finditer(composed), most)]


def sketch_of(text: str) -> tuple[int, ...]:
    """The `SKETCH` smallest hashes of a text's shingles, ascending; nothing of one that is too short to compare."""
    words = words_of(text)
    if len(words) < MIN_WORDS:
        return ()
    shingles = {
        zlib.crc32(" ".join(words[start : start + SHINGLE]).encode()) for start in range(len(words) - SHINGLE + 1)
    }
    return tuple(heapq.nsmallest(SKETCH, shingles))


def alike(one: Sequence[int], other: Sequence[int]) -> float:
    """The share of shingles that two texts have in common (Jaccard), estimated by their sketches: 0 to 1.

    Broder (1997), On the resemblance and containment of documents. Exact where both have at most `SKETCH` shingles.
    """
    if not one or not other:
        return 0.0
    union = heapq.nsmallest(SKETCH, set(one) | set(other))
    return len(set(union) & set(one) & set(other)) / len(union)


def _copied(
    answer_set: AnswerSet, sketches: Mapping[str, tuple[int, ...]], not_compared: Collection[UUID]
) -> Iterator[Anomaly]:
    given = Counter(sketches.values())
    own = {qid: sketch for qid, sketch in sketches.items() if given[sketch] < STOCK}
    if len(own) < MIN_SHARED:
        return
    qids = list(own)
    step = max(1, len(qids) // PROBES)
    earlier = Answer.objects.filter(
        answer_set__split=answer_set.split_id, answer_set__created_at__lt=answer_set.created_at, participant=""
    ).exclude(answer_set__in=[answer_set.pk, *not_compared])
    probed = _shared(earlier.filter(qid__in=qids[::step][:PROBES]), own)
    shared: dict[UUID, set[str]] = {}
    for candidate in sorted(probed, key=lambda other: -len(probed[other]))[:MOST_SETS]:
        shared |= _shared(earlier.filter(answer_set=candidate), own)
    counted = {other: same for other, same in shared.items() if len(same) >= MIN_SHARED}
    if counted:
        every = set().union(*counted.values())
        counts = Counter({other: len(same) for other, same in counted.items()}).most_common()
        in_order = [qid for qid in qids if qid in every]
        yield Anomaly(COPIED, len(every), tuple(in_order[:MOST_NAMED]), tuple(counts[:MOST_SETS]))


def _shared(answers: Any, own: Mapping[str, tuple[int, ...]]) -> dict[UUID, set[str]]:
    """By answer set: the questions to which its answer is one of *own*."""
    shared: dict[UUID, set[str]] = defaultdict(set)
    rows = answers.exclude(text="").order_by().values_list("answer_set", "qid", "text")
    for other, qid, text in rows.iterator(chunk_size=CHUNK):
        if qid in own and alike(own[qid], sketch_of(text)) >= ALIKE:
            shared[other].add(qid)
    return shared


# --- Lengths and references ----------------------------------------------------------------------------------------


def _usual_length(answer_set: AnswerSet, not_compared: Collection[UUID]) -> int | None:
    """The median length of others' answers in the same setting, in characters; nothing if too few others sent any."""
    answers = Answer.objects.filter(participant="").exclude(text="").order_by()
    others = (
        AnswerSet.objects.filter(
            Exists(answers.filter(answer_set=OuterRef("pk"))),
            split=answer_set.split_id,
            setting=answer_set.setting_id,
        )
        .exclude(pk__in=[answer_set.pk, *not_compared])
        .order_by("-created_at", "pk")
    )
    latest = list(others.values_list("pk", flat=True)[:OTHERS])
    if len(latest) < MIN_OTHERS:
        return None
    return int(median(answers.filter(answer_set__in=latest).values_list(Length("text"), flat=True)))


def is_verbatim(text: str, reference: Any) -> bool:
    """Whether an answer is the reference word for word, as a list of lines or as JSON, with at most a fifth more.

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
