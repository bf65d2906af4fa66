"""What ``import manyhop`` and its commands load."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import manyhop

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"numpy", "httpx", "msgspec", "django", "ftfy", "regex", "asyncio", "argparse"}
UNKNOWN_ON_WINDOWS = {"fcntl", "pwd", "grp", "resource", "termios"}
PLAIN = (
    "manyhop.client, manyhop.frames, manyhop.cli.submitting, manyhop.cli.reading, manyhop.cli.accounts, "
    "manyhop.cli.importing, scoring.cli.score, scoring.cli.check, scoring.metrics, "
    "scoring.statistics, scoring.benchmarks, scoring.task_types, scoring.generations.reader, "
    "scoring.logs.reading, manyhop.tasks.questions, manyhop.tasks.prompts, manyhop.tasks.scoring, manyhop.lm_eval"
)


def loaded_by(code: str) -> set[str]:
    """The top-level modules that some code loads in a new process, besides those of the interpreter's start."""
    after = "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    text = f"import sys\nbefore = set(sys.modules)\n{code}\n{after}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("DJANGO", "COV"))}
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert not loaded_by("import manyhop") & HEAVY


def test_no_plain_module_needs_the_site_or_another_system() -> None:
    loaded = loaded_by(f"import {PLAIN}")
    assert {"numpy", "httpx", "msgspec"} <= loaded
    assert not loaded & {"django", "celery", "leaderboard", "humaneval", "spacy", "nltk", "fanoutqa", "openai", "torch"}
    assert not loaded & {"inspect_ai", "lm_eval", "rank_bm25", "markdownify"}
    # As on Windows: whoever imports one of these fails. asyncio does so by itself on this system alone.
    missing = f"import asyncio\nsys.modules |= dict.fromkeys({UNKNOWN_ON_WINDOWS!r})"
    assert "manyhop" in loaded_by(f"{missing}\nimport {PLAIN}")


@pytest.mark.parametrize("name", sorted(set(manyhop.__all__)))
def test_every_name_is_there(name: str) -> None:
    assert getattr(manyhop, name) is not None
    assert name in dir(manyhop)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="no attribute 'clinet'"):
        manyhop.clinet  # noqa: B018
