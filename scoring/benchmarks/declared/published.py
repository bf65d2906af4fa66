"""The objects of published files as those of question files here, as ``[questions]`` of a declaration maps them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any, BinaryIO, Final

from pydantic_core import PydanticCustomError

from scoring.benchmarks.base import canonical_json
from scoring.benchmarks.declared.context import LABELS, Options, blocks_of, is_picture, options_of
from scoring.benchmarks.declared.question_rows import KEYS
from scoring.benchmarks.decryption import decrypt
from scoring.benchmarks.form import FieldTable, JoinedTable, QuestionsTable, is_object
from scoring.files.fields import FieldError, FieldPath, read_written
from scoring.files.mistakes import Mistake, described, nearest, repeated
from scoring.files.objects import Place, objects_in

Opener = Callable[[str], BinaryIO | None]
"""Opens a file by its name in the declaration; gives None if there is none."""
ID_DIGITS: Final = 16
_ADDRESS: Final = re.compile(r"https?://\S+")
_path: Final = lru_cache(FieldPath)
_MOST_NAMES: Final = 1_000
"""Names of fields that are remembered, to find misspelt ones."""


def made_id(question: Mapping[str, Any]) -> str:
    """The id of a question without one: the same for the same text, and context and options if it has some.

    >>> made_id({"question": "Where is  Oslo?"}) == made_id({"question": "Where is Oslo? ", "answer": "Norway"})
    True
    """
    context = question.get("context")
    with suppress(PydanticCustomError):  # a mistake that is named elsewhere
        context = blocks_of(context)
    parts = [" ".join(str(question.get("question") or "").split())]
    parts += [canonical_json(value) for value in (context, question.get("choices")) if value]
    digest = hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
    return f"q-{digest[:ID_DIGITS]}"


class PublishedFields:
    """The mapping of one declaration; `read` applies it to a file."""

    def __init__(self, declared: QuestionsTable, further: Collection[str], open_file: Opener) -> None:
        """
        Args:
            declared: The table ``[questions]``.
            further: Paths that the declaration names elsewhere, for categories and clusters.
            open_file: Opens the files that are joined.
        """
        self._declared = declared
        self._further = [key for key in further if key and key not in KEYS]
        self._open_file = open_file
        # The options come first: an answer may be the number of one.
        self._sources = {key: declared.sources(key) for key in ("choices", *KEYS, "unanswerable")}
        stated = {key: sources[0].field for key, sources in self._sources.items() if len(sources) == 1}
        self._names = {key: name for key, name in stated.items() if name != key}
        """The names of fields by our keys, where they differ."""
        self._joined: dict[str, Mapping[str, Mapping[str, Any]]] | None = None
        self.read_keys: set[str] = set()
        """Our keys whose fields some object had, those with ``equals`` with this value."""

    @property
    def _paths(self) -> list[str]:
        """Every path that is read."""
        sources = [source for of_key in self._sources.values() for source in of_key]
        paths = [
            path
            for source in sources
            for path in (source.field, source.password or "", source.labels or "", source.alt or "")
        ]
        return [*paths, *self._further, *(table.by for table in self._declared.joined.values())]

    def _columns(self) -> set[str] | None:
        """The fields of whole objects that are read; None for all."""
        return None if self._declared.each else {name for path in self._paths for name in _names(path)}

    def read(
        self, name: str, stream: BinaryIO, mistakes: list[Mistake], max_bytes: int, *, only_answers: bool
    ) -> Iterator[tuple[Place, dict[str, Any]]]:
        """The questions of a file under our keys, with their places; what is wrong is added to ``mistakes``."""
        joined = self._joined_objects(mistakes, max_bytes)
        known: set[str] = set(joined)
        found: set[str] = set()
        made: Counter[str] = Counter()
        has_ids: bool | None = None
        outer = objects_in(
            name,
            stream,
            mistakes,
            max_bytes=max_bytes,
            fields=self._columns(),
            columns=self._declared.columns,
            documents=self._declared.each is not None,
        )
        for place, record in self._each(outer, mistakes):
            if len(known) < _MOST_NAMES:
                known.update(map(str, record))
            for table_name, table in self._declared.joined.items():
                key = _value(table.by, record, place, mistakes)
                record = {**record, table_name: joined[table_name].get(str(key))}
            n_mistakes = len(mistakes)
            question = self._question(record, place, mistakes)
            found.update(question if len(mistakes) == n_mistakes else KEYS)
            has_ids = "id" in question if has_ids is None else has_ids
            if not has_ids and not only_answers and self._declared.id is None:
                identity = made_id(question)
                made[identity] += 1
                question["id"] = identity if made[identity] == 1 else f"{identity}-{made[identity]}"
            yield place, question
        misnamed = list(self._misnamed(found, known, only_answers=only_answers)) if known else []
        # One mistake of the declaration, in place of one for each question.
        wrong = {self._names.get(key, key) for key, _ in misnamed}
        mistakes[:] = [own for own in mistakes if own.file != name or own.field.rpartition(", ")[2] not in wrong]
        mistakes += [Mistake(name, 0, path.field, *words) for key, (path, *words) in misnamed]

    def under_its_name(self, mistake: Mistake) -> Mistake:
        """A mistake in a question, with the name that its field has in the file."""
        *place, field = mistake.field.split(", ")
        key, *rest = re.split(r"(?=[.\[])", field, maxsplit=1)
        if key not in self._names:
            return mistake
        fix = "" if mistake.fix.startswith(("Add ", "Rename ")) else mistake.fix
        return replace(mistake, field=", ".join([*place, self._names[key] + "".join(rest)]), fix=fix)

    def _misnamed(
        self, found: Collection[str], known: Collection[str], *, only_answers: bool
    ) -> Iterator[tuple[str, tuple[FieldTable, str, str, str]]]:
        """Our keys whose fields no object of a file has, although it must have them or has similar ones."""
        needed = {"answer"} if only_answers else {"question"}
        needed |= {"id"} if self._declared.id is not None or only_answers else set()
        for key, sources in self._sources.items():
            for source in sources if key not in found else ():
                step = source.field if source.field in known else next(iter(_names(source.field)))
                fix = nearest(step, sorted(known)) if step not in known else ""
                is_stated = getattr(self._declared, key) is not None
                if key in needed or (fix and is_stated and not only_answers):
                    fix = fix or f"The fields are {', '.join(sorted(known)[:20])}."
                    yield key, (source, "no object with this field", f"the {key} of each question", fix)

    def _each(
        self, objects: Iterator[tuple[Place, dict[str, Any]]], mistakes: list[Mistake]
    ) -> Iterator[tuple[Place, dict[str, Any]]]:
        """The objects that are questions: those of a list inside the others get the fields around them."""
        if self._declared.each is None:
            yield from objects
            return
        number = 0
        for place, outer in objects:
            for inner in unfolded(outer, _path(self._declared.each).steps, place, mistakes):
                number += 1
                yield Place(place.file, place.line, number), inner

    def _question(self, record: Mapping[str, Any], place: Place, mistakes: list[Mistake]) -> dict[str, Any]:
        question: dict[str, Any] = {}
        options: Options = {}
        for key, sources in self._sources.items():
            declared = getattr(self._declared, key)
            values = [_value_of(source, record, options, place, mistakes) for source in sources]
            if all(value is None for value in values):
                continue
            if any(value is not None for value in values if value is not False) or not _have_equals(sources):
                self.read_keys.add(key)
            if is_object(declared):
                question[key] = _object(declared, values)
                continue
            several = isinstance(declared, list)
            if key == "choices":
                question[key] = _choices(values) if several else values[0]
                with suppress(PydanticCustomError):  # a mistake that is named elsewhere
                    options = options_of(question[key])
                continue
            values = [value for value in values if value is not None]
            match key:
                case "id":
                    question[key] = "-".join(map(_as_text, values)) if several else _as_text(values[0])
                case "question":
                    question[key] = "\n\n".join(map(_as_text, values)) if several else values[0]
                case "evidence":
                    question[key] = _pages(_all(values))
                case "categories":
                    question[key] = [_as_text(value) for value in _all(values)]
                case "unanswerable":
                    if any(_in_plain(value) == "true" for value in values):
                        question["answer"] = {key: True}
                case "context" if several:
                    parts = (value if _are_blocks(value) else [value] for value in values)
                    question[key] = [part for own in parts for part in own]
                case _:
                    question[key] = _all(values) if several else values[0]
        for path in self._further:
            value = _value(path, record, place, mistakes)
            if value is not None:
                question[path] = [_as_text(part) for part in value] if isinstance(value, list) else _as_text(value)
        return question

    # --- Joined files ------------------------------------------------------------------------------------------------

    def _joined_objects(self, mistakes: list[Mistake], max_bytes: int) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
        """The objects of the joined files by their keys. They are read once."""
        if self._joined is None:
            self._joined = {
                name: dict(self._objects_of(table, mistakes, max_bytes))
                for name, table in self._declared.joined.items()
            }
        return self._joined

    def _objects_of(
        self, table: JoinedTable, mistakes: list[Mistake], max_bytes: int
    ) -> Iterator[tuple[str, Mapping[str, Any]]]:
        stream = self._open_file(table.file)
        if stream is None:
            mistakes.append(Mistake(table.file, 0, "", "no file", "the file that [questions.joined] names"))
            return
        seen: dict[str, Place] = {}
        with stream:
            for place, record in objects_in(table.file, stream, mistakes, max_bytes=max_bytes):
                key = _value(table.key, record, place, mistakes)
                if key is None:
                    mistakes.append(place.mistake(table.key, "nothing", "what the object belongs to"))
                elif str(key) in seen:
                    again = f"the same again after {seen[str(key)]}"
                    mistakes.append(place.mistake(table.key, again, "one object for each", "Remove one of the two."))
                else:
                    seen[str(key)] = place
                    yield str(key), record


def _value(path: str, record: Mapping[str, Any], place: Place, mistakes: list[Mistake]) -> Any:
    """The value of a field; None, perhaps with a mistake, if there is none."""
    try:
        return _path(path).value(record)
    except FieldError as error:
        mistakes.append(place.mistake(path, error.found, error.expected, error.fix))
        return None


def _value_of(
    source: FieldTable, record: Mapping[str, Any], options: Options, place: Place, mistakes: list[Mistake]
) -> Any:
    """The value that a table names, read as the table says; None, perhaps with a mistake."""
    value = _value(source.field, record, place, mistakes)
    if value is None:
        return None
    try:
        if source.password is not None:
            value = _decrypted(value, _value(source.password, record, place, mistakes))
        if source.labels is not None:
            value = _labelled(value, _value(source.labels, record, place, mistakes))
        if source.separator and isinstance(value, str):
            value = [part.strip() for part in value.split(source.separator) if part.strip()]
        if source.first_option is not None:
            value = _options_at(value, source.first_option, options)
    except FieldError as error:
        mistakes.append(place.mistake(source.field, error.found, error.expected, error.fix))
        return None
    if source.equals is not None:
        stated = source.equals if isinstance(source.equals, list) else [source.equals]
        return _in_plain(value) in map(_in_plain, stated)
    if source.picture is not None:
        alt = _value(source.alt, record, place, mistakes) if source.alt else None
        return _in_folder(value, source.picture, alt)
    if source.join and _is_texts(value):
        return source.join.join(value) or None
    return value


def _have_equals(sources: Sequence[FieldTable]) -> bool:
    return any(source.equals is not None for source in sources)


def _names(path: str) -> Iterator[str]:
    """The names that the field of an object may have for a path."""
    first = next(iter(FieldPath(path).steps), None) if path else None
    if isinstance(first, str):
        yield first
        if first != path:
            yield path


def unfolded(
    record: dict[str, Any], steps: Sequence[str | int | None], place: Place, mistakes: list[Mistake]
) -> Iterator[dict[str, Any]]:
    """The objects of a list at the end of a path, each with the fields of what is around it."""
    names = [step for step in steps if isinstance(step, str)]
    if not names:
        yield record
        return
    try:
        inner = FieldPath(f"{names[0]}[]").value(record)
    except FieldError as error:
        mistakes.append(place.mistake(names[0], error.found, error.expected, error.fix))
        return
    if inner is None:
        mistakes.append(place.mistake(names[0], "nothing", "a list of objects"))
        return
    around = {key: value for key, value in record.items() if key != names[0]}
    for own in inner:
        if isinstance(own, dict):
            yield from unfolded({**around, **own}, names[1:], place, mistakes)
        else:
            mistakes.append(place.mistake(names[0], described(own), "an object"))


def _decrypted(value: Any, password: Any) -> str:
    if not isinstance(value, str) or not isinstance(password, str):
        raise FieldError(described(password if isinstance(value, str) else value), "a text, and its password")
    try:
        return decrypt(value, password)
    except ValueError as error:
        raise FieldError("a text that cannot be decrypted", "one encrypted with its password", str(error)) from None


def _object(declared: Mapping[str, Any], values: Sequence[Any]) -> dict[str, Any]:
    """The values of sources under their names."""
    rest = iter(values)
    given: dict[str, Any] = {}
    for name, source in declared.items():
        own = list(islice(rest, len(source) if isinstance(source, list) else 1))
        own = [value for value in own if value is not None]
        if own:
            given[name] = _all(own) if isinstance(source, list) else own[0]
    return given


def _labelled(texts: Any, labels: Any) -> dict[str, Any]:
    """The texts of options by their labels."""
    if not isinstance(texts, list) or not isinstance(labels, list) or len(texts) != len(labels):
        raise FieldError(f"{described(texts)} and {described(labels)}", "a list of texts, and a label for each")
    names = list(map(str, labels))
    for place, _ in repeated(names):
        raise FieldError(
            f"the label of an earlier one at option {place + 1}", "each label once", "Correct one of the two."
        )
    return dict(zip(names, texts, strict=True))


def _choices(values: Sequence[Any]) -> list[Any] | dict[str, Any]:
    """The options of several fields; where one in between is missing, the later ones keep their letters.

    >>> _choices(["Oslo", "Oslo", None]), _choices(["Oslo", None, "Bern"]), _choices(["Oslo", ["Bern", "Rome"]])
    (['Oslo', 'Oslo'], {'A': 'Oslo', 'C': 'Bern'}, ['Oslo', 'Bern', 'Rome'])
    """
    parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
    given = [part for part in parts if part is not None]
    if parts[: len(given)] == given or len(parts) > len(LABELS):
        return given
    return {label: part for label, part in zip(LABELS, parts, strict=False) if part is not None}


def _options_at(value: Any, first: int, options: Options) -> str | None:
    """The labels of the options with a number, or with several.

    >>> _options_at(1, 0, {"A": "Oslo", "B": "Bern"}), _options_at("[1, 2]", 1, {"A": "Oslo", "B": "Bern"})
    ('B', 'A, B')
    """
    labels = list(options or LABELS)
    numbers = read_written(value) if isinstance(value, str) else value
    numbers = numbers if isinstance(numbers, list) else [value]
    expected = f"the number of an option from {first} to {first + len(labels) - 1}, or a list of them"
    chosen = []
    for number in numbers:
        if isinstance(number, bool) or not re.fullmatch(r"\s*\d{1,3}(?:\.0)?\s*", str(number)):
            raise FieldError(described(value), expected)
        place = int(float(number)) - first
        if place not in range(len(labels)):
            raise FieldError("the number of no option", expected)
        chosen.append(labels[place])
    if len(chosen) == 1 and chosen[0] in options.values():  # the label is the text of another option
        return options[chosen[0]]
    return ", ".join(chosen) or None


def _in_plain(value: Any) -> str:
    """A value as a text without white space around it and in lower case.

    >>> _in_plain(False), _in_plain(" False"), _in_plain(1)
    ('false', 'false', '1')
    """
    return str(value).strip().casefold()


def _in_folder(value: Any, folder: str, alt: Any) -> Any:
    """The pictures of a folder that a field names, as blocks of a context; another value as it is.

    >>> _in_folder("1.png", "figures", "A map."), _in_folder(["1.png"], "figures/", None)
    ({'picture': 'figures/1.png', 'alt': 'A map.'}, [{'picture': 'figures/1.png', 'alt': None}])
    """
    start = f"{folder.removesuffix('/')}/" if folder else ""
    if isinstance(value, list):
        alts = alt if isinstance(alt, list) and len(alt) == len(value) else [alt] * len(value)
        names = [(name, own) for name, own in zip(value, alts, strict=True) if name]
        return [{"picture": f"{start}{name}" if isinstance(name, str) else name, "alt": own} for name, own in names]
    if not isinstance(value, str):
        return value
    return {"picture": start + value, "alt": alt} if value.strip() else None


def _are_blocks(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) or is_picture(part) for part in value)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, str) for part in value)


def _as_text(value: Any) -> Any:
    """A number as text; other values as they are."""
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int) else value


def _all(values: Sequence[Any]) -> list[Any]:
    """The values of several fields in one list, each once, without blank texts."""
    parts = (part for value in values for part in (value if isinstance(value, list) else [value]))
    unique: dict[str, Any] = {}
    for part in parts:
        if not (isinstance(part, str) and not part.strip()):
            unique.setdefault(canonical_json(part), part)
    return list(unique.values())


def _pages(values: Sequence[Any]) -> list[Any]:
    """Titles and addresses as the pages of evidence: each address of a text, or the text as a title.

    >>> _pages(["Oslo", "https://a.example, https://b.example (not required)"])
    [{'title': 'Oslo'}, {'url': 'https://a.example'}, {'url': 'https://b.example'}]
    """
    pages: list[Any] = []
    for value in values:
        addresses = [found.rstrip(",;") for found in _ADDRESS.findall(value)] if isinstance(value, str) else []
        is_title = isinstance(value, str) and not addresses
        pages += [{"url": address} for address in addresses] or [{"title": value} if is_title else value]
    return _all(pages)
