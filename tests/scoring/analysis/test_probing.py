"""Limits on answers: an answer waits in whichever way it is written."""

import json
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.analysis import probing
from scoring.analysis.probing import LONG_ANSWERS, MANY_NAMES, REPEATED, n_names, padding
from scoring.benchmarks import definition_of

TEXTS = st.text(st.sampled_from("ab1 ._,\n") | st.sampled_from("東京ﬁ½é "), max_size=60)


@given(TEXTS, st.integers(0, 8))
@example("a b c d", 2)  # the shortest ASCII text of three names
@example("a b c", 2)
@example("東京大阪", 2)
@example("½½½½½", 3)
def test_an_answer_is_flagged_if_and_only_if_it_has_more_names(text: str, most: int) -> None:
    definition = replace(definition_of("fanoutqa"), names_without_review=most)
    flagged = [flag.facts["most"] for flag in padding({"q": text}, definition) if flag.code == MANY_NAMES]
    assert flagged == [names for names in [n_names(text)] if names > most]


YEARS = [str(year) for year in range(100, 2100)]


def mojibake(text: str) -> str:
    return text.encode().decode("cp1252")


@pytest.mark.parametrize(
    "dictionary",
    [
        mojibake("\u2013").join(YEARS),
        "&#32;".join(YEARS),
        "&amp;#32;".join(YEARS),
        " ".join(f"{year[:2]}\u200b{year[2:]}" for year in YEARS),
        " ".join(".".join(year) for year in YEARS),
    ],
    ids=["mojibake", "entities", "nested entities", "invisible characters", "dots within words"],
)
def test_a_dictionary_is_counted_as_metrics_read_it(dictionary: str) -> None:
    (flag,) = padding({"q": dictionary}, replace(definition_of("fanoutqa"), length_without_review=None))
    assert flag.code == MANY_NAMES and flag.facts["most"] >= len(YEARS) / 2


def test_spellings_of_one_entry_that_metrics_read_alike_are_repeats() -> None:
    entries = [
        "Oslo",
        "OSLO",
        "O.slo",
        "Os\u200blo",
        "Ｏｓｌｏ",
        "Oslo.",
        "&#79;slo",
        *(f"Os{'.' * n}lo" for n in range(9)),
    ]
    (flag,) = padding({"q": json.dumps(entries)}, definition_of("qampari"))
    assert (flag.code, flag.facts["most"]) == (REPEATED, len(entries) - 1)


def test_an_answer_that_takes_too_long_to_read_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "READING_SECONDS", 0.0)
    hostile = "Ã©" * 10_000
    assert [flag.code for flag in padding({"q": hostile}, definition_of("fanoutqa"))] == [LONG_ANSWERS]
