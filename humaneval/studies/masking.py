"""Masking the names of systems in answers that people judge without knowing whose they are.

What is masked, in the order in which it is looked for:

1. **Introductions**, as a sentence, whichever model they name: somebody says *I am*, *my name is* or *as an AI model
   trained by* (in the languages of `model_names.toml`), and what follows is a name or a maker of the list, a name of
   the systems, or any name that the sentence itself calls an AI, with nothing between but words that belong to it.
   Clauses after it that say more of the model are masked with it; the first other clause stays.
2. **Names**, each a whole word (beside another script, or in scripts without spaces, it needs no space), in any case
   and with any hyphen, space or markup between its parts.
3. **Ordinary words** that are also names (Claude, Command, Gemini, Meta; in a list of masks they end in ``…``), only
   where they are the name of a model: in an introduction; with a version (*Claude 3.5*, *Falcon 40B*, *Gemini Pro*; a
   bare whole number is one only if it is the system's own, so *Falcon 9* stays; *a mistral large enough*, all in
   lower case, has none unless the sentence speaks of an AI or is in the first person); or with a capital in a sentence
   that speaks of an AI, and neither after an article (*the Gemini programme*) nor beside another word with a capital,
   which makes it the name of a person or a place (*Claude Monet*). A maker is masked there only if the sentence is in
   the first person.

A name that Markdown or a character's number splits (``Clau**de** 3``, ``&#67;laude 3``) reads whole once the text is
formatted, and is masked like any other.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from humaneval.studies.model_names import Family, ModelNames, model_names

MASK: Final = "▮▮▮"
AS_A_NAME: Final = " …"
"""The end of a mask that is an ordinary word."""
SHORTEST_MASK: Final = 3
LONGEST_SENTENCE: Final = 600
"""Characters within which an introduction, or the sentence of a name, is looked for."""
_NEAR: Final = 200
"""Characters after *I am* or *as* that are always read, so that a text without sentences is read about once."""

_JOINING: Final = r"(?:[\s_\-*`~\u2010-\u2015\u2212]|&nbsp;|&#\d{1,5};)"
"""What may be between the parts of a name: spaces, all kinds of hyphens, markup. Invisible characters are not read."""
_UNSPACED: Final = "".join(
    (
        "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff",  # Thai, Lao, Myanmar, Khmer
        "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",  # Japanese, Chinese
        "\uac00-\ud7af",  # Korean
    )
)
"""Letters of scripts that are written without spaces, or whose particles are written to the word."""
_LATIN: Final = "0-9A-Za-z\u00c0-\u024f"
_WORD: Final = rf"[^\W_{_UNSPACED}]"
_SENTENCE_END: Final = re.compile(
    r"(?<!\bSt)(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bMrs)[.!?…](?=[\s\"'”’)*_\]]|$)|[。！？؟।]|[\n|<>]|\](?=\()"
)
_CLAUSE: Final = re.compile(r"[,;:](?=\s)|[，；：、،]|\s[–—-]\s|\s(?:and|but|so|und|aber|et|mais|y|e|и|но)\s")
_MARKUP: Final = re.compile(r"\*\*|__|~~|[*_`]")
_LINK_END: Final = re.compile(
    r"\]\(\s{0,9}(?:<[^<>\n]{0,2000}>|(?:[^()\s]|\([^()\s]{0,300}\)){0,2000})(?:\s{1,9}[\"'(][^\n)]{0,300})?\s{0,9}\)"
)
_FORMATTING: Final = re.compile(
    rf"&(?:#\d{{1,7}}|#[xX][0-9A-Fa-f]{{1,6}}|[A-Za-z][0-9A-Za-z]{{1,31}});|\\(?=[!-/:-@\[-`{{-~])|{_LINK_END.pattern}"
    r"|\[\^[^\]\s]{1,100}\]|[*`\[]|~~"
)
"""What is not there, or is a letter, once a text is formatted."""
_VERSION: Final = r"(?:[vV]?\d+(?:\.\d+)+[a-z]?|\d+(?:\.\d+)?[bBmM]|[vV]\d+|\d+[a-z])(?![0-9A-Za-z])"
"""What can only be the version or the size of a model."""
_UNKNOWN_NAME: Final = re.compile(r"[A-Z][\w.]*(?:[\s-][A-Z][\w.]*){0,4}")
_SIZE_OR_DATE: Final = re.compile(r"\d+(?:\.\d+)?[bBkKmM]|\d{4,8}")


def masks_of(names: Iterable[str]) -> list[str]:
    """The words to mask in answers: names of systems with their variants, and what the models in them are called.

    For each name: the whole name, its last part after a provider's prefix, its first two words, each of its words with
    both letters and digits, and its first word if it has four letters or more and says something. For each family of
    models in it (`humaneval.studies.model_names`): its name with the version, one part after the other, its other
    names, and its makers. Ordinary words end in ``…``: `masked` masks them only where they are names.

    >>> {"claude-3-opus-20240229", "claude 3 opus", "claude 3", "Claude …"} <= set(masks_of(["claude-3-opus-20240229"]))
    True
    """
    known = model_names()
    masks: dict[str, None] = {}
    for name in names:
        masks |= dict.fromkeys(_masks_of_name(" ".join(name.split()), known))
    return sorted(masks, key=lambda mask: (-len(mask), mask))


def masked(text: str, masks: Iterable[str]) -> str:
    """Mask what tells whose an answer is, as the module says; nothing without masks.

    >>> masked("As GPT-4, I say: GPT-40, gpt\N{NON-BREAKING HYPHEN}4 and GPT 4.", ["GPT-4"])
    'As ▮▮▮, I say: GPT-40, ▮▮▮ and ▮▮▮.'
    >>> masked("I am Claude, made by Anthropic. Claude Monet was second in command.", masks_of(["Claude 3"]))
    '▮▮▮. Claude Monet was second in command.'
    """
    shown, end = [], 0
    for place in masked_places(text, masks):
        shown += [text[end : place.start], MASK, place.unpaired]
        end = place.end
    return "".join([*shown, text[end:]]) if shown else text


@dataclass(frozen=True)
class Place:
    """A part of an answer that is masked."""

    start: int
    end: int
    unpaired: str = ""
    """Markup that begins or ends within it alone, which stays after the mask so that the rest looks as before."""


def masked_places(text: str, masks: Iterable[str]) -> list[Place]:
    """The parts of an answer that `masked` masks, in their order."""
    chosen = frozenset(mask for mask in masks if re.search(r"\w", mask))
    if not chosen:
        return []
    read, positions = _as_read(text)
    whole: list[tuple[int, int]] = []
    end = -1
    for first, last in sorted(_spans(read, chosen, model_names())):
        if first < end:
            continue  # within a sentence that is masked
        end = last
        whole.append((positions[first], positions[last - 1] + 1))
    places: list[Place] = []
    for start, stop in _joined(text, whole, _split_spans(text, chosen)):
        markers = _MARKUP.findall(_LINK_END.sub("", text[start:stop]))
        unpaired = "".join(marker for marker in dict.fromkeys(markers) if markers.count(marker) % 2)
        if unpaired and text.startswith(unpaired, stop):
            stop, unpaired = stop + len(unpaired), ""
        places.append(Place(start, stop, unpaired))
    return places


def _as_read(text: str) -> tuple[str, Sequence[int]]:
    """The text without invisible characters and in the usual forms of letters (full-width ones are not), and by its
    characters their positions in the text."""
    if text.isascii():
        return text, range(len(text))
    usual = {
        character: "" if unicodedata.category(character) == "Cf" else unicodedata.normalize("NFKC", character)
        for character in set(text)
    }
    positions = [position for position, character in enumerate(text) for _ in usual[character]]
    return "".join(map(usual.__getitem__, text)), positions


def _split_spans(text: str, masks: frozenset[str]) -> Iterator[tuple[int, int]]:
    """What is masked of the text as it reads once its Markdown is formatted, where that differs within the span: a name
    that emphasis, a link or the number of a letter splits in the text as it was sent."""
    if _FORMATTING.search(text) is None:
        return
    shown: list[str] = []
    starts: list[int] = []
    ends: dict[int, int] = {}
    end = 0
    for match in _FORMATTING.finditer(text):
        letter = html.unescape(match[0]) if match[0].startswith("&") else ""
        shown += [text[end : match.start()], letter]
        starts += [*range(end, match.start()), *[match.start()] * len(letter)]
        end = ends[match.start()] = match.end()
    starts += range(end, len(text))
    read, positions = _as_read("".join([*shown, text[end:]]))
    for first, last in _spans(read, masks, model_names()):
        start, final = starts[positions[first]], starts[positions[last - 1]]
        stop = ends.get(final, final + 1)
        if stop - start != last - first:
            yield start, stop


def _joined(text: str, whole: Iterable[tuple[int, int]], split: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in their order, those that overlap as one; without those of split names that begin in another one. A link
    of which a split name has one end is in it with both."""
    ends = dict(whole)
    known = 0
    names = []
    for start, stop in sorted([*ends.items(), *(span for span in split if span[0] not in ends)]):
        if start in ends:
            known = stop
        elif start >= known:
            n_open = text.count("[", start, stop) - text.count("](", start, stop)
            link = _LINK_END.match(text, stop) if n_open > 0 else None
            is_in_link = n_open < 0 and start > 0 and text[start - 1] == "["
            names.append((start - is_in_link, link.end() if link is not None else stop))
    spans: list[tuple[int, int]] = []
    for start, stop in sorted([*ends.items(), *names]):
        if spans and start < spans[-1][1]:
            start, stop = spans[-1][0], max(spans.pop()[1], stop)
        spans.append((start, stop))
    return spans


def _spans(text: str, masks: frozenset[str], known: ModelNames) -> Iterator[tuple[int, int]]:
    lexicon = _lexicon(known)
    folded = text.casefold()
    plain = tuple(sorted(mask for mask in masks if not mask.endswith(AS_A_NAME.strip()) and _occurs(mask, folded)))
    bare = (mask.rstrip(" …") for mask in masks if mask.endswith(AS_A_NAME.strip()))
    ordinary = tuple(sorted(name for name in bare if name and _occurs(name, folded)))
    everywhere = tuple(sorted({*plain, *ordinary, *(name for name in lexicon.every if _occurs(name, folded))}))
    yield from lexicon.introductions(text, folded, everywhere, own=frozenset(map(str.casefold, ordinary)))
    if plain:
        for match in _any_of(plain, lexicon).finditer(text):
            yield match.span()
    for name in ordinary:
        yield from lexicon.uses_as_a_name(text, name)


# --- Patterns ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _parts(name: str) -> tuple[str, ...]:
    """The parts of a name, between which hyphens, spaces and markup are all the same: letters and their version too."""
    spaced = re.sub(r"(?<=\d)\.(?=\d)|(?<=[^\W\d_]{3})(?=\d)", " ", unicodedata.normalize("NFKC", name))
    return tuple(part for part in re.split(rf"{_JOINING}+", spaced) if part)


def _occurs(name: str, folded: str) -> bool:
    """Whether a name may be in a text in lower case: quick, for the hundreds of names that are not."""
    parts = _parts(name)
    return bool(parts) and all(part.casefold() in folded for part in parts)


@lru_cache(maxsize=4096)
def _pattern(name: str) -> str:
    """The regular expression of a name as a whole word; each repetition in it is short, so that it is always quick."""
    parts = _parts(name)
    pattern = re.escape(parts[0])
    for before, part in pairwise(parts):
        joining = rf"(?:{_JOINING}|\.)" if before[-1].isdigit() and part[0].isdigit() else _JOINING
        pattern += rf"{joining}{{0,4}}{re.escape(part)}"
    if parts[-1][-1].isdigit():
        pattern += r"(?:\.\d{1,4}){0,3}"
    return f"{_edge(parts[0][0], '<!')}{pattern}{_edge(parts[-1][-1], '!')}"


def _edge(character: str, look: str) -> str:
    """That a name is not part of a longer word of its script."""
    if re.match(f"[{_UNSPACED}]", character):
        return ""
    if re.match(f"[{_LATIN}]", character):
        return f"(?{look}[{_LATIN}])"
    return f"(?{look}{_WORD})" if re.match(r"\w", character) else ""


def _words(words: Iterable[str]) -> str:
    """The regular expression of one of some words or phrases, longest first; an apostrophe may be a curved one."""
    by_edges: dict[tuple[str, str], list[str]] = {}  # few conditions, so that most places of a text are left at once
    for word in sorted({word for word in words if word}, key=lambda word: (-len(word), word)):
        pattern = re.escape(word).replace("'", "['’]").replace(r"\ ", r"\s{1,3}")
        by_edges.setdefault((_edge(word[0], "<!"), _edge(word[-1], "!")), []).append(pattern)
    return "|".join(f"{before}(?:{'|'.join(own)}){after}" for (before, after), own in by_edges.items()) or r"(?!)"


@lru_cache(maxsize=256)
def _any_of(names: tuple[str, ...], lexicon: "_Lexicon") -> re.Pattern[str]:
    ordered = sorted(names, key=lambda name: (-len(name), name))
    return re.compile("|".join(map(lexicon.pattern_of, ordered)), re.IGNORECASE)


# --- The names of a system -----------------------------------------------------------------------------------------


def _masks_of_name(name: str, known: ModelNames) -> Iterator[str]:
    lexicon = _lexicon(known)

    def telling(words: Sequence[str]) -> bool:
        return any(word.lower() not in known.words.generic and len(word) > 1 for word in words)

    families = lexicon.families_in(name)
    # "Mistral large" is found as "Mistral …" with a variant: alone it would mask "a mistral large enough" too.
    found_by_family = {
        f"{called} {' '.join(versions[:n])}".casefold()
        for _, called, versions in families
        for n in range(1, len(versions) + 1)
        if lexicon.is_ordinary(called) and not re.search(r"\d", "".join(versions[:n]))
    }
    whole = [name, *([name.rsplit("/", 1)[-1].rsplit(":", 1)[-1]] if re.search("[/:]", name) else [])]
    for text in whole:
        parts = _parts(text)
        if len(text) < SHORTEST_MASK or " ".join(parts).casefold() in found_by_family:
            continue
        if telling(parts) or len(parts) > 1:
            yield f"{text}{AS_A_NAME}" if lexicon.is_ordinary(text) else text
    for family, called, versions in families:
        own = (f"{called} {' '.join(versions[:n])}" for n in range(1, len(versions) + 1))
        yield from (mask for mask in own if mask.casefold() not in found_by_family)
        yield from family.names
        yield from (f"{word}{AS_A_NAME}" for word in (*family.ordinary, *family.makers) if word not in family.names)
    words = [word for word in (part.strip("()[],;:+") for part in name.split()) if word]
    first_two = " ".join(words[:2])
    if len(words) > 1 and telling(words[:2]) and not families and len(first_two) >= SHORTEST_MASK:
        yield first_two
    for word in words:
        has_both = re.search(r"\d", word) and re.search(r"[^\W\d_]", word)
        if has_both and len(word) >= SHORTEST_MASK and not _SIZE_OR_DATE.fullmatch(word):
            yield word
    first = next(iter(_parts(name)), "")
    if len(first) > SHORTEST_MASK and first.isalpha() and telling([first]) and not lexicon.is_listed(first):
        yield first


# --- The lists -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _lexicon(known: ModelNames) -> "_Lexicon":
    return _Lexicon(known)


class _Lexicon:
    """The lists of `ModelNames`, as regular expressions."""

    def __init__(self, known: ModelNames) -> None:
        said = known.introductions
        self.families = known.families
        self.names = {name.casefold(): family for family in known.families for name in family.names}
        self.ordinary = {name.casefold(): family for family in known.families for name in family.ordinary}
        self.makers = {name.casefold() for family in known.families for name in family.makers}
        self.every = {name for family in known.families for name in (*family.names, *family.ordinary, *family.makers)}
        self.starts = sorted({*said.self, *said.weak})
        self.weak = {word.casefold() for word in said.weak}
        self.first_person = re.compile(_words(said.first_person), re.IGNORECASE)
        # AI is a model, and "ia" is not.
        self.abbreviations = re.compile(_words(word for word in said.models if word.isupper()))
        self.models = tuple(word.casefold() for word in said.models if not word.isupper())
        self.made = {word.casefold() for word in said.made}
        spaced = [*said.between, *said.made, *said.models]
        self.between = {part for word in spaced for part in re.findall(r"[\w'’]+", word.casefold())}
        # Of scripts without spaces, a run of letters is no word.
        unspaced = [word for word in spaced if re.match(f"[{_UNSPACED}]", word)]
        self.step = re.compile(
            rf"[\s,\"'“”‘’«»„*_`~()\[\]\-–—]+|{_words(unspaced)}|({_WORD}[^\W_{_UNSPACED}'’]*)", re.IGNORECASE
        )
        self.rest = tuple(word.casefold() for word in (*said.rest, *said.made))

    def speaks_of_a_model(self, text: str) -> bool:
        """Whether a text of at most a few sentences speaks of an AI."""
        folded = text.casefold()
        return any(word in folded for word in self.models) or self.abbreviations.search(text) is not None

    def is_ordinary(self, name: str) -> bool:
        """Whether a name is an ordinary word of the list, or a maker."""
        key = name.casefold()
        return (key in self.ordinary or key in self.makers) and key not in self.names

    def is_listed(self, name: str) -> bool:
        return name.casefold() in self.names or self.is_ordinary(name)

    def families_in(self, name: str) -> list[tuple[Family, str, list[str]]]:
        """The families that a system's name names: each with what it is called there, and the parts of its version."""
        found = []
        folded = name.casefold()
        for family in self.families:
            best: tuple[Family, str, list[str]] | None = None
            for listed in sorted(
                {*family.names, *family.ordinary, *family.makers}, key=lambda word: (-len(word), word)
            ):
                match = _within_a_name(listed).search(name) if _occurs(listed, folded) else None
                if match is None:
                    continue
                is_model = listed in family.names or listed in family.ordinary
                versions = list(_versions(name[match.end() :], family)) if is_model else []
                if best is None or len(versions) > len(best[2]):
                    best = (family, match[0].replace("-", " "), versions)
            found += [best] if best is not None else []
        return found

    def pattern_of(self, name: str) -> str:
        """The regular expression of a name; one that only the model has may be followed by a version or a plural s."""
        family = self.names.get(name.casefold())
        if family is None:
            return _pattern(name)
        parts = _parts(name)
        inside = rf"{_JOINING}{{0,4}}".join(map(re.escape, parts))
        variants = _words(family.variants)
        version = (
            rf"(?:{_JOINING.replace(chr(92) + 's', '')}{{0,2}}[vV]?\d{{1,4}}(?:\.\d{{1,4}}){{0,3}}[A-Za-z]{{0,2}}"
            rf"|{_JOINING}{{1,2}}{_VERSION})?(?:{_JOINING}{{1,2}}(?:{variants})){{0,3}}s?"
        )
        ending = "[а-яёіїєґ]{0,3}" if re.match("[\u0400-\u04ff]", parts[-1][-1]) else version
        return f"{_edge(parts[0][0], '<!')}{inside}{ending}{_edge(parts[-1][-1], '!')}"

    # --- Where they are in a text

    def introductions(
        self, text: str, folded: str, names: tuple[str, ...], *, own: frozenset[str]
    ) -> Iterator[tuple[int, int]]:
        """The introductions in a text, whose candidates are *names*."""
        flat = re.sub(r"\s+", " ", folded).replace("’", "'")
        starts = tuple(word for word in self.starts if word.casefold() in flat)
        if not starts:
            return
        named = _any_of(names, self) if names else re.compile(r"(?!)")
        done = end = 0
        for start in _starts(starts).finditer(text):
            if start.start() < done:
                continue
            if start.end() + _NEAR > end:
                end = _sentence_end(text, start.end())
            place = self._named(text, start, end, named, own)
            if place is not None:
                done = self._end_of(text, place[1], end, named)
                done -= len(text[place[0] : done]) - len(text[place[0] : done].rstrip())
                yield place[0], done

    def _gap(self, text: str, place: int, end: int) -> tuple[int, bool]:
        """Where the words end that may stand between *I am* and a name, and whether one says that it was made."""
        says_made = False
        for _ in range(60):
            step = self.step.match(text, place, end)
            if step is None or (step[1] is not None and step[1].casefold() not in self.between):
                break
            says_made = says_made or step[0].casefold() in self.made
            place = step.end()
        return place, says_made

    def _named(
        self, text: str, start: re.Match[str], end: int, named: re.Pattern[str], own: frozenset[str]
    ) -> tuple[int, int] | None:
        """Where an introduction begins, and where what it names ends; None if it is none."""
        after, says_made = self._gap(text, start.end(), end)
        gap = text[start.end() : after]
        says_model = self.speaks_of_a_model(gap)
        weak = " ".join(start[0].casefold().split()) in self.weak
        if weak and not says_model and self.first_person.search(text, after, min(end, after + _NEAR)) is None:
            return None
        has_words = re.search(r"\w", gap) is not None
        first = after if weak and not has_words else start.start()
        match = named.match(text, after, end)
        if match is not None:
            key = match[0].casefold()
            if (self.is_ordinary(match[0]) or key in own) and (
                (weak and match[0][0].islower()) or _goes_on_as_a_name(text[match.end() : end], self._after_a_name(key))
            ):
                return None
            is_maker = key in self.makers and key not in self.names and key not in self.ordinary
            following = text[match.end() : match.end() + 40]
            if is_maker and not (says_model or says_made or self.speaks_of_a_model(following)):
                further, _ = self._gap(text, match.end(), end)  # "Google's Gemini"
                match = named.match(text, further, end) if further > match.end() else None
                if match is None:
                    return None
            return first, match.end()
        # A name that no list has: "an AI trained by Acme Labs", or "Zephyron, an AI assistant".
        unknown = _UNKNOWN_NAME.match(text, after, end)
        if unknown is None:
            return None
        if says_model and says_made:
            return first, unknown.end()
        if weak or has_words or text[unknown.end() : unknown.end() + 2].lstrip()[:1] not in (",", "(", "–", "—", "-"):
            return None
        more, _ = self._gap(text, unknown.end(), end)
        return (first, more) if self.speaks_of_a_model(text[unknown.end() : more]) else None

    def _after_a_name(self, key: str) -> set[str]:
        family = self.ordinary.get(key)
        variants = family.variants if family is not None else ()
        return {"ai", "bot", "chat", "assistant", *map(str.casefold, variants)}

    def _end_of(self, text: str, after: int, end: int, named: re.Pattern[str]) -> int:
        bounds = [match.start() for match in _CLAUSE.finditer(text, after, end)]
        for bound, following in pairwise([*bounds, end]):
            clause = text[bound:following]
            folded = clause.casefold()
            if not (
                any(word in folded for word in self.rest)
                or self.speaks_of_a_model(clause)
                or named.search(clause) is not None
            ):
                return bound
        return end

    def uses_as_a_name(self, text: str, name: str) -> Iterator[tuple[int, int]]:
        """Where an ordinary word is the name of a model: with a version, or with a capital where an AI is spoken of."""
        family = self.ordinary.get(name.casefold())
        variants = _words(family.variants) if family is not None else r"(?!)"
        is_maker = family is None and name.casefold() in self.makers
        tail = re.compile(rf"{_JOINING}{{0,2}}{_VERSION}(?:{_JOINING}{{1,2}}(?:{variants})){{0,3}}")
        variant = re.compile(
            rf"(?:{_JOINING}{{1,2}}(?:{variants})){{1,3}}|\s(?:here|speaking)(?=[!.,:])", re.IGNORECASE
        )
        parts = _parts(name)
        inside = rf"{_JOINING}{{0,4}}".join(map(re.escape, parts))
        whole = re.compile(_edge(parts[-1][-1], "!"))
        start = end = 0
        is_of_a_model = False
        for match in re.finditer(_edge(parts[0][0], "<!") + inside, text, re.IGNORECASE):
            versioned = None if is_maker else tail.match(text, match.end()) or variant.match(text, match.end())
            if versioned is not None and self._is_written_as_a_name(text, match.start(), versioned.end()):
                yield match.start(), versioned.end()
            elif whole.match(text, match.end()) and not match[0][0].islower():
                if not start <= match.start() < match.end() <= end:  # another sentence than before
                    start, end = _sentence_start(text, match.start()), _sentence_end(text, match.end())
                    is_of_a_model = self.speaks_of_a_model(text[start:end]) and (
                        not is_maker or self.first_person.search(text, start, end) is not None
                    )
                before, after = (
                    text[max(start, match.start() - 60) : match.start()],
                    text[match.end() : match.end() + 60],
                )
                if is_of_a_model and not (
                    _comes_after_a_name(before)
                    or (_comes_after_an_article(before) and not self.speaks_of_a_model(" ".join(after.split()[:1])))
                    or _goes_on_as_a_name(after, self._after_a_name(name.casefold()))
                ):
                    yield match.span()

    def _is_written_as_a_name(self, text: str, start: int, end: int) -> bool:
        """Whether an ordinary word with its version is a name: not if both are words in lower case with a space
        between, unless the sentence speaks of an AI or is in the first person."""
        if not re.fullmatch(r"[a-z]+(?:\s+[a-z]+)+", text[start:end]):
            return True
        sentence = text[_sentence_start(text, start) : _sentence_end(text, end)]
        return self.speaks_of_a_model(sentence) or self.first_person.search(sentence) is not None


@lru_cache(maxsize=1024)
def _within_a_name(listed: str) -> re.Pattern[str]:
    """For names of systems: the name of a family, after which a version may be written without a space."""
    parts = _parts(listed)
    inside = rf"{_JOINING}{{0,4}}".join(map(re.escape, parts))
    last = f"(?![{_LATIN.removeprefix('0-9')}])" if re.match(f"[{_LATIN}]", parts[-1][-1]) else ""
    return re.compile(f"{_edge(parts[0][0], '<!')}{inside}{last}", re.IGNORECASE)


@lru_cache(maxsize=256)
def _starts(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(_words(words), re.IGNORECASE)


def _versions(text: str, family: Family) -> Iterator[str]:
    """The parts of a version at the beginning of a text: numbers, and variants of the family."""
    part = re.compile(rf"{_JOINING}{{0,3}}([vV]?\d[\w.]*|(?:{_words(family.variants)}))(?!\w)", re.IGNORECASE)
    place = 0
    while (match := part.match(text, place)) is not None:
        yield match[1]
        place = match.end()


def _sentence_end(text: str, place: int) -> int:
    """Where a sentence ends; within a link that began in it, not before the link does."""
    limit = min(len(text), place + LONGEST_SENTENCE)
    for match in _SENTENCE_END.finditer(text, place, limit):
        if match[0] != "]" or "[" not in text[place : match.start()]:
            return match.start()
    return limit


def _sentence_start(text: str, place: int) -> int:
    low = max(0, place - LONGEST_SENTENCE)
    return max((match.end() for match in _SENTENCE_END.finditer(text, low, place)), default=low)


def _goes_on_as_a_name(after: str, variants: set[str]) -> bool:
    """Whether another word with a capital follows, as in the name of a person or a place."""
    following = re.match(r"(?:\s+|-)([A-Z][a-z\u00c0-\u024f]+)", after)
    return following is not None and following[1].casefold() not in variants


def _comes_after_a_name(before: str) -> bool:
    """Whether a word with a capital stands directly before, unless it begins the sentence."""
    if re.search(r"(?:^|\W)(?:St|Mr|Ms|Dr|Mrs)\.\s$", before):
        return True
    preceding = re.search(r"(?:^|\W)([A-Z][\w.]*)([\s-])$", before)
    return preceding is not None and (preceding[2] == "-" or bool(before[: preceding.start(1)].strip()))


def _comes_after_an_article(before: str) -> bool:
    return (
        re.search(r"(?:^|\W)(?:an?|the|un|une|le|la|el|il|der|die|das|ein|eine)\s$", before, re.IGNORECASE) is not None
    )
