"""Code that every page and API view shares: HTTP helpers, uploads, rate limits, idempotency, error pages, middleware.

It is independent of the site's subjects.
"""
