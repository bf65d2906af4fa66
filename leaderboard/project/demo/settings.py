"""Settings of the demo. Static files are served from their folders, so that it is ready without collecting them."""

from leaderboard.project.settings import *  # noqa: F403
from leaderboard.project.settings import STORAGES

STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
WHITENOISE_USE_FINDERS = True
