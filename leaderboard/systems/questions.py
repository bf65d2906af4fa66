"""A system's answers question by question, on splits whose answers are public."""

from collections import Counter
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import QueryDict
from django.urls import reverse

from leaderboard.board.table import Tab
from leaderboard.models import Entry, EntryKind
from leaderboard.models.entries import EntryQuerySet
from leaderboard.systems.attempts import shown_attempts
from leaderboard.systems.verdicts import judge_score
from scoring.analysis import explanations
from scoring.benchmarks import definition_of
from scoring.models import AnswerBlock, Question, Score
from scoring.models.run_states import RunState
from scoring.queries import current_signatures
from scoring.registry import metric_named, outcomes_of, task_type_of

PER_PAGE = 20
FOUND, PARTLY, MISSED, UNANSWERED = "found", "partly", "missed", "unanswered"
OUTCOMES = {
    FOUND: "Everything found",
    PARTLY: "Something missing",
    MISSED: "Nothing found",
    UNANSWERED: "Not answered",
}

OUTCOMES_AS_A_WHOLE = {FOUND: "Right", PARTLY: "Partly right", MISSED: "Wrong", UNANSWERED: "Not answered"}
"""Their labels where an answer is right or wrong as a whole."""


def explained_entries() -> EntryQuerySet:
    """Rows whose questions may be shown one by one: scored here, on the board, of a split that is not hidden."""
    return Entry.objects.filter(
        kind=EntryKind.SCORED, replaced_at=None, split__hidden=False, system__is_human=False
    ).select_related("system", "split__benchmark", "setting", "answer_set", "submission")


def explained_entry(slug: str, *, split: str, setting: str, benchmark: str = "") -> Entry | None:
    """The newest such row of a system and those that were merged into it, by the slugs in a URL; one query."""
    rows = explained_entries().filter(split__slug=split, setting__slug=setting)
    return (rows.filter(split__benchmark__slug=benchmark) if benchmark else rows).newest_of_system(slug)


def questions_page(entry: Entry, asked: QueryDict, *, with_answers: bool) -> dict[str, Any] | None:
    """Some of the questions of a row of `explained_entries`; None while it has no score that can be explained, or if no
    metric of its benchmark explains.

    Args:
        asked: the query of a URL: ``outcome``, ``category`` and ``page``; unknown values are ignored.

    ``tabs`` are the outcomes to choose from, ``metric`` is the label of the metric that finds the items, and
    ``same_signature`` says whether the marks are certain to be those that the score was computed from.

    Nine queries, whatever the number of questions: vectors contain the outcome of each, so only the answers on this
    page are examined.
    """
    task = task_type_of(entry.split.benchmark.slug)
    telling = outcomes_of(entry.split.benchmark.slug)
    if telling is None:
        return None
    signatures = current_signatures(entry.split)
    names = {telling.shown, telling.some, telling.all}
    telling_scores = Score.objects.counting().filter(
        run__answer_set=entry.answer_set,
        run__state=RunState.DONE,
        run__subset="",
        signature=signatures.get(telling.metric, ""),
        name__in=names,
    )
    related = telling_scores.select_related("run__revision__split__benchmark", "run__answer_set")
    scores = {score.name: score for score in related}
    if len(scores) < len(names):
        return None
    shown = scores[telling.shown]
    revision = shown.run.revision
    values = shown.per_item
    rows = list(Question.objects.filter(revision=revision).order_by("position").values_list("qid", "categories"))
    if len(rows) != len(values):
        return None
    attempts = AnswerBlock.objects.attempts_of(shown.run.answer_set_id)
    # A stored list may count as none.
    answered = {
        qid
        for qid, texts in attempts.items()
        if any(text is not None and (not task.splits_texts or task.is_answered(text)) for text in texts)
    }
    some, every = scores[telling.some].per_item, scores[telling.all].per_item
    outcomes = [
        UNANSWERED if qid not in answered else FOUND if every[place] == 1 else PARTLY if some[place] > 0 else MISSED
        for place, (qid, _) in enumerate(rows)
    ]
    category, outcome = asked.get("category", ""), asked.get("outcome", "")
    outcome = outcome if outcome in OUTCOMES else ""
    in_category = [place for place, (_, names) in enumerate(rows) if not category or category in names]
    chosen = [place for place in in_category if not outcome or outcomes[place] == outcome]
    page = Paginator(chosen, PER_PAGE).get_page(asked.get("page", "1"))
    places = list(page.object_list)
    by_attempt = shown.per_attempt
    explained = explanations.explain(shown.run.answer_set, revision, places, with_answers=with_answers)
    sizes = Counter(name for _, names_of_question in rows for name in set(names_of_question))
    board = {"benchmark": entry.split.benchmark.slug, "split": entry.split.slug, "setting": entry.setting.slug}
    slugs = board["benchmark"], board["split"]
    url = reverse("system-questions", args=[entry.system.slug])

    def link(**changes: str | int) -> str:
        """The same questions with other parameters; another choice starts at the first page."""
        query = board | {"outcome": outcome, "category": category} | changes
        return f"{url}?{urlencode({key: value for key, value in query.items() if value})}"

    verdicts = f"{reverse('system-verdicts', args=[entry.system.slug])}?{urlencode(board)}"
    column = definition_of(entry.split.benchmark.slug).column(telling.shown)
    counts = Counter(outcomes[place] for place in in_category)
    tabs = [Tab("All", link(outcome=""), not outcome, len(in_category))]
    labels = OUTCOMES_AS_A_WHOLE if telling.is_whole else OUTCOMES
    tabs += [
        Tab(label, link(outcome=key), key == outcome, counts[key])
        for key, label in labels.items()
        if counts[key] or key != PARTLY or not telling.is_whole
    ]
    return {
        "entry": entry,
        "system_url": entry.system.get_absolute_url(),
        "outcome": outcome,
        "category": category,
        "tabs": tabs,
        "categories": sorted(sizes.items(), key=lambda item: (-item[1], item[0])),
        "questions": [
            {
                "number": place + 1,
                "outcome": outcomes[place],
                "outcome_label": labels[outcomes[place]],
                "column": column,
                "value": float(values[place]),
                "explanation": explanation,
                "attempts": shown_attempts(
                    attempts.get(explanation.qid, ()), by_attempt[:, place].tolist(), task, is_readable=with_answers
                ),
                "url": reverse("question", args=[*slugs, explanation.qid]) + f"?setting={board['setting']}",
            }
            for place, explanation in zip(places, explained, strict=True)
        ],
        "page": page,
        "url": url,
        "previous_url": link(page=page.previous_page_number()) if page.has_previous() else "",
        "next_url": link(page=page.next_page_number()) if page.has_next() else "",
        "shows_answers": with_answers,
        "verdicts_url": verdicts if judge_score(entry, signatures) else "",
        "is_whole": telling.is_whole,
        "metric": metric_named(telling.metric).label,
        "same_signature": explanations.signature_now(revision) == shown.signature,
    }
