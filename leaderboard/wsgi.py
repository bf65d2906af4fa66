"""The name that ``gunicorn leaderboard.wsgi`` uses; the entry point is in `leaderboard.project.wsgi`."""

from leaderboard.project.wsgi import application as application
