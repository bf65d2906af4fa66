"""Kinds of values in files that people write, and the mistakes that pydantic finds, in our words.

A declaration is a `Table`: its fields say type, default, bounds and help of each key, and the JSON Schema follows. An
object of a file of questions is a `Row`.
"""

from __future__ import annotations

import datetime
import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal, Self, Union, get_args, get_origin

from annotated_types import Ge, Le, MinLen
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from scoring.files import URL
from scoring.files.fields import FieldPath
from scoring.files.mistakes import Mistake, described, is_storable, nearest, one_of, shown, texts_in
from scoring.files.objects import in_words
from scoring.files.toml_lines import Path, TomlFile
from scoring.generations.records import has_content

SLUG: Final = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
LONGEST_TEXT: Final = 20_000
_FILE: Final = r"(?!/)(?!.*(?:^|/)\.\.?(?:/|$))[^\\:\x00-\x1f]+"
_NAME: Final = r"[a-z0-9][A-Za-z0-9_.-]*"
_OWN: Final = "manyhop"
"""The type of the mistakes that validators of this module find; their context has the words."""
_KEY: Final = "[key]"
"""Last step of a place where pydantic means the name of a table, not its content."""


@dataclass(frozen=True)
class Fault:
    """Mistake in the value at a path."""

    path: Path
    found: str
    expected: str
    fix: str = ""


def mistake_at(fault: Fault, toml: TomlFile) -> Mistake:
    """A fault with its line, and its path as text: ``questions[1].name``, counted from 1."""
    field = in_words(fault.path, first=1)
    return Mistake(toml.name, toml.line(fault.path), field, fault.found, fault.expected, fault.fix)


# --- Kinds of values -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Expected:
    """Description of a kind of value in words; in the metadata of its annotation."""

    words: str


def wrong(found: str, expected: str, fix: str = "") -> PydanticCustomError:
    """A mistake in the words of this module."""
    return PydanticCustomError(_OWN, "{found}", {"found": found, "expected": expected, "fix": fix})


def _matching(pattern: str, longest: int) -> Any:
    return Field(pattern=rf"^(?:{pattern})$(?!\n)", max_length=longest)


Text = Annotated[str, Expected("a text")]


def _with_content(text: str) -> str:
    if not has_content(text):
        raise wrong("a text without content", "", "Write the text.")
    return text.strip()


def _storable(value: Any) -> Any:
    if not all(map(is_storable, texts_in(value))):
        actual = "a text with the character NUL or half of a surrogate pair"
        raise wrong(actual, "characters of Unicode", "Remove it, or write the whole character.")
    return value


Storable = AfterValidator(_storable)
"""Refuses texts that no database stores, at any depth: JSON can write them, UTF-8 or PostgreSQL cannot."""
Content = Annotated[str, AfterValidator(_with_content), Expected("a text in double quotes")]
"""A text with a visible character, read without the white space around it."""
Url = Annotated[str, _matching(URL, 200), Expected("a URL that begins with https://")]
Slug = Annotated[str, _matching(SLUG, 50), Expected("small letters, digits and hyphens")]
Name = Annotated[str, _matching(_NAME, 60), Expected("a name")]
File = Annotated[str, _matching(_FILE, 200), Expected("the name of a file in the folder, such as questions/dev.jsonl")]


def as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _or_alone(schema: dict[str, Any]) -> None:
    schema["anyOf"] = [dict(schema["items"]), {name: schema.pop(name) for name in ("type", "items", "minItems")}]


Files = Annotated[list[File], BeforeValidator(as_list), Field(min_length=1, json_schema_extra=_or_alone)]
"""The name of a file, or a list of names."""


def _path(text: str) -> str:
    if not FieldPath.is_path(text):
        raise wrong(shown(text), "the name of a field, such as answer, metadata.topic or answers[].text")
    return text


FieldName = Annotated[str, AfterValidator(_path), Field(max_length=200), Expected("the name of a field")]
"""A field of published files; see `scoring.files.fields.FieldPath`."""
Flag = Annotated[bool, Expected("true or false")]
Date = Annotated[datetime.date, Expected("a date such as 2026-01-31")]


def _moment(value: Any) -> datetime.datetime:
    """A moment of TOML or of a text such as 2027-05-01T12:00Z, in UTC."""
    moment = value
    if isinstance(value, str):
        try:
            moment = datetime.datetime.fromisoformat(value)
        except ValueError:
            moment = None
    if not isinstance(moment, datetime.datetime):
        raise wrong(shown(value), _MOMENT)
    if moment.tzinfo is None:
        fix = "Add the zone after the time: Z for UTC, or its distance to UTC, such as +02:00."
        raise wrong(f"{moment.isoformat()} without a zone", _MOMENT, fix)
    if not 2000 <= moment.year < 3000:  # the first and the last year cannot be shown in every zone
        raise wrong(moment.isoformat(), "a time from 2000 to 2999", "For no such time, remove the line.")
    return moment.astimezone(datetime.UTC)


_MOMENT: Final = "a date and time with a zone, such as 2027-05-01T12:00Z"
Moment = Annotated[
    Any, AfterValidator(_moment), WithJsonSchema({"type": "string", "format": "date-time"}), Expected(_MOMENT)
]
"""A moment, in UTC. A text will do: TOML wants seconds too."""


def _finite(value: Any) -> Any:
    if not _is_number(value):
        raise wrong(shown(value), "a number")
    return value


Number = Annotated[Any, AfterValidator(_finite), WithJsonSchema({"type": "number"}), Expected("a number")]
"""A number, whole if it was written so."""


def _share(value: Any) -> float:
    if not _is_number(value) or not 0 < value < 1:
        raise wrong(shown(value), _SHARE)
    return float(value)


_SHARE: Final = "a number above 0 and below 1"
Share = Annotated[Any, AfterValidator(_share), WithJsonSchema({"type": "number"}), Expected(_SHARE)]
"""A share of something, neither nothing nor all of it."""


def _pair(value: Any) -> tuple[float, float] | None:
    if value is False:
        return None
    if isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)) and value[0] < value[1]:
        return (float(value[0]), float(value[1]))
    raise wrong(shown(value), "two numbers, the smaller first, such as [0, 1]; or false")


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


_PAIR_SCHEMA: Final = {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
Bounds = Annotated[
    Any, AfterValidator(_pair), WithJsonSchema({"anyOf": [_PAIR_SCHEMA, {"const": False}]}), Expected("two numbers")
]
"""Two numbers, or False for none, which is read as None."""


def _parameters(value: Any) -> Any:
    if not isinstance(value, dict):
        raise wrong(shown(value), "a table")
    for name, inner in value.items():
        is_list = isinstance(inner, list) and all(isinstance(element, str) for element in inner)
        if not isinstance(inner, str | int | float) and not is_list:
            raise wrong(f"{name} = {shown(inner)}", "a number, a text, a list of texts, true or false")
    return value


_LIST_OF_TEXTS: Final = {"type": "array", "items": {"type": "string"}}
_PARAMETERS_SCHEMA: Final = {
    "type": "object",
    "additionalProperties": {"anyOf": [{"type": ["number", "string", "boolean"]}, _LIST_OF_TEXTS]},
}
Parameters = Annotated[Any, AfterValidator(_parameters), WithJsonSchema(_PARAMETERS_SCHEMA), Expected("a table")]
"""Numbers, texts, lists of texts and flags by names that are checked elsewhere."""


def _items(value: Any) -> tuple[tuple[str, str], ...]:
    pairs = list(value.items()) if isinstance(value, dict) else [(item, "-") for item in _as_items(value)]
    if not pairs or not all(isinstance(text, str) and text.strip() for pair in pairs for text in pair):
        raise wrong(shown(value), "a list of texts, or a table of keys with texts")
    return tuple(value.items()) if isinstance(value, dict) else tuple((item, "") for item in value)


def _as_items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


_TEXTS_SCHEMA: Final = {"type": "array", "items": {"type": "string", "pattern": r"\S"}, "minItems": 1}
_PAIRS_SCHEMA: Final = {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}}
Items = Annotated[
    Any, AfterValidator(_items), WithJsonSchema({"anyOf": [_TEXTS_SCHEMA, _PAIRS_SCHEMA]}), Expected("a list")
]
"""A list of texts, or a table of keys with texts, both read as pairs."""


# --- Tables --------------------------------------------------------------------------------------------------------


class Row(BaseModel):
    """An object in a file of questions: its keys are the fields, others are ignored, and no message shows a value."""

    model_config = ConfigDict(extra="ignore", strict=True, frozen=True, allow_inf_nan=False, regex_engine="python-re")
    noun: ClassVar[str] = "an object"
    """Noun that messages use for such an object."""

    @staticmethod
    def shown(value: Any) -> str:
        """Text that stands for a value in messages."""
        return described(value)

    @classmethod
    def expected(cls, key: str) -> str:
        """Description of a value under a key, in words."""
        return words_of(*_kind_at(cls, (key,)))

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> tuple[Self, list[Fault]]:
        """The table with these values, and everything that is wrong with them.

        A value that is wrong or missing is empty in the table, so that checks between fields can still be made.
        """
        try:
            return cls.model_validate(values), []
        except ValidationError as error:
            faults = [_fault(cls, details, values) for details in error.errors(include_url=False)]
        return _lenient(cls, values, {fault.path for fault in faults}, ()), faults


class Table(Row):
    """A table of a declaration, which is public: its keys are the fields, and others are mistakes."""

    model_config = ConfigDict(extra="forbid")
    noun: ClassVar[str] = "a table"
    may_be_blank: ClassVar[tuple[str, ...]] = ()
    """Fields whose text may be white space alone."""

    @staticmethod
    def shown(value: Any) -> str:
        """Text that stands for a value in messages: the value itself."""
        return shown(value)

    @field_validator("*")
    @classmethod
    def _is_legible(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse blank and endless texts and control characters, alone and in lists."""
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and not (text if info.field_name in cls.may_be_blank else text.strip()):
                raise wrong("an empty text", "", "Fill it in, or remove the line.")
            if isinstance(text, str) and any(character < " " and character not in "\n\t" for character in text):
                raise wrong("an invisible control character", "text that can be read", "Remove it.")
            if isinstance(text, str) and len(text) > LONGEST_TEXT:
                raise wrong(f"{len(text):,} characters", f"at most {LONGEST_TEXT:,}", "Shorten it.")
        return value


def _fault(row: type[Row], details: ErrorDetails, values: Mapping[str, Any]) -> Fault:
    """One of pydantic's errors in our words."""
    kind, path, given = details["type"], tuple(details["loc"]), details["input"]
    annotation, metadata = _kind_at(row, path)
    expected = words_of(annotation, metadata)
    if path[-1:] == (_KEY,):
        path = path[:-1]
        longest = next((item.max_length for item in metadata if hasattr(item, "max_length")), 50)
        return Fault(path, f"the name {str(path[-1])[:60]!r}", f"{expected}, at most {longest}")
    if isinstance(path[-1], int) and isinstance(_value_at(values, path[:-1]), str):
        path = path[:-1]  # a text that stands for a list of one
    match kind:
        case "missing":
            return Fault(path, "nothing", expected, f"Add {path[-1]}.")
        case "extra_forbidden":
            known = _kind_at(row, path[:-1])[0].model_fields
            fix = nearest(str(path[-1]), known) or f"The keys are {', '.join(known)}."
            named = path if issubclass(row, Table) else path[:-1]  # a key may be a part of an answer
            return Fault(named, "an unknown key", "a known one", fix)
        case "string_too_long":
            return Fault(path, f"{len(given):,} characters", f"at most {details['ctx']['max_length']:,}", "Shorten it.")
        case "literal_error":
            return Fault(path, row.shown(given), expected, nearest(str(given), get_args(annotation)))
        case "bool_type" | "date_type":
            return Fault(path, row.shown(given), expected, "Write it without quotation marks.")
        case "model_type" if issubclass(row, Table):
            names = ".".join(str(part) for part in path if isinstance(part, str))
            heading = f"[[{names}]]" if isinstance(path[-1], int) else f"[{names}]"
            return Fault(path, row.shown(given), "a table", f"Write it below {heading}.")
        case "dict_type" | "too_short" if get_origin(annotation) is dict and issubclass(row, Table):
            name = ".".join(map(str, path))
            fix = f"Add one as [{name}.NAME]."
            if isinstance(given, list) and any(isinstance(item, dict) for item in given):
                fix = f"Write [{name}.NAME], with a name and single brackets, instead of [[{name}]]."
            return Fault(path, row.shown(given), "at least one table", fix)
        case "manyhop":
            context = details["ctx"]
            return Fault(path, context["found"], context["expected"] or expected, context["fix"])
    return Fault(path, row.shown(given), expected)


def unwrapped(annotation: Any) -> tuple[Any, Sequence[Any]]:
    """An annotation without its metadata and without None, and the metadata."""
    metadata: list[Any] = []
    while True:
        if get_origin(annotation) is Annotated:
            annotation, *further = get_args(annotation)
            metadata += further
        elif get_origin(annotation) in (Union, types.UnionType):
            (annotation,) = (part for part in get_args(annotation) if part is not type(None))
        else:
            return annotation, [inner for item in metadata for inner in getattr(item, "metadata", [item])]


def _kind_at(row: type[Row], path: Sequence[str | int]) -> tuple[Any, Sequence[Any]]:
    """The annotation at a path, and its metadata."""
    annotation: Any = row
    metadata: Sequence[Any] = ()
    for step in path:
        if get_origin(annotation) is list:
            annotation, metadata = unwrapped(get_args(annotation)[0])
        elif get_origin(annotation) is dict and path[-1] == _KEY and step == path[-2]:
            return unwrapped(get_args(annotation)[0])
        elif get_origin(annotation) is dict:
            annotation, metadata = unwrapped(get_args(annotation)[1])
        elif step in annotation.model_fields:
            field = annotation.model_fields[step]
            annotation, metadata = unwrapped(field.annotation)
            metadata = [*metadata, *field.metadata]
    return annotation, metadata


def words_of(annotation: Any, metadata: Sequence[Any]) -> str:
    """Description of a value of a kind, in words."""
    words = [item.words for item in metadata if isinstance(item, Expected)]
    if words:
        return words[-1]
    if get_origin(annotation) is Literal:
        return one_of(get_args(annotation))
    if annotation is int:
        low = next(item.ge for item in metadata if isinstance(item, Ge))
        high = next(item.le for item in metadata if isinstance(item, Le))
        return f"a whole number from {low:,} to {high:,}"
    if get_origin(annotation) is list:
        least = next((item.min_length for item in metadata if isinstance(item, MinLen)), 0)
        return f"a list with at least {least}" if least else "a list"
    return getattr(annotation, "noun", "a table")


def _value_at(values: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        values = values[step]
    return values


def _lenient(annotation: Any, value: Any, broken: set[Path], path: Path) -> Any:
    """A value of a kind as far as it is right."""
    annotation, _ = unwrapped(annotation)
    is_table = isinstance(annotation, type) and issubclass(annotation, Row)
    if path in broken and not (is_table and isinstance(value, dict)) and get_origin(annotation) is not dict:
        value = None
    if is_table and isinstance(value, dict) and not any(fault[: len(path)] == path for fault in broken):
        return annotation.model_validate(value)
    if is_table:
        given = value if isinstance(value, dict) else {}
        fields = {
            name: _lenient(field.annotation, given.get(name), broken, (*path, name))
            for name, field in annotation.model_fields.items()
            if (name in given and (*path, name) not in broken) or field.is_required()
        }
        return annotation.model_construct(**fields)
    if get_origin(annotation) is dict:
        inner = get_args(annotation)[1]
        given = value if isinstance(value, dict) else {}
        return {name: _lenient(inner, item, broken, (*path, name)) for name, item in given.items()}
    if get_origin(annotation) is list:
        inner = get_args(annotation)[0]
        listed = value if isinstance(value, list) else [value] if isinstance(value, str) else []
        return [_lenient(inner, item, broken, (*path, place)) for place, item in enumerate(listed)]
    if value is None:
        return {str: "", bool: False, float: 0.0}.get(annotation)
    return value
