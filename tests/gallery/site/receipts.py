"""Sample data of the pages of receipts."""

from types import SimpleNamespace
from typing import Any

from leaderboard.submissions.receipts.views import VerifyForm
from tests.gallery.site.texts import ACCURACY_SIGNATURE, LONG_NAME, NOW, ROUGE_SIGNATURE, SAMPLE_ID

SCORES = [
    {"setting": "openbook", "name": "loose", "value": 0.5801643471778022, "signature": ACCURACY_SIGNATURE},
    {"setting": "openbook", "name": "strict", "value": 0.16160220994475138, "signature": ACCURACY_SIGNATURE},
    {"setting": "openbook", "name": "rouge1.fscore", "value": 0.49350169396550353, "signature": ROUGE_SIGNATURE},
]
SIGNATURES = [ACCURACY_SIGNATURE, ROUGE_SIGNATURE]
SIGNATURE = "q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4mrze8BI0VniQ=="


__all__ = ["VerifyForm", "check", "receipt", "refused"]


def receipt() -> dict[str, Any]:
    """A receipt of a system with a very long name."""
    statement = {
        "system": LONG_NAME,
        "files": [
            {
                "setting": "openbook",
                "filename": "results-openbook-" + "a-very-long-name-" * 8 + ".jsonl",
                "size": 238_332,
                "n_answered": 721,
                "n_questions": 724,
                "sha256": "10344a0b9466f82e6cdeb6cacc072d8227d7f326075004c2c9568e9c196bc023",
                "answers_sha256": "bc341010d41791b605ee347f80cb0ed179166f0369da73d1b5ed2ebef38cbe1f",
            }
        ],
        "scores": SCORES,
    }
    pairs = [
        ("System", LONG_NAME),
        ("Benchmark and split", "benchmark test"),
        ("Received", NOW),
        ("Receipt issued", NOW),
        ("Signed with key", "1f3a5c7e9b0d2f48"),
    ]
    return {
        "receipt": SimpleNamespace(pk=SAMPLE_ID),
        "statement": statement,
        "pairs": pairs,
        "signature": SIGNATURE,
        "signatures": SIGNATURES,
    }


def check(*, holds: bool) -> dict[str, Any]:
    """The page that checks a receipt, after it did."""
    problems = [] if holds else ["the file is not the one that was submitted for openbook", "3 answers differ: a, b, c"]
    lines = ["The signature is valid: key 1f3a5c7e9b0d2f48."]
    return {
        "form": VerifyForm(),
        "result": {"lines": lines, "problems": problems, "scores": SCORES, "signatures": SIGNATURES, "holds": holds},
    }


def refused() -> dict[str, Any]:
    """The same, where what was sent is no receipt."""
    form = VerifyForm({})
    form.add_error("receipt", "This file is not a receipt: the file is not JSON.")
    return {"form": form, "result": {}}
