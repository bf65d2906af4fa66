"""``manage.py build_encyclopedia [BENCHMARK]``: build a small encyclopedia from a benchmark's published questions."""

import contextlib
import os
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from humaneval.encyclopedia.base import EncyclopediaNotConfiguredError
from humaneval.encyclopedia.demo_articles import build_stand_ins
from humaneval.encyclopedia.sources.urls import encyclopedia_at
from scoring.benchmarks import definitions
from scoring.benchmarks.base import SourceError

FILE = "encyclopedia.zim"


class Command(BaseCommand):
    """Make the ZIM file for the participants of the demo, and for trying the reader without Wikipedia."""

    help = (
        "Build a small encyclopedia (a ZIM file) from a benchmark's published questions: one article for "
        "each page that a sub-question cites, with the facts from these sub-questions. Downloads nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        able = sorted(slug for slug, definition in definitions().items() if definition.importer.demo_articles)
        parser.add_argument("benchmark", nargs="?", choices=able, default=able[0] if len(able) == 1 else None)
        parser.add_argument(
            "--out", type=Path, metavar="FILE", help=f"output file (default: {FILE} in the data directory)"
        )
        parser.add_argument("--if-missing", action="store_true", help="do nothing if the output file exists")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["benchmark"] is None:
            raise CommandError("Name the benchmark whose questions the articles are built from.")
        file = (options["out"] or settings.DATA_DIR / FILE).resolve()
        try:
            known = options["if_missing"] and encyclopedia_at(f"zim:{file}")
        except EncyclopediaNotConfiguredError:
            known = None
        if not known:
            begin = time.perf_counter()
            try:
                with _quiet():
                    n_articles = build_stand_ins(file, definitions()[options["benchmark"]])
            except (OSError, RuntimeError, ValueError, SourceError) as error:
                raise CommandError(f"The encyclopedia was not built: {error}") from error
            seconds = time.perf_counter() - begin
            if options["verbosity"]:
                self.stdout.write(
                    f"{file}: {n_articles:,} articles, {file.stat().st_size / 2**20:.1f} MiB, built in {seconds:.1f} s."
                )
        if options["verbosity"]:
            self.stdout.write(f"To use it in studies, set ENCYCLOPEDIA=zim:{file}")


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Suppress libzim's own output on the standard output of the process."""
    sys.stdout.flush()
    stdout_copy = os.dup(1)
    try:
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - a device
            os.dup2(nowhere.fileno(), 1)
        yield
    finally:
        os.dup2(stdout_copy, 1)
        os.close(stdout_copy)
