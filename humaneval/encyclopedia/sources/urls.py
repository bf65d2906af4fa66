"""Open the encyclopedia at an address, as in ``ENCYCLOPEDIA`` or in a study (`humaneval.models.source_addresses`)."""

import threading
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.exceptions import ValidationError

from humaneval.encyclopedia.base import EncyclopediaNotConfiguredError
from humaneval.encyclopedia.sources.caching import Encyclopedia
from humaneval.encyclopedia.sources.zim import ZimEncyclopedia
from humaneval.models.source_addresses import SourceAddress, parse_address

_known: dict[tuple[object, ...], Encyclopedia] = {}
_lock = threading.Lock()
NOT_CONFIGURED: Final = (
    "No encyclopedia is configured. Set ENCYCLOPEDIA to zim:/path/to/file.zim or "
    "mediawiki:https://host/w/api.php#date=2023-11-20."
)


def encyclopedia_at(address: str = "") -> Encyclopedia:
    """The encyclopedia at an address, by default the site's own; the same object for the same address.

    Addresses come only from the settings or from a maintainer: they can lead to any file of this machine and to any
    host. A ZIM file that was replaced is opened again.

    Raises:
        EncyclopediaNotConfiguredError: (an `ImproperlyConfigured`) there is no address, it is wrong, or the file that
            it names is missing or not a ZIM file. Whether a server answers is known only on the first request.
    """
    address = (address or settings.ENCYCLOPEDIA).strip()
    if not address:
        raise EncyclopediaNotConfiguredError(NOT_CONFIGURED)
    try:
        source = parse_address(address)
    except ValidationError as error:
        raise EncyclopediaNotConfiguredError(error.message) from error
    key: tuple[object, ...] = (address,)
    if source.kind == "zim":
        try:
            state = Path(source.location).stat()
        except OSError as error:
            raise EncyclopediaNotConfiguredError(
                f"The ZIM file of the encyclopedia was not found: {source.location} ({error.strerror})."
            ) from error
        key = (address, state.st_ino, state.st_mtime_ns, state.st_size)
    with _lock:
        encyclopedia = _known.get(key)
        if encyclopedia is None:
            encyclopedia = _open(source)
            for old in [old for old in _known if old[0] == address]:
                del _known[old]
            _known[key] = encyclopedia
    return encyclopedia


def _open(source: SourceAddress) -> Encyclopedia:
    if source.date is None:
        return ZimEncyclopedia(Path(source.location), name=source.name, images=source.images)
    # Imported here: few sites use a server, and importing httpx is slow.
    from humaneval.encyclopedia.sources.mediawiki import MediaWikiEncyclopedia

    return MediaWikiEncyclopedia(source.location, date=source.date, name=source.name)
