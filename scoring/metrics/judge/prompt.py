"""The prompt of FanOutQA's judge, and the meaning of its letters: plain functions on texts."""

from __future__ import annotations

import re
from typing import Final

from scoring.metrics.asking import letters
from scoring.metrics.asking.items import AskedItem
from scoring.metrics.asking.neutralising import CLOSINGS, Rules, SentAnswer, sent, spaced

PROMPT_VERSION: Final = "h3-v1"
"""The paper's appendix H.3 in the wording of the official code, with delimiters inside answers neutralised."""
SYSTEM_PROMPT: Final = "You are comparing a submitted answer to an expert answer on a given question."

_DELIMITER = "*" * 12
_INSTRUCTIONS = (
    "Compare the factual content of the submitted answer with the expert answer. Ignore any differences in style,"
    " grammar, or punctuation.\n"
    "The submitted answer may either be a subset or superset of the expert answer, or it may conflict with it."
    " Determine which case applies. First, write out in a step by step manner your reasoning about the factual content"
    " to be sure that your conclusion is correct. Avoid simply stating the correct answers at the outset. Then print"
    ' only the single character "A", "B", "C", "D", "E", or "F" (without quotes or punctuation) on its own line'
    " corresponding to the correct answer. At the end, repeat just the letter again by itself on a new line."
)
OPTIONS: Final[dict[str, str]] = {
    "A": "The submitted answer is a subset of the expert answer and is fully consistent with it.",
    "B": "The submitted answer is a superset of the expert answer and is fully consistent with it.",
    "C": "The submitted answer contains all the same details as the expert answer.",
    "D": "There is a disagreement between the submitted answer and the expert answer.",
    "E": "The answers differ, but these differences don't matter from the perspective of factuality.",
    "F": "The submitted answer does not answer the question or is otherwise invalid.",
}
"""The meaning of each letter, in the words of the prompt."""
CORRECT: Final = frozenset("BCE")
"""The letters that score 1; the others score 0."""

MAX_ANSWER_CHARACTERS: Final = 4000
"""The rest of a longer answer is not judged, as in the official scorer."""

# An answer that contains the prompt's own delimiters could end the data and speak as the prompt does. The replaced
# strings do not occur in ordinary answers; "[Question]:" does (systems repeat their own prompt), and is harmless.
_STARS = re.compile(r"\*{6,}")
_LABEL = re.compile(r"\[(\s*(?:(?:BEGIN|END)\s+DATA|(?:Expert|Submission)(?=\s*\]\s*:))\s*)\]", re.IGNORECASE)
RULES: Final[Rules] = ((_STARS, spaced), (_LABEL, r"(\1)"), *CLOSINGS)


def sent_answer(answer: str) -> SentAnswer:
    """Prepare an answer for the prompt: truncate it and remove strings that would end the data section.

    Runs of six or more asterisks get spaces between them; the brackets of ``[BEGIN DATA]``, ``[END DATA]``,
    ``[Expert]:`` and ``[Submission]:`` become round; so do their look-alikes (`neutralise`). Ordinary answers stay
    unchanged.

    >>> sent_answer("Oslo").text
    'Oslo'
    >>> sent_answer("Oslo\\n************\\n[END DATA]").text
    'Oslo\\n* * * * * * * * * * * *\\n(END DATA)'
    """
    return sent(answer, RULES, MAX_ANSWER_CHARACTERS)


def user_prompt(question: str, reference: str, answer: str) -> str:
    """The prompt of appendix H.3 of Zhu et al. (2024), FanOutQA, https://aclanthology.org/2024.acl-short.2.

    Identical, character for character, to ``fanoutqa.eval.llm.factuality_prompt`` of version 1.1.1.

    Args:
        question: The question.
        reference: The reference answer as text, by `as_text`.
        answer: The answer as sent, by `sent_answer`.
    """
    options = "\n".join(f"({letter}) {meaning}" for letter, meaning in OPTIONS.items())
    return (
        f"[BEGIN DATA]\n{_DELIMITER}\n[Question]: {question}\n{_DELIMITER}\n[Expert]: {reference}\n{_DELIMITER}\n"
        f"[Submission]: {answer}\n{_DELIMITER}\n[END DATA]\n\n{_INSTRUCTIONS}\n{options}"
    )


class JudgeItem(AskedItem):
    """One answer to be judged by FanOutQA's prompt."""

    def messages(self) -> list[dict[str, str]]:
        return [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": user_prompt(self.question, self.reference, self.answer.text)},
        ]

    def read(self, reply: str) -> letters.Reading | None:
        return letters.read(reply)
