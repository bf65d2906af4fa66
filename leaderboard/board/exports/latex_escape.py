"""Plain text in LaTeX: every character is printed literally, in pdfLaTeX as well as in XeLaTeX and LuaLaTeX."""

import unicodedata
from typing import Final

_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",  # BibTeX counts the brace of \{ too
    "}": r"\textbraceright{}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "`": r"\textasciigrave{}",
    "'": "'",
}
_GREEK: Final = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa mu nu xi pi rho sigma tau upsilon phi chi psi omega"
)
_KNOWN: Final = {
    "\N{NO-BREAK SPACE}": "~",
    "\N{EN DASH}": "--",
    "\N{EM DASH}": "---",
    "\N{HYPHEN}": "-",
    "\N{NON-BREAKING HYPHEN}": "-",
    "\N{MINUS SIGN}": "$-$",
    "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{MIDDLE DOT}": r"$\cdot$",
    "\N{LESS-THAN OR EQUAL TO}": r"$\leq$",
    "\N{GREATER-THAN OR EQUAL TO}": r"$\geq$",
    "\N{RIGHTWARDS ARROW}": r"$\rightarrow$",
    "\N{DEGREE SIGN}": r"${}^{\circ}$",
    "\N{SUPERSCRIPT TWO}": r"${}^{2}$",
    "\N{LEFT DOUBLE QUOTATION MARK}": "``",
    "\N{RIGHT DOUBLE QUOTATION MARK}": "''",
    "\N{LEFT SINGLE QUOTATION MARK}": "`",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    "\N{DAGGER}": r"\dag{}",
    "\N{DOUBLE DAGGER}": r"\ddag{}",
    "\N{SECTION SIGN}": r"\S{}",
    "\N{COPYRIGHT SIGN}": r"\copyright{}",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "å": r"\aa{}",
    "Å": r"\AA{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "¡": r"!`",
    "¿": r"?`",
    **{unicodedata.lookup(f"GREEK SMALL LETTER {name.upper()}"): rf"$\{name}$" for name in _GREEK.split()},
    "\N{GREEK SMALL LETTER LAMDA}": r"$\lambda$",
}
_ACCENTS: Final = {
    "\N{COMBINING GRAVE ACCENT}": "`",
    "\N{COMBINING ACUTE ACCENT}": "'",
    "\N{COMBINING CIRCUMFLEX ACCENT}": "^",
    "\N{COMBINING TILDE}": "~",
    "\N{COMBINING DIAERESIS}": '"',
    "\N{COMBINING RING ABOVE}": "r",
    "\N{COMBINING CARON}": "v",
    "\N{COMBINING MACRON}": "=",
    "\N{COMBINING BREVE}": "u",
    "\N{COMBINING DOT ABOVE}": ".",
    "\N{COMBINING DOUBLE ACUTE ACCENT}": "H",
    "\N{COMBINING CEDILLA}": "c",
    "\N{COMBINING DOT BELOW}": "d",
    "\N{COMBINING MACRON BELOW}": "b",
}
"""Those that every text encoding of LaTeX has."""

OTHER_SCRIPT: Final = (
    r"\providecommand{\otherscript}[2]{\ifdefined\directlua#2\else\ifdefined\XeTeXversion#2\else#1\fi\fi}"
)
"""Defines the command that `escaped` writes around characters unknown to pdfLaTeX: first its replacement, then them."""


def escaped(text: str) -> str:
    r"""Text as LaTeX source that only prints it, on one line.

    Characters beyond Latin are put into ``\otherscript{…}{…}`` (see `OTHER_SCRIPT`): XeLaTeX and LuaLaTeX print them if
    their font has them, pdfLaTeX prints the nearest plain letters or the code points.

    >>> print(escaped(r"50 % of \input{x} & Zoë_1"))
    50 \% of \textbackslash{}input\textbraceleft{}x\textbraceright{} \& Zo\"{e}\_1
    >>> print(escaped("混元 2"))
    \otherscript{[U+6DF7 U+5143]}{混元} 2
    """
    pieces: list[str] = []
    foreign = before = ""
    for character in one_line(text):
        piece = "{}-" if before == character == "-" else _piece(character)
        before = character
        if piece is None:
            foreign += character
            continue
        if foreign:
            pieces.append(_other(foreign))
            foreign = ""
        pieces.append(piece)
    return "".join(pieces) + (_other(foreign) if foreign else "")


def comment(text: str) -> str:
    """Text as a comment line, without line breaks."""
    return f"% {one_line(text)}"


def needs_definition(source: str) -> bool:
    """Whether LaTeX source uses the commands that `OTHER_SCRIPT` defines."""
    return "\\otherscript" in source


def one_line(text: str) -> str:
    """Text in composed form on one line, without control characters, direction marks and lone surrogates."""
    spaced = "".join(
        " " if unicodedata.category(character) in ("Cc", "Zl", "Zp") else character
        for character in unicodedata.normalize("NFC", text)
        if unicodedata.category(character) not in ("Cf", "Cs", "Co", "Cn")
    )
    return " ".join(part for part in spaced.split(" ") if part)


def _piece(character: str) -> str | None:
    """The source of one character, or None if only some engines can print it."""
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character in _KNOWN:
        return _KNOWN[character]
    if character.isascii():
        return character
    base, *marks = list(unicodedata.normalize("NFD", character))
    if marks and base.isascii() and base.isalpha() and all(mark in _ACCENTS for mark in marks):
        for mark in marks:
            base = rf"\{_ACCENTS[mark]}{{{base}}}"
        return base
    return None


def _other(characters: str) -> str:
    plain = unicodedata.normalize("NFKD", characters)
    if all(part.isascii() or unicodedata.combining(part) for part in plain):
        shown = "".join(_SPECIAL.get(part, part) for part in plain if part.isascii())
    else:
        shown = "[" + " ".join(f"U+{ord(character):04X}" for character in characters) + "]"
    return rf"\otherscript{{{shown}}}{{{characters}}}"
