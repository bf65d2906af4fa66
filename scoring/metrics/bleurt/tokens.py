"""Convert texts to token ids, exactly as the reference implementation does.

The reference has two tokenisers: SentencePiece for the checkpoints based on RemBERT (BLEURT-20 and its distilled
sizes), and BERT's own WordPiece for the older ones. BERT's is implemented here because the common fast tokenisers
differ from it on possible answers: they give up on words of over 100 characters instead of 200, read ``[SEP]`` in a
text as the separator itself, and lower-case a final sigma differently.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Protocol

from scoring.metrics.bleurt.checkpoint import Checkpoint, CheckpointError

LONGEST_WORD = 200
"""Maximum length in characters of a word that WordPiece splits; a longer one is one unknown token."""
MAX_CACHED_WORDS = 50_000
"""The number of words whose pieces are cached."""


class Tokeniser(Protocol):
    """The interface of both tokenisers."""

    start: int
    """Id of ``[CLS]``, before the pair."""
    separator: int
    """Id of ``[SEP]``, after each text."""
    n_ids: int
    """Ids are below this."""

    def ids(self, text: str, limit: int) -> list[int]:
        """The ids of the first *limit* tokens of a text; of all, if it has fewer."""


def tokeniser_of(checkpoint: Checkpoint) -> Tokeniser:
    """The tokeniser that a checkpoint was trained with.

    Raises:
        CheckpointError: If its vocabulary cannot be read, or contains more tokens than the model has.
    """
    tokeniser: Tokeniser
    if checkpoint.is_sentencepiece:
        tokeniser = SentencePiece(checkpoint.vocabulary)
    else:
        tokeniser = WordPiece(read_vocabulary(checkpoint.vocabulary), lower_case=checkpoint.lower_case)
    known = checkpoint.architecture.vocabulary
    if tokeniser.n_ids > known:
        raise CheckpointError(
            checkpoint.vocabulary,
            f"has {tokeniser.n_ids:,} tokens, but the model has {known:,}: it belongs to another checkpoint",
        )
    return tokeniser


def cut_lengths(reference: int, candidate: int, limit: int) -> tuple[int, int]:
    """The number of tokens that remain of each text when a pair is truncated to *limit* tokens.

    The reference removes one token after another from the end of the longer text, from the candidate's where both are
    equally long, until the pair fits. This function computes the result directly.

    >>> cut_lengths(600, 10, 509), cut_lengths(10, 600, 509), cut_lengths(600, 600, 509), cut_lengths(3, 4, 509)
    ((499, 10), (10, 499), (255, 254), (3, 4))
    """
    if reference + candidate <= limit:
        return reference, candidate
    if candidate <= limit // 2:
        return limit - candidate, candidate
    if reference <= (limit + 1) // 2:
        return reference, limit - reference
    return (limit + 1) // 2, limit // 2


class SentencePiece:
    """The tokeniser of the RemBERT family, from a SentencePiece model."""

    def __init__(self, path: Path) -> None:
        """Raise CheckpointError if the file is not a SentencePiece model, or has no ``[CLS]`` and ``[SEP]``."""
        from sentencepiece import SentencePieceProcessor

        self._processor = SentencePieceProcessor()
        try:
            self._processor.LoadFromSerializedProto(path.read_bytes())
        except (OSError, RuntimeError) as error:
            raise CheckpointError(path, "is not a readable SentencePiece model") from error
        self.n_ids = int(self._processor.GetPieceSize())
        self.start = self._special("[CLS]", path)
        self.separator = self._special("[SEP]", path)

    def _special(self, piece: str, path: Path) -> int:
        identifier = int(self._processor.PieceToId(piece))
        if self._processor.IsUnknown(identifier):
            raise CheckpointError(path, f"has no {piece} piece: it is not the vocabulary of a BLEURT checkpoint")
        return identifier

    def ids(self, text: str, limit: int) -> list[int]:
        """Splits the text into pieces, then looks up their ids, as the reference does."""
        pieces = self._processor.EncodeAsPieces(encodable(text))
        return [int(self._processor.PieceToId(piece)) for piece in pieces[:limit]]


class WordPiece:
    """The tokeniser of the BERT family: Devlin et al. (2019), https://aclanthology.org/N19-1423.

    >>> vocabulary = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "un": 3, "##aff": 4, "##able": 5, "!": 6, "cafe": 7}
    >>> WordPiece(vocabulary, lower_case=True).ids("Unaffable! Café", limit=9)
    [3, 4, 5, 6, 7]
    """

    def __init__(self, vocabulary: Mapping[str, int], *, lower_case: bool) -> None:
        """Pieces that continue a word begin with ``##``; with *lower_case* accents are removed too."""
        self._vocabulary = vocabulary
        self._lower_case = lower_case
        self._unknown = vocabulary["[UNK]"]
        self.start = vocabulary["[CLS]"]
        self.separator = vocabulary["[SEP]"]
        self.n_ids = max(vocabulary.values()) + 1
        self._longest_piece = max(map(len, vocabulary))
        self._pieces = lru_cache(MAX_CACHED_WORDS)(self._take_apart)

    def ids(self, text: str, limit: int) -> list[int]:
        """Splits the text into words and punctuation marks, then each of these into the longest known pieces from its
        beginning."""
        return list(islice((piece for word in self._words(text) for piece in self._pieces(word)), limit))

    def _words(self, text: str) -> Iterator[str]:
        # Without control characters, with plain spaces, and with spaces around Chinese characters.
        for run in "".join(map(_cleaned_character, text)).split():
            if self._lower_case:
                run = run.lower()
                if not run.isascii():
                    decomposed = unicodedata.normalize("NFD", run)
                    run = "".join(part for part in decomposed if unicodedata.category(part) != "Mn")
            for word in run.split():
                yield from _split_at_punctuation(word)

    def _take_apart(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return (self._unknown,)
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + self._longest_piece), start, -1):
                if prefix + word[start:end] in self._vocabulary:
                    break
            else:
                return (self._unknown,)
            pieces.append(self._vocabulary[prefix + word[start:end]])
            start = end
        return tuple(pieces)


def read_vocabulary(path: Path) -> dict[str, int]:
    """The tokens of a ``vocab.txt``, one per line, numbered in the order of their first occurrence.

    Raises:
        CheckpointError: If it is not text, or lacks one of ``[UNK]``, ``[CLS]``, ``[SEP]``.
    """
    vocabulary: dict[str, int] = {}
    try:
        with path.open(encoding="utf-8", newline="\n") as lines:
            for line in lines:
                vocabulary.setdefault(line.strip(), len(vocabulary))
    except (OSError, UnicodeDecodeError) as error:
        raise CheckpointError(path, "cannot be read as a list of tokens") from error
    missing = [token for token in ("[UNK]", "[CLS]", "[SEP]") if token not in vocabulary]
    if missing:
        raise CheckpointError(path, f"has no {', '.join(missing)}: it is not the vocabulary of a BERT model")
    return vocabulary


def encodable(text: str) -> str:
    """A text that can be encoded as UTF-8: halves of surrogate pairs, which represent no character, are replaced.

    >>> encodable("a\\ud800b")
    'a�b'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


_CHINESE = (
    *((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F)),
    *((0x2B740, 0x2B81F), (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)),
)


@lru_cache(65_536)
def _cleaned_character(character: str) -> str:
    if character in " \t\n\r":
        return " "
    category = unicodedata.category(character)
    if category == "Zs":
        return " "
    if category in {"Cc", "Cf"} or character == "�":
        return ""
    is_chinese = any(first <= ord(character) <= last for first, last in _CHINESE)
    return f" {character} " if is_chinese else character


def _split_at_punctuation(word: str) -> Iterator[str]:
    start = 0
    for position, character in enumerate(word):
        if _is_punctuation(character):
            if start < position:
                yield word[start:position]
            yield character
            start = position + 1
    if start < len(word):
        yield word[start:]


@lru_cache(65_536)
def _is_punctuation(character: str) -> bool:
    """Unicode's punctuation, and all ASCII characters that are neither letter, digit, space nor control."""
    if character.isascii():
        return not character.isalnum() and character.isprintable() and character != " "
    return unicodedata.category(character).startswith("P")
