"""The list of an open split's questions, sorted so that wrong reference answers come first."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from django.core.paginator import Page, Paginator

from leaderboard.board.table import Tab
from leaderboard.questions.lookup import DIFFER, SettingQuestions, Summary
from scoring.models import Question

PER_PAGE: Final = 50
SORTS: Final = ("position", "difficulty", "discrimination", "disagreement")


@dataclass(frozen=True)
class ListColumn:
    """A heading of the list."""

    label: str
    url: str = ""
    """The list ordered by it, or the other way round; empty if nothing can be."""
    direction: str = ""
    """Direction as in ``aria-sort``, if the list is ordered by it."""


class QuestionList:
    """The questions of a split in one order. One query more than `find_questions`."""

    def __init__(self, asked: SettingQuestions, *, sort: str = "", page: str = "1", show: str = "") -> None:
        self.asked = asked
        self.show = DIFFER if show == DIFFER else ""
        self._page = page
        self.sort = sort.removeprefix("-") if sort.removeprefix("-") in SORTS else "difficulty"
        self.reversed = sort == f"-{self.sort}"

    @property
    def title(self) -> str:
        """Title of the list, for previews of links."""
        return f"{self.asked.split.benchmark.name}: {self.asked.split.name.lower()} questions"

    @property
    def description(self) -> str:
        """The list in a sentence, for search engines."""
        return (
            f"{len(self.asked.summaries):,} questions of {self.asked.split.benchmark.name} with their difficulty and "
            "discrimination, each with the answers of all systems."
        )

    @cached_property
    def ordered(self) -> list[tuple[int, Summary]]:
        """The hardest first, or those that discriminate least, or that metrics disagree about most, or the first ones
        of the split; reversed if asked. Questions without the number are last in any case."""
        by: dict[str, Callable[[int, Summary], float | None]] = {
            "position": lambda place, _: place,
            "difficulty": lambda _, summary: summary.mean,
            "discrimination": lambda _, summary: summary.discrimination,
            "disagreement": lambda _, summary: -summary.n_disagreements,
        }
        keyed = [
            (by[self.sort](place, summary), place)
            for place, summary in enumerate(self.asked.summaries)
            if not self.show or summary.verdicts_differ
        ]
        sign = -1 if self.reversed else 1
        known = sorted((sign * key, place) for key, place in keyed if key is not None)
        order = [place for _, place in known] + [place for key, place in keyed if key is None]
        return [(place, self.asked.summaries[place]) for place in order]

    @cached_property
    def page(self) -> Page[tuple[int, Summary]]:
        """The places and summaries on this page."""
        return Paginator(self.ordered, PER_PAGE).get_page(self._page)

    @cached_property
    def rows(self) -> list[tuple[int, Summary, Question, str]]:
        """Questions on this page: place in the split, from 1, summary, text and URL of each. One query."""
        shown = list(self.page.object_list)
        qids = [summary.qid for _, summary in shown]
        questions = Question.objects.filter(revision=self.asked.revision, qid__in=qids)
        by_qid = {question.qid: question for question in questions.only("qid", "text", "categories", "language")}
        return [
            (place + 1, summary, by_qid[summary.qid], self.asked.url(summary.qid, show=self.show))
            for place, summary in shown
        ]

    def url(self, sort: str = "") -> str:
        return self.asked.url(show=self.show, sort="" if sort == "difficulty" else sort)

    @property
    def choices(self) -> list[tuple[str, int, str, bool]]:
        """All questions, and those on which verdicts differ: label, number, URL, and whether they are shown; nothing
        if they are the same."""
        n_all, n_differ = len(self.asked.summaries), sum(summary.verdicts_differ for summary in self.asked.summaries)
        if n_differ in (0, n_all):
            return []
        return [
            (label, number, self.asked.url(show=show, sort=self._order), show == self.show)
            for label, number, show in (("All", n_all, ""), ("Verdicts differ", n_differ, DIFFER))
        ]

    @property
    def _order(self) -> str:
        order = f"-{self.sort}" if self.reversed else self.sort
        return "" if order == "difficulty" else order

    @property
    def setting_tabs(self) -> list[Tab]:
        return self.asked.setting_tabs()

    @property
    def columns(self) -> list[ListColumn]:
        """The columns that there are numbers for."""
        label = self.asked.column.short_label if self.asked.column else ""
        columns = [self._column("Number", "position"), ListColumn("Question")]
        if self.asked.n_scored:
            columns += [self._column(f"Mean {label.lower()}", "difficulty")]
            columns += [ListColumn("Right · partial · wrong")]
            if self.asked.has_discrimination:
                columns += [self._column("Discrimination", "discrimination")]
            if self.asked.judges_disagree:
                columns += [self._column("Disagreements", "disagreement")]
        return columns

    def _column(self, label: str, sort: str) -> ListColumn:
        """A heading with the link that orders by it, or turns its order round."""
        if sort != self.sort:
            return ListColumn(label, self.url(sort))
        url = self.url(sort if self.reversed else f"-{sort}")
        is_ascending = self.reversed == (sort == "disagreement")
        return ListColumn(label, url, "ascending" if is_ascending else "descending")
