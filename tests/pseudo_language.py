"""Languages that nobody speaks, made of the English texts, to see what is not translated and what has too little room.

The catalogues are made of the texts that `manage.py makemessages` finds too, without GNU gettext.
"""

import ast
import re
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from django.utils.translation.template import templatize

ROOT: Final = Path(__file__).parents[1]
LONGER: Final = "la"
"""Each letter accented, in brackets, 40 % longer; by the code of a language for which Django has no texts."""
RIGHT_TO_LEFT: Final = "ar"
"""The same in Arabic letters. Django's own texts are in true Arabic."""
OPENED: Final = "⟦"
CLOSED: Final = "⟧"
KEPT: Final = re.compile(r"(<[^>]*>|%\(\w+\)[sd]|%%|\{\w+\}|&\w+;)")
CALL: Final = re.compile(
    r"""\b(?:n?gettext(?:_noop|_lazy)?|_)\(((?:\s*u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"),?)+)"""
)
LATIN: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTERS: Final = {
    LONGER: "áƀçđéƒğĥíĵķłɱñóþɋŕšťúṽŵẋýžÁƁÇĐÉƑĞĤÍĴĶŁṀÑÓÞɊŔŠŤÚṼŴẊÝŽ",
    RIGHT_TO_LEFT: "ابتثجحخدذرزسشصضطظعغفقكلمنه" * 2,
}


@cache
def texts() -> set[tuple[str, ...]]:
    """Every text of the product that can be translated: alone, or in the singular and the plural."""
    found = set()
    for path in sorted((ROOT / "templates").rglob("*")):
        if path.suffix in (".html", ".txt"):
            # Outside of texts, what Django makes of a template for gettext is no Python.
            for strings in CALL.findall(templatize(path.read_text(), origin=str(path))):
                found.add(_strings(f"({strings},)"))
    for path in (*sorted((ROOT / "humaneval").rglob("*.py")), ROOT / "leaderboard" / "web" / "markdown.py"):
        found |= set(_calls(ast.parse(path.read_text())))
    return found


def _strings(source: str) -> tuple[str, ...]:
    value = ast.literal_eval(re.sub(r",\s*,\)$", ",)", source))
    return tuple(str(text) for text in value)


def _calls(tree: ast.AST) -> Iterator[tuple[str, ...]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        given = [one.value for one in node.args[:2] if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if node.func.id in ("gettext", "gettext_noop", "gettext_lazy") and given:
            yield (given[0],)
        elif node.func.id == "ngettext" and len(given) == 2:
            yield tuple(given)


def pseudo(text: str, language: str = LONGER) -> str:
    """A text in a pseudo-language; places for values and markup stay.

    >>> pseudo("Save <b>%(n)d</b> times")
    '⟦Šáṽé <b>%(n)d</b> ťíɱéš áéíóúýá⟧'
    """
    letters = str.maketrans(LATIN, LETTERS[language])
    pieces = [piece if KEPT.fullmatch(piece) else piece.translate(letters) for piece in KEPT.split(text)]
    longer = ("aeiouy" * len(text))[: round(0.4 * len(KEPT.sub("", text)))].translate(letters)
    return f"{OPENED}{''.join(pieces)} {longer}{CLOSED}"


def write(folder: Path) -> Path:
    """Write the catalogues of both languages into a folder, one for ``LOCALE_PATHS``; return it."""
    for language in LETTERS:
        file = folder / language / "LC_MESSAGES" / "django.mo"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_compiled({one: tuple(pseudo(text, language) for text in one) for one in texts()}))
    return folder


write_once = cache(write)
"""`write`, at most once for each folder in this process."""


def _compiled(messages: dict[tuple[str, ...], tuple[str, ...]]) -> bytes:
    """A catalogue as ``msgfmt`` writes it: a table of texts and one of translations, in order of the texts."""
    header = "Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"
    pairs = {"": header, **{"\0".join(text): "\0".join(said) for text, said in messages.items()}}
    encoded = sorted((text.encode(), said.encode()) for text, said in pairs.items())
    n = len(encoded)
    place = 28 + 16 * n
    tables: list[bytes] = []
    content = b""
    for column in (0, 1):
        for pair in encoded:
            tables.append(struct.pack("<II", len(pair[column]), place + len(content)))
            content += pair[column] + b"\0"
    return struct.pack("<7I", 0x950412DE, 0, n, 28, 28 + 8 * n, 0, 0) + b"".join(tables) + content
