"""Scores and answers of single questions, and comparisons of systems."""

from typing import Any

from rest_framework import serializers

from leaderboard.api.serializers.records import serializer_of
from leaderboard.systems.comparison.types import Compared, Difference


class QuestionScoresSerializer(serializers.Serializer[Any]):
    """The scores of one answer."""

    question_id = serializers.CharField()
    answered = serializers.BooleanField(help_text="Whether the file had a line for it.")
    scores = serializers.DictField(
        child=serializers.FloatField(allow_null=True),
        help_text="By score: as the boards' means are made of; null where the question does not count.",
    )


class AnswerSerializer(serializers.Serializer[Any]):
    """An answer."""

    question_id = serializers.CharField(source="qid")
    answer = serializers.CharField(
        source="text", help_text="As sent; of a list, one answer a line. Of several attempts, the first."
    )
    attempts = serializers.ListField(
        child=serializers.CharField(allow_null=True),
        help_text="The answer of each attempt, in their order; null for an attempt without one.",
    )
    citations = serializers.ListField(
        child=serializers.DictField(child=serializers.CharField()),
        help_text="What the answer cites, as sent: `[1]` in it is the first. Of several attempts, those of the first.",
    )


ComparedSystemSerializer = serializer_of(
    Compared, "ComparedSystem", "system name is_human reason n_attempts", system="slug"
)


class ComparedValueSerializer(serializers.Serializer[Any]):
    """A score of a compared system."""

    system = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the 95 % confidence interval.")
    high = serializers.FloatField(allow_null=True, help_text="Upper end of that interval.")


DifferenceSerializer = serializer_of(
    Difference,
    "Difference",
    "system other value low high p_value corrected significant n_items equal_share kappa pearson",
    system=serializers.CharField(help_text="The first."),
    other=serializers.CharField(help_text="The second."),
)


class NotComparedSerializer(serializers.Serializer[Any]):
    """Systems that are not compared in one score."""

    systems = serializers.ListField(child=serializers.CharField())
    reason = serializers.CharField()


class ComparedScoreSerializer(serializers.Serializer[Any]):
    """One score of the compared systems."""

    score = serializers.CharField()
    values = ComparedValueSerializer(many=True)
    differences = DifferenceSerializer(many=True)
    not_compared = NotComparedSerializer(many=True)


class ComparisonSerializer(serializers.Serializer[Any]):
    """Systems compared on one board."""

    benchmark = serializers.CharField()
    split = serializers.CharField()
    setting = serializers.CharField()
    systems = ComparedSystemSerializer(many=True, help_text="Those asked for that can be compared, then the others.")
    scores = ComparedScoreSerializer(many=True)
