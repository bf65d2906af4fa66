"""Check a receipt without the site: ``python -m scoring verify RECEIPT.json [--generations FILE] [--key KEY]``.

Exit codes: 0 everything is valid; 2 something is not, with the reasons.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scoring import receipts
from scoring.benchmarks import definitions
from scoring.generations.reader import Limits, read_generations
from scoring.task_types import TextAnswer, task_type_named

HOLDS, DOES_NOT = 0, 2
MAX_RECEIPT_BYTES = 2**26
MAX_TEXT_BYTES = 2**28
SHOWN = 5
VALID, INVALID = "The receipt is valid.", "Verification failed."
OTHER_FILE = "the file is not the one that was submitted for {}"
CHOOSE = "no submitted file ({}) has exactly these bytes; choose the one to compare with --setting"
SAME_ANSWERS = "The file contains the answers that were submitted for {}; only its bytes differ."
WHOSE_KEY = "To find out whose key this is, see /receipts/keys/ of the site (--key compares it)."
"""The site's own page omits this line, because it compares the key itself."""


def main(arguments: Sequence[str], program: str = "python -m scoring verify") -> int:
    """Run the command with the arguments after ``verify``; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog=program,
        description="Verify a receipt's signature and, with --generations, that the receipt is for this file.",
        epilog="Exit codes: 0 everything is valid; 2 something is not.",
    )
    parser.add_argument("receipt", type=Path, metavar="RECEIPT.json")
    parser.add_argument("--generations", type=Path, metavar="FILE", help="the file that was submitted")
    parser.add_argument("--setting", metavar="NAME", help="the setting of the file, if ambiguous")
    parser.add_argument(
        "--key", metavar="KEY", help="the site's public key or its fingerprint, from /receipts/keys/ of the site"
    )
    parser.add_argument(
        "--openings",
        type=Path,
        metavar="FILE",
        help="the exact values of a hidden split, as manage.py open_receipt writes them for maintainers",
    )
    options = parser.parse_args(arguments)
    try:
        with options.receipt.open("rb") as stream:
            receipt = receipts.read(stream.read(MAX_RECEIPT_BYTES))
        content = options.generations.read_bytes() if options.generations else None
        openings = None
        if options.openings:
            try:
                openings = json.loads(options.openings.read_bytes()[:MAX_RECEIPT_BYTES])
            except ValueError as error:
                raise receipts.ReceiptError(f"{options.openings} is no JSON") from error
            if not isinstance(openings, list) or not all(isinstance(opening, dict) for opening in openings):
                raise receipts.ReceiptError(f"{options.openings} is no list of openings")
    except OSError as error:
        print(f"error: {error.filename}: cannot be read: {error.strerror}", file=sys.stderr)
        return DOES_NOT
    except receipts.ReceiptError as error:
        print(f"error: {options.receipt}: {error}.", file=sys.stderr)
        return DOES_NOT
    said, problems = verify(receipt, content, key=options.key, setting=options.setting)
    if openings is not None:
        wrong = receipts.wrong_openings(receipt, openings)
        problems += [f"the exact value of {name} is not the one that the receipt commits to" for name in wrong]
        said += [
            f"  {opening.get('setting')} {opening.get('name')} = {opening.get('value')!r} exactly"
            for opening in openings
        ]
    for line in said:
        print(line)
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    print(INVALID if problems else VALID)
    return DOES_NOT if problems else HOLDS


def verify(
    receipt: Mapping[str, Any],
    content: bytes | None,
    *,
    key: str | None = None,
    setting: str | None = None,
    max_bytes: int = MAX_TEXT_BYTES,
) -> tuple[list[str], list[str]]:
    """The findings about a receipt: what is valid, and what is not.

    Args:
        receipt: as `scoring.receipts.read` returns it.
        content: the bytes of the generations file that the receipt should cover, if there is one.
        key: the public key, or its fingerprint, that should have signed the receipt.
        setting: the setting of the file; detected where possible if not given.
        max_bytes: the maximum number of bytes read, also after decompression.
    """
    said, problems = [], []
    statement = receipt["statement"]
    try:
        signer = receipts.fingerprint(receipt["public_key"])
    except receipts.ReceiptError as error:
        return [], [f"not a public key: {error}"]
    if receipts.signature_holds(receipt):
        said.append(f"The signature is valid: key {signer}.")
    else:
        problems.append("the signature is not valid: the statement is not the one that was signed")
    if key is None:
        said.append(WHOSE_KEY)
    elif key not in (signer, receipt["public_key"]):
        problems.append(f"the receipt was signed with another key: {signer}")
    problems += [
        f"the list of answers of {name} differs from the statement" for name in receipts.wrong_answers(receipt)
    ]
    said += [
        f"  {score.get('setting')} {score.get('name')} = {score.get('value')}   {score.get('signature')}"
        for score in statement["scores"]
    ]
    if content is not None:
        about, wrong = _compare(receipt, content, setting, max_bytes)
        said += about
        problems += wrong
    return said, problems


def _compare(
    receipt: Mapping[str, Any], content: bytes, setting: str | None, max_bytes: int
) -> tuple[list[str], list[str]]:
    files = {file["setting"]: file for file in receipt["statement"]["files"]}
    sha256 = hashlib.sha256(content).hexdigest()
    if setting is not None and setting not in files:
        return [], [f"the receipt is for {', '.join(files)}, not {setting}"]
    same = [name for name, file in files.items() if file["sha256"] == sha256 and setting in (None, name)]
    if same:
        return [f"The file is the one that was submitted for {same[0]}, byte for byte."], []
    chosen = setting or (next(iter(files)) if len(files) == 1 else None)
    if chosen is None:
        return [], [CHOOSE.format(", ".join(files))]
    known = definitions().get(str(receipt["statement"].get("benchmark")))
    task = task_type_named(known.task_type) if known else TextAnswer()
    report = read_generations(io.BytesIO(content), None, Limits(max_bytes=max_bytes), task.answer_format(None))
    hashes = {qid: receipts.answer_hash(text) for qid, text in report.answers.items()}
    if report.ok and receipts.answers_root(hashes) == files[chosen]["answers_sha256"]:
        return [SAME_ANSWERS.format(chosen)], []
    problems = [OTHER_FILE.format(chosen)]
    receipted = receipt.get("answers", {}).get(chosen)
    if receipted is not None:
        differing = sorted(qid for qid in {*receipted, *hashes} if receipted.get(qid) != hashes.get(qid))
        more = f" and {len(differing) - SHOWN:,} more" if len(differing) > SHOWN else ""
        problems.append(f"{len(differing):,} answers differ: {', '.join(differing[:SHOWN])}{more}")
    return [], problems
