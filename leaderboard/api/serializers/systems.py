"""Systems and their scores."""

from typing import Any

import msgspec
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from leaderboard.api.serializers.addresses import AddressField
from leaderboard.attributes import api_field
from leaderboard.models import EntryKind, FactsChange
from scoring.benchmarks.facts import FACTS, RunFacts, facts_of
from scoring.metrics.asking.letters import Rule

RunFactsSerializer = type(
    "RunFactsSerializer", (serializers.Serializer,), {fact.name: api_field(fact, allow_null=True) for fact in FACTS}
)
FACTS_HELP = "What it states of itself whatever the benchmark; null if nothing, as under double-blind review."


@extend_schema_field(RunFactsSerializer(allow_null=True))
class RunFactsField(serializers.Field[Any, Any, Any, Any]):
    """Run facts, as a system stores them or as a board's document has them; a fact that is not stated is null."""

    def to_representation(self, value: Any) -> Any:
        facts = value if isinstance(value, RunFacts) else facts_of(value)
        return RunFactsSerializer(msgspec.to_builtins(facts)).data if facts else None


class FactChangeSerializer(serializers.Serializer[Any]):
    """A fact that was changed."""

    fact = serializers.CharField(help_text="Its name, as a request that changes it has it, with dots between objects.")
    old = serializers.JSONField(allow_null=True, help_text="null where it was not stated.")
    new = serializers.JSONField(allow_null=True, help_text="null where it is stated no more.")


class FactsChangeSerializer(serializers.Serializer[Any]):
    """Facts that somebody changed at one moment."""

    at = serializers.DateTimeField()
    by = serializers.CharField(source="actor_name", help_text="Username at the time, or the name of a command.")
    changes = serializers.SerializerMethodField()
    former_slug = serializers.CharField(help_text="The system's slug before, if its name changed; empty otherwise.")

    @extend_schema_field(FactChangeSerializer(many=True))
    def get_changes(self, change: FactsChange) -> Any:
        rows = [{"fact": fact, "old": old, "new": new} for fact, (old, new) in change.changes.items()]
        return FactChangeSerializer(rows, many=True).data


ATTRIBUTES = "What it states of itself, by the names that its benchmarks declare; empty under double-blind review."


class SystemLineSerializer(serializers.Serializer[Any]):
    """A system in a list."""

    slug = serializers.CharField()
    name = serializers.CharField()
    authors = serializers.CharField()
    link = serializers.CharField(source="url", help_text="The authors' page about the system.")
    citation = serializers.CharField()
    type = serializers.CharField(source="public_type", help_text="WITHHELD under double-blind review.")
    context_size = serializers.IntegerField(source="attributes.context_size", allow_null=True, help_text="In tokens.")
    trained_for_function_calling = serializers.BooleanField(
        source="attributes.trained_for_function_calling", allow_null=True
    )
    attributes = serializers.DictField(help_text=ATTRIBUTES)
    run_facts = RunFactsField(help_text=FACTS_HELP)
    is_human = serializers.BooleanField()
    url = AddressField("api-system", "slug", help_text="API URL of this system.")
    scores = AddressField("api-system-scores", "slug", help_text="API URL of its scores.")


class PlaceSerializer(serializers.Serializer[Any]):
    """A board that a system is on."""

    benchmark = serializers.CharField(source="split.benchmark.slug")
    split = serializers.CharField(source="split.slug")
    setting = serializers.CharField(source="setting.slug")
    kind = serializers.ChoiceField(choices=EntryKind.choices)
    published_at = serializers.DateTimeField()


class SystemSerializer(SystemLineSerializer):
    """A system."""

    details = serializers.CharField(help_text="What others need to reproduce the answers.")
    page = serializers.CharField(source="get_absolute_url", help_text="URL of its page on this site.")
    boards = serializers.SerializerMethodField()

    @extend_schema_field(PlaceSerializer(many=True))
    def get_boards(self, system: Any) -> Any:
        del system
        return PlaceSerializer(self.context["boards"], many=True).data


class SystemScoreSerializer(serializers.Serializer[Any]):
    """One score of a system."""

    score = serializers.CharField(source="name")
    metric = serializers.CharField()
    value = serializers.FloatField(allow_null=True, help_text="null where it is not shown; see reason.")
    reason = serializers.CharField(help_text="Why there is no value; empty if there is one.")
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the 95 % confidence interval.")
    high = serializers.FloatField(allow_null=True, help_text="Upper end of the 95 % confidence interval.")
    signature = serializers.CharField(help_text="How the score was computed; empty for a reported score.")
    shown = serializers.BooleanField(help_text="Whether boards show and compare this score.")
    revision = serializers.CharField(help_text="The revision of the split; empty for a reported score.")
    n_items = serializers.IntegerField(
        allow_null=True, help_text="Number of answers averaged; 0 if the score is no mean."
    )
    scored_at = serializers.DateTimeField(allow_null=True)


class ResultSerializer(serializers.Serializer[Any]):
    """A system's scores in one split and setting."""

    benchmark = serializers.CharField()
    split = serializers.CharField()
    setting = serializers.CharField()
    kind = serializers.ChoiceField(choices=EntryKind.choices)
    published_in = serializers.CharField(help_text="Source of a reported score.")
    note = serializers.CharField()
    context_size = serializers.IntegerField(allow_null=True, help_text="In tokens.")
    n_answered = serializers.IntegerField(allow_null=True)
    published_at = serializers.DateTimeField()
    scores = SystemScoreSerializer(
        many=True,
        help_text="Scores under all signatures, of each metric on one revision of the questions; those shown on boards "
        "first.",
    )


class QuestionVerdictSerializer(serializers.Serializer[Any]):
    """The judge's verdict on one answer."""

    question_id = serializers.CharField()
    verdict = serializers.CharField(
        help_text=(
            "A letter from A to F; empty for a question without an answer. Of judged lists: correct answers / answers "
            "/ gold answers, or for one gold answer the precision, with `~` and the recomputed similarity of numbers. "
            "Of short answers: correct, incorrect or not attempted, with `/` and the stated confidence in per cent."
        )
    )
    correct = serializers.BooleanField(
        help_text="Whether the verdict counts as correct: the letters B, C and E, an F1 of 1, and correct."
    )
    rule = serializers.ChoiceField(
        choices=[("", "no answer"), *((rule.value, rule.label) for rule in Rule)],
        help_text="The rule that read the letter in the judge's reply; empty for a question without an answer.",
    )
    signature = serializers.CharField(help_text="The judge: its model, prompt and settings.")
