"""Rankings of systems that a judge compared side by side."""

from typing import Any

from rest_framework import serializers

from leaderboard.api.serializers.records import serializer_of
from leaderboard.board.ranking.types import Estimate, RankedSystem

EstimateSerializer = serializer_of(Estimate, "Estimate", "value low high")
RankedSystemSerializer = serializer_of(
    RankedSystem,
    "RankedSystem",
    "rank best_rank worst_rank system slug is_baseline strength win_rate controlled mean_score first_place consistency"
    " n_opponents n_comparisons n_ties n_unparsed",
    system=serializers.CharField(help_text="Its name."),
    slug=serializers.CharField(help_text="Empty for a baseline that is not published."),
    strength=EstimateSerializer,
    win_rate=EstimateSerializer,
    controlled=EstimateSerializer,
    mean_score=EstimateSerializer,
    first_place=EstimateSerializer,
)


class PairSerializer(serializers.Serializer[Any]):
    """Two systems against each other."""

    slug = serializers.CharField()
    opponent_slug = serializers.CharField()
    share = serializers.FloatField(allow_null=True, help_text="Of questions that the first one wins; a tie is half.")
    n_questions = serializers.IntegerField()


class RankingSerializer(serializers.Serializer[Any]):
    """The ranking of a board and its win matrix."""

    benchmark = serializers.CharField(source="benchmark.slug")
    split = serializers.CharField(source="split.slug")
    setting = serializers.CharField(source="setting.slug")
    computed_at = serializers.DateTimeField(allow_null=True)
    stale = serializers.BooleanField(help_text="Whether it is about to be computed again.")
    signature = serializers.CharField(help_text="Of the comparisons.")
    n_questions = serializers.IntegerField(allow_null=True)
    n_comparisons = serializers.IntegerField(allow_null=True)
    n_ties = serializers.IntegerField(allow_null=True)
    n_unparsed = serializers.IntegerField(allow_null=True)
    consistency = serializers.FloatField(allow_null=True)
    first_place = EstimateSerializer(allow_null=True)
    regularised = serializers.BooleanField(
        allow_null=True, help_text="Whether each system was given one tie, because strengths would be infinite without."
    )
    systems = RankedSystemSerializer(many=True, help_text="The strongest first; empty while nothing is compared.")
    matrix = PairSerializer(many=True, help_text="The pairs that were compared.")
