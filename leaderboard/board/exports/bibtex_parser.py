r"""Safe parsing of BibTeX from citation fields.

Readers paste an export into a paper and compile it. So user input is never copied verbatim: entries are parsed, and
written again from known fields and commands, without ``@preamble``, ``\input`` or unbalanced braces.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlsplit

from leaderboard.board.exports.latex_escape import escaped, one_line


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENTRY_TYPES: Final = _words(
    """article book booklet conference inbook incollection inproceedings manual mastersthesis misc phdthesis proceedings
    techreport unpublished online software dataset report thesis"""
)
FIELDS: Final = _words(
    """author title year month date booktitle journal volume number pages publisher editor series address edition
    chapter school institution organization howpublished note url doi isbn issn eprint eprinttype eprintclass
    archiveprefix primaryclass version"""
)
ADDRESSES: Final = frozenset({"url", "doi"})
MONTHS: Final = _words("jan feb mar apr may jun jul aug sep oct nov dec")
_COMMANDS: Final = _words(
    """r v u H c d b k t ss ae AE oe OE o O aa AA l L i j th TH dh DH dj DJ ng NG textit textbf textsc texttt textrm
    textsf textsuperscript textsubscript emph em it bf sc tt url dag ddag S P copyright ldots dots LaTeX TeX BibTeX
    textendash textemdash textasciitilde textbackslash times pm cdot mathrm mathbf ensuremath alpha beta gamma delta
    epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega infty"""
)
_COMMAND = re.compile(r"\\([A-Za-z]+|.|$)", re.DOTALL)
_SYMBOLS: Final = frozenset("`'^\"~=.&%$#_{}-, /")
_HEAD = re.compile(r"\s*@\s*([A-Za-z]+)\s*\{\s*([^\s,{}\"\\]+)\s*(,|(?=\}))")
_NAME = re.compile(r"\s*([A-Za-z][\w-]*)\s*=\s*")
_BARE = re.compile(r"[A-Za-z][\w.:-]*|\d+")
_END = re.compile(r"\s*(,|\})\s*")
_URL = re.compile(r"\\url\s*\{([^{}]*)\}")


@dataclass(frozen=True)
class BibEntry:
    """An entry whose values can be written between braces without changes."""

    type: str
    key: str
    fields: dict[str, str]


def entries_in(text: str) -> list[BibEntry]:
    """The entries of a text that consists of BibTeX only; empty if it contains anything else.

    >>> [found] = entries_in(r"@article{ada, title = {On {Engines}}, year = 1843, evil = {x}, note = {\\input{y} 1%}}")
    >>> found.type, found.key, dict(found.fields)["title"], dict(found.fields)["note"]
    ('article', 'ada', 'On {Engines}', '\\\\textbackslash{}input\\\\textbraceleft{}y\\\\textbraceright{} 1\\\\%')
    >>> entries_in("Lovelace, 1843"), entries_in("@preamble{x, y = {z}}"), entries_in("@misc{a, title = {open}")
    ([], [], [])
    """
    entries: list[BibEntry] = []
    at = 0
    while text[at:].strip():
        entry, at = _entry(text, at)
        if entry is None:
            return []
        entries.append(entry)
    return entries


def _entry(text: str, at: int) -> tuple[BibEntry | None, int]:
    head = _HEAD.match(text, at)
    if head is None or head[1].lower() in ("preamble", "string", "comment"):
        return None, at
    at = head.end()
    fields: dict[str, str] = {}
    closed = text[at : at + 1] == "}" and head[3] == ""
    if closed:
        at += 1
    while not closed:
        rest = _END.match(text, at)
        if rest is not None and rest[1] == "}":
            at, closed = rest.end(), True
            continue
        name = _NAME.match(text, at)
        if name is None:
            return None, at
        value, at = _value(text, name.end())
        end = _END.match(text, at)
        if value is None or end is None:
            return None, at
        at, closed = end.end(), end[1] == "}"
        key = name[1].lower()
        if key in FIELDS and key not in fields and value.strip():
            fields[key] = safe_value(key, value)
    kind = head[1].lower()
    safe_key = re.sub(r"[^A-Za-z0-9:._+-]", "", head[2])[:80]
    return BibEntry(kind if kind in ENTRY_TYPES else "misc", safe_key, fields), at


def _value(text: str, at: int) -> tuple[str | None, int]:
    """A field's value, with its parts joined, and the position of its end."""
    pieces: list[str] = []
    while True:
        opening = text[at : at + 1]
        if opening in ("{", '"') and opening:
            end = _closing(text, at)
            if end is None:
                return None, at
            pieces.append(text[at + 1 : end])
            at = end + 1
        else:
            bare = _BARE.match(text, at)
            if bare is None:
                return None, at
            pieces.append(bare[0])
            at = bare.end()
        joined = re.compile(r"\s*#\s*").match(text, at)
        if joined is None:
            return "".join(pieces), at
        at = joined.end()


def _closing(text: str, at: int) -> int | None:
    """The position that closes the brace or quote at *at*. As in BibTeX, a backslash before a brace has no effect."""
    quoted = text[at] == '"'
    depth = 0
    for index in range(at + 1, len(text)):
        character = text[index]
        if character == "{":
            depth += 1
        elif character == "}":
            if depth == 0:
                return None if quoted else index
            depth -= 1
        elif character == '"' and quoted and depth == 0:
            return index
    return None


def safe_value(field: str, value: str) -> str:
    r"""A field's value as LaTeX source with known commands only; a value with any other command becomes plain text.

    Braces in *value* are balanced. Characters that would end a line or a cell are escaped if they were not.
    """
    value = one_line(value)
    if field in ADDRESSES:
        return safe_address(value) if field == "url" else quote(value.replace("\\", ""), safe="/:.();<>-")
    if field == "month" and value.lower() in MONTHS:
        return value.lower()
    commands = [match[1] for match in _COMMAND.finditer(value)]
    known = all(command in _COMMANDS or command in _SYMBOLS for command in commands)
    dollars = re.sub(r"\\.", "", value).count("$")
    if not known or "^^" in value or dollars % 2 or not _balanced_for_tex(value):
        return escaped(value)
    pieces, at = [], 0
    for address in _URL.finditer(value):
        pieces += [_characters(value[at : address.start()], math=dollars > 0), rf"\url{{{safe_address(address[1])}}}"]
        at = address.end()
    return "".join([*pieces, _characters(value[at:], math=dollars > 0)])


def _characters(value: str, *, math: bool) -> str:
    special = "%&#" if math else "%&#_"
    value = re.sub(rf"(\\.)|([{special}])", lambda match: match[1] or f"\\{match[2]}", value, flags=re.DOTALL)
    if not math:
        value = re.sub(r"(?<!\\)\^", r"\\textasciicircum{}", value)
    return "".join(character if character.isascii() else escaped(character) for character in value)


def safe_address(value: str) -> str:
    """A web address without characters that affect TeX's grouping; empty if *value* is not one."""
    address = quote(value.strip(), safe="%/:?#[]@!$&'()*+,;=~-._")
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return address if parts.scheme in ("http", "https") and parts.netloc else ""


def _balanced_for_tex(value: str) -> bool:
    """Whether the braces that TeX interprets (those without a backslash) are balanced."""
    depth = 0
    for character in re.sub(r"\\.", "", value, flags=re.DOTALL):
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return False
    return depth == 0
