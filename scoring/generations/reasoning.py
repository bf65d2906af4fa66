"""Blocks of reasoning that models write before or inside an answer.

Known are tags (``<think>…</think>`` and others), the channels of gpt-oss, and what is left of these where special
tokens were dropped. A block may lack its end (the answer broke off) or its beginning (it was part of the prompt).
Plain Python: no Django.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_NAMES: Final = "think|thinking|thoughts?|reasoning|reflection|scratchpad|(?:seed|antml):think(?:ing)?"
_CHANNEL: Final = r"(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>"
_DROPPED_TOKENS: Final = r"\A\s*analysis(?=\S)(?s:.*)assistantfinal"
"""The channels of gpt-oss after a decoder that drops special tokens."""
REASONING: Final = re.compile(
    rf"(?P<start><(?:{_NAMES})(?:\s[^<>]{{0,100}})?>|\[THINK\]|<\|begin_of_thought\|>|◁think▷"
    rf"|{_CHANNEL}(?!final\b)[a-z]{{1,20}}[^<>]{{0,100}}(?:<\|constrain\|>\w{{1,20}})?<\|message\|>)"
    rf"|</(?:{_NAMES})\s*>|\[/THINK\]|<\|end_of_thought\|>|◁/think▷|{_CHANNEL}final[^<>]{{0,100}}<\|message\|>"
    rf"|{_DROPPED_TOKENS}",
    re.IGNORECASE,
)
"""The beginning of a block of reasoning, or its end; a text that has either contains reasoning."""
_LAST_TOKEN: Final = re.compile(r"<\|(?:return|end)\|>\s*\Z")
_BETWEEN: Final = "\0"
"""Joins the texts of a list, which never contain it."""


def without_reasoning(text: str) -> str:
    r"""A text without its blocks of reasoning; one that has none is returned as it is.

    Of a block without an end nothing is left, of one without a beginning what follows its end.

    >>> without_reasoning("<think>Paris?\nTokyo?</think>\n\nRome"), without_reasoning("Paris? No.</think> Rome")
    ('Rome', 'Rome')
    >>> without_reasoning("Rome <think>or"), without_reasoning(" Rome ")
    ('Rome', ' Rome ')
    """
    if not REASONING.search(text):
        return text
    text = _LAST_TOKEN.sub("", text)
    kept: list[str] = []
    position, is_inside = 0, False
    for mark in REASONING.finditer(text):
        if mark["start"] is None:
            if not is_inside:
                kept.clear()  # all before it is reasoning whose beginning was part of the prompt
            position, is_inside = mark.end(), False
        elif not is_inside:
            kept.append(text[position : mark.start()])
            is_inside = True
    if not is_inside:
        kept.append(text[position:])
    return "".join(kept).strip()


def after_reasoning(text: str) -> str:
    r"""What follows a block of reasoning at the beginning of a text; a text without one as it is.

    For texts that may quote others: tags in the middle are no block. Empty if the block has no end, and if there are
    several ends, of which one may be quoted.

    >>> after_reasoning("<think>B? No.</think>\n\nC"), after_reasoning("It says </think> C.")
    ('C', 'It says </think> C.')
    >>> after_reasoning("<think>B"), after_reasoning("<think>It says </think>B.</think>C")
    ('', '')
    """
    start = REASONING.match(text.lstrip())
    if start is None or start["start"] is None:
        return text
    ends = [mark.end() for mark in REASONING.finditer(text) if mark["start"] is None]
    return _LAST_TOKEN.sub("", text[ends[0] :]).strip() if len(ends) == 1 else ""


def list_without_reasoning(texts: Sequence[str]) -> list[str]:
    """The texts of a list without reasoning, which may begin in one and end in another; texts that were reasoning
    alone are left out.

    >>> list_without_reasoning(["<think>Paris", "or Tokyo</think> Rome", "Oslo"])
    ['Rome', 'Oslo']
    """
    joined = _BETWEEN.join(texts)
    if not REASONING.search(joined):
        return list(texts)
    rest = (text.strip() for text in without_reasoning(joined).split(_BETWEEN))
    return [text for text in rest if text]
