"""The tables of an export: what each field means, and its rows. The README is made of these same words."""

import datetime
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from humaneval.models import AnswerRevision, Assignment, Contact, Participant, Search, Study, Visit
from humaneval.results.timeline import answer_measures, visited_of
from humaneval.studies.evidence_measures import AnswerMeasures, gold_of, passes, steps_of
from scoring import queries as scoring_queries
from scoring.models import Run, Score
from scoring.models.run_states import RunState
from scoring.runs import withdrawals

Row = dict[str, Any]
CHUNK: Final = 200
WHO: Final = {
    "participant": "The participant's code, such as P-01.",
    "position": "The place of the question in the participant's session, from 1.",
    "id": "The question's id in the benchmark; empty for an attention check.",
}


@dataclass(frozen=True)
class Table:
    """One table: its name, what a row is, its fields with what they mean, and how to read its rows."""

    name: str
    about: str
    fields: Mapping[str, str]
    rows: Callable[[Study], Iterator[Row]]
    personal: bool = False
    """Whether it says who somebody is: left out unless it is asked for."""
    graded: bool = False
    """Whether it tells about the reference answers: left out where the reader may not see that."""


def tables_of(*, with_contacts: bool, with_grades: bool) -> list[Table]:
    """The tables of an export."""
    return [table for table in TABLES if (with_contacts or not table.personal) and (with_grades or not table.graded)]


def does_count(person: Participant) -> bool:
    """Whether somebody's answers count: who consented and was neither excluded nor withdrew."""
    return bool(person.consented_at and not person.excluded_at and not person.withdrawn_at)


def _given(study: Study) -> Iterator[list[Assignment]]:
    """The assignments of a study, by participant and position, in pieces of 200."""
    rows = Assignment.objects.filter(participant__study=study, participant__is_preview=False)
    keys = list(rows.order_by("participant__number", "position").values_list("pk", flat=True))
    for start in range(0, len(keys), CHUNK):
        found = Assignment.objects.select_related("question", "participant").in_bulk(keys[start : start + CHUNK])
        yield [found[key] for key in keys[start : start + CHUNK] if key in found]


def _children(rows: Any, given: list[Assignment]) -> dict[int, list[Any]]:
    grouped: dict[int, list[Any]] = defaultdict(list)
    for row in rows.filter(assignment__in=given):
        grouped[row.assignment_id].append(row)
    return grouped


def _who(one: Assignment) -> Row:
    return {
        "participant": one.participant.code,
        "position": one.position,
        "id": one.question.qid if one.question is not None else "",
    }


# --- Rows ----------------------------------------------------------------------------------------------------------


def _participants(study: Study) -> Iterator[Row]:
    people = study.participants.filter(is_preview=False).select_related("consent").order_by("number")
    seconds: dict[Any, float] = defaultdict(float)
    tallies: dict[Any, Counter[str]] = defaultdict(Counter)
    for chunk in _given(study):
        for one in chunk:
            tallies[one.participant_id].update(_tally(one))
            seconds[one.participant_id] += one.active_seconds
    for person in people:
        tally = tallies[person.pk]
        yield {
            "participant": person.code,
            "counts": does_count(person),
            "joined_at": person.joined_at,
            "consented_at": person.consented_at,
            "consent_version": person.consent.number if person.consent is not None else None,
            "declined_at": person.declined_at,
            "instructed_at": person.instructed_at,
            "practised_at": person.practised_at,
            "finished_at": person.finished_at,
            "withdrawn_at": person.withdrawn_at,
            "dropped_at": person.dropped_at,
            "excluded_at": person.excluded_at,
            "exclusion_reason": person.exclusion_reason,
            "extended_until": person.extended_until,
            "last_seen_at": person.last_seen_at,
            "n_questions": tally["questions"],
            "n_answered": tally["answered"],
            "n_done": tally["done"],
            "n_attention_checks": tally["checks"],
            "n_attention_checks_passed": tally["passed"],
            "active_seconds": seconds[person.pk],
        }


def _tally(one: Assignment) -> dict[str, int]:
    if one.attention_check is not None:
        return {"checks": 1, "passed": int(passes(one.attention_check, one.text))}
    return {"questions": 1, "answered": int(bool(one.text.strip())), "done": int(one.done_at is not None)}


def _answers(study: Study) -> Iterator[Row]:
    for chunk in _given(study):
        for one in chunk:
            check = one.attention_check
            yield {
                **_who(one),
                "counts": does_count(one.participant) and one.question is not None and bool(one.text.strip()),
                "question": one.question.text if one.question is not None else str((check or {}).get("text", "")),
                "answer": one.text,
                "version": one.version,
                "done": one.done_at is not None,
                "skipped": one.skipped_at is not None,
                "attention_check_passed": passes(check, one.text) if check is not None else None,
                "note": one.note,
            }


def _revisions(study: Study) -> Iterator[Row]:
    for chunk in _given(study):
        saves = _children(AnswerRevision.objects.order_by("version"), chunk)
        for one in chunk:
            for save in saves[one.pk]:
                yield {
                    **_who(one),
                    "version": save.version,
                    "saved_at": save.saved_at,
                    "typed_at": save.typed_at,
                    "answer": save.text,
                }


def _visits(study: Study) -> Iterator[Row]:
    for chunk in _given(study):
        visits = _children(Visit.objects.order_by("opened_at", "pk"), chunk)
        numbers = _search_numbers(chunk)
        for one in chunk:
            gold = gold_of(one.question.evidence) if one.question is not None else []
            for visit, step in zip(visits[one.pk], steps_of(visited_of(visits[one.pk]), gold), strict=True):
                yield {
                    **_who(one),
                    "article": step.number,
                    "again": step.again,
                    "origin": visit.origin,
                    "search": numbers.get(visit.search_id) if visit.search_id is not None else None,
                    "rank": visit.rank,
                    "title": visit.title,
                    "page_id": visit.page_id,
                    "revision_id": visit.revision_id,
                    "url": visit.url,
                    "opened_at": visit.opened_at,
                    "visible_seconds": visit.visible_seconds,
                    "scrolled_share": visit.scrolled_share,
                    "used": visit.used,
                    "necessary": step.gold is not None,
                    "note": visit.note,
                }


def _searches(study: Study) -> Iterator[Row]:
    for chunk in _given(study):
        searches = _children(Search.objects.order_by("at", "pk"), chunk)
        for one in chunk:
            for number, search in enumerate(searches[one.pk], start=1):
                yield {
                    **_who(one),
                    "search": number,
                    "kind": search.kind,
                    "query": search.query,
                    "article": search.article,
                    "n_results": search.n_results,
                    "at": search.at,
                }


def _search_numbers(chunk: list[Assignment]) -> dict[int, int]:
    grouped = _children(Search.objects.order_by("at", "pk").only("assignment"), chunk)
    return {search.pk: number for found in grouped.values() for number, search in enumerate(found, start=1)}


def _timings(study: Study) -> Iterator[Row]:
    for chunk in _given(study):
        saves = _children(AnswerRevision.objects.order_by("version").only("assignment", "saved_at"), chunk)
        for one in chunk:
            times = [save.saved_at for save in saves[one.pk]]
            yield {
                **_who(one),
                "opened_at": one.opened_at,
                "first_saved_at": times[0] if times else None,
                "last_saved_at": times[-1] if times else None,
                "done_at": one.done_at,
                "skipped_at": one.skipped_at,
                "open_seconds": _seconds(one.opened_at, one.done_at or one.skipped_at),
                "active_seconds": one.active_seconds,
            }


def _seconds(begin: datetime.datetime | None, end: datetime.datetime | None) -> float | None:
    return (end - begin).total_seconds() if begin is not None and end is not None else None


def _measures(study: Study) -> Iterator[Row]:
    for chunk in _given(study):
        visits = _children(Visit.objects.order_by("opened_at", "pk"), chunk)
        searches = _children(Search.objects.only("assignment", "kind"), chunk)
        for one in chunk:
            measures = answer_measures(one, visits[one.pk], [search.kind for search in searches[one.pk]])
            if measures is not None:
                yield {**_who(one), **_measure_fields(measures)}


def _measure_fields(measures: AnswerMeasures) -> Row:
    return {
        "n_necessary": measures.n_gold,
        "n_necessary_visited": measures.n_gold_visited,
        "n_visited": measures.n_visited,
        "n_reported": measures.n_reported,
        "n_used": measures.n_used,
        "n_searches": measures.n_searches,
        "n_passage_searches": measures.n_passage_searches,
        "recall": measures.recall,
        "precision": measures.precision,
        "recall_used": measures.recall_used,
        "seconds_to_first_necessary": measures.seconds_to_first_gold,
        "first_necessary_article": measures.first_gold_number,
        "order": list(measures.gold_order),
        "missed": [gold.title for gold in measures.missed],
    }


def _grades(study: Study) -> Iterator[Row]:
    """Of the latest answer set: one row for each answer and score."""
    result = study.results.select_related("answer_set").order_by("-made_at", "-pk").first()
    if result is None:
        return
    runs = Run.objects.filter(answer_set=result.answer_set, state=RunState.DONE, repeat=0).select_related("revision")
    deleted = set(withdrawals.deleted_in(result.answer_set).values_list("qid", "participant"))
    for run in runs.order_by("metric", "signature"):
        items = scoring_queries.items_to_score(result.answer_set, run.revision)
        for score in Score.objects.filter(run=run).order_by("name"):
            vector = score.per_item
            if len(vector) != len(items):
                continue
            for qid, who, value in zip(items.qids, items.participants or (), vector, strict=True):
                if (qid, who) in deleted:
                    continue
                yield {
                    "participant": who,
                    "id": qid,
                    "metric": run.metric,
                    "score": score.name,
                    "value": float(value),
                    "signature": score.signature,
                }


def _contacts(study: Study) -> Iterator[Row]:
    contacts = Contact.objects.filter(invitation__study=study).select_related("invitation__participant")
    emails = {contact.invitation_id: contact.email for contact in contacts}
    links = study.invitations.select_related("participant").order_by("created_at", "pk")
    for link in links:
        person = link.participant
        if (person is not None and not person.is_preview) or link.pk in emails:
            yield {
                "participant": person.code if person is not None else "",
                "email": emails.get(link.pk, ""),
                "label": link.label,
                "receipt": person.receipt_code if person is not None else "",
            }


# --- What they are -------------------------------------------------------------------------------------------------

TABLES: Final = (
    Table(
        "participants",
        "Everybody who came, by code. Previews by maintainers are left out.",
        {
            "participant": WHO["participant"],
            "counts": "Whether the answers count: consented, not excluded, not withdrawn.",
            "joined_at": "When the link was first used.",
            "consented_at": "When the consent text was agreed to.",
            "consent_version": "Which consent text that was; study.json has them all.",
            "declined_at": "When it was declined.",
            "instructed_at": "When the instructions were left behind.",
            "practised_at": "When the practice question was left behind.",
            "finished_at": "When the participant finished.",
            "withdrawn_at": "When the participant withdrew; the answers are there only where they are kept anonymised.",
            "dropped_at": "When a maintainer gave up on the participant, and the seat became free.",
            "excluded_at": "When a maintainer excluded the participant: the answers are kept and do not count.",
            "exclusion_reason": "Why.",
            "extended_until": "Until when the participant may answer, if longer than the study is open.",
            "last_seen_at": "The last sign of the participant.",
            "n_questions": "Questions given.",
            "n_answered": "Of these, with an answer that is not blank.",
            "n_done": "Of these, marked done.",
            "n_attention_checks": "Attention checks given.",
            "n_attention_checks_passed": "Of these, passed: one of the expected answers stands in the text.",
            "active_seconds": "Seconds in which a question was visible and used within the last 60 s, all questions.",
        },
        _participants,
    ),
    Table(
        "answers",
        "Every question given, with the answer as it stands.",
        {
            **WHO,
            "counts": "Whether it is in the answer set: the participant counts, it is a question, and not blank.",
            "question": "The question's text, or the attention check's.",
            "answer": "The answer as it stands; empty if there is none.",
            "version": "How many times it was saved.",
            "done": "Whether it is marked done.",
            "skipped": "Whether it was skipped.",
            "attention_check_passed": "Of an attention check whether it was passed; empty for a question.",
            "note": "What the participant noted.",
        },
        _answers,
    ),
    Table(
        "revisions",
        "Every saved version of every answer.",
        {
            **WHO,
            "version": "From 1.",
            "saved_at": "When the server had it.",
            "typed_at": "When it was typed by the browser's clock, if it was sent later.",
            "answer": "The whole text.",
        },
        _revisions,
    ),
    Table(
        "visits",
        "Every article opened in the reader, or reported as read elsewhere.",
        {
            **WHO,
            "article": "The how-manieth different article of the question it is, from 1.",
            "again": "Whether it was opened before for the same question.",
            "origin": "How it was come to: result, suggestion, link, back, or reported (read elsewhere, as told).",
            "search": "The number of the search (in the table searches) whose result it was.",
            "rank": "The place among the results, from 1.",
            "title": "Its title.",
            "page_id": "MediaWiki's page id, where the source knows it.",
            "revision_id": "MediaWiki's revision id, where the source knows it.",
            "url": "Its address.",
            "opened_at": "When it was opened, or reported.",
            "visible_seconds": "How long it was visible.",
            "scrolled_share": "The furthest seen, 0 to 1.",
            "used": "Whether the participant ticked it as used.",
            "necessary": "Whether it is of the question's necessary evidence.",
            "note": "What the participant noted.",
        },
        _visits,
    ),
    Table(
        "searches",
        "Every search that was sent. Suggestions while typing are not kept.",
        {
            **WHO,
            "search": "Its number among the searches for the question, from 1.",
            "kind": "encyclopedia, or passages: of one article.",
            "query": "What was searched for.",
            "article": "The article, where passages were searched.",
            "n_results": "How much was found.",
            "at": "When.",
        },
        _searches,
    ),
    Table(
        "timings",
        "How long each question took, by the server's clock.",
        {
            **WHO,
            "opened_at": "When the question was first opened.",
            "first_saved_at": "When an answer was first saved.",
            "last_saved_at": "When it was last saved.",
            "done_at": "When it was marked done.",
            "skipped_at": "When it was skipped.",
            "open_seconds": "Between opening it and marking it done or skipping it, pauses of days included.",
            "active_seconds": "Of these, seconds with the page visible and used within the last 60 s.",
        },
        _timings,
    ),
    Table(
        "measures",
        "What the visits say of each answer, against the question's necessary evidence. Articles are compared by "
        "MediaWiki's page id where both have one, otherwise by title.",
        {
            **WHO,
            "n_necessary": "Different articles of the necessary evidence.",
            "n_necessary_visited": "Of these, visited.",
            "n_visited": "Different articles visited or reported.",
            "n_reported": "Of these, those only reported.",
            "n_used": "Of these, those ticked as used.",
            "n_searches": "Searches of the encyclopedia.",
            "n_passage_searches": "Searches of passages.",
            "recall": "n_necessary_visited / n_necessary; empty where there is no evidence.",
            "precision": "Necessary articles among those visited; empty where nothing was visited.",
            "recall_used": "Necessary articles ticked as used / n_necessary.",
            "seconds_to_first_necessary": "Between opening the question and opening the first necessary article.",
            "first_necessary_article": "The how-manieth different article that was, from 1.",
            "order": "The necessary articles visited, in the order of their first visit.",
            "missed": "The necessary articles that were not visited.",
        },
        _measures,
    ),
    Table(
        "grades",
        "What each answer of the latest answer set scored. Empty until that is scored.",
        {
            "participant": WHO["participant"],
            "id": "The question's id in the benchmark.",
            "metric": "The metric.",
            "score": "The name of the score.",
            "value": "The answer's own value; the study's score is the mean of these.",
            "signature": "How it was computed. Values of different signatures are not comparable.",
        },
        _grades,
        graded=True,
    ),
    Table(
        "contacts",
        "Who is who: mail addresses and reward receipts by code. Delete it once it is not needed.",
        {
            "participant": "The participant's code; empty if the link was not used yet.",
            "email": "The address that the link was made for.",
            "label": "The maintainer's label of the link.",
            "receipt": "The code on the participant's receipt, by which a reward is given.",
        },
        _contacts,
        personal=True,
    ),
)
