"""Settings of the web servers that tests start: as `tests.settings`, with the hashed static files of production."""

from leaderboard import settings as site
from tests.settings import *  # noqa: F403

BENCHMARKS_REFRESH_SECONDS = 0  # what a test imports is there at once
STORAGES = site.STORAGES
