"""``python -m scoring``: score a file (`scoring.cli.score`), or ``check`` one (`scoring.cli.check`)."""

import sys
from collections.abc import Sequence

from scoring.cli import run


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, or with those of the process; returns the exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["check"]:
        return run("check", arguments[1:], "python -m scoring check")
    return run("score", arguments, "python -m scoring")


if __name__ == "__main__":
    sys.exit(main())
