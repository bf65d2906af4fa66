"""The bodies of uploads.

Each file of a request is stored on disk, read no further than one byte past the size limit; a truncated body is an
error, never a shorter file.
"""

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from django.conf import settings
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.http import HttpRequest
from django.utils.http import parse_header_parameters

from scoring.benchmarks import definitions

StartResponse = Callable[..., Any]
WsgiApplication = Callable[[dict[str, Any], StartResponse], Iterable[bytes]]
WRONG_LENGTH = "The form data end before their closing line: the Content-Length is wrong."
PASSAGES_ENDING = "_passages"
"""Ends the names of fields for retrieved passages, which may be larger than files of answers."""
MAX_LINE_END = 4
"""How many bytes of line end may follow the closing line of form data."""


def max_body_bytes() -> int:
    """The most bytes of a request's files: one for each setting of a benchmark, and one for the passages of each
    setting that takes some; at least one file."""
    sizes = [settings.UPLOAD_LIMIT_BYTES]
    for definition in definitions().values():
        accepting = definition.settings_for_submissions
        n_passages = sum(setting.passages for setting in accepting)
        sizes.append(len(accepting) * settings.UPLOAD_LIMIT_BYTES + n_passages * settings.PASSAGES_LIMIT_BYTES)
    return max(sizes)


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Writes an upload to a temporary file; if it exceeds the limit, only enough for intake to detect that."""

    _unfinished = False

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self._kept = 0
        self._unfinished = True

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        holds_passages = str(self.field_name).endswith(PASSAGES_ENDING)
        limit = settings.PASSAGES_LIMIT_BYTES if holds_passages else settings.UPLOAD_LIMIT_BYTES
        room = limit + 1 - self._kept
        if room > 0:
            accepted = raw_data[:room]
            self._kept += len(accepted)
            super().receive_data_chunk(accepted, start)
        return None

    def file_complete(self, file_size: int) -> Any:
        self._unfinished = False
        return super().file_complete(self._kept)

    def discard_unfinished(self) -> None:
        """Delete the temporary file of an interrupted upload; Django leaves it until garbage collection."""
        if self._unfinished:
            self._unfinished = False
            self.upload_interrupted()


def discard_unfinished_files(request: HttpRequest) -> None:
    """Delete unfinished files of a request; call it when the response is ready."""
    if request.content_type == "multipart/form-data":
        for handler in request.upload_handlers:
            if isinstance(handler, LimitedUploadHandler):
                handler.discard_unfinished()


class CompleteBodyStream:
    """A request's body that must not end early: a connection that breaks off is an error, not a shorter file.

    Django's multipart parser accepts incomplete data, so without this a truncated file would look complete, and so
    would a form without some of its files because of a wrong announced length.

    Args:
        length: the announced number of bytes.
        ending: the end of a complete body, apart from line ends; empty if it is unknown.
    """

    def __init__(self, stream: Any, length: int, ending: bytes = b"") -> None:
        self._stream = stream
        self._missing = length
        self._ending = ending
        self._tail = b""
        self.problem = ""
        """The problem with the body, once it is known, in words for its sender."""

    def read(self, size: int = -1) -> bytes:
        """Up to *size* bytes.

        Raises:
            OSError: the body ended before its announced length, or not like a complete one.
        """
        return self._checked(self._stream.read(size), size)

    def readline(self, size: int = -1) -> bytes:
        """Up to a line end or *size* bytes; raises as `read`."""
        return self._checked(self._stream.readline(size), size)

    def _checked(self, data: bytes, size: int) -> bytes:
        self._missing -= len(data)
        if not data and size != 0 and self._missing > 0:
            self._fail(f"The upload was incomplete: {self._missing:,} bytes are missing.")
        if data and self._ending:
            self._tail = (self._tail + data)[-len(self._ending) - MAX_LINE_END :]
            if self._missing <= 0 and not self._tail.rstrip(b"\r\n").endswith(self._ending):
                self._fail(WRONG_LENGTH)
        return data

    def _fail(self, what: str) -> NoReturn:
        self.problem = f"{what} Nothing was stored; send it again."
        raise OSError(what)


def enforce_content_length(application: WsgiApplication) -> WsgiApplication:
    """A WSGI application that reads every body through `CompleteBodyStream`."""

    def wrapped(environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        length = environ.get("CONTENT_LENGTH") or "0"
        if length.isdecimal() and int(length) > 0:
            kind, parameters = parse_header_parameters(environ.get("CONTENT_TYPE", ""))
            boundary = parameters.get("boundary", "") if kind == "multipart/form-data" else ""
            ending = f"--{boundary}--".encode("latin-1", "replace") if boundary else b""
            environ["wsgi.input"] = CompleteBodyStream(environ["wsgi.input"], int(length), ending)
        return application(environ, start_response)

    return wrapped


def body_problem(request: HttpRequest) -> str:
    """The problem found in a request's body while it was read; empty if there is none."""
    problem: str = getattr(request.META.get("wsgi.input"), "problem", "")
    return problem
