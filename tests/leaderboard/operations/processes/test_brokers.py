"""Brokers: in a folder a message appears whole, and no malformed message ends a worker."""

import json
from pathlib import Path
from typing import Any

import pytest
import redis
from kombu import Connection
from kombu.simple import SimpleQueue

from leaderboard.operations.processes.brokers import FileTransport
from leaderboard.operations.processes.redis_broker import RedisTransport
from leaderboard.project.celery import app
from tests.services import Redis


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
        assert isinstance(connection.transport, FileTransport)
        assert connection.transport.driver_type == "filesystem"
        channel: Any = connection.channel()
        channel._put("cpu", {"run": 1})
        assert whole == [{"run": 1}]
        assert channel._get("cpu") == {"run": 1}


MALFORMED = (b"", b"\xff\xfe", b"no JSON", b"[]", b"{}", b"7", b'{"properties": {}, "body": 1}', b'{"body": "%%%"}')


def receive(queue: SimpleQueue) -> object:
    message = queue.get(timeout=60)
    message.ack()
    return message.payload


def test_a_malformed_message_in_the_folder_is_dropped(tmp_path: Path) -> None:
    assert app.main == "manyhop"
    options = {name: str(tmp_path) for name in ("data_folder_in", "data_folder_out", "control_folder")}
    with Connection("filesystem://", transport_options=options) as connection:
        for number, content in enumerate(MALFORMED):
            (tmp_path / f"0{number}_x.malformed.msg").write_bytes(content)
        queue = connection.SimpleQueue("malformed")  # kombu keeps the bindings of a process: nobody else binds this one
        queue.put({"run": 1})
        assert receive(queue) == {"run": 1}
    assert not list(tmp_path.glob("*.msg"))


@pytest.mark.redis
def test_a_malformed_message_in_redis_is_dropped(redis_server: Redis) -> None:
    assert app.main == "manyhop"
    with Connection(redis_server.url) as connection:
        assert isinstance(connection.transport, RedisTransport)
        client = redis.Redis.from_url(redis_server.url)
        for content in MALFORMED:
            client.lpush("malformed", content)
        queue = connection.SimpleQueue("malformed")
        queue.put({"run": 1})
        assert receive(queue) == {"run": 1}
        assert client.llen("malformed") == 0
        # what a worker that died had received is sent again, but for what cannot be read
        channel: Any = queue.channel
        client.hset(channel.unacked_key, "tag", b"no JSON")
        client.zadd(channel.unacked_index_key, {"tag": 1})
        channel.qos.restore_visible()
        assert (client.hlen(channel.unacked_key), client.zcard(channel.unacked_index_key)) == (0, 0)
