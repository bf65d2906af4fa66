"""A system's answers question by question, on splits whose answers are public."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.http import QueryDict
from django.urls import reverse

from leaderboard.board.table import Tab
from leaderboard.models import Entry, EntryKind
from leaderboard.models.entries import EntryQuerySet
from leaderboard.systems.verdicts import judge_score
from scoring.analysis import explanations
from scoring.analysis.explanations import Explanation
from scoring.benchmarks import definition_of
from scoring.metrics.columns import Column
from scoring.models import Answer, Question, Score
from scoring.models.run_states import RunState
from scoring.queries import current_signatures
from scoring.registry import metric_named, task_type_of
from scoring.task_types import TaskType
from scoring.task_types.base import Outcomes

PER_PAGE = 20
FOUND, PARTLY, MISSED, UNANSWERED = "found", "partly", "missed", "unanswered"
OUTCOMES = {
    FOUND: "Everything found",
    PARTLY: "Something missing",
    MISSED: "Nothing found",
    UNANSWERED: "Not answered",
}


@dataclass(frozen=True)
class QuestionsParams:
    """The parameters of a URL; unknown values are ignored."""

    outcome: str = ""
    category: str = ""
    page: str = "1"

    @classmethod
    def of(cls, query: QueryDict) -> "QuestionsParams":
        """Parse a query string."""
        outcome = query.get("outcome", "")
        return cls(outcome if outcome in OUTCOMES else "", query.get("category", ""), query.get("page", "1"))


@dataclass(frozen=True)
class ExplainedQuestion:
    """A question with its outcome."""

    number: int
    """Its position among the split's questions, from 1."""
    outcome: str
    column: Column
    """The score that is shown for it."""
    value: float
    explanation: Explanation

    @property
    def outcome_label(self) -> str:
        """The outcome in words."""
        return OUTCOMES[self.outcome]


@dataclass(frozen=True)
class QuestionsPage:
    """Some of a system's questions, ready to be shown."""

    entry: Entry
    params: QuestionsParams
    tabs: list[Tab]
    """The outcomes to choose from."""
    categories: list[tuple[str, int]]
    questions: list[ExplainedQuestion]
    page: "Page[int]"
    url: str
    previous_url: str
    next_url: str
    shows_answers: bool
    """Whether the reader may read the answers themselves."""
    verdicts_url: str
    """The export of the judge's verdicts; empty if the row has no score of the judge."""
    metric: str
    """The label of the metric that finds the items."""
    same_signature: bool
    """Whether the marks are certain to be those that the score was computed from."""

    @property
    def system_url(self) -> str:
        """The URL of the system's page."""
        return self.entry.system.get_absolute_url()


def explained_entries() -> EntryQuerySet:
    """Rows whose questions may be shown one by one: scored here, on the board, of a split that is not hidden."""
    return Entry.objects.filter(
        kind=EntryKind.SCORED, replaced_at=None, split__hidden=False, system__is_human=False
    ).select_related("system", "split__benchmark", "setting", "answer_set", "submission")


def explained_entry(slug: str, *, split: str, setting: str, benchmark: str = "") -> Entry | None:
    """The newest such row of a system and those that were merged into it, by the slugs in a URL; one query."""
    rows = explained_entries().filter(split__slug=split, setting__slug=setting)
    return (rows.filter(split__benchmark__slug=benchmark) if benchmark else rows).newest_of_system(slug)


def questions_page(entry: Entry, params: QuestionsParams, *, with_answers: bool) -> QuestionsPage | None:
    """Some of the questions of a row of `explained_entries`; None while it has no score that can be explained, or if no
    metric of its task type explains.

    Nine queries, whatever the number of questions: vectors contain the outcome of each, so only the answers on this
    page are examined.
    """
    task = task_type_of(entry.split.benchmark.slug)
    telling = task.outcomes
    if telling is None:
        return None
    signatures = current_signatures(entry.split)
    scores = _scores(entry, telling, signatures.get(telling.metric, ""))
    if scores is None:
        return None
    shown = scores[telling.shown]
    revision = shown.run.revision
    values = shown.per_item
    rows = list(Question.objects.filter(revision=revision).order_by("position").values_list("qid", "categories"))
    if len(rows) != len(values):
        return None
    outcomes = _outcomes(entry, task, telling, scores, [qid for qid, _ in rows])
    in_category = [place for place, (_, names) in enumerate(rows) if not params.category or params.category in names]
    chosen = [place for place in in_category if not params.outcome or outcomes[place] == params.outcome]
    page = Paginator(chosen, PER_PAGE).get_page(params.page)
    places = list(page.object_list)
    explained = explanations.explain(shown.run.answer_set, revision, places, with_answers=with_answers)
    links = _Links(entry, params)
    column = definition_of(entry.split.benchmark.slug).column(telling.shown)
    counts = Counter(outcomes[place] for place in in_category)
    tabs = [Tab("All", links.to(outcome=""), not params.outcome, len(in_category))]
    tabs += [Tab(label, links.to(outcome=key), key == params.outcome, counts[key]) for key, label in OUTCOMES.items()]
    return QuestionsPage(
        entry=entry,
        params=params,
        tabs=tabs,
        categories=_by_size([names for _, names in rows]),
        questions=[
            ExplainedQuestion(place + 1, outcomes[place], column, float(values[place]), explanation)
            for place, explanation in zip(places, explained, strict=True)
        ],
        page=page,
        url=links.url,
        previous_url=links.to(page=page.previous_page_number()) if page.has_previous() else "",
        next_url=links.to(page=page.next_page_number()) if page.has_next() else "",
        shows_answers=with_answers,
        verdicts_url=links.verdicts() if judge_score(entry, signatures) else "",
        metric=metric_named(telling.metric).label,
        same_signature=explanations.signature_now(revision) == shown.signature,
    )


def _outcomes(
    entry: Entry, task: TaskType, telling: Outcomes, scores: Mapping[str, Score], qids: Sequence[str]
) -> list[str]:
    """The outcome of each question; one query. Texts are read only where a stored answer may count as none."""
    rows = Answer.objects.filter(answer_set=entry.answer_set, participant="")
    if task.splits_texts:
        answered = {qid for qid, text in rows.values_list("qid", "text") if task.is_answered(text)}
    else:
        answered = set(rows.values_list("qid", flat=True))
    some, every = scores[telling.some].per_item, scores[telling.all].per_item
    return [_outcome(some[place], every[place], answered=qid in answered) for place, qid in enumerate(qids)]


def _scores(entry: Entry, telling: Outcomes, signature: str) -> dict[str, Score] | None:
    """The scores that tell the outcomes, by name, under the current signature; one query."""
    names = {telling.shown, telling.some, telling.all}
    found = {
        score.name: score
        for score in Score.objects.counting()
        .filter(
            run__answer_set=entry.answer_set,
            run__state=RunState.DONE,
            run__subset="",
            signature=signature,
            name__in=names,
        )
        .select_related("run__revision__split__benchmark", "run__answer_set")
    }
    return found if len(found) == len(names) else None


def _outcome(some: float, every: float, *, answered: bool) -> str:
    if not answered:
        return UNANSWERED
    if every == 1:
        return FOUND
    return PARTLY if some > 0 else MISSED


def _by_size(categories: Sequence[Sequence[str]]) -> list[tuple[str, int]]:
    counts = Counter(name for names in categories for name in set(names))
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


@dataclass(frozen=True)
class _Links:
    """URLs of the same questions with other parameters; another choice starts at the first page."""

    entry: Entry
    params: QuestionsParams

    @property
    def url(self) -> str:
        return reverse("system-questions", args=[self.entry.system.slug])

    def verdicts(self) -> str:
        where = {"benchmark": self.entry.split.benchmark.slug, "split": self.entry.split.slug}
        query = urlencode(where | {"setting": self.entry.setting.slug})
        return f"{reverse('system-verdicts', args=[self.entry.system.slug])}?{query}"

    def to(self, **changes: str | int) -> str:
        query: dict[str, str | int] = {
            "benchmark": self.entry.split.benchmark.slug,
            "split": self.entry.split.slug,
            "setting": self.entry.setting.slug,
            "outcome": self.params.outcome,
            "category": self.params.category,
        }
        query |= changes
        return f"{self.url}?{urlencode({key: value for key, value in query.items() if value})}"
