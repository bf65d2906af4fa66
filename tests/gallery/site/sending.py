"""Samples of what bounds and replaces submissions: quotas, versions of files."""

import datetime
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from django import forms

from leaderboard.models import QuotaException, Team, User
from leaderboard.submissions.quotas import Quota
from leaderboard.submissions.types import FileView, ScoreView, SubmissionView
from scoring.benchmarks import definition_of, definitions
from tests.gallery.site.submissions import file_reports, submission
from tests.gallery.site.texts import LONG_NAME, LONG_WORD, NOW, SAMPLE_ID

COLUMNS = definition_of("fanoutqa").columns

NAME = next(iter(definitions().values())).name


def exception() -> QuotaException:
    return QuotaException(pk=1, note=LONG_WORD, made_by=User(username="grace"), made_at=NOW, more_files=50)


def quotas() -> list[Quota]:
    """Some left, none left, none ever; and files for a hidden split."""
    later = NOW + datetime.timedelta(days=2)
    ada, team = User(username="ada"), Team(name=LONG_NAME)
    return [
        Quota(ada, NAME, 20, 7, None),
        Quota(team, NAME, 20, 20, later),
        Quota(Team(name=LONG_WORD), NAME, 0, 0, None, exception()),
        Quota(ada, NAME, 10, 3, None, unit="file", period="in the last 24 hours"),
        Quota(team, NAME, 200, 200, None, unit="file", period="in all"),
    ]


def versions_of(view: SubmissionView) -> SubmissionView:
    """A submission whose first file was replaced twice; the board shows the oldest version."""

    first, *others = view.files
    values = [ScoreView(column, value) for column, value in zip(COLUMNS, (0.4612, 0.0811), strict=False)]

    def version(number: int, **changes: Any) -> FileView:
        of_version: dict[str, Any] = {
            "version": number,
            "filename": LONG_WORD + ".jsonl",
            "n_answered": 700 + number,
            "sent_at": NOW - datetime.timedelta(days=9 - number),
            "sent_by": "ada",
            "replaced_at": NOW - datetime.timedelta(days=8 - number),
            "on_board": number == 1,
            "runs": [replace(first.runs[0], scores=values)],
        }
        return replace(first, **(of_version | changes))

    current = replace(
        first,
        version=3,
        sent_at=NOW,
        sent_by="a-member-of-the-team-with-a-rather-long-user-name",
        replace_url="?page=replace",
        earlier=[version(2, runs=[]), version(1)],
    )
    return replace(view, files=[current, *others], is_public=True, has_newer=True)


def replaced() -> SubmissionView:
    """A scored submission of a team with several versions of a file."""
    return versions_of(submission("done", team_name="Night shift", team_slug="night-shift"))


class SampleReplacementForm(forms.Form):
    """One file and the box to tick."""

    openbook = forms.FileField(label="Open book", help_text="The question and a search tool.")
    confirm_missing = forms.BooleanField(
        label="Submit with missing answers", required=False, help_text="Each scores 0."
    )


class SampleQuotaForm(forms.Form):
    """A quota for somebody."""

    benchmark = forms.ChoiceField(choices=[("sample", NAME)])
    kind = forms.ChoiceField(label="For", choices=[("team", "A team"), ("user", "A person")], widget=forms.RadioSelect)
    name = forms.CharField(max_length=150, help_text="A team's short name, or the name of the account.")
    per_week = forms.IntegerField(label="Submissions each week", min_value=0, required=False)
    more_files = forms.IntegerField(label="Additional files for hidden splits", min_value=0, required=False)
    note = forms.CharField(max_length=400, required=False)


def replacement() -> dict[str, Any]:
    """The page on which a file is replaced, after a refused try."""
    form = SampleReplacementForm({})
    form.add_error("openbook", "results.jsonl: 12,043 ids are unknown: lines 1, 2, 3, …")
    return {
        "submission": SimpleNamespace(pk=SAMPLE_ID, name=LONG_NAME, get_absolute_url="?page=submission"),
        "file": SimpleNamespace(
            setting=SimpleNamespace(name="Open book", slug="openbook"),
            version=2,
            filename=LONG_WORD + ".jsonl",
            size=412_311,
            n_answered=721,
            n_questions=724,
        ),
        "form": form,
        "file_fields": [form["openbook"]],
        "file_reports": file_reports()[:1],
        "on_board": True,
        "quotas": quotas()[:2],
        "limits": {"upload_mb": 32},
    }


def console() -> dict[str, Any]:
    """The maintainers' page of quotas."""
    parties = [*quotas()[:3], Quota(Team(name="Night shift"), NAME, None, 0, None, exception())]
    form = SampleQuotaForm({"kind": "team", "name": "nobody"})
    form.add_error("name", "The team “nobody” does not exist.")
    benchmark = SimpleNamespace(name=NAME, slug="sample")
    return {
        "quotas": [SimpleNamespace(benchmark=benchmark, limit=20, quotas=parties)],
        "form": form,
    }
