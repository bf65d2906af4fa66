"""The name that ``celery -A leaderboard.celery:app`` uses; the application is in `leaderboard.project.celery`."""

from leaderboard.project.celery import app as app
