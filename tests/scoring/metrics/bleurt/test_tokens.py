import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.metrics.bleurt import CheckpointError
from scoring.metrics.bleurt.checkpoint import BRING_AGAIN
from scoring.metrics.bleurt.tokens import SentencePiece, WordPiece, cut_lengths, encodable, read_vocabulary
from tests.scoring.metrics.bleurt.checkpoints import cut_as_reference, lines, wordpiece_vocabulary

pytestmark = pytest.mark.slow

VOCABULARY = {token: number for number, token in enumerate(wordpiece_vocabulary())}
UNKNOWN = VOCABULARY["[UNK]"]


def pieces(text: str, *, lower_case: bool = True, limit: int = 10**6) -> list[str]:
    names = {number: token for token, number in VOCABULARY.items()}
    return [names[number] for number in WordPiece(VOCABULARY, lower_case=lower_case).ids(text, limit)]


def test_pairs_are_cut_where_the_reference_ends_up() -> None:
    for limit in range(14):
        for n_reference in range(22):
            for n_candidate in range(22):
                reference, candidate = [0] * n_reference, [0] * n_candidate
                cut_as_reference(reference, candidate, limit)
                assert cut_lengths(n_reference, n_candidate, limit) == (len(reference), len(candidate))


@given(st.integers(0, 3000), st.integers(0, 3000), st.integers(0, 600))
def test_tokens_beyond_the_limit_do_not_change_the_cut(n_reference: int, n_candidate: int, limit: int) -> None:
    assert cut_lengths(n_reference, n_candidate, limit) == cut_lengths(
        min(n_reference, limit), min(n_candidate, limit), limit
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\n ", []),
        ("The FOX", ["the", "fox"]),
        ("foxing", ["fox", "##ing"]),
        ("Córdoba", ["cor", "##doba"]),
        ("fox,the!", ["fox", ",", "the", "!"]),
        ("the\x00 fo\u200bx\ufffd", ["the", "fox"]),  # control and format characters vanish
        ("the\u00a0fox\u2028over", ["the", "fox", "over"]),
        ("fox中fox", ["fox", "中", "fox"]),
        ("[SEP]", ["[", "sep", "]"]),  # what an answer says cannot end it
        ("ñandú", ["n", "##a", "##n", "##d", "##u"]),
        ("€", ["[UNK]"]),
        ("fox€", ["[UNK]"]),  # one unknown piece makes the whole word unknown
        ("a" * 200, ["a"] + ["##a"] * 199),
        ("a" * 201, ["[UNK]"]),
        ("\ud800", ["[UNK]"]),
    ],
)
def test_word_pieces(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


def test_case_and_accents_stay_in_a_cased_vocabulary() -> None:
    assert pieces("fox Fox córdoba", lower_case=False) == ["fox", "[UNK]", "[UNK]"]


def test_no_more_tokens_than_asked_for() -> None:
    assert pieces("the fox over the fox", limit=3) == ["the", "fox", "over"]


@given(st.text(st.sampled_from("aAbZ09 .,-!()[]\n\té中Ñç\u200b\u00a0_€ß")))
def test_word_pieces_are_those_of_berts_own_code(text: str) -> None:
    from transformers.models.bert.tokenization_bert import BasicTokenizer, WordpieceTokenizer

    basic = BasicTokenizer(do_lower_case=True)
    word_piece = WordpieceTokenizer(VOCABULARY, "[UNK]", max_input_chars_per_word=200)
    assert pieces(text) == [piece for word in basic.tokenize(text) for piece in word_piece.tokenize(word)]


def test_a_vocabulary_numbers_tokens_by_their_first_line(tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\n[CLS]\nfox\n[SEP] \nfox\nlast\u2028\n", encoding="utf-8")
    assert read_vocabulary(path) == {"[UNK]": 0, "[CLS]": 1, "fox": 2, "[SEP]": 3, "last": 4}


def test_sentence_pieces_as_the_library_makes_them(tmp_path: Path, sentencepiece_model: bytes) -> None:
    import sentencepiece

    path = tmp_path / "spm.model"
    path.write_bytes(sentencepiece_model)
    own, library = SentencePiece(path), sentencepiece.SentencePieceProcessor(model_file=str(path))
    for text in [*lines(30), "", " ", "€ unknown ☃☃", "a\nb\tc", "x" * 5000, "\x00"]:
        assert own.ids(text, 10**6) == library.encode(text)
        assert own.ids(text, 4) == library.encode(text)[:4]
    assert [own.start, own.separator] == [library.piece_to_id("[CLS]"), library.piece_to_id("[SEP]")]
    # The reference looks pieces up by their text, which brings a run of unknown characters its own name, if it has one.
    assert own.separator in own.ids("[SEP]", 99)
    assert own.separator not in library.encode("[SEP]")


@pytest.mark.parametrize(("text", "expected"), [("a\ud800b", "a\ufffdb"), ("\ud83d\ude00", "😀"), ("Oslo", "Oslo")])
def test_half_surrogates_are_replaced(text: str, expected: str) -> None:
    assert encodable(text) == expected


@pytest.mark.parametrize("content", [b"", b"\x00\xff garbage", b"not a model at all"])
def test_a_damaged_sentencepiece_model_is_a_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "spm.model"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=rf"spm\.model .*{re.escape(BRING_AGAIN)}"):
        SentencePiece(path)


@pytest.mark.parametrize("content", [b"", b"[UNK]\n[CLS]\n", b"\xff\xfe"])
def test_a_damaged_wordpiece_vocabulary_is_a_clear_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "vocab.txt"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=rf"vocab\.txt .*{re.escape(BRING_AGAIN)}"):
        read_vocabulary(path)
