"""The WSGI entry point: ``gunicorn leaderboard.wsgi``."""

import os

from django.core.wsgi import get_wsgi_application

from leaderboard.web.uploads import require_whole_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
application = require_whole_bodies(get_wsgi_application())
