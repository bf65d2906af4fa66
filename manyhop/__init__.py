"""Manyhop for researchers: a client of its sites, its metrics, statistics and readers of files, without Django.

A program imports what it needs by name from here: objects of `manyhop.client`, `manyhop.records` and `scoring`. Each
name is imported when it is first used, so that ``import manyhop`` loads neither numpy nor httpx.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manyhop.client import AsyncClient as AsyncClient
    from manyhop.client import Client as Client
    from manyhop.errors import ApiError as ApiError
    from manyhop.errors import ManyhopError as ManyhopError
    from manyhop.errors import NoAnswerError as NoAnswerError
    from manyhop.frames import frame as frame
    from manyhop.frames import table as table
    from scoring.generations.reader import read_generations as read_generations
    from scoring.metrics.list_f1 import ListF1 as ListF1
    from scoring.metrics.rouge import Rouge as Rouge
    from scoring.metrics.string_accuracy import StringAccuracy as StringAccuracy
    from scoring.statistics import holm as holm
    from scoring.statistics import mean_interval as mean_interval
    from scoring.statistics import paired_differences as paired_differences
    from scoring.statistics import rank_sets as rank_sets

    __version__: str

_NAMES = {
    "AsyncClient": "manyhop.client",
    "Client": "manyhop.client",
    "ApiError": "manyhop.errors",
    "ManyhopError": "manyhop.errors",
    "NoAnswerError": "manyhop.errors",
    "frame": "manyhop.frames",
    "table": "manyhop.frames",
    "read_generations": "scoring.generations.reader",
    "ListF1": "scoring.metrics.list_f1",
    "Rouge": "scoring.metrics.rouge",
    "StringAccuracy": "scoring.metrics.string_accuracy",
    "holm": "scoring.statistics",
    "mean_interval": "scoring.statistics",
    "paired_differences": "scoring.statistics",
    "rank_sets": "scoring.statistics",
}
_MODULES = {"metrics": "scoring.metrics", "statistics": "scoring.statistics"}

__all__ = [*_NAMES, *_MODULES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(import_module(_NAMES[name]), name)
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name == "__version__":
        from importlib.metadata import version  # takes longer than all else here

        return version("manyhop")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
