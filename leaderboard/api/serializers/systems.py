"""Systems and their scores."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.api.serializers.addresses import AddressField
from leaderboard.models import EntryKind


class SystemLineSerializer(serializers.Serializer[Any]):
    """A system in a list."""

    slug = serializers.CharField()
    name = serializers.CharField()
    authors = serializers.CharField()
    link = serializers.CharField(source="url", help_text="Its own page on the web, as its authors gave it.")
    citation = serializers.CharField()
    type = serializers.CharField()
    context_size = serializers.IntegerField(allow_null=True, help_text="In tokens.")
    trained_for_function_calling = serializers.BooleanField(allow_null=True)
    is_human = serializers.BooleanField()
    url = AddressField("api-system", "slug", help_text="This system.")
    scores = AddressField("api-system-scores", "slug", help_text="Its scores.")


class PlaceSerializer(serializers.Serializer[Any]):
    """A board that a system is on."""

    benchmark = serializers.CharField(source="split.benchmark.slug")
    split = serializers.CharField(source="split.slug")
    setting = serializers.CharField(source="setting.slug")
    kind = serializers.ChoiceField(choices=EntryKind.choices)
    published_at = serializers.DateTimeField()


class SystemSerializer(SystemLineSerializer):
    """A system."""

    details = serializers.CharField(help_text="What another person needs to make the same answers.")
    page = serializers.CharField(source="get_absolute_url", help_text="Its page on this site.")
    boards = serializers.SerializerMethodField()

    @extend_schema_field(PlaceSerializer(many=True))
    def get_boards(self, system: Any) -> Any:
        """The boards that it is on, as the view has found them."""
        del system
        return PlaceSerializer(self.context["boards"], many=True).data


class SystemScoreSerializer(serializers.Serializer[Any]):
    """One number of a system."""

    score = serializers.CharField(source="name")
    metric = serializers.CharField()
    value = serializers.FloatField()
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the 95 % bootstrap interval of the value.")
    high = serializers.FloatField(allow_null=True, help_text="Its upper end.")
    signature = serializers.CharField(help_text="How the number was made; empty for a reported one.")
    shown = serializers.BooleanField(help_text="Whether it is the one that boards show and compare.")
    revision = serializers.CharField(help_text="Against which revision of the split; empty for a reported number.")
    n_items = serializers.IntegerField(allow_null=True, help_text="Of how many answers the value is the mean.")
    scored_at = serializers.DateTimeField(allow_null=True)


class ResultSerializer(serializers.Serializer[Any]):
    """A system's numbers in one split and setting."""

    benchmark = serializers.CharField()
    split = serializers.CharField()
    setting = serializers.CharField()
    kind = serializers.ChoiceField(choices=EntryKind.choices)
    published_in = serializers.CharField(help_text="For reported numbers: where.")
    note = serializers.CharField()
    context_size = serializers.IntegerField(allow_null=True, help_text="In tokens.")
    n_answered = serializers.IntegerField(allow_null=True)
    published_at = serializers.DateTimeField()
    scores = SystemScoreSerializer(many=True, help_text="Under every signature, those that are shown first.")
