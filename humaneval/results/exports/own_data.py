"""What is recorded about one participant, for the participant."""

from typing import Any, Final

from django.db.models import Model

from humaneval.models import Assignment, Contact, Participant

OF_PARTICIPANT: Final = (
    *("code", "receipt_code", "joined_at", "consented_at", "agrees_to_publication", "declined_at", "instructed_at"),
    *("practised_at", "finished_at", "withdrawn_at", "dropped_at", "last_seen_at", "reminded_at"),
    *("extended_until", "excluded_at", "exclusion_reason", "rehearsed_at", "attempts"),
    *("platform_id", "platform_key"),
)
OF_ANSWER: Final = (
    *("position", "asked_text", "text", "note", "critique", "opened_at", "saved_at", "done_at", "skipped_at"),
    *("active_seconds", "swapped", "named_at"),
)
OF_REVISION: Final = ("version", "text", "typed_at", "saved_at")
OF_SEARCH: Final = ("kind", "query", "article", "n_results", "at", "n_reloads")
OF_VISIT: Final = (
    *("title", "url", "origin", "rank", "opened_at", "visible_seconds", "scrolled_share", "used", "n_reloads"),
)
OF_TAB: Final = ("title", "opened_at", "shown_at", "place")


def data_of(participant: Participant) -> dict[str, Any]:
    """Everything that is recorded about a participant, as `json` writes it but for times. Seven queries.

    It does not say which questions and items are checks: nobody who takes part is told.
    """
    consent = participant.consent
    emails = Contact.objects.filter(invitation__participant=participant)
    rows = participant.assignments.select_related("question", "item__question").order_by("position")
    return {
        "study": participant.study.name,
        **_fields(participant, OF_PARTICIPANT),
        "email": list(emails.values_list("email", flat=True)),
        "consent": _fields(consent, ("number", "text", "on_withdrawal")) if consent is not None else None,
        "answers": [_answer(row) for row in rows.prefetch_related("revisions", "searches", "visits", "tabs")],
    }


def _answer(row: Assignment) -> dict[str, Any]:
    # Questions that were never opened are not told: who failed the test before them has not seen them.
    unseen = {"asked_text": ""} if row.opened_at is None else {}
    return {
        **_fields(row, OF_ANSWER),
        **unseen,
        "versions": [_fields(one, OF_REVISION) for one in row.revisions.all()],
        "searches": [_fields(one, OF_SEARCH) for one in row.searches.all()],
        "visits": [_fields(one, OF_VISIT) for one in row.visits.all()],
        "tabs": [_fields(one, OF_TAB) for one in row.tabs.all()],
    }


def _fields(thing: Model, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(thing, name) for name in names}
