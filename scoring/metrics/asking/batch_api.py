"""The provider's Batch API: many requests in one file, answered within a day for half the price.

Starting a batch takes two steps, and the caller stores the id of each before it continues: the file is uploaded, then
the batch is created from it. After a crash between the steps, `find` finds the batch, if it was created, by its file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from scoring.metrics.asking import letters
from scoring.metrics.asking.endpoint import FILTER_CODES, Endpoint
from scoring.metrics.asking.errors import BatchGoneError, MisconfiguredError
from scoring.metrics.asking.replies import Outcome, Read, Reply, read_document

COMPLETION_PATH: Final = "/v1/chat/completions"
COMPLETION_WINDOW: Final = "24h"
MAX_REQUESTS: Final = 50_000
"""The maximum per file by OpenAI's rules; https://developers.openai.com/api/docs/guides/batch."""
MAX_BATCHES_SEARCHED: Final = 100

_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_PASSING_CODES = frozenset({"token_limit_exceeded", "rate_limit_exceeded", "server_error"})
_LINE_ENDED = frozenset({"batch_expired", "batch_cancelled"})


@dataclass(frozen=True)
class BatchState:
    """The state of a batch at the provider."""

    id: str
    status: str
    """``validating``, ``in_progress``, ``finalizing``, ``completed``, ``failed``, ``expired``, ``cancelling``,
    ``cancelled``."""
    n_total: int
    n_done: int
    result_files: tuple[str, ...]
    """Ids of the files of replies and of failures, if they exist already."""
    error_code: str
    """Why the whole batch failed."""

    @property
    def ended(self) -> bool:
        """Whether no more replies will arrive."""
        return self.status in _ENDED

    @property
    def may_be_sent_again(self) -> bool:
        """Whether it failed for a temporary reason: the queue was full, or the service had an error."""
        return self.status == "failed" and self.error_code in _PASSING_CODES


async def upload(endpoint: Endpoint, requests: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Upload the file of a batch; returns its id.

    *requests* are pairs of a ``custom_id`` and the body of a request.

    Raises:
        ValueError: there are no requests, or more than a batch may have.
        PassingTroubleError, RejectedError, MisconfiguredError, EndpointUnavailableError: see `Endpoint.complete`.
    """
    if not 0 < len(requests) <= MAX_REQUESTS:
        raise ValueError(f"A batch takes 1 to {MAX_REQUESTS:,} requests, not {len(requests):,}.")
    content = "".join(
        json.dumps({"custom_id": custom_id, "method": "POST", "url": COMPLETION_PATH, "body": body}) + "\n"
        for custom_id, body in requests
    )
    with endpoint.failures_named(None):
        file = await endpoint.client.files.create(file=("requests.jsonl", content.encode("ascii")), purpose="batch")
    return file.id


async def create(endpoint: Endpoint, file_id: str, *, metadata: Mapping[str, str]) -> BatchState:
    """Create a batch from an uploaded file. Raises as `upload`."""
    with endpoint.failures_named(None):
        batch = await endpoint.client.batches.create(
            input_file_id=file_id,
            endpoint=COMPLETION_PATH,
            completion_window=COMPLETION_WINDOW,
            metadata=dict(metadata),
        )
    return _state(batch)


async def find(endpoint: Endpoint, file_id: str) -> BatchState | None:
    """The batch created from a file, if it is among the latest hundred. Raises as `upload`."""
    with endpoint.failures_named(None):
        page = await endpoint.client.batches.list(limit=MAX_BATCHES_SEARCHED)
    return next((_state(batch) for batch in page.data if batch.input_file_id == file_id), None)


async def get_batch(endpoint: Endpoint, batch_id: str) -> BatchState:
    """The state of a batch.

    Raises:
        BatchGoneError: the provider does not know it.
        PassingTroubleError, RejectedError, MisconfiguredError, EndpointUnavailableError: see `Endpoint.complete`.
    """
    with _unless_gone(endpoint):
        return _state(await endpoint.client.batches.retrieve(batch_id))


async def results(
    endpoint: Endpoint, file_id: str, reader_of: Callable[[str], Read] = lambda custom_id: letters.read
) -> list[tuple[str, Reply]]:
    """The replies in a file of results, each with the ``custom_id`` of its request. Raises as `get_batch`.

    *reader_of* says how the reply to a request, named by its ``custom_id``, is read.
    """
    with _unless_gone(endpoint):
        content = (await endpoint.client.files.content(file_id)).content
    replies = []
    for line in content.splitlines():
        try:
            document = json.loads(line)
        except ValueError:
            continue  # a damaged line does not identify its request; the request is sent again
        custom_id = document.get("custom_id") if isinstance(document, dict) else None
        if isinstance(custom_id, str):
            replies.append((custom_id, _reply(document, reader_of(custom_id))))
    return replies


@contextmanager
def _unless_gone(endpoint: Endpoint) -> Iterator[None]:
    try:
        with endpoint.failures_named(None):
            yield
    except MisconfiguredError as error:
        if error.status == 404:
            raise BatchGoneError(str(error)) from None
        raise


def _reply(line: Mapping[str, Any], read: Read) -> Reply:
    response = line.get("response")
    status = response.get("status_code") if isinstance(response, dict) else None
    body = response.get("body") if isinstance(response, dict) else None
    code = _code(line.get("error")) or (_code(body.get("error")) if isinstance(body, dict) else "")
    if status == 200:
        return read_document(body, read=read)
    if code in _LINE_ENDED:
        return Reply(Outcome.EXPIRED)
    if status == 429:
        return Reply(Outcome.RATE_LIMITED)
    if not isinstance(status, int) or status in (408, 409, 425) or status >= 500:
        return Reply(Outcome.SERVER_ERROR)
    return Reply(Outcome.FILTERED if code in FILTER_CODES else Outcome.REJECTED, text=json.dumps(body)[:2000])


def _code(error: Any) -> str:
    code = error.get("code") if isinstance(error, dict) else None
    return code.lower() if isinstance(code, str) else ""


def _state(batch: Any) -> BatchState:
    counts = batch.request_counts
    errors = (batch.errors.data or []) if batch.errors else []
    files = (batch.output_file_id, batch.error_file_id)
    return BatchState(
        id=batch.id,
        status=batch.status,
        n_total=counts.total if counts else 0,
        n_done=counts.completed if counts else 0,
        result_files=tuple(file for file in files if file),
        error_code=str(errors[0].code or "") if errors else "",
    )
