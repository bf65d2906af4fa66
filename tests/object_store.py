"""An S3 server as a process (moto's), and a proxy before it that fails as networks and stores do.

``ObjectStore`` is used as a context: its ``url`` is a STORAGE_URL of a new bucket. ``faults`` holds what happens to the
next requests, one each: ``"503"``, ``"slow"`` (an answer after a pause), ``"cut"`` (half of the reply's body, then the
connection ends), ``"gone"`` (the connection ends without a reply) or ``"hangs"`` (none comes for long).
"""

import http.client
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import boto3

from tests.services import LOOPBACK, Process, accepts_connections, free_port

PAUSE_SECONDS = 0.5
HANG_SECONDS = 30.0
HOP_BY_HOP = {"connection", "transfer-encoding", "content-length", "keep-alive", "server", "date"}


class ObjectStore:
    """A bucket behind a proxy that can fail."""

    def __init__(self, directory: Path) -> None:
        self.port = free_port()
        self._process = Process(
            "moto", [sys.executable, "-m", "moto.server", "-H", LOOPBACK, "-p", str(self.port)], directory / "moto.log"
        )
        self.faults: list[str] = []
        self._proxy = ThreadingHTTPServer((LOOPBACK, 0), self._handler())
        self._proxy.daemon_threads = True
        self.bucket = "manyhop-files"

    @property
    def url(self) -> str:
        """The STORAGE_URL of the bucket."""
        return f"s3://key:secret@{LOOPBACK}:{self._proxy.server_port}/{self.bucket}/files?region=us-east-1&insecure=1"

    def __enter__(self) -> Self:
        self._process.start()
        self._process.wait_until(lambda: accepts_connections(self.port))
        self.client.create_bucket(Bucket=self.bucket)
        threading.Thread(target=self._proxy.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._proxy.shutdown()
        self._proxy.server_close()
        self._process.stop()

    @property
    def client(self) -> Any:
        """A client that asks the server itself, past the proxy."""
        return boto3.client(
            "s3",
            endpoint_url=f"http://{LOOPBACK}:{self.port}",
            aws_access_key_id="key",
            aws_secret_access_key="secret",
            region_name="us-east-1",
        )

    def names(self) -> list[str]:
        """The names of all objects."""
        return [row["Key"] for row in self.client.list_objects_v2(Bucket=self.bucket).get("Contents", ())]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        store = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                fault = store.faults.pop(0) if store.faults else ""
                self.close_connection = bool(fault)
                if fault == "gone":
                    return
                if fault == "503":
                    self.send_response(503)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                if fault == "hangs":
                    time.sleep(HANG_SECONDS)
                    return
                if fault == "slow":
                    time.sleep(PAUSE_SECONDS)
                connection = http.client.HTTPConnection(LOOPBACK, store.port, timeout=30)
                connection.request(self.command, self.path, body, dict(self.headers))
                reply = connection.getresponse()
                content = reply.read()
                connection.close()
                self.send_response(reply.status)
                for name, value in reply.getheaders():
                    if name.lower() not in HOP_BY_HOP:
                        self.send_header(name, value)
                length = reply.getheader("Content-Length") if self.command == "HEAD" else str(len(content))
                self.send_header("Content-Length", length or "0")
                self.end_headers()
                self.wfile.write(content[: len(content) // 2] if fault == "cut" else content)

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = forward  # noqa: N815 - names of the base class

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
                """Nothing."""

        return Handler
