"""What is said of a file as a whole, once its lines are read: the wrong split, no answers, missing answers.

Enters: the answers that were collected. Leaves: the ids without an answer, and problems in the log. Plain Python: no
Django.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scoring.generations.answers import AnswerCollector
from scoring.generations.problems import ProblemLog, clean

ALMOST_ALL: Final = 0.9
"""From this share of ids of other splits on, the whole file is taken for one of another split."""


def summarise(collected: AnswerCollector, *, max_shown: int) -> tuple[str, ...]:
    """Log what a file lacks that was readable to its end; returns the ids of the split that are on none of its lines.

    At most `max_shown` of them are logged one by one, the others are counted. None is missing from a file of another
    split.
    """
    wrong_split = _check_split(collected)
    missing: tuple[str, ...] = ()
    if collected.known and not wrong_split:
        missing = tuple(one for one in collected.known.current if one not in collected.first_lines)
    n_answered = collected.n_answered
    if not collected.log.has_errors and n_answered == collected.n_empty:
        _no_answers(collected.log, n_answered)
    elif collected.n_ids and not wrong_split:
        _report_missing(collected.log, missing, max_shown)
    return missing


def _check_split(collected: AnswerCollector) -> bool:
    n_other = collected.other_splits.total()
    if not n_other or n_other < ALMOST_ALL * collected.n_ids:
        return False
    split = clean(collected.other_splits.most_common(1)[0][0])
    collected.log.forget("other-split-id")
    collected.log.add(
        "wrong-split",
        f"{n_other:,} of {collected.n_ids:,} ids that belong to the {split} split",
        fix=f"Choose the {split} split, or the file made for this split.",
    )
    return True


def _no_answers(log: ProblemLog, n_answered: int) -> None:
    log.forget("empty-answer")
    log.add("no-answers", "only empty answers" if n_answered else "no answer to a question of this split")


def _report_missing(log: ProblemLog, missing: Sequence[str], max_shown: int) -> None:
    found, fix = "no line with this id", None
    if log.has_errors:
        found = "no readable line with this id"
        fix = "Mend the lines with errors first; add a line with an answer if the question is still without one."
    for question_id in missing:
        if not log.wants("missing-answer"):
            log.count("missing-answer", len(missing) - max_shown)
            break
        log.add("missing-answer", found, question_id=question_id, fix=fix)
