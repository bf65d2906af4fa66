"""Selection of a round's answers: all, a sample, or those on which scores and graders differ."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from humaneval.grading.errors import RoundError
from humaneval.grading.rounds import sampling, sources
from humaneval.grading.rounds.sampling import Candidate
from humaneval.models import OnNamed, Selection, Study
from leaderboard.models import SubmissionFile
from scoring.models import Revision

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


@dataclass(frozen=True, kw_only=True)
class RoundSettings:
    """A maintainer's settings of a round, except the sources of answers and the graders."""

    selection: Selection = Selection.ALL
    n_answers: int | None = None
    """The number of answers to take, if not all."""
    n_calibration: int = 0
    """The number of additional answers for which the maintainer gives the known grade."""
    graders_per_answer: int = 2
    shared_share: float = 1.0
    """The share of the answers with this number of graders; the others have one."""
    calibration_share: float = 0.1
    """The share of calibration answers among those that a grader gets after the first."""
    calibration_start: int = 3
    """The number of calibration answers that a grader gets first."""
    shows_matches: bool = True
    masks: Sequence[str] = ()
    on_named: OnNamed = OnNamed.LEAVE_OUT
    """Whether grades of answers that told who wrote them count."""
    seed: int = 0
    guidelines: str = ""
    """The default guidelines, if empty."""


@dataclass(frozen=True)
class ChosenAnswers:
    """The answers of a new round."""

    to_grade: list[Candidate]
    calibration: list[Candidate]
    """The calibration answers, which get a known grade."""
    probabilities: dict[str, float]
    """Probabilities with which the candidates are graded, by their keys; empty if answers were taken because opinions
    differ."""
    reasons: dict[str, str]
    """The reason for taking an answer, by its key; only if answers were taken because opinions differ."""
    sources: list[dict[str, Any]]
    """Each source with the number of its candidates and the probability that they share: stored with the round."""


def choose_answers(
    revision: Revision,
    counts: Mapping[str, int],
    files: Sequence[SubmissionFile],
    studies: Sequence[Study],
    settings: RoundSettings,
) -> ChosenAnswers:
    """The answers for a round, from the answers that are not blank to questions with a reference answer.

    Args:
        counts: the number of items in each question's reference answer.

    Raises:
        RoundError: there is nothing to grade, or too much.
    """
    every = [*sources.candidates_of_files(revision, files), *sources.candidates_of_studies(revision, studies)]
    candidates = [answer for answer in every if counts.get(answer.qid)]
    if not candidates:
        raise RoundError(NOTHING_TO_GRADE)
    probabilities: dict[str, float] = {}
    reasons: dict[str, str] = {}
    if settings.selection == Selection.ALL:
        if settings.n_calibration >= len(candidates):
            raise RoundError(NONE_LEFT.format(len(candidates), settings.n_calibration))
        calibration, drawn_with = _calibration(candidates, [], settings)
        to_grade = _without(candidates, calibration)
        probabilities = {answer.key: 1 - drawn_with.get(answer.key, 0.0) for answer in candidates}
    elif not settings.n_answers:
        raise RoundError(NUMBER_NEEDED)
    else:
        if settings.selection == Selection.SAMPLE:
            to_grade, probabilities = sampling.systematic(
                candidates, settings.n_answers, settings.seed, from_every_party=True
            )
        else:
            opinions = sources.opinions_of(revision, files, studies, candidates)
            disputed = sampling.most_disputed(candidates, opinions, settings.n_answers, settings.seed)
            if not disputed:
                raise RoundError(NO_DIFFERENCES)
            to_grade = [candidate for candidate, _ in disputed]
            reasons = {candidate.key: reason[:200] for candidate, reason in disputed}
        calibration, _ = _calibration(candidates, to_grade, settings)
    n_chosen = len(to_grade) + len(calibration)
    if n_chosen > MOST_ANSWERS:
        raise RoundError(
            f"The selection has {n_chosen:,} answers, but a round has at most {MOST_ANSWERS:,}. Use a sample."
        )
    n_answers = Counter(candidate.party for candidate in candidates)
    # All candidates of a party share one probability.
    of_party = {
        candidate.party: probabilities[candidate.key] for candidate in candidates if candidate.key in probabilities
    }
    drawn_from = [
        {"source": party, "answers": n_answers[party], "probability": probability}
        for party, probability in sorted(of_party.items())
    ]
    return ChosenAnswers(to_grade, calibration, probabilities, reasons, drawn_from)


def _calibration(
    candidates: list[Candidate], to_grade: list[Candidate], settings: RoundSettings
) -> tuple[list[Candidate], dict[str, float]]:
    """A sample of the other answers, as `sampling.systematic` draws it."""
    if not settings.n_calibration:
        return [], {}
    return sampling.systematic(_without(candidates, to_grade), settings.n_calibration, settings.seed + 1)


def _without(candidates: list[Candidate], taken: list[Candidate]) -> list[Candidate]:
    keys = {candidate.key for candidate in taken}
    return [candidate for candidate in candidates if candidate.key not in keys]
