"""Run benches: ``python -m tests.bench [NAME …] [--list] [--full | --short]``.

Exit codes: 0 all bars cleared and all results equal; 1 otherwise, and if a bench failed; 2 no such bench.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from collections.abc import Sequence

import tests.bench
from tests.bench import registry
from tests.bench.registry import BENCHES, table


def main(arguments: Sequence[str] | None = None) -> int:
    for module in pkgutil.iter_modules(tests.bench.__path__, "tests.bench."):
        if module.name.startswith("tests.bench.bench_"):
            try:
                importlib.import_module(module.name)
            except ModuleNotFoundError as error:
                print(f"left out {module.name}: {error.name} is not installed", file=sys.stderr)
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure, beside what is replaced.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="benches to run, or beginnings of their names (all)")
    parser.add_argument("--list", action="store_true", help="name the benches and end")
    sizes = parser.add_mutually_exclusive_group()
    sizes.add_argument("--full", action="store_true", help="also run what takes minutes or gigabytes")
    sizes.add_argument("--short", action="store_true", help="run in a small size, without bars: does each bench work?")
    options = parser.parse_args(arguments)
    chosen = [name for name in BENCHES if not options.names or name.startswith(tuple(options.names))]
    if options.list:
        print("\n".join(chosen))
        return 0
    if not chosen:
        print(f"no such bench; there are {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    reports = []
    for name in chosen:
        print(f"running {name} ...", file=sys.stderr, flush=True)
        reports.append(registry.run(name, full=options.full, short=options.short))
    print(table(reports))
    missed = [f"{report.name}: {row.what}" for report in reports for row in report.rows if row.passed is False]
    mismatches = sum(len(report.mismatches) for report in reports)
    n_bars = sum(row.passed is not None for report in reports for row in report.rows)
    print(f"\n{n_bars - len(missed)} of {n_bars} bars cleared, {mismatches} mismatches")
    for miss in missed:
        print(f"missed: {miss}")
    failed = [report.name for report in reports if report.error]
    for name in failed:
        print(f"failed: {name}")
    return 1 if missed or mismatches or failed else 0


if __name__ == "__main__":
    sys.exit(main())
