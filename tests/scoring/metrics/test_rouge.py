"""ROUGE against rouge_score as the official scorer calls it, to the last bit."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer, _lcs_table

from scoring.metrics import rouge
from scoring.metrics.base import UnusableReference
from scoring.metrics.rouge import Rouge, lcs_length
from scoring.metrics.text.normalise import as_text
from tests.real_data import files
from tests.scoring.metrics import official
from tests.scoring.metrics.strategies import perturbed, scored_sets, texts, thorough

METRIC = Rouge()
SCORER = RougeScorer(official.ROUGE_TYPES, use_stemmer=True)
DEV = [question["answer"] for question in official.packaged_dev_questions()]


def assert_official(references: list[Any], generations: list[str | None]) -> None:
    ours = METRIC.score(METRIC.prepare(references), generations)
    theirs = official.rouge(references, generations)
    assert list(ours) == list(METRIC.score_names) == list(theirs)
    for name, (value, per_item) in theirs.items():
        assert ours[name].value == value
        assert ours[name].per_item.dtype == np.float64
        assert ours[name].per_item.tolist() == per_item


@pytest.mark.slow
@thorough(400)
@given(scored_sets())
@example((["", "!", "a", "a b", "ab ab ab"], ["", "a", "!", "a", "ab ab"]))
@example((["naïve café", "中文", "İstanbul", "\u212a elvin"], ["naive café", "中文", "i stanbul", "k elvin"]))
def test_any_references_and_answers(scored_set: tuple[list[Any], list[str | None]]) -> None:
    assert_official(*scored_set)


@thorough(250)
@given(st.text("abc ", max_size=80), st.text("abc ", max_size=80))
def test_many_repeated_words(reference: str, answer: str) -> None:
    assert_official([reference], [answer])


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 12))])
def test_thousands_of_answers_to_the_dev_questions(seed: int) -> None:
    chance = random.Random(seed)
    generations = [None if chance.random() < 0.05 else perturbed(answer, chance) for answer in DEV]
    assert_official(DEV, generations)


@pytest.mark.slow
def test_very_long_answers() -> None:
    everything = "\n".join(map(as_text, DEV))
    chance = random.Random(1)
    words = everything.split()
    assert_official(
        [DEV[0], everything[:20_000], DEV[2]], [everything[:30_000], " ".join(chance.sample(words, 3000)), everything]
    )


@pytest.mark.slow
@pytest.mark.parametrize("generations", files("official/*-generations/*.jsonl"), ids=lambda path: path.stem)
@pytest.mark.parametrize("references", files("fanoutqa/synthetic-test-answers.json"), ids=lambda path: path.stem)
def test_real_answers(references: Path, generations: Path) -> None:
    questions = json.loads(references.read_text(encoding="utf-8"))
    answers = {line["id"]: line["answer"] for line in map(json.loads, generations.open(encoding="utf-8"))}
    assert_official([question["answer"] for question in questions], [answers.get(one["id"]) for one in questions])


@thorough(250)
@given(texts)
def test_tokens(text: str) -> None:
    assert METRIC.tokens(text) == SCORER._tokenizer.tokenize(text)


@pytest.mark.parametrize("gap", [" ", ""])
def test_tokens_of_a_text_in_pieces(gap: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = gap.join(f"words{number}running" + "-" * (number % 3) for number in range(500))
    expected = METRIC.tokens(text)
    for piece in (1, 2, 7, 50, 1000):
        monkeypatch.setattr(rouge, "PIECE", piece)
        assert METRIC.tokens(text) == expected


# Longest common subsequence -------------------------------------------------------------------------------------------


def blocks_of(tokens: str, size: int) -> list[tuple[int, dict[str, int]]]:
    blocks = []
    for start in range(0, len(tokens), size):
        block = tokens[start : start + size]
        blocks.append(
            (len(block), {one: sum(1 << at for at, token in enumerate(block) if token == one) for one in block})
        )
    return blocks


@thorough(400)
@given(st.text("abcd", max_size=40), st.text("abcde", max_size=40), st.integers(1, 50))
def test_lcs_over_blocks_of_any_size(reference: str, answer: str, size: int) -> None:
    assert lcs_length(blocks_of(reference, size), answer) == _lcs_table(reference, answer)[-1][-1]


def test_references_of_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rouge, "BLOCK", 16)
    chance = random.Random(3)
    assert_official(DEV, [perturbed(answer, chance) for answer in DEV])


def test_block_size_bounds_memory() -> None:
    ((*_, blocks),) = METRIC.prepare([" ".join(f"w{number}" for number in range(3 * rouge.BLOCK + 5))])
    assert [n_tokens for n_tokens, _ in blocks] == [rouge.BLOCK] * 3 + [5]
    for n_tokens, where in blocks:
        assert max(mask.bit_length() for mask in where.values()) == n_tokens


# The rest of the contract ---------------------------------------------------------------------------------------------


def test_unanswered_is_zero_and_counted() -> None:
    scores = METRIC.score(METRIC.prepare(["Oslo", "Rome"]), ["Oslo", None])
    assert {name: vector.value for name, vector in scores.items()} == {
        name: 0.0 if name.startswith("rouge2") else 0.5 for name in METRIC.score_names
    }


def test_references_are_checked_as_for_the_other_metrics() -> None:
    with pytest.raises(UnusableReference) as caught:
        METRIC.prepare(["fine", [], {"a": {}}])
    assert [(one.index, one.path) for one in caught.value.problems] == [(1, ()), (2, ("a",))]
    with pytest.raises(UnusableReference):
        METRIC.prepare([None])  # type: ignore[list-item]


def test_progress_goes_up_and_may_abort() -> None:
    calls: list[tuple[int, int]] = []
    prepared = METRIC.prepare(["a", "b"])
    METRIC.score(prepared, ["a", None], lambda done, total: calls.append((done, total)))
    assert sorted(set(calls)) == [(0, 2), (1, 2), (2, 2)]
    assert calls == sorted(calls)

    def abort(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        METRIC.score(prepared, ["a", "b"], abort)


def test_signature() -> None:
    assert METRIC.signature() == "rouge|types:1,2,L|tokens:rouge-score|stem:porter-nltk|manyhop:0.1.0"
    assert "|data:test@0badcafe|" in METRIC.signature("test@0badcafe")
