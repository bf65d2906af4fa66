"""Stale results after withdrawals and exclusions: scores, and a leaderboard row, that include answers which no longer
count."""

from collections import Counter
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from humaneval.models import Study
from humaneval.models.exclusion_rules import in_words
from humaneval.studies.exclusions import excluded_by_rule
from humaneval.studies.queries import counted_answers, source_of
from leaderboard.models import Entry, EntryKind
from scoring.models import Run
from scoring.models.run_states import ACTIVE


def withdrawn_since(study: Study) -> dict[str, Any] | None:
    """The withdrawn or excluded answers in a study's published answer set, or in its latest if none is published, and
    how to update the results; or only that a row graded by hand is older than a withdrawal (``graded``). None if
    neither applies. Three queries, or six; four more with exclusion rules."""
    rules = excluded_by_rule(study)
    by_hand_or_rule = Q(excluded_at__isnull=False) | Q(pk__in=rules)
    people = study.participants.filter(by_hand_or_rule, is_preview=False, consented_at__isnull=False, withdrawn_at=None)
    excluded = {person.code: person for person in people.order_by("number")}
    gone = Q(answer_set__answers__withdrawn_at__isnull=False)
    of_excluded = Q(answer_set__answers__participant__in=excluded)
    results = study.results.annotate(
        n_withdrawn=Count("answer_set__answers", filter=gone),
        n_who_withdrew=Count("answer_set__answers__participant", filter=gone, distinct=True),
        n_excluded=Count("answer_set__answers", filter=of_excluded & ~gone),
        is_on_board=Exists(Entry.objects.filter(answer_set=OuterRef("answer_set"), replaced_at=None)),
        is_moving=Exists(Run.objects.filter(answer_set=OuterRef("answer_set"), state__in=ACTIVE)),
    ).order_by("made_at", "pk")
    numbered = list(enumerate(results, start=1))
    shown = next((row for row in numbered if row[1].is_on_board), numbered[-1] if numbered else None)
    rows = Entry.objects.filter(kind=EntryKind.GRADED, source=source_of(study), replaced_at=None)
    graded_at = rows.values_list("published_at", flat=True).first()
    withdrew = study.participants.filter(consented_at__isnull=False, withdrawn_at__gt=graded_at) if graded_at else None
    graded = withdrew is not None and withdrew.exists()
    if shown is None or not shown[1].n_withdrawn + shown[1].n_excluded:
        return {"graded": True, "newer": None} if graded else None
    number, result = shown
    later = (row for row in reversed(numbered) if row[0] > number)
    taken_out = result.answer_set.answers.filter(participant__in=excluded, withdrawn_at=None)
    per_person = Counter(taken_out.values_list("participant", flat=True))
    newer = next((row for row in later if not row[1].n_withdrawn + row[1].n_excluded), None)
    return {
        "number": number,  # of the answer set, from 1
        "on_board": result.is_on_board,  # readers see numbers that include these answers
        "n_answers": result.n_withdrawn,
        "n_people": result.n_who_withdrew,
        "n_excluded": result.n_excluded,
        # Of each excluded participant, by code: the reason, or the rule in words, and the number of answers.
        "excluded": [
            (
                code,
                in_words(rules[person.pk], study.exclusion_rules[rules[person.pk]])
                if person.pk in rules
                else person.exclusion_reason,
                per_person[code],
            )
            for code, person in excluded.items()
            if per_person[code]
        ],
        "n_all": result.n_withdrawn + result.n_excluded,
        "newer": newer[0] if newer else None,  # a later answer set without them
        "newer_moving": newer is not None and newer[1].is_moving,
        "anybody_left": counted_answers(study).exists(),  # so that another set can be made
        "graded": graded,
    }
