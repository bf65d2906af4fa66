"""The REST API under ``/api/v1/``: views, serializers, paging, tokens, the OpenAPI schema and its page.

Enters: requests of programs. Leaves: JSON, and problem details (RFC 9457) where something is wrong. It calls the same
forms, services and queries as the pages.
"""
