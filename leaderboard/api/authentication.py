"""Token authentication: ``Authorization: Token …`` (or ``Bearer …``)."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from leaderboard.access import TokenError
from leaderboard.accounts import tokens
from leaderboard.models import ApiToken, User

SCHEMES = (b"token", b"bearer")


class TokenAuthentication(BaseAuthentication):
    """Finds the account of an API token; an invalid token is refused instead of being treated as no token."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        parts = get_authorization_header(request).split()
        if not parts or parts[0].lower() not in SCHEMES:
            return None
        try:
            token = tokens.token_of(parts[1].decode("latin-1") if len(parts) == 2 else "")
        except TokenError as error:
            raise AuthenticationFailed(str(error)) from error
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        del request
        return "Token"


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Describes token authentication in the OpenAPI schema."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        del auto_schema
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A token from the account page: `Authorization: Bearer mh_…` (or `Token mh_…`). Its scope "
            "is `read` (GET, and checks of files), `submit` (also submissions and their changes) or `maintain` (also a "
            "maintainer's rights). It expires, and ends when its account gets a new password.",
        }
