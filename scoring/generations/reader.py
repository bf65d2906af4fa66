"""Read a file of generations: its answers, or every problem with its place and its fix.

The format is JSON Lines: UTF-8 text (also compressed with gzip), one object with ``id`` and ``answer`` per line
(another `AnswerFormat` has other keys);
docs/submission-format.md describes it for submitters. The upload form, the API and ``python -m scoring`` use the same
reader. Plain Python: no Django.

>>> import io
>>> known = KnownQuestions(current=["a1", "b2"])
>>> report = read_generations(io.BytesIO(b'{"id": "a1", "answer": "Paris"}'), known)
>>> report.ok, report.answers, report.missing
(True, {'a1': 'Paris'}, ('b2',))
>>> report.warnings[0].title
'1 of 2 questions has no answer and will score 0'
>>> report = read_generations(io.BytesIO(b"{'id': 'a1', 'answer': 'Paris'}"), known)
>>> print(report.errors[0].problems[0].message)
Line 1, column 2: found a single quote at “'id': 'a1', 'answer': 'P…”, expected valid JSON; put keys and \
texts in double quotes: write the line with json.dumps, not with str or print.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import BinaryIO, Final, Literal

from scoring.generations.attempts import ANY_NUMBER, ATTEMPT, AttemptRule, in_words
from scoring.generations.citations import MARK
from scoring.generations.keys import answer_key
from scoring.generations.lines import (
    HEAD_BYTES,
    BrokenGzipError,
    ByteSource,
    Counted,
    Line,
    TooLargeError,
    recognise,
    recognise_tool,
    split_lines,
    take_head,
    text_blocks,
)
from scoring.generations.nearest_id import NearestId
from scoring.generations.problems import (
    EXAMPLE,
    GenerationsReport,
    Problem,
    ProblemGroup,
    ProblemLog,
    Severity,
    clean,
    quote,
    size_in_words,
)
from scoring.generations.reasoning import REASONING
from scoring.generations.records import (
    MAX_ID_CHARACTERS,
    TEXT_ANSWERS,
    USAGE,
    AnswerFormat,
    JsonObject,
    Limits,
    Record,
    RecordReader,
    value_of,
)
from scoring.generations.usage import SUMMED, Values, of_one_attempt

__all__ = [
    "GenerationsReport",
    "KnownQuestions",
    "Limits",
    "Problem",
    "ProblemGroup",
    "Severity",
    "read_generations",
]

NO_BYTES: Final = "no bytes at all"
NO_CONTENT: Final = "no line with content"
ONE_OBJECT: Final = "one object that maps ids to answers"
OTHER_RESULTS: Final = "one object with results, of a tool whose files are not read"
READ_FORMATS: Final = (
    "Write each answer as {example} on a line of its own; read are also logs of inspect_ai and samples_….jsonl of "
    "lm-evaluation-harness, and by manyhop import JSON lists of objects, CSV and TSV."
)
NO_ANSWER: Final = "no answer to a question of this split"
ONLY_EMPTY: Final = "only empty answers"
NO_LINE: Final = "no line with this id"
NO_ATTEMPT: Final = 'no line with this id and "attempt": {attempt}'
NO_READABLE_LINE: Final = "no readable line with this id"
NOT_SCORED: Final = "which has no reference answer yet"
"""About a question that its benchmark declares as unscored, among those of `KnownQuestions.retired`."""

ALMOST_ALL: Final = 0.9
"""If at least this share of the ids belongs to other splits, or to another benchmark, the whole file is treated as
theirs."""
SAMPLE_IDS: Final = 100
"""The number of unknown ids by which another benchmark is recognised."""
SAME_SHARE: Final = 0.1
"""A text is named that more than this share of the answers repeats."""
FEWEST_SAME: Final = 5
"""The fewest answers with the same text that are named."""
FEWEST_WORDS: Final = 3
FEWEST_CHARACTERS: Final = 20
"""A text with fewer words and fewer characters is not named: it may be the right answer to many questions."""
PLACEHOLDERS: Final = frozenset({"error", "n/a", "na", "nan", "none", "null", "timeout", "undefined", "unknown"})
"""Short texts that stand for an answer that there is not; they are named all the same."""


@dataclass(frozen=True)
class KnownQuestions:
    """The ids that a file may use.

    `current` are the ids of the split in its present revision, in order; `retired` maps ids that a later revision
    removed to a phrase about it ("retired by the revision of 2026-07-14"); `other_splits` maps the ids of the
    benchmark's other splits to the split's name. An id that is in several counts as the first of these.
    `elsewhere` maps those of some unknown ids that belong to another benchmark to its name; it is called once at most.
    `attempts` says how often a file answers each question.
    """

    current: Sequence[str]
    retired: Mapping[str, str] = field(default_factory=dict)
    other_splits: Mapping[str, str] = field(default_factory=dict)
    elsewhere: Callable[[Sequence[str]], Mapping[str, str]] = lambda ids: {}
    attempts: AttemptRule = ANY_NUMBER


def read_generations(
    stream: BinaryIO,
    known: KnownQuestions | None,
    limits: Limits | None = None,
    answer_format: AnswerFormat = TEXT_ANSWERS,
) -> GenerationsReport:
    """Read a file of generations once, from the stream's current position, and report all its problems.

    Reads at most ``limits.max_bytes + 1`` bytes. Memory is bounded by the limits and the stored answers, for any input.
    With `known` None every id is accepted, for checks of the format alone. The report's answers are the texts that
    `answer_format` stores.

    Raises:
        OSError: and any other error that the stream itself raises; no content causes an exception.
    """
    limits = limits or Limits()
    reader = _Reader(known, limits, answer_format)
    source = ByteSource(stream, limits.max_bytes)
    readable = True
    try:
        try:
            readable = reader.read(source)
            if not readable:
                reader.skip_rest()
        except BrokenGzipError as error:
            readable = False
            reader.log.forget()
            reader.log.add("broken-gzip", str(error))
        source.read_to_end()
    except TooLargeError as error:
        readable = False
        size = size_in_words(limits.max_bytes)
        out_of = f" after decompression, out of {size_in_words(source.size)}" if error.decompressed else ""
        reader.log.add(
            "too-large",
            f"more than {size}{out_of}",
            expected=f"at most {size}" + (" after decompression" if error.decompressed else ""),
        )
    return reader.report(source, readable=readable)


class _Reader:
    """One reading of one file: from lines to answers, with a log of problems."""

    def __init__(
        self,
        known: KnownQuestions | None,
        limits: Limits,
        answer_format: AnswerFormat,
    ) -> None:
        self.log = ProblemLog(
            limits.max_shown_per_group, example=answer_format.example, answer_key=answer_format.answer_key
        )
        self._limits = limits
        self._format = answer_format
        self._collected = AnswerCollector(known, limits, self.log, answer_format)
        self._records = RecordReader(self.log, limits, answer_format, self._collected.is_known)
        self._text = Counted(())
        self._n_lines = 0

    def read(self, source: ByteSource) -> bool:
        """Read the lines; False if the file as a whole is not in the format. Raises as the byte stream does."""
        self._text = Counted(text_blocks(source, self._limits.max_bytes))
        head, blocks = take_head(self._text, HEAD_BYTES)
        recognised = recognise(head[:HEAD_BYTES])
        if recognised:
            self.log.add("wrong-format", recognised.found, expected=recognised.expected, fix=recognised.fix)
            return False
        lines = split_lines(blocks, self._limits.max_line_bytes)
        for line in lines:
            if line.number > self._limits.max_lines:
                self.log.add("too-many-lines", f"more than {self._limits.max_lines:,} lines")
                return False
            if not _has_content(line):
                continue
            self._n_lines += 1
            if self._n_lines == 1 and self._is_one_value(line):
                return False
            record = self._records.read(line)
            if record is not None:
                self._collected.take(line, record)
            if self.log.n_unbounded >= self._limits.max_problems:
                n_checked = self._n_lines
                rest = islice(lines, self._limits.max_lines - line.number)
                self._n_lines += sum(_has_content(unread) for unread in rest)
                if self._n_lines == n_checked:  # the file ends here
                    break
                self.log.add(
                    "too-many-problems",
                    f"{self.log.n_unbounded:,} problems in the first {n_checked:,} of {self._n_lines:,} lines",
                    line=line.number,
                )
                return False
        if self._n_lines == 0:
            self.log.add("empty-file", NO_CONTENT if source.size else NO_BYTES)
            return False
        return True

    def skip_rest(self) -> None:
        """Read the rest of the text, only for its size. Raises as the byte stream does."""
        for _ in self._text:
            pass

    def _is_one_value(self, line: Line) -> bool:
        """Whether the first line shows that the file is one array, one object that maps ids to answers, or the file of
        another tool."""
        if line.head.lstrip().startswith(b"["):
            value = value_of(line)
            if type(value) is list and value and not any(type(item) is JsonObject for item in value):
                return False  # a line like ["id", "answer"]: wrong, but line by line
            self.log.add(
                "wrong-format",
                "a JSON array",
                line=line.number,
                column=1,
                fix="Write each object of the array on a line of its own, without the brackets and the commas between "
                "(jq -c '.[]' FILE does it).",
            )
            return True
        if line.head.lstrip().startswith(b"{"):
            value = value_of(line)
            keys = [key for key, _ in value] if type(value) is JsonObject else []
            tool = None if self._format.answer_key in keys else recognise_tool(line.head)
            if tool:
                self.log.add("wrong-format", tool.found, fix=tool.fix)
                return True
            if "results" in keys and not {*keys}.intersection((*self._format.id_keys, self._format.answer_key)):
                self.log.add("wrong-format", OTHER_RESULTS, line=line.number, column=1, fix=READ_FORMATS)
                return True
            if (
                self._collected.known
                and not {*keys}.intersection(self._format.id_keys)
                and any(self._collected.status(key) != "unknown" for key in keys)
            ):
                self.log.add(
                    "wrong-format",
                    ONE_OBJECT,
                    line=line.number,
                    column=1,
                    fix=f"Write each entry as {EXAMPLE} on a line of its own.",
                )
                return True
        return False

    def report(self, source: ByteSource, *, readable: bool) -> GenerationsReport:
        """The report; missing answers are reported only for a file that was `readable` to its end."""
        self._records.report_extra_keys()
        n_answers = len(self._collected.places_with_usage)
        for name in (known.name for known in SUMMED):
            n_stated = sum(name in usage for usage in self._collected.usage.values())
            if 0 < n_stated < n_answers:
                found = f"{name} of {n_stated:,} of {n_answers:,} answers"
                self.log.add("partial-usage", found, field=f"{USAGE}.{name}")
        stopped = self.log.total("too-many-problems") > 0
        wrong_file = (readable or stopped) and (
            _check_benchmark(self._collected, self._records.misnamed_ids)
            or _check_split(self._collected, self._records.misnamed_ids)
        )
        missing: tuple[str, ...] = ()
        if readable and not wrong_file:
            missing = summarise(self._collected)
            _check_attempts(self._collected)
            if self._format.has_free_texts:
                notice(self._collected)
            if self._format.takes_citations:
                notice_uncited(self._collected)
        n_questions, n_attempts = self._collected.n_questions, self._collected.n_attempts
        n_answered = self._collected.n_given - self._collected.n_empty
        return GenerationsReport(
            answers=self._collected.answers,
            n_lines=self._n_lines,
            n_questions=n_questions,
            n_answered=n_answered // n_attempts,
            missing=missing,
            size=source.size,
            sha256=source.sha256,
            groups=self.log.groups(n_questions),
            text_size=self._text.size,
            packed=source.packed,
            usage=self._collected.usage_of_questions,
            n_attempts=n_attempts,
            citations=self._collected.by_key(self._collected.citations),
            n_empty_attempts=n_questions * n_attempts - n_answered if n_attempts > 1 else 0,
        )


def _has_content(line: Line) -> bool:
    return bool(line.head.strip() or (line.content and line.content.strip()))


Place = tuple[str, int]
"""An id and an attempt."""


class AnswerCollector:
    """The answers of one file, as far as it was read.

    Attributes:
        texts: place to answer, in the file's order; ids of the current revision and retired ones.
        ids: those of the first lines of places, and of lines whose attempt is no number.
        n_attempts: the greatest attempt.
        other_splits: the number of lines with an id of each other split.
        n_ids: the number of lines with an id, known or not.
        unknown_ids: those that belong to no split, as often as they occur, each cut to a bounded length.
        n_empty: empty answers to questions of the current revision.
    """

    def __init__(
        self, known: KnownQuestions | None, limits: Limits, log: ProblemLog, answer_format: AnswerFormat
    ) -> None:
        self.log = log
        self._format = answer_format
        self.known = known
        self.texts: dict[Place, str] = {}
        self.usage: dict[Place, Values] = {}
        self.citations: dict[Place, str] = {}
        self.first_lines: dict[Place, int] = {}
        self.ids: set[str] = set()
        self.n_attempts = 1
        self.other_splits: Counter[str] = Counter()
        self.n_ids = 0
        self.unknown_ids: list[str] = []
        self.n_empty = 0
        self._current = frozenset(known.current) if known else frozenset()
        self._retired: Mapping[str, str] = known.retired if known else {}
        self._elsewhere: Mapping[str, str] = known.other_splits if known else {}
        self._limits = limits

    @property
    def n_questions(self) -> int:
        """The number of questions of the split; without known questions, of different ids in the file."""
        return len(self._current) if self.known else len({question_id for question_id, _ in self.texts})

    @property
    def n_given(self) -> int:
        """The number of answers to questions of the split, empty ones included."""
        return sum(question_id in self._current for question_id, _ in self.texts) if self.known else len(self.texts)

    @property
    def answers(self) -> dict[str, str]:
        """The answers by their keys."""
        return self.by_key(self.texts)

    def by_key(self, texts: Mapping[Place, str]) -> dict[str, str]:
        """Texts of places by the keys of their answers."""
        if self.n_attempts == 1:
            return {question_id: text for (question_id, _), text in texts.items()}
        return {answer_key(*place, self.n_attempts): text for place, text in texts.items()}

    @property
    def places_with_usage(self) -> list[Place]:
        """The places of answers that took something: of several attempts not of those that failed without a usage."""
        places = list(self.texts)
        if self.n_attempts == 1:
            return places
        return [place for place in places if place in self.usage or not self._format.emptiness(self.texts[place])]

    @property
    def usage_of_questions(self) -> dict[str, Values]:
        """What the answer to a question took, by its id; of several attempts, what one took in the mean."""
        if self.n_attempts == 1:
            return {question_id: usage for (question_id, _), usage in self.usage.items()}
        usages: dict[str, list[Values]] = defaultdict(list)
        for place in self.places_with_usage if self.usage else ():
            usages[place[0]].append(self.usage.get(place, {}))
        means = {question_id: of_one_attempt(stated) for question_id, stated in usages.items()}
        return {question_id: usage for question_id, usage in means.items() if usage}

    def with_content(self) -> dict[Place, str]:
        """The answers to questions of the split that have content."""
        return {
            place: answer
            for place, answer in self.texts.items()
            if self.status(place[0]) == "current" and not self._format.emptiness(answer)
        }

    def add_noticed(self, code: str, found: str, place: Place) -> None:
        """Log a warning about the content of an answer; in *found*, ``{text}`` stands for the beginning of it."""
        text = quote(" ".join(self.texts[place].split()))
        self.log.add(
            code,
            found.format(text=text),
            line=self.first_lines[place],
            field=self._format.answer_key,
            question_id=place[0],
        )

    @cached_property
    def _nearest(self) -> NearestId | None:
        """Finds the ids nearest to unknown ones; created only for a file that has an unknown id."""
        known = self.known
        return NearestId((*known.current, *known.retired), self._limits.max_comparisons) if known else None

    def status(self, question_id: str) -> Literal["current", "retired", "other", "unknown"]:
        """Which set of ids an id belongs to; without known questions every id is current."""
        if self.known is None or question_id in self._current:
            return "current"
        if question_id in self._retired:
            return "retired"
        return "other" if question_id in self._elsewhere else "unknown"

    def other_split(self, question_id: str) -> str:
        """The name of the other split that has an id; empty if none has."""
        return self._elsewhere[question_id] if self.status(question_id) == "other" else ""

    def is_known(self, question_id: str) -> bool:
        """Whether an id is one of the benchmark; without known questions none is."""
        return self.known is not None and self.status(question_id) != "unknown"

    def take(self, line: Line, record: Record) -> None:
        """Accept the answer of a line, unless its id is unknown, belongs to another split or occurred already."""
        question_id, answer, taken, named, cited = record
        self.n_ids += 1
        status = self.status(question_id)
        if status == "unknown":
            self._unknown(line, question_id)
            return
        if status == "other":
            split = self._elsewhere[question_id]
            self.other_splits[split] += 1
            self.log.add(
                "other-split-id",
                f"id {quote(question_id)} of the {clean(split)} split",
                line=line.number,
                field="id",
                question_id=question_id,
                fix=f"Remove the line, or choose the {clean(split)} split.",
            )
            return
        self.ids.add(question_id)
        if named == 0:
            return
        attempt = named or 1
        self.n_attempts = max(self.n_attempts, attempt)
        place = question_id, attempt
        first_line = self.first_lines.setdefault(place, line.number)
        if first_line != line.number:
            same = answer is not None and self.texts.get(place) == answer
            code = "repeated-answer" if same else "duplicate-id"
            of_attempt = "" if named is None else f", attempt {named},"
            fix = f"Remove line {first_line:,} or line {line.number:,}."
            if self._may_have_several:
                fix += f' If a line is another attempt at the question, number it: "{ATTEMPT}": {attempt + 1}.'
            self.log.add(
                code,
                f"id {quote(question_id)}{of_attempt} again after line {first_line:,}, "
                f"with {'the same' if same else 'another'} answer",
                line=line.number,
                field="id",
                question_id=question_id,
                attempt=named,
                fix=None if same else fix,
            )
            return
        if status == "retired":
            self.log.add(
                "retired-id",
                f"id {quote(question_id)}, {clean(self._retired[question_id], 200)}",
                line=line.number,
                field="id",
                question_id=question_id,
            )
        if answer is None:
            return
        self.texts[place] = answer
        if taken:
            self.usage[place] = taken
        if cited:
            self.citations[place] = cited
        emptiness = self._format.emptiness(answer) if status == "current" else None
        if emptiness:
            self.n_empty += 1
            self.log.add(
                "empty-answer", emptiness, line=line.number, field=self._format.answer_key, question_id=question_id
            )

    @property
    def _may_have_several(self) -> bool:
        """Whether the file may answer a question several times."""
        rule = self.known.attempts if self.known else ANY_NUMBER
        return self._format.has_attempts and rule.exactly != 1

    def _unknown(self, line: Line, question_id: str) -> None:
        self.unknown_ids.append(question_id[:MAX_ID_CHARACTERS])
        nearest = self._nearest.find(question_id) if self._nearest and self.log.wants("unknown-id") else None
        self.log.add(
            "unknown-id",
            f"id {quote(question_id)}" if question_id else "an empty id",
            line=line.number,
            field="id",
            question_id=question_id,
            fix=f"Copy the id from the question file; the nearest id there is {quote(nearest)}." if nearest else None,
        )


def summarise(collected: AnswerCollector) -> tuple[str, ...]:
    """Log what is missing in a file that was readable to its end; returns the split's ids that are on no line of the
    file."""
    missing: tuple[str, ...] = ()
    if collected.known:
        missing = tuple(qid for qid in collected.known.current if qid not in collected.ids)
    n_given = collected.n_given
    if not collected.log.has_errors and n_given == collected.n_empty:
        collected.log.forget("empty-answer")
        collected.log.add("no-answers", ONLY_EMPTY if n_given else NO_ANSWER)
    elif collected.n_ids:
        line, fix = NO_LINE, None
        if collected.log.has_errors:
            line = NO_READABLE_LINE
            fix = (
                "Correct the lines with errors first, then add a line with an answer if the question is still "
                "unanswered."
            )
        for question_id in missing:
            collected.log.add("missing-answer", line, question_id=question_id, fix=fix)
        for question_id, attempt in _missing_attempts(collected):
            found = NO_ATTEMPT.format(attempt=attempt)
            collected.log.add("missing-attempt", found, question_id=question_id, attempt=attempt, fix=fix)
    return missing


def _missing_attempts(collected: AnswerCollector) -> Iterator[Place]:
    """The attempts without a line at those questions of the split that have lines."""
    if collected.n_attempts == 1:
        return
    in_file = dict.fromkeys(qid for qid, _ in collected.first_lines)
    for question_id in collected.known.current if collected.known else in_file:
        if question_id in collected.ids:
            for attempt in range(1, collected.n_attempts + 1):
                if (question_id, attempt) not in collected.first_lines:
                    yield question_id, attempt


def _check_attempts(collected: AnswerCollector) -> None:
    """Refuse another number of attempts than the split takes; a number that is no number is refused already."""
    rule = collected.known.attempts if collected.known else ANY_NUMBER
    if rule.exactly not in (0, collected.n_attempts) and collected.first_lines:
        collected.log.forget("missing-attempt")
        collected.log.add(
            "other-attempts", in_words(collected.n_attempts), field=ATTEMPT, expected=rule.expected, fix=rule.fix
        )


def notice(collected: AnswerCollector) -> None:
    """Log what can be scored but is often not what was meant: answers that contain reasoning, and a text that many
    answers repeat, such as an error message. Each such answer is one warning."""
    answers = collected.with_content()
    same: dict[str, list[Place]] = defaultdict(list)
    for place, answer in answers.items():
        same[" ".join(answer.split())].append(place)
        if REASONING.search(answer):
            collected.add_noticed("reasoning", "a block of reasoning in {text}", place)
    # A system may well repeat its answer to a question in each attempt.
    n_answered, what = len({qid for qid, _ in answers}), "answers" if collected.n_attempts == 1 else "questions"
    for text, places in same.items():
        n_same = len({qid for qid, _ in places})
        if n_same >= FEWEST_SAME and n_same > SAME_SHARE * n_answered and _is_free_text(text):
            found = f"the text {{text}} in {n_same:,} of {n_answered:,} {what}"
            for place in places:
                collected.add_noticed("same-answer", found, place)


def notice_uncited(collected: AnswerCollector) -> None:
    """Log each answer that points to citations and has none."""
    for place, answer in collected.with_content().items():
        if place not in collected.citations and (mark := MARK.search(answer)):
            collected.add_noticed("no-citations", f"{quote(mark[0])} in {{text}}", place)


def _is_free_text(text: str) -> bool:
    bare = text.strip("[]<>()\"'.!").casefold()
    return len(bare.split()) >= FEWEST_WORDS or len(bare) >= FEWEST_CHARACTERS or bare in PLACEHOLDERS


def _check_benchmark(collected: AnswerCollector, misnamed_ids: Sequence[str]) -> bool:
    """Whether nearly all ids, also those under another key, belong to another benchmark; then nothing else matters.

    Ids of the chosen benchmark never do, also if another benchmark has the same.
    """
    strangers = (*collected.unknown_ids, *(name for name in misnamed_ids if not collected.is_known(name)))
    n_ids = collected.n_ids + len(misnamed_ids)
    if not collected.known or not strangers or len(strangers) < ALMOST_ALL * n_ids:
        return False
    sample = tuple(dict.fromkeys(strangers))[:SAMPLE_IDS]
    elsewhere = collected.known.elsewhere(sample)
    if len(elsewhere) < max(1, ALMOST_ALL * len(sample)):
        return False
    benchmark = clean(Counter(elsewhere.values()).most_common(1)[0][0])
    collected.log.forget()
    collected.log.add(
        "wrong-split",
        f"ids that belong to the benchmark {benchmark}",
        expected="ids of the chosen benchmark",
        fix=f"Choose the benchmark {benchmark}, or the file made for this benchmark.",
    )
    return True


def _check_split(collected: AnswerCollector, misnamed_ids: Sequence[str]) -> bool:
    """Whether nearly all ids, also those under another key, belong to another split of the benchmark."""
    misnamed = Counter(filter(None, map(collected.other_split, misnamed_ids)))
    if misnamed.total() >= max(1, ALMOST_ALL * (collected.n_ids + len(misnamed_ids))):
        split = clean(misnamed.most_common(1)[0][0])
        collected.log.add(
            "wrong-split",
            f"{misnamed.total():,} of {collected.n_ids + len(misnamed_ids):,} ids that belong to the {split} split",
            fix=f"Choose the {split} split, or the file made for this split, and rename the key of the ids.",
        )
        return True
    n_other = collected.other_splits.total()
    if not n_other or n_other < ALMOST_ALL * collected.n_ids:
        return False
    split = clean(collected.other_splits.most_common(1)[0][0])
    collected.log.forget("other-split-id", "too-many-problems")
    collected.log.add(
        "wrong-split",
        f"{n_other:,} of {collected.n_ids:,} ids that belong to the {split} split",
        fix=f"Choose the {split} split, or the file made for this split.",
    )
    return True
