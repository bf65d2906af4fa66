"""Boards: rows, cells and what is known of them."""

from typing import Any

from rest_framework import serializers

RANKS = "Among systems scored here under the signature in force."


class CorrectedSerializer(serializers.Serializer[Any]):
    """A judge's score as people's grades correct it."""

    value = serializers.FloatField()
    low = serializers.FloatField(help_text="Lower end of its 95 % interval.")
    high = serializers.FloatField(help_text="Its upper end.")
    n_graded = serializers.IntegerField(help_text="Answers that people graded.")
    graded_in = serializers.CharField(source="source", help_text="Where the grades are from.")


class CellSerializer(serializers.Serializer[Any]):
    """One number of a row, or why there is none."""

    score = serializers.CharField(source="column.key")
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the value's 95 % bootstrap interval.")
    high = serializers.FloatField(allow_null=True, help_text="Its upper end.")
    state = serializers.ChoiceField(choices=["scored", "reported", "ceiling", "not_scored", "other_signature"])
    reason = serializers.CharField(help_text="Why there is no value; empty if there is one.")
    best = serializers.BooleanField(help_text="The highest of its column among rows of its kind.")
    marked = serializers.BooleanField(help_text="The best of its column, or not significantly different from it.")
    p_value = serializers.FloatField(
        allow_null=True, help_text="Of the difference from the best: paired permutation test, Holm-corrected."
    )
    rank = serializers.IntegerField(allow_null=True, help_text=f"In this column. {RANKS}")
    best_rank = serializers.IntegerField(allow_null=True, help_text="The 95 % range of the rank begins here.")
    worst_rank = serializers.IntegerField(allow_null=True, help_text="And ends here.")
    noise = serializers.FloatField(
        allow_null=True, help_text="Standard deviation over repeated judgings of the same answers."
    )
    n_repeats = serializers.IntegerField(help_text="How often the same answers were judged again.")
    other_value = serializers.FloatField(
        source="other", allow_null=True, help_text="The value under another signature: not comparable with the rest."
    )
    corrected = CorrectedSerializer(
        allow_null=True, help_text="What people's grades make of a judge's score; never in its place."
    )


class BoardRowSerializer(serializers.Serializer[Any]):
    """A row of the board."""

    rank = serializers.IntegerField(allow_null=True, help_text=f"In the first score of the order. {RANKS}")
    best_rank = serializers.IntegerField(allow_null=True, help_text="The 95 % range of the rank begins here.")
    worst_rank = serializers.IntegerField(allow_null=True, help_text="And ends here.")
    tied = serializers.BooleanField()
    system = serializers.CharField(source="slug", help_text="Empty for a line that is no system.")
    name = serializers.CharField()
    authors = serializers.CharField()
    citation = serializers.CharField()
    type = serializers.CharField()
    context_size = serializers.IntegerField(allow_null=True, help_text="In tokens.")
    trained_for_function_calling = serializers.BooleanField(allow_null=True)
    kind = serializers.ChoiceField(
        choices=["scored", "reported", "ceiling"],
        help_text="Scored here, published elsewhere, or of the metrics themselves.",
    )
    is_human = serializers.BooleanField()
    pinned = serializers.CharField(help_text="human, upper-bound or ceiling; empty for a system.")
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
    sort = serializers.CharField(help_text="The order in force.")
    n_total = serializers.IntegerField(help_text="Rows on the whole board, pinned ones left out.")
    n_matching = serializers.IntegerField(help_text="Of these, how many pass the filters.")
    statistics_at = serializers.DateTimeField(
        allow_null=True, help_text="When ranges and marks were computed; none are shown while this is empty."
    )
    statistics_stale = serializers.BooleanField(help_text="Whether ranges and marks are being computed anew.")
    version = serializers.CharField(help_text="Changes whenever anything does that the board shows.")
    signatures = serializers.SerializerMethodField(help_text="By metric: the signature in force.")
    rows = BoardRowSerializer(many=True, help_text="The comparable rows, in order.")
    apart_rows = BoardRowSerializer(many=True, help_text="Rows scored only under other signatures: not comparable.")
    pinned_rows = BoardRowSerializer(
        many=True, help_text="People, upper bound and ceiling: whatever is filtered, and never ranked."
    )

    def get_signatures(self, board: Any) -> dict[str, str]:
        """The signature in force for each metric."""
        return {text.split("|", 1)[0]: text for _, text in board.signatures}
