"""Exact match, token F1 and inclusion as the scripts of their benchmarks compute them, to the last bit.

All scripts normalise alike (`scoring.metrics.text.answer_names.alce_name`): lower case, no ASCII punctuation, no
article, single spaces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from scoring.metrics.text.answer_names import alce_name

Rules = Literal["squad", "squad2", "hotpotqa"]
RULES: Final[tuple[str, ...]] = get_args(Rules)
NO_ANSWER: Final[dict[str, str]] = {"squad": "unanswerable", "squad2": "", "hotpotqa": "noanswer"}
"""Right answer to a question without an answer, by the name of the rules. SQuAD 1.1 has no such questions."""
_CLOSED: Final = frozenset({"yes", "no", "noanswer"})


@dataclass(frozen=True)
class TokenOverlap:
    """Overlap of the tokens of an answer and of an accepted one; each from 0 to 1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Inclusion:
    """The answer sets of a question that a text includes."""

    recall: float
    """The share of the sets of which one answer is included."""
    all_found: bool


def exact_match(prediction: str, answers: Sequence[str], rules: Rules = "squad") -> int:
    """Whether a normalised answer equals one of the normalised accepted answers: 1 or 0.

    Rajpurkar et al. (2016), SQuAD, https://aclanthology.org/D16-1264; the rules are those of `token_f1`.

    Raises:
        ValueError: For no accepted answer (with ``squad2``, none means that the empty answer is right), or unknown
            rules.

    >>> exact_match("The U.S.!", ["us", "America"]), exact_match("yes, it was", ["yes"])
    (1, 0)
    """
    normalised = alce_name(prediction)
    return int(any(normalised == alce_name(answer) for answer in _counted(answers, rules)))


def token_f1(prediction: str, answers: Sequence[str], rules: Rules = "squad") -> TokenOverlap:
    """Precision, recall and F1 of an answer's tokens, for the accepted answer with the greatest F1.

    Tokens are the words of the normalised texts, with their repetitions. The rules differ in three cases:

    - ``squad`` (SQuAD 1.1): two texts without a token have the F1 0, although they match exactly.
    - ``squad2`` (SQuAD 2.0, MuSiQue): if either has no token, the F1 is 1 when both have none, else 0. Accepted answers
      without a token are left out; if none is left, the empty answer is right.
    - ``hotpotqa`` (HotpotQA, 2WikiMultiHopQA): if either is ``yes``, ``no`` or ``noanswer`` and the other differs, all
      is 0. Over several accepted answers the greatest precision, recall and F1 are each taken by itself, as
      2WikiMultiHopQA does; HotpotQA has one.

    Raises:
        ValueError: As `exact_match`.

    >>> token_f1("in Oslo", ["Oslo", "Kristiania"])
    TokenOverlap(precision=0.5, recall=1.0, f1=0.6666666666666666)
    >>> token_f1("yes, it was", ["yes"], "hotpotqa").f1
    0.0
    """
    overlaps = [_overlap(alce_name(prediction), alce_name(answer), rules) for answer in _counted(answers, rules)]
    if rules == "hotpotqa":
        return TokenOverlap(
            max(overlap.precision for overlap in overlaps),
            max(overlap.recall for overlap in overlaps),
            max(overlap.f1 for overlap in overlaps),
        )
    return max(overlaps, key=lambda overlap: overlap.f1)


def inclusion_recall(text: str, answer_sets: Sequence[Sequence[str]]) -> Inclusion:
    """The share of a question's answer sets of which a text includes one answer: STR-EM of ASQA and ALCE.

    Stelmakh et al. (2022), ASQA, https://aclanthology.org/2022.emnlp-main.566; Gao et al. (2023), ALCE,
    https://aclanthology.org/2023.emnlp-main.398. An answer is included if it is a part of the text after both are
    normalised, within a word too: ``Paris`` is in ``The Parisian``.

    Args:
        text: The answer, of any length.
        answer_sets: For each thing that the text should say, the answers that say it.

    Raises:
        ValueError: For no set, or an answer that normalises to nothing: it would be in every text.

    >>> inclusion_recall("It opened in Oslo.", [["Oslo", "Kristiania"], ["1843"]])
    Inclusion(recall=0.5, all_found=False)
    """
    if not answer_sets:
        raise ValueError("no answer set: a share of nothing is undefined")
    normalised = alce_name(text)
    names = [[alce_name(answer) for answer in answers] for answers in answer_sets]
    if not all(map(all, names)):
        raise ValueError("an answer has no character besides punctuation and articles, so that every text includes it")
    n_found = sum(any(name in normalised for name in one_of) for one_of in names)
    return Inclusion(n_found / len(names), n_found == len(names))


def _counted(answers: Sequence[str], rules: str) -> Sequence[str]:
    """The accepted answers that count."""
    if rules not in RULES:
        raise ValueError(f"rules: found {rules!r}, expected one of {', '.join(RULES)}")
    if rules == "squad2":
        return [answer for answer in answers if alce_name(answer)] or [""]
    if not answers:
        raise ValueError(f"no accepted answer: {rules} has no rule for questions without an answer")
    return answers


def _overlap(predicted: str, accepted: str, rules: str) -> TokenOverlap:
    if rules == "hotpotqa" and predicted != accepted and not _CLOSED.isdisjoint((predicted, accepted)):
        return TokenOverlap(0.0, 0.0, 0.0)
    tokens, gold = predicted.split(), accepted.split()
    if rules == "squad2" and not (tokens and gold):
        both_empty = float(tokens == gold)
        return TokenOverlap(both_empty, both_empty, both_empty)
    n_common = (Counter(tokens) & Counter(gold)).total()
    if not n_common:
        return TokenOverlap(0.0, 0.0, 0.0)
    precision, recall = n_common / len(tokens), n_common / len(gold)
    # In the scripts' order: another one gives another last bit.
    return TokenOverlap(precision, recall, (2 * precision * recall) / (precision + recall))
