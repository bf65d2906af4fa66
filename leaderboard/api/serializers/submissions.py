"""Submissions: what is sent, what becomes of it, and what intake found."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.models import PublicationState, SystemType
from leaderboard.publishing.status import OFF_BOARD
from scoring.benchmarks import definitions


class ScoreSerializer(serializers.Serializer[Any]):
    """A named number at full precision."""

    name = serializers.CharField()
    value = serializers.FloatField()
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the value's 95 % bootstrap interval.")
    high = serializers.FloatField(allow_null=True, help_text="Its upper end.")


class RunSerializer(serializers.Serializer[Any]):
    """One metric's work on one file."""

    metric = serializers.CharField()
    state = serializers.CharField(help_text="waiting, running, done, failed, not_configured or cancelled.")
    reason = serializers.CharField(help_text="Why it waits, failed or cannot run.")
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    position = serializers.IntegerField(allow_null=True, help_text="Place in line; 1 is next.")
    seconds = serializers.FloatField(
        allow_null=True, help_text="About how long until it is scored; null where nothing can be told."
    )
    n_measured = serializers.IntegerField(help_text="How many earlier runs of the metric that is told from.")
    has_workers = serializers.BooleanField(help_text="Whether a worker that does this was seen lately.")
    signature = serializers.CharField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    scores = ScoreSerializer(many=True)


class ProblemItemSerializer(serializers.Serializer[Any]):
    """One problem of a file, with its place."""

    code = serializers.CharField()
    severity = serializers.ChoiceField(choices=["error", "warning"])
    line = serializers.IntegerField(allow_null=True, help_text="From 1; none if it is about the whole file.")
    column = serializers.IntegerField(allow_null=True)
    field = serializers.CharField(allow_null=True)
    question_id = serializers.CharField(allow_null=True)
    found = serializers.CharField(allow_null=True)
    expected = serializers.CharField(allow_null=True)
    fix = serializers.CharField(help_text="What to do about it.")
    message = serializers.CharField(help_text="All of this in a sentence.")


class ProblemGroupSerializer(serializers.Serializer[Any]):
    """All problems of one kind in a file: ``count`` is the true number, ``problems`` the first of them."""

    code = serializers.CharField()
    title = serializers.CharField()
    severity = serializers.ChoiceField(choices=["error", "warning"])
    count = serializers.IntegerField()
    n_hidden = serializers.IntegerField(help_text="How many of them are not listed.")
    problems = ProblemItemSerializer(many=True)
    fix = serializers.CharField()


class FileReportSerializer(serializers.Serializer[Any]):
    """What intake found in one file."""

    setting = serializers.CharField()
    filename = serializers.CharField()
    ok = serializers.BooleanField(help_text="Whether it can be taken.")
    n_lines = serializers.IntegerField()
    n_questions = serializers.IntegerField()
    n_answered = serializers.IntegerField()
    n_missing = serializers.IntegerField(help_text="Questions without a line; they count as unanswered.")
    size = serializers.IntegerField(help_text="In bytes, as sent.")
    text_size = serializers.IntegerField(help_text="In bytes of text: the same, or what came out of the compression.")
    compression = serializers.ChoiceField(
        choices=["gzip"], allow_null=True, help_text="How it was compressed, if it was."
    )
    sha256 = serializers.CharField(allow_blank=True)
    n_errors = serializers.IntegerField()
    n_warnings = serializers.IntegerField()
    groups = ProblemGroupSerializer(many=True, help_text="Every kind of problem, errors first.")


class ValidationSerializer(serializers.Serializer[Any]):
    """What would become of a submission; nothing of it was kept."""

    valid = serializers.BooleanField(help_text="Always true: whatever has errors comes back as a problem (422).")
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="Fields that were left out here and that a submission needs."
    )
    files = FileReportSerializer(many=True)


class VersionSerializer(serializers.Serializer[Any]):
    """A version of a file whose place a newer one took, with its scores."""

    version = serializers.IntegerField()
    filename = serializers.CharField()
    sha256 = serializers.CharField()
    n_answered = serializers.IntegerField()
    n_questions = serializers.IntegerField()
    sent_at = serializers.DateTimeField()
    replaced_at = serializers.DateTimeField()
    on_board = serializers.BooleanField(help_text="Whether the board shows it, until the newer one is published.")
    scores = ScoreSerializer(many=True)


class FileSerializer(serializers.Serializer[Any]):
    """One uploaded file, in its current version."""

    setting = serializers.CharField(source="setting_slug")
    version = serializers.IntegerField()
    sent_at = serializers.DateTimeField(allow_null=True)
    on_board = serializers.BooleanField(help_text="Whether the board shows this version.")
    filename = serializers.CharField()
    size = serializers.IntegerField(help_text="In bytes, as sent.")
    text_size = serializers.IntegerField(
        allow_null=True, help_text="In bytes of text; null if it was sent before that was kept."
    )
    compression = serializers.ChoiceField(
        choices=["gzip"], allow_null=True, help_text="How it was compressed, if it was."
    )
    sha256 = serializers.CharField()
    n_lines = serializers.IntegerField()
    n_answered = serializers.IntegerField()
    n_questions = serializers.IntegerField()
    warnings = serializers.SerializerMethodField(help_text="Problems that did not stop it, as when it was sent.")
    runs = RunSerializer(many=True)
    earlier = VersionSerializer(many=True, help_text="The versions before it, the latest first.")

    @extend_schema_field(ProblemGroupSerializer(many=True))
    def get_warnings(self, file: Any) -> list[dict[str, Any]]:
        """As they were reported."""
        return list(file.warnings)


class EventSerializer(serializers.Serializer[Any]):
    """Something that happened to a submission."""

    at = serializers.DateTimeField()
    text = serializers.CharField()


class PublicationStateSerializer(serializers.Serializer[Any]):
    """How a submission stands with the board."""

    state = serializers.ChoiceField(
        choices=["", *PublicationState.values, OFF_BOARD],
        help_text="Of the newest wish to publish it; empty if there is none. off_board: it was approved, and is not on "
        "the board now, because it was taken off or withdrawn, or a newer submission of its name took its place.",
    )
    needs_approval = serializers.BooleanField(help_text="Whether a maintainer looks at it first.")
    anonymous_until = serializers.DateField(allow_null=True)
    pseudonym = serializers.CharField(help_text="The made-up name under which it is on the board now.")
    message = serializers.CharField(help_text="A maintainer's, if it was returned.")
    public_note = serializers.CharField(help_text="Why it was retracted.")


STATES = ["waiting", "running", "done", "failed", "withdrawn", "not_configured"]


class SubmissionLineSerializer(serializers.Serializer[Any]):
    """A submission in a list."""

    id = serializers.UUIDField(source="uuid")
    name = serializers.CharField()
    benchmark = serializers.CharField(source="benchmark_slug")
    split = serializers.CharField(source="split_slug")
    state = serializers.ChoiceField(choices=STATES)
    is_public = serializers.BooleanField(help_text="Whether it is on the board.")
    team = serializers.CharField(source="team_slug", help_text="The team it belongs to; empty if its sender alone.")
    created_at = serializers.DateTimeField()
    url = serializers.CharField(help_text="Its page.")


class SubmissionSerializer(SubmissionLineSerializer):
    """A submission with its files, runs and scores."""

    finished = serializers.BooleanField(help_text="Whether nothing waits or runs any more.")
    seconds = serializers.FloatField(
        allow_null=True, help_text="About how long until all of it is scored; null where nothing can be told."
    )
    publication = PublicationStateSerializer()
    shows_answers = serializers.BooleanField(help_text="Whether everybody may read its answers.")
    can_publish = serializers.BooleanField()
    can_retry = serializers.BooleanField()
    files = FileSerializer(many=True)
    events = serializers.SerializerMethodField(help_text="What happened to it, the oldest first.")

    @extend_schema_field(EventSerializer(many=True))
    def get_events(self, view: Any) -> list[dict[str, Any]]:
        """As its page tells them."""
        return [dict(EventSerializer({"at": at, "text": text}).data) for at, text in view.events]


class PublicationSerializer(serializers.Serializer[Any]):
    """How a submission goes to the board."""

    shows_answers = serializers.BooleanField(
        required=False, help_text="Whether everybody may read the answers too; false if not given."
    )
    anonymous_until = serializers.DateField(
        required=False,
        allow_null=True,
        help_text="The day (UTC) on which its name becomes public, for double-blind review; until then the board shows "
        "a made-up name. If null or not given: under its name at once; what is anonymous on the board already stays "
        "so, and what was to be anonymous until a later day and is off the board is published by name only if it is "
        "null.",
    )
    shows_traits = serializers.BooleanField(
        required=False,
        help_text="Whether type, context size and training for function calling are told while it is anonymous.",
    )


class ConfirmationSerializer(serializers.Serializer[Any]):
    """A word that what cannot be undone is meant."""

    confirm = serializers.BooleanField(help_text="Has to be true.")


class StatementSerializer(serializers.Serializer[Any]):
    """What is said of a system: the fields of the official template."""

    benchmark = serializers.CharField(required=False, help_text="The first benchmark if not given.")
    team = serializers.CharField(
        required=False, help_text="The slug of a team that you are in, for a submission of the team's."
    )
    split = serializers.CharField(help_text="Whose questions the files answer, for example dev.")
    name = serializers.CharField(max_length=200, help_text="As it will stand on the board.")
    authors = serializers.CharField(max_length=10_000)
    url = serializers.URLField(required=False, max_length=500)
    citation = serializers.CharField(required=False, max_length=2000)
    type = serializers.ChoiceField(choices=SystemType.choices)
    context_size = serializers.IntegerField(required=False, min_value=1, help_text="In tokens.")
    trained_for_function_calling = serializers.BooleanField(required=False)
    details = serializers.CharField(required=False, max_length=10_000)


class PartialStatementSerializer(StatementSerializer):
    """The same where fields may be left out."""

    name = serializers.CharField(required=False, max_length=200)
    authors = serializers.CharField(required=False, max_length=10_000)
    type = serializers.ChoiceField(required=False, choices=SystemType.choices)


def _file_fields() -> dict[str, serializers.FileField]:
    """A field for the file of every setting of every benchmark in which systems can be submitted."""
    return {
        setting.slug: serializers.FileField(required=False, help_text=f"Generations: {setting.name.lower()}.")
        for definition in definitions().values()
        for setting in definition.settings_for_submissions
    }


SubmissionRequestSerializer = type("SubmissionRequestSerializer", (StatementSerializer,), _file_fields())
ReplacementRequestSerializer = type("ReplacementRequestSerializer", (serializers.Serializer,), _file_fields())
ValidationRequestSerializer = type("ValidationRequestSerializer", (PartialStatementSerializer,), _file_fields())
