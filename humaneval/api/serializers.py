"""How the API shows studies."""

from typing import Any

from rest_framework import serializers

from humaneval.models import Drawing, StudyState
from leaderboard.api.serializers.addresses import AddressField


class StudyLineSerializer(serializers.Serializer[Any]):
    """A study in a list."""

    slug = serializers.CharField()
    name = serializers.CharField()
    benchmark = serializers.CharField(source="split.benchmark.slug")
    split = serializers.CharField(source="split.slug")
    setting = serializers.CharField(source="setting.slug")
    state = serializers.ChoiceField(choices=StudyState.choices, help_text="By its dates.")
    opens_at = serializers.DateTimeField(allow_null=True)
    closes_at = serializers.DateTimeField(allow_null=True)
    url = AddressField("api-study", "slug", help_text="All there is to say about it.")


class StudySerializer(StudyLineSerializer):
    """A study."""

    owner = serializers.CharField(source="owner.username", help_text="Whose study it is.")
    seats = serializers.IntegerField(help_text="Participants at most.")
    questions_per_participant = serializers.IntegerField()
    drawing = serializers.ChoiceField(choices=Drawing.choices, help_text="How questions are drawn.")
    seed = serializers.IntegerField(help_text="Of the draw.")
    answers_per_question = serializers.IntegerField(help_text="Wanted for each question, where balanced.")
    question_ids = serializers.ListField(child=serializers.CharField(), help_text="The fixed list, where there is one.")
    consent_text = serializers.CharField()
    instructions = serializers.CharField()
    reward_note = serializers.CharField()
    created_at = serializers.DateTimeField()
