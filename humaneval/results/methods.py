"""The methods paragraph of a paper about a study or a grading round, written from what is stored.

The sentences are templates in ``templates/humaneval/methods/``, one for each paragraph; a sentence is left out where
nothing is known. Counts of people, times and rules are for everybody who manages the study; agreement and passed checks
are left out where the page of scores shows none.
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.text import get_text_list

from humaneval.models import Assignment, InvitationKind, ItemOrigin, Kind, SamplingMethod, Study, Withdrawal
from humaneval.models.exclusion_rules import in_words
from humaneval.results.pair_choices import systems_of
from humaneval.studies.evidence_measures import passes_check
from humaneval.studies.exclusions import exclusions_of
from humaneval.studies.kinds import KINDS
from humaneval.studies.learning import test_counts
from humaneval.studies.queries import counted, counted_answers, named_answers
from leaderboard.board.exports.latex_escape import comment, escaped

NOUNS: Final = {
    Kind.ANSWER: ("question", "answer"),
    Kind.ITEMS: ("item", "vote"),
    Kind.PAIRS: ("pair", "choice"),
    Kind.RATINGS: ("text", "rating"),
}
"""By the type of study, what people are given, and what they give."""
STATES: Final = {
    "gave consent": "consented_at",
    "declined": "declined_at",
    "finished": "finished_at",
    "dropped out": "dropped_at",
    "withdrew": "withdrawn_at",
}
WITHDRAWN: Final = {Withdrawal.DELETE: "deleted", Withdrawal.ANONYMISE: "anonymised"}
LATEX_COMMENT: Final = "Other letters than Latin ones need XeLaTeX or LuaLaTeX."
FORMATS: Final = {"txt": "text/plain; charset=utf-8", "tex": "application/x-tex; charset=utf-8"}


def as_file(paragraphs: Iterable[str], extension: str = "txt") -> str:
    """Paragraphs in one of `FORMATS`: as plain text, or as LaTeX source that prints it."""
    if extension == "tex":
        paragraphs = [comment(LATEX_COMMENT), *(escaped(text).replace("−", "$-$") for text in paragraphs)]
    return "\n\n".join(paragraphs) + "\n"


def paragraph(name: str, context: Mapping[str, Any]) -> str:
    """One of the templates, on one line: what people typed may have line breaks."""
    return " ".join(render_to_string(f"humaneval/methods/{name}.txt", dict(context)).split())


def spread(seconds: Sequence[float]) -> str:
    """A median of times with its quartiles, in minutes; empty without times.

    >>> spread([60, 120, 240]), spread([90])
    ('2.0 min (quartiles 1.5 and 3.0)', '1.5 min')
    """
    if not seconds:
        return ""
    text = f"{statistics.median(seconds) / 60:.1f} min"
    if len(seconds) == 1:
        return text
    low, _, high = statistics.quantiles(seconds, n=4, method="inclusive")
    return f"{text} (quartiles {low / 60:.1f} and {high / 60:.1f})"


def methods_of(study: Study, outcome: Any = None) -> list[str]:
    """The paragraphs about a study: its participants, and what they did.

    Args:
        outcome: what the page of scores shows of it, for agreement and passed checks; None where it shows none.
    """
    paragraphs = paragraph("participants", participants_of(study)), paragraph("procedure", procedure_of(study, outcome))
    return list(filter(None, paragraphs))


def participants_of(study: Study) -> dict[str, Any]:
    """What the first paragraph says: who was recruited, took part, was excluded and paid, and agreed to what."""
    people = list(study.participants.filter(is_preview=False).select_related("consent").order_by("number"))
    links = study.invitations.exclude(participant__is_preview=True)
    n_shared = sum(links.filter(kind=InvitationKind.SHARED).values_list("n_used", flat=True))
    # People who come by a shared link get a personal one too, to return by.
    n_personal = links.filter(kind=InvitationKind.PERSONAL).count() - n_shared
    ways = [f"{n_personal:,} personal invitation{'s' * (n_personal > 1)}"] if n_personal > 0 else []
    if n_shared:
        ways.append(f"a shared link ({n_shared:,} {'person' if n_shared == 1 else 'people'})")
    joined = [timezone.localdate(person.joined_at).isoformat() for person in people]
    counts = {state: sum(getattr(person, column) is not None for person in people) for state, column in STATES.items()}
    excluded = [(why.removeprefix("Excluded: ").rstrip("."), n) for why, n in exclusions_of(study)]
    versions = Counter(person.consent for person in people if person.consented_at and person.consent)
    agreed_to = [
        f"version {version.number} of {timezone.localdate(version.made_at)}{f' ({n:,})' * (len(versions) > 1)}"
        for version, n in sorted(versions.items(), key=lambda pair: pair[0].number)
    ]
    promised = {version.on_withdrawal for version in versions}
    to_publication = [person.agrees_to_publication for person in people if person.agrees_to_publication is not None]
    return {
        "study": study,
        "ways": get_text_list(ways, "and"),
        "n_people": len(people),
        "first": min(joined, default=""),
        "last": max(joined, default=""),
        "states": get_text_list([f"{n:,} {state}" for state, n in counts.items() if n], "and"),
        "rules": get_text_list([f"“{in_words(*rule)}”" for rule in study.exclusion_rules.items()], "and"),
        "excluded": excluded,
        "n_excluded": sum(n for _, n in excluded),
        "n_remaining": counted(study).count(),
        "reward": study.reward_note.strip().rstrip("."),
        "versions": get_text_list(agreed_to, "and"),
        "withdrawn": WITHDRAWN[Withdrawal(promised.pop())] if len(promised) == 1 else "",
        "n_asked": len(to_publication),
        "n_agreed": sum(to_publication),
        "institution": study.institution.rstrip("."),
        "approval": study.approval.rstrip("."),
    }


def procedure_of(study: Study, outcome: Any) -> dict[str, Any]:
    """What the second paragraph says: the task, how people learned it, sampling, times, checks, masks and agreement."""
    kind, (unit, given) = KINDS[study.kind], NOUNS[Kind(study.kind)]
    columns = "participant", "question__qid", "item__key", "item__origin", "item__is_qualification", "item__named"
    rows = list(counted_answers(study).values(*columns, "active_seconds"))
    of_unit = Counter(
        row["question__qid"] or row["item__key"]
        for row in rows
        if row["item__origin"] != ItemOrigin.INJECTED and not row["item__is_qualification"] and not row["item__named"]
    )
    times: dict[Any, list[float]] = defaultdict(list)
    for row in rows:
        if row["active_seconds"] is not None:
            times[row["participant"]].append(row["active_seconds"])
    passed: list[bool | None] = []
    if study.attention_checks:
        asked = Assignment.objects.filter(participant__in=counted(study), attention_check__isnull=False)
        checks = asked.select_related("participant")
        passed = [passes_check(row, has_finished=row.participant.finished_at is not None) for row in checks]
    voters = outcome.voters if outcome and study.kind == Kind.ITEMS else ()
    injected = [row.injected for row in voters]
    if outcome and study.kind == Kind.PAIRS:
        injected = [checks for *_, checks in outcome["people"]]
    uses = Counter(entry["use"] for entry in study.learning)
    is_fixed = study.drawing == SamplingMethod.FIXED
    return {
        "study": study,
        "unit": unit,
        "given": given,
        "place": f"{study.split.benchmark.name} ({study.split.slug} split, {study.setting.name.lower()})",
        "n_systems": len(systems_of(study)) if study.kind == Kind.PAIRS else 0,
        "n_examples": uses["example"],
        "n_practice": uses["practice"],
        "n_test": uses["test"] // study.test_attempts + study.n_qualification * kind.tests_known_items(study),
        "test": test_counts(study),
        "pass_mark": f"{study.qualification_share:.0%}",
        "n_drawn": len(study.question_ids) if is_fixed else kind.n_drawn(study),
        # Items are sampled by their number of answers, whatever is chosen, unless they are planned.
        "by_number": not kind.writes_answers and study.drawing != SamplingMethod.PLANNED,
        "n_given": of_unit.total(),
        "n_units": len(of_unit),
        "fewest": min(of_unit.values(), default=0),
        "most": max(of_unit.values(), default=0),
        "time": spread([seconds for own in times.values() for seconds in own]),
        "time_of_all": spread([sum(own) for own in times.values()]),
        "n_checks": len(passed) - passed.count(None),
        "n_checks_passed": passed.count(True),
        "n_injected": sum(checks.n_items for checks in injected),
        "n_defended": sum(checks.n_ones for checks in injected),
        "n_named": 0 if kind.writes_answers else named_answers(study).count(),
        "found": outcome,
    }
