"""Uploaded files in object storage: written once and read whole, whatever the store does."""

import hashlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, default_storage
from django.test import Client

from leaderboard.models import SubmissionFile
from leaderboard.operations.object_storage import storage_settings
from tests import factories
from tests.object_store import ObjectStore

CONTENT = b"\x00generations\n" * 300_000
"""More than is kept in memory."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStore]:
    with ObjectStore(tmp_path_factory.mktemp("store")) as running:
        yield running


@pytest.fixture
def bucket(store: ObjectStore, settings: Any, tmp_path: Path) -> Iterator[Storage]:
    """The site's default storage, in the bucket."""
    settings.MEDIA_ROOT = tmp_path / "uploads"
    settings.STORAGE_URL = store.url
    settings.STORAGES = {**settings.STORAGES, "default": storage_settings(store.url)}
    yield default_storage
    store.faults.clear()
    for name in store.names():
        store.client.delete_object(Bucket=store.bucket, Key=name)


def read(storage: Storage, name: str | None) -> bytes:
    with storage.open(str(name), "rb") as file:
        return bytes(file.read())


@pytest.mark.parametrize(
    ("url", "options"),
    [
        (
            "s3://key:s%2Fecret@store.example:9000/files?region=eu&insecure=1",
            {"bucket_name": "files", "location": "", "region_name": "eu", "endpoint_url": "http://store.example:9000"}
            | {"access_key": "key", "secret_key": "s/ecret"},
        ),
        ("s3:///files/a/b", {"bucket_name": "files", "location": "a/b", "region_name": None, "endpoint_url": None}),
        ("gs://files/a", {"bucket_name": "files", "location": "a", "default_acl": None, "file_overwrite": False}),
        (
            "azure://me:key@/files",
            {"account_name": "me", "account_key": "key", "azure_container": "files", "location": ""},
        ),
    ],
)
def test_an_address_of_a_bucket_becomes_storage_options(url: str, options: dict[str, object]) -> None:
    assert storage_settings(url)["OPTIONS"] == options


@pytest.mark.parametrize(
    "url", ["files", "ftp://h/files", "s3://host", "s3://h/files?regoin=eu", "azure:///files", "gs://"]
)
def test_an_address_of_another_form_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="s3://KEY"):
        storage_settings(url)


def test_a_file_is_written_once_read_whole_and_deleted(bucket: Storage, store: ObjectStore) -> None:
    name = bucket.save("submissions/a/openbook.upload", ContentFile(CONTENT))
    assert name == "submissions/a/openbook.upload"
    assert store.names() == [f"files/{name}"]
    other = bucket.save(name, ContentFile(b"other"))
    assert other != name
    assert (read(bucket, name), read(bucket, other)) == (CONTENT, b"other")
    assert bucket.size(name) == len(CONTENT)
    with pytest.raises(ValueError, match="no address"):
        bucket.url(name)
    with pytest.raises(FileNotFoundError):
        bucket.open("submissions/b")
    bucket.delete(name)
    assert not bucket.exists(name)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["503", "slow", "gone"])
def test_a_store_that_fails_for_a_moment_is_asked_again(bucket: Storage, store: ObjectStore, fault: str) -> None:
    store.faults += [fault, fault]
    name = bucket.save("submissions/a", ContentFile(CONTENT))
    store.faults += [fault, fault]
    assert read(bucket, name) == CONTENT


def test_a_reply_that_breaks_off_is_never_the_end_of_a_file(bucket: Storage, store: ObjectStore) -> None:
    name = bucket.save("submissions/a", ContentFile(CONTENT))
    store.faults += ["", "cut"]  # the second request is for the content
    assert read(bucket, name) == CONTENT
    store.faults += ["", *["cut"] * 50]
    with pytest.raises(OSError, match="object storage failed"):
        bucket.open(name, "rb")


@pytest.mark.slow
def test_a_store_that_does_not_answer_is_an_error_of_the_system(bucket: Storage, store: ObjectStore) -> None:
    store.faults += ["503"] * 200
    for action in (
        lambda: bucket.save("a", ContentFile(b"x")),
        lambda: bucket.open("a"),
        lambda: bucket.exists("a"),
        lambda: bucket.size("a"),
        lambda: bucket.delete("a"),
        lambda: bucket.listdir("a"),
        lambda: bucket.get_modified_time("a"),
    ):
        with pytest.raises(OSError, match="object storage failed"):
            action()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_store_that_hangs_is_answered_with_503_within_20_seconds(
    bucket: Storage, store: ObjectStore, client: Client
) -> None:
    factories.benchmark()
    client.force_login(factories.user())
    client.raise_request_exception = False
    store.faults += ["hangs"] * 20

    def timed(page: str) -> tuple[Any, float]:
        form = factories.form_data() | {"openbook": factories.upload(factories.perfect())}
        begin = time.monotonic()
        return client.post(page, form), time.monotonic() - begin

    _, without_store = timed("/check/")  # a busy machine takes its time for that too
    response, seconds = timed("/submit/")
    assert (response.status_code, response["Cache-Control"]) == (503, "no-store")
    assert seconds < 20 + without_store
    assert not SubmissionFile.objects.exists()


@pytest.mark.django_db
def test_a_submission_keeps_its_bytes_in_the_bucket(bucket: Storage, store: ObjectStore, client: Client) -> None:
    made = factories.benchmark(n_dev=4)
    ada = factories.user()
    factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect(n=4)})
    sent = SubmissionFile.objects.get()
    assert store.names() == [f"files/{sent.original.name}"]
    client.force_login(ada)
    response = client.get(f"/submissions/{sent.submission_id}/files/openbook/")
    content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    assert hashlib.sha256(content).hexdigest() == sent.sha256
    assert client.get("/readyz").json()["files"] == "ok"
    store.faults += ["503"] * 50
    assert "object storage" in client.get("/readyz").json()["files"]
