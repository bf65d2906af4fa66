"""Views of the API, one module per subject.

Enters: requests that are authenticated and within their rate limits (``leaderboard.api.base``). Leaves: responses; each
view finds its object, calls one service or query, and serializes the result.
"""
