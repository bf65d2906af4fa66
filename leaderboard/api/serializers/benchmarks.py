"""Benchmarks, splits, revisions, settings and questions."""

from typing import Any

from rest_framework import serializers
from rest_framework.reverse import reverse

from leaderboard.api.serializers.addresses import AddressField
from leaderboard.api.serializers.records import serializer_of
from scoring.benchmarks.attributes import Attribute
from scoring.benchmarks.declared.context import is_picture
from scoring.metrics.columns import UNITS, Column


class RevisionSerializer(serializers.Serializer[Any]):
    """A revision of a split: its questions and reference answers at one time."""

    id = serializers.CharField(source="short_hash", help_text="As it appears in signatures, after the split and an @.")
    content_hash = serializers.CharField(help_text="SHA-256 of questions and reference answers.")
    questions_hash = serializers.CharField(help_text="SHA-256 of the questions only.")
    date = serializers.DateField(help_text="When this revision was published.")
    note = serializers.CharField()
    n_questions = serializers.IntegerField()
    has_references = serializers.BooleanField(
        help_text="Whether this site has the reference answers, if scoring needs any."
    )
    current = serializers.BooleanField()


class SplitSerializer(serializers.Serializer[Any]):
    """A split of a benchmark's questions."""

    slug = serializers.CharField()
    name = serializers.CharField()
    hidden = serializers.BooleanField(help_text="Whether per-question results stay private.")
    opens = serializers.DateTimeField(allow_null=True, help_text="When files are accepted from; null: at once.")
    closes = serializers.DateTimeField(allow_null=True, help_text="When files are accepted until; null: always.")
    phase = serializers.ChoiceField(
        ("draft", "upcoming", "open", "closed", "archived"),
        help_text="Whether files are accepted now: with open, and with draft from those who see it.",
    )
    final_shown = serializers.BooleanField(
        help_text="Whether boards rank by the part of the questions that was kept until the split closed."
    )
    n_questions = serializers.IntegerField()
    attempts = serializers.IntegerField(
        allow_null=True, help_text="How often a file answers each question; null: any number from 1 to 100."
    )
    revision = serializers.CharField(help_text="The current revision; empty if none has been imported.")
    url = AddressField("api-split", "benchmark", "slug", help_text="API URL of this split, with its revisions.")
    questions = AddressField("api-questions", "benchmark", "slug", help_text="API URL of its questions.")
    croissant = AddressField("split-croissant", "benchmark", "slug", help_text="URL of its description in Croissant.")


class SplitDetailSerializer(SplitSerializer):
    """A split of a benchmark's questions, with all its revisions."""

    benchmark = serializers.CharField()
    revisions = RevisionSerializer(many=True, help_text="Newest first.")
    signatures = serializers.DictField(
        child=serializers.CharField(), help_text="By metric: the signature of the scores on the boards."
    )


class SettingSerializer(serializers.Serializer[Any]):
    """A setting: what a system is given in addition to the question."""

    slug = serializers.CharField(help_text="Also the name of its file field in a submission.")
    name = serializers.CharField()
    description = serializers.CharField()
    accepts_submissions = serializers.BooleanField()


ColumnSerializer = serializer_of(
    Column,
    "Column",
    "score metric label description default higher_is_better unit bounds",
    unit=serializers.CharField(
        help_text=f"What its numbers count: {', '.join(UNITS)}. Shares are of 1, never per cent."
    ),
)
AttributeSerializer = serializer_of(Attribute, "Attribute", "name label help kind board choices unit")


class BenchmarkLineSerializer(serializers.Serializer[Any]):
    """A benchmark in a list."""

    slug = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField()
    url = AddressField(
        "api-benchmark", "slug", help_text="API URL of this benchmark, with its splits, settings and columns."
    )


class BenchmarkSerializer(BenchmarkLineSerializer):
    """A benchmark."""

    citation = serializers.CharField(help_text="Citation of the benchmark.")
    homepage = serializers.CharField()
    licence = serializers.CharField(help_text="License of the data.")
    task_type = serializers.CharField(help_text="What its answers are, for example text-answer or answer-list.")
    remove_reasoning = serializers.BooleanField(
        help_text="Whether blocks of reasoning are removed from answers before they are scored."
    )
    takes_citations = serializers.BooleanField(help_text="Whether answers may have citations, which a metric reads.")
    default_split = serializers.CharField()
    default_setting = serializers.CharField()
    default_sort = serializers.CharField(help_text="The score that sorts boards by default, the best first.")
    metrics = serializers.ListField(child=serializers.CharField())
    splits = SplitSerializer(many=True)
    settings = SettingSerializer(many=True)
    columns = ColumnSerializer(many=True)
    attributes = AttributeSerializer(many=True)
    croissant = AddressField("croissant", "slug", help_text="URL of its description in Croissant.")


class BlockField(serializers.JSONField):
    """A block of a question's context; a picture with its URL."""

    def to_representation(self, value: Any) -> Any:
        if is_picture(value):
            return {
                **value,
                "url": reverse("question-picture", args=[value["picture"]], request=self.context["request"]),
            }
        return super().to_representation(value)


class QuestionSerializer(serializers.Serializer[Any]):
    """A question as worded in the current revision. Reference answers are not included, for any split."""

    id = serializers.CharField(source="qid", help_text="As in generations files.")
    text = serializers.CharField()
    context = serializers.ListField(  # type: ignore[assignment] # the class keeps no field, so its own context stays
        child=BlockField(),
        source="context_blocks",
        help_text="What it is about: texts, tables as lists of rows of cells, pictures as objects with `picture`, "
        "`alt`, `width`, `height` and `url`, and its options as an object by label.",
    )
    language = serializers.CharField(help_text="The code of its language, such as de; empty if it is not stated.")
    categories = serializers.ListField(child=serializers.CharField())
    evidence = serializers.ListField(
        child=serializers.DictField(), help_text="Titles of the articles with the evidence, as in the dataset."
    )
    decomposition = serializers.ListField(
        child=serializers.DictField(),
        help_text="Its sub-questions without answers; always empty on a hidden split.",
    )
