"""Lemmas: the dictionary forms of words, which string accuracy compares.

The two lemmatisers give different numbers, so every signature names the one that was used:

- ``en_core_web_sm``, the statistical pipeline of spaCy that the paper used, where it is installed;
- ``lookup``, spaCy's English lookup table, which is stored beside this file and needs neither a model nor spaCy.

``python -m scoring.metrics.text.lemmatizer`` rewrites the stored table, its licence and the tokenisation rules from the
installed packages.
"""

from __future__ import annotations

import gzip
import json
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from scoring.metrics.base import Tick, no_tick
from scoring.metrics.text.bounded_cache import BoundedCache
from scoring.metrics.text.tokenizer import RULES_FILE, SPACY, EnglishTokeniser, spaced_words

if TYPE_CHECKING:
    from spacy.language import Language

MODEL = "en_core_web_sm"
LOOKUP = "lookup"
CHOICES = ("auto", MODEL, LOOKUP)
TABLE_FILE = Path(__file__).with_name("lemmas.json.gz")
LICENCE_FILE = Path(__file__).with_name("lemmas-licence.txt")
TABLE = "spacy-lookups-data-1.0.5"
"""The package whose table this is, with its version; part of every signature."""

SELF_CHECK_TEXT = "two children walked to the museums in 1984"
WORK_PER_TICK = 200_000
"""Characters of new words between two ticks."""
WORK_PER_WORD = 50
LONGEST_TEXT = 1_000_000
"""spaCy's own limit in characters, over which the official scorer fails."""
LONGEST_PIECE = 100_000
"""A text over that limit is cut into pieces of at most this many characters, at white space if possible."""


class LemmatiserError(RuntimeError):
    """A lemmatiser is not installed, or returns no lemmas."""

    has_public_message = True
    """Whether the message may be logged: it names packages and a fixed sentence."""


_PUNCTUATION = re.compile(r"[,.?!:;]")
_SPACE = re.compile(r"\s+")


def tidy(text: str) -> str:
    """The last two steps of normalising: remove ``,.?!:;`` and replace each run of white space by one space.

    >>> tidy(" 5.2 , then\\n more")
    ' 52 then more'
    """
    return _SPACE.sub(" ", _PUNCTUATION.sub("", text))


class Lemmatiser(ABC):
    """Converts text to lemmas. It loads its data once, at its first use, and may be shared by threads."""

    name: str

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ready = False

    @abstractmethod
    def signature_parts(self) -> tuple[str, ...]:
        """``key:value`` parts naming everything that can change a lemma; reads metadata only, loads nothing."""

    @abstractmethod
    def _load(self) -> None: ...

    @abstractmethod
    def _lemmas(self, text: str) -> Iterable[str]:
        """The lemma of each token of ``text``."""

    @abstractmethod
    def _tidied(self, text: str, tick: Tick) -> str:
        """`tidied`, once the data is loaded."""

    def tidied(self, text: str, tick: Tick = no_tick) -> str:
        """The lemmas of a text, separated by one space, after `tidy`; loads the data at the first text.

        Returns:
            ``tidy(" ".join(lemmas))``, where spaCy's tokens of white space count like others: so the result has one
            space at the front if the text begins with any white space, and one at the end if it ends with more than a
            single space.

        Raises:
            LemmatiserError: If the lemmatiser cannot be used.
        """
        self.load()
        return self._tidied(text, tick)

    def load(self) -> None:
        """Load the data, and check that there are lemmas: a spaCy pipeline whose lemmatiser is missing or not
        initialised can return empty ones without an error, and every reference would then be found in every text.

        Raises:
            LemmatiserError: If the lemmatiser is not installed, some lemma of a plain English sentence is empty, or the
                sentence is returned unchanged.
        """
        if self._ready:
            return
        with self._lock:
            if not self._ready:
                self._load()
                self._check()
                self._ready = True

    def _check(self) -> None:
        try:
            lemmas = list(self._lemmas(SELF_CHECK_TEXT))
        except ValueError as error:  # raised by spaCy for tables that were not loaded
            raise LemmatiserError(f"the lemmatiser {self.name!r} does not work: {error}") from error
        if len(lemmas) != len(SELF_CHECK_TEXT.split()) or not all(lemmas) or "child" not in lemmas:
            raise LemmatiserError(
                f"the lemmatiser {self.name!r} does not produce lemmas: {SELF_CHECK_TEXT!r} became {lemmas!r}. "
                "Blank or uninitialised spaCy pipelines cannot be used."
            )


class LookupLemmatiser(Lemmatiser):
    """spaCy's English tokeniser with its lookup table: the exact output of the pipeline ``spacy.blank("en")`` with a
    lemmatiser in mode ``lookup``, but each distinct word is processed once.

    A token's lemma depends on its text alone, and the tokeniser works on one run of non-space characters at a time
    except in the case described in `tokens_among`. Words are cached, up to *max_bytes*.
    """

    name = LOOKUP

    def __init__(self, max_bytes: int = 24 * 2**20) -> None:
        super().__init__()
        self.words: BoundedCache[str] = BoundedCache(max_bytes)
        """Words that neighbouring words cannot change, with their tidied lemmas."""

    def signature_parts(self) -> tuple[str, ...]:
        return (f"lemma:{TABLE}", f"spacy:{SPACY}")

    def _load(self) -> None:
        self.table: dict[str, str] = json.loads(gzip.decompress(TABLE_FILE.read_bytes()))
        self.tokeniser = EnglishTokeniser()

    def _lemmas(self, tokens: str | Iterable[str]) -> list[str]:
        if isinstance(tokens, str):
            tokens = self.tokeniser.tokens(tokens)
        return [self.table.get(token, token) for token in tokens]

    def _tidied(self, text: str, tick: Tick) -> str:
        words = text.split()
        if not words:
            return tidy(text)
        parts: list[str | None] = list(map(self.words.get, words))
        if None in parts:
            self._fill(parts, words, text, tick)
        joined = " ".join(cast("list[str]", parts))
        if text[0].isspace():
            joined = " " + joined
        if text[-1].isspace() and (text[-1] != " " or text[-2].isspace()):
            joined += " "
        while "  " in joined:
            joined = joined.replace("  ", " ")
        return joined

    def _fill(self, parts: list[str | None], words: list[str], text: str, tick: Tick) -> None:
        """Process the words that are not cached, each distinct one once."""
        unknown = [index for index, part in enumerate(parts) if part is None]
        learned: dict[str, str | None] = {}
        dependent: list[int] = []
        work = 0
        for index in unknown:
            word = words[index]
            if word not in learned:
                learned[word] = self._word(word)
                work += len(word) + WORK_PER_WORD
                if work > WORK_PER_TICK:
                    tick()
                    work = 0
            parts[index] = part = learned[word]
            if part is None:
                dependent.append(index)
        if dependent:
            self._fill_dependent(parts, dependent, text, tick)

    def _word(self, word: str) -> str | None:
        """The tidied lemmas of one word; ``None`` if they depend on its neighbours."""
        tokens, depends = self.tokeniser.word(word)
        if depends:
            return None
        lemmas = self._lemmas(tokens)
        part = lemmas[0] if len(lemmas) == 1 else " ".join(lemmas)
        if not part.isalnum():
            part = tidy(part)
        self.words.remember(word, part)
        return part

    def _fill_dependent(self, parts: list[str | None], dependent: list[int], text: str, tick: Tick) -> None:
        """Process those of these words that neighbours could change."""
        waiting = iter(dependent)
        index = next(waiting)
        first = 0
        work = 0
        for group in spaced_words(text):
            while index < first + len(group):
                tokens = self.tokeniser.tokens_among(group, index - first)
                parts[index] = tidy(" ".join(self._lemmas(tokens)))
                work += WORK_PER_WORD * len(tokens)
                if work > WORK_PER_TICK:
                    tick()
                    work = 0
                index = next(waiting, len(parts))
            first += len(group)


class ModelLemmatiser(Lemmatiser):
    """spaCy's small English model, which the FanOutQA paper used for its numbers, where it is installed; run on whole
    texts as the official scorer does.

    Only the components that produce lemmas are loaded: no parser and no entity recogniser, which change no lemma.
    """

    name = MODEL
    pipeline: Language

    def signature_parts(self) -> tuple[str, ...]:
        return (f"lemma:{MODEL}-{_version(MODEL)}", f"spacy:{_version('spacy')}")

    def _load(self) -> None:
        import spacy  # slow, and needed by this lemmatiser alone

        try:
            self.pipeline = spacy.load(MODEL, exclude=["parser", "senter", "ner"])
        except OSError as error:
            raise LemmatiserError(_not_installed(MODEL)) from error

    def _lemmas(self, text: str) -> list[str]:
        with self.pipeline.memory_zone():  # otherwise an upload's words would stay in the vocabulary permanently
            return [token.lemma_ for token in self.pipeline(text)]

    def _tidied(self, text: str, tick: Tick) -> str:
        if len(text) <= LONGEST_TEXT:
            return tidy(" ".join(self._lemmas(text)))
        lemmas: list[str] = []
        for piece in pieces(text, LONGEST_PIECE):
            lemmas += self._lemmas(piece)
            tick()
        return tidy(" ".join(lemmas))


def pieces(text: str, longest: int) -> Iterator[str]:
    """Cut a text into pieces of at most ``longest`` characters, after white space if possible.

    >>> list(pieces("one two three", 6)), list(pieces("abcdefg", 3))
    (['one ', 'two ', 'three'], ['abc', 'def', 'g'])
    """
    start = 0
    while len(text) - start > longest:
        end = start + longest
        spaces = _LAST_SPACE.search(text, start, end)
        end = spaces.end() if spaces else end
        yield text[start:end]
        start = end
    yield text[start:]


_LAST_SPACE = re.compile(r".*\s", re.DOTALL)


def model_installed() -> bool:
    """Whether ``en_core_web_sm`` is installed as a package, as spaCy's loader checks it."""
    try:
        metadata.version(MODEL)
    except metadata.PackageNotFoundError:
        return False
    return True


@cache
def text_lemmatiser(choice: str = "auto") -> Lemmatiser:
    """The lemmatiser of one of the `CHOICES`; always the same object, so that all metrics share its cache. ``auto`` is
    the model where it is installed, else the table.

    Raises:
        LemmatiserError: If there is no such choice, or its package is not installed.

    >>> text_lemmatiser("lookup").tidied("the mice, however, were running.")
    'the mouse however be run '
    """
    if choice not in CHOICES:
        raise LemmatiserError(f"no lemmatiser {choice!r}; there are {', '.join(CHOICES)}")
    if choice == "auto":
        return text_lemmatiser(MODEL if model_installed() else LOOKUP)
    if choice == LOOKUP:
        return LookupLemmatiser()
    _version(MODEL)
    return ModelLemmatiser()


def _not_installed(package: str) -> str:
    hint = f"pip install 'manyhop[spacy]' && python -m spacy download {MODEL}"
    return f"{package} is not installed; install it with: {hint}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError as error:
        raise LemmatiserError(_not_installed(package)) from error


def rules_of_installed_spacy() -> dict[str, Any]:
    """The rules from which `RULES_FILE` is made."""
    from spacy.lang.en import English  # takes most of a second, and is needed for a new version alone
    from spacy.symbols import ORTH  # type: ignore[import-not-found]

    defaults = English.Defaults
    if defaults.url_match is None or defaults.token_match is not None:
        raise LemmatiserError(f"the English rules of spaCy {_version('spacy')} have changed their shape")
    return {
        "about": "English tokenisation rules of spaCy, MIT licence, (c) ExplosionAI GmbH",
        "prefixes": [str(rule) for rule in defaults.prefixes or () if str(rule).strip()],
        "suffixes": [str(rule) for rule in defaults.suffixes or () if str(rule).strip()],
        "infixes": [str(rule) for rule in defaults.infixes or () if str(rule).strip()],
        "url": getattr(defaults.url_match, "__self__").pattern,  # noqa: B009 (a bound method of a compiled pattern)
        "special_cases": {
            word: [token[ORTH] for token in tokens] for word, tokens in sorted(defaults.tokenizer_exceptions.items())
        },
    }


def packaged_file(name: str) -> Path:
    """A data file of the installed ``spacy-lookups-data``."""
    return Path(str(metadata.distribution("spacy-lookups-data").locate_file(f"spacy_lookups_data/data/{name}")))


if __name__ == "__main__":
    if (f"spacy-lookups-data-{_version('spacy-lookups-data')}", _version("spacy")) != (TABLE, SPACY):
        raise SystemExit("Other versions are installed: first set TABLE here and SPACY in tokenizer.py.")
    rules = json.dumps(rules_of_installed_spacy(), indent=0)
    RULES_FILE.write_text(rules + "\n", encoding="utf-8")
    TABLE_FILE.write_bytes(packaged_file("en_lemma_lookup.json.gz").read_bytes())
    lookups = metadata.distribution("spacy-lookups-data")
    licences = (packaged_file("en_license.txt").read_text(encoding="utf-8"), lookups.read_text("LICENSE") or "")
    lines = [line.rstrip() for licence in licences for line in (*licence.strip().splitlines(), "")]
    LICENCE_FILE.write_text("\n".join(lines), encoding="utf-8")
