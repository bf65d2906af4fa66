"""Files that people write: declarations, questions, answers. Every mistake in one is named with file, line and key."""

from typing import Final

URL: Final = r"https?://[^\s<>\"]+"
"""An address that pages may link to, as a regular expression."""
