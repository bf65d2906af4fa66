"""Boards: rows, cells and their metadata."""

from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.api.serializers.records import AnyField, serializer_of
from leaderboard.api.serializers.systems import ATTRIBUTES, FACTS_HELP, RunFactsField
from leaderboard.board.attempts import Attempts, Chance
from leaderboard.board.document import Baseline, Detectable, Revision
from leaderboard.board.exports.files import SYSTEM_FORMATS, export_links
from leaderboard.board.table.types import ShownCell, ShownRow
from leaderboard.run_columns import SOURCES


class CorrectedSerializer(serializers.Serializer[Any]):
    """A judge's score, corrected with human grades."""

    value = serializers.FloatField()
    low = serializers.FloatField(help_text="Lower end of the 95 % confidence interval.")
    high = serializers.FloatField(help_text="Upper end of the 95 % confidence interval.")
    n_graded = serializers.IntegerField(help_text="Number of answers graded by people.")
    graded_in = serializers.CharField(source="source", help_text="Source of the grades.")

    def get_attribute(self, instance: Any) -> Any:
        return super().get_attribute(instance) or None


ChanceSerializer = serializer_of(Chance, "Chance", "k value low high")
AttemptsSerializer = serializer_of(
    Attempts,
    "Attempts",
    "n_attempts means spread variance_of_questions variance_of_attempts pass_at pass_hat reason",
    pass_at=ChanceSerializer,
    pass_hat=ChanceSerializer,
)
CellSerializer = serializer_of(
    ShownCell,
    "Cell",
    "score value low high state reason best marked tie_group p_value rank best_rank worst_rank other_value corrected"
    " attempts",
    score=serializers.CharField(source="column.key"),
    state=serializers.ChoiceField(
        choices=["scored", "reported", "graded", "not_scored", "other_signature", *sorted(SOURCES)]
    ),
    corrected=CorrectedSerializer(
        allow_null=True,
        help_text=(
            "Estimate of the judge score corrected with human grades; shown beside the score and never replaces it."
        ),
    ),
    attempts=AttemptsSerializer(
        source="several_attempts",
        allow_null=True,
        help_text="What several attempts at each question say of the score; null for one attempt.",
    ),
)


ROW_KINDS: Final = ["scored", "reported", "graded"]
ROW: Final = (
    "rank best_rank worst_rank tie_group tied system name authors citation type context_size"
    " trained_for_function_calling attributes run_facts kind is_human pinned published_in note n_answered n_questions"
    " published_at evidence scores"
)
OF_ROW: Final[dict[str, str | AnyField]] = {
    "system": "slug",
    "attributes": serializers.DictField(help_text=ATTRIBUTES),
    "run_facts": RunFactsField(source="facts", help_text=FACTS_HELP),
    "kind": serializers.ChoiceField(
        choices=ROW_KINDS,
        help_text="Whether the row was scored on this site, published elsewhere, or graded by hand on this site.",
    ),
    "published_in": "source",
    "scores": CellSerializer(source="cells", many=True),
}
SourceSerializer = serializer_of(ShownRow, "Source", ROW, **OF_ROW)
BoardRowSerializer = serializer_of(ShownRow, "BoardRow", f"{ROW} alternatives", **OF_ROW, alternatives=SourceSerializer)
DetectableSerializer = serializer_of(Detectable, "Detectable", "difference n_questions n_systems")
BoardRevisionSerializer = serializer_of(
    Revision,
    "BoardRevision",
    "revision date metrics",
    revision="short",
    date=serializers.DateField(allow_null=True),
)
BaselineSerializer = serializer_of(
    Baseline, "Baseline", "name slug setting by_default judged_length n_cut n_cut_others"
)


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
        return [{"name": name, "label": label, "url": url} for name, label, url in export_links(board)]

    @extend_schema_field(FormatSerializer(many=True))
    def get_system_exports(self, board: Any) -> list[dict[str, str]]:
        return [
            {"name": known.name, "label": known.label, "url": f"{board.links.url}systems/{{system}}/{known.name}"}
            for known in SYSTEM_FORMATS.values()
        ]
