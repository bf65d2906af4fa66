"""Studies in the site's API: an account's studies, read-only."""
