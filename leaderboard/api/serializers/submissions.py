"""Submissions: requests, state, results and validation reports."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.api.serializers.systems import FACTS_HELP, RunFactsField, RunFactsSerializer
from leaderboard.attributes import api_field
from leaderboard.disclosure import TOLD_HOLDS
from leaderboard.models import PublicationState, SystemType
from leaderboard.publishing.status import OFF_BOARD
from leaderboard.submissions.types import STATE_LABELS
from scoring.benchmarks.attributes import OLD_NAMES
from scoring.benchmarks.declared.template import documented_definitions
from scoring.generations.usage import SUMMED


class ScoreSerializer(serializers.Serializer[Any]):
    """A named score: at full precision for an open split, rounded as on the board for a hidden split."""

    name = serializers.CharField()
    value = serializers.FloatField(allow_null=True, help_text="null where it is not shown; see reason.")
    reason = serializers.CharField(help_text="Why there is no value; empty if there is one.")
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the 95 % confidence interval.")
    high = serializers.FloatField(allow_null=True, help_text="Upper end of the 95 % confidence interval.")


class RunSerializer(serializers.Serializer[Any]):
    """The run of one metric on one file."""

    metric = serializers.CharField()
    state = serializers.CharField(help_text="waiting, running, done, failed, not_configured or cancelled.")
    reason = serializers.CharField(help_text="Why the run is waiting, failed or cannot run.")
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    position = serializers.IntegerField(allow_null=True, help_text="Position in the queue; 1 is next.")
    seconds = serializers.FloatField(
        allow_null=True, help_text="Estimated seconds until the run is scored; null without an estimate."
    )
    n_measured = serializers.IntegerField(help_text="Number of earlier runs of this metric behind the estimate.")
    has_workers = serializers.BooleanField(help_text="Whether a worker for this metric was active recently.")
    signature = serializers.CharField()
    revision = serializers.CharField(help_text="Revision of the questions that the run scores against.")
    shown = serializers.BooleanField(help_text="Whether boards show scores with this signature.")
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    scores = ScoreSerializer(many=True)


class ProblemItemSerializer(serializers.Serializer[Any]):
    """One problem in a file, with its location."""

    code = serializers.CharField()
    severity = serializers.ChoiceField(choices=["error", "warning"])
    line = serializers.IntegerField(
        allow_null=True, help_text="Line number, from 1; null if the problem is about the whole file."
    )
    column = serializers.IntegerField(allow_null=True)
    field = serializers.CharField(allow_null=True)
    question_id = serializers.CharField(allow_null=True)
    found = serializers.CharField(allow_null=True)
    expected = serializers.CharField(allow_null=True)
    fix = serializers.CharField(help_text="How to fix it.")
    message = serializers.CharField(help_text="The problem in one sentence.")


class ProblemGroupSerializer(serializers.Serializer[Any]):
    """All problems of one kind in a file: ``count`` is their total number, ``problems`` lists the first of them."""

    code = serializers.CharField()
    title = serializers.CharField()
    severity = serializers.ChoiceField(choices=["error", "warning"])
    count = serializers.IntegerField()
    n_hidden = serializers.IntegerField(help_text="Number of problems of this kind that are not listed.")
    where = serializers.CharField(
        help_text="Places of the first three problems, such as “lines 3, 9, 12, …”; empty if the whole file is meant."
    )
    problems = ProblemItemSerializer(many=True)
    fix = serializers.CharField()


class FileReportSerializer(serializers.Serializer[Any]):
    """The validation report of one file."""

    setting = serializers.CharField()
    part = serializers.ChoiceField(choices=["answers", "passages"], help_text="What the file holds.")
    filename = serializers.CharField()
    ok = serializers.BooleanField(help_text="Whether the file can be accepted.")
    n_lines = serializers.IntegerField()
    n_questions = serializers.IntegerField()
    n_answered = serializers.IntegerField()
    n_missing = serializers.IntegerField(help_text="Number of questions without a line; they count as unanswered.")
    size = serializers.IntegerField(help_text="In bytes, as sent.")
    text_size = serializers.IntegerField(help_text="In bytes of text, after decompression if the file was compressed.")
    compression = serializers.ChoiceField(
        choices=["gzip"], allow_null=True, help_text="Compression of the file, if any."
    )
    sha256 = serializers.CharField(allow_blank=True)
    n_errors = serializers.IntegerField()
    n_warnings = serializers.IntegerField()
    groups = ProblemGroupSerializer(many=True, help_text="All kinds of problems, errors first.")


class QuotaSerializer(serializers.Serializer[Any]):
    """A quota of the account or of its team, and how much of it is used."""

    unit = serializers.ChoiceField(choices=["submission", "file"])
    period = serializers.CharField()
    team = serializers.BooleanField(source="is_team", help_text="Whether the quota belongs to the team.")
    limit = serializers.IntegerField()
    used = serializers.IntegerField()


class ValidationSerializer(serializers.Serializer[Any]):
    """What a submission of this data would lead to; nothing was stored."""

    valid = serializers.BooleanField(help_text="Always true: errors are returned as a problem document (422).")
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="Fields that were left out but are required for a submission."
    )
    files = FileReportSerializer(many=True)
    quotas = QuotaSerializer(many=True, help_text="The quotas of your account; empty without a token.")


class VersionSerializer(serializers.Serializer[Any]):
    """An earlier version of a file that a newer version replaced, with its scores."""

    version = serializers.IntegerField()
    filename = serializers.CharField()
    sha256 = serializers.CharField()
    n_answered = serializers.IntegerField()
    n_questions = serializers.IntegerField()
    sent_at = serializers.DateTimeField()
    replaced_at = serializers.DateTimeField()
    on_board = serializers.BooleanField(
        help_text="Whether the board shows this version until the newer one is published."
    )
    scores = ScoreSerializer(many=True)


class PassagesSerializer(serializers.Serializer[Any]):
    """The retrieved passages that were sent with a file."""

    filename = serializers.CharField()
    size = serializers.IntegerField(help_text="In bytes, as sent.")
    sha256 = serializers.CharField()
    n_questions = serializers.IntegerField(help_text="Questions with at least one passage.")


class FileSerializer(serializers.Serializer[Any]):
    """An uploaded file, in its current version."""

    setting = serializers.CharField(source="setting_slug")
    version = serializers.IntegerField()
    sent_at = serializers.DateTimeField(allow_null=True)
    on_board = serializers.BooleanField(help_text="Whether the board shows this version.")
    filename = serializers.CharField()
    size = serializers.IntegerField(help_text="In bytes, as sent.")
    text_size = serializers.IntegerField(
        allow_null=True, help_text="In bytes of text; null for files sent before this was recorded."
    )
    compression = serializers.ChoiceField(
        choices=["gzip"], allow_null=True, help_text="Compression of the file, if any."
    )
    sha256 = serializers.CharField()
    n_lines = serializers.IntegerField()
    n_answered = serializers.IntegerField()
    n_questions = serializers.IntegerField()
    warnings = serializers.SerializerMethodField(help_text="Warnings found when the file was sent.")
    passages = PassagesSerializer(allow_null=True)
    usage = serializers.DictField(
        child=serializers.FloatField(), allow_null=True, help_text="What its run took in all, with `n_answers`."
    )
    runs = RunSerializer(many=True)
    earlier = VersionSerializer(many=True, help_text="Earlier versions, newest first.")

    @extend_schema_field(ProblemGroupSerializer(many=True))
    def get_warnings(self, file: Any) -> list[dict[str, Any]]:
        """The warnings as they were stored: those of earlier versions may lack keys."""
        return list(file.warnings)


class EventSerializer(serializers.Serializer[Any]):
    """An event in the history of a submission."""

    at = serializers.DateTimeField()
    text = serializers.CharField()


class PublicationStateSerializer(serializers.Serializer[Any]):
    """The publication state of a submission."""

    state = serializers.ChoiceField(
        choices=["", *PublicationState.values, OFF_BOARD],
        help_text="State of the newest publication request; empty if there is none. joining: it joins "
        "the board when this shows the revision of its scores. off_board: it was approved "
        "but is no longer on the board, because it was unpublished, withdrawn or replaced by a newer "
        "submission with the same name.",
    )
    needs_approval = serializers.BooleanField(help_text="Whether a maintainer must approve publication.")
    anonymous_until = serializers.DateField(allow_null=True)
    pseudonym = serializers.CharField(help_text="The pseudonym shown on the board.")
    message = serializers.CharField(help_text="The maintainer's message, if the request was returned.")
    public_note = serializers.CharField(help_text="Why it was retracted.")
    fingerprint = serializers.CharField(
        help_text="What a publication decides on: it changes with each file, flag and publication request. Send it "
        "as `seen`, to publish exactly what you have read."
    )


STATES = list(STATE_LABELS)


class SubmissionLineSerializer(serializers.Serializer[Any]):
    """A submission in a list."""

    id = serializers.UUIDField(source="uuid")
    name = serializers.CharField()
    benchmark = serializers.CharField(source="benchmark_slug")
    split = serializers.CharField(source="split_slug")
    state = serializers.ChoiceField(choices=STATES)
    is_public = serializers.BooleanField(help_text="Whether it is on the board.")
    team = serializers.CharField(
        source="team_slug", help_text="The team that owns it; empty if the submitter owns it alone."
    )
    created_at = serializers.DateTimeField()
    url = serializers.CharField(help_text="URL of its web page.")


class ScoredRevisionSerializer(serializers.Serializer[Any]):
    """A revision of the questions that runs of a submission score against."""

    revision = serializers.CharField()
    date = serializers.DateField(source="revision_date", allow_null=True)
    shown = serializers.ListField(
        source="on_boards",
        child=serializers.CharField(),
        help_text="Metrics whose scores boards show from this revision.",
    )


class ReviewSerializer(serializers.Serializer[Any]):
    """Why the scores of a file of a hidden split wait for a maintainer's approval."""

    setting = serializers.CharField(source="setting_slug")
    code = serializers.ChoiceField(choices=list(TOLD_HOLDS))
    title = serializers.CharField()
    count = serializers.IntegerField(help_text="Number of answers above the limit.")
    limit = serializers.IntegerField()
    most = serializers.IntegerField(help_text="The largest value of an answer, in the unit of the limit.")
    questions = serializers.ListField(child=serializers.CharField(), help_text="Ids of the first hundred questions.")
    refused = serializers.BooleanField(help_text="Whether a maintainer decided not to show the scores.")
    reason = serializers.CharField(help_text="The maintainer's reason, if they were refused.")


class HoldSerializer(serializers.Serializer[Any]):
    """A file of a hidden split whose scores are held for a maintainer; the cause is not told."""

    setting = serializers.CharField(source="setting_slug")
    refused = serializers.BooleanField(help_text="Whether a maintainer decided not to show the scores.")
    reason = serializers.CharField(help_text="The maintainer's reason, if they were refused.")


class SubmissionSerializer(SubmissionLineSerializer):
    """A submission with its files, runs and scores."""

    finished = serializers.BooleanField(help_text="Whether no run is waiting or running any more.")
    seconds = serializers.FloatField(
        allow_null=True, help_text="Estimated seconds until all runs are finished; null without an estimate."
    )
    publication = PublicationStateSerializer()
    reviews = ReviewSerializer(
        many=True, help_text="Why scores wait for a maintainer, or stay private; empty if they do not."
    )
    holds = HoldSerializer(
        many=True,
        read_only=True,
        help_text="Files whose scores are held for a maintainer, or stay private, for a cause that is not told.",
    )
    shows_answers = serializers.BooleanField(help_text="Whether its answers are public.")
    run_facts = RunFactsField(help_text=FACTS_HELP)
    can_publish = serializers.BooleanField()
    can_retry = serializers.BooleanField()
    files = FileSerializer(many=True)
    revisions = ScoredRevisionSerializer(
        many=True, read_only=True, help_text="Revisions that the runs score against, that of the boards first."
    )
    events = EventSerializer(many=True, read_only=True, help_text="History of the submission, oldest first.")


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


class StatementSerializer(serializers.Serializer[Any]):
    """A system's metadata: the fields of the official template."""

    benchmark = serializers.CharField(required=False, help_text="The first benchmark if omitted.")
    team = serializers.CharField(required=False, help_text="The slug of one of your teams, to submit for that team.")
    split = serializers.CharField(help_text="The split whose questions the files answer, for example dev.")
    name = serializers.CharField(max_length=200, help_text="The system's name as shown on the board.")
    authors = serializers.CharField(max_length=10_000)
    url = serializers.URLField(required=False, max_length=500)
    citation = serializers.CharField(required=False, max_length=2000)
    type = serializers.ChoiceField(choices=SystemType.choices)
    details = serializers.CharField(required=False, max_length=10_000)


class PartialStatementSerializer(StatementSerializer):
    """A system's metadata, in which fields may be omitted."""

    name = serializers.CharField(required=False, max_length=200)
    authors = serializers.CharField(required=False, max_length=10_000)
    type = serializers.ChoiceField(required=False, choices=SystemType.choices)


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
    (ReadingSerializer, FactsSerializer, StatementSerializer),
    attribute_fields() | _file_fields(),
)
ReplacementRequestSerializer = type(
    "ReplacementRequestSerializer", (ReadingSerializer, FactsSerializer), _file_fields()
)
ValidationRequestSerializer = type(
    "ValidationRequestSerializer",
    (ReadingSerializer, FactsSerializer, PartialStatementSerializer),
    attribute_fields() | _file_fields(),
)
