"""Studies in the site's API: an account's studies, to be read.

Enters: a request with a token or a session. Leaves: JSON.
"""
