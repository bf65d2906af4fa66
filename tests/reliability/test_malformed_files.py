"""Hundreds of files and forms that nobody thought of, through the page and the API: a 422 with reasons, or taken whole.

The reader itself is tried with thousands more beside `scoring.generations.reader`; here is what the site makes of them.
"""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.accounts import tokens
from leaderboard.models import SubmissionFile
from scoring.models import AnswerBlock
from tests import factories
from tests.reliability.ground import rows, stored_files
from tests.reliability.raw_http import BOUNDARY, Part, fields, multipart
from tests.scoring.generations.files import DEV_FIRST, DEV_SECOND, KNOWN, RETIRED, read, whole_file
from tests.scoring.generations.test_properties import GOOD_OBJECTS, NASTY, ODD_OBJECTS, mutated_files
from tests.scoring.metrics.strategies import HURRIED

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

# The function's fixtures are shared by all examples on purpose: what one example leaves behind, the next one sees.
many = settings(
    max_examples=15 if HURRIED else 50,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def doors() -> dict[str, tuple[Client, str, int]]:
    """A signed-in page and a program with a token, as (client, address, status of success)."""
    made = factories.benchmark()
    dev, test = factories.split(made, "dev"), factories.split(made, "test")

    def named(*qids: str, slug: str = "x") -> list[Any]:
        questions = factories.source_questions(slug, len(qids))
        return [replace(question, qid=qid) for question, qid in zip(questions, qids, strict=True)]

    factories.revise(test, named(RETIRED))
    factories.revise(test, named(*KNOWN.current))
    factories.revise(dev, named(DEV_FIRST, DEV_SECOND, slug="y"))
    user = factories.user()
    page = Client(raise_request_exception=False)
    page.force_login(user)
    _, secret = tokens.create_token(user=user, name="tests")
    program = Client(raise_request_exception=False, headers={"authorization": f"Token {secret}"})
    return {"page": (page, "/submit/", 302), "program": (program, "/api/v1/submissions/", 201)}


ANY_FILE = (
    mutated_files()
    | st.binary(max_size=300)
    | st.lists(NASTY, max_size=12).map(b"".join)
    | st.lists(ODD_OBJECTS | GOOD_OBJECTS, max_size=5).map(
        lambda values: "\n".join(_json(value) for value in values).encode("utf-8", "surrogatepass")
    )
)


def _json(value: object) -> str:

    return json.dumps(value, ensure_ascii=False)


@given(data=ANY_FILE)
@many
def test_any_file(doors: dict[str, tuple[Client, str, int]], data: bytes) -> None:
    report = read(data)
    for client, address, success in doors.values():
        before = rows(), stored_files()
        confirmed = {"confirm_missing": "on", "confirm_same": "on"} if success == 302 else {}
        form = factories.form_data("test", **confirmed) | {"openbook": SimpleUploadedFile("a.jsonl", data)}
        response = client.post(address, form)
        if report.ok:
            assert response.status_code == success
            kept = SubmissionFile.objects.latest("pk")
            assert kept.original.read() == data
            assert AnswerBlock.objects.texts_of(kept.answer_set) == report.answers
            continue
        assert response.status_code == 422, response.content[:500]
        assert (rows(), stored_files()) == before
        if success == 201:
            body = response.json()
            assert body["errors"]["openbook"]
            [told] = body["files"]
            groups = [group for group in told["groups"] if group["severity"] == "error"]
            assert {group["code"]: group["count"] for group in groups} == {
                group.code: group.count for group in report.errors
            }
            assert all(problem["message"] for group in groups for problem in group["problems"])
        else:
            text = response.content.decode()
            assert all(group.title in text for group in response.context["file_reports"][0].errors)


@st.composite
def broken_forms(draw: st.DrawFn) -> bytes:
    """A form with a good file, cut, doubled and overwritten in some places."""
    file = Part("openbook", whole_file(), "a.jsonl")
    body = bytearray(multipart([*fields(factories.form_data("test")), file]))
    pieces = st.sampled_from(
        [b"\r\n", b"--", f"--{BOUNDARY}".encode(), f"--{BOUNDARY}--\r\n".encode(), b"Content-Disposition: ", b"\0",
         b"name=", b'filename="', b'"', b";", b": ", b"\xff", b"Content-Transfer-Encoding: base64\r\n",
         b"filename*=x''",
         b"Content-Type: text/plain; charset=rot13\r\n"]
    )  # fmt: skip
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(body)))
        end = start + draw(st.sampled_from([0, 0, 1, 2, 10, 100]))
        body[start:end] = draw(pieces | st.binary(max_size=3) | st.just(bytes(body[start:end]) * 2))
    return bytes(body)


@given(body=broken_forms())
@many
def test_any_form(doors: dict[str, tuple[Client, str, int]], body: bytes) -> None:
    for client, address, success in doors.values():
        before = rows(), stored_files()
        response = client.generic("POST", address, body, content_type=f"multipart/form-data; boundary={BOUNDARY}")
        if response.status_code == success:
            continue
        assert response.status_code in {400, 413, 422}, response.content[:500]
        assert response.content
        assert (rows(), stored_files()) == before
