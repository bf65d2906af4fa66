"""The mails of the demo: it sends none, and says where their links lead instead."""

import re
from email import message_from_bytes, policy
from pathlib import Path

_LINK = re.compile(r"https?://\S+")
_BETWEEN = b"-" * 79
"""The line that Django's file backend writes after each mail."""


class MailFolder:
    """The folder into which the demo's processes write their mails; those from before are passed over."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read = {file: file.stat().st_size for file in folder.glob("*.log")}

    def new(self) -> list[str]:
        """The mails since the last call, each as recipient, subject and links. An unfinished one waits for the next."""
        texts = []
        for file in sorted(self._folder.glob("*.log")):
            begin = self._read.get(file, 0)
            if file.stat().st_size == begin:
                continue
            with file.open("rb") as mails:
                mails.seek(begin)
                *complete, _ = mails.read().split(_BETWEEN + b"\n")
            for written in complete:
                self._read[file] = self._read.get(file, 0) + len(written) + len(_BETWEEN) + 1
                mail = message_from_bytes(written.lstrip(), policy=policy.default)
                body = mail.get_body(("plain",))
                links = _LINK.findall(body.get_content()) if body is not None else []
                lines = [f"Mail to {mail['To']}: {mail['Subject']}", *(f"  {link}" for link in dict.fromkeys(links))]
                texts.append("\n".join(lines))
        return texts
