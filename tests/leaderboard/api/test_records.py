"""Serializers made of records (`leaderboard.api.serializers.records`)."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import pytest
from rest_framework import serializers

from leaderboard.api.serializers.records import serializer_of


@dataclass
class Part:
    """A part of a thing."""

    length: float
    """In metres."""


@dataclass
class Thing:
    """A thing with parts."""

    slug: str
    secret: str = ""
    weight: float | None = None
    """In kilograms;
    None if ``nobody`` weighed it."""
    colour: Literal["red", "blue"] = "red"
    tags: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    parts: list[Part] = field(default_factory=list)

    @property
    def made_on(self) -> datetime.date:
        """The day on which it was made."""
        return datetime.date(2026, 1, 2)


PartSerializer = serializer_of(Part, "Part", "length")
ThingSerializer = serializer_of(
    Thing, "Thing", "id weight colour tags counts made_on parts", id="slug", parts=PartSerializer
)


def test_only_the_named_fields_are_sent_under_their_names_in_the_api() -> None:
    thing = Thing("a", secret="hidden", tags=("x",), counts={"y": 1}, parts=[Part(2.5)])
    assert ThingSerializer(thing).data == {
        "id": "a",
        "weight": None,
        "colour": "red",
        "tags": ["x"],
        "counts": {"y": 1},
        "made_on": "2026-01-02",
        "parts": [{"length": 2.5}],
    }


def test_what_the_record_says_of_a_field_describes_it_in_the_api_in_words_of_json() -> None:
    fields = ThingSerializer().fields
    assert ThingSerializer.__doc__ == "A thing with parts."
    assert fields["weight"].help_text == "In kilograms; null if `nobody` weighed it."
    assert fields["made_on"].help_text == "The day on which it was made."
    assert fields["weight"].allow_null
    assert not fields["id"].allow_null


def test_fields_are_sent_in_the_order_of_their_names_also_those_that_are_given_whole() -> None:
    weight = serializers.FloatField(help_text="In pounds.")
    made = serializer_of(Thing, "Thing", "slug weight colour", weight=weight)
    assert list(made(Thing("a", weight=1.5)).data) == ["slug", "weight", "colour"]


def test_the_values_of_a_literal_are_the_choices_of_its_field() -> None:
    colour = ThingSerializer().fields["colour"]
    assert isinstance(colour, serializers.ChoiceField)
    assert list(colour.choices) == ["red", "blue"]


def test_a_field_that_the_record_does_not_have_is_refused() -> None:
    with pytest.raises(KeyError, match="height"):
        serializer_of(Thing, "Thing", "slug height")
