"""Encrypted questions are read with the canary of their row, and a wrong one is told without a part of the text."""

from base64 import b64encode
from hashlib import sha256

import pytest

from scoring.benchmarks.decryption import decrypt


def encrypted(text: str, password: str) -> str:
    """A text as BrowseComp publishes it."""
    data, key = text.encode(), sha256(password.encode()).digest()
    return b64encode(bytes(byte ^ key[place % len(key)] for place, byte in enumerate(data))).decode()


@pytest.mark.parametrize("text", ["", "Ada Berg", "Which bridge is older than the treaty of Åby? " * 3])
def test_a_text_comes_back_whatever_its_length(text: str) -> None:
    assert decrypt(encrypted(text, "made-up canary"), "made-up canary") == text


def test_a_text_that_is_not_encrypted_is_named() -> None:
    with pytest.raises(ValueError, match="base64"):
        decrypt("Who built the bridge?", "made-up canary")


def test_the_canary_of_another_row_is_named_without_the_text() -> None:
    with pytest.raises(ValueError, match="canary of the same row") as error:
        decrypt(encrypted("Ålesund, Tromsø and Bodø", "one"), "another")
    assert error.value.__cause__ is None
