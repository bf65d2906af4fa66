"""``manage.py healthcheck``: what it finds in the file system and among the workers. `test_docker` runs the other
checks on processes."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from leaderboard.operations.health import NO_SITE_WORKER
from leaderboard.project.management.commands.healthcheck import UnwellError, files, housekeeping
from scoring.models import workers


@pytest.fixture
def folders(settings: Any, tmp_path: Path) -> tuple[Path, Path]:
    settings.DATA_DIR, settings.MEDIA_ROOT = tmp_path / "data", tmp_path / "data" / "uploads"
    return settings.DATA_DIR, settings.MEDIA_ROOT


def test_both_folders_are_made_and_written_to_without_a_trace(folders: tuple[Path, Path]) -> None:
    assert files()
    data, uploads = folders
    assert (list(data.iterdir()), list(uploads.iterdir())) == ([uploads], [])


def test_a_full_disk_of_uploads_is_reported(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    _, uploads = folders
    original = os.fsync

    def full(descriptor: int) -> None:
        if str(Path(f"/proc/self/fd/{descriptor}").readlink()).startswith(str(uploads)):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        original(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnwellError) as caught:
        files()
    assert str(uploads) in str(caught.value) and os.strerror(errno.ENOSPC) in str(caught.value)


def test_a_folder_of_uploads_that_cannot_be_made_is_reported(folders: tuple[Path, Path]) -> None:
    data, uploads = folders
    data.mkdir()
    uploads.write_bytes(b"a file")
    with pytest.raises(UnwellError) as caught:
        files()
    assert str(uploads) in str(caught.value)


@pytest.mark.django_db
def test_a_missing_worker_of_housekeeping_is_a_warning() -> None:
    workers.record_heartbeat("cpu@here", ["cpu"])
    assert housekeeping().endswith(NO_SITE_WORKER)
    workers.record_heartbeat("site@here", ["site"])
    assert NO_SITE_WORKER not in housekeeping()
