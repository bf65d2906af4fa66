"""spaCy's English tokeniser in plain Python: the same tokens, in linear time, without loading spaCy.

The official scorer looks up the lemma of each token that spaCy's rule-based English tokeniser finds. These rules are
data (regular expressions and a table of special cases, MIT licence, © ExplosionAI); `EnglishTokeniser` applies
them as spaCy's Cython code does. This has four advantages over calling spaCy: a scoring process starts in a fraction of
a second; a text is split at white space and each piece cached; a token of an upload is not stored permanently in
spaCy's vocabulary; and no text, however constructed, takes more than linear time (spaCy's loop over affixes is
quadratic).

The rules of one spaCy version are stored beside this file, so that neither scores nor their signatures depend on what
is installed; `scoring.metrics.text.lemmatizer` rewrites the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from scoring.metrics.text.bounded_cache import BoundedCache

RULES_FILE = Path(__file__).with_name("tokenizer_rules.json")
SPACY = "3.8.18"
"""The spaCy version whose tokens these are; part of every signature. Tests compare the two."""

SUFFIX_WINDOW = 8
"""No suffix rule except the run of dots matches more characters than this (checked by a test)."""
LOOK_BEHIND = 4
"""No suffix rule looks further back than this before its match."""
_AMBIGUOUS_LOGIN = r"(?:\S+(?::\S*)?@)?"
_LOGIN = r"(?:\S+@)?"
"""Matches the same texts as the original pattern, which tries every colon with every @ (cubic time in hostile text)."""
_PLAIN = re.compile(r"(?:[a-z]+|[0-9]+)\Z")
_RUNS = re.compile(r"\s+|\S+")


@cache
def english_rules() -> dict[str, Any]:
    """The tokenisation rules of `SPACY`: lists of regular expressions of ``prefixes`` (which are split off a
    word), ``suffixes`` and ``infixes``; one, ``url``, of whole words that are not split; and ``special_cases``, words
    with a list of their tokens, which take precedence."""
    rules: dict[str, Any] = json.loads(RULES_FILE.read_text(encoding="utf-8"))
    return rules


def alternatives(rules: Sequence[str]) -> str:
    r"""One regular expression for all rules, earlier ones first; neighbours that are single characters become a class.

    >>> alternatives(["%", r"\(", "[a-c]", r"\.\.+", "'s", "="])
    "[%\\(a-c]|\\.\\.+|'s|[=]"
    """
    merged: list[str] = []
    for rule in rules:
        if len(rule) == 1:
            members = re.escape(rule)
        elif len(rule) == 2 and rule[0] == "\\" and not rule[1].isalnum():
            members = rule
        elif re.fullmatch(r"\[[^\[\]^][^\[\]]*\]", rule):
            members = rule[1:-1]
        else:
            merged.append(rule)
            continue
        if merged and merged[-1].startswith("\0"):
            merged[-1] += members
        else:
            merged.append("\0" + members)
    return "|".join(f"[{rule[1:]}]" if rule.startswith("\0") else rule for rule in merged)


@dataclass(frozen=True)
class _Word:
    """A run of characters without white space, split into tokens."""

    tokens: tuple[str, ...]
    """Tokens of a word, split by prefixes, suffixes, infixes and whole special cases."""
    joined: tuple[str, ...]
    """The tokens after separated special cases were rejoined, if no neighbour interferes."""

    def __sizeof__(self) -> int:
        return 200 + sum(64 + len(token) for token in self.tokens)


class EnglishTokeniser:
    """Splits text into the tokens of spaCy's rule-based English tokeniser.

    >>> EnglishTokeniser().tokens("Isn't it (about) $5.2km away? :)")
    ['Is', "n't", 'it', '(', 'about', ')', '$', '5.2', 'km', 'away', '?', ':)']
    """

    def __init__(self) -> None:
        rules = english_rules()
        self._special: dict[str, list[str]] = rules["special_cases"]
        self._longest_special = max(map(len, self._special))
        self._prefix = re.compile(alternatives(rules["prefixes"])).match
        self._suffix = re.compile(f"(?:{alternatives(rules['suffixes'])})$").search
        self._infixes = re.compile("|".join(rules["infixes"])).finditer
        self._url = re.compile(rules["url"].replace(_AMBIGUOUS_LOGIN, _LOGIN)).match
        self._neighbours: BoundedCache[_Word] = BoundedCache(2 * 2**20)
        self._patterns: dict[tuple[str, str], list[tuple[str, ...]]] = {}
        self._pairs: dict[tuple[str, str], int] = {}
        """Adjacent pairs of tokens in separated special cases, with the length of the longest pattern that contains
        them."""
        for word in self._special:
            if not (self._prefix(word) or self._suffix(word) or any(self._infixes(word))):
                continue  # spaCy does not search for it in tokens
            pattern = tuple(token for run in _RUNS.findall(word) for token in self._split(run, special={}))
            if len(pattern) > 1:
                self._patterns.setdefault((pattern[0], pattern[1]), []).append(pattern)
                for pair in pairwise(pattern):
                    self._pairs[pair] = max(len(pattern), self._pairs.get(pair, 0))

    # One word ---------------------------------------------------------------------------------------------------------

    def _split(self, word: str, special: dict[str, list[str]]) -> list[str]:
        """Split off affixes until none is left, then split at infixes: ``Tokenizer._split_affixes`` and
        ``_attach_tokens``.

        ``start`` and ``end`` bound the rest of the word; spaCy copies the string instead.
        """
        limit = self._longest_special if special else 0
        start, end = 0, len(word)
        before: list[str] = []
        after: list[str] = []
        shared: dict[str, str] = {}
        share = shared.setdefault  # equal tokens are stored once: a word may have a million emoji
        left = -1
        while start < end and end - start != left:
            left = end - start
            if left <= limit and word[start:end] in special:
                break
            prefix = self._prefix(word, start, end)
            front = prefix.end() if prefix else start
            if prefix and 0 < end - front <= limit and word[front:end] in special:
                before.append(share(word[start:front], word[start:front]))
                start = front
                break
            back = self._suffix_start(word, front, end)
            if start < back < end and back - start <= limit and word[start:back] in special:
                after.append(share(word[back:end], word[back:end]))
                end = back
                break
            if front > start:
                before.append(share(word[start:front], word[start:front]))
            if back < end:
                after.append(share(word[back:end], word[back:end]))
            start, end = front, back
        if start < end:
            before.extend(self._split_inside(word[start:end], special))
        before.extend(reversed(after))
        return before

    def _suffix_start(self, word: str, start: int, end: int) -> int:
        """Position where the suffix of ``word[start:end]`` begins; ``end`` if there is none."""
        window = SUFFIX_WINDOW
        while end - start > window + LOOK_BEHIND:
            suffix = self._suffix(word, end - window, end)
            if suffix is None:
                return end
            if suffix.start() > end - window:
                return suffix.start()
            window *= 4  # a run of dots, perhaps longer than the window
        suffix = self._suffix(word[start:end])
        return start + suffix.start() if suffix else end

    def _split_inside(self, word: str, special: dict[str, list[str]]) -> list[str]:
        if word in special:
            return list(special[word])
        if self._url(word):
            return [word]
        tokens = []
        start = 0
        for infix in self._infixes(word):
            if infix.start() == 0:
                continue
            tokens += [word[start : infix.start()], infix.group()]
            start = infix.end()
        tokens.append(word[start:])
        return [token for token in tokens if token]

    # Words among words ------------------------------------------------------------------------------------------------

    def word(self, word: str) -> tuple[Sequence[str], bool]:
        """The tokens of one run of characters without white space.

        Returns:
            Its tokens when it is alone, and whether adjacent words could change them (see `tokens_among`).
        """
        if _PLAIN.match(word) and word not in self._special:
            return (word,), False
        split = self._word(word)
        return split.joined, split.joined is not split.tokens

    def _word(self, word: str) -> _Word:
        tokens = tuple(self._special.get(word) or self._split(word, self._special))
        spans = self._joins(tokens)
        joined = tuple(self._join(tokens, spans)) if spans else tokens
        return _Word(tokens, tokens if joined == tokens else joined)

    def _neighbour(self, word: str) -> _Word:
        known = self._neighbours.get(word)
        if known is None:
            known = self._word(word)
            self._neighbours.remember(word, known)
        return known

    def _joins(self, tokens: Sequence[str]) -> list[tuple[int, int]]:
        """The positions of separated special cases among tokens: ``Tokenizer._filter_special_spans``.

        The longest comes first, among equally long ones the earliest. A span whose first or last token is in an earlier
        span is dropped, but still blocks its tokens for others.
        """
        spans = [
            (start, start + len(pattern))
            for start, pair in enumerate(pairwise(tokens))
            if pair in self._patterns
            for pattern in self._patterns[pair]
            if tuple(tokens[start : start + len(pattern)]) == pattern
        ]
        if not spans:
            return spans
        spans.sort(key=lambda span: (span[0] - span[1], span[0]))
        remaining = []
        seen: set[int] = set()
        for start, end in spans:
            if start not in seen and end - 1 not in seen:
                remaining.append((start, end))
            seen.update(range(start, end))
        return remaining

    def _join(self, tokens: Sequence[str], spans: list[tuple[int, int]]) -> Iterator[str]:
        """Replace each span by the tokens of its special case."""
        ends = dict(spans)
        position = 0
        while position < len(tokens):
            if position in ends:
                yield from self._special["".join(tokens[position : ends[position]])]
                position = ends[position]
            else:
                yield tokens[position]
                position += 1

    def tokens_among(self, words: Sequence[str], index: int) -> Sequence[str]:
        """The tokens of ``words[index]`` in a text where single spaces separate ``words``.

        spaCy searches for separated special cases (``x:)`` is ``x``, ``:``, ``)`` at first) among all tokens, across
        spaces too. A match across a space changes nothing itself, but prevents a shorter one next to it from being
        rejoined.
        """
        this = self._neighbour(words[index])
        before: list[str] = []
        after: list[str] = []
        reach = 2
        at = index
        while at > 0 and len(before) < reach - 1:
            neighbour = self._neighbour(words[at - 1]).tokens
            longest = self._pairs.get((neighbour[-1], (before or this.tokens)[0]))
            if longest is None:
                break
            before[:0] = neighbour
            reach = max(reach, longest)
            at -= 1
        reach = 2
        at = index + 1
        while at < len(words) and len(after) < reach - 1:
            neighbour = self._neighbour(words[at]).tokens
            longest = self._pairs.get(((after or this.tokens)[-1], neighbour[0]))
            if longest is None:
                break
            after += neighbour
            reach = max(reach, longest)
            at += 1
        if not before and not after:
            return this.joined
        first = len(before)
        last = first + len(this.tokens)
        spans = self._joins((*before, *this.tokens, *after))
        inside = [(start - first, end - first) for start, end in spans if first <= start and end <= last]
        return tuple(self._join(this.tokens, inside))

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text: those that are not white space, in order."""
        split: list[str] = []
        for words in spaced_words(text):
            for index, word in enumerate(words):
                tokens, depends = self.word(word)
                split.extend(self.tokens_among(words, index) if depends else tokens)
        return split


def spaced_words(text: str) -> Iterator[list[str]]:
    """Groups of a text's words that are separated by single spaces.

    >>> list(spaced_words(" a b  c\\nd "))
    [['a', 'b'], ['c'], ['d']]
    """
    group: list[str] = []
    for run in _RUNS.findall(text):
        if not run.isspace():
            group.append(run)
        elif run != " " and group:
            yield group
            group = []
    if group:
        yield group
