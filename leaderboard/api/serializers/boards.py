"""Boards: rows, cells and their metadata."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.api.serializers.systems import ATTRIBUTES, FACTS_HELP, RunFactsField
from leaderboard.board.exports.files import SYSTEM_FORMATS, export_links
from leaderboard.run_columns import SOURCES

BEST_RANK = "Best rank of the rank range, which holds with 95 % confidence for all systems of the column at once."
TIE_GROUP = "Group of statistical ties, from 1: consecutive systems that are not significantly worse than the first."
ROW_KINDS = ["scored", "reported", "graded"]
RANKS = "Only systems scored on this site with the current signature have a rank."


class CorrectedSerializer(serializers.Serializer[Any]):
    """A judge's score, corrected with human grades."""

    value = serializers.FloatField()
    low = serializers.FloatField(help_text="Lower end of the 95 % confidence interval.")
    high = serializers.FloatField(help_text="Upper end of the 95 % confidence interval.")
    n_graded = serializers.IntegerField(help_text="Number of answers graded by people.")
    graded_in = serializers.CharField(source="source", help_text="Source of the grades.")

    def get_attribute(self, instance: Any) -> Any:
        """The corrected score, or None."""
        return super().get_attribute(instance) or None


class CellSerializer(serializers.Serializer[Any]):
    """One score of a row, or the reason why there is none."""

    score = serializers.CharField(source="column.key")
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the 95 % confidence interval.")
    high = serializers.FloatField(allow_null=True, help_text="Upper end of the 95 % confidence interval.")
    state = serializers.ChoiceField(
        choices=["scored", "reported", "graded", "not_scored", "other_signature", *sorted(SOURCES)]
    )
    reason = serializers.CharField(help_text="Why there is no value; empty if there is one.")
    best = serializers.BooleanField(help_text="Whether this is the best value in the column among rows of its kind.")
    marked = serializers.BooleanField(
        help_text="Whether this is the best value in the column or not significantly worse: `best_rank` is 1."
    )
    tie_group = serializers.IntegerField(allow_null=True, help_text=TIE_GROUP)
    p_value = serializers.FloatField(
        allow_null=True,
        help_text="Smallest p-value of the differences from better systems, corrected for all pairs of systems of the "
        "column; at most 0.05 where `best_rank` is above 1. On a hidden split an upper bound: 0.001, 0.01, 0.05 or 1.",
    )
    rank = serializers.IntegerField(allow_null=True, help_text=f"Rank in this column. {RANKS}")
    best_rank = serializers.IntegerField(allow_null=True, help_text=BEST_RANK)
    worst_rank = serializers.IntegerField(allow_null=True, help_text="Worst rank of that range.")
    other_value = serializers.FloatField(
        allow_null=True,
        help_text="The value under another signature: not comparable with the other rows.",
    )
    corrected = CorrectedSerializer(
        allow_null=True,
        help_text=(
            "Estimate of the judge score corrected with human grades; shown beside the score and never replaces it."
        ),
    )


class SourceSerializer(serializers.Serializer[Any]):
    """The scores of a system from one source."""

    rank = serializers.IntegerField(allow_null=True, help_text=f"Rank by the first score in `sort`. {RANKS}")
    best_rank = serializers.IntegerField(allow_null=True, help_text=BEST_RANK)
    worst_rank = serializers.IntegerField(allow_null=True, help_text="Worst rank of that range.")
    tie_group = serializers.IntegerField(allow_null=True, help_text=TIE_GROUP)
    tied = serializers.BooleanField()
    system = serializers.CharField(source="slug", help_text="Empty for rows that are not systems.")
    name = serializers.CharField()
    authors = serializers.CharField()
    citation = serializers.CharField()
    type = serializers.CharField(help_text="WITHHELD under double-blind review, unless its owner shows it.")
    context_size = serializers.IntegerField(allow_null=True, help_text="In tokens.")
    trained_for_function_calling = serializers.BooleanField(allow_null=True)
    attributes = serializers.DictField(help_text=ATTRIBUTES)
    run_facts = RunFactsField(source="facts", help_text=FACTS_HELP)
    kind = serializers.ChoiceField(
        choices=ROW_KINDS,
        help_text="Whether the row was scored on this site, published elsewhere, or graded by hand on this site.",
    )
    is_human = serializers.BooleanField()
    pinned = serializers.CharField(help_text="human or upper-bound; empty for a system.")
    published_in = serializers.CharField(source="source", help_text="Source of a reported row.")
    note = serializers.CharField()
    n_answered = serializers.IntegerField(allow_null=True)
    n_questions = serializers.IntegerField(allow_null=True, help_text="Empty for reported scores.")
    published_at = serializers.DateTimeField(allow_null=True)
    evidence = serializers.CharField(help_text="Source of the scores: scored, official, paper, graded or empty.")
    scores = CellSerializer(source="cells", many=True)


class DetectableSerializer(serializers.Serializer[Any]):
    """Smallest differences that a board can tell apart."""

    difference = serializers.FloatField(
        help_text="Smallest difference between two systems that is found with 80 % power. 1 or more: there are too "
        "few questions to find any. On a hidden split a multiple of a step, at random that below or above it."
    )
    n_questions = serializers.IntegerField()
    n_systems = serializers.IntegerField(help_text="Number of compared systems.")


class BoardRowSerializer(SourceSerializer):
    """A row of a board."""

    alternatives = SourceSerializer(
        many=True,
        help_text="Other sources of scores of the same system on this board, best evidence first; unranked.",
    )


class BoardRevisionSerializer(serializers.Serializer[Any]):
    """A revision of the questions."""

    revision = serializers.CharField(source="short")
    date = serializers.DateField(allow_null=True)
    metrics = serializers.ListField(
        child=serializers.CharField(), help_text="Metrics whose numbers belong to it, if there are several revisions."
    )


class BaselineSerializer(serializers.Serializer[Any]):
    """The baseline that systems are compared with side by side."""

    name = serializers.CharField(allow_null=True, help_text="Null if it is not published, like `slug`.")
    slug = serializers.CharField(allow_null=True)
    setting = serializers.CharField(help_text="The name of its setting.")
    by_default = serializers.BooleanField(
        allow_null=True, help_text="Whether nobody chose it: the benchmark declares it. Null for an earlier baseline."
    )
    judged_length = serializers.IntegerField(
        default=None, allow_null=True, help_text="The most characters of an answer that the judge gets."
    )
    n_cut = serializers.IntegerField(
        default=None, allow_null=True, help_text="Answers of the baseline of which the judge got only the beginning."
    )
    n_cut_others = serializers.IntegerField(default=None, allow_null=True, help_text="The same of the board's systems.")


class FormatSerializer(serializers.Serializer[Any]):
    """A format of files."""

    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    url = serializers.CharField()


class BoardSerializer(serializers.Serializer[Any]):
    """A board."""

    benchmark = serializers.CharField(source="stored.benchmark.slug")
    split = serializers.CharField(source="stored.split.slug")
    setting = serializers.CharField(source="stored.setting.slug")
    revision = serializers.CharField(
        source="stored.content.short_revision",
        help_text="Revision that the scores made on this site belong to: the first of `revisions`. Without any scores, "
        "the current one.",
    )
    revisions = BoardRevisionSerializer(many=True, help_text="Revisions that the scores made on this site belong to.")
    newer_revision = BoardRevisionSerializer(
        source="stored.content.newer_revision",
        allow_null=True,
        help_text="The current revision of the questions, if some numbers belong to an earlier one.",
    )
    baseline = BaselineSerializer(
        source="stored.content.baseline",
        allow_null=True,
        help_text="Where systems are compared side by side: the baseline of the scores.",
    )
    next_baseline = BaselineSerializer(
        source="stored.content.next_baseline",
        allow_null=True,
        help_text="The baseline that was chosen since, if the scores are against an earlier one.",
    )
    n_questions = serializers.IntegerField(source="stored.content.n_questions")
    sort = serializers.CharField(source="links.sort", help_text="The sort order used.")
    n_total = serializers.IntegerField(help_text="Number of rows on the whole board, without reference rows.")
    n_matching = serializers.IntegerField(help_text="Number of these rows that pass the filters.")
    statistics_at = serializers.DateTimeField(
        source="stored.content.statistics_at",
        allow_null=True,
        help_text=("When rank ranges and significance marks were computed; empty until then, and none are shown."),
    )
    statistics_stale = serializers.BooleanField(
        source="stored.content.statistics_stale",
        help_text="Whether rank ranges and significance marks are being recomputed.",
    )
    stale = serializers.BooleanField(
        source="stored.is_stale", help_text="Whether the board is being updated: a change is not shown yet."
    )
    detectable = DetectableSerializer(
        allow_null=True, help_text="What the board can tell apart by the first score in `sort`; empty without scores."
    )
    version = serializers.CharField(
        source="stored.version", help_text="Changes whenever the content of the board changes."
    )
    signatures = serializers.SerializerMethodField(
        help_text="By metric: the signature of the shown scores that were made on this site."
    )
    exports = serializers.SerializerMethodField(help_text="The board's files, with the filters of this request.")
    system_exports = serializers.SerializerMethodField(
        help_text="The files of one row of a system: put its `slug` in place of `{system}`."
    )
    rows = BoardRowSerializer(many=True, help_text="Comparable rows, in order.")
    apart_rows = BoardRowSerializer(many=True, help_text="Rows scored only under other signatures: not comparable.")
    pinned_rows = BoardRowSerializer(
        many=True, help_text="Human performance and upper bound: never filtered or ranked."
    )

    def get_signatures(self, board: Any) -> dict[str, str]:
        """The signature of each metric that scored a shown row here."""
        by_label = dict(board.signatures)
        named = ((column.metric, by_label.get(column.metric_label)) for column in board.columns)
        return {metric: signature for metric, signature in named if signature is not None}

    @extend_schema_field(FormatSerializer(many=True))
    def get_exports(self, board: Any) -> list[dict[str, str]]:
        """Paths of the files."""
        return [{"name": name, "label": label, "url": url} for name, label, url in export_links(board)]

    @extend_schema_field(FormatSerializer(many=True))
    def get_system_exports(self, board: Any) -> list[dict[str, str]]:
        """Paths with a place for the system."""
        return [
            {"name": known.name, "label": known.label, "url": f"{board.links.url}systems/{{system}}/{known.name}"}
            for known in SYSTEM_FORMATS.values()
        ]
