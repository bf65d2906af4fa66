"""Attributes of systems (`scoring.benchmarks.attributes`) on this site: fields of forms and of the API, words, filters.

Everything about an attribute follows from its benchmark's declaration. What people send becomes values as
`SystemFields.attributes` stores them, and these become words.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from django import forms
from django.core.validators import RegexValidator
from rest_framework import serializers

from leaderboard.web.parameters import Parameter
from leaderboard.web.visible_text import validate_visible_text
from scoring.benchmarks import definitions
from scoring.benchmarks.attributes import LONGEST_TEXT, OLD_NAMES, Attribute, Value
from scoring.benchmarks.base import BenchmarkDefinition

YES_NO_WORDS: Final = [("yes", "Yes"), ("no", "No")]
YES_NO: Final = [("", "Not stated"), ("true", "Yes"), ("false", "No")]
Values = dict[str, Value]


def accepted(definition: BenchmarkDefinition) -> tuple[Attribute, ...]:
    """The attributes that submissions to a benchmark may state: its own, and those that every system had before."""
    own = definition.attributes
    return (*own, *(attribute for name, attribute in OLD_NAMES.items() if name not in {of_own.name for of_own in own}))


def declared_for(benchmarks: Iterable[str]) -> list[Attribute]:
    """The attributes that some benchmarks, given by their slugs, declare; the first of a name counts."""
    known = definitions()
    attributes: dict[str, Attribute] = {}
    for slug in benchmarks:
        for attribute in known[slug].attributes if slug in known else ():
            attributes.setdefault(attribute.name, attribute)
    return list(attributes.values())


def further(definition: BenchmarkDefinition) -> list[Attribute]:
    """The attributes that a benchmark declares besides those of `OLD_NAMES`, which have places of their own in exports
    and on boards."""
    return [attribute for attribute in definition.attributes if attribute.name not in OLD_NAMES]


def form_field(attribute: Attribute) -> forms.Field:
    """The field for an attribute; whether to state it is the submitter's choice."""
    usual: dict[str, Any] = {"label": attribute.label, "help_text": attribute.help, "required": False}
    if attribute.kind == "yes-no":
        return forms.TypedChoiceField(choices=YES_NO, coerce=lambda value: value == "true", empty_value=None, **usual)
    if attribute.kind == "choice":
        choices = [(value, in_words(attribute, value)) for value in attribute.choices]
        return forms.ChoiceField(choices=[YES_NO[0], *choices], **usual)
    if attribute.kind == "number":
        bounds: dict[str, Any] = {"min_value": attribute.low, "max_value": attribute.high}
        return (forms.IntegerField if attribute.whole else forms.FloatField)(**bounds, **usual)
    if attribute.kind == "date":
        day = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
        return forms.DateField(widget=day, input_formats=["%Y-%m-%d"], **usual)
    if attribute.kind == "url":
        return forms.URLField(max_length=LONGEST_TEXT, assume_scheme="https", **usual)
    validators: list[Any] = [validate_visible_text]
    if attribute.pattern:
        message = f"Enter {attribute.expected}."
        validators.append(RegexValidator(re.compile(rf"(?:{attribute.pattern})\Z"), message))
    return forms.CharField(max_length=LONGEST_TEXT, validators=validators, **usual)


def api_field(attribute: Attribute, **options: Any) -> serializers.Field[Any, Any, Any, Any]:
    """Field of an attribute in the documentation of the API."""
    usual: dict[str, Any] = {"required": False, "help_text": attribute.help, **options}
    if attribute.kind == "yes-no":
        return serializers.BooleanField(**usual)
    if attribute.kind == "choice":
        return serializers.ChoiceField(choices=attribute.choices, **usual)
    if attribute.kind == "number":
        number = serializers.IntegerField if attribute.whole else serializers.FloatField
        bounds: dict[str, Any] = {"min_value": attribute.low, "max_value": attribute.high}
        return number(**usual, **bounds)
    if attribute.kind == "date":
        return serializers.DateField(**usual)
    if attribute.kind == "url":
        return serializers.URLField(max_length=LONGEST_TEXT, **usual)
    return serializers.CharField(max_length=LONGEST_TEXT, **usual)


def stated(attributes: Iterable[Attribute], cleaned: Mapping[str, Any]) -> Values:
    """The values that a valid form states, as they are stored."""
    sent = {attribute.name: cleaned.get(attribute.name) for attribute in attributes}
    return {
        name: value.isoformat() if isinstance(value, datetime.date) else value
        for name, value in sent.items()
        if value not in (None, "")
    }


def restated(before: Values, now: Values, definition: BenchmarkDefinition) -> Values:
    """A system's values after a submission to a benchmark: those that only other benchmarks ask for stay."""
    asked = {attribute.name for attribute in definition.attributes}
    return {**{name: value for name, value in before.items() if name not in asked}, **now}


def in_words(attribute: Attribute, value: Value | None) -> str:
    """A value as pages show it; empty if there is none.

    >>> in_words(OLD_NAMES["context_size"], 128000), in_words(OLD_NAMES["trained_for_function_calling"], False)
    ('128,000 tokens', 'No')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, str):
        return dict(zip(attribute.choices, attribute.labels, strict=False)).get(value, value)
    number = int(value) if float(value).is_integer() else value
    return f"{number:,} {attribute.unit}".rstrip()


# --- Filters of boards ---------------------------------------------------------------------------------------------

PREFIX: Final = "attribute."
UNKNOWN: Final = "unknown"
ENDS: Final = {"min": "at least", "max": "at most"}
Asked = tuple[tuple[str, str], ...]
"""The parameters of filters without `PREFIX`, such as ``licence`` and ``year.min``, with their texts."""


def asked_in(query: Mapping[str, str], attributes: Iterable[Attribute], prefix: str = PREFIX) -> Asked:
    """The filters in a query string, in the order of the attributes. Unknown values are ignored."""
    asked = []
    for attribute in _filtered(attributes):
        for key in _keys(attribute):
            text = query.get(f"{prefix}{key}", "")
            if text and _wanted(attribute, text) is not None:
                asked.append((key, text))
    return tuple(asked)


def filter_parameters(attributes: Iterable[Attribute], prefix: str = PREFIX) -> dict[str, Parameter]:
    """The parameters of the filters of a board."""
    parameters = {}
    for attribute in _filtered(attributes):
        values = ("yes", "no") if attribute.kind == "yes-no" else attribute.choices
        expected = ", ".join((*values, UNKNOWN)) if values else f"a {attribute.kind}"
        for key in _keys(attribute):
            parameters[f"{prefix}{key}"] = Parameter(accepts=partial(_is_wanted, attribute), expected=expected)
    return parameters


def matcher(asked: Asked, attributes: Iterable[Attribute]) -> Callable[[Mapping[str, Value]], bool]:
    """Whether a system's values pass some filters. A system that does not state an attribute is in no range of it."""
    named = {attribute.name: attribute for attribute in _filtered(attributes)}
    filters = [(name, end, _wanted(named[name], text)) for (name, _, end), text in _parts(asked)]

    def passes(values: Mapping[str, Value]) -> bool:
        for name, end, wanted in filters:
            value: Any = values.get(name)
            if end:
                if value is None or (value < wanted if end == "min" else value > wanted):
                    return False
            elif wanted == UNKNOWN:
                if value is not None:
                    return False
            elif value != wanted and str(value).casefold() != str(wanted).casefold():
                return False
        return True

    return passes


def asked_in_words(asked: Asked, attributes: Iterable[Attribute]) -> list[tuple[str, Asked]]:
    """Each filter in words, with the filters that remain without it."""
    named = {attribute.name: attribute for attribute in _filtered(attributes)}
    filters = []
    for ((name, _, end), text), pair in zip(_parts(asked), asked, strict=True):
        attribute = named[name]
        wanted = _wanted(attribute, text)
        words = "not stated" if wanted == UNKNOWN else in_words(attribute, wanted)
        filters.append(
            (
                f"{attribute.label}: {ENDS.get(end, '')} {words}".replace("  ", " "),
                tuple(other for other in asked if other != pair),
            )
        )
    return filters


FilterField = tuple[str, str, str, list[tuple[str, str]]]
"""A filter in the form of a board: its name, label, value and choices; without choices, a text that is the end of a
range."""


def filter_fields(
    asked: Asked, attributes: Iterable[Attribute], prefix: str = PREFIX
) -> list[tuple[str, list[FilterField]]]:
    """The filters of a board's form, by label."""
    given = dict(asked)
    fields_by_label: list[tuple[str, list[FilterField]]] = []
    for attribute in _filtered(attributes):
        values = (
            YES_NO_WORDS
            if attribute.kind == "yes-no"
            else [(choice, in_words(attribute, choice)) for choice in attribute.choices]
        )
        choices = [("", "Any"), *values, (UNKNOWN, "Not stated")] if values else []
        fields = [
            (f"{prefix}{key}", ENDS.get(key.rpartition(".")[2], ""), given.get(key, ""), choices)
            for key in _keys(attribute)
        ]
        fields_by_label.append((f"{attribute.label} ({attribute.unit})" if attribute.unit else attribute.label, fields))
    return fields_by_label


def _filtered(attributes: Iterable[Attribute]) -> list[Attribute]:
    return [attribute for attribute in attributes if attribute.board == "filter"]


def _keys(attribute: Attribute) -> list[str]:
    """The parameters of an attribute's filter: of numbers and dates, the ends of a range."""
    is_range = attribute.kind in ("number", "date")
    return [f"{attribute.name}.{end}" for end in ENDS] if is_range else [attribute.name]


def _wanted(attribute: Attribute, text: str) -> Value | None:
    """Filter that a text in the URL asks for; None if it asks for none."""
    if attribute.kind in ("yes-no", "choice") and text == UNKNOWN:
        return UNKNOWN
    if attribute.kind == "yes-no":
        return {"yes": True, "no": False}.get(text)
    return replace(attribute, low=None, high=None).read(text)


def _is_wanted(attribute: Attribute, text: str) -> bool:
    return _wanted(attribute, text) is not None


def _parts(asked: Asked) -> list[tuple[tuple[str, str, str], str]]:
    return [(key.partition("."), text) for key, text in asked]
