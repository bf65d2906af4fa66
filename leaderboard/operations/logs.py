"""Logging: as text for people or as one JSON object per line, with the request and the run that a line belongs to.

No line contains the text of an exception, which may quote the data being processed: its type and the place where it was
raised are enough to find it. With ``DEBUG`` the text is included.
"""

from __future__ import annotations

import datetime
import logging
import re
import secrets
import time
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from pythonjsonlogger import json

from leaderboard.operations.metrics.requests import observe
from scoring.workers import log_context
from scoring.workers.errors import described

HEADER: Final = "X-Request-ID"
SANE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")
QUIET: Final = frozenset({"healthz", "readyz", "metrics"})
"""Views that are requested every few seconds."""
FIELDS: Final = ("view", "method", "status", "milliseconds")

requests_logger = logging.getLogger("leaderboard.requests")

ExceptionInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class _SafeFormatter(logging.Formatter):
    def formatException(self, ei: ExceptionInfo) -> str:  # noqa: N802 - the name is logging's
        """Each exception and its causes: where it was raised, and its type; its text only if that is harmless."""
        if settings.DEBUG:
            return super().formatException(ei)
        parts, error = [], ei[1]
        while error is not None:
            parts.append("".join(traceback.format_tb(error.__traceback__)) + described(error))
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\nafter\n".join(parts)


class TextFormatter(_SafeFormatter):
    """A line for people: time, level, logger, message, and in brackets the request or run."""

    def format(self, record: logging.LogRecord) -> str:
        belongs = [
            f"{name} {value}"
            for name, value in (("request", log_context.request_id.get()), ("run", log_context.run_id.get()))
            if value
        ]
        text = super().format(record)
        if not belongs:
            return text
        first, newline, rest = text.partition("\n")
        return f"{first} [{', '.join(belongs)}]{newline}{rest}"


class JsonFormatter(_SafeFormatter, json.JsonFormatter):
    """One JSON object a line."""

    def __init__(self) -> None:
        super().__init__(json_ensure_ascii=False)

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        """Time (UTC), level, logger, message, and, if known, request, run, fields and error.

        No other attribute of the record is written, unlike in the base class: Django's records contain the request.
        """
        at = datetime.datetime.fromtimestamp(record.created, tz=datetime.UTC)
        log_data["time"] = at.isoformat(timespec="milliseconds")
        log_data["level"] = record.levelname.lower()
        log_data["logger"] = record.name
        log_data["message"] = record.getMessage()
        for name, variable in (("request_id", log_context.request_id), ("run_id", log_context.run_id)):
            if variable.get():
                log_data[name] = variable.get()
        for name in FIELDS:
            if hasattr(record, name):
                log_data[name] = getattr(record, name)
        if record.exc_info and record.exc_info[0] is not None:
            log_data["error"] = record.exc_info[0].__name__
            log_data["trace"] = self.formatException(record.exc_info)


class RequestIdMiddleware:
    """Assigns each request an id (that of the proxy before it, if it is valid), returns it in the response, and logs
    and measures the request: by the view's name, since URLs may contain secrets of their visitor."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER, "")
        known_as = given if SANE_ID.fullmatch(given) else secrets.token_hex(8)
        with log_context.within(log_context.request_id, known_as):
            begin = time.perf_counter()
            response = self.get_response(request)
            seconds = time.perf_counter() - begin
            response[HEADER] = known_as
            view = request.resolver_match.view_name if request.resolver_match else "none"
            observe(view, request.method or "", response.status_code, seconds)
            if view not in QUIET:
                requests_logger.info(
                    "%s %s %s in %.0f ms", request.method, view, response.status_code, 1000 * seconds,
                    extra={"view": view, "method": request.method, "status": response.status_code,
                           "milliseconds": round(1000 * seconds, 1)},
                )  # fmt: skip
            return response
