"""Complete addresses of pages, for mails and programs outside."""

from urllib.parse import urljoin

from django.conf import settings


def at_site(path: str) -> str:
    """Address of a page at ``SITE_URL``, whatever address a request names.

    Args:
        path: as `django.urls.reverse` gives it: with the path of ``SITE_URL``, if that has one.
    """
    return urljoin(settings.SITE_URL, path)
