"""A MediaWiki on this machine, which answers as its documentation says (``formatversion=2``), or misbehaves as told."""

import gzip
import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, quote, unquote, urlsplit

LOOPBACK = "127.0.0.1"


@dataclass
class Fault:
    """What happens instead of an answer.

    ``kind``: ``status`` (``value``), ``redirect`` (to ``value``), ``huge``, ``slow`` (a byte every 50 ms), ``silent``,
    ``reset``, ``garbage`` (200, and nothing that can be read), ``gzip``.
    """

    kind: str
    value: Any = None


@dataclass
class Reply:
    """What a handler answers."""

    content: bytes
    media_type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class LocalServer:
    """Answers with `answer(path, parameters)`; ``fault`` is what happens to every request while it is set."""

    def __init__(self) -> None:
        self.fault: Fault | None = None
        self.asked: list[tuple[str, dict[str, str], dict[str, str]]] = []
        """Path, parameters and headers of each request."""
        self._stopping = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # head and body are two writes

            def do_GET(self) -> None:
                owner._handle(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                pass

        self._http = ThreadingHTTPServer((LOOPBACK, 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, path: str, parameters: dict[str, str]) -> Reply:
        raise NotImplementedError

    def _handle(self, request: BaseHTTPRequestHandler) -> None:
        parts = urlsplit(request.path)
        parameters = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
        self.asked.append((unquote(parts.path), parameters, {k.lower(): v for k, v in request.headers.items()}))
        try:
            reply = self._faulty(request, self.fault) if self.fault else self.answer(unquote(parts.path), parameters)
            if reply is not None:
                self._send(request, reply)
        except OSError:
            request.close_connection = True  # whoever asked has gone

    @staticmethod
    def _send(request: BaseHTTPRequestHandler, reply: Reply) -> None:
        request.send_response(reply.status)
        request.send_header("Content-Type", reply.media_type)
        request.send_header("Content-Length", str(len(reply.content)))
        for name, value in reply.headers.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(reply.content)

    def _faulty(self, request: BaseHTTPRequestHandler, fault: Fault) -> Reply | None:
        if fault.kind == "status":
            return Reply(b"no", status=fault.value)
        if fault.kind == "redirect":
            return Reply(b"", status=302, headers={"Location": fault.value})
        if fault.kind == "garbage":
            return Reply(fault.value or b"\xff\xfe not what was asked for")
        if fault.kind == "gzip":
            return Reply(gzip.compress(b"{}"), headers={"Content-Encoding": "gzip"})
        request.close_connection = True
        if fault.kind == "reset":
            return None
        if fault.kind == "silent":
            self._stopping.wait(20)
            return None
        request.send_response(200)
        request.send_header("Content-Type", "text/html")
        request.end_headers()
        for _ in range(2000):
            request.wfile.write(b"x" * 2**20 if fault.kind == "huge" else b"x")
            request.wfile.flush()
            if fault.kind == "slow":
                time.sleep(0.05)
            if self._stopping.is_set():
                break
        return None


@dataclass
class WikiPage:
    """A page: its revisions as (id, day, text), oldest first; a text that begins with ``#`` redirects."""

    page_id: int
    revisions: list[tuple[int, str, str]]
    namespace: int = 0
    redirects_to: str = ""
    """What it is now: a redirect, which the API resolves."""


class MediaWikiServer(LocalServer):
    """A MediaWiki's ``/w/api.php``."""

    def __init__(self, pages: dict[str, WikiPage], articles: str = "/wiki/") -> None:
        super().__init__()
        self.pages = pages
        self._articles = articles
        self.error = ""
        """The code of an error that every request is answered with."""

    def answer(self, path: str, parameters: dict[str, str]) -> Reply:
        if path != "/w/api.php":
            return Reply(b"Not found", status=404)
        if parameters.get("format") != "json" or parameters.get("formatversion") != "2":
            return Reply(b"<html>The API's help</html>")
        code = self.error
        document: dict[str, Any] = {}
        if not code and parameters.get("list") == "prefixsearch":
            wanted = parameters["pssearch"].lower()
            titles = [title for title in self.pages if title.lower().startswith(wanted)][: int(parameters["pslimit"])]
            document = {"query": {"prefixsearch": [{"ns": 0, "title": title, "pageid": 1} for title in titles]}}
        elif not code and parameters.get("list") == "search":
            document = {"query": {"search": self._found(parameters)}}
        elif not code and parameters.get("action") == "query":
            document = {"query": {"pages": [self._page(parameters)]}}
        elif not code and parameters.get("action") == "parse":
            for title, page in self.pages.items():
                for revision, _, text in page.revisions:
                    if str(revision) == parameters["oldid"]:
                        parsed = {"title": title, "pageid": page.page_id, "revid": revision, "text": self._html(text)}
                        document = {"batchcomplete": True, "parse": parsed}
            code = "" if document else "nosuchrevid"
        if code:
            document = {"errors": [{"code": code, "text": "The text of an error.", "module": "main"}]}
        return Reply(json.dumps(document).encode(), "application/json; charset=utf-8")

    def _found(self, parameters: dict[str, str]) -> list[dict[str, Any]]:
        word = parameters["srsearch"]
        return [
            {
                "ns": 0,
                "title": title,
                "snippet": text.partition("\n")[0].replace(word, f'<span class="searchmatch">{word}</span>'),
            }
            for title, page in self.pages.items()
            for _, _, text in page.revisions[-1:]
            if word in text
        ][: int(parameters["srlimit"])]

    def _page(self, parameters: dict[str, str]) -> dict[str, Any]:
        title = parameters["titles"]
        title = title[:1].upper() + title[1:]
        if title in self.pages and self.pages[title].redirects_to and parameters.get("redirects"):
            title = self.pages[title].redirects_to
        page = self.pages.get(title)
        if page is None:
            return {"ns": 0, "title": title, "missing": True}
        at = parameters["rvstart"]
        revisions = [revision for revision, day, _ in page.revisions if f"{day}T00:00:00Z" <= at]
        answer: dict[str, Any] = {
            "ns": page.namespace,
            "title": title,
            "pageid": page.page_id,
            "canonicalurl": f"{self.url}{self._articles}{quote(title.replace(' ', '_'))}",
        }
        if revisions:
            answer["revisions"] = [{"revid": revisions[-1], "parentid": 0}]
        return answer

    def _html(self, text: str) -> str:
        if text.startswith("#"):
            href = f"{self._articles}{quote(text[1:].replace(' ', '_'))}"
            return (
                '<div class="mw-parser-output"><div class="redirectMsg"><p>Redirect to:</p><ul><li>'
                f'<a href="{href}" title="x">{text[1:]}</a></li></ul></div></div>'
            )
        return f'<div class="mw-content-ltr mw-parser-output" lang="en" dir="ltr">{text}</div>'
