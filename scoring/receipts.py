"""Receipts: signed statements of a site about its scores, which anybody can verify without the site.

A receipt is a JSON object. Its ``statement`` names the files that were scored (their SHA-256, and one hash over the
hashes of all their answers) and the results, with every score's signature. ``signature`` is the site's Ed25519
signature (RFC 8032) of the statement's canonical JSON: keys sorted, no white space, UTF-8. ``answers`` contains, for
the answers' owner only, the SHA-256 of each answer by question. It can be left out and the receipt remains valid; the
hash of a short answer reveals the answer to anybody who tries all likely ones.

Scores of a hidden split are rounded, and each has a ``commitment``: the SHA-256 of its exact value with a random salt.
The site stores the salts. Its maintainers can open the commitments later (`wrong_openings`), and nobody can compute a
value from a commitment.

Plain Python: no Django.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

FORMAT: Final = "manyhop-receipt/1"
KEY_BYTES: Final = 32


class ReceiptError(ValueError):
    """The input is not a receipt, or not a key; the message says what was found."""


def canonical(value: object) -> bytes:
    """The canonical form of a JSON value that is signed and hashed.

    >>> canonical({"b": 0.1, "a": ["é", None]})
    b'{"a":["\\xc3\\xa9",null],"b":0.1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def answer_hash(text: str) -> str:
    """The SHA-256 (hexadecimal) of an answer as it was sent, in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def answers_root(hashes: Mapping[str, str]) -> str:
    """One SHA-256 over the hashes of all answers of a file, by question."""
    return hashlib.sha256(canonical(dict(hashes))).hexdigest()


# --- Commitments ---------------------------------------------------------------------------------------------------


def opening_of(setting: str, name: str, signature: str, value: float, salt: str) -> dict[str, Any]:
    """The data that opens a commitment to the exact value of a score."""
    return {"setting": setting, "name": name, "signature": signature, "value": value, "salt": salt}


def commitment(opening: Mapping[str, Any]) -> str:
    """The SHA-256 (hexadecimal) of an opening's canonical JSON."""
    return hashlib.sha256(canonical(dict(opening))).hexdigest()


def wrong_openings(receipt: Mapping[str, Any], openings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The scores whose exact value differs from the commitment in the receipt's statement, or is not opened.

    Args:
        openings: as returned by `opening_of`.
    """
    names = ("setting", "name", "signature")
    opened = {tuple(opening.get(name) for name in names): commitment(opening) for opening in openings}
    return [
        f"{score.get('setting')} {score.get('name')}"
        for score in receipt["statement"]["scores"]
        if "commitment" in score and opened.get(tuple(score.get(name) for name in names)) != score["commitment"]
    ]


# --- Keys ----------------------------------------------------------------------------------------------------------


def key_from_text(text: str) -> Ed25519PrivateKey:
    """A private key from 32 bytes in base64.

    Raises:
        ReceiptError: the value is not such a key.
    """
    return Ed25519PrivateKey.from_private_bytes(_decoded(text, "a key"))


def key_from_secret(secret: str) -> Ed25519PrivateKey:
    """A private key derived from a long secret (HKDF-SHA256, RFC 5869): the same secret gives the same key."""
    derived = HKDF(SHA256(), KEY_BYTES, salt=None, info=b"manyhop receipts 1").derive(secret.encode())
    return Ed25519PrivateKey.from_private_bytes(derived)


def public_text(key: Ed25519PrivateKey) -> str:
    """The public key of a private one, as base64 of its 32 bytes."""
    return base64.b64encode(key.public_key().public_bytes_raw()).decode()


def fingerprint(public: str) -> str:
    """The first 16 hexadecimal digits of a public key's SHA-256.

    Raises:
        ReceiptError: the value is not a public key.
    """
    return hashlib.sha256(_decoded(public, "a public key")).hexdigest()[:16]


def _decoded(text: str, what: str) -> bytes:
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise ReceiptError(f"{what} is not valid base64") from error
    if len(content) != KEY_BYTES:
        raise ReceiptError(f"{what} must have {KEY_BYTES} bytes, but has {len(content)}")
    return content


# --- Signing and checking ------------------------------------------------------------------------------------------


def sign(key: Ed25519PrivateKey, statement: Mapping[str, Any]) -> str:
    """The signature of a statement, as base64."""
    return base64.b64encode(key.sign(canonical(statement))).decode()


def read(text: str | bytes) -> dict[str, Any]:
    """Parse a receipt from its JSON, and check that it has the required parts.

    Raises:
        ReceiptError: it is not a receipt; the message says why.
    """
    try:
        receipt = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReceiptError("the file is not JSON") from error
    statement = receipt.get("statement") if isinstance(receipt, dict) else None
    if not isinstance(statement, dict) or statement.get("format") != FORMAT:
        raise ReceiptError(f"the file has no statement in the format {FORMAT}")
    for name in ("signature", "public_key"):
        if not isinstance(receipt.get(name), str):
            raise ReceiptError(f"the receipt has no {name}")
    files, answers = statement.get("files"), receipt.get("answers", {})
    names = ("setting", "sha256", "answers_sha256")
    if not isinstance(files, list) or not all(
        isinstance(file, dict) and all(isinstance(file.get(name), str) for name in names) for file in files
    ):
        raise ReceiptError("the receipt's statement names no files")
    if not isinstance(statement.get("scores"), list) or not isinstance(answers, dict):
        raise ReceiptError("the receipt's statement has no scores")
    if not all(isinstance(part, dict) for part in [*statement["scores"], *answers.values()]):
        raise ReceiptError("the receipt's scores or answers have the wrong form")
    return dict(receipt)


def signature_holds(receipt: Mapping[str, Any]) -> bool:
    """Whether the statement was signed by the public key in the receipt.

    The owner of that key must be checked against the site's list of keys.
    """
    try:
        public = Ed25519PublicKey.from_public_bytes(_decoded(receipt["public_key"], "a public key"))
        public.verify(base64.b64decode(receipt["signature"], validate=True), canonical(receipt["statement"]))
    except (InvalidSignature, ReceiptError, ValueError):
        return False
    return True


def wrong_answers(receipt: Mapping[str, Any]) -> list[str]:
    """The settings whose list of answers does not match the statement."""
    roots = {file["setting"]: file["answers_sha256"] for file in receipt["statement"]["files"]}
    return [
        setting for setting, hashes in receipt.get("answers", {}).items() if answers_root(hashes) != roots.get(setting)
    ]
