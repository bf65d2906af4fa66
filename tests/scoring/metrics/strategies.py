"""Texts and references made to find differences."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from scoring.metrics.text.tokenizer import english_rules

HURRIED = os.environ.get("MANYHOP_REQUIRE_ALL") == "1"


def thorough(n_examples: int) -> settings:
    """So many examples, however slow the machine; a quarter of them while `HURRIED`, where everything runs at once."""
    n_taken = max(50, n_examples // 4) if HURRIED else n_examples
    return settings(max_examples=n_taken)


_CHARACTERS = (
    "abcdeimnopstuvxyzABCDO0123458.,:;!?'’()[]{}<>=-_*/\\|\"$%+^@&#~…—–°²µ£€«»“”ಠ¬╯︵┻━"
    "\U0001f600\U0001f44d\U0001f3fdéßñǅİ中。、ابंि"
    "\u0301\u0316\u200b\u200d\ufeff\u00ad  \n\t\r\u00a0\u2028\u3000\x85\x1f_"
)
_PIECES = (
    "km", "'s", "n't", "://", "www.", "http://a.com/b?c", "user@b.co", "a:b@c.d", "a.m.", "j.", "US$", "...", "..",
    "……", "10", "5.2", "1,000", "1,234.5,678", "12,34", "٣,٤", "10km", "x:)", ":x:)", "foo:-)", "U.S.", "can't",
    "o'clock", "<3",
)  # fmt: skip
_FOR_FTFY = (
    "&amp;", "&lt;", "<b>", "Ã©", "â€œ", "\x1b[31m", "\x00", "ﬁ", "ＡＢ", "\ud800", "Æ’Â", "&#", "amp;", "&amp;amp;lt;",
    "\r\n", "&am&#112;;", "＆", "&#xff06;amp;", "“", "`", "\x92",
)  # fmt: skip
_WORDS = tuple(english_rules()["special_cases"])

pieces = st.one_of(
    st.sampled_from(_WORDS),
    st.sampled_from(_PIECES),
    st.sampled_from(_CHARACTERS),
    st.text(st.sampled_from(_CHARACTERS), max_size=12),
    st.sampled_from(_WORDS).map(" ".join),
)
"""Parts of texts that a tokeniser stumbles over."""


@st.composite
def nasty_texts(draw: st.DrawFn, with_mojibake: bool = False) -> str:
    """Texts of such parts, glued or spaced."""
    part = st.one_of(pieces, st.sampled_from(_FOR_FTFY)) if with_mojibake else pieces
    parts = draw(st.lists(st.tuples(part, st.sampled_from(["", "", " ", " ", "  ", "\n"])), max_size=20))
    return "".join(text + gap for text, gap in parts)


texts = st.one_of(nasty_texts(with_mojibake=True), st.text(max_size=60))

primitives: st.SearchStrategy[Any] = st.one_of(
    texts,
    st.sampled_from(["", " ", "Oslo", "$5", "12%", "C++", "the mice", "5.2", "1,234,567", "naïve café"]),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
)
references: st.SearchStrategy[Any] = st.recursive(
    primitives,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4), st.dictionaries(texts, inner, min_size=1, max_size=3)
    ),
    max_leaves=10,
)
"""Every shape that a reference may have."""


def leaves(reference: Any) -> Iterator[str]:
    """The texts in a reference."""
    if isinstance(reference, list):
        for item in reference:
            yield from leaves(item)
    elif isinstance(reference, dict):
        for key, value in reference.items():
            yield key
            yield from leaves(value)
    elif isinstance(reference, bool):
        yield "yes" if reference else "no"
    else:
        yield str(reference)


def perturbed(reference: Any, chance: random.Random) -> str:
    """An answer like one a system might give: parts of the reference, out of order, altered, with filling."""
    items = [item for item in leaves(reference) if chance.random() < 0.8]
    chance.shuffle(items)
    return chance.choice([", ", "\n- ", " and ", ". ", "  ", "; "]).join(_altered(item, chance) for item in items)


def _altered(item: str, chance: random.Random) -> str:
    match chance.randrange(10):
        case 0:
            return item.upper()
        case 1:
            return item.replace(",", "").replace(".", "")
        case 2:
            return f"The {item}s, it's said, were running"
        case 3:
            return f"**{item}**"
        case 4:
            words = item.split(" ")
            chance.shuffle(words)
            return " ".join(words)
        case 5:
            return f"${item}% (approx. {chance.randrange(10**7):,})"
        case 6:
            return item[: chance.randrange(len(item) + 1)]
        case _:
            return item


@st.composite
def candidates(draw: st.DrawFn, reference: Any) -> str | None:
    """An answer to a question with that reference: none, any text, or one made of the reference."""
    kind = draw(st.sampled_from(["none", "text", "like", "like", "like"]))
    if kind == "none":
        return None
    return draw(texts) if kind == "text" else perturbed(reference, random.Random(draw(st.integers(0, 2**32))))


@st.composite
def scored_sets(draw: st.DrawFn) -> tuple[list[Any], list[str | None]]:
    """References with an answer, or none, to each."""
    chosen = draw(st.lists(references, min_size=1, max_size=6))
    return chosen, [draw(candidates(reference)) for reference in chosen]
