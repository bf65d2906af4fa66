"""BibTeX that people write: what is wrong with it."""

from __future__ import annotations

import re
from typing import Final

from scoring.files.mistakes import nearest

TYPES: Final = (  # others are accepted unless they look like one of these
    *("article", "book", "booklet", "conference", "dataset", "inbook", "incollection", "inproceedings", "manual"),
    *("mastersthesis", "misc", "online", "phdthesis", "proceedings", "report", "software", "techreport", "thesis"),
    "unpublished",
)
_HEAD: Final = re.compile(r"@\s*(\w+)\s*\{\s*([^\s,{}\"\\%#~=]*)\s*(,?)")
_NAME: Final = re.compile(r"\s*([A-Za-z][\w:+-]*)\s*(=?)\s*")
_PLAIN: Final = re.compile(r"\w+")
_AFTER: Final = re.compile(r"\s*([,#]?)\s*")
_INNER: Final = re.compile(r"\{[^{}]*\}")
_THREE: Final = re.compile(r"[^,]+,\s*\w\S*\s+\w[^,]*,[^,]+")
"""Three parts, of which the one in the middle has two words: no Jr."""
CORRECT: Final = "Export it again from the publication's page."


class BibtexError(ValueError):
    """Mistake in a text as BibTeX: found, expected, and what to do."""


def check_bibtex(text: str) -> None:
    """Check that a text is one or several whole BibTeX entries.

    Raises:
        BibtexError: it is not, at the first place where it is not.

    >>> check_bibtex("@misc{key, title = {A {Title}}, year = 2026}")
    >>> check_bibtex("@misc{key, title = {A Title} year = 2026}")
    Traceback (most recent call last):
        ...
    scoring.files.bibtex.BibtexError: ('year after the value of title', 'a comma between fields', 'Add the comma.')
    """
    place = 0
    while rest := text[place:].strip():
        place = text.index(rest, place)
        head = _HEAD.match(text, place)
        if head is None:
            raise BibtexError("text outside an entry", "entries as @misc{key, title = {…}}", CORRECT)
        if not head[2] or not head[3]:
            raise BibtexError(f"@{head[1]} without a key and a comma", "@misc{key, …}", "Add the key after the brace.")
        if head[1].lower() not in TYPES and (like := nearest(head[1].lower(), TYPES)):
            raise BibtexError(f"the type @{head[1]}", "a type of entry", like)
        place = _after_fields(text, head.end(), head[2])


def _after_fields(text: str, place: int, key: str) -> int:
    """The place after the brace that closes an entry, whose fields begin at a place."""
    known: list[str] = []
    while not text[place:].lstrip().startswith("}"):
        name = _NAME.match(text, place)
        if name is None or not name[2]:
            what = f"the entry {key} without its closing brace" if not text[place:].strip() else f"no field in {key}"
            raise BibtexError(what, "fields as title = {…}, then }", CORRECT)
        known.append(name[1].lower())
        place = _after_value(text, name.end(), name[1])
        if known[-1] in ("author", "editor"):
            _check_names(text[name.end() : place].strip(), known[-1])
        following = _NAME.match(text, place)
        if following is not None and following[2]:
            actual = f"{following[1]} after the value of {name[1]}"
            raise BibtexError(actual, "a comma between fields", "Add the comma.")
        place += len(text[place:]) - len(text[place:].lstrip())
        place += text[place : place + 1] == ","
    if "title" not in known:
        raise BibtexError(f"no title in {key}", "title = {…}", "Add it.")
    return text.index("}", place) + 1


def _check_names(value: str, field: str) -> None:
    """Refuse names that commas separate: BibTeX reads them as the parts of one name, at most three.

    >>> _check_names("{Last, Jr., First and {A, B, C, and D Team}}", "author")
    >>> _check_names("{de la Last, Jr., First Second}", "author")
    >>> _check_names("{A One, B Two, C Three, and D Four}", "author")
    Traceback (most recent call last):
        ...
    scoring.files.bibtex.BibtexError: ('commas between the names of author', 'the word and', 'Write A and B and C.')
    """
    while (bare := _INNER.sub("", value[1:-1])) != value[1:-1]:
        value = f"{value[0]}{bare}{value[-1]}"
    if any(name.count(",") > 2 or _THREE.fullmatch(name) for name in re.split(r"\sand\s", bare)):
        raise BibtexError(f"commas between the names of {field}", "the word and", "Write A and B and C.")


def _after_value(text: str, place: int, name: str) -> int:
    """The place after a value: texts in braces or quotation marks, numbers or names, joined by #."""
    while True:
        if text[place : place + 1] in ("{", '"'):
            place = _after_quoted(text, place, name)
        elif plain := _PLAIN.match(text, place):
            place = plain.end()
        else:
            raise BibtexError(f"no value of {name}", f"{name} = {{…}}", CORRECT)
        joined = _AFTER.match(text, place)
        if joined is None or joined[1] != "#":
            return place
        place = joined.end()


def _after_quoted(text: str, place: int, name: str) -> int:
    depth = 0
    for end in range(place, len(text)):
        depth += (text[end] == "{") - (text[end] == "}")
        if depth < 0:
            break
        if depth == 0 and end > place and text[end] == ("}" if text[place] == "{" else '"'):
            return end + 1
    raise BibtexError(f"the value of {name} without its end", "each brace closed once", "Add the missing brace.")
