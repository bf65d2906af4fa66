"""Plain text in LaTeX: XeLaTeX and LuaLaTeX print every character but ten as it stands."""

import unicodedata
from typing import Final

_ESCAPES: Final = str.maketrans(
    {
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
    }
)


def escaped(text: str) -> str:
    r"""Text as LaTeX source that only prints it, on one line.

    >>> print(escaped(r"50 % of \input{x} & Zoë_1"))
    50 \% of \textbackslash{}input\textbraceleft{}x\textbraceright{} \& Zoë\_1
    """
    return one_line(text).translate(_ESCAPES)


def comment(text: str) -> str:
    """Text as a comment line, without line breaks."""
    return f"% {one_line(text)}"


def one_line(text: str) -> str:
    """Text in composed form on one line, without control characters, direction marks and lone surrogates."""
    kept = (
        character if character.isprintable() else " " * character.isspace()
        for character in unicodedata.normalize("NFC", text)
    )
    return " ".join("".join(kept).split())
