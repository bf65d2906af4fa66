"""The next step of a submission: what its owner does now, or waits for."""

from dataclasses import dataclass
from typing import Final

from leaderboard.disclosure import too_few_answered
from leaderboard.publishing.flags import Hold
from leaderboard.submissions.types import CANNOT_RUN, SubmissionView
from scoring.models.run_states import PARKED


@dataclass(frozen=True)
class NextStep:
    """Next step of the owner: one short title, with the reason and the control for it."""

    title: str
    text: str = ""
    tone: str = "info"
    """Tone of the alert, as in `components/alert.html`."""
    action: str = ""
    """``publish``, ``retry`` or ``replace``; empty without one."""


PUBLISH: Final = "Publish, or leave it private"
WITHDRAWN: Final = NextStep(
    "None: withdrawn",
    "This submission is not on any leaderboard. Your files and scores are still stored.",
    "warn",
)
RETRACTED: Final = NextStep("Read the maintainer’s note", "A maintainer retracted this submission.", "bad")
FAILED: Final = NextStep(
    "Retry the failed metrics", "The reasons are below the scores. Your files are still stored.", "bad", "retry"
)
APPROVAL: Final = NextStep("Wait for a maintainer’s approval", "The decision will appear on this page.")
SWITCH: Final = NextStep(
    "Wait for the board to switch",
    "The system joins the board when the maintainers switch it to the revision of these scores. Until then the board "
    "shows scores of the revision before.",
)
REVIEW: Final = NextStep(
    "Wait for a maintainer’s approval",
    "A maintainer reviews some answers before the scores are shown. You need not do anything.",
)
HOLD: Final = NextStep(
    "Wait for a maintainer’s approval",
    "A maintainer decides whether the scores are shown. You need not do anything.",
)
REFUSED: Final = NextStep(
    "Read the maintainer’s reason",
    "The scores of this submission stay private. You can replace the file.",
    "warn",
    "replace",
)
NEWER: Final = NextStep(
    "Publish the newer version",
    "The board shows an earlier version until you publish the newer one. Both remain stored.",
    "info",
    "publish",
)
RETURNED: Final = NextStep(
    "Correct and publish again", "A maintainer returned this submission; see the message below.", "warn", "publish"
)
BASELINE: Final = NextStep(
    "Publish as the baseline",
    "Systems are compared with the first complete one published in this setting. Publish this one, and it is that "
    "baseline, under its name; its scores, and those of all others, follow.",
    "info",
    "publish",
)
RECEIVED: Final = NextStep(
    "Wait: received",
    "Results of a hidden split are shown all together once they are complete. You can close this page.",
)
SCORING: Final = NextStep("Wait: being scored", RECEIVED.text)
ON_BOARD: Final = NextStep("None: on the board", tone="good")
SCORED: Final = NextStep("None: scored", tone="good")


def next_step(view: SubmissionView) -> NextStep:
    if view.state == "withdrawn":
        return WITHDRAWN
    if view.publication.is_retracted:
        return RETRACTED
    waiting: list[Hold] = [*view.reviews, *view.holds]
    if waiting and view.state != "failed":
        return REFUSED if all(one.refused for one in waiting) else REVIEW if view.reviews else HOLD
    if not view.finished:
        if view.split_hidden and not view.for_maintainer:
            return RECEIVED if view.state == "waiting" else SCORING
        if view.state == "waiting":
            return NextStep("Wait: queued", "Scoring starts when a worker is free. You can close this page.")
        return NextStep("Wait: scoring", "This page updates automatically. You can close it; scoring continues.")
    if view.state == "failed":
        return FAILED
    if view.state == "not_configured":
        if view.becomes_baseline and view.can_publish:
            return BASELINE
        if not view.becomes_baseline:
            reasons = dict.fromkeys(run.reason for file in view.files for run in file.runs if run.state in PARKED)
            reason = "" if view.for_maintainer else " ".join(reasons) or CANNOT_RUN
            return NextStep("Wait: not scored yet", reason, "warn")
    elif view.split_hidden:
        reason = too_few_answered()  # with which the scores of such a file are withheld
        short = [
            file.setting_name
            for file in view.files
            if any(score.reason == reason for run in file.runs for score in run.scores)
        ]
        if short:
            return NextStep(f"Complete the file: {', '.join(short).lower()}", reason, "warn", "replace")
    if view.publication.is_waiting:
        return APPROVAL
    if view.publication.is_joining:
        return SWITCH
    if view.has_newer:
        return NEWER
    if view.is_public:
        return ON_BOARD
    if not view.can_publish:
        return SCORED
    if view.publication.is_returned:
        return RETURNED
    who = "your team" if view.team_name else "you"
    text = f"Only {who} and the maintainers can see these scores. Publish them to add the system to the board."
    pending = {run.metric_label for file in view.files for run in file.runs if run.state in PARKED}
    if pending:
        text += (
            f" Not scored yet: {', '.join(sorted(pending))}. Reasons are below; these scores are added automatically."
        )
    return NextStep(PUBLISH, text, "good", "publish")
