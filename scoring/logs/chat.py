"""The messages of a chat, as the logs of several frameworks have them."""

from __future__ import annotations

from msgspec import Struct


class Part(Struct):
    """A part of a message's content, or a call of a tool."""

    type: str = ""
    text: str = ""


class Message(Struct):
    """A message; in OpenAI's responses also another item of the output."""

    type: str = ""
    content: str | list[Part] | None = None
    tool_calls: list[Part] | None = None

    @property
    def text(self) -> str | None:
        """Its text; None without any content."""
        return "".join(part.text for part in self.content) if isinstance(self.content, list) else self.content


class Choice(Struct):
    """A response: its message, and why the model stopped."""

    message: Message
    finish_reason: str | None = None
    stop_reason: str | None = None
    """The name that inspect_ai has for it."""
