"""Rankings of systems that a judge compared side by side."""

from typing import Any

from rest_framework import serializers

from leaderboard.api.serializers.boards import BEST_RANK

NOT_SHOWN = "Empty where it is not shown: on hidden splits, or with too few questions."


class EstimateSerializer(serializers.Serializer[Any]):
    """A number with its interval."""

    value = serializers.FloatField()
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the 95 % confidence interval over questions.")
    high = serializers.FloatField(allow_null=True, help_text="Upper end of that interval.")


class RankedSystemSerializer(serializers.Serializer[Any]):
    """A system in a ranking."""

    rank = serializers.IntegerField(allow_null=True, help_text="By strength; empty without a comparison.")
    best_rank = serializers.IntegerField(allow_null=True, help_text=BEST_RANK)
    worst_rank = serializers.IntegerField(allow_null=True, help_text="Worst rank of that range.")
    system = serializers.CharField(help_text="Its name.")
    slug = serializers.CharField(help_text="Empty for a baseline that is not published.")
    is_baseline = serializers.BooleanField()
    strength = EstimateSerializer(allow_null=True, help_text="Logarithm of odds (Bradley and Terry), mean 0.")
    win_rate = EstimateSerializer(allow_null=True, help_text="Against the baseline, from 0 to 1.")
    controlled = EstimateSerializer(
        allow_null=True,
        help_text="The win rate if both answers were equally long, fitted with all systems of the board. Empty where "
        "it cannot be estimated.",
    )
    mean_score = EstimateSerializer(allow_null=True, help_text="The judge's score beside the baseline, to 100.")
    first_place = EstimateSerializer(
        allow_null=True, help_text=f"Mean outcome for the answer shown first; 0.5 without bias. {NOT_SHOWN}"
    )
    consistency = serializers.FloatField(
        allow_null=True, help_text=f"Share of comparisons with the same result in both orders. {NOT_SHOWN}"
    )
    n_opponents = serializers.IntegerField()
    n_comparisons = serializers.IntegerField(help_text="A comparison is a question with an opponent, in both orders.")
    n_ties = serializers.IntegerField(allow_null=True)
    n_unparsed = serializers.IntegerField(help_text="Further comparisons whose reply could not be read.")


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
