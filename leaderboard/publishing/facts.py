"""Changing what a system states of itself: its name, authors, link, model, cost and the like.

A change is of a system, or of a submission that is not on a board under its name. The rows are changed, each change has
its history (`FactsChange`), and the boards that show it are written again. No score, rank or snapshot changes. A system
and its submissions change together, so that publishing one of these again does not bring the old facts back. A
pseudonym has no facts to change: those of its submission are changed, and of these it shows what its owner disclosed.

A fact has the name of its form field: a column, an attribute, ``run_facts.NAME``, or what the answers of a row took,
``usage.BENCHMARK.SPLIT.SETTING.NAME``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.db.models import Q

from leaderboard.board.staleness import mark_entries
from leaderboard.board.write import write_on_commit
from leaderboard.models import (
    SYSTEM_FIELDS,
    Entry,
    EntryKind,
    FactsChange,
    PublicationState,
    Submission,
    System,
    User,
)
from leaderboard.operations import audit
from leaderboard.publishing import names, pseudonyms
from leaderboard.publishing.changing import record_event
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.systems import free_slug, published_system
from scoring.benchmarks.facts import FROM_LOG
from scoring.models import AnswerBlock, AnswerSet, Usage

RUN_FACTS, USAGE = "run_facts.", "usage."
COLUMNS: Final = tuple(name for name in SYSTEM_FIELDS if name not in ("attributes", "run_facts"))
UNDER_REVIEW: Final = "A maintainer reviews the publication under this name. Withdraw the request before you rename it."
NAME_IN_USE: Final = "You have another system with this name. A maintainer can merge the two."
NAME_OF_OTHERS: Final = "Another system on the boards, or in published results, has this name. Ask a maintainer."
BUSY: Final = "Another system is being given this name at the moment. Try again."

Subject = System | Submission
Values = Mapping[str, Any]
"""Values by the name of the fact; None where it is not stated."""


def subject_of(submission: Submission) -> Subject:
    """Owner of a submission's facts: the system's that it is or was on a board as, else its own. One query."""
    return published_system(submission) or submission


def stated_by(row: Subject) -> dict[str, Any]:
    """The facts that a system or submission states in its own columns, by name; empty texts are not stated."""
    values: dict[str, Any] = {name: getattr(row, name) or None for name in COLUMNS}
    values |= row.attributes
    return values | {f"{RUN_FACTS}{name}": value for name, value in row.run_facts.items() if name != FROM_LOG}


def usages_of(subject: Subject) -> dict[str, AnswerSet]:
    """The answer sets of a system's rows, or of a submission's files, that may state what they took: by the beginning
    of the names of these facts. Four queries at most."""
    if isinstance(subject, System):
        entries = Entry.objects.of_systems(subject.slug).filter(kind=EntryKind.SCORED, replaced_at=None)
        keys = list(entries.values_list("answer_set", flat=True))
    else:
        keys = list(subject.files.filter(replaced_at=None).values_list("answer_set", flat=True))
    answer_sets = AnswerSet.objects.filter(pk__in=keys).select_related("split__benchmark", "setting", "usage")
    return {
        f"{USAGE}{of.split.benchmark.slug}.{of.split.slug}.{of.setting.slug}.": of
        for of in answer_sets.order_by("split__position", "setting__position", "created_at", "pk")
    }


def totals_of(answer_set: Any) -> dict[str, Any]:
    """Totals that are stated of an answer set, loaded with its usage."""
    usage = getattr(answer_set, "usage", None)
    return dict(usage.totals) if usage is not None else {}


def edited(subject: Subject) -> set[str]:
    """The facts of a system or submission that somebody edited: no import changes them. One query."""
    return {name for changes in subject.changes.values_list("changes", flat=True) for name in changes}


@transaction.atomic
def change_facts(subject: Subject, values: Values, *, actor: User, by_maintainer: bool = False) -> dict[str, list[Any]]:
    """Change some facts of a system or submission; returns each one that changed with its old and new value.

    Args:
        values: valid values, by fact.
        by_maintainer: a maintainer may give the name that another system has.

    Raises:
        SubmissionError: the name cannot be given to it; the message says why. Nothing is changed.
    """
    if isinstance(subject, System):
        subject = System.objects.select_for_update(of=("self",)).get(pk=subject.pk)
    else:
        subject = Submission.objects.select_for_update(of=("self",)).get(pk=subject.pk)
    if isinstance(subject, System) and (subject.is_pseudonym or subject.is_human):
        raise SubmissionError("A pseudonym, or a row of people, has no facts to change.")
    answer_sets = usages_of(subject)
    before = current(subject, answer_sets)
    changes = {name: [before.get(name), value] for name, value in values.items() if before.get(name) != value}
    if not changes:
        return {}
    if "name" in changes:
        _require_name(subject, str(values["name"]), by_maintainer=by_maintainer)
    system = subject if isinstance(subject, System) else None
    former = _rename(system, str(values["name"])) if system is not None and "name" in changes else ""
    _write_usage(changes, answer_sets)
    submissions = _statements_of(subject)
    rows: list[Subject] = [*([system] if system is not None else []), *submissions]
    for row in rows:
        own = stated_by(row)
        of_row = {name: [own.get(name), new] for name, (_, new) in changes.items() if own.get(name) != new}
        _write(row, {name: new for name, (_, new) in of_row.items() if not name.startswith(USAGE)})
        kept = changes if row == subject else {name: it for name, it in of_row.items() if not name.startswith(USAGE)}
        if not kept:
            continue
        FactsChange.objects.create(
            system=row if isinstance(row, System) else None,
            submission=row if isinstance(row, Submission) else None,
            actor=actor,
            actor_name=actor.get_username(),
            changes=kept,
            former_slug=former if isinstance(row, System) else "",
        )
        if isinstance(row, Submission):
            record_event(row, actor, "facts_changed", f"Facts changed: {', '.join(kept)}.")
    if system is not None:
        audit.record(actor, "system.facts_changed", f"system {system.slug}", f"Facts changed: {', '.join(changes)}.")
    _show(subject)
    return changes


def fill(subject: Subject, values: Values, *, actor: str) -> list[str]:
    """State what an official file states and nobody stated or edited before; returns the names of these facts."""
    known, kept = stated_by(subject), edited(subject)
    new = {
        name: value
        for name, value in values.items()
        if value not in (None, "") and known.get(name) is None and name not in kept
    }
    if new:
        _write(subject, new)
        kind = "system" if isinstance(subject, System) else "submission"
        audit.record(actor, f"{kind}.facts_filled", f"{kind} {subject.pk}", f"Facts filled: {', '.join(new)}.")
        _show(subject)
    return list(new)


def known_as(name: str, **of: Any) -> System | None:
    """The system with a name, or else the one that was renamed from it, among those with some fields."""
    systems = System.objects.filter(is_pseudonym=False, **of)
    return systems.filter(name=name).first() or systems.filter(changes__changes__name__0=name).first()


def names_of(system: System) -> set[str]:
    """The names that a system has and had. One query, or none if its changes are loaded."""
    return {system.name, *(str(row.changes["name"][0]) for row in system.changes.all() if "name" in row.changes)}


def original_of(submission: Submission) -> dict[str, Any]:
    """Facts that a submission stated when it was sent, without the changes since. One query."""
    values = stated_by(submission)
    for changes in submission.changes.order_by("-at", "-pk").values_list("changes", flat=True):
        values |= {name: old for name, (old, _) in changes.items() if not name.startswith(USAGE)}
    return {name: value for name, value in values.items() if value is not None}


def current(subject: Subject, answer_sets: Mapping[str, Any]) -> dict[str, Any]:
    """All facts of a subject as they are now, by name; *answer_sets* are its `usages_of`."""
    values = stated_by(subject)
    for place, answer_set in answer_sets.items():
        values |= {f"{place}{name}": value for name, value in totals_of(answer_set).items()}
    return values


def _require_name(subject: Subject, name: str, *, by_maintainer: bool) -> None:
    owner, team = subject.owner, subject.team
    system = subject if isinstance(subject, System) else None
    if isinstance(subject, Submission):
        if subject.publications.filter(state__in=(PublicationState.PENDING, PublicationState.JOINING)).exists():
            raise SubmissionError(UNDER_REVIEW)
        if pseudonyms.current_pseudonym(subject) is None:
            return  # its name is checked when it is published
    refused = names.why_refused(name, owner=owner, team=team, but=system)
    if refused:
        raise SubmissionError(refused)
    if by_maintainer:
        return
    if names.same_names(name, owner=owner, team=team, but=system) or names.is_published(name):
        raise SubmissionError(NAME_OF_OTHERS)
    party = {"team": team} if team else {"team": None, "owner": owner}
    if system is not None and System.objects.filter(name=name, is_pseudonym=False, **party).exclude(pk=system.pk):
        raise SubmissionError(NAME_IN_USE)


def _rename(system: System, name: str) -> str:
    """Give a system the address of its new name; returns the one that it had, empty if it keeps it."""
    before, slug = system.slug, free_slug(name, of=system)
    if slug == before:
        return ""
    try:
        with transaction.atomic():
            System.objects.filter(pk=system.pk).update(slug=slug)
    except IntegrityError as error:
        raise SubmissionError(BUSY) from error
    system.slug = slug
    return before


def _statements_of(subject: Subject) -> list[Submission]:
    """The submissions whose statements are a subject's: those that were on a board as this system, or it itself."""
    if isinstance(subject, Submission):
        return [subject]
    rows = Submission.objects.filter(pk__in=subject.entries.filter(submission__isnull=False).values("submission"))
    # Locked in one order, against deadlocks.
    return list(rows.select_for_update(of=("self",)).order_by("pk"))


def _write(row: Subject, values: Values) -> None:
    """Write facts into the columns of a row."""
    run_facts, attributes, changed = dict(row.run_facts), dict(row.attributes), {"run_facts", "attributes"}
    for name, value in values.items():
        if name in COLUMNS:
            setattr(row, name, value if value is not None else "")
            changed.add(name)
            continue
        into, key = (run_facts, name.removeprefix(RUN_FACTS)) if name.startswith(RUN_FACTS) else (attributes, name)
        into.pop(key, None)
        if value is not None:
            into[key] = value
    read = [name for name in str(run_facts.pop(FROM_LOG, "")).split() if f"{RUN_FACTS}{name}" not in values]
    row.run_facts = run_facts | ({FROM_LOG: " ".join(read)} if read else {})
    row.attributes = attributes
    if "name" in changed:
        changed.add("name_skeleton")
    row.save(update_fields=[*changed, *(["updated_at"] if isinstance(row, System) else [])])


def _write_usage(changes: Mapping[str, Any], answer_sets: Mapping[str, Any]) -> None:
    for place, answer_set in answer_sets.items():
        new = {name.removeprefix(place): it[1] for name, it in changes.items() if name.startswith(place)}
        if not new:
            continue
        totals = {name: value for name, value in (totals_of(answer_set) | new).items() if value is not None}
        totals.setdefault("n_answers", len(AnswerBlock.objects.attempts_of(answer_set)))
        Usage.objects.update_or_create(answer_set=answer_set, defaults={"totals": totals})


def _show(subject: Subject) -> None:
    """Write the boards that show a subject, as soon as the change is committed."""
    if isinstance(subject, Submission):
        pseudonym = pseudonyms.current_pseudonym(subject)
        if pseudonym is not None:  # it shows the changed facts that its owner discloses
            until, shows_traits = pseudonym.anonymous_until, pseudonym.shows_traits
            pseudonyms.pseudonym_of(subject, until=until, shows_traits=shows_traits)
        rows = Entry.objects.filter(submission=subject, replaced_at=None)
    else:
        rows = Entry.objects.filter(Q(system=subject) | Q(system__same_as=subject), replaced_at=None)
    mark_entries(rows)
    boards: Iterable[tuple[int, int]] = rows.order_by().values_list("split", "setting").distinct()
    write_on_commit(list(boards))
