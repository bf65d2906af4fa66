"""The system under whose true name a submission is published.

It is the `System` that the submission had rows of before, even if that was renamed; else that of its owner or team with
the submission's name, which is created if there is none, with a slug that no other system has.
"""

import contextlib
from collections.abc import Collection

from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils.text import slugify

from leaderboard.attributes import restated
from leaderboard.models import SYSTEM_FIELDS, FactsChange, Submission, System
from leaderboard.publishing.errors import SubmissionError
from scoring.benchmarks import definition_of

SLUG_LENGTH = 100
MAX_SLUG_TRIES = 20
"""Number of times to look for a free slug when concurrent requests take the one that was found."""


def system_of(submission: Submission, *, keep_newer: bool = False) -> System:
    """The system of a submission under its true name, created if there is none, with the submission's metadata; an
    existing one keeps its name.

    Args:
        keep_newer: keep the metadata of a system that has a row on a board, since it may be newer.
    """
    fields = {name: getattr(submission, name) for name in SYSTEM_FIELDS}
    party = {"team": submission.team} if submission.team_id else {"team": None, "owner": submission.owner}
    named = System.objects.filter(name=submission.name, is_pseudonym=False, **party)
    system = published_system(submission) or named.first()
    if system is None:
        owner = {"owner": submission.owner, "team": submission.team}
        for _ in range(MAX_SLUG_TRIES):
            # Another process may take the slug after `free_slug` looked: then the savepoint ends and the next one is
            # tried.
            with contextlib.suppress(IntegrityError), transaction.atomic():
                return System.objects.create(slug=free_slug(fields["name"]), **owner, **fields)
        raise SubmissionError("Another system with this name is being published at the moment. Try again.")
    if keep_newer and system.entries.filter(replaced_at=None).exists():
        return system
    del fields["name"]  # a maintainer may have renamed it
    definition = definition_of(submission.split.benchmark.slug)
    fields["attributes"] = restated(system.attributes, submission.attributes, definition)
    fields["run_facts"] = submission.run_facts or system.run_facts
    if submission.files.filter(imported=True).exists():  # an import changes nothing that somebody edited
        kept = {name for changes in system.changes.values_list("changes", flat=True) for name in changes}
        fields = {name: value for name, value in fields.items() if name not in kept}
        for column, prefix in (("attributes", ""), ("run_facts", "run_facts.")):
            values = {name: value for name, value in fields[column].items() if f"{prefix}{name}" not in kept}
            of_edits = {name: value for name, value in getattr(system, column).items() if f"{prefix}{name}" in kept}
            fields[column] = values | of_edits
    for name, value in fields.items():
        setattr(system, name, value)
    system.save(update_fields=[*fields, "updated_at"])
    return system


def published_system(submission: Submission) -> System | None:
    """The system that a submission's rows belong to, or belonged to when it was last on a board; None if it never was,
    or only under a pseudonym. Of several, the oldest row's. One query."""
    rows = submission.entries.filter(system__is_pseudonym=False).select_related("system")
    row = rows.order_by(F("replaced_at").desc(nulls_first=True), "pk").first()
    return row.system if row is not None else None


def free_slug(name: str, of: System | None = None) -> str:
    """A slug that no other system has or had: its name in ASCII, numbered if taken.

    Args:
        of: the system that gets it, which may keep its own and return to an earlier one.
    """
    base = slugify(name)[:SLUG_LENGTH].strip("-") or "system"
    present = System.objects.filter(slug__startswith=base)
    former = FactsChange.objects.filter(former_slug__startswith=base)
    if of is not None:
        present, former = present.exclude(pk=of.pk), former.exclude(system=of)
    return numbered(base, {*present.values_list("slug", flat=True), *former.values_list("former_slug", flat=True)})


def numbered(slug: str, taken: Collection[str]) -> str:
    """A slug, with a number from 2 if it is taken.

    >>> numbered("people", {"people", "people-2"})
    'people-3'
    """
    numbers = (f"{slug}-{number}" for number in range(2, len(taken) + 3))
    return slug if slug not in taken else next(other for other in numbers if other not in taken)
