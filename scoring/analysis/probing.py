"""Signs that a file for a hidden split was made to discover its answers, not to answer its questions.

A system can show each of the signs without such a purpose.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from uuid import UUID
from zlib import crc32

from scoring.analysis.anomalies import MOST_NAMED, Anomaly
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.generations.keys import qid_of
from scoring.metrics.base import AnswerBudget
from scoring.metrics.text.as_read import as_read, joined
from scoring.metrics.text.scripts import separated
from scoring.models import AnswerBlock, AnswerSet, Score
from scoring.models.run_states import RunState
from scoring.registry import task_type_of

NEARLY_IDENTICAL: Final = "nearly_identical"
ONE_WORD: Final = "one_word"
PADDED: Final = "padded"

MANY_NAMES: Final = "many_names"
LONG_ANSWERS: Final = "long_answers"
REPEATED: Final = "repeated_entries"
PADDING: Final = (MANY_NAMES, LONG_ANSWERS, REPEATED)
"""Scores of a file with one of these wait for a maintainer: its answers may hold any number of guesses at no cost."""
WORDS_OF_NAME: Final = 1.75
"""Different words per name or number. An answer of 200 names by this count holds some 165 titles of Wikipedia, 283
of the shortest ones, or 350 single words. Of 27 files of an official repository with 19,537 answers, read on 24
November 2026, 31 answers in 3 files have more names."""
SEQUENCES_OF_NAME: Final = 4
"""Different sequences of three words per name: names made of the same few words, such as dates, have many of these."""
LONG_ANSWERS_ALLOWED: Final = 3
"""A system may run away on a few questions: 4 of the 27 files have more than 3 answers above 8,000 characters."""
REPEATS_ALLOWED: Final = 10
"""Entries of a list that were in it before. A judge of lists counts each, so that a right one hides many guesses."""

READING_SECONDS: Final = 2.0
"""The processor time that the reading of one answer may take; ordinary ones take less than a thousandth of it."""

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
_PART: Final = re.compile(r"[^\W_]+")


def n_names(text: str) -> int:
    """About how many different names and numbers a text holds, from its different words and sequences of three words.

    Capital letters are not used, because accuracy ignores case, nor is a list of ordinary words, because names consist
    of them. Prose holds fewer than a list of titles of the same length, because it repeats its words. Words end where
    a metric may end them: at underscores, and in scripts without spaces between words after each character; and a sign
    within a word may end it or not.

    >>> n_names("Oslo, Bern and Rome"), n_names("OSLO oslo Oslo"), n_names(" ".join(map(str, range(350))))
    (3, 1, 200)
    >>> n_names("Oslo_Bern_Rome_Paris"), n_names("東京大阪京都福岡神戸横浜"), n_names("O.slo B.e.r.n Ro.me")
    (3, 7, 5)
    """
    return _n_names(as_read(text))


def _n_names(read: str) -> int:
    """The number of names in a text as metrics read it: the larger one of the two ways to read signs within words."""
    return max(map(_n_of_words, {read, joined(read)}))


def _n_of_words(read: str) -> int:
    words = _PART.findall(separated(read))
    n_sequences = len(set(zip(words, words[1:], words[2:], strict=False)))
    return math.ceil(max(len(set(words)) / WORDS_OF_NAME, n_sequences / SEQUENCES_OF_NAME))


def _entry(text: str) -> str:
    """An entry of a list without what tells two spellings of it apart."""
    return "".join(_PART.findall(as_read(text))) or text


def padding(answers: Mapping[str, str], definition: BenchmarkDefinition) -> list[Anomaly]:
    """Why scores of a file wait for a maintainer, in a fixed order; `PADDING`.

    Args:
        answers: by their keys, as stored. Of several attempts at a question the largest value counts.
        definition: the benchmark's, with its limits.
    """
    texts_of = task_type_of(definition.slug).texts_of
    budget = AnswerBudget(READING_SECONDS)
    lengths: Counter[str] = Counter()
    names: Counter[str] = Counter()
    repeats: Counter[str] = Counter()
    most, longest = definition.names_without_review, definition.length_without_review
    for position, (key, text) in enumerate(answers.items()):
        qid = qid_of(key)
        lengths[qid] = max(lengths[qid], len(text))
        with budget.answer(position):
            read = as_read(text, budget.check)
            lengths[qid] = max(lengths[qid], len(read))
            if most is not None and len(read) > most * WORDS_OF_NAME:  # a word has a character at least
                names[qid] = max(names[qid], _n_names(read))
            if len(entries := texts_of(text)) > 1:
                repeats[qid] = max(repeats[qid], len(entries) - len({_entry(entry) for entry in entries}))
    reasons: list[Anomaly] = []
    if most is not None:
        reasons += _above(MANY_NAMES, names, most)
    if longest is not None:
        # No ordinary text takes so long to read.
        allowed = 0 if budget.too_long else LONG_ANSWERS_ALLOWED
        reasons += _above(LONG_ANSWERS, lengths, longest, allowed=allowed)
    return [*reasons, *_above(REPEATED, repeats, REPEATS_ALLOWED)]


def _above(code: str, sizes: Mapping[str, int], limit: int, *, allowed: int = 0) -> Iterator[Anomaly]:
    above = sorted((qid for qid, size in sizes.items() if size > limit), key=lambda qid: -sizes[qid])
    if len(above) > allowed:
        facts = {"limit": limit, "most": sizes[above[0]]}
        yield Anomaly(code, len(above), tuple(above[:MOST_NAMED]), facts=facts)


def look(answer_set: AnswerSet, own_sets: Sequence[UUID]) -> list[Anomaly]:
    """Signs of probing in a set, also beside others of the same people (the latest first). Three queries."""
    hashes: dict[str, Counter[int]] = {}
    n_answers = 0
    one_word: list[str] = []
    padded: dict[str, None] = {}
    for _, qid, texts in _answers([answer_set.pk]):
        hashes[qid] = _hashes(texts)
        n_answers += len(texts)
        for text in texts:
            words = _WORD.findall(joined(as_read(text)))
            if len(words) <= 1:
                one_word.append(qid)
            elif len(words) >= MIN_WORDS_OF_PADDING and len(set(words)) <= DISTINCT_SHARE * len(words):
                padded[qid] = None
    signs = list(_nearly_identical(hashes, [pk for pk in own_sets if pk != answer_set.pk][:MOST_SETS]))
    # Only shares of which more are better say how many answers are right.
    columns = definition_of(answer_set.split.benchmark.slug).columns
    others = {column.score for column in columns if not (column.is_share and column.higher_is_better)}
    scores = Score.objects.counting().filter(run__answer_set=answer_set, run__state=RunState.DONE)
    values = list(scores.exclude(name__in=others).exclude(name__endswith="precision").values_list("value", flat=True))
    if not values or max(values) >= NEAR_ZERO:
        return signs
    if one_word and len(one_word) >= ONE_WORD_SHARE * n_answers:
        questions = list(dict.fromkeys(one_word))
        signs.append(Anomaly(ONE_WORD, len(questions), tuple(questions[:MOST_NAMED])))
    if len(padded) >= MIN_PADDED:
        signs.append(Anomaly(PADDED, len(padded), tuple(padded)[:MOST_NAMED]))
    return signs


def _answers(answer_sets: Sequence[UUID]) -> Iterator[tuple[UUID, str, list[str]]]:
    """The answers of some sets to each question, those of all attempts that have one."""
    for answer_set, qid, attempts in AnswerBlock.objects.attempts(answer_sets):
        yield answer_set, qid, [text for text in attempts if text]


def _hashes(texts: Sequence[str]) -> Counter[int]:
    return Counter(crc32(_entry(text).encode()) for text in texts)


def _nearly_identical(hashes: Mapping[str, Counter[int]], others: Sequence[UUID]) -> Iterator[Anomaly]:
    """Several other files of the same people that differ from this one in a few answers, in whatever order the attempts
    at a question are.
    """
    n_own = sum(of_question.total() for of_question in hashes.values())
    n_same: Counter[UUID] = Counter()
    sizes: Counter[UUID] = Counter()
    differing: dict[UUID, list[str]] = {}
    for other, qid, texts in _answers(others) if others and hashes else ():
        same = (_hashes(texts) & hashes.get(qid, Counter())).total()
        sizes[other] += len(texts)
        n_same[other] += same
        if same < len(texts):
            differing.setdefault(other, []).append(qid)
    near = {}
    for other, size in sizes.items():
        n_differing = max(size, n_own) - n_same[other]
        if 1 <= n_differing <= max(1, DIFFERING_SHARE * n_own):
            near[other] = n_differing
    if len(near) >= MIN_FILES:
        qids = list(dict.fromkeys(qid for other in near for qid in differing.get(other, ())))
        alike = tuple((other, n_same[other]) for other in near)
        facts = {"files": len(near), "differing": max(near.values())}
        yield Anomaly(NEARLY_IDENTICAL, len(qids), tuple(qids[:MOST_NAMED]), alike, facts)
