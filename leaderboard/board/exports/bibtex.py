"""The systems of a board, the board itself and its benchmark as BibTeX."""

import datetime
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import quote, urlsplit

from django.core.exceptions import ValidationError

from leaderboard.board.exports.latex_escape import escaped, one_line
from leaderboard.board.exports.schema import Board, Origin

_HEAD: Final = re.compile(r"@\s*(?!(?i:preamble|string|comment)\b)([A-Za-z]+)\s*\{\s*([^\s,{}\"\\%#~]+)\s*(?:,|(?=\}))")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_COMPANY: Final = re.compile(
    r"(?:Inc|Ltd|LLC|LLP|PLC|Corp|Co|GmbH|AG|SE|SA|S\.A|BV|B\.V|Oy|AB|AS|Pty Ltd)\.?", re.IGNORECASE
)
_SMALL_WORDS: Final = frozenset({"a", "an", "the", "on", "of", "for", "in", "and", "with", "to"})
CEILING: Final = "ceiling"
"""A pinned row of dated states of versions before 0.8.0: the score of a copy of the reference answers."""


class BibEntry(NamedTuple):
    """An entry of a .bib file."""

    type: str
    key: str
    body: str
    """Everything between the key and the closing brace, with balanced braces."""

    def __str__(self) -> str:
        return f"@{self.type}{{{self.key},\n{self.body}\n}}\n"


def entries_in(text: str) -> list[BibEntry]:
    """The entries of a text that consists of BibTeX entries alone, as they were sent; empty for any other text.

    >>> entries_in("@article{ada, title = {On {Engines}}}")
    [BibEntry(type='article', key='ada', body='title = {On {Engines}}')]
    >>> entries_in("Lovelace, 1843"), entries_in("@preamble{x, y = {z}}"), entries_in("@misc{a, title = {open}")
    ([], [], [])
    """
    entries: list[BibEntry] = []
    rest = text.strip()
    while rest:
        head, end = _HEAD.match(rest), _closing_brace(rest)
        if head is None or end is None:
            return []
        entries.append(BibEntry(head[1], head[2], rest[head.end() : end].strip()))
        rest = rest[end + 1 :].strip()
    return entries


def _closing_brace(text: str) -> int | None:
    """Position of the brace that closes the first one. As in BibTeX, a backslash before a brace has no effect."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if depth == 0 and character == "}":
            return place
    return None


def validate_citation(text: str) -> None:
    """Refuse BibTeX whose braces do not close.

    Raises:
        ValidationError: they do not.
    """
    if _HEAD.match(text.strip()) and text.count("{") != text.count("}"):
        raise ValidationError(
            "The braces of this BibTeX do not close. Add the missing brace, or remove the one too many.",
            code="open_braces",
        )


def as_bibtex(document: Board, origin: Origin) -> str:
    """A .bib file: the board with its URL, the benchmark, then every system shown, once, in the board's order.

    Keys are unique. A BibTeX citation is copied as it was sent; a citation in free text is put into ``note`` of a
    ``@misc`` entry with the system's authors.
    """
    taken: dict[str, int] = {}
    entries = [
        *board_entries(document, origin, taken),
        *(entry for _, entries in _of_systems(document, taken) for entry in entries),
    ]
    return as_source(entries)


def board_entries(document: Board, origin: Origin, taken: dict[str, int] | None = None) -> list[BibEntry]:
    """The entries of the board itself and of its benchmark."""
    taken = {} if taken is None else taken
    benchmark, date = document.benchmark, origin.date.isoformat()
    parts = benchmark, document.setting, document.split
    title = "{} leaderboard: {}, {} split".format(*(escaped(part.name) for part in parts))
    slugs = benchmark.slug, document.split.slug, document.setting.slug
    basis = []  # what the numbers rest on
    if document.revision and document.signatures:
        basis.append(f"Questions of revision {escaped(document.revision.hash[:8])}")
    if sources := document.reported_sources:
        basis.append(f"Reported results from {escaped('; '.join(sources))}")
    board = _misc(
        _free("-".join([*slugs, "leaderboard", date]), taken),
        {
            "author": f"{{{escaped(origin.site)}}}",
            "title": f"{{{title}}}",
            "year": str(origin.date.year),
            "howpublished": rf"\url{{{safe_address(origin.address)}}}",
            "note": ". ".join([*basis, f"As of {date}"]),
        },
    )
    known = entries_in(origin.benchmark)
    if not known:
        fields = {"title": f"{{{escaped(benchmark.name)}}}", "note": escaped(benchmark.citation)}
        known = [_misc(benchmark.slug, fields | _year(benchmark.citation))]
    return [board, *(entry._replace(key=_free(entry.key, taken)) for entry in known)]


def system_keys(document: Board) -> dict[str, str]:
    """The key of each system shown, by its slug: the first one if its citation holds several entries."""
    taken: dict[str, int] = {}
    board_entries(document, Origin("", datetime.date.min, ""), taken)
    return {slug: entries[0].key for slug, entries in _of_systems(document, taken)}


def system_entries(
    taken: dict[str, int], *, slug: str, name: str, authors: str, citation: str, url: str
) -> list[BibEntry]:
    """The entries of one system, or of anything else that is cited: those of its citation, or one made from its
    metadata.

    Args:
        taken: keys in use; new keys are added.
    """
    if own := entries_in(citation):
        return [entry._replace(key=_free(entry.key, taken)) for entry in own]
    # ``lovelace2026engine``: first author's last name, year, first significant word of the name.
    last_names = re.split(r"[,;]|\sand\s|\set\s", one_line(authors))[0].split()[-1:]
    words = [word for word in map(_plain, one_line(name).split()) if word and word not in _SMALL_WORDS]
    key = "".join([*map(_plain, last_names), _year(citation).get("year", ""), *words[:1]]) or _plain(slug) or "system"
    fields = {"author": bib_authors(authors), "title": f"{{{escaped(name)}}}"}
    if address := safe_address(url):
        fields["howpublished"] = rf"\url{{{address}}}"
    if citation:
        fields |= {"note": escaped(citation)} | _year(citation)
    return [_misc(_free(key, taken), fields)]


def bib_authors(text: str) -> str:
    """Names on one line in BibTeX syntax, with "et al." as "others".

    A comma separates names only between full names: "Müller, José", "OpenAI, Inc." and "OpenAI, Google" are printed as
    they are. After a semicolon, a comma separates last and first name.

    >>> bib_authors("Ada Lovelace, Grace Hopper and others"), bib_authors("Touvron et al."), bib_authors("R&D and Co")
    ('Ada Lovelace and Grace Hopper and others', 'Touvron and others', 'R\\\\&D and Co')
    >>> print(bib_authors("Müller, José; Hopper, G."), bib_authors("OpenAI, Inc. and Ada Lovelace"), sep="\\n")
    Müller, José and Hopper, G.
    {OpenAI, Inc.} and Ada Lovelace
    """
    text = re.sub(r"[,;]?\s*(?:\bet\.?\s+al\b\.?|(?<=\s)and others\b\.?)\s*$", "; others", one_line(text))
    text, is_cut, _ = text.partition("; others")
    groups = re.split(r";\s*(?:and\s+)?" if ";" in text else r",?\s+and\s+|\s+&\s+", text)
    names: list[str] = []
    for group in groups:
        parts = [part.strip() for part in group.split(",") if part.strip()]
        if len(parts) > 1 and _COMPANY.fullmatch(parts[-1]):
            names.append(f"{{{escaped(group.strip())}}}")
        elif ";" in text:
            names.append(", ".join(map(escaped, parts)))
        elif len(parts) < 2 or all(" " in part for part in parts):
            names += map(escaped, parts)
        else:
            names.append(f"{{{escaped(group.strip(' ,'))}}}")
    return " and ".join([*filter(None, names), *(["others"] if is_cut else [])])


def as_source(entries: Iterable[BibEntry]) -> str:
    return "\n".join(map(str, entries))


def _misc(key: str, fields: Mapping[str, str]) -> BibEntry:
    """An entry of values in LaTeX with balanced braces; empty ones are left out."""
    return BibEntry("misc", key, "\n".join(f"  {name} = {{{value}}}," for name, value in fields.items() if value))


def safe_address(value: str) -> str:
    """A web address without characters that affect TeX's grouping; empty if *value* is not one."""
    address = quote(value.strip(), safe="%/:?#[]@!$&'()*+,;=~-._")
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return address if parts.scheme in ("http", "https") and parts.netloc else ""


def _of_systems(document: Board, taken: dict[str, int]) -> Iterator[tuple[str, Sequence[BibEntry]]]:
    seen: set[str] = set()
    for row in document.all_rows:
        if row.pinned == CEILING or row.slug in seen:
            continue
        seen.add(row.slug)
        known = {name: getattr(row, name) for name in ("slug", "authors", "citation", "url")}
        yield row.slug, system_entries(taken, name=row.system, **known)


def _year(citation: str) -> dict[str, str]:
    years = _YEAR.findall(citation)
    return {"year": years[-1]} if years else {}


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]", "", folded)[:40]


def _free(key: str, taken: dict[str, int]) -> str:
    """*key*, or *key* with the first free suffix of -2, -3, …; keys differ in more than their case."""
    key = key or "system"
    candidate = key
    while candidate.lower() in taken:
        taken[key.lower()] = taken.get(key.lower(), 1) + 1
        candidate = f"{key}-{taken[key.lower()]}"
    taken[candidate.lower()] = 1
    return candidate
