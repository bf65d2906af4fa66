"""Studies in the site's API: an account's studies, read-only.

Enters: a request with a token or a session. Leaves: JSON.
"""
