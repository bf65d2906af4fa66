"""A process that is killed while it sends emails: none is lost, and only the one in flight is sent twice, with the
same Message-ID."""

import re
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.accounts import mails
from leaderboard.models import Mail, MailKind
from tests import factories
from tests.paths import ROOT
from tests.processes import child_environment

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
SEND = "import django; django.setup(); from leaderboard.accounts import mails; mails.send_due()"
NAMES = ("ada", "bob", "carol", "dan")


class MailServer(socketserver.ThreadingTCPServer):
    """An SMTP server that takes emails, and hangs before it confirms the first one to *hangs_at*."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, hangs_at: str) -> None:
        super().__init__(("127.0.0.1", 0), Conversation)
        self.hangs_at = hangs_at
        self.received: list[str] = []
        self.ids: list[str] = []
        self.hangs = threading.Event()


class Conversation(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self.wfile.write(b"220 ready\r\n")
        to = ""
        for line in self.rfile:
            if match := re.match(rb"RCPT TO:<(\w+)@", line, re.IGNORECASE):
                to = match[1].decode()
            elif line.upper().startswith(b"DATA"):
                self.wfile.write(b"354 go on\r\n")
                while (text := self.rfile.readline()) != b".\r\n":
                    if text.startswith(b"Message-ID:"):
                        self.server.ids.append(text.decode().split()[1])
                self.server.received.append(to)
                if to == self.server.hangs_at and not self.server.hangs.is_set():
                    self.server.hangs.set()
                    self.rfile.read()  # until the client is gone
                    return
            self.wfile.write(b"250 ok\r\n")


@pytest.fixture
def server() -> Iterator[MailServer]:
    with MailServer("carol") as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()


def sender(server: MailServer) -> "subprocess.Popen[bytes]":
    environment = child_environment(EMAIL_URL=f"smtp://127.0.0.1:{server.server_address[1]}")
    return subprocess.Popen([sys.executable, "-c", SEND], cwd=ROOT, env=environment)


def test_killed_while_sending(server: MailServer) -> None:
    for name in NAMES:
        mails.queue(MailKind.TOKENS, factories.user(name), "A subject", "tokens_expire.txt", {"tokens": []})
    process = sender(server)
    assert server.hangs.wait(60)
    process.kill()
    process.wait()
    assert server.received == ["ada", "bob", "carol"]
    assert [mail.user.username for mail in Mail.objects.select_related("user")] == ["dan", "carol"]
    assert sender(server).wait(60) == 0
    assert server.received == ["ada", "bob", "carol", "dan"]
    Mail.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    assert sender(server).wait(60) == 0
    assert server.received == ["ada", "bob", "carol", "dan", "carol"]
    assert server.ids[2] == server.ids[4]
    assert len(set(server.ids)) == len(NAMES)
    assert not Mail.objects.exists()
