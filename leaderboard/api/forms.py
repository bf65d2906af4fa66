"""What programs send, parsed where it is not what pages send."""

from typing import Any

from leaderboard.submissions.forms import SubmissionForm

STATEMENT = ("name", "authors", "type")
"""What a submission cannot do without, and a check of its files can."""


class CheckForm(SubmissionForm):
    """A submission that is only to be checked: what was left out altogether is missing, not wrong."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.missing():
            self.fields[name].required = False

    def missing(self) -> list[str]:
        """What a submission would need besides."""
        return [name for name in STATEMENT if name not in self.data]
