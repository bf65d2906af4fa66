"""Forms of the maintenance pages: quotas, errors that are read."""

from __future__ import annotations

from django import forms

from scoring.models import Benchmark


class QuotaForm(forms.Form):
    """An exception from the quota for a team or a person."""

    benchmark = forms.ModelChoiceField(queryset=Benchmark.objects.all(), to_field_name="slug", empty_label=None)
    kind = forms.ChoiceField(
        label="For", choices=[("team", "A team"), ("user", "A person")], widget=forms.RadioSelect, initial="team"
    )
    name = forms.CharField(
        label="Name",
        max_length=150,
        help_text="A team's name in URLs, or a person's username.",
    )
    per_week = forms.IntegerField(
        label="Submissions per seven days",
        min_value=0,
        max_value=1_000_000,
        required=False,
        help_text="Leave empty for no limit.",
    )
    more_files = forms.IntegerField(
        label="Additional files for hidden splits",
        min_value=0,
        max_value=1_000_000,
        required=False,
        help_text="Added to each limit of a hidden split: files in a day, in 30 days and in total.",
    )
    note = forms.CharField(max_length=400, required=False, help_text="Reason, for other maintainers.")


class ReadForm(forms.Form):
    """Errors up to a time that was shown, which a maintainer has read."""

    key = forms.CharField(max_length=20)
    until = forms.DateTimeField()
