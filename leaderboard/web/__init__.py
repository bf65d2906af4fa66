"""What every page and API view shares: HTTP helpers, uploads, rate limits, idempotency, error pages, middleware.

Enters: requests. Leaves: responses. Knows no subject of the site.
"""
