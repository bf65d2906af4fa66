"""Where the web server keeps uploads until they are read, how much that can be, and what is left of it."""

import os
import re
import shlex
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path
from threading import Event

import psutil
import pytest

from leaderboard.web.uploads import max_body_bytes
from tests.paths import ROOT
from tests.processes import child_environment
from tests.services import LOOPBACK, PATIENCE_SECONDS, Process, accepts_connections, free_port, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

BOUNDARY = "a-boundary"
FIELDS = {"closedbook": 32, "openbook": 32, "evidenceprovided": 32, "openbook_passages": 200}
"""The largest request that is received, with the default limits: its files and their sizes in MiB."""
BLOCK = bytes(2**20)
UPLOADS = 8
THREADS = 4
SECONDS = 120


def body() -> Iterator[bytes]:
    for name, size in FIELDS.items():
        yield f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="x"\r\n\r\n'.encode()
        yield from [BLOCK] * size
        yield b"\r\n"
    yield f"--{BOUNDARY}--\r\n".encode()


def upload(port: int, go_on: Event) -> int:
    """The status of the answer to an upload whose last bytes are sent when others have come as far."""

    def held() -> Iterator[bytes]:
        for block in body():
            if block.startswith(f"--{BOUNDARY}--".encode()):
                assert go_on.wait(SECONDS)
            yield block

    connection = HTTPConnection(LOOPBACK, port, timeout=SECONDS)
    headers = {
        "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        "Content-Length": str(sum(map(len, body()))),
        "Cookie": f"csrftoken={'c' * 32}",  # without one, the form is refused before it is read
    }
    connection.request("POST", "/check/", held(), headers)
    return connection.getresponse().status


@pytest.fixture
def server(tmp_path: Path, static_root: Path) -> Iterator[tuple[Process, int]]:
    """The documented web server with its two processes, and its port."""
    [command] = re.findall(r"^\| web server .*`(gunicorn .*)` \|$", (ROOT / "docs/deploy.md").read_text(), re.MULTILINE)
    port = free_port()
    words = shlex.split(command.replace("127.0.0.1:8000", f"{LOOPBACK}:{port}"))
    environment = child_environment(WEB_CONCURRENCY="2", MANYHOP_DATA_DIR=str(tmp_path), STATIC_ROOT=str(static_root))
    environment.pop("TMPDIR", None)
    words[0] = str(Path(sys.executable).with_name(words[0]))
    process = Process("web server", words, tmp_path / "log", environment=environment, directory=ROOT).start()
    try:
        process.wait_until(lambda: accepts_connections(port) and len(folders(tmp_path)) == 2)
        yield process, port
    finally:
        process.stop(signal.SIGTERM)
    assert not folders(tmp_path)


def folders(data: Path) -> set[str]:
    return {path.name for path in data.glob("temporary/*")}


def stored(data: Path) -> int:
    total = 0
    for path in data.glob("temporary/*/*"):
        with suppress(FileNotFoundError):  # the server deletes it just now
            total += path.stat().st_size
    return total


def test_eight_uploads_of_300_mb_at_once_keep_to_the_documented_bound(
    server: tuple[Process, int], tmp_path: Path
) -> None:
    total = sum(FIELDS.values()) * 2**20
    assert max_body_bytes() == total, "the largest upload there is"
    go_on, sizes = Event(), [0, 0]

    def at_rest() -> bool:
        sizes.append(stored(tmp_path))
        return sizes[-1] == sizes[-2] and sizes[-1] >= THREADS * total - 2**22  # what is not yet written is in memory

    with ThreadPoolExecutor(UPLOADS + 2) as pool:
        # The processes need not share them evenly: what one of them has no thread for waits there, unread.
        answers = [pool.submit(upload, server[1], go_on) for _ in range(UPLOADS + 2)]
        try:
            wait_for(at_rest, SECONDS, "as many uploads as there are threads", poll_seconds=1)
        finally:
            go_on.set()
        assert max(sizes) <= UPLOADS * total
        assert {answer.result() for answer in answers} == {403}, "each was read to its end, where it has no token"
    wait_for(lambda: stored(tmp_path) == 0, PATIENCE_SECONDS, "the end of the temporary files")


def test_what_a_killed_process_leaves_is_deleted(server: tuple[Process, int], tmp_path: Path) -> None:
    process, port = server
    before, go_on = folders(tmp_path), Event()
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(upload, port, go_on)
        wait_for(lambda: stored(tmp_path) > 2**20, SECONDS, "an upload")
        children = psutil.Process(process.pid).children()
        [busy] = [child for child in children if any("/temporary/" in file.path for file in child.open_files())]
        os.kill(busy.pid, signal.SIGKILL)
        go_on.set()
        assert isinstance(answer.exception(), OSError)
    wait_for(
        lambda: len(folders(tmp_path) - before) == 1 and len(folders(tmp_path)) == 2,
        PATIENCE_SECONDS,
        "another process",
    )
    assert stored(tmp_path) == 0
