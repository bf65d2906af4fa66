"""The queries of a page, for tests that their number does not grow."""

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext


def n_queries(client: Client, url: str) -> int:
    """The number of queries of a page that was opened before: the first view fills caches."""
    client.get(url)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(url).status_code == 200
    return len(queries)
