"""The broker in a folder: a message can be taken the moment that it has its name."""

import json
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection

from leaderboard.celery import app
from leaderboard.operations.processes.file_broker import Transport


def test_a_message_appears_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert app.main == "manyhop"  # which makes filesystem:// the site's own
    whole: list[object] = []
    replace = Path.replace

    def named(written: Path, name: Path) -> Path:
        assert not list(tmp_path.glob("*.msg"))
        whole.append(json.loads(written.read_text()))
        return replace(written, name)

    monkeypatch.setattr(Path, "replace", named)
    options = {name: str(tmp_path) for name in ("data_folder_in", "data_folder_out", "control_folder")}
    with Connection("filesystem://", transport_options=options) as connection:
        assert isinstance(connection.transport, Transport)
        assert connection.transport.driver_type == "filesystem"
        channel: Any = connection.channel()
        channel._put("cpu", {"run": 1})
        assert whole == [{"run": 1}]
        assert channel._get("cpu") == {"run": 1}
