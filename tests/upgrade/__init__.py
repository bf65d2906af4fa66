"""The upgrade of a site of version 0.7.0, filled with made-up data in every table."""
