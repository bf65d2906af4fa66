"""The rows of the tables of an export, read in chunks, so that memory does not grow with the study."""

import datetime
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from humaneval.models import (
    AnswerRevision,
    Assignment,
    Contact,
    ItemCheck,
    ItemOrigin,
    Mark,
    Participant,
    Preference,
    ReaderTab,
    SavedPassage,
    Search,
    Study,
    Visit,
    Vote,
)
from humaneval.results.answer_measures import answer_measures, visited_of
from humaneval.results.item_votes import outcome_of
from humaneval.results.pair_choices import FOR_LEFT, category_of, judged_of, systems_of
from humaneval.results.public_outcome import reasons_of, votes_of
from humaneval.studies.evidence_measures import AnswerMeasures, gold_of, passes, steps_of, total_seconds
from humaneval.studies.ratings import questions_of, rating_of
from scoring import queries as scoring_queries
from scoring.models import Run, Score
from scoring.models.run_states import RunState
from scoring.runs import withdrawals

Row = dict[str, Any]
CHUNK: Final = 200


def does_count(person: Participant) -> bool:
    """Whether a participant's answers count: those who consented and neither were excluded nor withdrew."""
    return bool(person.consented_at and not person.excluded_at and not person.withdrawn_at)


def _given(study: Study) -> Iterator[list[Assignment]]:
    """The assignments of a study, by participant and position, in chunks of 200."""
    rows = Assignment.objects.filter(participant__study=study, participant__is_preview=False)
    keys = list(rows.order_by("participant__number", "position").values_list("pk", flat=True))
    for start in range(0, len(keys), CHUNK):
        related = Assignment.objects.select_related("question", "participant", "item__question")
        found = related.in_bulk(keys[start : start + CHUNK])
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
        "id": one.qid,
    }


def participants_rows(study: Study) -> Iterator[Row]:
    people = study.participants.filter(is_preview=False).select_related("consent").order_by("number")
    seconds: dict[Any, list[float | None]] = defaultdict(list)
    tallies: dict[Any, Counter[str]] = defaultdict(Counter)
    for chunk in _given(study):
        for one in chunk:
            tallies[one.participant_id].update(_tally(one))
            seconds[one.participant_id].append(one.active_seconds)
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
            "active_seconds": total_seconds(seconds[person.pk]),
        }


def _tally(one: Assignment) -> dict[str, int]:
    if one.attention_check is not None:
        return {"checks": 1, "passed": int(passes(one.attention_check, one.text))}
    return {"questions": 1, "answered": int(bool(one.text.strip())), "done": int(one.done_at is not None)}


def answers_rows(study: Study) -> Iterator[Row]:
    for chunk in _given(study):
        for one in chunk:
            check = one.attention_check
            yield {
                **_who(one),
                "counts": does_count(one.participant) and check is None and bool(one.text.strip()),
                "question": one.asked_text,
                "answer": one.text,
                "version": one.version,
                "done": one.done_at is not None,
                "skipped": one.skipped_at is not None,
                "attention_check_passed": passes(check, one.text) if check is not None else None,
                "note": one.note,
            }


def revisions_rows(study: Study) -> Iterator[Row]:
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


def visits_rows(study: Study) -> Iterator[Row]:
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
                    "n_reloads": visit.n_reloads,
                }


def searches_rows(study: Study) -> Iterator[Row]:
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
                    "n_reloads": search.n_reloads,
                }


def passages_rows(study: Study) -> Iterator[Row]:
    for chunk in _given(study):
        passages = _children(SavedPassage.objects.order_by("saved_at", "pk"), chunk)
        for one in chunk:
            for passage in passages[one.pk]:
                yield {
                    **_who(one),
                    "title": passage.title,
                    "page_id": passage.page_id,
                    "revision_id": passage.revision_id,
                    "url": passage.url,
                    "text": passage.text,
                    "note": passage.note,
                    "saved_at": passage.saved_at,
                    "removed_at": passage.removed_at,
                }


def tabs_rows(study: Study) -> Iterator[Row]:
    for chunk in _given(study):
        tabs = _children(ReaderTab.objects.order_by("opened_at", "pk"), chunk)
        for one in chunk:
            for tab in tabs[one.pk]:
                yield {
                    **_who(one),
                    "title": tab.title,
                    "opened_at": tab.opened_at,
                    "shown_at": tab.shown_at,
                    "place": tab.place,
                }


def _search_numbers(chunk: list[Assignment]) -> dict[int, int]:
    grouped = _children(Search.objects.order_by("at", "pk").only("assignment"), chunk)
    return {search.pk: number for found in grouped.values() for number, search in enumerate(found, start=1)}


def timings_rows(study: Study) -> Iterator[Row]:
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


def measures_rows(study: Study) -> Iterator[Row]:
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


def grades_rows(study: Study) -> Iterator[Row]:
    """Rows from the latest answer set: one for each answer and score."""
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


def items_rows(study: Study) -> Iterator[Row]:
    """Rows of every item, also those that were injected or have a known outcome."""
    outcome = {row.item.pk: row for row in outcome_of(study).rows}
    for item in study.items.select_related("question").order_by("key").iterator(chunk_size=CHUNK):
        row = outcome.get(item.pk)
        yield {
            "item": item.key,
            "id": item.qid,
            "answer": item.candidate,
            "passage_title": item.passage_title,
            "passage_text": item.passage_text,
            "origin": item.origin,
            "qualification": item.is_qualification,
            "known": item.supported,
            "n_yes": row.votes[Vote.YES] if row else None,
            "n_no": row.votes[Vote.NO] if row else None,
            "n_unclear": row.votes[Vote.UNCLEAR] if row else None,
            "accepted_by_votes": row.by_votes if row else None,
            "in_sample": row.in_sample if row else None,
            "checked": row.checked if row else None,
            "accepted": row.accepted if row else None,
        }


def votes_rows(study: Study) -> Iterator[Row]:
    """Rows of every vote, also of participants whose votes do not count."""
    qualified = {voter.code for voter in outcome_of(study).voters if voter.qualified}
    for chunk in _given(study):
        for one in chunk:
            if one.item is not None and one.text:
                yield {
                    **_who(one),
                    "item": one.item.key,
                    "vote": one.text,
                    "injected": one.item.origin == ItemOrigin.INJECTED,
                    "qualification": one.item.is_qualification,
                    "counts": one.participant.code in qualified,
                    "saved_at": one.saved_at,
                }


def checks_rows(study: Study) -> Iterator[Row]:
    """Rows of every verdict of the team, with those that were replaced."""
    checks = ItemCheck.objects.filter(item__study=study).select_related("item", "author").order_by("made_at", "pk")
    for check in checks.iterator(chunk_size=CHUNK):
        author = check.author.get_username() if check.author is not None else ""
        yield {"item": check.item.key, "supported": check.supported, "by": author, "made_at": check.made_at}


def pairs_rows(study: Study) -> Iterator[Row]:
    """Rows of every pair, also of the injected ones."""
    names = systems_of(study)
    items = study.items.exclude(first_set=None).select_related("question").order_by("key")
    for item in items.iterator(chunk_size=CHUNK):
        yield {
            "item": item.key,
            "id": item.qid,
            "question": item.question_text,
            "category": category_of(item),
            "first": names.get(item.first_set_id, "") if item.first_set_id else "",
            "second": names.get(item.second_set_id, "") if item.second_set_id else "",
            "first_answer_set": str(item.first_set_id),
            "second_answer_set": str(item.second_set_id),
            "first_answer": item.candidate,
            "second_answer": item.other,
            "injected": item.origin == ItemOrigin.INJECTED,
        }


def choices_rows(study: Study) -> Iterator[Row]:
    """Rows of every choice, also of participants whose choices do not count."""
    for chunk in _given(study):
        for one in chunk:
            if one.item is not None and one.item.is_pair and one.text:
                outcome = FOR_LEFT[Preference(one.text)]
                yield {
                    **_who(one),
                    "item": one.item.key,
                    "swapped": one.swapped,
                    "choice": one.text,
                    "for_first": 1 - outcome if one.swapped else outcome,
                    "injected": one.item.origin == ItemOrigin.INJECTED,
                    "counts": does_count(one.participant),
                    **_critique(one.critique),
                    "saved_at": one.saved_at,
                }


def public_votes_rows(study: Study) -> Iterator[Row]:
    """Rows of every public vote, also of those that do not count; visitors without their cookies' numbers."""
    votes = votes_of(study)
    reasons = reasons_of(votes)
    numbers = {visitor: n for n, visitor in enumerate(dict.fromkeys(one.visitor for one in votes), start=1)}
    for one in votes:
        outcome = FOR_LEFT[Preference(one.vote)]
        yield {
            "item": one.item.key,
            "visitor": f"V-{numbers[one.visitor]}",
            "swapped": one.swapped,
            "choice": one.vote,
            "for_first": 1 - outcome if one.swapped else outcome,
            "seconds": one.seconds,
            "left_out": reasons.get(one.pk, ""),
            "made_at": one.made_at,
        }


def _critique(critique: Row) -> Row:
    said = {place: critique.get(place, {}) for place in ("left", "right")}
    marks = {f"{place}_{name}": said[place].get(name, []) for place in said for name in Mark.values}
    return {f"{place}_score": said[place].get("score") for place in said} | marks


def judge_comparisons_rows(study: Study) -> Iterator[Row]:
    """Rows of what the judge found on the systems of a study: one for each pair of systems and question."""
    for pair in judged_of(study):
        both = np.all(pair.answered, axis=1).tolist()
        values = zip(pair.qids, pair.preferences.tolist(), pair.judged.tolist(), both, strict=True)
        for qid, (first, second), judged, answered in values:
            yield {
                "id": qid,
                "first_answer_set": str(pair.first),
                "second_answer_set": str(pair.second),
                "first_shown_first": None if math.isnan(first) else first,
                "second_shown_first": None if math.isnan(second) else second,
                "judged": judged,
                "both_answered": answered,
            }


def texts_rows(study: Study) -> Iterator[Row]:
    for item in study.items.order_by("key").iterator(chunk_size=CHUNK):
        yield {"item": item.key, "id": item.name, "group": item.group, "text": item.passage_text}


def ratings_rows(study: Study) -> Iterator[Row]:
    """Rows of every answer about a text, also of participants whose ratings do not count."""
    questions = {question.name: question for question in questions_of(study)}
    for chunk in _given(study):
        for one in chunk:
            for name, answer in rating_of(one.text).items() if one.item is not None else ():
                yield {
                    **_who(one),
                    "item": one.item.key if one.item is not None else "",
                    "group": one.item.group if one.item is not None else "",
                    "question": name,
                    "answer": answer,
                    "score": questions[name].score_of(answer),
                    "counts": does_count(one.participant),
                    "saved_at": one.saved_at,
                }


def contacts_rows(study: Study) -> Iterator[Row]:
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
