"""The kinds of judge: what each asks about an answer, how it reads the reply, and what it makes of all verdicts.

Enters: the name of a metric, and a benchmark's prompts. Leaves: a kind; everything else about judging (requests, cost,
storage, batches, repeats) is the same for all kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from scoring.metrics.base import ScoredVector
from scoring.metrics.judge import pairs
from scoring.metrics.judge.cost import REPLY_TOKENS
from scoring.metrics.judge.lists import NAME, ListJudgeSettings, ListPrompts, list_items, read_verdict, score_lists
from scoring.metrics.judge.prompt import CORRECT, JudgeItem, JudgeSettings, judge_items, score_letters

REPEAT: Final = "-repeat"
"""The ending of a metric and of its scores that repeat a judgement."""


@dataclass(frozen=True)
class JudgeKind:
    """One kind of judge."""

    metric: str
    settings: type[JudgeSettings]
    prompt: str
    """The version of the prompts, as in the signature."""
    items: Callable[..., Iterable[JudgeItem]]
    """The items to judge from keys, questions, references and answers, all of the same length, and, if it compares, the
    opponent's answers."""
    score: Callable[[Sequence[str | None]], Mapping[str, ScoredVector]]
    """The scores by name, from one verdict per question; None where it is unanswered. Not for a kind that compares."""
    is_correct: Callable[[str], bool]
    """Whether a verdict finds an answer completely right."""
    reply_tokens: int = REPLY_TOKENS
    """Tokens of a reply, assumed until a site has replies of its own."""
    compares: bool = False
    """Whether it compares two answer sets side by side, without references if there are none."""


FACTUALITY: Final = JudgeKind(
    "judge",
    JudgeSettings,
    JudgeSettings.prompt,
    judge_items,
    lambda letters: {"judge": score_letters(letters)},
    CORRECT.__contains__,
)
"""FanOutQA's judge: a letter for each answer."""

OF_ANSWERS: Final = (FACTUALITY.metric, NAME)
"""The metrics that judge each answer by itself: one verdict for each."""
METRICS: Final = (*OF_ANSWERS, pairs.NAME)
"""The metrics that ask a judge."""


def first(metric: str) -> str:
    """The metric that another one repeats, or applies to other pairs; otherwise itself.

    >>> first("judge-repeat"), first("judge"), first("side-by-side-pair")
    ('judge', 'judge', 'side-by-side')
    """
    return pairs.NAME if metric == pairs.PAIR else metric.removesuffix(REPEAT)


def kind_named(metric: str, prompts: Mapping[str, str]) -> JudgeKind:
    """The kind of judge of a metric, or of its repetition.

    :param prompts: the benchmark's prompts by file name; not read by kinds whose prompt is fixed.
    :raises KeyError: no judge has that name.
    :raises ValueError: a prompt is missing or unusable.
    """
    if first(metric) == FACTUALITY.metric:
        return FACTUALITY
    if first(metric) == pairs.NAME:
        return _comparing(prompts)
    if first(metric) != NAME:
        raise KeyError(metric)
    lists = ListPrompts.of(prompts)
    return JudgeKind(
        NAME,
        ListJudgeSettings,
        lists.version,
        partial(list_items, prompts=lists),
        score_lists,
        lambda verdict: read_verdict(verdict).f1 == 1,
    )


def _comparing(prompts: Mapping[str, str]) -> JudgeKind:
    prompt = pairs.ComparisonPrompt.of(prompts)
    return JudgeKind(
        pairs.NAME,
        pairs.ComparisonSettings,
        prompt.version,
        partial(pairs.comparison_items, prompt=prompt),
        lambda verdicts: {},
        lambda verdict: False,
        reply_tokens=pairs.REPLY_TOKENS,
        compares=True,
    )
