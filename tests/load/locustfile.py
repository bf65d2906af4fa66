"""Load as people make it: readers, submitters at a deadline, volunteers who type, graders; run by `tests.load.people`.

The environment's ``MANYHOP_LOAD`` names the file of what `tests.load.inside` made for them.
"""

import itertools
import json
import os
import random
import re
import uuid
from pathlib import Path
from typing import Any

from locust import HttpUser, between, constant, constant_pacing, task
from locust.clients import ResponseContextManager

GROUND: dict[str, Any] = json.loads(Path(os.environ["MANYHOP_LOAD"]).read_text())
_graders = itertools.cycle(GROUND["graders"])
_tokens = itertools.cycle(GROUND.get("tokens", ()))


class Person(HttpUser):
    """Somebody at one of the web servers."""

    abstract = True

    def on_start(self) -> None:
        self.client.base_url = random.choice(GROUND["webs"])
        self.client.headers["Connection"] = "close"  # the server may close an idle one as the next request is sent

    def post(self, path: str, page: str, **fields: Any) -> ResponseContextManager:
        """Send a form of a page, with the page's token; redirects are not followed."""
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        data = fields | {"csrfmiddlewaretoken": token[1] if token else ""}
        headers = {"Referer": self.client.base_url, "Accept": "application/json"}
        return self.client.post(path, data, headers=headers, allow_redirects=False, name=_route(path))

    def send(self, contents: dict[str, bytes], token: str) -> None:
        """Send a file for each setting as a new submission."""
        headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": uuid.uuid4().hex}
        fields = {"benchmark": "fanoutqa", "split": "dev", "name": f"System {uuid.uuid4().hex[:8]}"}
        fields |= {"authors": "A. Author", "type": "FOUNDATION", "context_size": "8192"}
        files = {setting: ("generations.jsonl", content) for setting, content in contents.items()}
        self.client.post("/api/v1/submissions/", fields, files=files, headers=headers)


def _route(path: str) -> str:
    """A path without what differs from person to person."""
    return re.sub(r"/join/[^/]+/", "/join/…/", path.partition("?")[0])


class Reader(Person):
    """Looks at boards, systems and questions; a browser asks again with the tag of what it has."""

    weight = 10
    wait_time = between(1, 5)

    def on_start(self) -> None:
        super().on_start()
        self.tags: dict[str, str] = {}

    @task
    def read(self) -> None:
        path = random.choice(GROUND["pages"])
        headers = {"If-None-Match": self.tags[path]} if path in self.tags else {}
        with self.client.get(path, headers=headers, catch_response=True) as response:
            if response.status_code in (200, 304):
                response.success()
            self.tags[path] = response.headers.get("ETag", self.tags.get(path, ""))


class Submitter(Person):
    """Sends a file."""

    weight = 3
    wait_time = between(5, 15)

    @task
    def submit(self) -> None:
        self.send({"openbook": random.choice(GROUND["files"]).encode()}, GROUND["token"])


class Sender(Person):
    """Sends a submission of a given size every six seconds: fifty of them send 500 in a minute. Each has an account of
    its own, since the uploads of one account wait for each other."""

    abstract = "upload" not in GROUND
    fixed_count = GROUND.get("senders", 0)
    wait_time = constant_pacing(6)
    upload = {setting: text.encode() for setting, text in GROUND.get("upload", {}).items()}

    def on_start(self) -> None:
        super().on_start()
        self.token = next(_tokens)

    @task
    def submit(self) -> None:
        self.send(self.upload, self.token)


class Volunteer(Person):
    """Joins the study, and types an answer that is saved every two seconds."""

    weight = 3
    wait_time = constant(2)

    def on_start(self) -> None:
        super().on_start()
        base = GROUND["study"]
        page = self.client.get(GROUND["link"], name=_route(GROUND["link"])).text
        self.post(GROUND["link"], page)
        for step, fields in (
            ("consent/", {"digest": GROUND["digest"]}),
            ("instructions/", {}),
            ("practice/", {"pass": 1}),
        ):
            page = self.client.get(f"{base}{step}").text
            self.post(f"{base}{step}", page, **fields)
        self.page = self.client.get(f"{base}questions/1/").text
        self.version = 0
        self.key = uuid.uuid4().int >> 48 << 48

    @task
    def type_on(self) -> None:
        answer = self.post(
            f"{GROUND['study']}questions/1/answer/",
            self.page,
            text="word " * (self.version + 1),
            key=str(uuid.UUID(int=self.key + self.version)),
            based_on=self.version,
            active=2,
        )
        self.version += answer.status_code == 200


class Grader(Person):
    """Grades one answer after the other without scripts."""

    weight = 1
    wait_time = between(2, 4)

    def on_start(self) -> None:
        super().on_start()
        self.client.cookies.set("sessionid", next(_graders))
        page = self.client.get(GROUND["desk"]).text
        self.post(GROUND["desk"], page, action="start")

    @task
    def grade(self) -> None:
        page = self.client.get(GROUND["desk"]).text
        shown = re.search(r'name="answer" value="(\d+)"', page)
        if shown:
            self.post(GROUND["desk"], page, action="save", answer=shown[1], item=0, seconds=3)
