"""Other sites that users can sign in with, as configured in the settings."""

from typing import Any


def providers(*, github: tuple[str, str], oidc: tuple[str, str, str, str]) -> dict[str, Any]:
    """The configuration of the providers for django-allauth; a site that is not configured is left out.

    Args:
        github: a GitHub application's id and secret.
        oidc: of an OpenID Connect site: its name on the button, its issuer (a web address), and the id and secret
            that it issued to this site.

    Raises:
        ValueError: one of a site's settings is given and another is not.

    >>> providers(github=("", ""), oidc=("A lab", "", "", ""))
    {}
    """
    configured: dict[str, Any] = {}
    if any(github):
        if not all(github):
            raise ValueError("Set both GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET, or neither.")
        app = {"name": "GitHub", "client_id": github[0], "secret": github[1]}
        configured["github"] = {"APPS": [app], "SCOPE": ["user:email"]}
    name, issuer, client_id, secret = oidc
    if any((issuer, client_id, secret)):
        if not all((issuer, client_id, secret)):
            raise ValueError("Set all of OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or none.")
        if not issuer.startswith(("https://", "http://127.0.0.1", "http://localhost")):
            raise ValueError("OIDC_ISSUER is not an https:// URL.")
        at = {"server_url": issuer.rstrip("/")}
        known = {"provider_id": "oidc", "name": name, "client_id": client_id, "secret": secret, "settings": at}
        configured["openid_connect"] = {"APPS": [known], "OAUTH_PKCE_ENABLED": True}
    return configured
