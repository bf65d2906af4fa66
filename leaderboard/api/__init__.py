"""The REST API under ``/api/v1/``: views, serializers, pagination, tokens, the OpenAPI schema and its page.

Programs get JSON, and problem details (RFC 9457) for errors. The API calls the same forms, services and queries as the
pages.
"""
