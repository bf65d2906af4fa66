"""Open the encyclopedia at an address, as in ``ENCYCLOPEDIA`` or in a study.

``zim:/path/to/file.zim``, ``kiwix:http://host:8080`` or ``mediawiki:https://host/w/api.php``; options follow after
``#``, as in ``zim:/data/wikipedia.zim#images=yes&name=Wikipedia``.
"""

import datetime
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl

from django.conf import settings

from humaneval.encyclopedia.base import Encyclopedia, EncyclopediaNotConfiguredError
from humaneval.encyclopedia.sources.zim import ZimEncyclopedia

_YES_OR_NO: Final = {"yes": True, "no": False}

_known: dict[tuple[object, ...], Encyclopedia] = {}
_lock = threading.Lock()
NOT_CONFIGURED: Final = (
    "No encyclopedia is configured. Set ENCYCLOPEDIA to zim:/path/to/file.zim, kiwix:http://host:8080 or "
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
    kind, _, rest = address.partition(":")
    location, _, said = rest.partition("#")
    make = _MAKERS.get(kind)
    if make is None or not location:
        raise EncyclopediaNotConfiguredError(
            f"{address!r} is not an encyclopedia source. Start it with one of "
            f"{', '.join(f'{name}:' for name in _MAKERS)} followed by a path or URL."
        )
    key = (address, *_file_state(location)) if kind == "zim" else (address,)
    with _lock:
        found = _known.get(key)
        if found is None:
            found = make(location, _options(said))
            for old in [old for old in _known if old[0] == address]:
                del _known[old]
            _known[key] = found
    return found


def _file_state(path: str) -> tuple[int, int, int]:
    try:
        state = Path(path).stat()
    except OSError as error:
        raise EncyclopediaNotConfiguredError(
            f"The ZIM file of the encyclopedia was not found: {path} ({error.strerror})."
        ) from error
    return state.st_ino, state.st_mtime_ns, state.st_size


def _options(said: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(said, keep_blank_values=True, strict_parsing=bool(said)))
    except ValueError as error:
        raise EncyclopediaNotConfiguredError(f"The option after # is not of the form name=value: {said}") from error


def _only(options: Mapping[str, str], *allowed: str) -> None:
    unknown = sorted(set(options) - set(allowed))
    if unknown:
        raise EncyclopediaNotConfiguredError(
            f"Unknown options after #: {', '.join(unknown)}. Allowed options: {', '.join(allowed)}."
        )


def _images(options: Mapping[str, str]) -> bool:
    said = options.get("images", "no")
    if said not in _YES_OR_NO:
        raise EncyclopediaNotConfiguredError(f"Invalid option images={said}. Use images=yes or images=no.")
    return _YES_OR_NO[said]


def _zim(path: str, options: Mapping[str, str]) -> Encyclopedia:
    _only(options, "name", "images")
    return ZimEncyclopedia(Path(path), name=options.get("name", ""), images=_images(options))


def _kiwix(location: str, options: Mapping[str, str]) -> Encyclopedia:
    from humaneval.encyclopedia.sources.kiwix import (
        KiwixEncyclopedia,  # imported here: few sites use a server, and importing httpx is slow
    )

    _only(options, "book", "name", "images")
    return KiwixEncyclopedia(
        location, book=options.get("book", ""), name=options.get("name", ""), images=_images(options)
    )


def _mediawiki(location: str, options: Mapping[str, str]) -> Encyclopedia:
    from humaneval.encyclopedia.sources.mediawiki import MediaWikiEncyclopedia

    _only(options, "date", "name")
    try:
        date = datetime.date.fromisoformat(options.get("date", ""))
    except ValueError as error:
        raise EncyclopediaNotConfiguredError(
            "Give the date of the MediaWiki revisions after #, as in #date=2023-11-20."
        ) from error
    return MediaWikiEncyclopedia(location, date=date, name=options.get("name", ""))


_MAKERS: Final[Mapping[str, Callable[[str, Mapping[str, str]], Encyclopedia]]] = {
    "zim": _zim,
    "kiwix": _kiwix,
    "mediawiki": _mediawiki,
}
