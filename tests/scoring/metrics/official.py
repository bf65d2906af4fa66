"""The official scorer of FanOutQA, run from its package with a spaCy pipeline that is given to it.

Importing ``fanoutqa`` creates a folder in the home directory, and its scorer imports BLEURT and a client of a judge,
which are not installed; neither matters to accuracy and ROUGE. So it is imported with a home of its own and stand-ins
for the two.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from scoring.metrics.text.lemmatizer import ModelLemmatiser

if TYPE_CHECKING:
    from spacy.language import Language

ROUGE_TYPES = ("rouge1", "rouge2", "rougeL")
ROUGE_PARTS = ("precision", "recall", "fscore")


class Token(NamedTuple):
    lemma_: str


@cache
def lookup_pipeline() -> Language:
    """The pipeline that the lemmatiser ``lookup`` has to equal."""
    import spacy  # when it is needed: spaCy imports PyTorch, and every process of the tests collects this module

    pipeline = spacy.blank("en")
    pipeline.add_pipe("lemmatizer", config={"mode": "lookup"})
    pipeline.initialize()
    return pipeline


class GivenPipeline(ModelLemmatiser):
    """The lemmatiser of a model, with a pipeline in place of spaCy's model."""

    def __init__(self, pipeline: Language, name: str = "lookup-pipeline") -> None:
        super().__init__()
        self.pipeline = pipeline
        self.name = name

    def signature_parts(self) -> tuple[str, ...]:
        return (f"lemma:{self.name}",)

    def _load(self) -> None:
        """Nothing to load."""


@lru_cache(maxsize=20_000)
def lemmas(text: str) -> tuple[Token, ...]:
    """What that pipeline says of a text, remembered since the official code asks again and again."""
    return tuple(Token(token.lemma_) for token in lookup_pipeline()(text))


@cache
def modules() -> SimpleNamespace:
    """The official modules: ``norm``, ``string``, ``utils``, ``scorer``."""
    stubs = {name: ModuleType(name) for name in ("bleurt", "bleurt.score", "fanoutqa.eval.llm")}
    stubs["bleurt.score"].BleurtScorer = lambda checkpoint: None  # type: ignore[attr-defined]
    stubs["fanoutqa.eval.llm"].OPENAI_API_KEY = ""  # type: ignore[attr-defined]
    stubs["fanoutqa.eval.llm"].get_llm_factuality = None  # type: ignore[attr-defined]
    before = {name: sys.modules.get(name) for name in stubs}
    home = os.environ.get("HOME")
    with tempfile.TemporaryDirectory() as elsewhere:
        os.environ["HOME"] = elsewhere
        sys.modules.update(stubs)
        try:
            norm = importlib.import_module("fanoutqa.norm")
            scorer = importlib.import_module("fanoutqa.eval.scorer")
            string = importlib.import_module("fanoutqa.eval.string")
            utils = importlib.import_module("fanoutqa.eval.utils")
        finally:
            for name, module in before.items():
                if module is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = module
            if home is None:
                del os.environ["HOME"]
            else:
                os.environ["HOME"] = home
    return SimpleNamespace(norm=norm, scorer=scorer, string=string, utils=utils)


def use_pipeline(pipeline: Callable[[str], Any]) -> SimpleNamespace:
    """The official modules with that pipeline for lemmas."""
    official = modules()
    official.norm.nlp = pipeline
    return official


def scorer(
    references: Sequence[Any], generations: Sequence[str | None], pipeline: Callable[[str], Any] = lemmas
) -> Any:
    """The official ``Scorer`` of these answers; ``None`` is no answer."""
    official = use_pipeline(pipeline)
    questions = [SimpleNamespace(id=str(index), answer=answer) for index, answer in enumerate(references)]
    answers = [{"id": str(index), "answer": answer} for index, answer in enumerate(generations) if answer is not None]
    return official.scorer.Scorer(questions, answers)


def accuracy(
    references: Sequence[Any], generations: Sequence[str | None], pipeline: Callable[[str], Any] = lemmas
) -> dict[str, tuple[float, list[float]]]:
    """Name of each score to its value and those of the questions, as the official scorer gives them."""
    total, single = scorer(references, generations, pipeline).score_accuracy()
    loose = list(single.values())
    # The official per-question output has no strict score; a question is strict when its share is whole.
    return {"loose": (total.loose, loose), "strict": (total.strict, [float(value == 1) for value in loose])}


def rouge(references: Sequence[Any], generations: Sequence[str | None]) -> dict[str, tuple[float, list[float]]]:
    """The same for ROUGE."""
    total, single = scorer(references, generations).score_rouge()
    return {
        f"{kind}.{part}": (
            getattr(getattr(total, kind), part),
            [getattr(getattr(one, kind), part) for one in single.values()],
        )
        for kind in ROUGE_TYPES
        for part in ROUGE_PARTS
    }


def packaged_dev_questions() -> list[dict[str, Any]]:
    """The dev questions of November 2023, from the installed package's files without importing it."""
    for file in metadata.files("fanoutqa") or ():
        if file.name == "fanout-final-dev.json":
            questions: list[dict[str, Any]] = json.loads(Path(file.locate()).read_text(encoding="utf-8"))
            return questions
    raise AssertionError("the installed fanoutqa has no dev questions")
