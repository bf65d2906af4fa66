#!/usr/bin/env python
"""Django's command-line utility for Manyhop."""

import sys

from leaderboard.project.command_line import main

if __name__ == "__main__":
    main(sys.argv[0], sys.argv[1:])
