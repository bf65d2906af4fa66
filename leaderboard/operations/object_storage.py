"""Uploaded files in object storage instead of a directory, by ``STORAGE_URL``.

The storage names objects as it would name files, so that files move either way without a change in the database. Nobody
but the site reads the objects: no address of one is ever given out. An object is written once; the store compares it
with its SHA-256 before it exists.
"""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.files import File

SCHEMES: Final = {
    "s3": "leaderboard.operations.bucket.BucketStorage",
    "gs": "storages.backends.gcloud.GoogleCloudStorage",
    "azure": "storages.backends.azure_storage.AzureStorage",
}
"""The storage class of each scheme. The classes of the last two are those of django-storages as they are."""
FORM: Final = (
    "s3://KEY:SECRET@HOST/BUCKET/PREFIX?region=REGION, gs://BUCKET/PREFIX or azure://ACCOUNT:KEY@/CONTAINER/PREFIX"
)


def storage_settings(url: str) -> dict[str, Any]:
    """The entry of Django's ``STORAGES`` for an address.

    ``insecure=1`` in the query is for a store without TLS on the same network. Without ``KEY:SECRET@``, the library
    looks for credentials as all programs of the provider do (environment, role of the machine).

    Raises:
        ValueError: the address has another form, which the message says.

    >>> storage_settings("s3://key:secret@s3.example.org/manyhop/files?region=eu")["OPTIONS"]["bucket_name"]
    'manyhop'
    """
    parts = urlsplit(url)
    bucket, _, prefix = parts.path.strip("/").partition("/")
    host = (parts.hostname or "") + (f":{parts.port}" if parts.port else "")
    if parts.scheme == "gs":
        bucket, prefix = host, parts.path.strip("/")
    options = dict(parse_qsl(parts.query))
    unknown = set(options) - {"region", "insecure"}
    if parts.scheme not in SCHEMES or not bucket or unknown or (parts.scheme == "azure" and not parts.username):
        raise ValueError(f"It must be {FORM}.")
    key, secret = unquote(parts.username or ""), unquote(parts.password or "")
    by_scheme: dict[str, dict[str, Any]] = {
        "s3": {
            "bucket_name": bucket,
            "location": prefix,
            "region_name": options.get("region"),
            "endpoint_url": f"http{'' if options.get('insecure') == '1' else 's'}://{host}" if host else None,
            **({"access_key": key, "secret_key": secret} if key else {}),
        },
        "gs": {"bucket_name": bucket, "location": prefix, "default_acl": None, "file_overwrite": False},
        "azure": {"account_name": key, "account_key": secret, "azure_container": bucket, "location": prefix},
    }
    return {"BACKEND": SCHEMES[parts.scheme], "OPTIONS": by_scheme[parts.scheme]}


class StoreUnavailableError(OSError):
    """The object storage failed or did not answer."""


@contextmanager
def errors_as_os_errors(name: str) -> Iterator[None]:
    """Turn every error of the library into a `StoreUnavailableError`: requests are answered with 503, and runs are
    tried again. Errors of this machine's disk, and of a file that does not exist, stay what they are."""
    try:
        yield
    except FileNotFoundError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        what = f"the object storage failed ({type(error).__name__})"
        raise StoreUnavailableError(errno.EIO, what, name) from error


@contextmanager
def seekable(content: "File[Any]") -> Iterator["File[Any]"]:
    """Copy of a content in a file that can be read again: an upload may have to be repeated."""
    stream = content.file if content.file is not None else content
    if getattr(stream, "seekable", lambda: False)():
        yield content
        return
    with tempfile.TemporaryFile() as file:
        for block in content.chunks():
            file.write(block)
        file.seek(0, os.SEEK_SET)
        yield File(file, name=content.name)
