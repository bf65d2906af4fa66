"""Changing the facts of a system or submission by a request with JSON, and the history of these changes."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.access import is_maintainer, signed_in_user
from leaderboard.api.base import RefusedError
from leaderboard.api.paging import page_of
from leaderboard.api.serializers.systems import FactsChangeSerializer
from leaderboard.publishing import facts
from leaderboard.publishing.errors import SubmissionError
from leaderboard.submissions.facts import changed_form, values_of

REFUSED = "The facts cannot be changed so; nothing was changed."


def change(request: Request, subject: facts.Subject, then: Callable[[], Response]) -> Response:
    """Change the facts that a request names, all or none, and answer with the changed object; 422 with the errors by
    fact, 409 if the name cannot be given."""
    user = signed_in_user(request)
    sent = flat(request.data) if isinstance(request.data, dict) else None
    if sent is None:
        raise RefusedError(
            422, REFUSED, errors={NON_FIELD_ERRORS: ["Send an object of JSON with the facts to change."]}
        )
    form, errors = changed_form(subject, sent)
    if errors:
        raise RefusedError(422, REFUSED, errors=errors)
    try:
        facts.change_facts(subject, values_of(form, sent), actor=user, by_maintainer=is_maintainer(user))
    except SubmissionError as error:
        raise RefusedError(409, str(error)) from error
    subject.refresh_from_db()
    return then()


def history(request: Request, subject: facts.Subject) -> Response:
    shown, headers = page_of(request, subject.changes.all(), "-at", "-pk")
    return Response(FactsChangeSerializer(shown, many=True).data, headers=headers)


def flat(data: dict[str, Any]) -> dict[str, Any]:
    """The facts of a request by their names, without the objects that they are sent in."""
    sent: dict[str, Any] = {}
    for name, value in data.items():
        if name == "run_facts" and isinstance(value, dict):
            sent |= {f"{facts.RUN_FACTS}{key}": it for key, it in value.items()}
        elif name == "usage" and isinstance(value, dict):
            for place, totals in value.items():
                of_place = totals.items() if isinstance(totals, dict) else [("", totals)]
                sent |= {f"{facts.USAGE}{place}.{key}": it for key, it in of_place}
        else:
            sent[name] = value
    return sent
