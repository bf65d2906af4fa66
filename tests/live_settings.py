"""Settings of the processes that tests start: as `tests.settings`, with the hashed static files of production, and with
shorter times and limits where the environment of the process names them."""

import os

from leaderboard import settings as site
from tests.settings import *  # noqa: F403

BENCHMARKS_REFRESH_SECONDS = 0  # what a test imports is there at once
STORAGES = site.STORAGES
for name in ("RUN_LEASE_SECONDS", "RUN_RESEND_SECONDS", "JUDGE_RETRY_SECONDS"):
    globals()[name] = int(os.environ.get(name, getattr(site, name)))
PASSAGES_LIMIT_BYTES = int(os.environ.get("PASSAGES_LIMIT_MB", site.PASSAGES_LIMIT_MB)) * 2**20
