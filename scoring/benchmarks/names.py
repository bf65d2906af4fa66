"""The names that outsiders know: of metrics and scores on subsets, of comparisons of further pairs.

Columns, ``?sort=``, CSV and JSON files, the API and monitoring have one name for what a run stores in several fields.
These names are promised; nothing else makes or reads them.
"""

from typing import Final

ON_SUBSET: Final = "@"
FURTHER_PAIR: Final = "-pair"


def on_subset(name: str, subset: str) -> str:
    """The name of a metric or score on a subset; its own name on the whole split.

    >>> on_subset("list-f1.f1", "extended"), on_subset("list-f1.f1", "")
    ('list-f1.f1@extended', 'list-f1.f1')
    """
    return f"{name}{ON_SUBSET}{subset}" if subset else name


def parts_of(name: str) -> tuple[str, str]:
    """The metric or score in a name, and the slug of the subset.

    >>> parts_of("list-f1@extended"), parts_of("list-f1")
    (('list-f1', 'extended'), ('list-f1', ''))
    """
    before, _, subset = name.rpartition(ON_SUBSET)
    return (before, subset) if before else (name, "")


def of_run(metric: str, subset: str = "", *, counts: bool = True) -> str:
    """The name of a run's metric.

    >>> of_run("list-f1", "extended"), of_run("side-by-side", counts=False)
    ('list-f1@extended', 'side-by-side-pair')
    """
    return on_subset(metric, subset) if counts else f"{metric}{FURTHER_PAIR}"
