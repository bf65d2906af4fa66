"""The cost of judging: tokens counted before a run, prices by model, and the resulting sum. Nothing is fetched."""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Final

MILLION: Final = 1_000_000
PRICES_DATE: Final = "November 2026"
REPLY_TOKENS: Final = 350
"""Tokens of a reply, assumed until a site has replies of its own to average. Step-by-step reasoning about a list of a
few items and two letters take between 150 and 500."""


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input_usd: Decimal
    output_usd: Decimal

    def of(self, tokens_in: int, tokens_out: int) -> Decimal:
        """US dollars for the given numbers of prompt and reply tokens, not rounded.

        >>> Price(Decimal("2.5"), Decimal(10)).of(600, 300)
        Decimal('0.0045')
        """
        return (self.input_usd * tokens_in + self.output_usd * tokens_out) / MILLION


def _price(input_usd: str, output_usd: str) -> Price:
    return Price(Decimal(input_usd), Decimal(output_usd))


PRICES: Final[dict[str, Price]] = {
    "gpt-4o-2024-11-20": _price("2.50", "10"),
    "gpt-4o-2024-08-06": _price("2.50", "10"),
    "gpt-4o-2024-05-13": _price("5", "15"),
    "gpt-4o": _price("2.50", "10"),
    "gpt-4o-mini": _price("0.15", "0.60"),
    "gpt-4o-mini-2024-07-18": _price("0.15", "0.60"),
    "gpt-4.1": _price("2", "8"),
    "gpt-4.1-2025-04-14": _price("2", "8"),
    "gpt-4.1-mini": _price("0.40", "1.60"),
    "gpt-4.1-mini-2025-04-14": _price("0.40", "1.60"),
    "gpt-4.1-nano": _price("0.10", "0.40"),
    "gpt-4.1-nano-2025-04-14": _price("0.10", "0.40"),
    "gpt-4-turbo-2024-04-09": _price("10", "30"),
    "gpt-4-0613": _price("30", "60"),
}
"""Prices of models that have judged or may: OpenAI's price list of `PRICES_DATE`,
https://developers.openai.com/api/docs/pricing. A site can set its own."""


def price_of(model: str, own: Mapping[str, Price] | None = None) -> Price | None:
    """The price of a model, or ``None`` if it is not known; callers must not assume a price then.

    Args:
        own: Prices set by the site, which override `PRICES`.
    """
    return (own or {}).get(model) or PRICES.get(model)


def parse_prices(text: str) -> dict[str, Price]:
    """Parse the setting of prices: ``model=input/output``, separated by commas, in US dollars per million tokens.

    Raises:
        ValueError: If the format is wrong, or a price is negative.

    >>> parse_prices("llama-3.3-70b=0.6/0.8, local=0/0")["local"]
    Price(input_usd=Decimal('0'), output_usd=Decimal('0'))
    """
    prices = {}
    for entry in filter(None, map(str.strip, text.split(","))):
        model, _, amounts = entry.rpartition("=")
        parts = amounts.split("/")
        try:
            numbers = [Decimal(part.strip()) for part in parts]
        except ArithmeticError:
            numbers = []
        if not model or len(numbers) != 2 or not all(number.is_finite() and number >= 0 for number in numbers):
            raise ValueError(f"{entry!r}: expected model=input/output in US dollars per million tokens")
        prices[model.strip()] = Price(*numbers)
    return prices


# --- Tokens ----------------------------------------------------------------------------------------------------------

_ENCODINGS = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
"""SHA-256 of the merge files, from ``tiktoken`` 0.14.0."""
_ENCODING_OF = (
    (("gpt-4o", "chatgpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "o1", "o3", "o4"), "o200k_base"),
    (("gpt-4", "gpt-3.5"), "cl100k_base"),
)
_ENCODING_ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"

_LINE_ENDS: Final = re.compile(r"(?<=\n)(?=[^\s/])")
"""Places in a text that no token of these encodings spans: a line break is the last of its token, but for a slash."""
TOKENS_PER_MESSAGE: Final = 3
TOKENS_OF_PRIMING: Final = 3
"""The tokens that the chat format adds to the texts; OpenAI's cookbook, "How to count tokens with tiktoken"."""
CHARACTERS_PER_TOKEN: Final = 4
"""The rule of thumb for English (OpenAI's help centre); a character outside ASCII counts as one token."""


@dataclass(frozen=True)
class TokenCounter:
    """Counts tokens, and names the method."""

    method: str
    """``tiktoken o200k_base``, or ``characters`` for an approximation."""
    exact: bool
    count: Callable[[str], int]

    def of_messages(self, messages: Iterable[Mapping[str, str]]) -> int:
        """Tokens of a conversation as sent."""
        return TOKENS_OF_PRIMING + sum(TOKENS_PER_MESSAGE + self.count(message["content"]) for message in messages)


def by_characters(text: str) -> int:
    """The approximate number of tokens of a text, without a tokenizer; rather too high than too low.

    >>> by_characters("The capital of Norway"), by_characters("北京")
    (6, 2)
    """
    ascii_characters = len(text.encode("ascii", "ignore"))
    return -(-ascii_characters // CHARACTERS_PER_TOKEN) + len(text) - ascii_characters


BY_CHARACTERS: Final = TokenCounter(method="characters", exact=False, count=by_characters)


def token_counter(model: str) -> TokenCounter:
    """The best counter for a model that is available on this machine.

    This is ``tiktoken`` if it is installed *and* the model's encoding is complete in tiktoken's cache directory
    (``TIKTOKEN_CACHE_DIR``). Otherwise tiktoken would download it, which must not happen here, and characters are
    counted.
    """
    name = next((name for prefixes, name in _ENCODING_OF if model.startswith(prefixes)), None)
    directory = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if name is None or directory == "":
        return BY_CHARACTERS  # tiktoken reads an empty directory as "no cache", and downloads
    folder = Path(directory) if directory is not None else Path(tempfile.gettempdir()) / "data-gym-cache"
    address = _ENCODING_ADDRESS.format(name=name)
    try:
        content = (folder / hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()).read_bytes()
        if hashlib.sha256(content).hexdigest() != _ENCODINGS[name]:
            return BY_CHARACTERS
        encoding = importlib.import_module("tiktoken").get_encoding(name)
    except (OSError, ImportError):
        return BY_CHARACTERS

    @lru_cache(maxsize=10_000)
    def of_line(line: str) -> int:
        return len(encoding.encode_ordinary(line))

    def count(text: str) -> int:
        # Line by line, because all criteria of a report are asked about with the same long report.
        return sum(map(of_line, _LINE_ENDS.split(text)))

    return TokenCounter(method=f"tiktoken {name}", exact=True, count=count)


# --- Before a run ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimate:
    """The cost of some verdicts, estimated before asking."""

    n_calls: int
    tokens_in: int
    tokens_out: int
    """Assumed: ``n_calls`` times the mean length of a reply."""
    usd: Decimal | None
    """``None`` if the model's price is not known."""
    method: str
    """The method of counting tokens, see `TokenCounter.method`."""
    is_most: bool = False
    """Whether the verdicts decide how many of the requests are made."""

    def __add__(self, other: Estimate) -> Estimate:
        """Both together, of one model and method."""
        return Estimate(
            self.n_calls + other.n_calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            None if self.usd is None or other.usd is None else self.usd + other.usd,
            self.method,
            self.is_most or other.is_most,
        )

    @property
    def in_words(self) -> str:
        """Requests, tokens and dollars.

        >>> Estimate(25, 175_000, 5_000, Decimal("0.4875"), "characters").in_words
        '25 requests of about 180,000 tokens (counted by characters), 0.49 USD'
        >>> Estimate(1, 90, 10, None, "tiktoken", is_most=True).in_words
        'at most 1 request of about 100 tokens, price unknown (verdicts decide how many)'
        """
        most = "at most " if self.is_most else ""
        tokens = f"{self.tokens_in + self.tokens_out:,} tokens"
        counted = "" if self.method.startswith("tiktoken") else f" (counted by {self.method})"
        usd = "price unknown" if self.usd is None else f"{self.usd:.2f} USD"
        decided = " (verdicts decide how many)" if self.is_most else ""
        requests = f"{self.n_calls:,} request{'' if self.n_calls == 1 else 's'}"
        return f"{most}{requests} of about {tokens}{counted}, {usd}{decided}"


def estimate(
    prompts: Iterable[Iterable[Mapping[str, str]]],
    *,
    counter: TokenCounter,
    price: Price | None,
    reply_tokens: int = REPLY_TOKENS,
    is_most: bool = False,
) -> Estimate:
    """Estimate the cost of one verdict on each of some conversations.

    Args:
        prompts: The conversations as they will be sent.
        reply_tokens: The assumed length of a reply.
        is_most: Whether the verdicts decide how many of the requests are made.
    """
    counts = [counter.of_messages(messages) for messages in prompts]
    tokens_in, tokens_out = sum(counts), len(counts) * reply_tokens
    usd = None if price is None else price.of(tokens_in, tokens_out)
    return Estimate(len(counts), tokens_in, tokens_out, usd, counter.method, is_most)
