"""Views of the API, one module a subject.

Enters: requests that are authenticated and within their limits (``leaderboard.api.base``). Leaves: responses; each view
finds its object, calls one service or query, and serializes what comes back.
"""
