"""The name of the settings that operators' service files use; the settings are in `leaderboard.project.settings`."""

from leaderboard.project.settings import *  # noqa: F403
