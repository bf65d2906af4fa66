"""The forms of a text in which items are searched: what is computed once, and what a quick search must not change."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.text import token_forms
from scoring.metrics.text.lemmatizer import LOOKUP, text_lemmatiser
from scoring.metrics.text.token_forms import Forms

PARTS = ["us$", "usd", "u.s. dollars", "eur", "rub", "rubles", "jpy", "krw", "%", "per cent", "$", "¥", "£", "¢"]
PARTS += [" ", "\u00a0", "-", "5", "12", "m", "million", "k", "gap", "é", "."]
GUARD = "rub)"
"""How the part of the pattern ends that says how every match begins."""


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_signs_are_found_as_by_trying_every_place(text: str) -> None:
    before, _, rest = token_forms._WITH_SIGN.pattern.partition(GUARD)
    assert before.startswith("(?=")
    everywhere = re.compile(rest)
    assert token_forms.mark_signs(text) == everywhere.sub(token_forms._marked, text)


@pytest.mark.parametrize(
    ("text", "n_texts"),
    [("The mice ate five cheeses.", 2), ("It cost 5 dollars, said the mice.", 4), ("It cost Â£5 and the mice ran.", 5)],
    ids=["plain", "a sign", "a sign and mojibake"],
)
def test_equal_forms_are_computed_once(text: str, n_texts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[str] = []

    def counted(text: str) -> str:
        computed.append(text)
        return text

    monkeypatch.setattr(token_forms, "tokens", counted)
    forms = Forms(text, text_lemmatiser(LOOKUP))
    shown = [forms.written, forms.repaired, forms.lemmas, forms.marked, forms.marked_lemmas]
    assert len(computed) == n_texts
    assert len(set(shown)) == n_texts
