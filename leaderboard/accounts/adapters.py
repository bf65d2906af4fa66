"""Adapters that change the behaviour of django-allauth for this site."""

import logging
import secrets
import smtplib
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.stages import EmailVerificationStage
from allauth.account.utils import passthrough_next_redirect_url
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.core.management import get_commands
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from leaderboard.models import User
from leaderboard.models.people import FOREIGN_NAME, LIKE_ANOTHER
from leaderboard.web.rate_limits import address_of
from leaderboard.web.site_address import at_site

MAIL_SENT: Final = "account/messages/email_confirmation_sent.txt"
MAIL_FAILED: Final = (
    "We could not send the email because the mail server is unavailable. No changes were lost; try again later."
)
logger = logging.getLogger(__name__)


class VerifyAddress(EmailVerificationStage):
    """Requires a verified email address before an account can sign in.

    Accounts from the operator are exempt: maintainers, and accounts that were created without an address.
    """

    def handle(self) -> tuple[HttpResponse | None, bool]:
        user = self.login.user
        if isinstance(user, User) and (user.is_staff or not user.email):
            return None, True
        outcome: tuple[HttpResponse | None, bool] = super().handle()
        return outcome


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "email_password_mismatch": "Incorrect email address or password.",
        "username_password_mismatch": "Incorrect username or password.",
        "incorrect_password": "Incorrect password.",
        "enter_current_password": "Incorrect current password.",
        "duplicate_email": "This email address is already on your account.",
        "foreign_name": FOREIGN_NAME,
        "like_another": LIKE_ANOTHER,
        "username_blacklisted": "This username is already taken.",
        "rate_limited": "Too many requests. Wait a few minutes, then try again.",
    }

    def get_login_stages(self) -> list[str]:
        ours = f"{VerifyAddress.__module__}.{VerifyAddress.__qualname__}"
        theirs = f"{EmailVerificationStage.__module__}.{EmailVerificationStage.__qualname__}"
        return [ours if stage == theirs else stage for stage in super().get_login_stages()]

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """A username that no other account or command has, since the audit log identifies both by their names, that
        looks like no other account's, and that is no email address, since invitations name it.

        Raises:
            ValidationError: the name is invalid.
        """
        if username.lower() in get_commands():
            raise self.validation_error("username_blacklisted")
        if "@" in username and not shallow:
            raise self.validation_error("foreign_name")
        cleaned = str(super().clean_username(username, shallow))
        if not shallow and User.look_alikes(cleaned).exists():
            raise self.validation_error("like_another")
        return cleaned

    def generate_unique_username(self, txts: list[str | None], regex: str | None = None) -> str:
        """A username for somebody who comes from another site, which looks like no other account's."""
        username = str(super().generate_unique_username(txts, regex))
        while User.look_alikes(username).exists():
            username = str(super().generate_unique_username([f"{username}{secrets.randbelow(1000)}"], regex))
        return username

    def get_client_ip(self, request: HttpRequest) -> str:
        return address_of(request)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def is_safe_url(self, url: str) -> bool:
        """Whether to go on at *url*: at pages of this site alone, whatever else ``ALLOWED_HOSTS`` names, and whatever
        else is on its host beside its path."""
        home = reverse("home")
        return url_has_allowed_host_and_scheme(url, allowed_hosts=None) and urljoin(home, url).startswith(home)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: Any) -> str:
        """The link of a verification email, with the page that its reader was going to."""
        link = super().get_email_confirmation_url(request, emailconfirmation)
        return str(passthrough_next_redirect_url(request, link, REDIRECT_FIELD_NAME))

    def get_email_verification_redirect_url(self, email_address: Any) -> str:
        return reverse("account" if self.request.user.is_authenticated else "sign-in")

    def format_email_subject(self, subject: str) -> str:
        return f"{settings.SITE_NAME}: {subject}"

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send an email. If the mail server is unavailable, the page explains how to get the email later.

        Links lead to ``SITE_URL``, as in all emails of the site: a client chooses host and port of its request (within
        ``ALLOWED_HOSTS``), and the email may be for another person.
        """
        links = {
            name: at_site(urlsplit(value)._replace(scheme="", netloc="").geturl())
            for name, value in context.items()
            if name.endswith("_url") and isinstance(value, str)
        }
        try:
            super().send_mail(template_prefix, email, {"site_name": settings.SITE_NAME} | context | links)
        except (OSError, smtplib.SMTPException) as error:
            logger.warning("Could not send an account email: %s", type(error).__name__)
            if self.request is not None:
                self.request.mail_failed = True
                messages.error(
                    self.request,
                    MAIL_FAILED,
                )

    def add_message(
        self,
        request: HttpRequest,
        level: int,
        message_template: str | None = None,
        message_context: dict[str, Any] | None = None,
        extra_tags: str = "",
        message: str | None = None,
    ) -> None:
        """Show a message on the next page, unless it says that an email was sent and none was."""
        if message_template == MAIL_SENT and getattr(request, "mail_failed", False):
            return
        super().add_message(request, level, message_template, message_context, extra_tags, message)


class SecondFactorAdapter(DefaultMFAAdapter):
    """Second factors: authenticator apps, passkeys and recovery codes."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": "This did not work. Try again.",
        "cannot_generate_recovery_codes": "Recovery codes replace a lost second factor. Set one up first.",
    }

    def build_totp_svg(self, url: str) -> str:
        """A QR code as an ``svg`` element to be part of a page, without the declaration of an XML file."""
        return str(super().build_totp_svg(url)).partition("?>")[2].strip()

    def generate_authenticator_name(self, user: Any, kind: Any) -> str:
        return f"Passkey {Authenticator.objects.filter(user=user, type=kind).count() + 1}"
