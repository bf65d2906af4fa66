"""Where the checkout is, for tests that read its files."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
