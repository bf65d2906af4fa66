"""Clients of a site's API: `Client`, and `AsyncClient` with the same methods to await.

The methods have the arguments of the functions of `manyhop.calls`; they return `manyhop.records`, or raise an error of
`manyhop.errors`. A request that may be repeated is sent again after a lost connection, an overloaded site or a rate
limit.
"""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from types import TracebackType
from typing import Any, Final, Generic, ParamSpec, Self, TypeVar, cast, overload

import httpx
import msgspec

from manyhop import __version__, calls, records
from manyhop.calls import Call
from manyhop.credentials import DEFAULT_SITE
from manyhop.errors import ApiError, NoAnswerError

P = ParamSpec("P")
T = TypeVar("T")

ATTEMPTS: Final = 5
FIRST_DELAY, LONGEST_DELAY = 0.5, 60.0
"""Seconds before an attempt that follows; the delay doubles each time."""
PASSING: Final = frozenset({429, 502, 503, 504})
TIMEOUT: Final = httpx.Timeout(60.0, connect=10.0)
Report = Callable[[int, int], None]
"""Called with the bytes sent so far, and those of the whole request."""


class _Counted(httpx.SyncByteStream, httpx.AsyncByteStream):
    """The body of a request, which reports how far it is sent."""

    def __init__(self, request: httpx.Request, report: Report) -> None:
        self._body: Any = request.stream
        self._total = int(request.headers["Content-Length"])
        self._sent = 0
        self._report = report

    def _count(self, block: bytes) -> bytes:
        self._sent += len(block)
        self._report(self._sent, self._total)
        return block

    def __iter__(self) -> Iterator[bytes]:
        return map(self._count, self._body)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for block in self._body:
            yield self._count(block)


class _Method(Generic[P, T]):
    """A request as a method: `Client` returns the answer, `AsyncClient` what to await."""

    def __init__(self, build: Callable[P, Call[T]]) -> None:
        self._build = build

    @overload
    def __get__(self, client: None, owner: type[Any]) -> Callable[P, Call[T]]: ...
    @overload
    def __get__(self, client: Client, owner: type[Any]) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AsyncClient, owner: type[Any]) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: Client | AsyncClient | None, owner: type[Any]) -> Any:
        if client is None:
            return self._build

        @functools.wraps(self._build)
        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return client.send(self._build(*args, **kwargs))

        return method


class _Connection:
    """Common part of both clients."""

    _http: httpx.Client | httpx.AsyncClient

    def __init__(self, site: str = DEFAULT_SITE, token: str | None = None, *, attempts: int = ATTEMPTS) -> None:
        """
        :param site: the site's address.
        :param token: an API token of an account, for everything that is not public.
        :param attempts: how often a request that may be repeated is sent at most.
        """
        self.site = site.rstrip("/")
        self.attempts = attempts
        headers = {"Accept": "application/json, application/problem+json", "User-Agent": f"manyhop/{__version__}"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._options: dict[str, Any] = {
            "base_url": f"{self.site}/api/v1/",
            "headers": headers,
            "timeout": TIMEOUT,
            "follow_redirects": True,  # a system's slug may have become another
        }

    def _request(self, call: Call[Any], report: Report | None) -> httpx.Request:
        url = self.site + call.path if call.path.startswith("/") else call.path
        request: dict[str, Any] = {"method": call.method, "url": url}
        query = {name: value for name, value in call.params.items() if value not in ("", None, [], ())}
        request["params"] = query or None  # an empty one would delete the query of a page's address
        if call.files:
            request |= {"data": call.form(), "files": call.files}
        elif call.fields is not None:
            request["json"] = call.fields
        if call.key:
            request["headers"] = {"Idempotency-Key": call.key}
        built = self._http.build_request(**request)
        if report is not None:
            built.stream = _Counted(built, report)
        return built

    def _delay(self, call: Call[Any], attempt: int, outcome: httpx.Response | httpx.TransportError) -> float | None:
        """Seconds until the request is sent again; None if it is not."""
        passing = isinstance(outcome, httpx.TransportError) or outcome.status_code in PASSING
        if attempt >= self.attempts or not passing or not call.may_be_repeated:
            return None
        asked = outcome.headers.get("Retry-After", "") if isinstance(outcome, httpx.Response) else ""
        delay = float(asked) if asked.isdecimal() else FIRST_DELAY * 2 ** (attempt - 1)
        return delay if delay <= LONGEST_DELAY else None  # a quota that ends tomorrow

    def _failed(self, error: httpx.TransportError) -> NoAnswerError:
        return NoAnswerError(f"{self.site} cannot be reached: {error or type(error).__name__}")

    def _answer(self, call: Call[T], response: httpx.Response) -> T:
        if response.is_success:
            if call.answer is bytes:
                return cast("T", response.content)
            try:
                return msgspec.json.decode(response.content, type=call.answer)
            except msgspec.DecodeError as error:
                raise NoAnswerError(f"{response.url} gave no answer of this version of the API: {error}") from error
        try:
            problem = msgspec.json.decode(response.content, type=dict[str, Any])
        except msgspec.DecodeError:
            problem = {"title": f"{response.url} answered {response.status_code} {response.reason_phrase}."}
        raise ApiError(response.status_code, problem)

    benchmarks = _Method(calls.benchmarks)
    benchmark = _Method(calls.benchmark)
    split = _Method(calls.split)
    questions = _Method(calls.questions)
    board = _Method(calls.board)
    ranking = _Method(calls.ranking)
    systems = _Method(calls.systems)
    system = _Method(calls.system)
    scores = _Method(calls.scores)
    verdicts = _Method(calls.verdicts)
    question_scores = _Method(calls.question_scores)
    answers = _Method(calls.answers)
    compare = _Method(calls.compare)
    export = _Method(calls.export)
    export_system = _Method(calls.export_system)
    croissant = _Method(calls.croissant)
    submissions = _Method(calls.submissions)
    submission = _Method(calls.submission)
    own_question_scores = _Method(calls.own_question_scores)
    validate = _Method(calls.validate)
    submit = _Method(calls.submit)
    replace = _Method(calls.replace)
    publish = _Method(calls.publish)
    reveal = _Method(calls.reveal)
    unpublish = _Method(calls.unpublish)
    retry = _Method(calls.retry)
    withdraw = _Method(calls.withdraw)
    change_system = _Method(calls.change_system)
    change_submission = _Method(calls.change_submission)
    system_changes = _Method(calls.system_changes)
    submission_changes = _Method(calls.submission_changes)


def _next_page(call: Call[T], response: httpx.Response) -> Call[T] | None:
    """The rest of a list; None at its end."""
    link = response.links.get("next", {}).get("url")
    return Call(link, call.answer) if link else None


class Client(_Connection):
    """A client of one site.

    >>> client = Client("https://manyhop.example")
    >>> client.site
    'https://manyhop.example'
    """

    def __init__(self, site: str = DEFAULT_SITE, token: str | None = None, *, attempts: int = ATTEMPTS) -> None:
        super().__init__(site, token, attempts=attempts)
        self._http: httpx.Client = httpx.Client(**self._options)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def send(self, call: Call[T], report: Report | None = None) -> T:
        """Send a request, and the requests of the further pages of a list.

        :param report: told of the bytes of the first request while these are sent; again from the beginning if the
            request is repeated.
        :raises ApiError: the site refused it.
        :raises NoAnswerError: there was no answer.
        """
        response = self._respond(call, report)
        answer = self._answer(call, response)
        while isinstance(answer, list) and (following := _next_page(call, response)) is not None:
            response = self._respond(following)
            answer.extend(cast("list[Any]", self._answer(following, response)))
        return answer

    def _respond(self, call: Call[Any], report: Report | None = None) -> httpx.Response:
        attempt = 0
        while True:
            attempt += 1
            outcome: httpx.Response | httpx.TransportError
            try:
                outcome = self._http.send(self._request(call, report))
            except httpx.TransportError as error:
                outcome = error
            delay = self._delay(call, attempt, outcome)
            if delay is not None:
                time.sleep(delay)
            elif isinstance(outcome, httpx.TransportError):
                raise self._failed(outcome) from outcome
            else:
                return outcome

    def wait(
        self,
        uuid: str,
        report: Callable[[records.Submission], None] | None = None,
        *,
        interval: float = 2.0,
    ) -> records.Submission:
        """Wait until no run of a submission is waiting or running any more; `report` gets every state."""
        while True:
            submission = self.submission(uuid)
            if report is not None:
                report(submission)
            if submission.finished:
                return submission
            time.sleep(interval)


class AsyncClient(_Connection):
    """The client for asyncio: every method is awaited."""

    def __init__(self, site: str = DEFAULT_SITE, token: str | None = None, *, attempts: int = ATTEMPTS) -> None:
        super().__init__(site, token, attempts=attempts)
        self._http: httpx.AsyncClient = httpx.AsyncClient(**self._options)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def send(self, call: Call[T], report: Report | None = None) -> T:
        """See `Client.send`."""
        response = await self._respond(call, report)
        answer = self._answer(call, response)
        while isinstance(answer, list) and (following := _next_page(call, response)) is not None:
            response = await self._respond(following)
            answer.extend(cast("list[Any]", self._answer(following, response)))
        return answer

    async def _respond(self, call: Call[Any], report: Report | None = None) -> httpx.Response:
        attempt = 0
        while True:
            attempt += 1
            outcome: httpx.Response | httpx.TransportError
            try:
                outcome = await self._http.send(self._request(call, report))
            except httpx.TransportError as error:
                outcome = error
            delay = self._delay(call, attempt, outcome)
            if delay is not None:
                await asyncio.sleep(delay)
            elif isinstance(outcome, httpx.TransportError):
                raise self._failed(outcome) from outcome
            else:
                return outcome

    async def wait(
        self,
        uuid: str,
        report: Callable[[records.Submission], None] | None = None,
        *,
        interval: float = 2.0,
    ) -> records.Submission:
        """See `Client.wait`."""
        while True:
            submission = await self.submission(uuid)
            if report is not None:
                report(submission)
            if submission.finished:
                return submission
            await asyncio.sleep(interval)
