"""Style sheets and scripts as production serves them: named by their content, compressed, kept for ever."""

import gzip
import json
import re
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from django.http import HttpResponse
from django.test import RequestFactory, override_settings
from pytest_django import Settings

from leaderboard.models.storage import StaticStorage
from leaderboard.web.middleware import StaticFilesMiddleware
from tests.processes import Site

HASHED = re.compile(r".+\.[0-9a-f]{12}\.(css|js)")


def files_of(static_root: Path) -> dict[str, str]:
    names: dict[str, str] = json.loads((static_root / "staticfiles.json").read_text())["paths"]
    return names


def test_every_file_of_ours_has_its_hash_and_a_smaller_copy(static_root: Path) -> None:
    names = {name: kept for name, kept in files_of(static_root).items() if name.startswith(("css/", "js/"))}
    assert {"css/board.css", "js/board.js", "js/site.js"} <= set(names)
    for kept in names.values():
        assert HASHED.fullmatch(kept), kept
        plain = (static_root / kept).read_bytes()
        packed = static_root / f"{kept}.gz"
        if packed.exists():
            assert gzip.decompress(packed.read_bytes()) == plain
            assert packed.stat().st_size < len(plain)
        else:
            assert len(plain) < 2000, f"{kept} is large, and not compressed"


@pytest.mark.parametrize("path", ["", "/manyhop"])
def test_a_name_of_another_version_leads_to_the_present_file(
    path: str, static_root: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """A page of another version asks for its own names while an upgrade goes on; and a name may have no hash. A proxy
    takes the site's path off."""
    storage = StaticStorage(location=static_root, base_url=f"{path}/static/")
    monkeypatch.setattr("whitenoise.middleware.staticfiles_storage", storage)
    settings.SITE_PATH, settings.FORCE_SCRIPT_NAME, settings.STATIC_URL = path, path or None, f"{path}/static/"
    with override_settings(STATIC_ROOT=static_root, WHITENOISE_AUTOREFRESH=False):
        middleware = StaticFilesMiddleware(lambda request: HttpResponse(status=404))
    name = files_of(static_root)["css/board.css"]

    def ask(path: str) -> Any:
        return middleware(RequestFactory().get(f"/static/{path}"))

    present = ask(name)
    assert present.getvalue() == (static_root / name).read_bytes()
    assert "immutable" in present["Cache-Control"]
    for other in (ask("css/board.0123456789ab.css"), ask("css/board.css")):
        assert other.getvalue() == (static_root / name).read_bytes()
        assert other["Cache-Control"] == "no-store"
    for unknown in ("css/nothing.0123456789ab.css", "", "../settings.py", "css/board.css/"):
        assert ask(unknown).status_code == 404, unknown


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_they_are_sent_compressed_and_kept_for_ever(static_root: Path, live_site: Site) -> None:
    name = files_of(static_root)["css/board.css"]
    request = Request(f"{live_site.url}/static/{name}", headers={"Accept-Encoding": "gzip"})
    with urlopen(request, timeout=30) as response:
        assert response.headers["Content-Encoding"] == "gzip"
        assert "immutable" in response.headers["Cache-Control"]
        assert "Accept-Encoding" in response.headers["Vary"]
        assert gzip.decompress(response.read()) == (static_root / name).read_bytes()
