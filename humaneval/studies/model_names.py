"""Families of models, their makers, and how models introduce themselves: read from data files."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Annotated, Final

from django.conf import settings
from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

PACKAGED: Final = Path(__file__).with_name("model_names.toml")


class NamesError(ValueError):
    """A file of names cannot be read; the message says why."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Family(_Table):
    """Models that share a name."""

    names: tuple[str, ...] = ()
    """Names that nobody writes but for the model."""
    ordinary: tuple[str, ...] = ()
    """Names that are also words, or names of something else."""
    variants: tuple[str, ...] = ()
    """Words that follow a name as part of it."""
    makers: tuple[str, ...] = ()


class Introductions(_Table):
    """Words with which a system speaks of itself; `model_names.toml` says what each list is for."""

    self: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    first_person: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()


class Words(_Table):
    """Words of names that are no names of models."""

    generic: frozenset[Annotated[str, AfterValidator(str.lower)]] = frozenset()


class ModelNames(_Table):
    """Everything that a data file lists, or several together."""

    families: tuple[Family, ...] = ()
    words: Words = Words()
    introductions: Introductions = Introductions()


def model_names() -> ModelNames:
    """The names that ship with the software, and the site's own (the setting ``MODEL_NAMES``).

    Raises:
        NamesError: the site's file cannot be read.
    """
    return _names_of(settings.MODEL_NAMES)


@cache
def _names_of(own: str) -> ModelNames:
    files = [_read(PACKAGED), *([_read(Path(own))] if own else [])]
    lists = {
        name: tuple(word for file in files for word in getattr(file.introductions, name))
        for name in Introductions.model_fields
    }
    return ModelNames(
        families=tuple(family for file in files for family in file.families),
        words=Words(generic=frozenset(word for file in files for word in file.words.generic)),
        introductions=Introductions(**lists),
    )


def _read(path: Path) -> ModelNames:
    try:
        return ModelNames.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise NamesError(f"{path} cannot be read: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise NamesError(f"{path}: {place}: {first['msg']}") from error
