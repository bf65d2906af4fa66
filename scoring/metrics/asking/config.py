"""The settings ``JUDGE_…`` of a site, validated and parsed."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Final

from scoring.metrics.asking.cost import Price, parse_prices, price_of
from scoring.metrics.asking.endpoint import OPENAI_BASE_URL, EndpointSettings
from scoring.metrics.asking.items import JudgeSettings, checked_model
from scoring.metrics.asking.pool import PoolSettings
from scoring.metrics.base import Site

NO_JUDGE: Final = (
    "No judge is configured on this site. Judging starts once a maintainer sets JUDGE_API_KEY (for "
    "OpenAI), or JUDGE_BASE_URL and, if the endpoint requires a key, JUDGE_API_KEY (for any other "
    "endpoint with a compatible API)."
)


@dataclass(frozen=True)
class JudgeConfig:
    """The complete configuration of a judge run."""

    endpoint: EndpointSettings
    judge: JudgeSettings
    pool: PoolSettings
    price: Price | None
    submission_cap: Decimal | None
    """US dollars; ``None`` for no cap. Likewise the next."""
    monthly_cap: Decimal | None
    retry_seconds: float

    @property
    def must_have_a_price(self) -> bool:
        """Whether the caps require a known price. A private machine costs nothing."""
        return (self.submission_cap is not None or self.monthly_cap is not None) and not is_own_network(
            self.endpoint.host
        )


def judge_config(site: Site, judge: JudgeSettings) -> JudgeConfig:
    """The configuration of the runs of a judge, whose settings `JudgeMetric.on_site` has read.

    Raises:
        ValueError: A setting is invalid; the message names it, and contains no key.
    """
    return JudgeConfig(
        endpoint=_endpoint(site),
        judge=judge,
        pool=PoolSettings(
            concurrency=int(_positive(site, "JUDGE_CONCURRENCY")),
            requests_per_minute=_not_negative(site, "JUDGE_RPM"),
            tokens_per_minute=_not_negative(site, "JUDGE_TPM"),
            max_asks=int(_positive(site, "JUDGE_MAX_ASKS")),
        ),
        price=price_of(judge.model, _prices(site)),
        submission_cap=_cap(site, "JUDGE_SUBMISSION_CAP_USD"),
        monthly_cap=_cap(site, "JUDGE_MONTHLY_CAP_USD"),
        retry_seconds=_positive(site, "JUDGE_RETRY_SECONDS"),
    )


def judge_unavailable(site: Site, model_setting: str) -> str:
    """Why nothing can be judged on a site now by the model that a setting names; empty if it can."""
    if not site.JUDGE_API_KEY and not site.JUDGE_BASE_URL:
        return NO_JUDGE
    try:
        judge_config(site, _judge(site, model_setting))
    except ValueError as error:
        return f"The judge is not configured correctly. {error}"
    return ""


def judge_problems(site: Site) -> list[str]:
    """Every problem of the settings for which no judge could be built, in a sentence that names it."""
    above_zero = ("JUDGE_TIMEOUT_SECONDS", "JUDGE_CONCURRENCY", "JUDGE_MAX_ASKS", "JUDGE_RETRY_SECONDS")
    parts: tuple[Callable[[], object], ...] = (
        partial(_endpoint, site),
        *(partial(_judge, site, name) for name in ("JUDGE_MODEL", "JUDGE_LIST_MODEL")),
        partial(_prices, site),
        *(partial(_positive, site, name) for name in above_zero),
        *(partial(_not_negative, site, name) for name in ("JUDGE_MAX_REPLY_TOKENS", "JUDGE_RPM", "JUDGE_TPM")),
        partial(_not_negative, site, "JUDGE_GIVE_UP_SECONDS"),
        *(partial(_cap, site, name) for name in ("JUDGE_SUBMISSION_CAP_USD", "JUDGE_MONTHLY_CAP_USD")),
    )
    problems = []
    for part in parts:
        try:
            part()
        except ValueError as error:
            problems.append(str(error))
    return list(dict.fromkeys(problems))


def is_own_network(host: str) -> bool:
    """Whether a host is this machine or one of a private network."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal")) or "." not in host
    return address.is_private


def _endpoint(site: Site) -> EndpointSettings:
    try:
        return EndpointSettings(
            base_url=site.JUDGE_BASE_URL or OPENAI_BASE_URL,
            api_key=site.JUDGE_API_KEY,
            timeout_seconds=_positive(site, "JUDGE_TIMEOUT_SECONDS"),
            max_reply_tokens=_not_negative(site, "JUDGE_MAX_REPLY_TOKENS"),
        )
    except ValueError as error:
        raise ValueError(_named(error, "JUDGE_BASE_URL")) from None


def _judge(site: Site, model_setting: str) -> JudgeSettings:
    try:
        return JudgeSettings(checked_model(getattr(site, model_setting)))
    except ValueError as error:
        raise ValueError(_named(error, model_setting)) from None


def _prices(site: Site) -> dict[str, Price]:
    try:
        return parse_prices(site.JUDGE_PRICES)
    except ValueError as error:
        raise ValueError(_named(error, "JUDGE_PRICES")) from None


def _named(error: ValueError, name: str) -> str:
    text = str(error)
    return text if text.startswith("JUDGE_") else f"{name}: {text}."


def _positive(site: Site, name: str) -> float:
    value: float = getattr(site, name)
    if not 0 < value < float("inf"):
        raise ValueError(f"{name} is {value}; it must be a number above 0.")
    return value


def _not_negative(site: Site, name: str) -> int:
    value: int = getattr(site, name)
    if value < 0:
        raise ValueError(f"{name} is {value}; it must be 0 or more.")
    return value


def _cap(site: Site, name: str) -> Decimal | None:
    text: str = getattr(site, name).strip()
    if not text:
        return None
    try:
        cap = Decimal(text)
    except InvalidOperation:
        cap = Decimal(-1)
    if not cap.is_finite() or cap < 0:
        raise ValueError(f"{name} is {text!r}; it must be an amount in US dollars, or empty for no cap.")
    return cap
