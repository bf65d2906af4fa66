"""The systems of a board, the board itself and its benchmark as BibTeX."""

import datetime
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from leaderboard.board.exports.bibtex_parser import BibEntry, entries_in, safe_address
from leaderboard.board.exports.latex_escape import escaped, one_line

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SMALL_WORDS: Final = frozenset({"a", "an", "the", "on", "of", "for", "in", "and", "with", "to"})
CEILING: Final = "ceiling"


def as_bibtex(document: Mapping[str, Any], *, address: str, date: datetime.date, site: str, benchmark: str = "") -> str:
    """A .bib file: the board with its URL, the benchmark, then every system shown, once, in the board's order.

    Keys are unique. A BibTeX citation is copied field by field (see `bibtex_parser`); a citation in free text is put
    into ``note`` of a ``@misc`` entry with the system's authors.

    Args:
        address: absolute URL of the board or of its snapshot.
        date: the date of the board's content.
        site: the site's name.
        benchmark: the benchmark's own BibTeX entry; without it, its citation as text.
    """
    taken: dict[str, int] = {}
    entries = [
        *board_entries(document, address=address, date=date, site=site, benchmark=benchmark, taken=taken),
        *(entry for _, found in _of_systems(document, taken) for entry in found),
    ]
    return "\n".join(written(entry) for entry in entries)


def board_entries(
    document: Mapping[str, Any],
    *,
    address: str,
    date: datetime.date,
    site: str,
    benchmark: str = "",
    taken: dict[str, int] | None = None,
) -> list[BibEntry]:
    """The entries of the board itself and of its benchmark."""
    taken = {} if taken is None else taken
    names = document["benchmark"], document["split"], document["setting"]
    revision = document["revision"]
    title = "{} leaderboard: {}, {} split".format(*(escaped(part["name"]) for part in (names[0], names[2], names[1])))
    note = f"Questions of revision {escaped(revision['hash'][:8])}" if revision else "No questions yet"
    board = BibEntry(
        "misc",
        _free("-".join([*(part["slug"] for part in names), "leaderboard", date.isoformat()]), taken),
        {
            "author": f"{{{escaped(site)}}}",
            "title": f"{{{title}}}",
            "year": str(date.year),
            "howpublished": rf"\url{{{safe_address(address)}}}",
            "note": f"{note}. As of {date.isoformat()}",
        },
    )
    known = entries_in(benchmark)
    cited = document["benchmark"]["citation"]
    if not known:
        fields = {"title": f"{{{escaped(document['benchmark']['name'])}}}", "note": escaped(cited)}
        known = [BibEntry("misc", document["benchmark"]["slug"], fields | _year(cited))]
    return [board, *(BibEntry(entry.type, _free(entry.key, taken), entry.fields) for entry in known)]


def system_keys(document: Mapping[str, Any]) -> dict[str, str]:
    """The key of each system shown, by its slug: the first one if its citation holds several entries."""
    taken: dict[str, int] = {}
    board_entries(document, address="", date=datetime.date.min, site="", taken=taken)
    return {slug: entries[0].key for slug, entries in _of_systems(document, taken)}


def system_entries(row: Mapping[str, Any], taken: dict[str, int] | None = None) -> list[BibEntry]:
    """The entries of one system: those of its citation, or one made from its metadata.

    Args:
        row: with ``system`` (its name), ``authors``, ``citation``, ``url``.
        taken: keys in use; new keys are added.
    """
    taken = {} if taken is None else taken
    own = entries_in(row["citation"] or "")
    if own:
        return [BibEntry(entry.type, _free(entry.key or _made_key(row), taken), _complete(entry, row)) for entry in own]
    fields = {"author": bib_authors(row["authors"] or ""), "title": f"{{{escaped(row['system'])}}}"}
    address = safe_address(row["url"] or "")
    if address:
        fields["howpublished"] = rf"\url{{{address}}}"
    if row["citation"]:
        fields |= {"note": escaped(row["citation"])} | _year(row["citation"])
    return [BibEntry("misc", _free(_made_key(row), taken), {key: value for key, value in fields.items() if value})]


def bib_authors(text: str) -> str:
    """Names on one line in BibTeX syntax, with "et al." as "others".

    >>> bib_authors("Ada Lovelace, Grace Hopper and others"), bib_authors("Touvron et al."), bib_authors("R&D and Co")
    ('Ada Lovelace and Grace Hopper and others', 'Touvron and others', 'R\\\\&D and Co')
    """
    text = re.sub(r"[,;]?\s*(?:\bet\.?\s+al\b\.?|(?<=\s)and others\b\.?)\s*$", "; others", one_line(text))
    names = [name.strip() for name in re.split(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+|\s+&\s+", text)]
    return " and ".join(escaped(name) for name in names if name)


def written(entry: BibEntry) -> str:
    """An entry in the syntax of a .bib file, with a line break at the end."""
    lines = [f"  {name} = {_braced(name, value)}," for name, value in entry.fields.items() if value]
    return "\n".join([f"@{entry.type}{{{entry.key},", *lines, "}", ""])


def _braced(name: str, value: str) -> str:
    return value if name == "month" and value.isascii() and value.islower() and len(value) == 3 else f"{{{value}}}"


def _of_systems(document: Mapping[str, Any], taken: dict[str, int]) -> Iterator[tuple[str, Sequence[BibEntry]]]:
    seen: set[str] = set()
    for row in [*document["pinned_rows"], *document["rows"], *document["apart_rows"]]:
        if row["pinned"] == CEILING or row["slug"] in seen:
            continue
        seen.add(row["slug"])
        yield row["slug"], system_entries(row, taken)


def _complete(entry: BibEntry, row: Mapping[str, Any]) -> dict[str, str]:
    """The fields of an entry, with a title if it had none."""
    return ({} if "title" in entry.fields else {"title": f"{{{escaped(row['system'])}}}"}) | dict(entry.fields)


def _year(citation: str) -> dict[str, str]:
    years = _YEAR.findall(citation)
    return {"year": years[-1]} if years else {}


def _made_key(row: Mapping[str, Any]) -> str:
    """``lovelace2026engine``: first author's last name, year, first significant word of the name."""
    authors = re.split(r"[,;]|\sand\s|\set\s", one_line(row["authors"] or ""))[0].split()
    words = [word for word in map(_plain, one_line(row["system"]).split()) if word and word not in _SMALL_WORDS]
    year = _year(row["citation"] or "").get("year", "")
    return (
        f"{_plain(authors[-1]) if authors else ''}{year}{words[0] if words else ''}" or _plain(row["slug"]) or "system"
    )


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
