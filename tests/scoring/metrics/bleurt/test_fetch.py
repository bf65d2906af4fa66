import hashlib
import re
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from scoring.metrics.bleurt import Bleurt
from scoring.metrics.bleurt.__main__ import NOT_PUBLISHED, main
from scoring.metrics.bleurt.fetch import FETCHABLE, NOT_AN_ARCHIVE, FetchError, download, fetch, unpack
from scoring.metrics.bleurt.published import Published
from tests.scoring.metrics.bleurt.checkpoints import REMBERT, Tiny
from tests.scoring.metrics.bleurt.test_convert import write_google

pytestmark = pytest.mark.slow

TINY = Published("BLEURT-tiny-test", 48, "", None)


def quiet(_: str) -> None:
    pass


@contextmanager
def served(answers: dict[str, bytes | int], *, cut: int = 0, location: str = "") -> Iterator[str]:
    """A web server with these files (or status codes); of each file it keeps back the last *cut* bytes."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = answers.get(self.path, 404)
            self.send_response(answer if isinstance(answer, int) else 200)
            if location:
                self.send_header("Location", location)
            body = b"" if isinstance(answer, int) else answer
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) - cut])

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory, sentencepiece_model: bytes) -> Path:
    """One of Google's archives, with things in it that nobody asked for."""
    directory = tmp_path_factory.mktemp("archive")
    write_google(directory / "BLEURT-tiny-test", REMBERT, sentencepiece_model)
    path = directory / "checkpoint.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for file in sorted((directory / "BLEURT-tiny-test").rglob("*")):
            packed.write(file, file.relative_to(directory))
        packed.writestr("BLEURT-tiny-test/saved_model.pb", b"graph")
        packed.writestr("BLEURT-tiny-test/../../escaped.txt", b"out")
        packed.writestr("__MACOSX/._bert_config.json", b"junk")
    return path


# ---- downloads


def test_a_file_is_fetched_and_verified(tmp_path: Path) -> None:
    content = b"weights" * 400_000
    said: list[str] = []
    with served({"/w": content}) as address:
        found = download(f"{address}/w", tmp_path / "w", sha256(content).upper(), said.append)
        assert found == sha256(content)
        assert (tmp_path / "w").read_bytes() == content
        assert f"  sha256 {found}" in said
        assert any("% of 3 MB" in line for line in said)
        with pytest.raises(FetchError, match=f"the sha256 is {found}, not {'0' * 64}"):
            download(f"{address}/w", tmp_path / "w", "0" * 64, quiet)
        with pytest.raises(FetchError, match="the server answers 404"):
            download(f"{address}/x", tmp_path / "x", sha256(content), quiet)


def test_a_connection_that_ends_early_is_an_error(tmp_path: Path) -> None:
    with (
        served({"/w": b"x" * 5000}, cut=10) as address,
        pytest.raises(FetchError, match=r"after 4,990 of 5,000 bytes|IncompleteRead"),
    ):
        download(f"{address}/w", tmp_path / "w", "0" * 64, quiet)


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/w", "ftp://127.0.0.1/w", "data:text/plain,w", "/etc/passwd"])
def test_only_encrypted_or_verified_downloads(tmp_path: Path, address: str) -> None:
    with pytest.raises(FetchError, match=re.escape(FETCHABLE)):
        download(address, tmp_path / "w", None, quiet)


def test_an_encrypted_connection_is_not_left(tmp_path: Path) -> None:
    from email.message import Message
    from http.client import HTTPMessage
    from urllib.request import Request

    from scoring.metrics.bleurt.fetch import _NoDowngrade

    headers = HTTPMessage()
    assert isinstance(headers, Message)
    with pytest.raises(FetchError, match="redirects to http://elsewhere/w, "):
        _NoDowngrade().redirect_request(Request("https://hub/w"), None, 302, "", headers, "http://elsewhere/w")  # type: ignore[arg-type]
    followed = _NoDowngrade().redirect_request(Request("https://hub/w"), None, 302, "", headers, "https://cdn/w")  # type: ignore[arg-type]
    assert followed is not None
    assert followed.full_url == "https://cdn/w"


# ---- archives


def test_only_the_checkpoints_files_leave_the_archive(tmp_path: Path, archive: Path) -> None:
    unpack(archive, tmp_path / "deep" / "unpacked")
    assert sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()) == [
        "deep/unpacked/bert_config.json",
        "deep/unpacked/bleurt_config.json",
        "deep/unpacked/sent_piece.model",
        "deep/unpacked/variables/variables.data-00000-of-00001",
        "deep/unpacked/variables/variables.index",
    ]


def test_archives_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, archive: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"<html>quota exceeded</html>")
    with pytest.raises(FetchError, match=re.escape(f"a.zip: {NOT_AN_ARCHIVE}")):
        unpack(tmp_path / "a.zip", tmp_path / "a")
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as packed:
        packed.writestr("readme.txt", "nothing")
    with pytest.raises(FetchError, match="contains 0 BLEURT checkpoints"):
        unpack(tmp_path / "b.zip", tmp_path / "b")
    damaged = bytearray(archive.read_bytes())
    damaged[5000] ^= 1
    (tmp_path / "c.zip").write_bytes(damaged)
    with pytest.raises(FetchError, match=re.escape(f"c.zip: {NOT_AN_ARCHIVE}")):
        unpack(tmp_path / "c.zip", tmp_path / "c")
    monkeypatch.setattr("scoring.metrics.bleurt.fetch.LARGEST_ARCHIVE", 1000)
    with pytest.raises(FetchError, match="1,000 bytes"):
        unpack(archive, tmp_path / "d")


# ---- whole checkpoints


def test_from_google(tmp_path: Path, archive: Path) -> None:
    content = archive.read_bytes()
    with served({"/BLEURT.zip": content}) as address:
        target = tmp_path / "new" / "it"
        checkpoint = fetch(TINY, f"{address}/BLEURT.zip", target, quiet, is_archive=True, sha256=sha256(content))
    assert (checkpoint.name, checkpoint.max_length) == ("BLEURT-tiny-test", 48)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["it"]


def test_from_a_hub(tmp_path: Path, rembert: Tiny) -> None:
    address = rembert.directory.as_uri() + "/"
    checkpoint = fetch(TINY, address, tmp_path / "it", quiet, is_archive=False, sha256=None)
    assert (checkpoint.name, checkpoint.max_length) == ("BLEURT-tiny-test", 48)
    assert [path.name for path in tmp_path.iterdir()] == ["it"]


def test_nothing_is_left_of_a_checkpoint_that_was_not_asked_for(tmp_path: Path, rembert: Tiny, archive: Path) -> None:
    for path, is_archive in ((rembert.directory, False), (archive, True)):
        with pytest.raises(FetchError, match=f"not {'0' * 64}"):
            fetch(TINY, path.as_uri(), tmp_path / "it", quiet, is_archive=is_archive, sha256="0" * 64)
    assert list(tmp_path.iterdir()) == []


def test_a_hub_without_it(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=r"has no config\.json"):
        fetch(TINY, tmp_path.as_uri(), tmp_path / "it", quiet, is_archive=False, sha256=None)


# ---- the command


def test_a_checksum_or_a_decision_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fetch", "BLEURT-20", str(tmp_path / "it")]) == 1
    assert "--no-checksum" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_command_fetches_and_checks(tmp_path: Path, rembert: Tiny, capsys: pytest.CaptureFixture[str]) -> None:
    weights = sha256((rembert.directory / "model.safetensors").read_bytes())
    arguments = ["--address", rembert.directory.as_uri(), "--sha256", weights]
    assert main(["fetch", "bleurt-large-128", str(tmp_path / "it"), *arguments]) == 1  # 128 is more than it can read
    assert "cuts pairs to 128 tokens" in capsys.readouterr().err
    assert main(["convert", str(rembert.directory), str(tmp_path / "it"), "--name", "mine", "--max-length", "40"]) == 0
    output = capsys.readouterr().out
    assert "mine, " in output
    assert " 40 tokens" in output
    assert Bleurt(tmp_path / "it").signature() in output
    assert NOT_PUBLISHED in output
    assert main(["check", str(tmp_path / "it")]) == 0


def test_weights_that_score_otherwise_than_published_are_told(
    tmp_path: Path, rembert: Tiny, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["convert", str(rembert.directory), str(tmp_path / "it"), "--name", "BLEURT-20"]) == 1
    assert "BLEURT-20 are 0.9990 and 0.7930" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["fetch", "BLEURT-21", "x"], ["fetch", "BLEURT-20", "x", "--sha256", "abc"]])
def test_wrong_arguments(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 2
