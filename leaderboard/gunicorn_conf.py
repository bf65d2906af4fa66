"""The earlier path of gunicorn's configuration: service files written before version 0.6 name it."""

from leaderboard.operations.processes.gunicorn import *  # noqa: F403
