"""The WSGI entry point: ``gunicorn leaderboard.wsgi``."""

import os

from django.core.wsgi import get_wsgi_application

from leaderboard.operations import setting_rules
from leaderboard.web.uploads import enforce_content_length

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.project.settings")
application = enforce_content_length(get_wsgi_application())
setting_rules.refuse_invalid()
