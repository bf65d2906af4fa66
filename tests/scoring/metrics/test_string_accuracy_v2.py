"""The repaired accuracy: what it finds and what not, by hand; verbatim answers; and beside the official accuracy."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.benchmarks import definition_of
from scoring.metrics.base import EmptyReference, Tick, UnusableReference, check_references, primitives
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.metrics.string_accuracy_v2 import NOTHING_TO_FIND, RepairedStringAccuracy
from scoring.metrics.text.lemmatizer import Lemmatiser, PipelineLemmatiser, text_lemmatiser
from scoring.metrics.text.normalise import as_text
from scoring.metrics.text.token_forms import Forms, Item, tokens
from tests import real_data
from tests.scoring.metrics.official import lookup_pipeline
from tests.scoring.metrics.strategies import references, scored_sets, texts, thorough

METRIC = RepairedStringAccuracy("lookup")
OFFICIAL = StringAccuracy("lookup")


def found(reference: Any, answer: str, metric: RepairedStringAccuracy = METRIC) -> bool:
    (match,) = metric.explain(reference, answer)
    return match.found


def score(reference: Any, answer: str | None, metric: RepairedStringAccuracy = METRIC) -> tuple[float, float]:
    scores = metric.score(metric.prepare([reference]), [answer])
    return scores["repaired.loose"].value, scores["repaired.strict"].value


class TestWhatIsFound:
    """Worked out by hand from the rules in the docstring."""

    @pytest.mark.parametrize(
        ("item", "where", "where_not"),
        [
            # Boundaries are those of words and numbers.
            ("Oslo", ["in Oslo.", "**Oslo**", "_Oslo_", "Oslo/Bergen", "OSLO", "“Oslo”"], ["Oslos Bokhandel", "Osl o"]),
            ("C++", ["C++ and", "(C++)", "**C++**", "C++."], ["C+", "C", "C#"]),
            ("C", ["C, D", "vitamin C"], ["CD", "ABC"]),
            ("#1", ["the #1 hit"], ["#10", "1"]),
            ('"Heroes"', ['sang "Heroes" in', "sang “Heroes”", "sang Heroes", "sang 'Heroes'"], ["sang Heron"]),
            ("Hey Jude", ['"Hey Jude"', "«Hey Jude»", "‘Hey Jude’"], ["Hey, J. Jude"]),
            ('"Catch 22"', ["Catch 22", "“Catch 22”"], ["Catch 222"]),
            ("O'Brien", ["O'Brien", "O’Brien's"], ["Brien"]),
            ("1990–1995", ["1990-1995", "1990 – 1995", "1990—1995."], ["1990 1995", "1990-19955"]),
            ("1990-1995", ["1990–1995"], ["1990"]),
            # Scripts without spaces between words: each character, with its marks, is one.
            ("東京", ["首都は東京です。", "首都是東京", "東 京", "《東京》2020年"], ["東の京", "京東"]),
            ("ガンダム", ["機動戦士ガンダム展"], ["カンダム"]),
            ("กรุงเทพ", ["เมืองหลวงคือกรุงเทพมหานคร"], ["กรงเทพ"]),
            ("ก", ["กา"], ["กิน"]),
            ("ວຽງຈັນ", ["ນະຄອນຫຼວງວຽງຈັນແມ່ນ"], ["ວຽງຈນ"]),
            ("ភ្នំពេញ", ["រាជធានីភ្នំពេញ។"], ["ភ្នំពញ"]),
            ("ရန်ကုန်", ["မြို့တော်ရန်ကုန်သည်"], ["ရနကုန်"]),
            ("2024", ["2024年に", "於2024年"], ["12024年"]),
            ("東京 2020", ["東京2020"], ["東京20201"]),
            ("$5", ["约$5元", "约5 dollars"], ["约5元"]),
            ("Москва", ["столица — Москва."], ["Москвач"]),
            (
                "$5 million",
                ["$5 million", "US$5 million", "HK$9 and $5 million"],
                ["HK$5 million", "R$5 million", "A$5 million", "NT$ 5 million", "5 million Hong Kong dollars"],
            ),
            ("R$5 million", ["R$5 million", "R$ 5 million"], ["$5 million"]),
            ("£5", ["£5"], ["E£5"]),
            ("A$AP Rocky", ["A$AP Rocky"], ["ASAP Rocky"]),
            ("Avatar*", ["Avatar*: 2009"], ["Avatar"]),
            ("AC/DC", ["ac/dc", "AC / DC"], ["ACDC"]),
            ("U.S.", ["the US", "U.S. Senate", "u.s."], ["U S", "USA"]),
            ("J.K. Rowling", ["J.K.Rowling", "JK Rowling"], ["J K Rowling"]),
            ("Washington, D.C.", ["Washington D.C. and", "Washington, DC"], ["Washington"]),
            ("हिन्दी", ["हिन्दी भाषा"], ["हिन्द"]),
            ("हिन्द", ["हिन्द."], ["हिन्दी"]),
            ("Katalin Karikó", ["Katalin Kariko\u0301", "KATALIN KARIKÓ", "Katalin Kari\u00adkó"], ["Katalin Kariko"]),
            ("Straße", ["STRASSE"], ["Strase"]),
            ("schön", ["schÃ¶n", "sch&ouml;n"], ["schon"]),
            # Lemmas, as in the official accuracy.
            ("children's museum", ["the children’s museums"], ["a museum of children"]),
            # Numbers are whole.
            ("5.2", ["5.2.", "(5.2)", "5.2km", "5.2 km", "5.2%", "−5.2"], ["52", "15.2", "5.25", "v5.2", "5 2", "5,2"]),
            ("52", ["52.", "52, 53"], ["5.2", "52.0", "520"]),
            ("1,200", ["1200", "1,200 m", "1,200m", "1,200."], ["12001", "1,200,000", "200", "1 200", "1.200"]),
            ("1200000", ["1,200,000", "12,00,000"], ["1,200"]),
            ("2011", ["2010,2011,2012", "1,5,2011"], ["20110"]),
            ("1:30", ["at 1:30.", "1:30pm"], ["130", "11:30", "1:30:05", "1 30"]),
            ("30", ["30"], ["1:30", "0.30", "30.5"]),
            ("02/05/1985", ["on 02/05/1985."], ["02/05/19850", "2/5/1985"]),
            (".5", ["0.5", ".5"], ["5", "1.5"]),
            ("٣", ["٣."], ["٣٤"]),
            (5.2, ["5.2"], ["52", "5"]),
            (37.0, ["37.0", "37"], ["37.5", "370"]),
            ("37.0", ["37.0"], ["37"]),
            (1e20, ["1e+20"], ["1e20"]),
            (7, ["7."], ["7.5", "17"]),
            (True, ["Yes."], ["no", "eyes"]),
            (False, ["no"], ["yes", "not"]),
            # Signs, in any form, at the same number.
            ("$5", ["costs $5.", "US$5", "USD 5", "USD5", "5 dollars", "5 US dollars", "5 U.S. dollars", "5 USD", "5$",
                    "$ 5", "($5)", "a 5-dollar bill", "€4, $5", "$4 $5 $6", "4$ 5$ 6$"],
             ["$50", "5", "€5", "$15", "$5.50", "5, $6", "5 $6", "five dollars", "5 dollarsome"]),
            ("5 dollars", ["$5", "5 dollars", "USD 5"], ["5", "€5", "5 euros"]),
            ("$5 million", ["5 million dollars", "$5 million", "5 million US dollars", "US$5 million", "USD 5 million"],
             ["5 million", "$5", "€5 million", "$50 million", "$5 billion", "$5,000,000"]),
            ("€1.5 billion", ["1.5 billion euros", "EUR 1.5 billion"], ["$1.5 billion", "1.5 billion"]),
            ("£5", ["5 pounds", "5 pounds sterling", "GBP 5"], ["$5", "5"]),
            ("12%", ["12%", "12 %", "12 percent", "12 per cent", "12-percent", "12%."],
             ["112%", "12", "12.5%", "1.12%"]),
            ("12 percent", ["12%"], ["12"]),
            ("12", ["12%", "$12"], ["112%"]),
            ("5 to 6 million", ["$5 to $6 million", "5 to 6 million"], ["5 or 6 million"]),
            ("$5 to 6 million", ["$5 to $6 million", "$5 to 6 million"], ["5 to $6 million", "5 to 6 million"]),
            ("US dollars", ["5 US dollars", "the US dollar"], ["$5"]),
            ("$", ["$", "costs $5"], ["dollar", "5"]),
            # Only punctuation: alone between white space.
            ("!!!", ["the band !!! played", "!!!"], ["wow!!!", "!!", "!!!!"]),
            ("?", ["is it ? or"], ["is it?"]),
            ("—", ["a — b", "a—b"], ["ab", "a b"]),
            ("😀", ["so 😀!", "😀😀"], ["😁"]),
        ],
    )  # fmt: skip
    def test_item(self, item: Any, where: list[str], where_not: list[str]) -> None:
        assert {answer: found(item, answer) for answer in where} == dict.fromkeys(where, True)
        assert {answer: found(item, answer) for answer in where_not} == dict.fromkeys(where_not, False)

    def test_nested_references_count_by_their_primitives(self) -> None:
        nested = {"Norway": ["Oslo", "Bergen"], "Peru": {"Lima": True}}  # 2 keys, 2 + 2 primitives under them
        assert score(nested, "Norway: Oslo") == (2 / 6, 0)
        assert score(nested, "Peru: Lima, yes; Norway: Bergen and Oslo") == (1, 1)
        assert score([["a", "b"]], "nothing") == (0, 0)
        assert OFFICIAL.score(OFFICIAL.prepare([[["a", "b"]]]), ["nothing"])["loose"].value == -1

    def test_unanswered_is_zero_and_counts(self) -> None:
        scores = METRIC.score(METRIC.prepare(["Oslo", ["Rome", "Bonn"], "x"]), ["Oslo", "Rome", None])
        assert scores["repaired.loose"].per_item.tolist() == [1, 0.5, 0]
        assert scores["repaired.strict"].per_item.tolist() == [1, 0, 0]
        assert scores["repaired.loose"].value == 0.5
        assert scores["repaired.strict"].value == 1 / 3
        assert score("Oslo", "") == (0, 0)

    def test_explanations_say_what_was_looked_for(self) -> None:
        matches = METRIC.explain({"GDP": ["$5.5 million", 1200, ""], "grew": False}, "GDP: 5.5 million dollars")
        assert [(match.path, match.is_key, match.normalised, match.found) for match in matches] == [
            (("GDP",), True, "gdp", True),
            (("GDP", 0), False, "5.5$ million", True),
            (("GDP", 1), False, "1200", False),
            (("grew",), True, "grow", False),
            (("grew",), False, "no", False),
        ]
        assert not any(match.found for match in METRIC.explain(["a", "b"], None))


class TestEmptyReferences:
    @pytest.mark.parametrize("nothing", ["", " \n", "\u200b", "\x00", ["", "  "], {"": ""}, [], {}, {"a": []}])
    def test_what_has_nothing_to_find_is_refused_and_all_are_listed(self, nothing: Any) -> None:
        with pytest.raises(EmptyReference) as refused:
            METRIC.prepare(["Oslo", nothing, "Rome", nothing])
        assert [problem.index for problem in refused.value.problems] == [1, 3]
        with pytest.raises(EmptyReference):
            METRIC.explain(nothing, "anything")

    def test_other_problems_are_listed_along(self) -> None:
        with pytest.raises(UnusableReference) as refused:
            METRIC.prepare(["", "Oslo", None, [{}]])  # type: ignore[list-item]
        assert not isinstance(refused.value, EmptyReference)
        assert [(problem.index, problem.path) for problem in refused.value.problems] == [(0, ()), (2, ()), (3, (0,))]
        assert refused.value.problems[0].what == NOTHING_TO_FIND

    def test_an_empty_text_among_others_is_neither_found_nor_missed(self) -> None:
        prepared = METRIC.prepare([{"Kim": "", "Lee": 1977}])
        matches = METRIC.explain({"Kim": "", "Lee": 1977}, "Kim, Lee")
        assert [match.text for match in matches] == ["Kim", "Lee", "1977"]
        assert METRIC.score(prepared, ["Kim, Lee"])["repaired.loose"].value == 2 / 3


class Contextual(Lemmatiser):
    """Lemmas that depend on the whole text: no word has the same lemma alone and among others."""

    name = "contextual"

    def signature_parts(self) -> tuple[str, ...]:
        return ("lemma:contextual",)

    def _load(self) -> None:
        """Nothing to do."""

    def _lemmas(self, text: str) -> Iterable[str]:
        return ["child" if word == "children" else f"{word}{len(text)}" for word in text.split()]

    def _tidied(self, text: str, tick: Tick) -> str:
        return " ".join(self._lemmas(text))


LEMMATISERS = {"lookup": METRIC, "contextual": RepairedStringAccuracy(Contextual())}


def is_accepted(reference: Any) -> bool:
    try:
        METRIC.prepare([reference])
    except EmptyReference:
        return False
    return True


SIGNED = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "$", "€ ", "US$", "usd ", "-"]),
    st.sampled_from(["5", "5.2", "1,200", "1:30", "1,2", ".5", "12.05.2020"]),
    st.sampled_from(["", " million", "m", " bn", "km"]),
    st.sampled_from(["", "%", " percent", " per cent", " dollars", "$", " €", " us dollars", "."]),
)
UNICODE = st.text(st.characters(codec=None), max_size=20)  # surrogates, controls, marks and private use as well
NESTED = st.recursive(
    st.one_of(SIGNED, UNICODE, st.floats(), st.booleans(), st.lists(SIGNED, min_size=2).map(" ".join)),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4),
        st.dictionaries(st.one_of(SIGNED, UNICODE), inner, min_size=1, max_size=3),
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("metric", LEMMATISERS.values(), ids=LEMMATISERS)
class TestVerbatimAnswers:
    @pytest.mark.slow
    @thorough(400)
    @given(reference=st.one_of(references, NESTED), before=texts, after=texts)
    @example(reference=["5", "dollars"], before="", after="")
    @example(reference=["$5", "6$", "7"], before="$", after="%")
    @example(reference={"Ã©": "<b>", "é &amp;": ["ﬁ", "&amp;"]}, before="Ã", after="")
    @example(reference=["?", ".", "U.S", "a.", "1,", ",2", "-", "ΑΣ", "Σ"], before="", after="")
    @example(reference=["\u0301a", "\ud800", "\ue000\ue010", "\u00adx", "1\ufe0f\u20e3"], before="a", after="\u0301")
    def test_any_accepted_reference_scores_exactly_1(
        self, metric: RepairedStringAccuracy, reference: Any, before: str, after: str
    ) -> None:
        if is_accepted(reference):
            assert score(reference, as_text(reference), metric) == (1.0, 1.0)
            assert score(reference, f"{before}\n{as_text(reference)}\n{after}", metric) == (1.0, 1.0)

    @pytest.mark.parametrize("revision", ["packaged", *real_data.files("fanoutqa/fanout-final-dev*.json")], ids=str)
    def test_the_dev_splits_ceiling_is_1(self, metric: RepairedStringAccuracy, revision: str | Path) -> None:
        if isinstance(revision, Path):
            answers = [question["answer"] for question in json.loads(revision.read_text())]
        else:
            questions = definition_of("fanoutqa").packaged()["dev"].source.questions
            answers = [question.answer for question in questions]
        assert len(answers) == 310
        scores = metric.score(metric.prepare(answers), [as_text(answer) for answer in answers])
        assert (scores["repaired.loose"].value, scores["repaired.strict"].value) == (1.0, 1.0)
        official = OFFICIAL.score(OFFICIAL.prepare(answers), [as_text(answer) for answer in answers])
        assert official["strict"].value < 0.95


def test_a_spacy_pipeline_that_sees_context() -> None:
    """In the answer *saw* stands after *the* and is a tool; alone it is a verb. Both forms count, so it is found."""
    pipeline = lookup_pipeline()

    class InContext(PipelineLemmatiser):
        def _lemmas(self, text: str) -> list[str]:
            words = [token.text for token in pipeline(text)]
            plain = super()._lemmas(text)
            return [
                word if before == "the" and word == "saw" else lemma
                for before, word, lemma in zip(["", *words], words, plain, strict=False)
            ]

    metric = RepairedStringAccuracy(InContext(pipeline, "in-context"))
    assert metric.normaliser.lemmatiser.tidied("saw") == "see"
    assert metric.normaliser.lemmatiser.tidied("the saw") == "the saw"
    assert found("saw", "with the saw", metric)
    assert found("children saw", "child see", metric)
    assert not found("sees", "with the saw", metric)


SOME_WORDS = ("oslo", "children", "saw", "52", "1984", "the", "mice", "b2b", "us", "museums")


class TestProperties:
    @pytest.mark.slow
    @thorough(200)
    @given(scored_sets())
    def test_every_score_is_a_share_and_explains_itself(self, given_set: tuple[list[Any], list[str | None]]) -> None:
        pairs = [pair for pair in zip(*given_set, strict=True) if is_accepted(pair[0])]
        if not pairs:
            return
        chosen, answers = zip(*pairs, strict=True)
        scores = METRIC.score(METRIC.prepare(chosen), answers)
        loose, strict = (scores[name].per_item for name in METRIC.score_names)
        assert ((loose >= 0) & (loose <= 1)).all()
        assert ((strict == 1) == (loose == 1)).all()
        for reference, answer, value in zip(chosen, answers, loose, strict=True):
            matches = METRIC.explain(reference, answer)
            assert value == sum(match.found for match in matches) / len(matches)

    @thorough(200)
    @given(item=texts, text=texts, more=texts)
    def test_what_is_found_stays_found_when_lines_are_added(self, item: str, text: str, more: str) -> None:
        """But for the repair of characters, which works on the whole text; so by the written form, which does not."""
        ready = Item.of(item, METRIC.normaliser.lemmatiser)
        if ready is not None and ready.written and ready.written in Forms(text, METRIC.normaliser.lemmatiser).written:
            assert ready.found_in(Forms(f"{more}\n{text}\n{more}", METRIC.normaliser.lemmatiser))

    @thorough(200)
    @given(
        words=st.lists(st.sampled_from(SOME_WORDS), min_size=1),
        start=st.integers(0, 8),
        n=st.integers(1, 4),
        glue=st.sampled_from([" ", ", ", "\n- ", " **", " ("]),
    )
    def test_plain_words_that_the_official_accuracy_finds_are_found(
        self, words: list[str], start: int, n: int, glue: str
    ) -> None:
        item = " ".join(words[start : start + n]) or words[0]
        text = glue.join(words) + "."
        if OFFICIAL.explain(item, text)[0].found:
            assert found(item, text)

    def test_the_line_of_tokens_has_one_space_between_two(self) -> None:
        assert tokens(" .. ") == ""
        assert tokens("a, b.") == " a b "
        long = "oslo, " * 100_000
        assert tokens(long) == " " + "oslo " * 100_000


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_time_is_linear_in_hostile_texts() -> None:
    """A second or two for all of them; minutes where the time grows with the square of the length."""
    for piece in ("$", "1,", "1.", "a.", "5 $", "$5 million ", "\u0301", "per ", "((", "us$", "1:", "5-", ".5"):
        text = piece * (100_000 // len(piece))
        METRIC.explain(["$5 of 6", "12%", "a.b"], text)


def test_its_signature_is_its_own() -> None:
    signature = METRIC.signature("dev@3f2a9c1b")
    official = OFFICIAL.signature("dev@3f2a9c1b")
    assert re.fullmatch(
        r"accuracy-repaired\|lemma:[^|]+\|spacy:[^|]+\|ftfy:[^|]+\|data:dev@3f2a9c1b\|manyhop:0.7.0", signature
    )
    assert signature.split("|")[1:4] == official.split("|")[1:4]
    contextual = RepairedStringAccuracy(Contextual())
    assert contextual.signature() != METRIC.signature()
    assert not set(METRIC.score_names) & set(OFFICIAL.score_names)
    METRIC.self_check()
    assert METRIC.normaliser.lemmatiser is text_lemmatiser("lookup")


PLAIN = re.compile(r"[^\W_]+(?: [^\W_]+)*")


@pytest.mark.slow
@pytest.mark.parametrize(
    "generations",
    real_data.files("official/*-generations/*gpt-4o.jsonl"),
    ids=lambda path: path.stem,
)
def test_real_answers_move_up_only(generations: Path) -> None:
    """No system loses; what only the official accuracy finds are numbers whose points it drops."""
    questions = json.loads((real_data.ROOT / "fanoutqa/synthetic-test-answers.json").read_text())
    rows = [json.loads(line) for line in generations.read_text().splitlines() if line.strip()]
    answers = {row["id"]: row["answer"] for row in rows}
    chosen = [question["answer"] for question in questions]
    given_answers = [answers.get(question["id"]) for question in questions]
    check_references(chosen)
    repaired = METRIC.score(METRIC.prepare(chosen), given_answers)
    official = OFFICIAL.score(OFFICIAL.prepare(chosen), given_answers)
    for name in ("loose", "strict"):
        assert 0 <= official[name].value <= repaired[f"repaired.{name}"].value <= 1
    lost = []
    for reference, answer in zip(chosen, given_answers, strict=True):
        was = {(match.path, match.is_key): match.found for match in OFFICIAL.explain(reference, answer)}
        lost += [
            match.text
            for match in METRIC.explain(reference, answer)
            if was[match.path, match.is_key] and not match.found
        ]
    assert [text for text in lost if PLAIN.fullmatch(text)] == []
    assert all(re.search(r"\d[.,:]\d", text) for text in lost)
    assert len(lost) <= sum(1 for reference in chosen for _ in primitives(reference)) / 1000
