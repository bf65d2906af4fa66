"""The command ``manyhop``.

Text or, with ``--json``, the API's answer goes to standard output, messages go to standard error, and an exit code is
returned. Each command is a module with `parser` and `run`, imported when it is used; ``score`` and ``check`` are those
of `scoring.cli`, and ``site`` runs the commands of the site.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from scoring import cli as scoring_cli

DONE, WARNED, REFUSED, UNREACHABLE, INTERRUPTED = 0, 1, 2, 3, 130
COMMANDS = {
    "login": ("accounts", "Store an API token for a site."),
    "logout": ("accounts", "Delete the stored token of a site."),
    "benchmarks": ("reading", "List the benchmarks of a site, or show one."),
    "questions": ("reading", "Write the questions of a split as JSON Lines."),
    "board": ("reading", "Show a leaderboard."),
    "compare": ("reading", "Compare systems: differences, intervals and paired tests."),
    "croissant": ("reading", "Write the description of a benchmark in Croissant."),
    "cite": ("reading", "Write the BibTeX of a leaderboard and its benchmark."),
    "import": ("importing", "Write a framework's log as a generations file."),
    "lm-eval": ("tasks", "Write a benchmark as a task of lm-evaluation-harness."),
    "submit": ("submitting", "Check files, submit them and wait for their scores."),
    "status": ("submitting", "List your submissions, or show one with its scores."),
    "publish": ("submitting", "Publish a submission on its leaderboards."),
    "withdraw": ("submitting", "Withdraw a submission for good."),
    "facts": ("submitting", "Change what a system states of itself."),
    "completion": ("completion", "Write the script that completes these commands in a shell."),
}
"""Commands by name: the module in this folder, and the purpose."""
SITE = "Run a command of the site, such as demo (needs the extra 'site')."
EXAMPLES = """
  manyhop login --site https://manyhop.example
  manyhop check generations.jsonl --benchmark fanoutqa --split test
  manyhop submit openbook=generations.jsonl --benchmark fanoutqa --split test \\
      --name "My system" --authors "A. Author" --type PROMPT
  manyhop board fanoutqa/test/openbook
"""
EXIT_CODES = """
Exit codes: 0 done; 1 done, with warnings or failed metrics; 2 refused, or the input cannot be used; 3 the site cannot
be reached; 130 interrupted. `manyhop COMMAND --help` describes a command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command with these arguments, or with those of the process; returns the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        purposes = scoring_cli.COMMANDS | {name: purpose for name, (_, purpose) in COMMANDS.items()} | {"site": SITE}
        lines = [f"  {name:<11} {purpose}" for name, purpose in purposes.items()]
        print("usage: manyhop COMMAND …", "", *lines, "", "Examples:", EXAMPLES.strip("\n"), EXIT_CODES, sep="\n")
        return DONE if arguments else REFUSED
    command, rest = arguments[0], arguments[1:]
    if command in ("-V", "--version"):
        from manyhop import __version__

        print(f"manyhop {__version__}")
        return DONE
    try:
        if command in scoring_cli.COMMANDS:
            return scoring_cli.run(command, rest, f"manyhop {command}")
        if command == "site":
            if find_spec("django") is None:
                print("manyhop site needs the site's packages: pip install 'manyhop[site]'", file=sys.stderr)
                return REFUSED
            import_module("leaderboard.project.command_line").main("manyhop site", rest)
            return DONE
        if command in COMMANDS:
            from manyhop.cli.running import run  # the client of the API, which the other commands do not need

            return run(command, COMMANDS[command][0], rest)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # `manyhop … | head`
        sys.stderr.close()
        return DONE
    print(f"manyhop: there is no command {command!r}. `manyhop --help` lists the commands.", file=sys.stderr)
    return REFUSED
