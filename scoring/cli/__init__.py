"""The commands that need no database: ``score`` and ``check`` files of answers.

This package does not import Django.
"""

from collections.abc import Sequence
from importlib import import_module

COMMANDS = {
    "score": "Score answers against reference answers, with the metrics of the leaderboards.",
    "check": "Check a file of answers with the rules of the site.",
}


def run(command: str, arguments: Sequence[str], program: str) -> int:
    """Run one of the commands, named `program` in its messages; returns the exit code.

    Only its own module is imported: checking needs the benchmarks, which scoring does not.
    """
    status: int = import_module(f"scoring.cli.{command}").main(arguments, program)
    return status
