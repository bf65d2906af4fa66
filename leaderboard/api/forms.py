"""Forms for API requests that differ from the requests of pages."""

from typing import Any

from leaderboard.submissions.forms import SubmissionForm

STATEMENT = ("name", "authors", "type")
"""Fields that a submission requires, and a validation of its files does not."""


class CheckForm(SubmissionForm):
    """A submission that is only validated: an omitted field is reported as missing, not as an error."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in self.missing():
            self.fields[name].required = False

    def missing(self) -> list[str]:
        """The fields that a submission would still need."""
        return [name for name in STATEMENT if name not in self.data]
