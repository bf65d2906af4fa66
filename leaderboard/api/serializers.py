"""The shapes of the API's answers."""

from typing import Any

from rest_framework import serializers


class ScoreSerializer(serializers.Serializer[Any]):
    """A named number at full precision."""

    name = serializers.CharField()
    value = serializers.FloatField()


class RunSerializer(serializers.Serializer[Any]):
    """One metric's work on one file."""

    metric = serializers.CharField()
    state = serializers.CharField()
    reason = serializers.CharField()
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    position = serializers.IntegerField(allow_null=True, help_text="Place in line; 1 is next.")
    signature = serializers.CharField()
    started_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    scores = ScoreSerializer(many=True)


class FileSerializer(serializers.Serializer[Any]):
    """One uploaded file."""

    setting = serializers.CharField(source="setting_slug")
    filename = serializers.CharField()
    size = serializers.IntegerField()
    sha256 = serializers.CharField()
    n_lines = serializers.IntegerField()
    n_answered = serializers.IntegerField()
    n_questions = serializers.IntegerField()
    warnings = serializers.JSONField(help_text="Groups of problems that did not stop it, as when it was sent.")
    runs = RunSerializer(many=True)


class SubmissionSerializer(serializers.Serializer[Any]):
    """A submission with its files, runs and scores."""

    id = serializers.UUIDField(source="uuid")
    name = serializers.CharField()
    benchmark = serializers.CharField(source="benchmark_slug")
    split = serializers.CharField(source="split_slug")
    state = serializers.CharField()
    finished = serializers.BooleanField()
    is_public = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    url = serializers.CharField(help_text="Its page.")
    files = FileSerializer(many=True)


class SubmissionLineSerializer(serializers.Serializer[Any]):
    """A submission in a list."""

    id = serializers.UUIDField(source="uuid")
    name = serializers.CharField()
    split = serializers.CharField()
    state = serializers.CharField()
    is_public = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    url = serializers.CharField()


class CellSerializer(serializers.Serializer[Any]):
    """One number of a row, or why there is none."""

    score = serializers.CharField(source="column.key")
    value = serializers.FloatField(allow_null=True)
    state = serializers.ChoiceField(choices=["scored", "reported", "ceiling", "not_scored", "other_signature"])
    reason = serializers.CharField()
    best = serializers.BooleanField()
    other_value = serializers.FloatField(
        source="other", allow_null=True, help_text="The value under another signature: not comparable with the rest."
    )


class BoardRowSerializer(serializers.Serializer[Any]):
    """A row of the board."""

    rank = serializers.IntegerField(allow_null=True, help_text="Among systems scored here under one signature.")
    tied = serializers.BooleanField()
    system = serializers.CharField(source="slug")
    name = serializers.CharField()
    authors = serializers.CharField()
    citation = serializers.CharField()
    type = serializers.CharField()
    context_size = serializers.IntegerField(allow_null=True)
    kind = serializers.ChoiceField(choices=["scored", "reported", "ceiling"])
    is_human = serializers.BooleanField()
    published_in = serializers.CharField(source="source", help_text="For reported rows: where.")
    note = serializers.CharField()
    n_answered = serializers.IntegerField(allow_null=True)
    n_questions = serializers.IntegerField()
    published_at = serializers.DateTimeField(allow_null=True)
    scores = CellSerializer(source="cells", many=True)


class BoardSerializer(serializers.Serializer[Any]):
    """A board."""

    benchmark = serializers.CharField(source="benchmark.slug")
    split = serializers.CharField(source="split.slug")
    setting = serializers.CharField(source="setting.slug")
    revision = serializers.CharField(source="split.revision_short")
    n_questions = serializers.IntegerField(source="split.n_questions")
    sort = serializers.CharField()
    signatures = serializers.SerializerMethodField()
    rows = BoardRowSerializer(many=True)
    pinned_rows = BoardRowSerializer(
        many=True, help_text="People, their upper bound and the metrics' ceiling: unranked."
    )
    apart_rows = BoardRowSerializer(many=True, help_text="Rows scored only under other signatures: not comparable.")

    def get_signatures(self, board: Any) -> dict[str, str]:
        """The signature in force for each metric."""
        return {text.split("|", 1)[0]: text for _, text in board.signatures}


class SubmissionRequestSerializer(serializers.Serializer[Any]):
    """What is sent to make a submission, as multipart/form-data; files are fields named by setting."""

    benchmark = serializers.CharField(required=False)
    split = serializers.CharField()
    name = serializers.CharField(max_length=200)
    authors = serializers.CharField(max_length=10_000)
    url = serializers.URLField(required=False)
    citation = serializers.CharField(required=False)
    type = serializers.ChoiceField(choices=["FOUNDATION", "FINETUNE", "PROMPT", "OTHER"])
    context_size = serializers.IntegerField(required=False)
    trained_for_function_calling = serializers.BooleanField(required=False)
    details = serializers.CharField(required=False)
    closedbook = serializers.FileField(required=False)
    openbook = serializers.FileField(required=False)
    evidenceprovided = serializers.FileField(required=False)
