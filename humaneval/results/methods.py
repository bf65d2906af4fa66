"""The methods paragraph of a paper about a study or a grading round, written from what is stored.

A sentence is left out where nothing is known. Counts of people, times and rules are for everybody who manages the
study; agreement and passed checks are left out where the page of scores shows none.
"""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.utils import timezone

from humaneval.models import Assignment, InvitationKind, ItemOrigin, Kind, OnNamed, SamplingMethod, Study, Withdrawal
from humaneval.models.exclusion_rules import in_words
from humaneval.results.pair_choices import systems_of
from humaneval.studies.evidence_measures import passes_check
from humaneval.studies.exclusions import exclusions_of
from humaneval.studies.kinds import KINDS
from humaneval.studies.learning import n_attempts_of, test_counts
from humaneval.studies.queries import counted, counted_answers, named_answers
from leaderboard.board.exports.latex_escape import comment, escaped
from leaderboard.templatetags.display import ratio
from leaderboard.templatetags.systems import ratio_interval
from scoring.statistics import Estimate

TASKS: Final = {
    Kind.ANSWER: "Participants answered questions of {}, with an encyclopedia at hand.",
    Kind.ITEMS: "Participants judged whether passages support answers to questions of {}.",
    Kind.PAIRS: "Participants compared two answers to a question of {} side by side, without the names of their "
    "systems: one is better, both are equally good, or both are bad.",
    Kind.RATINGS: "Participants rated texts.",
}
SAMPLING: Final = {
    SamplingMethod.RANDOM: "drawn at random without repeats",
    SamplingMethod.BALANCED: "those with the fewest answers so far, up to {target} each",
    SamplingMethod.STRATIFIED: "drawn at random within categories, in proportion to the split",
    SamplingMethod.FIXED: "the same for every participant",
    SamplingMethod.PLANNED: "by a plan that gives each exactly {target}",
}
LATEX_COMMENT: Final = "Other letters than Latin ones need XeLaTeX or LuaLaTeX."
WITHDRAWN: Final = {Withdrawal.DELETE: "deleted", Withdrawal.ANONYMISE: "anonymised"}
UNITS: Final = {Kind.ANSWER: "question", Kind.ITEMS: "item", Kind.PAIRS: "pair", Kind.RATINGS: "text"}
GIVEN: Final = {Kind.ANSWER: "answer", Kind.ITEMS: "vote", Kind.PAIRS: "choice", Kind.RATINGS: "rating"}
READ: Final = (
    *("participant", "question__qid", "item__key", "item__origin", "item__is_qualification", "item__named"),
    "active_seconds",
)
"""What is read of each answer."""
FORMATS: Final = {"txt": "text/plain; charset=utf-8", "tex": "application/x-tex; charset=utf-8"}


def as_file(paragraphs: Iterable[str], extension: str) -> str:
    """Paragraphs in one of `FORMATS`."""
    return as_latex(paragraphs) if extension == "tex" else as_text(paragraphs)


def as_text(paragraphs: Iterable[str]) -> str:
    """Paragraphs as plain text."""
    return "\n\n".join(paragraphs) + "\n"


def as_latex(paragraphs: Iterable[str]) -> str:
    """Paragraphs as LaTeX source."""
    source = "\n\n".join([comment(LATEX_COMMENT), *map(escaped, paragraphs)]) + "\n"
    return source.replace("−", "$-$")


def paragraph(sentences: Iterable[str]) -> str:
    """Sentences on one line, without the empty ones: what people typed in them may have line breaks."""
    return " ".join(" ".join(sentences).split())


def count(n: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "vote"), count(1200, "person")
    ('1 vote', '1,200 people')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {'people' if noun == 'person' else f'{noun}s'}"


def listed(parts: Sequence[str]) -> str:
    """Parts of a sentence as a list.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def agreed(measure: str, agreement: Estimate, on: str) -> str:
    """A measure of agreement with its interval, as a clause; empty if it is undefined.

    >>> from scoring.statistics import Interval
    >>> agreed("Fleiss' kappa", Estimate(0.4567, Interval(0.4, 0.5), 30), "on {}")
    "Fleiss' kappa = 0.457 (95% CI 0.400 to 0.500) on 30"
    """
    if agreement.value is None:
        return ""
    interval = f" (95% CI {ratio_interval(agreement.interval)})" if agreement.interval else ""
    return f"{measure} = {ratio(agreement.value, 3)}{interval} {on.format(f'{agreement.n_items:,}')}"


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
    return list(filter(None, map(paragraph, (_participants(study), _procedure(study, outcome)))))


# --- Participants --------------------------------------------------------------------------------------------------


def _participants(study: Study) -> Iterable[str]:
    people = list(study.participants.filter(is_preview=False).select_related("consent").order_by("number"))
    yield _recruited(study)
    if people:
        joined = [timezone.localdate(person.joined_at) for person in people]
        first, last = min(joined), max(joined)
        when = f"on {first}" if first == last else f"between {first} and {last}"
        states = {
            "gave consent": sum(person.consented_at is not None for person in people),
            "declined": sum(person.declined_at is not None for person in people),
            "finished": sum(person.finished_at is not None for person in people),
            "dropped out": sum(person.dropped_at is not None for person in people),
            "withdrew": sum(person.withdrawn_at is not None for person in people),
        }
        what = listed([f"{n:,} {state}" for state, n in states.items() if n])
        yield f"{count(len(people), 'person')} joined {when}{f': {what}' if what else ''}."
    if study.exclusion_rules:
        rules = listed([f"“{in_words(rule, number)}”" for rule, number in study.exclusion_rules.items()])
        yield f"Exclusion was declared before anybody took part: {rules}."
    excluded = [(why.removeprefix("Excluded: ").rstrip("."), n) for why, n in exclusions_of(study)]
    if people and excluded:
        n_excluded = sum(n for _, n in excluded)
        reasons = "; ".join(f"{why or 'no reason stated'}: {n:,}" for why, n in excluded)
        yield f"{count(n_excluded, 'participant')} {'was' if n_excluded == 1 else 'were'} excluded ({reasons})."
    if people:
        yield f"{count(counted(study).count(), 'participant')} remained."
    if study.pay is not None:
        yield f"The pay was {study.pay} {study.currency}".strip() + " for finishing."
    elif reward := " ".join(study.reward_note.split()).rstrip("."):
        yield f"Participants were told of their pay: “{reward}”."
    if study.time_limit:
        yield f"They had {study.time_limit:,} min from consent to finish."
    yield from _consented(study, people)


def _recruited(study: Study) -> str:
    links = study.invitations.exclude(participant__is_preview=True)
    n_shared = sum(links.filter(kind=InvitationKind.SHARED).values_list("n_used", flat=True))
    # People who come by a shared link get a personal one too, to return by.
    n_personal = links.filter(kind=InvitationKind.PERSONAL).count() - n_shared
    ways = [count(n_personal, "personal invitation")] if n_personal > 0 else []
    if n_shared:
        ways.append(f"a shared link ({count(n_shared, 'person')})")
    on = f" on {study.get_platform_display()}" if study.platform else ""
    return f"Participants were recruited{on}{f' by {listed(ways)}' if ways else ''}." if on or ways else ""


def _consented(study: Study, people: Sequence[Any]) -> Iterable[str]:
    versions = Counter(person.consent for person in people if person.consented_at and person.consent)
    if versions:
        by_number = sorted(versions.items(), key=lambda pair: pair[0].number)
        shown = [
            f"version {version.number} of {timezone.localdate(version.made_at)}{f' ({n:,})' * (len(versions) > 1)}"
            for version, n in by_number
        ]
        yield f"Everybody who took part had agreed to the study's consent text ({listed(shown)})."
    promised = {version.on_withdrawal for version in versions}
    if len(promised) == 1:
        yield f"Answers of participants who withdraw are {WITHDRAWN[Withdrawal(promised.pop())]}."
    if study.asks_publication and versions:
        n = sum(person.agrees_to_publication is True for person in people)
        yield f"{n:,} of them agreed that their answers may be published word for word."
    if study.institution:
        yield f"The study was conducted at {study.institution.rstrip('.')}."
    if study.approval:
        yield f"It was approved by a review board ({study.approval.rstrip('.')})."


# --- Procedure -----------------------------------------------------------------------------------------------------


def _procedure(study: Study, outcome: Any) -> Iterable[str]:
    kind, unit, given = KINDS[study.kind], UNITS[Kind(study.kind)], GIVEN[Kind(study.kind)]
    place = f"{study.split.benchmark.name} ({study.split.slug} split, {study.setting.name.lower()})"
    yield TASKS[Kind(study.kind)].format(place)
    if study.kind == Kind.PAIRS:
        yield f"The answers are by {count(len(systems_of(study)), 'system')}."
    if study.practice_question_id:
        yield "They first answered a practice question."
    drawn = len(study.question_ids) if study.drawing == SamplingMethod.FIXED else kind.n_drawn(study)
    # Items are sampled by their number of answers, whatever is chosen, unless they are planned.
    by_number = not kind.writes_answers and study.drawing != SamplingMethod.PLANNED
    how = SAMPLING[SamplingMethod.BALANCED if by_number else SamplingMethod(study.drawing)]
    target = count(study.answers_per_question, given)
    if by_number:
        how = how.replace(", up to {target} each", "").replace("answers", f"{given}s")
    seed = "" if study.drawing == SamplingMethod.FIXED else f" (seed {study.seed})"
    yield f"Each got up to {count(drawn, unit)}, {how.format(target=target)}{seed}."
    rows = list(counted_answers(study).values(*READ))
    of_unit = Counter(
        row["question__qid"] or row["item__key"]
        for row in rows
        if row["item__origin"] != ItemOrigin.INJECTED and not row["item__is_qualification"] and not row["item__named"]
    )
    if of_unit:
        few, many = min(of_unit.values()), max(of_unit.values())
        each = f"{few:,}" if few == many else f"{few:,} to {many:,}"
        drafts = ", unfinished ones included," if study.counts_unfinished else ""
        units = count(len(of_unit), unit)
        yield f"The analysis has {count(of_unit.total(), given)}{drafts} on {units} ({each} per {unit})."
    yield from _times(rows, unit)
    yield from _checks(study, outcome)
    yield from _blindness(study)
    yield _agreement(study, outcome)


def _times(rows: Sequence[Mapping[str, Any]], unit: str) -> Iterable[str]:
    by_person: dict[Any, list[float]] = defaultdict(list)
    for row in rows:
        if row["active_seconds"] is not None:
            by_person[row["participant"]].append(row["active_seconds"])
    if by_person:
        each = spread([seconds for own in by_person.values() for seconds in own])
        all_in_all = spread([sum(own) for own in by_person.values()])
        yield f"The median active time was {each} per {unit} and {all_in_all} per participant."


def _checks(study: Study, outcome: Any) -> Iterable[str]:
    if study.attention_checks:
        asked = Assignment.objects.filter(participant__in=counted(study), attention_check__isnull=False)
        rows = asked.select_related("participant")
        passed = [passes_check(row, has_finished=row.participant.finished_at is not None) for row in rows]
        n_passed, n_decided = passed.count(True), len(passed) - passed.count(None)
        yield f"Attention checks passed, of those answered, skipped or left out: {n_passed:,} of {n_decided:,}."
    tested = test_counts(study)
    if any(tested.values()):
        n_passed, n_failed = tested["first"] + tested["second"], tested["failed"]
        second = f", {tested['second']:,} of them at the second attempt" if n_attempts_of(study) > 1 else ""
        share = f"{study.qualification_share:.0%} right"
        yield f"A test before the questions ({share}) was passed by {n_passed:,}{second}, and failed by {n_failed:,}."
    if outcome is None:
        return
    checks = [row.injected for row in outcome.voters] if study.kind == Kind.ITEMS else []
    checks += [row[3] for row in outcome["people"]] if study.kind == Kind.PAIRS else []
    n_checks = sum(row.n_items for row in checks)
    if n_checks:
        n_passed, given = sum(row.n_ones for row in checks), GIVEN[Kind(study.kind)]
        yield f"Defensible {given}s on injected wrong answers: {n_passed:,} of {n_checks:,}."


def _blindness(study: Study) -> Iterable[str]:
    if study.kind == Kind.PAIRS:
        more = f", and {count(len(study.masks), 'further text')}" if study.masks else ""
        yield f"Names of systems, and of models and their makers, were masked in the answers{more}."
    n = 0 if KINDS[study.kind].writes_answers else named_answers(study).count()
    if n:
        rule = "kept" if study.on_named == OnNamed.KEEP else "left out"
        given = count(n, GIVEN[Kind(study.kind)])
        yield f"For {given} participants said that a text told them who wrote it; by rule these were {rule}."


def _agreement(study: Study, outcome: Any) -> str:
    if outcome is None:
        return ""
    if study.kind == Kind.ITEMS:
        clauses = [agreed("Krippendorff's alpha (nominal)", outcome.agreement, "on {} items with two or more votes")]
    elif study.kind == Kind.PAIRS:
        on = "on {} pairs with two or more choices (first answer, second answer or tie)"
        clauses = [agreed("Fleiss' kappa", outcome["agreement"], on)]
    elif study.kind == Kind.RATINGS:
        on = "on {} texts with two or more ratings"
        scales = ((one, "ordinal" if one["question"].is_scale else "nominal") for one in outcome["questions"])
        clauses = [
            agreed(f"Krippendorff's alpha ({scale}) of “{one['question'].text}”", one["agreement"], on)
            for one, scale in scales
        ]
    else:
        n_pairs = len(outcome["pairs"])
        of = f"of {count(n_pairs, 'pair')} of lists for the same question agreed"
        clauses = [f"{outcome['n_accepted']:,} {of}"] if n_pairs else []
    known = [clause for clause in clauses if clause]
    return f"Agreement: {'; '.join(known)}." if known else ""
