"""Submissions: requests, state, results and validation reports."""

from typing import Any, Final, cast

from django import forms
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.api.serializers.records import AnyField, serializer_of
from leaderboard.api.serializers.systems import FACTS_HELP, RunFactsField, RunFactsSerializer
from leaderboard.attributes import api_field
from leaderboard.disclosure import TOLD_HOLDS
from leaderboard.models import PublicationState, SystemType
from leaderboard.publishing.flags import Hold, Review
from leaderboard.publishing.status import OFF_BOARD, PublicationView
from leaderboard.submissions.forms import SystemForm
from leaderboard.submissions.intake import FileReport
from leaderboard.submissions.quotas import Quota
from leaderboard.submissions.types import (
    STATE_LABELS,
    Event,
    FileView,
    RunView,
    ScoreView,
    SubmissionLine,
    SubmissionView,
)
from scoring.benchmarks.attributes import OLD_NAMES
from scoring.benchmarks.declared.template import documented_definitions
from scoring.generations.problems import Problem, ProblemGroup
from scoring.generations.usage import SUMMED

ScoreSerializer = serializer_of(ScoreView, "Score", "name value reason low high")
RunSerializer = serializer_of(
    RunView,
    "Run",
    "metric state reason done total position seconds n_measured has_workers signature revision shown started_at"
    " finished_at scores",
    scores=ScoreSerializer,
)


ProblemItemSerializer = serializer_of(
    Problem,
    "ProblemItem",
    "code severity line column field question_id attempt found expected fix message",
    found=serializers.CharField(allow_null=True),
    expected=serializers.CharField(allow_null=True),
)
ProblemGroupSerializer = serializer_of(
    ProblemGroup, "ProblemGroup", ProblemGroup.REPORTED, problems=ProblemItemSerializer
)
FileReportSerializer = serializer_of(
    FileReport,
    "FileReport",
    f"setting part filename {FileReport.REPORTED}",
    setting="setting_slug",
    part=serializers.ChoiceField(choices=["answers", "passages"], help_text="What the file holds."),
    groups=ProblemGroupSerializer,
)
QuotaSerializer = serializer_of(
    Quota,
    "Quota",
    "unit period team limit used",
    unit=serializers.ChoiceField(choices=["submission", "file"]),
    team="is_team",
    limit=serializers.IntegerField(),
)


class ValidationSerializer(serializers.Serializer[Any]):
    """What a submission of this data would lead to; nothing was stored."""

    valid = serializers.BooleanField(help_text="Always true: errors are returned as a problem document (422).")
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="Fields that were left out but are required for a submission."
    )
    files = FileReportSerializer(many=True)
    quotas = QuotaSerializer(many=True, help_text="The quotas of your account; empty without a token.")


@extend_schema_field(ProblemGroupSerializer(many=True))
class WarningsField(serializers.ReadOnlyField):
    """Warnings as they were stored: those of earlier versions may lack keys."""


class PassagesSerializer(serializers.Serializer[Any]):
    """The retrieved passages that were sent with a file."""

    filename = serializers.CharField()
    size = serializers.IntegerField(help_text="In bytes, as sent.")
    sha256 = serializers.CharField()
    n_questions = serializers.IntegerField(help_text="Questions with at least one passage.")


VersionSerializer = serializer_of(
    FileView,
    "Version",
    "version filename sha256 n_attempts n_answered n_questions sent_at replaced_at on_board scores",
    sent_at=serializers.DateTimeField(),
    replaced_at=serializers.DateTimeField(),
    scores=ScoreSerializer,
)
FileSerializer = serializer_of(
    FileView,
    "File",
    "setting version sent_at on_board filename size text_size compression sha256 n_lines n_attempts n_answered"
    " n_questions"
    " warnings passages usage runs earlier",
    setting="setting_slug",
    warnings=WarningsField(help_text="Warnings found when the file was sent."),
    passages=PassagesSerializer,
    runs=RunSerializer,
    earlier=VersionSerializer,
)
EventSerializer = serializer_of(Event, "Event", "at text")
PublicationStateSerializer = serializer_of(
    PublicationView,
    "PublicationState",
    "state needs_approval anonymous_until pseudonym message public_note fingerprint",
    state=serializers.ChoiceField(
        choices=["", *PublicationState.values, OFF_BOARD],
        help_text="State of the newest publication request; empty if there is none. joining: it joins "
        "the board when this shows the revision of its scores. off_board: it was approved "
        "but is no longer on the board, because it was unpublished, withdrawn or replaced by a newer "
        "submission with the same name.",
    ),
)
STATES: Final = list(STATE_LABELS)
LINE: Final = "id name benchmark split state is_public team created_at url"
OF_LINE: Final[dict[str, str | AnyField]] = {
    "id": "uuid",
    "benchmark": "benchmark_slug",
    "split": "split_slug",
    "state": serializers.ChoiceField(choices=STATES),
    "team": "team_slug",
}
SubmissionLineSerializer = serializer_of(SubmissionLine, "SubmissionLine", LINE, **OF_LINE)


class ScoredRevisionSerializer(serializers.Serializer[Any]):
    """A revision of the questions that runs of a submission score against."""

    revision = serializers.CharField()
    date = serializers.DateField(source="revision_date", allow_null=True)
    shown = serializers.ListField(
        source="on_boards",
        child=serializers.CharField(),
        help_text="Metrics whose scores boards show from this revision.",
    )


ReviewSerializer = serializer_of(
    Review,
    "Review",
    "setting code title count limit most questions refused reason",
    setting="setting_slug",
    code=serializers.ChoiceField(choices=list(TOLD_HOLDS)),
)
HoldSerializer = serializer_of(Hold, "Hold", "setting refused reason", setting="setting_slug")
SubmissionSerializer = serializer_of(
    SubmissionView,
    "Submission",
    f"{LINE} finished seconds publication reviews holds shows_answers run_facts can_publish can_retry files revisions"
    " events",
    **OF_LINE,
    publication=PublicationStateSerializer,
    reviews=ReviewSerializer,
    holds=HoldSerializer,
    run_facts=RunFactsField(help_text=FACTS_HELP),
    files=FileSerializer,
    revisions=ScoredRevisionSerializer,
    events=EventSerializer,
)


class PublicationSerializer(serializers.Serializer[Any]):
    """Options for publishing a submission."""

    shows_answers = serializers.BooleanField(
        required=False, help_text="Whether to make the answers public too; false if omitted."
    )
    anonymous_until = serializers.DateField(
        required=False,
        allow_null=True,
        help_text="The day (UTC) on which the name becomes public, for double-blind review; until then the "
        "board shows a pseudonym. If null or omitted, the submission is published under its name at "
        "once, with two exceptions: a submission that is anonymous on the board stays anonymous, and "
        "a submission that is off the board and was to be anonymous until a later day is published "
        "by name only if this is null.",
    )
    shows_traits = serializers.BooleanField(
        required=False,
        help_text="Whether to show type and attributes while it is anonymous.",
    )
    seen = serializers.CharField(
        required=False,
        max_length=64,
        help_text="The `publication.fingerprint` that you read. If the submission has changed since, for example by a "
        "newer file of a colleague, nothing is published (409). If omitted, what is there now is published. Required "
        "if somebody else has sent a file of the submission.",
    )


class ConfirmationSerializer(serializers.Serializer[Any]):
    """Confirmation of an action that cannot be undone."""

    confirm = serializers.BooleanField(help_text="Must be true.")


class TargetSerializer(serializers.Serializer[Any]):
    """What a submission is for."""

    benchmark = serializers.CharField(required=False, help_text="The first benchmark if omitted.")
    team = serializers.CharField(required=False, help_text="The slug of one of your teams, to submit for that team.")
    split = serializers.CharField(help_text="The split whose questions the files answer, for example dev.")


def metadata_fields(*, may_be_omitted: bool = False, may_be_null: bool = False) -> dict[str, AnyField]:
    """A field for each one of the official template, as the form has it: with its length, help and choices.

    Args:
        may_be_omitted: whether even what a submission requires may be omitted.
        may_be_null: whether the others may be null.
    """
    fields: dict[str, AnyField] = {}
    for name, known in SystemForm.base_fields.items():
        options: dict[str, Any] = {"required": known.required and not may_be_omitted, "help_text": known.help_text}
        if may_be_null and not known.required:
            options["allow_null"] = True
        if isinstance(known, forms.ChoiceField):
            fields[name] = serializers.ChoiceField(choices=SystemType.choices, **options)
        else:
            kind = serializers.URLField if isinstance(known, forms.URLField) else serializers.CharField
            fields[name] = kind(max_length=cast("forms.CharField", known).max_length, **options)
    return fields


def _file_fields() -> dict[str, serializers.FileField]:
    """A file field for every setting that accepts submissions, over the packaged benchmarks: the schema is the same on
    every site, and the fields of declared ones are described in words."""
    settings = [setting for definition in documented_definitions() for setting in definition.settings_for_submissions]
    passages = {
        f"{setting.slug}_passages": serializers.FileField(
            required=False,
            help_text=f"Retrieved passages: {setting.name.lower()}; "
            "only with the answers, where the benchmark takes them.",
        )
        for setting in settings
        if setting.passages
    }
    return {
        setting.slug: serializers.FileField(required=False, help_text=f"Generations: {setting.name.lower()}.")
        for setting in settings
    } | passages


class ReadingSerializer(serializers.Serializer[Any]):
    """How the answers of a file are read."""

    separator = serializers.CharField(
        required=False,
        max_length=20,
        help_text="For benchmarks whose answers are lists: what divides the answers of a list that is sent as one "
        "text, as in the ALCE protocol. Only the first line counts; citations such as [1] are removed.",
    )
    answer_field = serializers.CharField(
        required=False,
        max_length=200,
        help_text="For logs of frameworks: the field with the answers, if not the usual one. A validation names the "
        "field that is read, and the others.",
    )


UsageSerializer = type(
    "UsageSerializer",
    (serializers.Serializer,),
    {
        known.name: (serializers.IntegerField if known.whole else serializers.FloatField)(
            required=False, min_value=0, max_value=int(known.most), help_text=known.help
        )
        for known in SUMMED
    },
)


class FactsSerializer(serializers.Serializer[Any]):
    """Facts about the runs of a submission."""

    run_facts = RunFactsSerializer(
        required=False, help_text="What the system states of itself whatever the benchmark, as JSON."
    )
    usage = serializers.DictField(
        child=UsageSerializer(),
        required=False,
        help_text="What the run of each setting took in all, as JSON by setting. A file may state it for each question "
        "instead, in the key `usage` of its lines; a total that is stated here counts instead of their sum.",
    )


def attribute_fields(**options: Any) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
    """A field for every attribute of systems, likewise."""
    attributes = [attribute for definition in documented_definitions() for attribute in definition.attributes]
    return {
        name: api_field(attribute, **options)
        for name, attribute in {**{attribute.name: attribute for attribute in attributes}, **OLD_NAMES}.items()
    }


SubmissionRequestSerializer = type(
    "SubmissionRequestSerializer",
    (ReadingSerializer, FactsSerializer, TargetSerializer),
    metadata_fields() | attribute_fields() | _file_fields(),
)
ReplacementRequestSerializer = type(
    "ReplacementRequestSerializer", (ReadingSerializer, FactsSerializer), _file_fields()
)
ValidationRequestSerializer = type(
    "ValidationRequestSerializer",
    (ReadingSerializer, FactsSerializer, TargetSerializer),
    metadata_fields(may_be_omitted=True) | attribute_fields() | _file_fields(),
)


class ChangedFactsSerializer(serializers.Serializer[Any]):
    """Facts to change; what is left out stays, null states a fact no more, and a new name has a new address."""

    run_facts = RunFactsSerializer(required=False, help_text="Those to change.")
    usage = serializers.DictField(
        child=UsageSerializer(),
        required=False,
        help_text="What the answers of a row took in all, by BENCHMARK.SPLIT.SETTING.",
    )


FactsRequestSerializer = type(
    "FactsRequestSerializer",
    (ChangedFactsSerializer,),
    metadata_fields(may_be_omitted=True, may_be_null=True) | attribute_fields(required=False, allow_null=True),
)
