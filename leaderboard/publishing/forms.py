"""Forms about publishing: a submitter's request, and a maintainer's reply."""

from __future__ import annotations

import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.requests import require_day
from leaderboard.publishing.status import PublicationView

NAMED, ANONYMOUS = "named", "anonymous"
WAS_NAMED = "This system was on the board under its name before, so it cannot become anonymous."
TAKES_A_DAY = "Choose the day on which the name becomes public, or publish under the name."


class PublishForm(forms.Form):
    how = forms.ChoiceField(
        label="Name",
        choices=[(NAMED, "Under its name"), (ANONYMOUS, "Anonymously, until a date")],
        widget=forms.RadioSelect,
        initial=NAMED,
        error_messages={"required": "Choose whether to publish under the name or anonymously."},
    )
    anonymous_until = forms.DateField(
        label="Anonymous until",
        required=False,
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        input_formats=["%Y-%m-%d"],
        help_text="For double-blind review. Until this date (UTC), the board shows a pseudonym and no authors, "
        "URL, citation or details.",
        error_messages={"invalid": "Enter the date as YYYY-MM-DD, for example 2027-01-31."},
    )
    shows_traits = forms.BooleanField(
        label="Show its type and attributes, such as its context size, while it is anonymous", required=False
    )
    shows_answers = forms.BooleanField(label="Make the answers public", required=False)

    def __init__(self, *args: Any, publication: PublicationView, **kwargs: Any) -> None:
        """Offer the choices that the state of *publication* allows."""
        super().__init__(*args, **kwargs)
        self.publication = publication
        if publication.split_hidden or publication.pseudonym:
            del self.fields["shows_answers"]
        if publication.pseudonym:  # it stays anonymous; only its owner can reveal it before the day
            del self.fields["how"]
            self.fields["anonymous_until"].required = True
        elif publication.anonymous_until is not None and publication.anonymous_until >= publication.first_day:
            self.fields[
                "how"
            ].initial = ANONYMOUS  # off the board, returned or cancelled: no name is revealed by default
        if publication.pseudonym or self.fields["how"].initial == ANONYMOUS:
            self.fields["anonymous_until"].initial = publication.anonymous_until
            self.fields["shows_traits"].initial = publication.shows_traits
        if not publication.may_be_anonymous:
            for name in ("how", "anonymous_until", "shows_traits"):
                self.fields.pop(name, None)
        else:
            days = {"min": publication.first_day.isoformat(), "max": publication.last_day.isoformat()}
            self.fields["anonymous_until"].widget.attrs |= days

    def clean_anonymous_until(self) -> datetime.date | None:
        """The day, if a row can be anonymous until then."""
        day: datetime.date | None = self.cleaned_data["anonymous_until"]
        if day is not None and self.data.get("how") != NAMED:
            try:
                require_day(day)
            except SubmissionError as error:
                raise ValidationError(str(error), code="out_of_range") from error
        return day

    def clean(self) -> dict[str, Any]:
        """Check that name and day do not contradict each other, so that no name is revealed by mistake."""
        cleaned = super().clean() or self.cleaned_data
        if "how" not in self.fields:
            asked = self.data.get("anonymous_until") or self.data.get("how") == ANONYMOUS
            if asked and not self.publication.may_be_anonymous:
                self.add_error(None, WAS_NAMED)
            return cleaned
        if "anonymous_until" in self.errors:
            return cleaned
        how, day = cleaned.get("how"), cleaned.get("anonymous_until")
        if how == ANONYMOUS and day is None:
            self.add_error("anonymous_until", ValidationError(TAKES_A_DAY, code="required"))
        if how == NAMED and day is not None:
            text = "You chose a date, but also to publish under the name. Choose one of the two."
            self.add_error("how", ValidationError(text, code="contradictory"))
        return cleaned

    def options(self) -> dict[str, Any]:
        """The arguments for `leaderboard.publishing.services.publish_submission`."""
        names = ("shows_answers", "anonymous_until", "shows_traits")
        options = {name: self.cleaned_data[name] for name in names if name in self.cleaned_data}
        return {"shows_answers": self.publication.shows_answers} | options if self.publication.pseudonym else options
