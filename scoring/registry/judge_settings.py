"""The judge's configuration on this site: the ``JUDGE_…`` settings, validated and parsed; its kind by metric."""

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Literal

from django.conf import settings

from scoring.benchmarks import definition_of
from scoring.metrics.judge.cost import Price, parse_prices, price_of
from scoring.metrics.judge.endpoint import OPENAI_BASE_URL, EndpointSettings
from scoring.metrics.judge.kinds import FACTUALITY, JudgeKind, kind_named
from scoring.metrics.judge.lists import ListJudgeSettings
from scoring.metrics.judge.pairs import ComparisonSettings
from scoring.metrics.judge.pool import PoolSettings
from scoring.metrics.judge.prompt import JudgeSettings

NO_JUDGE = (
    "No judge is configured on this site. Judging starts once a maintainer sets JUDGE_API_KEY (for "
    "OpenAI), or JUDGE_BASE_URL and, if the endpoint requires a key, JUDGE_API_KEY (for any other "
    "endpoint with a compatible API)."
)

Mode = Literal["live", "batch"]


@dataclass(frozen=True)
class JudgeConfig:
    """The complete configuration of a judge run."""

    endpoint: EndpointSettings
    judge: JudgeSettings
    pool: PoolSettings
    mode: Mode
    price: Price | None
    submission_cap: Decimal | None
    """US dollars; ``None`` for no cap. Likewise the next."""
    monthly_cap: Decimal | None
    retry_seconds: float
    batch_poll_seconds: float

    @property
    def must_have_a_price(self) -> bool:
        """Whether the caps require a known price. A private machine costs nothing."""
        return (self.submission_cap is not None or self.monthly_cap is not None) and not is_own_network(
            self.endpoint.host
        )


def judge_kind(benchmark: str, metric: str) -> JudgeKind:
    """The kind of judge of a metric of a benchmark, or of its repetition.

    Raises:
        KeyError: no benchmark has that slug, or no judge that name.
        ValueError: the benchmark lacks the prompts.
    """
    return kind_named(metric, definition_of(benchmark).prompts)


def _model_setting(kind: JudgeKind) -> str:
    return "JUDGE_LIST_MODEL" if kind.metric == ListJudgeSettings.name else "JUDGE_MODEL"


def _settings_of(kind: JudgeKind, max_tokens: int) -> JudgeSettings:
    return kind.settings(getattr(settings, _model_setting(kind)), prompt=kind.prompt, max_tokens=max_tokens)


def judge_config(kind: JudgeKind = FACTUALITY) -> JudgeConfig:
    """The settings for a kind of judge as one object.

    Raises:
        ValueError: a setting is invalid; the message names it, and contains no key.
    """
    endpoint = _endpoint()
    judge = _checked_settings_of(kind, endpoint.max_reply_tokens)
    return JudgeConfig(
        endpoint=endpoint,
        judge=judge,
        pool=PoolSettings(
            concurrency=int(_positive("JUDGE_CONCURRENCY")),
            requests_per_minute=_not_negative("JUDGE_RPM"),
            tokens_per_minute=_not_negative("JUDGE_TPM"),
            max_asks=int(_positive("JUDGE_MAX_ASKS")),
        ),
        mode=_mode(),
        price=price_of(judge.model, _prices()),
        submission_cap=_cap("JUDGE_SUBMISSION_CAP_USD"),
        monthly_cap=_cap("JUDGE_MONTHLY_CAP_USD"),
        retry_seconds=_positive("JUDGE_RETRY_SECONDS"),
        batch_poll_seconds=_positive("JUDGE_BATCH_POLL_SECONDS"),
    )


def judge_problems() -> list[str]:
    """Every problem of the ``JUDGE_…`` settings for which no judge could be built, in a sentence that names it."""
    values = ("JUDGE_TIMEOUT_SECONDS", "JUDGE_CONCURRENCY", "JUDGE_MAX_ASKS", "JUDGE_RETRY_SECONDS")
    parts: tuple[Callable[[], object], ...] = (
        _endpoint,
        partial(_model, "JUDGE_MODEL"),
        partial(_model, "JUDGE_LIST_MODEL"),
        _prices,
        _mode,
        *(partial(_positive, name) for name in (*values, "JUDGE_BATCH_POLL_SECONDS")),
        *(partial(_not_negative, name) for name in ("JUDGE_MAX_REPLY_TOKENS", "JUDGE_RPM", "JUDGE_TPM")),
        partial(_not_negative, "JUDGE_GIVE_UP_SECONDS"),
        *(partial(_cap, name) for name in ("JUDGE_SUBMISSION_CAP_USD", "JUDGE_MONTHLY_CAP_USD")),
    )
    found = []
    for part in parts:
        try:
            part()
        except ValueError as error:
            found.append(str(error))
    return list(dict.fromkeys(found))


def judge_unavailable(kind: JudgeKind = FACTUALITY) -> str:
    """Why no answer can be judged on this site now, in public wording; empty if the judge can run."""
    if not settings.JUDGE_API_KEY and not settings.JUDGE_BASE_URL:
        return NO_JUDGE
    try:
        judge_config(kind)
    except ValueError as error:
        return f"The judge is not configured correctly. {error}"
    return ""


def judge_settings(kind: JudgeKind = FACTUALITY) -> JudgeSettings:
    """The signature settings of a score made now, whether or not the judge can be asked."""
    try:
        return _settings_of(kind, _not_negative("JUDGE_MAX_REPLY_TOKENS"))
    except ValueError:
        return kind.settings("unknown", prompt=kind.prompt)


def list_judge_settings() -> JudgeSettings:
    """Those of the judge of lists for no benchmark in particular: each has prompts of its own."""
    return ListJudgeSettings(settings.JUDGE_LIST_MODEL or "unknown", prompt="of-the-benchmark")


def comparison_judge_settings() -> JudgeSettings:
    """Those of the judge that compares answers, for no benchmark in particular."""
    return ComparisonSettings(settings.JUDGE_MODEL or "unknown", prompt="of-the-benchmark")


def is_own_network(host: str) -> bool:
    """Whether a host is this machine or one of a private network."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal")) or "." not in host
    return address.is_private


def _endpoint() -> EndpointSettings:
    try:
        return EndpointSettings(
            base_url=settings.JUDGE_BASE_URL or OPENAI_BASE_URL,
            api_key=settings.JUDGE_API_KEY,
            timeout_seconds=_positive("JUDGE_TIMEOUT_SECONDS"),
            max_reply_tokens=_not_negative("JUDGE_MAX_REPLY_TOKENS"),
        )
    except ValueError as error:
        raise ValueError(_named(error, "JUDGE_BASE_URL")) from None


def _checked_settings_of(kind: JudgeKind, max_tokens: int) -> JudgeSettings:
    try:
        return _settings_of(kind, max_tokens)
    except ValueError as error:
        raise ValueError(_named(error, _model_setting(kind))) from None


def _model(name: str) -> None:
    try:
        JudgeSettings(getattr(settings, name))
    except ValueError as error:
        raise ValueError(_named(error, name)) from None


def _prices() -> dict[str, Price]:
    try:
        return parse_prices(settings.JUDGE_PRICES)
    except ValueError as error:
        raise ValueError(_named(error, "JUDGE_PRICES")) from None


def _mode() -> Mode:
    modes: dict[str, Mode] = {"live": "live", "batch": "batch"}
    if settings.JUDGE_MODE not in modes:
        raise ValueError(f"JUDGE_MODE is {settings.JUDGE_MODE!r}; it must be live or batch.")
    return modes[settings.JUDGE_MODE]


def _named(error: ValueError, name: str) -> str:
    text = str(error)
    return text if text.startswith("JUDGE_") else f"{name}: {text}."


def _positive(name: str) -> float:
    value: float = getattr(settings, name)
    if not 0 < value < float("inf"):
        raise ValueError(f"{name} is {value}; it must be a number above 0.")
    return value


def _not_negative(name: str) -> int:
    value: int = getattr(settings, name)
    if value < 0:
        raise ValueError(f"{name} is {value}; it must be 0 or more.")
    return value


def _cap(name: str) -> Decimal | None:
    text: str = getattr(settings, name).strip()
    if not text:
        return None
    try:
        cap = Decimal(text)
    except InvalidOperation:
        cap = Decimal(-1)
    if not cap.is_finite() or cap < 0:
        raise ValueError(f"{name} is {text!r}; it must be an amount in US dollars, or empty for no cap.")
    return cap
