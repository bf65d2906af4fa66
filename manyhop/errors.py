"""What a site may answer instead of what was asked for."""

from collections.abc import Mapping
from typing import Any


class ManyhopError(Exception):
    """The site could not be asked, or refused."""


class NoAnswerError(ManyhopError):
    """The site could not be reached, or gave no answer of its API."""


class ApiError(ManyhopError):
    """The site refused a request. ``problem`` is its problem document (RFC 9457)."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        lines = [str(problem.get("detail") or problem.get("title") or f"The site answered {status}.")]
        lines += [
            f"{field}: {message}" if field not in ("", "__all__") else str(message)
            for field, messages in (problem.get("errors") or {}).items()
            for message in (messages if isinstance(messages, list) else [messages])
        ]
        lines += [
            f"{file.get('setting')}: {group.get('title')} ({group.get('count')}) {group.get('where')}".rstrip()
            for file in problem.get("files") or ()
            for group in file.get("groups", ())
            if group.get("severity") == "error"
        ]
        super().__init__("\n".join(lines))
        self.status = status
        self.problem = problem
