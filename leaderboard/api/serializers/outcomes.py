"""Scores and answers of single questions, and comparisons of systems."""

from typing import Any

from rest_framework import serializers

P_VALUE = "Of the paired test. On a hidden split an upper bound: 0.001, 0.01, 0.05 or 1."


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
    answer = serializers.CharField(source="text", help_text="As sent; of a list, one answer a line.")


class ComparedSystemSerializer(serializers.Serializer[Any]):
    """A system in a comparison."""

    system = serializers.CharField(source="slug")
    name = serializers.CharField()
    is_human = serializers.BooleanField()
    reason = serializers.CharField(help_text="Why it cannot be compared here; empty if it can.")


class ComparedValueSerializer(serializers.Serializer[Any]):
    """A score of a compared system."""

    system = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the 95 % confidence interval.")
    high = serializers.FloatField(allow_null=True, help_text="Upper end of that interval.")


class DifferenceSerializer(serializers.Serializer[Any]):
    """The first system minus the second, over the same questions."""

    system = serializers.CharField(help_text="The first.")
    other = serializers.CharField(help_text="The second.")
    value = serializers.FloatField()
    low = serializers.FloatField(help_text="Lower end of the 95 % confidence interval of the difference.")
    high = serializers.FloatField(help_text="Upper end of that interval.")
    p_value = serializers.FloatField(help_text=P_VALUE)
    corrected = serializers.FloatField(help_text="The same, corrected (Holm) for the pairs compared in this score.")
    significant = serializers.BooleanField(help_text="Whether `corrected` is at most 0.05.")
    n_items = serializers.IntegerField(help_text="Number of answers of each.")
    equal_share = serializers.FloatField(
        allow_null=True, help_text="Share of questions with the same outcome; like the next two, not of a hidden split."
    )
    kappa = serializers.FloatField(allow_null=True, help_text="Cohen's kappa, if every outcome is 0 or 1.")
    pearson = serializers.FloatField(allow_null=True, help_text="Correlation of the outcomes.")


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
