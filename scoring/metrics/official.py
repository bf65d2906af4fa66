"""The packages' own scorers: FanOutQA's (Zhu et al., 2024) and rouge-score, as their packages have them.

Nothing of this site's metrics is used. Importing ``fanoutqa.eval`` also loads a client of a language model and BLEURT;
these are replaced by empty modules, and so is the converter of Wikipedia's HTML where it is not installed. Accuracy
also needs spaCy, which the site itself does not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any

METRICS = ("accuracy", "rouge")
NEEDS = {"accuracy": ("fanoutqa", "spacy", "spacy_lookups_data"), "rouge": ("fanoutqa", "rouge_score")}
"""The modules without which a metric has no official scores."""
TYPES = ("rouge1", "rouge2", "rougeL")


def missing(metric: str) -> list[str]:
    """The modules that a metric's official code needs and that are not installed."""
    return [module for module in NEEDS[metric] if find_spec(module) is None]


def scores(metric: str, lemmatiser: str, pairs: Sequence[tuple[Any, str]]) -> list[dict[str, float]]:
    """The official scores of each pair of a reference and an answer.

    Args:
        metric: ``accuracy`` or ``rouge``.
        lemmatiser: ``lookup`` or ``en_core_web_sm``; ROUGE needs none.
    """
    score = {"accuracy": _accuracy, "rouge": _rouge}[metric](lemmatiser)
    return [score(reference, answer) for reference, answer in pairs]


def _accuracy(lemmatiser: str) -> Callable[[Any, str], dict[str, float]]:
    _prepare_imports()
    from fanoutqa import norm
    from fanoutqa.eval.string import answer_in_text

    if lemmatiser == "lookup":  # the package expects en_core_web_sm, which is not on the package index
        norm.nlp = _lookup_pipeline()

    def score(reference: Any, answer: str) -> dict[str, float]:
        result = answer_in_text(reference, answer)
        return {"loose": float(result.score), "strict": float(result.found)}

    return score


def _rouge(lemmatiser: str) -> Callable[[Any, str], dict[str, float]]:
    del lemmatiser
    _prepare_imports()
    from fanoutqa.eval.utils import str_answer
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(TYPES, use_stemmer=True)

    def score(reference: Any, answer: str) -> dict[str, float]:
        results = scorer.score(str_answer(reference), str_answer(answer))
        return {
            f"{kind}.{part}": float(getattr(results[kind], attribute))
            for kind in TYPES
            for part, attribute in (("precision", "precision"), ("recall", "recall"), ("fscore", "fmeasure"))
        }

    return score


@cache
def _lookup_pipeline() -> Callable[[str], Any]:
    import spacy

    pipeline = spacy.blank("en")
    pipeline.max_length = 10**9
    pipeline.add_pipe("lemmatizer", config={"mode": "lookup"})
    pipeline.initialize()
    return pipeline


def _prepare_imports() -> None:
    """Replace the modules that need BLEURT and a key."""
    stubs: dict[str, dict[str, Any]] = {
        "bleurt": {},
        "bleurt.score": {"BleurtScorer": lambda checkpoint: None},
        "fanoutqa.eval.llm": {"OPENAI_API_KEY": "", "get_llm_factuality": None},
    }
    if find_spec("markdownify") is None:
        stubs["markdownify"] = {"MarkdownConverter": object}
    for name, contents in stubs.items():
        module = ModuleType(name)
        vars(module).update(contents)
        sys.modules[name] = module
