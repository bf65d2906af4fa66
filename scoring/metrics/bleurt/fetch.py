"""Download a published checkpoint to this machine: the only code of BLEURT that opens a network connection."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPMessage
from pathlib import Path, PurePosixPath
from typing import IO
from urllib.parse import urlsplit

from scoring.metrics.bleurt.checkpoint import (
    BLEURT_CONFIG,
    CONFIG,
    PICKLED,
    SAFETENSORS,
    SENTENCEPIECE_FILES,
    TOKENISER_CONFIG,
    WORDPIECE_FILE,
    Checkpoint,
)
from scoring.metrics.bleurt.convert import convert
from scoring.metrics.bleurt.published import Published

FETCHABLE = "only https and file URLs can be fetched, and http URLs with a checksum"
NOT_AN_ARCHIVE = "is not a zip archive, or is damaged"
TIMEOUT = 60.0
"""A download fails after this many seconds without a byte."""
CHUNK = 2**20
LARGEST_ARCHIVE = 16 * 2**30
"""The maximum number of bytes that an archive may expand to."""

Say = Callable[[str], None]


class FetchError(Exception):
    """A checkpoint could not be downloaded. The message says why and what to do; no files are left behind."""


class _NotThereError(FetchError):
    """The server does not have the file."""


def fetch(
    published: Published, address: str, destination: Path, say: Say, *, is_archive: bool, sha256: str | None
) -> Checkpoint:
    """Download a checkpoint, verify it, and write it to the new directory *destination* in the layout that scoring
    reads.

    Temporarily needs about three times the checkpoint's size on that disk.

    Args:
        address: The URL of Google's archive, or of the directory of a port's files.
        sha256: Of the archive, or of the port's weights; ``None`` only if the caller explicitly skips the check.

    Raises:
        FetchError: If it cannot be downloaded, or has another SHA-256.
        CheckpointError: If it is not a BLEURT checkpoint, or *destination* exists already.
    """
    destination.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=destination.parent, prefix=f".{destination.name}-") as temporary:
        directory = Path(temporary)
        if is_archive:
            archive = directory / "checkpoint.zip"
            download(address, archive, sha256, say)
            unpacked = directory / "unpacked"
            unpack(archive, unpacked)
            archive.unlink()
        else:
            unpacked = directory / "port"
            unpacked.mkdir()
            # The small files have no published checksums and rely on the encrypted connection.
            base = address.rstrip("/")
            _first_there(base, (CONFIG,), unpacked, None, say)
            _first_there(base, (SENTENCEPIECE_FILES[0], WORDPIECE_FILE), unpacked, None, say)
            with suppress(_NotThereError):
                _first_there(base, (TOKENISER_CONFIG,), unpacked, None, say)
            _first_there(base, (SAFETENSORS, PICKLED), unpacked, sha256, say)
        say("Converting it to the layout used for scoring ...")
        return convert(unpacked, destination, name=published.name, max_length=published.max_length)


def download(address: str, target: Path, sha256: str | None, say: Say) -> str:
    """Download one file and return its SHA-256.

    Args:
        sha256: The expected value, in hex digits, or ``None`` for no check; then the connection must be encrypted.

    Raises:
        FetchError: If the file does not exist, does not arrive completely, or differs.
    """
    scheme = urlsplit(address).scheme
    if scheme not in {"https", "file"} and not (scheme == "http" and sha256):
        raise FetchError(f"{address}: {FETCHABLE}.")
    digest = hashlib.sha256()
    opener = urllib.request.build_opener(_NoDowngrade())
    say(f"Fetching {address} ...")
    try:
        with opener.open(address, timeout=TIMEOUT) as answer, target.open("wb") as file:
            length = int(answer.headers.get("Content-Length") or 0)
            size = 0
            tenths = 0
            while chunk := answer.read(CHUNK):
                digest.update(chunk)
                file.write(chunk)
                size += len(chunk)
                if length and size * 10 // length > tenths:
                    tenths = size * 10 // length
                    say(f"  {tenths * 10} % of {length / 1e6:,.0f} MB")
    except urllib.error.HTTPError as error:
        kind = _NotThereError if error.code == 404 else FetchError
        raise kind(f"{address}: the server answers {error.code} {error.reason}.") from error
    except OSError as error:
        missing = isinstance(getattr(error, "reason", None), FileNotFoundError)
        raise (_NotThereError if missing else FetchError)(f"{address}: {error}.") from error
    if length and size != length:
        raise FetchError(f"{address}: the connection ended after {size:,} of {length:,} bytes. Run the command again.")
    received = digest.hexdigest()
    say(f"  sha256 {received}")
    if sha256 and received != sha256.lower():
        raise FetchError(f"{address}: the sha256 is {received}, not {sha256.lower()}. This is not the requested file.")
    return received


def unpack(archive: Path, directory: Path) -> None:
    """Extract the files of a checkpoint, and no others, from one of Google's archives.

    Raises:
        FetchError: If it is not an archive, is damaged, or contains no BLEURT checkpoint.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = {PurePosixPath(member.filename): member for member in opened.infolist() if not member.is_dir()}
            roots = [path.parent for path in members if path.name == BLEURT_CONFIG]
            if len(roots) != 1:
                raise FetchError(f"{archive.name}: contains {len(roots)} BLEURT checkpoints, where one was expected.")
            wanted = {path: members[path] for path in members if _belongs(path, roots[0])}
            if sum(member.file_size for member in wanted.values()) > LARGEST_ARCHIVE:
                raise FetchError(f"{archive.name}: the content is larger than {LARGEST_ARCHIVE:,} bytes.")
            for path, member in wanted.items():
                target = directory / path.relative_to(roots[0])
                target.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(member) as packed, target.open("wb") as file:
                    shutil.copyfileobj(packed, file, CHUNK)
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise FetchError(f"{archive.name}: {NOT_AN_ARCHIVE}.") from error


def _belongs(path: PurePosixPath, root: PurePosixPath) -> bool:
    """Whether a member of an archive is a file of the checkpoint at *root*. False for any path with ``..``."""
    if path.parent == root:
        return path.suffix in {".json", ".txt", ".model"}
    return path.parent == root / "variables" and path.name.startswith("variables.")


def _first_there(base: str, names: tuple[str, ...], directory: Path, sha256: str | None, say: Say) -> None:
    for name in names:
        try:
            download(f"{base}/{name}", directory / name, sha256, say)
        except _NotThereError:
            (directory / name).unlink(missing_ok=True)
        else:
            return
    raise _NotThereError(f"{base}: has no {' and no '.join(names)}.")


class _NoDowngrade(urllib.request.HTTPRedirectHandler):
    """Follows redirects, except from an encrypted connection to an unencrypted one."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        if req.type == "https" and urlsplit(newurl).scheme != "https":
            raise FetchError(f"{req.full_url}: redirects to {newurl}, which is not encrypted.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)
