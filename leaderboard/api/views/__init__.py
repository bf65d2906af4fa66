"""Views of the API, one module per subject.

Requests are authenticated and within their rate limits already (``leaderboard.api.base``). Each view finds its object,
calls one service or query, and serializes the result.
"""
