"""Takes out of a page, file or mail what differs by chance: a short word or number may occur in that as well."""

import re

UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME = re.compile(r"\d\d:\d\d:\d\d(?:\.\d+)?")
_TOKEN = re.compile(r'(?<=name="csrfmiddlewaretoken" value=")\w+|(?<=\.)[\w-]{43}(?=/)')
"""The token of a form, or the signature at the end of an address in a mail."""


def without_times(text: str) -> str:
    """A text without times of day that have seconds; dates stay."""
    return _TIME.sub("", text)


def without_ids(text: str) -> str:
    """A text without UUIDs, tokens of forms and signatures of addresses."""
    return _TOKEN.sub("", UUID.sub("", text))
