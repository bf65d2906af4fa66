"""The values of a question: each is checked alone, before it means something.

Messages describe values; they never show one, because it may be a hidden answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from scoring.files.mistakes import Mistake, described, is_storable, nearest
from scoring.generations.records import has_content
from scoring.metrics.base import MAX_DEPTH

KEYS: Final = ("id", "question", "answer", "categories", "evidence", "decomposition")
MAX_ID: Final = 64
MAX_KEYS: Final = 100
"""So many keys of a question are looked at for misspelt ones."""
MAX_CATEGORY: Final = 100
EVIDENCE: Final = {"pageid": int, "revid": int, "title": str, "url": str}
_URL: Final = r"(?i:https?)://\S+"
_BREAKS: Final = ("Cc", "Zl", "Zp")
_UNSTORABLE: Final = (
    "a text with the character NUL or half of a surrogate pair",
    "characters of Unicode",
    "Remove it, or write the whole character.",
)


def record_mistakes(
    record: Mapping[str, Any],
    at: Callable[..., Mistake],
    *,
    category_fields: Sequence[str] = (),
    only_answers: bool = False,
) -> Iterator[Mistake]:
    """What is wrong with a question's values, one by one; what its task type says of answers is checked elsewhere.

    Args:
        record: the question, under the usual keys.
        at: makes a mistake in it.
        category_fields: the keys whose values are categories, besides ``categories``.
        only_answers: whether it is a reference answer for a question of another file.
    """
    unknown = {key: nearest(key, KEYS) for key in islice(record, MAX_KEYS) if key not in KEYS and isinstance(key, str)}
    for key in ("id",) if only_answers else ("id", "question"):
        value = record.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield at(key, "a number", "a text", "Put it in quotation marks.")
        elif not isinstance(value, str) or not has_content(value):
            fix = next((f"Rename {like!r} to {key}." for like, guess in unknown.items() if f" {key}?" in guess), "")
            yield at(key, described(value), "a text", fix or f"Add {key} to the object.")
    if only_answers and "answer" not in record:
        yield at("answer", "nothing", "the reference answer", "Add answer to the object.")
    for key, guess in unknown.items():
        if guess and not any(f" {key}?" in guess and key not in record for key in ("id", "question")):
            yield at(key[:40], "an unknown key", "a known one", guess)
    yield from _value_mistakes(record, at)
    # Categories that are no texts, or that pages cannot show. Other keys of a question may give some too.
    for key in dict.fromkeys(("categories", *(field for field in category_fields if field not in KEYS))):
        given = record.get(key)
        items = given if isinstance(given, list) else [] if given is None else [given]
        for index, item in enumerate(items):
            place = f"{key}[{index}]" if isinstance(given, list) else key
            if not isinstance(item, str):
                yield at(key, described(given), "a text, or a list of texts", "Put numbers in quotation marks.")
                break
            if not has_content(item):
                yield at(place, "a blank text", "the name of a category", "Write it, or remove it.")
            else:
                yield from _name_mistakes(item, at, place, "the category", is_checked=key in KEYS)


def _value_mistakes(record: Mapping[str, Any], at: Callable[..., Mistake]) -> Iterator[Mistake]:
    if isinstance(record.get("id"), str) and len(record["id"]) > MAX_ID:
        yield at("id", f"{len(record['id'])} characters", f"at most {MAX_ID}", "Shorten the id.")
    if isinstance(record.get("id"), str) and has_content(record["id"]) and not _is_one_line(record["id"]):
        yield at("id", "white space around the id, or a line break in it", "an id on one line", "Remove it.")
    if not _is_decomposition(record.get("decomposition", [])):
        yield at("decomposition", described(record["decomposition"]), "a list of objects, also inside each of them")
    evidence = record.get("evidence", [])
    for key in ("answer", "decomposition"):
        if _depth(record.get(key)) > MAX_DEPTH:
            actual = f"more than {MAX_DEPTH} lists or objects inside each other"
            yield at(key, actual, f"at most {MAX_DEPTH}", "Write it with fewer levels.")
    # Texts that no database stores, once for each key: JSON can write these characters, UTF-8 or PostgreSQL cannot.
    for key in KEYS:
        given = record.get(key)
        items = enumerate(given) if key in ("evidence", "categories") and isinstance(given, list) else [(None, given)]
        for index, item in items:
            if not all(map(is_storable, texts_in(item))):
                yield at(key if index is None else f"{key}[{index}]", *_UNSTORABLE)
    if not _is_list(evidence, dict):
        yield at("evidence", described(evidence), 'a list of objects such as {"title": "…", "url": "https://…"}')
        return
    for index, item in enumerate(evidence):
        for key, value in item.items():
            place = f"evidence[{index}].{key}" if key in EVIDENCE else f"evidence[{index}]"
            if key not in EVIDENCE:
                yield at(place, "an unknown key", f"one of {', '.join(EVIDENCE)}", nearest(key, EVIDENCE))
            elif value is not None and type(value) is not EVIDENCE[key]:
                yield at(place, described(value), "a text" if EVIDENCE[key] is str else "a whole number")
            elif key == "url" and isinstance(value, str) and value and not re.fullmatch(_URL, value):
                yield at(place, described(value), "a URL that begins with https:// or http://")


def cluster_mistakes(record: Mapping[str, Any], at: Callable[..., Mistake], key: str) -> Iterator[Mistake]:
    """What is wrong with the value that names a question's cluster, if there is one."""
    value = record.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return
    if not isinstance(value, str) or not has_content(value):
        yield at(key, described(value), "a text or a whole number", "Name the cluster of the question.")
    else:
        yield from _name_mistakes(value, at, key, "the name of the cluster")


def _name_mistakes(
    name: str, at: Callable[..., Mistake], place: str, what: str, *, is_checked: bool = False
) -> Iterator[Mistake]:
    """What is wrong with a name that pages show; *is_checked* if its characters are checked elsewhere."""
    if len(name) > MAX_CATEGORY:
        yield at(place, f"{len(name)} characters", f"at most {MAX_CATEGORY}", f"Shorten {what}.")
    elif not _is_one_line(name):
        yield at(place, "white space around it, or a line break in it", "a name on one line", "Remove it.")
    elif not is_checked and not is_storable(name):
        yield at(place, *_UNSTORABLE)


def _is_one_line(text: str) -> bool:
    """Whether a text has no white space around it, and no line break or control character other than NUL.

    >>> [_is_one_line(text) for text in ("New York", " Oslo", "New\\nYork")]
    [True, False, False]
    """
    if text != text.strip():
        return False
    return text.isprintable() or not any(
        unicodedata.category(character) in _BREAKS and character != "\0" for character in text
    )


def _is_decomposition(value: Any) -> bool:
    """Whether it is a list of objects, and so are their own decompositions; without recursion."""
    waiting = [value]
    while waiting:
        steps = waiting.pop()
        if not _is_list(steps, dict):
            return False
        waiting += [step["decomposition"] for step in steps if step.get("decomposition")]
    return True


def _is_list(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)


def _depth(value: Any) -> int:
    """How many lists and objects are inside each other, counted up to one more than may be; without recursion.

    >>> _depth("Oslo"), _depth([]), _depth({"a": [1, []]})
    (0, 1, 3)
    """
    depth, level = 0, [value]
    while level := [value for value in level if isinstance(value, dict | list)]:
        depth += 1
        if depth > MAX_DEPTH:
            break
        level = [item for value in level for item in (value.values() if isinstance(value, dict) else value)]
    return depth


def texts_in(value: Any, *, without: str = "") -> Iterator[str]:
    """The texts in a value at any depth, keys included, but for those under a key; without recursion."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += [*item, *(inner for key, inner in item.items() if key != without)]
        elif isinstance(item, list | tuple):
            waiting += item
