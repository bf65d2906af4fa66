"""One question of an open split: its difficulty, its reference, and the answer of every system with its verdict."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any, Final
from urllib.parse import quote, urlencode
from uuid import UUID

import numpy as np
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.core.paginator import Page, Paginator
from django.db.models import Q
from django.urls import reverse
from numpy.typing import NDArray

from leaderboard.access import readable_answers
from leaderboard.board.table import Tab
from leaderboard.models import Entry
from leaderboard.questions.lookup import (
    DIFFER,
    DISAGREEMENT,
    PARTIAL,
    RIGHT,
    VERDICTS,
    WRONG,
    SettingQuestions,
    Summary,
    find_questions,
    values_at,
)
from leaderboard.systems.attempts import LONGEST_SHOWN, MOST_SHOWN, ShownAttempt, shown_attempts
from leaderboard.web.cache import records_of, store_records
from leaderboard.web.parameters import NUMBER
from scoring.analysis.explanations import LONGEST_ANSWER, Piece, QuestionItems, ReferenceLine, readable
from scoring.metrics.cited.judge import CitationJudge
from scoring.metrics.columns import Column
from scoring.models import AnswerBlock, CitationBlock, Question, Score
from scoring.models.run_states import RunState
from scoring.registry import metric_named, task_type_of
from scoring.runs.judging.citations import MarkedAnswer, marked_answers
from scoring.runs.judging.criteria import Decisions, QuestionCriteria, judges_of_criteria

PER_PAGE: Final = 25
LONG_QUESTION: Final = 240
FILTERS: Final = {
    "": "All",
    "right": "Right",
    "partial": "Partial",
    "wrong": "Wrong",
    DISAGREEMENT: "Metrics disagree",
}
FOUND: Final = "1"
_HEADING: Final = re.compile(r"(?m)^ {0,3}#{1,6}(?:[ \t].*)?$")


@dataclass(frozen=True)
class Outcome:
    """A system's score on the question."""

    answer_set: UUID
    entry: int
    """The key of the system's row."""
    value: float | None
    """Value of the score that is shown; None without one."""
    verdict: str
    """Verdict on the answer; empty without a score."""
    opinions: tuple[tuple[str, str, bool], ...]
    """Name and label of each score that says whether the answer is right, and what it says."""

    @property
    def by_score(self) -> dict[str, bool]:
        """What these scores say, by their names."""
        return {name: is_right for name, _, is_right in self.opinions}

    @property
    def disagrees(self) -> bool:
        """Whether these contradict each other."""
        return len({is_right for *_, is_right in self.opinions}) > 1


@dataclass(frozen=True)
class ShownAnswer:
    """A row of the table: a system with its score, and its answer if that is public."""

    outcome: Outcome
    entry: Entry
    is_readable: bool
    is_answered: bool
    marks: tuple[bool, ...] | None
    """Whether the answer has each item of the reference; None if it is too long to tell, or nothing tells."""
    pieces: tuple[Piece, ...]
    is_cut: bool
    """Whether the answer goes on."""
    is_list: bool
    url: str
    """The system's page of questions, which has the whole answer; empty if there is none."""
    report_url: str
    """The page that shows the answer, or one of several attempts, as a report; empty without one that may be read."""
    answer: Any = None
    """The whole answer as generations files have it, if it may be read."""
    attempts: tuple[ShownAttempt, ...] = ()
    """All attempts at the question, if there are several; the answer is the first."""

    attempt: int = 1
    """Number of the attempt that decisions and marks of sentences are of."""

    decisions: Mapping[str, Decisions] = field(default_factory=dict)
    """By metric: what a judge decided about each criterion, with reasons if the answer may be read."""

    marked: MarkedAnswer | None = None
    """Its sentences with their citations, if it has some or a judge checks citations, and it may be read."""

    criteria_scores: Mapping[Column, float | None] = field(default_factory=dict)
    """For each metric that decides criteria, its score of that attempt; None without one."""

    @property
    def scores_by_name(self) -> dict[str, float | None]:
        """The scores of metrics that decide criteria, by their names."""
        return {column.score: value for column, value in self.criteria_scores.items()}

    @property
    def n_found(self) -> int:
        return sum(self.marks or ())

    @property
    def report(self) -> str | None:
        """The whole answer, of several attempts the one with that number; None without one that may be read."""
        text: str | None = self.attempts[self.attempt - 1].answer if self.attempts else self.answer
        return text


class QuestionPage:
    """One question as its page and the API show it.

    Eight queries more than `find_questions`, whatever the number of systems; one less if the values were read before.
    The items that each answer has are cached: the first view after a system came normalises its answer.
    """

    def __init__(
        self,
        asked: SettingQuestions,
        question: Question,
        user: AbstractBaseUser | AnonymousUser,
        *,
        verdict: str = "",
        page: str = "1",
        show: str = "",
        attempt: str = "",
    ) -> None:
        self.asked = asked
        self.question = question
        self.verdict = verdict if verdict in FILTERS else ""
        self.show = DIFFER if show == DIFFER else ""
        self.attempt = max(1, int(attempt)) if NUMBER.knows(attempt) and attempt else 1
        self._user = user
        self._page = page
        qids = [summary.qid for summary in asked.summaries]
        self.place = qids.index(question.qid)
        self.summary: Summary = asked.summaries[self.place]
        self.number = self.place + 1
        self._values = values_at(asked, self.place)

    @property
    def description(self) -> str:
        """The question in a sentence, for search engines."""
        asked = self.asked
        return (
            f"{asked.split.benchmark.name}, {asked.split.name.lower()} question {self.number}: the answers of "
            f"{len(asked.rows)} systems ({asked.setting.name.lower()}), each with its verdict."
        )

    # --- The question --------------------------------------------------------------------------------------------

    @cached_property
    def by_difficulty(self) -> list[Summary]:
        """The questions with a difficulty, the hardest first."""
        scored = [summary for summary in self.asked.summaries if summary.mean is not None]
        return sorted(scored, key=lambda summary: summary.mean or 0)

    @property
    def harder_than(self) -> float | None:
        """The share of the other questions that are easier, for the API; None without a difficulty."""
        if self.summary.mean is None or len(self.by_difficulty) < 2:
            return None
        easier = sum((summary.mean or 0) > self.summary.mean for summary in self.by_difficulty)
        return easier / (len(self.by_difficulty) - 1)

    @property
    def n_harder(self) -> int:
        """The number of questions that are harder."""
        return sum((summary.mean or 0) < (self.summary.mean or 0) for summary in self.by_difficulty)

    @property
    def n_as_hard(self) -> int:
        """The number of other questions that are as hard."""
        return sum(summary.mean == self.summary.mean for summary in self.by_difficulty) - 1

    def url(self, qid: str = "", **query: str | int) -> str:
        """The list or a question, with the filter of the list."""
        return self.asked.url(qid, show=self.show, **query)

    def _neighbour(self, step: int) -> str:
        listed = [one for one in self.by_difficulty if not self.show or one.verdicts_differ or one == self.summary]
        if self.summary.mean is None:
            return ""
        place = listed.index(self.summary) + step
        return self.url(listed[place].qid) if 0 <= place < len(listed) else ""

    @cached_property
    def easier_url(self) -> str:
        """The question of the list that is next in difficulty; empty for the easiest one."""
        return self._neighbour(1)

    @cached_property
    def harder_url(self) -> str:
        """The question of the list that is next in the other direction; empty for the hardest one."""
        return self._neighbour(-1)

    @property
    def list_url(self) -> str:
        return self.url()

    @property
    def all_url(self) -> str:
        return self.url(self.question.qid)

    @property
    def question_url(self) -> str:
        """The question without anything that a form sends."""
        return reverse("question", args=[self.asked.split.benchmark.slug, self.asked.split.slug, self.question.qid])

    @property
    def setting_tabs(self) -> list[Tab]:
        return self.asked.setting_tabs(self.question.qid)

    @property
    def is_long(self) -> bool:
        """Whether the question is more than a line or two."""
        text = self.question.text.strip()
        return len(text) > LONG_QUESTION or "\n" in text

    @property
    def evidence(self) -> list[tuple[str, str]]:
        """Title and URL of each article with evidence, once."""
        pages = [(str(page.get("title") or ""), str(page.get("url") or "")) for page in self.question.evidence]
        return [(title or url, url) for title, url in dict.fromkeys(pages) if title or url]

    @property
    def report_url(self) -> str:
        """Address to which a mistake is reported: the contact of the site, if there is one."""
        contact: str = settings.SITE_CONTACT
        if not contact or contact.startswith("https://"):
            return contact
        subject = f"{self.asked.split.benchmark.name}, {self.asked.split.name}, question {self.question.qid}"
        return f"mailto:{quote(contact, safe='@+')}?subject={quote(subject)}"

    # --- The reference -------------------------------------------------------------------------------------------

    @cached_property
    def items(self) -> QuestionItems | None:
        """The reference; None if nothing tells which of its items an answer has."""
        return QuestionItems(self.question) if self.asked.outcomes else None

    @cached_property
    def criteria(self) -> QuestionCriteria | None:
        """The criteria of the question; None if no metric decides any."""
        return QuestionCriteria(self.question) if self.criteria_columns else None

    @cached_property
    def criteria_columns(self) -> list[Column]:
        """The columns of the metrics that decide criteria."""
        return [self.asked.definition.column(name) for name in judges_of_criteria(self.asked.split.benchmark.slug)]

    @property
    def same_signature(self) -> bool:
        """Whether the marks are certain to be those that the scores were computed from."""
        return self.items is None or self.items.signature == self.asked.signature

    @cached_property
    def lines(self) -> tuple[ReferenceLine[tuple[str, int]], ...]:
        """The reference, each item with the number of systems whose answer has it."""
        if self.items is None:
            return ()
        known = np.frombuffer("".join(self._marks.values()).encode(), np.uint8)
        counts = iter((known.reshape(self.n_examined, self.items.n_items) == ord(FOUND)).sum(axis=0).tolist())
        return tuple(
            ReferenceLine(tuple((item.text, next(counts)) for item in line.items), line.depth)
            for line in self.items.lines
        )

    @property
    def is_whole(self) -> bool:
        """Whether an answer is right or wrong as a whole, and not item by item."""
        return self.asked.outcomes is not None and self.asked.outcomes.is_whole

    @property
    def accepted(self) -> list[str]:
        """The answers of which any is right, where answers are right as a whole."""
        lines = self.items.lines if self.items is not None and self.is_whole else ()
        return [text for line in lines for item in line.items for text in (item.text, *item.also)]

    @property
    def metric(self) -> str:
        """The label of the metric that tells verdicts; empty without one."""
        return metric_named(self.asked.outcomes.metric).label if self.asked.outcomes else ""

    @property
    def found_by(self) -> list[int]:
        """The number of systems that have each item of the reference."""
        return [n for line in self.lines for _, n in line.items]

    @cached_property
    def n_examined(self) -> int:
        """The number of systems in these counts: answers that are too long are not in them."""
        return sum(marks != "" for marks in self._marks.values())

    @property
    def has_keys(self) -> bool:
        """Whether the reference is a table of keys and values."""
        return any(len(line.items) > 1 for line in self.lines)

    # --- The answers ---------------------------------------------------------------------------------------------

    @cached_property
    def _verdicts(self) -> NDArray[np.str_]:
        """Verdict of each system; empty without a score."""
        columns = self.asked.outcomes
        if columns is None:
            return np.full(len(self.asked.rows), "")
        some, every = self._values[columns.some], self._values[columns.all]
        verdicts = np.where(every == 1, RIGHT, np.where(some > 0, PARTIAL, WRONG))
        return np.where(self.asked.is_scored, verdicts, "")

    @cached_property
    def chosen(self) -> list[int]:
        """The systems that the filter lets through, by their places in ``asked.rows``: right answers first, then by the
        score on this question, on all of them, and by name."""
        asked, columns = self.asked, self.asked.outcomes
        order = [(*VERDICTS, "").index(verdict) for verdict in self._verdicts.tolist()]
        value = self._values[columns.shown] if columns else asked.totals
        places = np.lexsort(np.stack([-asked.totals, -value, order]))
        chosen = np.isin(self._verdicts, [self.verdict] if self.verdict else [*VERDICTS, ""])
        if columns and self.verdict == DISAGREEMENT:
            opinions = np.stack([self._values[name] for name in columns.opinions])
            chosen = np.any(opinions > 0, axis=0) & np.any(opinions <= 0, axis=0)
        shown: list[int] = places[chosen[places]].tolist()
        return shown

    def _outcome(self, place: int) -> Outcome:
        answer_set, entry, _ = self.asked.rows[place]
        columns = self.asked.outcomes
        if columns is None or not self.asked.is_scored[place]:
            return Outcome(answer_set, entry, None, "", ())
        opinions = [(name, float(self._values[name][place])) for name in columns.opinions]
        return Outcome(
            answer_set,
            entry,
            float(self._values[columns.shown][place]),
            str(self._verdicts[place]),
            tuple(
                (name, self.asked.definition.column(name).short_label, value > 0)
                for name, value in opinions
                if not math.isnan(value)
            ),
        )

    @property
    def has_reports(self) -> bool:
        """Whether answers are Markdown, to be read as a report."""
        return task_type_of(self.asked.split.benchmark.slug).has_markdown

    @property
    def filters(self) -> list[Tab]:
        """Links to the verdicts that answers have, and to the chosen one."""
        counts = {"": len(self.asked.rows), DISAGREEMENT: self.summary.n_disagreements}
        counts |= {verdict: int((self._verdicts == verdict).sum()) for verdict in VERDICTS}
        return [
            Tab(label, self.url(self.question.qid, verdict=name), name == self.verdict, counts[name])
            for name, label in FILTERS.items()
            if counts[name] or name in ("", self.verdict)
        ]

    @cached_property
    def page(self) -> Page[int]:
        """The rows on this page, by their places."""
        return Paginator(self.chosen, PER_PAGE).get_page(self._page)

    @cached_property
    def answers(self) -> list[ShownAnswer]:
        """The rows on this page with their answers."""
        return self.shown(self.page.object_list)

    def attempt_tabs(self, rows: Iterable[ShownAnswer], fragment: str = "", **query: str | int) -> list[Tab]:
        """Links to the page with each attempt of some answers; none if each has one.

        Args:
            fragment: of the address, with its sign.
        """
        n_attempts = max((len(row.attempts) for row in rows), default=0)
        shown = min(self.attempt, n_attempts)
        return [
            Tab(f"Attempt {n}", self.url(self.question.qid, **query, attempt=n) + fragment, n == shown, None)
            for n in range(1, n_attempts + 1)
        ]

    @property
    def cited(self) -> list[ShownAnswer]:
        """Answers on this page whose sentences have marks."""
        return [row for row in self.answers if row.marked is not None]

    @property
    def attempts(self) -> list[Tab]:
        """Links to the attempts of the answers on this page, if something is shown of one: criteria or citations."""
        of_one = [row for row in self.answers if row.decisions or row.marked is not None]
        page = self.page.number if self.page.number > 1 else ""
        return self.attempt_tabs(of_one, "#attempts-title", verdict=self.verdict, page=page)

    @cached_property
    def _marks(self) -> dict[UUID, str]:
        """Marks by scored answer set: for each item of the reference, whether its answer has it; empty if it is too
        long to tell."""
        if self.items is None:
            return {}
        rows = compress(self.asked.rows, self.asked.is_scored.tolist())
        sets = {answer_set.hex: answer_set for answer_set, *_ in rows}
        key = f"question-items:{self.asked.revision.content_hash}:{self.question.qid}:{self.items.signature}"
        cached = records_of([key], dict[str, str]).get(key, {})
        lacking = [answer_set for shown, answer_set in sets.items() if shown not in cached]
        if lacking:
            texts = self._texts(lacking)
            nothing = "0" * self.items.n_items
            for answer_set in lacking:
                text, length = texts.get(answer_set, ("", 0))
                marks = "" if length > LONGEST_ANSWER else nothing
                if text and length <= LONGEST_ANSWER:
                    marks = "".join(str(int(is_found)) for is_found in self.items.found(text))
                cached[answer_set.hex] = marks
            store_records({key: {shown: cached[shown] for shown in sets}})
        return {answer_set: cached[shown] for shown, answer_set in sets.items()}

    def _texts(self, answer_sets: Sequence[UUID]) -> Mapping[UUID, tuple[str, int]]:
        """The beginnings of answers, and their lengths. One query."""
        answers = AnswerBlock.objects.first_texts(answer_sets, [self.question.qid])
        return {answer_set: (text[:LONGEST_ANSWER], len(text)) for answer_set, _, text in answers}

    def entries(self, keys: Sequence[int]) -> dict[int, Entry]:
        """Rows of the board by their keys. One query."""
        of_system = [f"{of}__{name}" for of in ("system", "system__same_as") for name in ("name", "slug", "authors")]
        rows = Entry.objects.filter(pk__in=keys).select_related("split")
        rows = rows.only("answer_set", "shows_answers", "submission", "split__hidden", *of_system)
        return {entry.pk: entry for entry in rows.with_merged_systems()}

    def readable(self, entries: Mapping[int, Entry]) -> set[int]:
        """The keys of those rows whose answers the reader may read. At most three queries."""
        return readable_answers(self._user, entries.values())

    def shown(self, places: Iterable[int]) -> list[ShownAnswer]:
        """Some rows with their answers, as far as the reader may read them. At most five queries; for a question with
        criteria two more, and two for each metric; where a metric reads citations two more, and two for each metric."""
        places, rows_of = list(places), self.asked.rows
        outcomes = [self._outcome(place) for place in places]
        entries = self.entries([outcome.entry for outcome in outcomes])
        readable_rows = self.readable(entries)
        found = AnswerBlock.objects.attempts([outcome.answer_set for outcome in outcomes], [self.question.qid])
        attempts = {answer_set: answers for answer_set, _, answers in found}
        values = self._values_of_attempts(place for place in places if len(attempts.get(rows_of[place][0], ())) > 1)
        numbers = {answer_set: min(self.attempt, len(answers)) for answer_set, answers in attempts.items()}
        chosen = {key: text for key, answers in attempts.items() if (text := answers[numbers[key] - 1]) is not None}
        may_be_read = {outcome.answer_set for outcome in outcomes if outcome.entry in readable_rows}
        signatures, criteria = self.asked.signatures, self.criteria
        decisions = criteria.decisions(signatures, chosen, may_be_read) if criteria else {}
        scores = self._scores_by_criteria(
            {outcome.answer_set: numbers.get(outcome.answer_set, 1) for outcome in outcomes}
        )
        citations = self._citations({key: numbers[key] for key in chosen if key in may_be_read})
        marked = marked_answers(self.question, signatures, chosen, citations) if citations else {}
        asked = self.asked
        task = task_type_of(asked.split.benchmark.slug)
        query = urlencode(
            {"benchmark": asked.split.benchmark.slug, "split": asked.split.slug, "setting": asked.setting.slug}
        )
        rows = []
        for outcome in outcomes:
            answers = attempts.get(outcome.answer_set, (None,))
            first = answers[0]
            text, length = (first or "")[:LONGEST_ANSWER], len(first or "")
            is_answered = first is not None and (length > LONGEST_ANSWER or task.is_answered(text))
            is_readable = outcome.entry in readable_rows
            known = self._marks.get(outcome.answer_set)
            marks = tuple(mark == FOUND for mark in known) if known else None
            is_list = task.splits_texts and length <= LONGEST_ANSWER
            is_cut = len(task.texts_of(text)) > MOST_SHOWN if is_list and is_answered else length > LONGEST_SHOWN
            pieces: tuple[Piece, ...] = ()
            if is_readable and is_answered:
                beginning = text if is_list else text[:LONGEST_SHOWN]
                if self.has_reports:
                    beginning = text_without_headings(text)[:LONGEST_SHOWN]
                if self.items is None or marks is None:
                    texts_of_answer = task.texts_of(beginning) if is_list else (beginning,)
                    pieces = tuple(Piece(readable(part), marked=False) for part in texts_of_answer)
                else:
                    pieces = self.items.pieces(beginning, marks)
            entry = entries[outcome.entry]
            url = f"{reverse('system-questions', args=[entry.system.slug])}?{query}" if outcome.verdict else ""
            shown = pieces[:MOST_SHOWN] if is_list else pieces
            sent = task.sent(first or "") if pieces else None
            tried = shown_attempts(answers, values.get(outcome.answer_set), task, is_readable=is_readable)
            is_report = self.has_reports and is_readable and (is_answered or any(attempt.texts for attempt in tried))
            report_url = self.url(self.question.qid, left=entry.system.slug) if is_report else ""
            answer = (is_readable, is_answered, marks, shown, is_cut, is_list, url, report_url, sent)
            decided = decisions.get(outcome.answer_set, {})
            number = numbers.get(outcome.answer_set, 1)
            marked_answer = marked.get(outcome.answer_set)
            own_scores = {column: scores.get((outcome.answer_set, column.score)) for column in self.criteria_columns}
            rows.append(ShownAnswer(outcome, entry, *answer, tuple(tried), number, decided, marked_answer, own_scores))
        return rows

    def _scores_by_criteria(self, attempts: Mapping[UUID, int]) -> dict[tuple[UUID, str], float]:
        """The scores of metrics that decide criteria, of the answers to this question, by answer set and name. One
        query, and none if there is no such metric.

        Args:
            attempts: the number of an attempt, by answer set.
        """
        if not self.criteria_columns:
            return {}
        shown = Q()
        for column in self.criteria_columns:
            shown |= Q(name=column.score, signature=self.asked.signatures.get(column.metric, ""))
        stored = Score.objects.counting().filter(
            shown,
            run__answer_set__in=attempts,
            run__revision=self.asked.revision,
            run__state=RunState.DONE,
            run__subset="",
        )
        found = {(score.run.answer_set_id, score.name): score.per_attempt for score in stored.select_related("run")}
        return {key: float(values[attempts[key[0]] - 1, self.place]) for key, values in found.items()}

    def _citations(self, attempts: Mapping[UUID, int]) -> dict[UUID, str]:
        """The citations of answers as they are stored, by answer set; where a judge checks citations, empty for an
        answer without any. One query; if no metric of the benchmark reads citations, no answers and no query.

        Args:
            attempts: the number of an attempt, by answer set.
        """
        definition = self.asked.definition
        if not definition.answer_format().takes_citations:
            return {}
        has_judge = any(issubclass(metric_named(name), CitationJudge) for name in definition.metrics)
        stored = CitationBlock.objects.attempts(attempts, [self.question.qid])
        of_attempt = {key: texts[attempts[key] - 1] for key, _, texts in stored}
        return {key: of_attempt.get(key) or "" for key in attempts if has_judge or of_attempt.get(key) is not None}

    def _values_of_attempts(self, places: Iterable[int]) -> dict[UUID, list[float]]:
        """By answer set of some rows: the value of each attempt at the question. One query, if there are rows."""
        keys = self.asked.scores.get(self.asked.score)
        sets = {int(keys[place]): self.asked.rows[place][0] for place in places} if keys is not None else {}
        scores = Score.objects.filter(pk__in=sets, attempts__isnull=False).defer("vector") if sets else ()
        return {sets[score.pk]: score.per_attempt[:, self.place].tolist() for score in scores}


def text_without_headings(report: str) -> str:
    r"""The text of a report in Markdown without headings, on one line.

    >>> text_without_headings("# Bridges\n\n ## Summary\nThe *older* one\nis #1.")
    'The *older* one is #1.'
    """
    return " ".join(_HEADING.sub("", report).split()) or report


def find_question(
    benchmark: str, split: str, qid: str, user: AbstractBaseUser | AnonymousUser, query: Mapping[str, Any]
) -> QuestionPage | None:
    """A question of an open split, with the parameters of a URL; None if there is none. One query more than
    `find_questions`."""
    asked = find_questions(benchmark, split, query.get("setting", ""))
    question = Question.objects.filter(revision=asked.revision, qid=qid).first() if asked else None
    if asked is None or question is None:
        return None
    chosen = {name: query.get(name, "") for name in ("verdict", "show", "attempt")}
    return QuestionPage(asked, question, user, page=query.get("page", "1"), **chosen)
