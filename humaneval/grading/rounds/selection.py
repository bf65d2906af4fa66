"""Selection of a round's answers: all, a sample, or those on which scores and graders differ."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from humaneval.grading.errors import RoundError
from humaneval.grading.rounds import sampling, sources
from humaneval.grading.rounds.sampling import Candidate
from humaneval.models import GradingRound, Selection, Study
from humaneval.studies.planning import complete_plan, expected_margin
from leaderboard.models import SubmissionFile

MOST_ANSWERS: Final = 5_000
"""The maximum number of answers in a round."""
NOTHING_TO_GRADE: Final = "There are no answers to grade, because none is to a question with a reference answer."
NUMBER_NEEDED: Final = "Enter the number of answers."
NONE_LEFT: Final = (
    "There are {:,} answers; with {:,} for calibration, none is left to grade. Lower the number of calibration answers."
)
NO_DIFFERENCES: Final = (
    "No answer has differing verdicts. This selection compares metrics that call an answer right or wrong "
    "with each other and with earlier grades, all for the current revision of the split."
)
NOTHING_FURTHER: Final = "There are no further answers: all that can be graded are in the round."
TWO_OF_THREE: Final = "For a plan enter two of: graders per answer, answers per grader, number of graders."
ALL_SHARED: Final = "In a plan every answer gets the same number of graders. Enter 100."
TOO_MANY: Final = "The selection has {:,} answers, but a round has at most {:,}. Use a sample."
NO_PLAN: Final = (
    "These numbers do not fit {:,} answers. A grader gets an answer at most once, and all graders together must give "
    "each answer its grades. Leave one of the three numbers empty."
)


def fill_plan(round_: GradingRound, n_answers: int, n_graders: int | None) -> int | None:
    """Fill in the number of a new round's plan that follows from the other two; returns the number of graders, None
    without a plan, in which graders take answers as they come.

    Args:
        round_: the round; in a plan it may have 0 graders per answer, or no answers per grader.

    Raises:
        RoundError: the numbers do not fit together.
    """
    numbers = round_.graders_per_answer or None, round_.answers_per_grader, n_graders
    is_planned = numbers[1:] != (None, None)
    if numbers.count(None) > (1 if is_planned else 2):
        raise RoundError(TWO_OF_THREE)
    if not is_planned:
        return None
    if round_.shared_share < 1:
        raise RoundError(ALL_SHARED)
    try:
        round_.graders_per_answer, round_.answers_per_grader, people = complete_plan(n_answers, *numbers)
    except ValueError as error:
        raise RoundError(NO_PLAN.format(n_answers)) from error
    return people


@dataclass(frozen=True)
class ChosenAnswers:
    """The answers of a new round."""

    to_grade: list[Candidate]
    calibration: list[Candidate]
    """The calibration answers, which get a known grade."""
    probabilities: dict[str, float]
    """Probability of each candidate to be graded, by its key; empty if answers were taken because opinions differ."""
    reasons: dict[str, str]
    """The reason for taking an answer, by its key; only if answers were taken because opinions differ."""
    sources: list[dict[str, Any]]
    """Each source with the number of its candidates and the probability that they share: stored with the round."""

    def margins(self) -> list[tuple[int, float]]:
        """Of the sources with the fewest and with the most answers to grade: the number, and half the expected width of
        the 95 % interval of the share of right answers, 0 to 1. Empty if answers were taken because opinions differ.

        It is that of one certain grade for each answer and no judge. Simulated intervals of corrected scores were 0.7
        to 1.0 times as wide: less, the better the judge.
        """
        numbers = Counter(candidate.party for candidate in self.to_grade).values() if self.probabilities else ()
        margins = {
            n: expected_margin(n, overlap=1, per_person=1) for n in ({min(numbers), max(numbers)} if numbers else ())
        }
        return [(n, margin) for n, margin in sorted(margins.items()) if margin is not None]


def choose_answers(
    round_: GradingRound,
    counts: Mapping[str, int],
    files: Sequence[SubmissionFile],
    studies: Sequence[Study],
    n_answers: int | None,
    n_calibration: int,
) -> ChosenAnswers:
    """The answers for a new round, from the answers that are not blank to questions with a reference answer.

    Args:
        counts: the number of items in each question's reference answer.
        n_answers: not needed in rounds of all answers.

    Raises:
        RoundError: there is nothing to grade, or too much.
    """
    candidates = _candidates(round_, counts, files, studies)
    if not candidates:
        raise RoundError(NOTHING_TO_GRADE)
    reasons: dict[str, str] = {}
    if round_.selection == Selection.ALL:
        if n_calibration >= len(candidates):
            raise RoundError(NONE_LEFT.format(len(candidates), n_calibration))
        calibration, drawn_with = sampling.systematic(candidates, n_calibration, round_.seed + 1)
        to_grade = _without(candidates, calibration)
        probabilities = {answer.key: 1 - drawn_with[answer.key] for answer in candidates}
    else:
        to_grade, probabilities, reasons = _draw(round_, candidates, files, studies, n_answers, round_.seed)
        calibration, _ = sampling.systematic(_without(candidates, to_grade), n_calibration, round_.seed + 1)
    n_chosen = len(to_grade) + len(calibration)
    if n_chosen > MOST_ANSWERS:
        raise RoundError(TOO_MANY.format(n_chosen, MOST_ANSWERS))
    n_of = Counter(candidate.party for candidate in candidates)
    # All candidates of a party share one probability.
    of_party = {
        candidate.party: probabilities[candidate.key] for candidate in candidates if candidate.key in probabilities
    }
    drawn_from = [
        {"source": party, "answers": n_of[party], "probability": probability}
        for party, probability in sorted(of_party.items())
    ]
    return ChosenAnswers(to_grade, calibration, probabilities, reasons, drawn_from)


def choose_further(
    round_: GradingRound,
    counts: Mapping[str, int],
    files: Sequence[SubmissionFile],
    studies: Sequence[Study],
    n_answers: int | None,
    taken: Collection[str],
) -> ChosenAnswers:
    """Further answers for a round, drawn as the others were, from those in files and studies that are not in it.
    Arguments and errors are those of `choose_answers`.

    ``probabilities`` has all candidates of these sources, those in the round included: of a sample, the expected number
    taken in both draws, of the number of answers.

    Args:
        taken: the keys of the answers in the round, those for calibration included.
    """
    candidates = _candidates(round_, counts, files, studies)
    rest = [answer for answer in candidates if answer.key not in taken]
    if not rest:
        raise RoundError(NOTHING_FURTHER)
    to_grade, drawn_with, reasons = _draw(round_, rest, files, studies, n_answers, round_.seed + len(taken))
    if len(taken) + len(to_grade) > MOST_ANSWERS:
        raise RoundError(TOO_MANY.format(len(taken) + len(to_grade), MOST_ANSWERS))
    before = {row["source"]: row for row in round_.sampling}
    n_all = Counter(answer.party for answer in candidates)
    expected: dict[str, float] = defaultdict(float)
    for answer in rest:
        expected[answer.party] += drawn_with.get(answer.key, 0.0)
    share_of = {}
    for party in n_all if drawn_with else ():
        # Of answers that were deleted meanwhile, none is left to have been drawn.
        n_before = min(before[party]["answers"], n_all[party]) if party in before else 0
        drawn = n_before * before[party]["probability"] if n_before else 0.0
        share_of[party] = min((drawn + expected[party]) / n_all[party], 1.0)
        before[party] = {"source": party, "answers": n_all[party], "probability": share_of[party]}
    return ChosenAnswers(
        to_grade=to_grade,
        calibration=[],
        probabilities={answer.key: share_of[answer.party] for answer in candidates if answer.party in share_of},
        reasons=reasons,
        sources=[before[party] for party in sorted(before)],
    )


def _candidates(
    round_: GradingRound, counts: Mapping[str, int], files: Sequence[SubmissionFile], studies: Sequence[Study]
) -> list[Candidate]:
    revision = round_.revision
    every = [*sources.candidates_of_files(revision, files), *sources.candidates_of_studies(revision, studies)]
    return [answer for answer in every if counts.get(answer.qid)]


def _draw(
    round_: GradingRound,
    candidates: list[Candidate],
    files: Sequence[SubmissionFile],
    studies: Sequence[Study],
    n_answers: int | None,
    seed: int,
) -> tuple[list[Candidate], dict[str, float], dict[str, str]]:
    """Candidates drawn as a round selects its answers, with the probability of every candidate, or the reason for each
    drawn one, by their keys."""
    if round_.selection == Selection.ALL:
        return candidates, {answer.key: 1.0 for answer in candidates}, {}
    if not n_answers:
        raise RoundError(NUMBER_NEEDED)
    if round_.selection == Selection.SAMPLE:
        return *sampling.systematic(candidates, n_answers, seed, from_every_party=True), {}
    opinions = sources.opinions_of(round_.revision, files, studies, candidates)
    disputed = sampling.most_disputed(candidates, opinions, n_answers, round_.seed)
    if not disputed:
        raise RoundError(NO_DIFFERENCES)
    return [candidate for candidate, _ in disputed], {}, {answer.key: reason[:200] for answer, reason in disputed}


def _without(candidates: list[Candidate], taken: list[Candidate]) -> list[Candidate]:
    keys = {candidate.key for candidate in taken}
    return [candidate for candidate in candidates if candidate.key not in keys]
