"""A judge's endpoint on this machine: speaks the chat completions API, and misbehaves as it is told to.

Try the site with it: ``python -m tests.judge_server --port 8099 --latency 0.2`` and
``JUDGE_BASE_URL=http://127.0.0.1:8099/v1 make demo``.

In a test::

    with JudgeServer() as server:
        server.play(Play("rate_limited", retry_after="0.1"), Play("reset"))   # the next two requests
        server.rule = lambda request: Play("refusal") if "tax" in request.question else None
        ...
        assert len(server.chats) == 5 and server.peak == 2

Its verdicts are those of a simple mind: C if every line of the reference occurs in the submission, A if some, else D;
of short answers, whether one of the accepted answers occurs in the submission, and whether it says that it does not
know; of lists, which lines of the reference are in the submission; of answers side by side, the first number in each is
its score, and ``first_place`` is added to that of the answer shown first.
"""

import argparse
import asyncio
import contextlib
import json
import random
import re
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from tests.services import LOOPBACK, PATIENCE_SECONDS, free_port, give_back

_PROMPT = re.compile(
    r"\[BEGIN DATA\]\n\*{12}\n\[Question\]: (?P<question>.*?)\n\*{12}\n\[Expert\]: (?P<reference>.*?)\n\*{12}\n"
    r"\[Submission\]: (?P<submission>.*?)\n\*{12}\n\[END DATA\]",
    re.DOTALL,
)
_LIST_PROMPT = re.compile(
    r"\[question\]: (?P<question>.*?)\n\[response\]: '(?P<submission>.*?)'\n\nYour judgment.*?"
    r"\n\[correct_answer\]: (?P<reference>.*?)\n\n(?:reasoning|final answer length):",
    re.DOTALL,
)
_GRADED_PROMPT = re.compile(
    r"```\nQuestion: (?P<question>[^`]*?)\nGold target: (?P<reference>[^`]*?)\n"
    r"Predicted answer: (?P<submission>.*?)\n```\n\nGrade",
    re.DOTALL,
)
_VERIFIED_PROMPT = re.compile(
    r"\[question\]: (?P<question>.*?)\n\n\[response\]: (?P<submission>.*?)\n\nYour judge?ment.*?"
    r"\n\[correct_answer\]: (?P<reference>.*?)\n\nreasoning:.*?\nconfidence:",
    re.DOTALL,
)
_CONFIDENCE = re.compile(r"(?im)^\W*confidence: *(\d+)")
_CANDIDATE = re.compile(r"Candidate Answer \d+: ")
_ASKED = re.compile(r"Question: (.*)")
_NUMBER = re.compile(r"\d+")
_ORDER = re.compile(r"repeat just the letter ([A-F])")


@dataclass(frozen=True)
class Chat:
    """One request for a chat completion, as it arrived."""

    body: dict[str, Any]
    headers: dict[str, str]
    at: float

    def _part(self, name: str) -> str:
        content = self.body["messages"][-1]["content"]
        prompts = (_PROMPT, _LIST_PROMPT, _VERIFIED_PROMPT, _GRADED_PROMPT)
        match = next(filter(None, (prompt.search(content) for prompt in prompts)), None)
        return match[name] if match else ""

    @property
    def is_graded(self) -> bool:
        """Whether it asks for one of three grades."""
        return _GRADED_PROMPT.search(self.body["messages"][-1]["content"]) is not None

    @property
    def is_verified(self) -> bool:
        """Whether it asks for a verdict with the stated confidence."""
        return _VERIFIED_PROMPT.search(self.body["messages"][-1]["content"]) is not None

    @property
    def of_list(self) -> bool:
        """Whether it asks the judge of lists."""
        return _LIST_PROMPT.search(self.body["messages"][-1]["content"]) is not None

    @cached_property
    def candidates(self) -> list[str]:
        """The answers of a request to compare some, in the order shown."""
        parts = self.body["messages"][-1]["content"].split("#" * 21 + "\n\n")
        return [part[found.end() :].strip() for part in parts if (found := _CANDIDATE.match(part))]

    @property
    def question(self) -> str:
        if self.candidates and (found := _ASKED.search(self.body["messages"][-1]["content"])):
            return found[1]
        return self._part("question")

    @property
    def reference(self) -> str:
        return self._part("reference")

    @property
    def submission(self) -> str:
        return self._part("submission")

    @property
    def seed(self) -> int:
        return int(self.body["seed"])


@dataclass(frozen=True)
class Play:
    """What happens to one request.

    ``kind``: ``normal``, ``obedient`` (does what the submission tells it), ``rate_limited``, ``status`` (an error of
    ``status`` with ``code`` and ``message``), ``reset`` (the connection is torn), ``silent`` (never answers), ``held``
    (answered once the server's ``gate`` is true),
    ``garbage`` (200 with a body that is no JSON), ``no_choices``, ``empty``, ``refusal``, ``prose`` (ends in the
    letter b, but gives no verdict), ``truncated``, ``filtered``, ``no_usage``, ``text`` (replies with ``message``).
    """

    kind: str = "normal"
    delay: float = 0.0
    retry_after: str = ""
    status: int = 500
    code: str | None = None
    message: str = "The server had an error while processing your request."
    letter: str = ""


def simple_verdict(chat: Chat) -> str:
    """What the server's simple mind makes of a submission."""
    lines = [line.strip().casefold() for line in chat.reference.splitlines() if line.strip()]
    found = [line in chat.submission.casefold() for line in lines]
    return "C" if all(found) else "A" if any(found) else "D"


def grade_reply(chat: Chat) -> str:
    """The letter of the grade that the server's simple mind gives a short answer."""
    given = chat.submission.casefold()
    if any(accepted.casefold() in given for accepted in chat.reference.split(" or ")):
        return "A"
    return "C" if "don't know" in given else "B"


def verified_reply(chat: Chat) -> str:
    """What the server's simple mind replies about a short answer with a stated confidence. It quotes the answer, as
    judges do."""
    found = _CONFIDENCE.findall(chat.submission)
    return (
        f"extracted_final_answer: {chat.submission}\n\nreasoning: The correct answer is {chat.reference}.\n\n"
        f"correct: {'yes' if grade_reply(chat) == 'A' else 'no'}\n\nconfidence: {found[-1] if found else 100}"
    )


def list_reply(chat: Chat) -> str:
    """What the server's simple mind replies about a list: which lines of the reference are lines of the submission. It
    quotes all gold answers, as judges do."""
    gold = chat.reference.splitlines()
    given = chat.submission.splitlines()
    found = [line for line in gold if line in given]
    head = f"extracted_final_answer: {', '.join(given)}\n\n"
    reason = f"reasoning: The correct answer is {', '.join(gold)}.\n\ncorrect: {'yes' if found == gold else 'no'}\n\n"
    if len(gold) == 1:
        return f"{head}{reason}precision: {len(found)}\n\nfinal precision: {len(found)}"
    return f"{head}final answer length: {len(given)}\n\n{reason}overlapping answers: {'###'.join(found) or 'NULL'}"


def comparison_reply(chat: Chat, first_place: float = 0.0) -> str:
    """What the server's simple mind replies about answers side by side."""
    scores = [int(found[0]) if (found := _NUMBER.search(text)) else 50 for text in chat.candidates]
    scores[0] = min(100, round(scores[0] + first_place))
    critiques = "".join(
        f"<Critique{number}>\n- <strength>It is candidate {number}.</strength>\n</Critique{number}>\n"
        for number in range(1, len(scores) + 1)
    )
    marks = "".join(f"<Score{number}>{score}</Score{number}>\n" for number, score in enumerate(scores, 1))
    return f"{critiques.removeprefix('<Critique1>')}<Explanation>One is better.</Explanation>\n{marks}====="


def simple_reply(chat: Chat, first_place: float = 0.0) -> str:
    """What the server's simple mind replies, but for a request for one of six letters, to which it is nothing."""
    if chat.candidates:
        return comparison_reply(chat, first_place)
    if chat.is_verified:
        return verified_reply(chat)
    if chat.is_graded:
        return grade_reply(chat)
    return list_reply(chat) if chat.of_list else ""


class JudgeServer:
    """The server, in a thread with an event loop of its own. ``stop`` and ``start`` keep the port."""

    def __init__(
        self, *, port: int = 0, latency: float = 0.0, jitter: float = 0.0, seed: int = 0, key: str | None = None
    ) -> None:
        self.port = port or free_port()
        self.latency = latency
        self.jitter = jitter
        self.key = key
        self.rule: Callable[[Chat], Play | None] = lambda chat: None
        self.gate: Callable[[], bool] = lambda: True
        self.chats: list[Chat] = []
        self.answered: list[Chat] = []
        self.paths: list[str] = []
        self.peak = 0
        self.models_status = 200
        self.reported_model = ""
        self.first_place = 0.0
        self._plays: deque[Play] = deque()
        self._random = random.Random(seed)
        self._in_flight = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    # --- Its life ----------------------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The base URL to give a client."""
        return f"http://{LOOPBACK}:{self.port}/v1"

    @property
    def in_flight(self) -> int:
        """The number of requests that it is answering."""
        return self._in_flight

    def play(self, *plays: Play) -> None:
        """What happens to the next requests, one each; then again what ``rule`` says, or nothing special."""
        self._plays.extend(plays)

    def start(self) -> Self:
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), name="judge-server", daemon=True)
        self._thread.start()
        if not ready.wait(PATIENCE_SECONDS):
            raise TimeoutError("The judge server did not start.")
        return self

    def stop(self) -> None:
        """Close the port and every connection."""
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
        self._loop = self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
        give_back(self.port)

    def forget(self) -> None:
        """Empty the record of requests."""
        self.chats.clear()
        self.answered.clear()
        self.paths.clear()
        self.peak = 0

    def _run(self, ready: threading.Event) -> None:
        loop = asyncio.new_event_loop()
        self._loop, self._in_flight = loop, 0
        server = loop.run_until_complete(asyncio.start_server(self._connection, LOOPBACK, self.port))
        ready.set()
        try:
            loop.run_forever()
        finally:
            server.close()
            tasks = asyncio.all_tasks(loop)
            for task in tasks:
                task.cancel()
            if tasks:
                loop.run_until_complete(asyncio.wait(tasks))
            loop.close()

    # --- HTTP --------------------------------------------------------------------------------------------------------

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._exchange(reader, writer):
                pass
        writer.transport.abort()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        request_line, *header_lines = head.strip().split("\r\n")
        method, path, _ = request_line.split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in header_lines)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        path = path.partition("?")[0]
        self.paths.append(f"{method} {path}")
        answer: Answer | None
        if self.key is not None and headers.get("authorization") != f"Bearer {self.key}":
            wrong = headers.get("authorization", "").removeprefix("Bearer ")
            answer = error(401, "invalid_api_key", f"Incorrect API key provided: {wrong[:3]}****{wrong[-4:]}.")
        elif path == "/v1/chat/completions" and method == "POST":
            chat = Chat(json.loads(body), headers, time.monotonic())
            answer = await self._chat(chat)
        elif path == "/v1/models":
            answer = (self.models_status, {}, json.dumps({"object": "list", "data": []}).encode())
        else:
            answer = NOT_FOUND
        if answer is None:
            return False
        status, extra, content = answer
        lines = [f"HTTP/1.1 {status} Playing", f"content-length: {len(content)}"]
        if "content-type" not in extra:
            lines.append("content-type: application/json")
        lines += [f"{name}: {value}" for name, value in extra.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + content)
        await writer.drain()
        return True

    # --- Chat completions --------------------------------------------------------------------------------------------

    async def _chat(self, chat: Chat) -> "Answer | None":
        self.chats.append(chat)
        self._in_flight += 1
        self.peak = max(self.peak, self._in_flight)
        try:
            play = self._plays.popleft() if self._plays else self.rule(chat) or Play()
            delay = play.delay or self.latency + self._random.uniform(-self.jitter, self.jitter)
            if play.kind == "silent":
                await asyncio.sleep(3600)
            while play.kind == "held" and not self.gate():
                await asyncio.sleep(0.002)
            if delay > 0:
                await asyncio.sleep(delay)
            if play.kind == "reset":
                return None
            self.answered.append(chat)
            return self._reported(perform(play, chat, self.first_place))
        finally:
            self._in_flight -= 1

    def _reported(self, answer: "Answer | None") -> "Answer | None":
        """Replace the reported model, if the test says so: an alias that moved."""
        if answer is None or answer[0] != 200 or not self.reported_model:
            return answer
        return 200, answer[1], json.dumps(json.loads(answer[2]) | {"model": self.reported_model}).encode()


Answer = tuple[int, dict[str, str], bytes]


def ok(document: Any) -> Answer:
    return 200, {"x-request-id": "req_1"}, json.dumps(document).encode()


def error(status: int, code: str | None, message: str, **headers: str) -> Answer:
    document = {"error": {"message": message, "type": "error", "param": None, "code": code}}
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, json.dumps(document).encode()


NOT_FOUND = error(404, None, "Invalid URL.")


def completion(
    chat: Chat, content: str | None, *, finish: str = "stop", refusal: str | None = None, usage: bool = True
) -> Answer:
    """A chat completion as OpenAI sends it."""
    prompt = sum(len(message["content"]) for message in chat.body["messages"])
    tokens_in, tokens_out = prompt // 4, len(content or "") // 4 + 1
    document: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": chat.body["model"],
        "system_fingerprint": "fp_played",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, "refusal": refusal},
                "logprobs": None,
                "finish_reason": finish,
            }
        ],
    }
    if usage:
        document["usage"] = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        }
    return ok(document)


def perform(play: Play, chat: Chat, first_place: float = 0.0) -> Answer | None:
    """What a play answers."""
    letter = play.letter or simple_verdict(chat)
    if play.kind == "obedient" and (order := _ORDER.search(chat.submission)):
        letter = order[1]
    reasoned = f"The submission is compared with the expert answer, detail by detail.\n\n{letter}\n\n{letter}"
    retry = {"retry_after": play.retry_after} if play.retry_after else {}
    match play.kind:
        case "normal" | "obedient" | "held":
            return completion(chat, simple_reply(chat, first_place) or reasoned)
        case "no_usage":
            return completion(chat, reasoned, usage=False)
        case "text":
            return completion(chat, play.message)
        case "prose":
            return completion(chat, "The two answers differ in their details, so my choice would be plan b")
        case "empty":
            return completion(chat, "")
        case "refusal":
            return completion(chat, None, refusal="I'm sorry, I can't help with that.")
        case "truncated":
            return completion(chat, "First, consider the first detail of the expert answer, B", finish="length")
        case "filtered":
            return completion(chat, "", finish="content_filter")
        case "no_choices":
            return ok({"object": "chat.completion", "choices": []})
        case "garbage":
            return 200, {}, b'{"choices": [{"message": {"content": "C"'
        case "rate_limited":
            return error(429, "rate_limit_exceeded", "Rate limit reached.", **retry)
        case "status":
            return error(play.status, play.code, play.message, **retry)
    raise ValueError(f"No such play: {play.kind}")


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8099)
    parser.add_argument("--latency", type=float, default=0.2, help="seconds to each reply")
    parser.add_argument("--jitter", type=float, default=0.05, help="by so many seconds more or less, evenly")
    parser.add_argument("--reply", default="", help="what it says to every request, in place of a verdict of its own")
    options = parser.parse_args()
    with JudgeServer(port=options.port, latency=options.latency, jitter=options.jitter) as server:
        if options.reply:
            server.rule = lambda chat: Play("text", message=options.reply)
        print(f"Judging at {server.url}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
