"""The site's own settings for the bench of its pages, with one view more that does nothing."""

from leaderboard.project.settings import *  # noqa: F403

ROOT_URLCONF = "tests.bench.page_urls"
