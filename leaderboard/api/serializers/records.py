"""Serializers made of the records that pages show too, so that a field's type and meaning stand once."""

import ast
import datetime
import inspect
import re
import sys
import types
import uuid
from collections.abc import Mapping
from copy import deepcopy
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import Any, Final, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from rest_framework import serializers

AnyField: TypeAlias = serializers.Field[Any, Any, Any, Any]
Nested: TypeAlias = type[serializers.Serializer[Any]]
_SIMPLE: Final[Mapping[Any, type[AnyField]]] = {
    str: serializers.CharField,
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    datetime.datetime: serializers.DateTimeField,
    datetime.date: serializers.DateField,
    uuid.UUID: serializers.UUIDField,
}


def serializer_of(record: type, name: str, fields: str, /, **others: str | Nested | AnyField) -> Nested:
    """A serializer of a record: a data class, a struct or a class with annotated properties.

    Its description is the first paragraph of the record's docstring, and that of a field the text below it in the
    record. Only the fields that are named are sent.

    Args:
        name: the serializer's name in the API's schema.
        fields: the names of the fields in the API, in order.
        others: for those whose name in the record differs, that name; for those whose type is a record, its serializer;
            for those that need more than the record says, the field.
    """
    hints, meanings = get_type_hints(record), _meanings(record)
    content: dict[str, Any] = {"__doc__": (inspect.getdoc(record) or "").partition("\n\n")[0]}
    for sent in fields.split():
        known = others.get(sent, sent)
        if isinstance(known, serializers.Field):
            content[sent] = deepcopy(known)  # fields are sent in the order in which they were made
            continue
        stored, nested = (known, None) if isinstance(known, str) else (sent, known)
        attribute = getattr(record, stored, None)
        hint = get_type_hints(attribute.fget)["return"] if isinstance(attribute, property) else hints[stored]
        options = {"source": stored} if stored != sent else {}
        content[sent] = _field(hint, nested, help_text=meanings.get(stored), **options)
    return type(f"{name}Serializer", (serializers.Serializer,), content)


def _field(hint: Any, nested: Nested | None = None, **options: Any) -> AnyField:
    """A field of a type; *nested* is the serializer of the record in it."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind in (Union, types.UnionType):  # with None alone
        value = next(part for part in parts if part is not types.NoneType)
        return _field(value, nested, allow_null=True, **options)
    is_list = kind in (list, tuple)
    if nested is not None:
        return nested(many=is_list, **options)
    if kind is Literal or (isinstance(hint, type) and issubclass(hint, StrEnum)):
        return serializers.ChoiceField(choices=[*(parts or hint)], **options)
    if is_list:
        return serializers.ListField(child=_field(parts[0]), **options)
    if kind in (dict, Mapping):
        return serializers.DictField(child=_field(parts[1]), **options)
    return _SIMPLE[hint](**options)


def _meanings(record: type) -> dict[str, str]:
    """Meanings by name: what the source of a record and of its bases says of each field and property, in words of
    JSON."""
    meanings: dict[str, str] = {}
    for base in reversed(record.__mro__):
        definition = _classes_of(base.__module__).get(base.__name__)
        for line, below in pairwise([*definition.body, ast.Pass()] if definition else ()):
            match line, below:
                case ast.FunctionDef(name=name), _:
                    meanings[name] = ast.get_docstring(line) or ""
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    meanings[name] = inspect.cleandoc(text)
    return {
        name: " ".join(re.sub(r"\bNone\b", "null", text).replace("``", "`").split()) for name, text in meanings.items()
    }


@cache
def _classes_of(module: str) -> dict[str, ast.ClassDef]:
    """The classes that a module defines, by name. Python keeps no text below a field, so the source is read: once for
    each module, because that takes some milliseconds."""
    try:
        source = inspect.getsource(sys.modules[module])
    except (OSError, TypeError):  # a module without source in Python, such as that of object
        return {}
    return {line.name: line for line in ast.parse(source).body if isinstance(line, ast.ClassDef)}
