"""API serializers of studies."""

from typing import Any

from rest_framework import serializers

from humaneval.models import Kind, SamplingMethod, StudyState
from leaderboard.api.serializers.addresses import AddressField


class StudyLineSerializer(serializers.Serializer[Any]):
    """A study in a list."""

    slug = serializers.CharField()
    name = serializers.CharField()
    benchmark = serializers.CharField(source="split.benchmark.slug")
    split = serializers.CharField(source="split.slug")
    setting = serializers.CharField(source="setting.slug")
    state = serializers.ChoiceField(choices=StudyState.choices, help_text="Derived from the opening and closing times.")
    opens_at = serializers.DateTimeField(allow_null=True)
    closes_at = serializers.DateTimeField(allow_null=True)
    url = AddressField("api-study", "slug", help_text="The study with all its fields.")


class StudySerializer(StudyLineSerializer):
    """A study."""

    kind = serializers.ChoiceField(choices=Kind.choices, help_text="What people do in it.")
    owner = serializers.CharField(source="owner.username", help_text="Username of the owner.")
    seats = serializers.IntegerField(help_text="Maximum number of participants.")
    release_hours = serializers.IntegerField(
        allow_null=True, help_text="Hours without activity after which a seat is given to the next person; or never."
    )
    questions_per_participant = serializers.IntegerField()
    drawing = serializers.ChoiceField(choices=SamplingMethod.choices, help_text="Sampling method of the questions.")
    seed = serializers.IntegerField(help_text="Seed of the sampling.")
    answers_per_question = serializers.IntegerField(
        help_text="Target number of answers per question, for balanced and planned sampling."
    )
    question_ids = serializers.ListField(
        child=serializers.CharField(), help_text="Question IDs of the fixed list or of the plan, if the study has one."
    )
    consent_text = serializers.CharField()
    consent_in_full = serializers.CharField(help_text="The consent text with what is stated of the study.")
    contact = serializers.CharField(help_text="Whom participants can ask; may be empty.")
    asks_publication = serializers.BooleanField(
        help_text="Whether participants are asked if their answers may be published."
    )
    instructions = serializers.CharField()
    reward_note = serializers.CharField()
    created_at = serializers.DateTimeField()
