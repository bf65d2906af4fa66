"""A site with a benchmark that is declared in a folder, and what a submitter sends to it."""

from __future__ import annotations

from typing import Any

from leaderboard.publishing.reported_rows import import_reported
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.declared import import_declaration
from scoring.models import Benchmark

SLUG = "capitals"
RIGHT = {
    "test-1": "Accra",
    "test-2": "It is Santiago.",
    "test-3": "Kathmandu",
    "test-4": "Havana",
    "test-5": "Rome",
}


def declare(**changes: str) -> Benchmark:
    """The benchmark of the template, imported with its reported row.

    Args:
        changes: by file name, dots as ``_``: content that replaces the template's.
    """
    files = template(SLUG)
    files |= {name: changes[key].encode() for name in files if (key := name.replace(".", "_")) in changes}
    declaration = read_declaration(files)
    done = import_declaration(declaration)
    import_reported(done.benchmark, declaration.definition.published_results, actor="")
    return done.benchmark


def declare_other(slug: str) -> Benchmark:
    """The same benchmark under another slug, with questions of its own."""
    return import_declaration(read_declaration(template(slug))).benchmark


def form(**fields: Any) -> dict[str, Any]:
    """The form of a submission to the test split."""
    return {
        "benchmark": SLUG,
        "split": "test",
        "name": "Atlas",
        "authors": "A. Author",
        "type": "PROMPT",
        "context_size": "8192",
        **fields,
    }
