"""Moderation: requests to publish, and flags of files, with a maintainer's decision about each."""
