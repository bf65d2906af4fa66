"""Questions that a benchmark publishes encrypted, so that no crawler reads them by chance.

Whoever decrypts them keeps the authors' rule: no question or answer in plain text on a public page, and the canary in
every file derived from theirs.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from hashlib import sha256
from itertools import cycle


def decrypt(ciphertext: str, password: str) -> str:
    """A text of BrowseComp in plain: base64 of its UTF-8 bytes XOR the SHA-256 of the password, repeated.

    Wei et al. (2025), https://arxiv.org/abs/2504.12516.

    Raises:
        ValueError: If it is no base64, or the password does not give a text; without any part of either.

    >>> decrypt("rnOXoQ==", "canary")
    'Oslo'
    """
    try:
        encrypted = b64decode(ciphertext, validate=True)
    except Error:
        raise ValueError("The text is not encoded in base64: is it encrypted?") from None
    key = sha256(password.encode()).digest()
    try:
        return bytes(byte ^ mask for byte, mask in zip(encrypted, cycle(key), strict=False)).decode()
    except UnicodeDecodeError:
        raise ValueError("The password does not decrypt the text: is it the canary of the same row?") from None
