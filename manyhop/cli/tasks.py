"""The command ``lm-eval``: a benchmark as a task of lm-evaluation-harness."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from manyhop import lm_eval
from manyhop.cli import DONE, WARNED
from manyhop.cli.reading import PLACE
from manyhop.cli.running import UnusableError, new_parser
from manyhop.tasks import prompts, questions


def parser(command: str) -> argparse.ArgumentParser:
    made = new_parser(
        command,
        "Write a benchmark as a task of lm-evaluation-harness: a YAML file and the questions with their ids, so that\n"
        "manyhop submit takes the samples that lm_eval logs. Printed is the name of the task.",
        "  manyhop lm-eval fanoutqa/dev/closedbook --out tasks\n"
        "  lm_eval --include_path tasks --tasks manyhop_fanoutqa_dev_closedbook --model … \\\n"
        "      --log_samples --output_path logs\n",
    )
    made.add_argument("place", metavar=PLACE, help="the defaults of the benchmark where none is named")
    made.add_argument("--out", required=True, type=Path, metavar="DIR", help="write the files to this folder")
    source = made.add_mutually_exclusive_group()
    source.add_argument(
        "--questions",
        default="",
        metavar="FILE",
        help="in place of a site, a file of questions as the benchmark is published or as `manyhop questions` writes "
        f"it; {questions.PACKAGE} for those in the benchmark's package",
    )
    source.add_argument(
        "--folder", default="", metavar="DIR", help="in place of a site, the folder of a declared benchmark"
    )
    made.add_argument("--date", default="", metavar="YYYY-MM-DD", help="the day of the articles (default: the paper's)")
    made.add_argument(
        "--wikipedia",
        default=prompts.WIKIPEDIA,
        metavar="URL",
        help="the API of the wiki with the articles (default: Wikipedia's)",
    )
    made.add_argument(
        "--passages",
        type=int,
        default=prompts.PASSAGES,
        metavar="N",
        help=f"the passages of the evidence that a model gets at most (default: {prompts.PASSAGES})",
    )
    return made


def run(command: str, options: argparse.Namespace) -> int:
    del command
    place: list[str] = options.place.split("/")
    if len(place) > 3 or not place[0]:
        raise UnusableError(f"{options.place}: expected {PLACE}")
    source = questions.read(
        *place,
        site="" if options.questions or options.folder else options.site,
        questions=options.questions,
        folder=options.folder,
    )
    if source.input == questions.EVIDENCE and not (find_spec("markdownify") and find_spec("rank_bm25")):
        raise UnusableError("Evidence needs further packages: pip install 'manyhop[lm-eval]'")
    date = options.date or prompts.DATES.get(source.benchmark.slug, "")
    name = lm_eval.write(source, options.out, date=date, wikipedia=options.wikipedia, passages=options.passages)
    print(name)
    print(f"{len(source.questions):,} questions are in {options.out}.", file=sys.stderr)
    if source.without_scores:
        print(f"warning: {source.without_scores}", file=sys.stderr)
    return WARNED if source.without_scores else DONE
