"""Disclosure control for hidden splits: the only module that decides it, for every page, API and export.

A number at full precision becomes the number that everybody may see, or the reason why it is withheld. Numbers of open
splits pass unchanged. docs/security.md has the threat model and the remaining risks.

On a hidden split

- a number has as many digits as its column shows (`DisclosureRule.number`), and a p-value is an upper bound out of
  `P_BOUNDS` (`DisclosureRule.p_value`);
- scores that a benchmark declares as not disclosed, and scores of files with answers to too few questions, are not
  shown (`DisclosureRule.reason_withheld`);
- states, times and progress of runs are results too: the sender of a file learns that it was received, is being scored,
  and is scored, at fixed moments, and all results together (`runs_for_sender`);
- that a file waits for a maintainer because of what its answers have of the reference answers is a result too, and all
  that its sender learns of the cause (`holds_without_cause`);
- of several attempts at each question the means of single attempts are not shown, and pass@k waits for a maintainer
  (`DisclosureRule.why_no_spread`, `DisclosureRule.why_no_pass_at`);
- numbers that depend on which questions two systems answered alike, or on few questions, carry a random error that is
  larger than what one question can change (`DisclosureRule.widened`, `DisclosureRule.category`). The error is derived
  from the site's secret key, the revision, the column and the outcomes per question (`outcomes_key`), and from nothing
  else: the same number is the same in every output, and files with the same outcomes do not give several errors.
"""

import datetime
import hashlib
import hmac
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from django.conf import settings
from django.db.models import QuerySet
from django.utils import timezone
from numpy.typing import ArrayLike

from leaderboard.models import Anomaly, Submission
from scoring.analysis.categories import FEWEST
from scoring.analysis.copied_references import COPIED_REFERENCES
from scoring.analysis.probing import PADDING
from scoring.benchmarks import definition_of
from scoring.benchmarks.columns import undisclosed_scores
from scoring.benchmarks.names import parts_of
from scoring.metrics.columns import Column
from scoring.models import Run, Score, Split, SplitPart
from scoring.models.run_states import ACTIVE, RunState

DECIMALS: Final = 3
"""Digits after the point of shares that boards show."""
SHARE: Final = Column("", "", "", "", "", "", digits=DECIMALS)
"""A number that comes without its column is a share."""
P_BOUNDS: Final = (0.001, 0.01, 0.05, 1.0)
"""A p-value of a hidden split is given as the smallest of these that it is below, or 1."""
CATEGORY_ERROR: Final = 1.5
"""Scale, in questions, of the Laplace error of a category's mean."""
STEP_FACTOR: Final = 100.0
"""Interval ends of differences move outwards by up to twice this, divided by the number of questions to the power 1.5:
some forty times what one question can move them."""
SMALLEST_STEP: Final = 0.005
RANK_CAUTION: Final = 0.025
"""Maximum share, for each of two systems, by which their difference must exceed the critical value of rank ranges."""
NORMAL_QUANTILE: Final = 1.959964

NOT_YET: Final = "Not scored yet."
"""All that readers see about a metric without a score; maintainers see the cause."""
NOT_DISCLOSED: Final = "Not shown on a hidden split: it would reveal parts of single reference answers."

GONE_UNDISCLOSED: Final = frozenset(
    {
        *(f"{name}-repaired.{part}" for name in ("rouge1", "rouge2", "rougeL") for part in ("precision", "recall")),
        *(f"list-f1-repaired.{part}" for part in ("precision", "recall", "rec_above")),
    }
)
"""Scores of metrics of versions before 0.8.0, in old snapshots, that a hidden split does not show either."""
HELD: Final = "Not shown: held until a maintainer approves it."

KEPT_FOR_THE_END: Final = "Not shown before the split closes: it is about questions that are kept for the end too."

WITHHELD: Final = "Not shown: no maintainer has released this score."

TOO_FEW_FOR_ATTEMPTS: Final = f"Not shown on a hidden split with fewer than {FEWEST} of these questions."
BEST_OF_K_WITHHELD: Final = (
    "pass@k, pass^k and the parts of the variance of several attempts are not shown: no maintainer has approved them "
    "for this split."
)

CAUSE_SHOWN: Final = PADDING
"""Flags for which scores of a file wait, and whose cause and numbers its sender sees: they depend on the answers
alone."""
CAUSE_NOT_SHOWN: Final = (COPIED_REFERENCES,)
"""Flags that depend on reference answers. They are results: with these, the sender sees that the scores are held,
and nothing else (`holds_without_cause`)."""
WITHHOLDING: Final = (*CAUSE_SHOWN, *CAUSE_NOT_SHOWN)


def answers_needed() -> str:
    """Least number of answered questions on a hidden split, in words."""
    share = f"{100 * settings.MIN_ANSWERED_SHARE:g} %"
    return f"scores of a hidden split need answers to at least {share} of its questions."


def too_few_answered() -> str:
    """Reason why a file with answers to few questions of a hidden split has no score to show."""
    return f"Not shown: {answers_needed()}"


def random_number(*of: object) -> float:
    """A number from 0 to 1 that is unpredictable without the site's secret key, always the same for the same *of*."""
    text = "\0".join(map(str, ("disclosure 1", *of)))
    digest = hmac.digest(settings.SECRET_KEY.encode(), text.encode(), "sha256")
    return (int.from_bytes(digest[:7], "big") + 0.5) / 2**56


NOT_RUNNING: Final = (RunState.NOT_CONFIGURED, RunState.OVER_BUDGET, RunState.CANCELLED)
"""Runs that no worker has begun to score, which say nothing of the answers; senders see them at once."""


def last_tick(moment: datetime.datetime | None = None) -> datetime.datetime:
    """The latest moment, not after *moment* or now, at which senders may learn a new state of a run of a hidden split:
    every `HIDDEN_STATES_MINUTES` since the epoch. With 0 minutes, the moment itself."""
    moment = moment or timezone.now()
    seconds = 60 * settings.HIDDEN_STATES_MINUTES
    if not seconds:
        return moment
    return datetime.datetime.fromtimestamp(moment.timestamp() // seconds * seconds, tz=datetime.UTC)


def are_results_shown(runs: Iterable[Run]) -> bool:
    """Whether the sender of an upload to a hidden split may see its results.

    No run of it waits or runs, and a tick has come since the last one ended. Runs that wait for a maintainer hold
    nothing back.
    """
    tick = last_tick()
    return all(run.state not in ACTIVE and (run.finished_at is None or run.finished_at <= tick) for run in runs)


def holds_without_cause(flags: Iterable[Anomaly], shown_files: Collection[int]) -> list[Anomaly]:
    """The flags of `CAUSE_NOT_SHOWN` for which a sender sees that scores of a file are held: one for each file, but
    not of a file that waits for another flag too, which says so already.

    Args:
        flags: of `WITHHOLDING`.
        shown_files: the keys of the files whose results are shown to the sender.
    """
    flags = list(flags)
    others = {flag.file_id for flag in flags if flag.code in CAUSE_SHOWN}
    without_cause = {flag.file_id: flag for flag in flags if flag.code in CAUSE_NOT_SHOWN}
    return [flag for file, flag in without_cause.items() if file in shown_files and file not in others]


def runs_for_sender(
    runs: Sequence[Run], split: Split, *, sent_at: datetime.datetime, shown_at: datetime.datetime | None
) -> list[Run]:
    """The runs of one upload as its sender may see them: those of an open split as they are.

    On a hidden split, how long a metric takes, how far it is and in which order scores appear depend on the reference
    answers. Before the results are shown, each run that a worker takes or took waits, and from the first tick after
    the upload it runs. Afterwards, it ended at the tick at which it is shown. It has no other times, and no progress.

    Args:
        runs: with all runs of the files that were sent together.
        split: of the upload.
        sent_at: when it was sent.
        shown_at: when the sender was notified that its results are shown, if that has happened. Results that ended
            before stay shown, whatever runs begin later, such as those of a metric that was configured since.
    """
    if not split.is_hidden:
        return list(runs)
    shown_before = {
        run.pk
        for run in runs
        if shown_at is not None
        and run.state not in ACTIVE
        and run.finished_at is not None
        and run.finished_at <= shown_at
    }
    parts = [run for run in runs if run.pk in shown_before], [run for run in runs if run.pk not in shown_before]
    shown = {run.pk: run for part in parts for run in _shown_together(part, sent_at)}
    return [shown[run.pk] for run in runs]


def _shown_together(runs: Sequence[Run], sent_at: datetime.datetime) -> list[Run]:
    """Runs of a hidden split whose results are shown to the sender at one moment, or not yet."""
    are_shown = are_results_shown(runs)
    # One moment for all: which run ended earlier than another depends on the answers too.
    ended_at = max((run.finished_at for run in runs if run.finished_at is not None), default=None)
    views = []
    for run in runs:
        view = copy(run)
        view.started_at = None
        view.attempts = 0
        if are_shown:
            view.done_items = view.total_items
            if view.finished_at is not None and ended_at is not None:
                view.finished_at = _next_tick(ended_at)
        else:
            view.done_items = view.total_items = 0
            view.finished_at = None
            if view.state not in NOT_RUNNING:
                view.state = RunState.RUNNING if last_tick() >= sent_at else RunState.WAITING
                view.reason = ""
        views.append(view)
    return views


def _next_tick(moment: datetime.datetime) -> datetime.datetime:
    tick = last_tick(moment)
    return tick if tick == moment else tick + datetime.timedelta(minutes=settings.HIDDEN_STATES_MINUTES)


def outcomes_key(revision: int, column: str, outcomes: ArrayLike, questions: Sequence[int] = ()) -> str:
    """Key from which the random error of a number is drawn, beside the secret key: other files with these outcomes give
    the same error, so that sending them tells nothing more.

    Args:
        revision: the key of the revision of the questions.
        column: the name of the score.
        outcomes: that the number is made of, one for each question; NaN where a question does not count. Differences
            that a reader could not see make no other key.
        questions: their places in the revision, if they are not all of its questions.
    """
    rounded = np.round(np.asarray(outcomes, dtype=np.float64), 6) + 0.0  # no -0.0
    digest = hashlib.sha256(np.where(np.isnan(rounded), -1.0, rounded).tobytes())
    digest.update(repr((revision, column, tuple(questions))).encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class DisclosureRule:
    """The disclosure rule of one split."""

    hidden: bool
    undisclosed: frozenset[str] = frozenset()
    """Names of scores that are shown only to maintainers."""
    step: float | None = None
    """The step that scores are rounded to, if there is one."""
    unreleased: frozenset[int] = frozenset()
    """Keys of scores that a maintainer must release first."""
    held: frozenset[int] = frozenset()
    """Keys of scores of files that a maintainer must approve first."""
    pass_at_approved: bool = False
    """Whether a maintainer has approved to show pass@k."""
    keeps_final: bool = False
    """Whether a part of the questions is kept for the end, and boards show scores on the others."""

    @classmethod
    def of_benchmark(cls, slug: str, *, hidden: bool, pass_at_approved: bool = False) -> "DisclosureRule":
        """The rule for a split of a benchmark, without a query.

        Raises:
            UnknownBenchmarkError: the split is hidden, and no definition says which of its scores may be shown.
        """
        if not hidden:
            return OPEN
        definition = definition_of(slug)
        undisclosed = undisclosed_scores(definition.metrics, definition.columns) | GONE_UNDISCLOSED
        return cls(hidden, undisclosed, pass_at_approved=pass_at_approved)

    @classmethod
    def of(cls, split: Split) -> "DisclosureRule":
        """The rule for what is public of a split that was loaded with its benchmark. One query if it has scores that
        a maintainer must release."""
        rule = cls.of_benchmark(split.benchmark.slug, hidden=split.is_hidden, pass_at_approved=split.pass_at_approved)
        if not rule.hidden:
            return rule
        names = {(file, name) for file, name in split.withheld_scores or ()}
        file = "run__answer_set__submission_file"
        scores = Score.objects.filter(**{f"{file}__in": {file for file, _ in names}}) if names else Score.objects.none()
        keys = {pk for pk, *named in scores.values_list("pk", file, "name") if tuple(named) in names}
        keeps_final = split.shown_part == SplitPart.PUBLIC
        return replace(rule, step=split.step, unreleased=frozenset(keys), keeps_final=keeps_final)

    @classmethod
    def of_submission(cls, submission: Submission) -> "DisclosureRule":
        """The rule for what its sender sees of a submission, which may be on no board: its scores may wait for a
        maintainer. One query more if its split is hidden."""
        return cls.of_submissions(submission.split, [submission])

    @classmethod
    def of_submissions(cls, split: Split, submissions: Collection[Submission]) -> "DisclosureRule":
        """The rules of several submissions to one split."""
        rule = cls.of(split)
        if not rule.hidden:
            return rule
        files = _held_flags().filter(file__submission__in=submissions).values("file")
        scores = Score.objects.filter(run__answer_set__submission_file__in=files)
        return replace(rule, held=frozenset(scores.order_by().values_list("pk", flat=True)))

    # --- Whether -------------------------------------------------------------------------------------------------

    def reason_withheld(
        self, name: str, n_answered: int | None = None, n_items: int | None = None, score: int | None = None
    ) -> str:
        """Reason why a score is withheld; empty if it is not.

        Args:
            n_answered: None if that is unknown, as for published scores.
            score: its key, if it has one.
        """
        if not self.hidden:
            return ""
        if parts_of(name)[0] in self.undisclosed:
            return NOT_DISCLOSED
        if n_answered is not None and n_items and n_answered < settings.MIN_ANSWERED_SHARE * n_items:
            return too_few_answered()
        if score in self.held:
            return HELD
        return WITHHELD if score in self.unreleased else ""

    def reported_withheld(self, name: str) -> str:
        """Why a published value, which is about all questions, is not shown; empty if it is."""
        return KEPT_FOR_THE_END if self.keeps_final else self.reason_withheld(name)

    def withheld(self, score: Score) -> str:
        """Reason why a `Score` is not shown; empty if it is."""
        return self.reason_withheld(score.name, score.n_answered, score.n_items, score.pk)

    def why_no_spread(self, n_items: int) -> str:
        """Why nothing but their number is shown of several attempts at some questions; empty if more is."""
        return TOO_FEW_FOR_ATTEMPTS if self.hidden and n_items < FEWEST else ""

    def why_no_pass_at(self) -> str:
        """Why pass@k is withheld for k above 1; empty if it is not.

        Somebody who sends k guesses as k attempts would learn from it how often one of them is right. With it goes all
        that it can be computed from, with the mean: pass^k, and the variance of attempts at the same questions, which
        is the difference of pass@2 and the mean.
        """
        return BEST_OF_K_WITHHELD if self.hidden and not self.pass_at_approved else ""

    # --- How exactly ---------------------------------------------------------------------------------------------

    def number(self, value: float | None, column: Column = SHARE) -> float | None:
        """A score, or anything else in its unit but the ends of an interval."""
        if value is None or not self.hidden:
            return value
        if self.step is not None:
            step = self.step * column.scale
            value = round(value / step) * step
        return round(value, column.digits) + 0.0  # no -0.0

    def attempts(self, said: Mapping[str, Any], column: Column = SHARE) -> dict[str, Any]:
        """What several attempts say of a score (`leaderboard.board.attempts.Attempts`, as JSON): on a hidden split with
        the digits of the score, which the square roots of variances have, and without the means of single attempts.

        Args:
            column: of the score.
        """
        if not self.hidden:
            return dict(said)

        def variance(value: float | None) -> float | None:
            return None if value is None else (self.number(math.sqrt(value), column) or 0.0) ** 2

        def chance(one: Mapping[str, Any]) -> dict[str, Any]:
            low, high = self.ends(one["low"], one["high"])
            return {**one, "value": self.number(one["value"]), "low": low, "high": high}

        shown: dict[str, Any] = {"means": [], "spread": self.number(said["spread"], column)}
        shown |= {name: variance(said[name]) for name in ("variance_of_questions", "variance_of_attempts")}
        shown |= {name: [chance(one) for one in said[name]] for name in ("pass_at", "pass_hat")}
        return {**said, **shown}

    def ends(self, low: float | None, high: float | None, column: Column = SHARE) -> tuple[float | None, float | None]:
        """The ends of an interval in the unit of a score; where they are rounded, outwards."""
        if low is None or high is None or not self.hidden:
            return low, high
        if self.step is not None:
            step = self.step * column.scale
            lowest, highest = column.bounds or (-math.inf, math.inf)
            inside = low >= lowest, high <= highest
            low, high = rounded_down(low / step, 0) * step, rounded_up(high / step, 0) * step
            low, high = max(low, lowest) if inside[0] else low, min(high, highest) if inside[1] else high
        return rounded_down(low, column.digits), rounded_up(high, column.digits)

    def p_value(self, value: float | None) -> float | None:
        """A p-value: on a hidden split the smallest of `P_BOUNDS` that it is below, or 1."""
        if value is None or not self.hidden:
            return value
        return next((bound for bound in P_BOUNDS if value < bound), P_BOUNDS[-1])

    def pair_p_value(self, value: float, difference: float, ends: tuple[float, float]) -> float:
        """The p-value of a pair of systems before it is corrected for the number of pairs and given as a bound: on a
        hidden split that of the difference and the interval that are shown. So it tells nothing beside them, and is
        below 0.05 exactly if the interval leaves out 0.

        Args:
            value: at full precision.
            difference: as disclosed.
            ends: the ends of its interval as disclosed (`widened`).
        """
        if not self.hidden:
            return value
        low, high = ends
        if low <= 0 <= high:
            return 1.0
        margin = difference - low if difference > 0 else high - difference
        return math.erfc(NORMAL_QUANTILE / math.sqrt(2) * abs(difference) / margin)

    def widened(
        self, value: float, ends: tuple[float, float], outcomes: Sequence[str], n_items: int, column: Column = SHARE
    ) -> tuple[float, float]:
        """The interval of a difference: on a hidden split each end moves outwards to a multiple of a step, at random to
        the next or the one after.

        Args:
            value: the difference as disclosed.
            ends: the ends of its interval, at full precision.
            outcomes: of the two systems, by their `outcomes_key`.
            n_items: the number of questions that the systems are compared on.
            column: of the scores.
        """
        if not self.hidden:
            return ends
        step = interval_step(n_items, column)
        share = random_number("interval", *sorted(outcomes))
        low, high = (
            math.ceil(max(distance, 0.0) / step + share) * step for distance in (value - ends[0], ends[1] - value)
        )
        width = math.inf if column.width is None else column.width
        return (
            max(-width, rounded_down(value - low, column.digits)),
            min(width, rounded_up(value + high, column.digits)),
        )

    def category(
        self,
        mean: float,
        ends: tuple[float | None, float | None],
        column: Column | None = None,
        *,
        outcomes: str,
        size: int,
    ) -> tuple[float, float | None, float | None]:
        """The mean of a score over a category of questions and the ends of its interval: on a hidden split with a
        random error of about two questions, which the interval includes.

        Args:
            column: of the score.
            outcomes: over the category, by their `outcomes_key`.
            size: the category's number of questions.
        """
        low, high = ends
        if not self.hidden:
            return mean, low, high
        column = column or SHARE
        lowest, highest = column.bounds or (-math.inf, math.inf)

        def within(number: float) -> float:
            return min(max(number, lowest), highest)

        share = random_number("category", outcomes) - 0.5
        of_question = CATEGORY_ERROR * column.scale / size
        error = of_question * math.copysign(math.log(1 - 2 * abs(share)), share)
        shown = round(within(mean - error), column.digits)
        if low is None or high is None:
            return self.number(shown, column) or 0.0, None, None
        deviation = NORMAL_QUANTILE * of_question * math.sqrt(2)
        below, above = math.hypot(mean - low, deviation), math.hypot(high - mean, deviation)
        low, high = min(shown, within(shown - below)), max(shown, within(shown + above))
        return self.number(shown, column) or 0.0, *self.ends(low, high, column)

    def strength(self, value: float, low: float, high: float) -> tuple[float, float, float]:
        """A strength and the ends of its interval, in log-odds: on a hidden split with one digit less than a score,
        because a question changes it about four times as much."""
        if not self.hidden:
            return value, low, high
        digits = DECIMALS - 1
        return round(value, digits) + 0.0, rounded_down(low, digits), rounded_up(high, digits)

    def win_share(self, share: float, outcomes: Sequence[str], n_questions: int) -> float | None:
        """The share of questions on which one system wins against another: on a hidden split with a random error of
        about two questions, and None for fewer questions than a category must have.

        Args:
            outcomes: the `outcomes_key` for the system whose wins are counted, and the one for the other.
            n_questions: on which they were compared.
        """
        if self.hidden and n_questions < FEWEST:
            return None
        if outcomes[0] > outcomes[1]:  # the same error in both directions
            reverse = self.win_share(1 - share, outcomes[::-1], n_questions)
            return None if reverse is None else 1 - reverse
        return self.category(share, (None, None), outcomes=outcomes[0], size=n_questions)[0]

    def rank_caution(self, outcomes: Iterable[str]) -> list[float] | None:
        """On a hidden split, a random share for each score by which differences must exceed the critical value of rank
        ranges: nobody can find the difference at which a range changes and see there what one question does.

        Args:
            outcomes: of the systems that are ranked, by their `outcomes_key`; read on a hidden split alone.
        """
        return [RANK_CAUTION * random_number("rank", one) for one in outcomes] if self.hidden else None

    def detectable(self, value: float, revision: int, n_items: int, column: Column = SHARE) -> float:
        """The smallest difference that a board finds: on a hidden split the multiple of a step below or above it, by a
        limit that is drawn once for a column. Every paired difference of the board contributes, and what one question
        changes is far below the step."""
        if not self.hidden:
            return value
        step = interval_step(n_items, column)
        n_steps = max(1, math.floor(value / step + random_number("detectable", revision, column.key)))
        return round(n_steps * step, column.digits)

    # --- Dated snapshots -------------------------------------------------------------------------------------------

    def document(self, document: dict[str, Any]) -> dict[str, Any]:
        """A board's exported document as it may be disclosed. A document from this version is returned unchanged; those
        of earlier versions contain numbers of hidden splits at full precision."""
        if not self.hidden:
            return document
        columns = {
            column["key"]: replace(
                SHARE,
                digits=column["decimals"],
                unit=column.get("unit", SHARE.unit),
                bounds=column.get("bounds", SHARE.bounds),
            )
            for column in document["columns"]
        }
        parts = ("rows", "apart_rows", "pinned_rows")
        shown = document | {part: [self._row(row, columns) for row in document[part]] for part in parts}
        detectable = document.get("detectable")
        if (
            detectable and detectable["n_systems"] > 1
        ):  # with fewer, it is the largest possible and depends on no answer
            column = columns.get(document["asked"]["ranked_by"], SHARE)
            shown["detectable"] = detectable | {
                "difference": self._stepped(detectable["difference"], detectable["n_questions"], column)
            }
        return shown

    @staticmethod
    def _stepped(value: float, n_items: int, column: Column) -> float:
        """Difference that a board of an open split told apart, in steps as `detectable`; a multiple of the step is
        unchanged."""
        step = interval_step(n_items, column)
        if value == round(round(value / step) * step, column.digits):
            return value
        n_steps = max(1, math.floor(value / step + random_number("detectable", repr(value))))
        return round(n_steps * step, column.digits)

    def _row(self, row: dict[str, Any], columns: Mapping[str, Column]) -> dict[str, Any]:
        counted = row["kind"] == "scored" and not row["is_human"]
        n_answered = row["n_answered"] if counted else None
        cells = {
            name: self._cell(cell, columns.get(name, SHARE), self.reason_withheld(name, n_answered, row["n_questions"]))
            for name, cell in row["cells"].items()
        }
        others = {part: [self._row(other, columns) for other in row[part]] for part in ("alternatives",) if part in row}
        return row | {"cells": cells} | others

    def _cell(self, cell: dict[str, Any], column: Column, reason: str) -> dict[str, Any]:
        if reason and any(cell.get(name) is not None for name in ("value", "other_value")):
            gap: dict[str, Any] = {
                name: None for name, value in cell.items() if not isinstance(value, (bool, str, dict))
            }
            gap |= {"best": False, "marked": False, "state": "not_scored", "reason": reason}
            if "n_repeats" in cell:  # a snapshot from before version 0.8.0
                gap["n_repeats"] = 0
            return {name: value for name, value in (cell | gap).items() if name not in ("corrected", "attempts")}

        def disclosed(fields: dict[str, Any], values: Sequence[str], low: str, high: str) -> dict[str, Any]:
            shown: dict[str, Any] = {name: self.number(fields.get(name), column) for name in values}
            return shown | dict(zip((low, high), self.ends(fields.get(low), fields.get(high), column), strict=True))

        shown = disclosed(cell, ("value", "other_value"), "low", "high")
        if "noise" in cell:  # a snapshot from before version 0.8.0
            noise = disclosed(cell, ("noise",), "noise_low", "noise_high")
            shown |= {name: value for name, value in noise.items() if name in cell}
        p_value = cell.get("p_value")
        shown["p_value"] = p_value if p_value in P_BOUNDS else self.p_value(p_value)
        if cell.get("attempts"):
            shown["attempts"] = self.attempts(cell["attempts"], column)
        if cell.get("corrected"):
            shown["corrected"] = cell["corrected"] | disclosed(cell["corrected"], ("value",), "low", "high")
        return cell | shown


def rounded_down(value: float, decimals: int = DECIMALS) -> float:
    """The lower end of an interval, rounded outwards; what exceeds a digit by less than a millionth of it counts as it.

    >>> rounded_down(0.2839), rounded_down(0.283), rounded_down(-0.0004), rounded_down(0.25, 1)
    (0.283, 0.283, -0.001, 0.2)
    """
    scale = 10.0**decimals
    return math.floor(round(value * scale, 6)) / scale + 0.0


def rounded_up(value: float, decimals: int = DECIMALS) -> float:
    """The upper end likewise.

    >>> rounded_up(0.2831), rounded_up(0.283), rounded_up(-0.0004)
    (0.284, 0.283, 0.0)
    """
    return -rounded_down(-value, decimals) + 0.0


def interval_step(n_items: int, column: Column = SHARE) -> float:
    """The step of interval ends of a column's differences on a hidden split with this number of questions."""
    step = max(SMALLEST_STEP, math.ceil(10**DECIMALS * STEP_FACTOR / math.pow(n_items, 1.5)) / 10**DECIMALS)
    return max(step * column.scale, 10.0**-column.digits)


def _held_flags() -> QuerySet[Anomaly]:
    """The flags of files whose scores wait for a maintainer, or whose scores a maintainer decided not to show."""
    return Anomaly.objects.filter(code__in=WITHHOLDING)


OPEN: Final = DisclosureRule(hidden=False)
"""The rule for splits whose answers are public."""
