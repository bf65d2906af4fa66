"""Code that every page and API view shares: HTTP helpers, uploads, rate limits, idempotency, error pages, middleware.

Enters: requests. Leaves: responses. Independent of the site's subjects.
"""
