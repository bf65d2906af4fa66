"""A full disk and an unavailable database: recognised, said plainly at every door, and nothing half done is left."""

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.db import DatabaseError, OperationalError, connection, connections, transaction
from django.db.utils import ConnectionHandler
from django.test import Client
from pytest_django import Settings

from leaderboard.models import IdempotentRequest, Submission, User
from leaderboard.web import error_pages
from leaderboard.web.failures import Failure, failure_of, may_be_committed
from scoring.models import Benchmark
from tests import factories
from tests.reliability.ground import rows

API = "/api/v1/submissions/"
ENGINE = "django.db.backends."


@pytest.fixture
def uploads(tmp_path: Path, settings: Settings) -> Path:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path / "temporary")
    (tmp_path / "temporary").mkdir()
    return tmp_path


@pytest.fixture
def made(db: None) -> Benchmark:
    return factories.benchmark()


@pytest.fixture
def site(made: Benchmark, ada: User) -> Client:
    """A browser with a session and a token, which sees error pages as people do."""
    client = Client(raise_request_exception=False)
    client.force_login(ada)
    client.defaults["HTTP_AUTHORIZATION"] = factories.token_of(ada)["Authorization"]
    return client


def send(site: Client, path: str, **headers: str) -> Any:
    files = {
        "closedbook": factories.upload(factories.perfect(right=2)),
        "openbook": factories.upload(factories.perfect()),
    }
    return site.post(path, factories.form_data() | files, headers=headers)


def files_in(folder: Path) -> list[Path]:
    """The files below a folder, and the folders without any."""
    return [path for path in folder.rglob("*") if path.is_file() or path.parent.name == "submissions"]


def full(*arguments: object, **options: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class TestAFullDisk:
    @pytest.mark.slow
    @pytest.mark.parametrize("path", ["/submit/", API, f"{API}validate/", "/check/"])
    @pytest.mark.parametrize("when", ["the request is received", "a file is stored", "the second file is stored"])
    def test_nothing_is_saved(
        self, site: Client, uploads: Path, monkeypatch: pytest.MonkeyPatch, path: str, when: str
    ) -> None:
        stores = path in ("/submit/", API)
        if when == "the request is received":
            monkeypatch.setattr(TemporaryUploadedFile, "write", full, raising=False)
        elif stores:
            fsync, calls = os.fsync, [0]

            def flush(descriptor: int) -> None:
                calls[0] += stat.S_ISREG(os.fstat(descriptor).st_mode)
                return full() if calls[0] > when.startswith("the second") else fsync(descriptor)

            monkeypatch.setattr(os, "fsync", flush)
        before = rows()
        response = send(site, path, **({"Idempotency-Key": "one"} if path == API else {}))
        expected = 507 if stores or when == "the request is received" else 200
        assert response.status_code == expected
        if expected == 507:
            assert "Nothing was saved" in response.content.decode()
            assert response["Cache-Control"] == "no-store"
            assert (response["Content-Type"] == "application/problem+json") is path.startswith("/api/")
        assert rows() == before
        assert not files_in(uploads)
        monkeypatch.undo()
        assert send(site, path).status_code in (200, 201, 302), "afterwards it works again"

    @pytest.mark.parametrize("path", ["/submit/", API])
    @pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES])
    def test_of_which_nothing_can_be_written(
        self, site: Client, uploads: Path, monkeypatch: pytest.MonkeyPatch, path: str, code: int
    ) -> None:
        def refuse(**options: object) -> None:
            raise OSError(code, os.strerror(code), "/secret/place")

        monkeypatch.setattr(tempfile, "NamedTemporaryFile", refuse)
        before = rows()
        response = send(site, path)
        assert (response.status_code, response["Retry-After"], response["Cache-Control"]) == (503, "30", "no-store")
        assert error_pages.READ_ONLY in response.content.decode()
        assert b"/secret" not in response.content
        assert rows() == before
        assert not files_in(uploads)
        monkeypatch.undo()
        assert send(site, path).status_code in (201, 302), "afterwards it works again"

    def test_of_the_database_in_a_commit(
        self, site: Client, uploads: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
    ) -> None:
        def commit_fails(*arguments: object, **options: object) -> None:
            raise OperationalError("full") from _postgres("53100")

        monkeypatch.setattr(IdempotentRequest, "save", commit_fails)  # after the files were written
        response = send(site, API, **{"Idempotency-Key": "one"})
        assert (response.status_code, response.json()["detail"]) == (
            507,
            error_pages.DISK_FULL,
        )
        assert not files_in(uploads)
        assert not Submission.objects.exists()

    @pytest.mark.parametrize("size", [0, 1, 5 * 2**20])
    def test_a_stored_file_is_whole_and_its_owners_alone(self, uploads: Path, size: int) -> None:
        name = default_storage.save("a/b/c.upload", ContentFile(b"x" * size))
        path = Path(default_storage.path(name))
        assert name == "a/b/c.upload"
        assert path.stat().st_size == size
        assert [stat.S_IMODE(one.stat().st_mode) for one in (path, path.parent, path.parent.parent)] == [
            0o600, 0o700, 0o700,
        ]  # fmt: skip
        second = default_storage.save("a/b/c.upload", ContentFile(b"another"))
        assert second != name
        assert path.stat().st_size == size
        assert len(files_in(uploads)) == 2

    def test_a_file_that_breaks_off_leaves_nothing(self, uploads: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(self: object, chunk_size: int | None = None) -> Iterator[bytes]:
            yield b"half"
            full()

        monkeypatch.setattr(ContentFile, "chunks", broken)
        with pytest.raises(OSError, match="No space"):
            default_storage.save("a/b.upload", ContentFile(b""))
        assert not files_in(uploads)
        assert not (uploads / "uploads" / "a").exists()


def _postgres(code: str | None) -> psycopg.Error:
    error = psycopg.OperationalError("never shown")
    error.sqlstate = code
    return error


class _LosesCommits:
    """A database connection that ends when a submission is committed: before that is done, or after."""

    def __init__(self, real: Any, *, done: bool) -> None:
        vars(self).update(real=real, done=done)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.real, name, value)

    def commit(self) -> None:
        (stored,) = self.real.execute("SELECT COUNT(*) FROM leaderboard_submission").fetchone()
        if self.done or not stored:
            self.real.commit()
        else:
            self.real.rollback()
        if not stored:
            return
        raise OperationalError("server closed the connection") from _postgres(None)


@pytest.mark.django_db(transaction=True)
class TestADatabaseThatIsAway:
    @pytest.fixture
    def away(self, site: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*arguments: object) -> None:
            raise OperationalError("connection refused") from _postgres(None)

        connection.close()
        monkeypatch.setattr(type(connections["default"]), "get_new_connection", refuse)

    @pytest.mark.usefixtures("away")
    def test_every_door_says_so(self, site: Client, uploads: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for path in ("/", "/submit/", "/about/", "/fanoutqa/dev/openbook/", "/api/v1/systems/", API):
            response = site.get(path)
            assert (response.status_code, response["Retry-After"]) == (503, "30"), path
            assert error_pages.DATABASE_UNAVAILABLE in response.content.decode()
        for path in ("/submit/", API):
            response = send(site, path)
            assert (response.status_code, response["Cache-Control"]) == (503, "no-store")
            assert "Nothing was changed." in response.content.decode()
        assert "may_be_stored" not in response.json()
        assert site.get("/healthz").status_code == 200
        assert not files_in(uploads)
        monkeypatch.undo()

    @pytest.mark.slow
    @pytest.mark.parametrize("done", [True, False])
    @pytest.mark.parametrize("key", ["one", ""])
    def test_a_submission_that_may_be_committed(self, site: Client, uploads: Path, *, done: bool, key: str) -> None:
        headers = {"Idempotency-Key": key} if key else {}
        connection.ensure_connection()
        real = connection.connection
        connection.connection = _LosesCommits(real, done=done)
        try:
            response = send(site, API, **headers)
        finally:
            connection.connection = real
        problem = response.json()
        assert (response.status_code, problem["may_be_stored"], response["Retry-After"]) == (503, True, "30")
        assert "Idempotency-Key" in problem["detail"]
        assert Submission.objects.count() == done
        if done:
            assert all(default_storage.exists(str(file.original.name)) for file in Submission.objects.get().files.all())
        again = send(site, API, **headers)
        assert again.status_code == (200 if done and key else 201)
        assert Submission.objects.count() == (2 if done and not key else 1)


@pytest.mark.django_db
class TestRecognised:
    def opened(self, **options: Any) -> Any:
        return ConnectionHandler({"default": options})["default"]

    def raised(self, do: Callable[[], object]) -> DatabaseError:
        with pytest.raises(DatabaseError) as raised:
            do()
        return raised.value

    def test_a_server_that_is_not_there(self) -> None:
        server = self.opened(ENGINE=f"{ENGINE}postgresql", NAME="x", HOST="127.0.0.1", PORT="1", USER="x")
        assert failure_of(self.raised(server.ensure_connection)) == Failure.UNREACHABLE

    def test_an_unreachable_busy_or_full_sqlite_is_told_apart(self, tmp_path: Path) -> None:
        absent = self.opened(ENGINE=f"{ENGINE}sqlite3", NAME=str(tmp_path / "absent" / "db"))
        assert failure_of(self.raised(absent.ensure_connection)) == Failure.UNREACHABLE
        names = {"ENGINE": f"{ENGINE}sqlite3", "NAME": str(tmp_path / "db"), "OPTIONS": {"timeout": 0.01}}
        one, other = self.opened(**names), self.opened(**names)
        cursor = one.cursor()
        cursor.execute("CREATE TABLE texts (text)")
        cursor.execute("PRAGMA max_page_count=4")
        assert failure_of(self.raised(lambda: cursor.execute("SELECT * FROM absent"))) is None
        full = self.raised(lambda: cursor.execute("INSERT INTO texts VALUES (%s)", ["x" * 100_000]))
        assert failure_of(full) == Failure.DISK_FULL
        cursor.execute("BEGIN IMMEDIATE")
        locked = self.raised(lambda: other.cursor().execute("BEGIN IMMEDIATE"))
        assert failure_of(locked) == Failure.INTERRUPTED
        assert not may_be_committed(locked)
        one.close()
        other.close()

    @pytest.mark.parametrize(
        ("code", "failure"),
        [
            ("53100", Failure.DISK_FULL),
            ("57P01", Failure.INTERRUPTED),
            ("08006", Failure.INTERRUPTED),
            ("40P01", Failure.INTERRUPTED),
            ("53300", Failure.INTERRUPTED),
            (None, Failure.INTERRUPTED),
            ("42P01", None),
            ("23505", None),
        ],
    )
    def test_codes_of_postgresql_tell_the_failure_also_when_wrapped(
        self, code: str | None, failure: Failure | None
    ) -> None:
        error = OperationalError("x")
        error.__cause__ = _postgres(code)
        wrapped = RuntimeError()
        wrapped.__cause__ = error
        assert failure_of(error) == failure_of(wrapped) == failure
        assert not may_be_committed(error), "it was not raised by a commit"

    @pytest.mark.parametrize("error", [OSError(errno.ENOENT, "x"), OSError("x"), ValueError(), None])
    def test_other_errors_are_no_failure_of_the_site(self, error: Exception | None) -> None:
        assert failure_of(error) is None

    @pytest.mark.postgres
    @pytest.mark.django_db(transaction=True)
    def test_a_connection_that_the_server_ends(self) -> None:
        def end() -> None:
            with psycopg.connect(
                **connection.get_connection_params() | {"context": None, "cursor_factory": None}
            ) as it:
                it.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])

        def in_a_transaction(last: Callable[[], object]) -> None:
            with transaction.atomic():
                User.objects.exists()
                end()
                last()

        error = self.raised(lambda: in_a_transaction(User.objects.exists))
        assert failure_of(error) == Failure.INTERRUPTED
        assert not may_be_committed(error)
        connection.close()
        error = self.raised(lambda: in_a_transaction(lambda: None))
        assert failure_of(error) == Failure.INTERRUPTED
        assert may_be_committed(error)
        connection.close()
