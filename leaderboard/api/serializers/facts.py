"""Changing the facts of a system or submission: what a request may send."""

from typing import Any

from rest_framework import serializers

from leaderboard.api.serializers.submissions import UsageSerializer, attribute_fields
from leaderboard.api.serializers.systems import RunFactsSerializer
from leaderboard.models import SystemType


class ChangedFactsSerializer(serializers.Serializer[Any]):
    """Facts to change; what is left out stays, and null states a fact no more."""

    name = serializers.CharField(
        required=False, max_length=200, help_text="A new name has a new address, to which the old one redirects."
    )
    authors = serializers.CharField(required=False, max_length=10_000)
    type = serializers.ChoiceField(required=False, choices=SystemType.choices)
    url = serializers.URLField(required=False, allow_null=True, max_length=500)
    citation = serializers.CharField(required=False, allow_null=True, max_length=2000)
    details = serializers.CharField(required=False, allow_null=True, max_length=10_000)
    run_facts = RunFactsSerializer(required=False, help_text="Those to change.")
    usage = serializers.DictField(
        child=UsageSerializer(),
        required=False,
        help_text="What the answers of a row took in all, by BENCHMARK.SPLIT.SETTING.",
    )


FactsRequestSerializer = type(
    "FactsRequestSerializer", (ChangedFactsSerializer,), attribute_fields(required=False, allow_null=True)
)
