"""Template tags and filters of studies."""
