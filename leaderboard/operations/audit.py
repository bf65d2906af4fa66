"""The audit log: append-only records of changes to the site, for maintainers."""

import re
import uuid
from typing import Any, Final

from django.core.cache import cache
from django.core.paginator import Paginator
from django.db import transaction
from django.http import QueryDict

from leaderboard.models import AuditRecord, Submission, User
from scoring.models import Run
from scoring.registry import metric_named

PAGE_SIZE = 50
ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""The id of a submission or run in the text of a record."""
OF_RUN: Final = ("answer_set__setting", "answer_set__split__benchmark", "answer_set__submission_file__submission")
"""The relations of a run that `run_in_words` reads."""
NUMBER_OF_NEEDS: Final = "number-of-needs"
"""Cache key of the number of things that need attention; what a maintainer does may change it."""


def record(actor: User | str, action: str, target: str, text: str = "") -> AuditRecord:
    """Record that *actor*, an account or a command by its name, did *action* to *target*, in the caller's transaction.

    Args:
        action: what was changed and how, for example ``submission.approved``; at most 60 characters.
        target: what it was done to, for example ``submission 3f2a…``; truncated after 200 characters.
        text: further details. No answer, no reference, no secret.
    """
    known = actor if isinstance(actor, User) else None
    transaction.on_commit(lambda: cache.delete(NUMBER_OF_NEEDS))
    name = actor.get_username() if isinstance(actor, User) else actor
    return AuditRecord.objects.create(actor=known, actor_name=name[:150], action=action, target=target[:200], text=text)


def audit_page(asked: QueryDict, *, with_links: bool = False) -> dict[str, Any]:
    """The audit log with the filters of a URL (``action``, ``actor``, ``page``), newest first. Four
    queries, and three if its records name objects by ids.

    Args:
        with_links: whether the reader may open all submissions, so that their names are links.

    Unknown filter values give an empty list; a page out of range gives the nearest page.
    """
    action, actor = asked.get("action", ""), asked.get("actor", "")
    filters = {name: value for name, value in (("action", action), ("actor_name", actor)) if value}
    records = AuditRecord.objects.filter(**filters)
    page = Paginator(records, PAGE_SIZE).get_page(asked.get("page"))
    # Submissions and runs whose ids are in the records. Their names are looked up, not stored, so that a
    # deleted account or submission leaves none behind.
    ids = {key for record in page.object_list for key in ID.findall(f"{record.target} {record.text}")}
    named: dict[uuid.UUID, tuple[str, Submission | None]] = {}
    for submission in Submission.objects.filter(pk__in=ids):
        named[submission.pk] = (str(submission), submission)
    for run in Run.objects.filter(pk__in=ids).select_related(*OF_RUN):
        file = getattr(run.answer_set, "submission_file", None)
        named[run.pk] = (run_in_words(run), file.submission if file else None)
    return {
        "page": page,
        "named": {
            str(pk): (name, submission.get_absolute_url() if with_links and submission else "")
            for pk, (name, submission) in named.items()
        },
        "actions": list(AuditRecord.objects.order_by("action").values_list("action", flat=True).distinct()),
        "actors": list(AuditRecord.objects.order_by("actor_name").values_list("actor_name", flat=True).distinct()),
        "action": action,
        "actor": actor,
        "filtered": bool(filters),
    }


def run_in_words(run: Run) -> str:
    """Metric and answers of a run, in words."""
    file = getattr(run.answer_set, "submission_file", None)
    of = file.submission if file else f"answers to {run.answer_set.split}"
    version = f", version {file.version}" if file and file.version > 1 else ""
    return f"{metric_named(run.metric).label} of {of}, {run.answer_set.setting.name.lower()}{version}"
