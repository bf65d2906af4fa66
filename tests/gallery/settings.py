"""The site's own settings with the gallery's URLs, templates and style added."""

import os

from leaderboard.project.settings import *  # noqa: F403
from leaderboard.project.settings import BASE_DIR, DATA_DIR, STATICFILES_DIRS, TEMPLATES

LOCALE_PATHS = [DATA_DIR / "pseudo-languages"]
GALLERY_DIR = BASE_DIR / "tests" / "gallery"
ROOT_URLCONF = "tests.gallery.urls"
TEMPLATES = [TEMPLATES[0] | {"DIRS": [*TEMPLATES[0]["DIRS"], GALLERY_DIR / "templates"]}]
STATICFILES_DIRS = [*STATICFILES_DIRS, GALLERY_DIR / "static"]
if os.environ.get("MANYHOP_TEST_CHILD"):  # a developer's browser asks for each file again
    WHITENOISE_MAX_AGE = 3600
