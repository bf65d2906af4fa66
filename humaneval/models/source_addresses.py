"""Addresses of encyclopedias, as in ``ENCYCLOPEDIA`` or in a study: the one check of what they may be.

``zim:/path/to/file.zim`` or ``mediawiki:https://host/w/api.php#date=2023-11-20``; options follow after ``#``, as in
``zim:/data/wikipedia.zim#images=yes&name=Wikipedia``. The server reads that file or contacts that host, so each door
goes through here: forms and commands by the field's validator, any other code when it saves a study, and
`humaneval.encyclopedia` when it opens an address. Who may choose one: `humaneval.studies.services`.
"""

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

from django.core.exceptions import ValidationError
from django.db import models

OPTIONS: Final = {"zim": ("name", "images"), "mediawiki": ("date", "name")}
"""The kinds of sources, and the options that each has."""
NOT_A_URL: Final = "{!r} is not a server URL. Use the form https://host/path."

if TYPE_CHECKING:
    _CharField = models.CharField[str, str]
else:
    _CharField = models.CharField


@dataclass(frozen=True)
class SourceAddress:
    """An address that an encyclopedia may have; nothing says that there is one."""

    kind: str
    location: str
    """The path of a ZIM file, or the URL of a server."""
    name: str = ""
    images: bool = False
    date: datetime.date | None = None
    """The day whose revisions a MediaWiki shows; only that has one."""


def parse_address(address: str) -> SourceAddress:
    """Read an address, without looking at a file or contacting a server.

    Raises:
        ValidationError: it is none; the message says why.
    """
    kind, _, rest = address.partition(":")
    location, _, said = rest.partition("#")
    if kind not in OPTIONS or not location or not location.isprintable():
        raise ValidationError(
            f"{address!r} is not an encyclopedia source. Start it with one of "
            f"{', '.join(f'{name}:' for name in OPTIONS)} followed by a path or URL."
        )
    try:
        options = dict(parse_qsl(said, keep_blank_values=True, strict_parsing=bool(said)))
    except ValueError as error:
        raise ValidationError(f"The option after # is not of the form name=value: {said}") from error
    if unknown := sorted(set(options) - set(OPTIONS[kind])):
        allowed = ", ".join(OPTIONS[kind])
        raise ValidationError(f"Unknown options after #: {', '.join(unknown)}. Allowed options: {allowed}.")
    images = options.get("images", "no")
    if images not in ("yes", "no"):
        raise ValidationError(f"Invalid option images={images}. Use images=yes or images=no.")
    date = None
    if kind == "mediawiki":
        try:
            date = datetime.date.fromisoformat(options.get("date", ""))
        except ValueError as error:
            raise ValidationError(
                "Give the date of the MediaWiki revisions after #, as in #date=2023-11-20."
            ) from error
    if kind != "zim":  # a web server's URL, without a name, a password or a query
        try:
            parts = urlsplit(location)
            usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            usable = False
        if not usable or parts.query or parts.username is not None:
            raise ValidationError(NOT_A_URL.format(location))
    return SourceAddress(kind, location, options.get("name", ""), images=images == "yes", date=date)


def validate_address(address: str) -> None:
    """Check an address as a validator of a field does."""
    parse_address(address)


class SourceField(_CharField):
    """The address of an encyclopedia, which is not saved unchecked; empty for the site's own.

    A restored backup is not checked: an address from before the check is refused only when it is opened.
    """

    default_validators = [*_CharField.default_validators, validate_address]

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        """Check the value in every save, also by code that skips `full_clean`."""
        address = super().pre_save(model_instance, add)
        if address:
            validate_address(address)
        return address

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """Describe the field for migrations, for which it is a text like others."""
        name, _, arguments, options = super().deconstruct()
        return name, "django.db.models.CharField", arguments, options
