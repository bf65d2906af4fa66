"""``python -m manyhop``: the command `manyhop`."""

import sys

from manyhop.cli import main

if __name__ == "__main__":
    sys.exit(main())
