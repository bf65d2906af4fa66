"""Uploads that are incomplete, too large, malformed or hostile: always a refusal with its reason, and nothing is kept.

Each case comes through both doors, the page's form and the API, to the real web server.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.forms import Field

from leaderboard.models import SubmissionFile
from leaderboard.submissions.forms import NO_FILE, SEVERAL_FILES
from leaderboard.web.uploads import WRONG_LENGTH
from tests import factories
from tests.processes import Site
from tests.reliability.ground import rows, stored_files
from tests.reliability.raw_http import Answer, Part, exchange, head, multipart
from tests.reliability.visitors import FORM_TYPE, Door, doors
from tests.services import PATIENCE_SECONDS, Redis, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.postgres, pytest.mark.django_db(transaction=True)]

GOOD = Part("openbook", factories.generations(factories.perfect()), "answers.jsonl")
MIB = 2**20
LIMIT_MB = 1
"""The limit of a file in these tests, so that going over it is quick."""


@pytest.fixture(scope="module")
def temporary_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the web server of the tests keeps its temporary files."""
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture
def process_options(temporary_files: Path) -> dict[str, str]:
    return {"TMPDIR": str(temporary_files), "UPLOAD_LIMIT_MB": str(LIMIT_MB), "PASSAGES_LIMIT_MB": str(LIMIT_MB)}


@dataclass
class Entrance:
    """The site with both doors, and what is behind them."""

    site: Site
    doors: list[Door]
    temporary_files: Path

    def refuses(self, cases: dict[str, Callable[[Door], tuple[Answer, set[int], str]]]) -> None:
        """Every case through every door gets one of its statuses with its words, and leaves nothing behind."""
        before = rows(), stored_files()
        wrong = []
        for door in self.doors:
            for name, attempt in cases.items():
                answer, statuses, words = attempt(door)
                if answer.status not in statuses or words not in answer.reason or not answer.reason.strip():
                    wrong.append(f"{door.name}, {name}: {answer.status} {answer.reason[:300]}")
        assert not wrong, "\n".join(wrong)
        assert (rows(), stored_files()) == before
        wait_for(lambda: not self.left_behind(), PATIENCE_SECONDS, "the temporary files to go")
        assert "Internal Server Error" not in self.site.log.read_text()

    def left_behind(self) -> list[Path]:
        """Temporary files, but for the folder of its counters that each web server has as long as it runs."""
        return [path for path in self.temporary_files.iterdir() if not path.name.startswith("manyhop-metrics-")]


@pytest.fixture
def entrance(redis_server: Redis, live_site: Site, temporary_files: Path) -> Iterator[Entrance]:
    factories.benchmark()
    entrance = Entrance(live_site, doors(live_site, factories.user()), temporary_files)
    yield entrance
    for door in entrance.doors:  # after all of it, the site still does its work
        answer = door.submit([GOOD])
        assert answer.status == door.accepted, answer.reason


def test_cut_off_half_way(entrance: Entrance) -> None:
    big = Part("closedbook", factories.generations({"dev-0": "x" * (MIB // 2)}), "big.jsonl")

    def cut(share: float, *, listen: bool = True) -> Callable[[Door], tuple[Answer, set[int], str]]:
        def attempt(door: Door) -> tuple[Answer, set[int], str]:
            body = multipart([*door.statement(), GOOD, big])
            headers = {"Content-Type": FORM_TYPE, "Content-Length": str(len(body))}
            answer = door.send(headers, body[: int(share * len(body))], end=True, listen=listen)
            if not listen:
                return Answer(400, {}, b"nobody heard it"), {400}, ""
            return answer, {400}, "incomplete"

        return attempt

    cases = {f"cut at {share:.4f}": cut(share) for share in (0.0, 0.0003, 0.001, 0.3, 0.9999)}
    entrance.refuses(cases | {"dropped": cut(0.5, listen=False), "dropped at once": cut(0.0, listen=False)})


def test_wrong_lengths(entrance: Entrance) -> None:
    def with_headers(
        headers: Callable[[int], dict[str, str]], statuses: set[int], words: str
    ) -> Callable[[Door], tuple[Answer, set[int], str]]:
        def attempt(door: Door) -> tuple[Answer, set[int], str]:
            body = multipart([*door.statement(), GOOD, Part("closedbook", GOOD.content, "second.jsonl")])
            return door.send({"Content-Type": FORM_TYPE} | headers(len(body)), body, end=True), statuses, words

        return attempt

    second_file = len(multipart([Part("closedbook", GOOD.content, "second.jsonl")]))
    entrance.refuses(
        {
            "too short by a line": with_headers(lambda n: {"Content-Length": str(n - 60)}, {400}, WRONG_LENGTH),
            "too short by exactly the second file": with_headers(
                lambda n: {"Content-Length": str(n - second_file)}, {400}, WRONG_LENGTH
            ),
            "too long by one": with_headers(lambda n: {"Content-Length": str(n + 1)}, {400}, "incomplete: 1 byte"),
            "none": with_headers(lambda n: {}, {411}, "Content-Length"),
            "a word": with_headers(lambda n: {"Content-Length": "many"}, {400}, "CONTENT-LENGTH"),
            "negative": with_headers(lambda n: {"Content-Length": f"-{n}"}, {400}, "CONTENT-LENGTH"),
            "a superscript digit": with_headers(lambda n: {"Content-Length": "\xb2"}, {400}, "CONTENT-LENGTH"),
            "chunked": with_headers(lambda n: {"Transfer-Encoding": "chunked"}, {400, 411}, ""),
            "both": with_headers(lambda n: {"Content-Length": str(n), "Transfer-Encoding": "chunked"}, {400, 411}, ""),
        }
    )


def test_over_the_limits(entrance: Entrance) -> None:
    room = (3 + 1) * LIMIT_MB * MIB + 4 * MIB  # three files of answers, one of passages, and the other fields

    def announced(n_bytes: int) -> Callable[[Door], tuple[Answer, set[int], str]]:
        def attempt(door: Door) -> tuple[Answer, set[int], str]:
            # Nothing of the body is sent: an answer comes only if none of it was waited for.
            answer = door.send({"Content-Type": FORM_TYPE, "Content-Length": str(n_bytes)}, b"")
            return answer, {413}, f"{LIMIT_MB} MiB"

        return attempt

    def one_file_too_large(door: Door) -> tuple[Answer, set[int], str]:
        too_large = Part("closedbook", factories.generations({"dev-0": "x" * (LIMIT_MB * MIB)}), "large.jsonl")
        broken = Part("openbook", b'{"id": "dev-0", "answer": "Oslo"}\n{"id": "dev-9", "answer": 3}\n', "broken.jsonl")
        answer = door.submit([too_large, broken, Part("name", b"")])
        assert "dev-9" in answer.reason, "the other file's problems are told as well"
        assert str(Field.default_error_messages["required"]) in answer.reason, "and so are the form's"
        return answer, {422}, f"{LIMIT_MB} MiB"

    def too_much_text(door: Door) -> tuple[Answer, set[int], str]:
        return door.submit([GOOD, Part("details", b"x" * (3 * MIB))]), {413}, "contain more than 2 MiB"

    entrance.refuses(
        {
            "one byte over": announced(room + 1),
            "a lot over": announced(10**12),
            "beyond all numbers": announced(10**40),
            "one file": one_file_too_large,
            "text": too_much_text,
        }
    )


def test_malformed_forms(entrance: Entrance) -> None:
    def of_type(content_type: str | None, statuses: set[int]) -> Callable[[Door], tuple[Answer, set[int], str]]:
        def attempt(door: Door) -> tuple[Answer, set[int], str]:
            body = multipart([*door.statement(), GOOD])
            headers = {"Content-Length": str(len(body))}
            return door.send(headers | ({"Content-Type": content_type} if content_type else {}), body), statuses, ""

        return attempt

    def with_body(body: bytes, statuses: set[int], words: str = "") -> Callable[[Door], tuple[Answer, set[int], str]]:
        def attempt(door: Door) -> tuple[Answer, set[int], str]:
            headers = {"Content-Type": FORM_TYPE, "Content-Length": str(len(body))}
            return door.send(headers, body), statuses, words

        return attempt

    def with_parts(
        parts: list[Part], statuses: set[int], words: str = ""
    ) -> Callable[[Door], tuple[Answer, set[int], str]]:
        return lambda door: (door.submit(parts), statuses, words)

    charsets = ("rot13", "hex", "idna", "undefined", "punycode", "utf-16", "utf-7", "nonsense", "\xff", "x" * 3000)
    refused = {400, 403, 411, 415, 422}
    entrance.refuses(
        {f"charset {name[:20]}": of_type(f"{FORM_TYPE}; charset={name}", {415}) for name in charsets}
        | {
            "no boundary": of_type("multipart/form-data", {400}),
            "another boundary": of_type("multipart/form-data; boundary=another", {400}),
            "a boundary of umlauts": of_type('multipart/form-data; boundary="\xe4\xf6"', {400}),
            "an endless boundary": of_type(f"multipart/form-data; boundary={'b' * 2000}", {400, 415}),
            "plain text": of_type("text/plain", refused),
            "JSON": of_type("application/json", refused),
            "an ordinary form": of_type("application/x-www-form-urlencoded", refused),
            "no type": of_type(None, refused),
            "a type of junk": of_type(";;;=,\xff/", refused),
            "junk": with_body(b"\0\xff" * 500, {400}),
            "only the closing line": with_body(multipart([]), refused),
            "a part without a name": with_body(
                b"--" + multipart([GOOD])[2:].replace(b'name="openbook"', b"x"), refused
            ),
            "a hundred files": with_parts([GOOD] * 101, {400}, "More than 100 files"),
            "two files for one setting": with_parts([GOOD, GOOD], {422}, SEVERAL_FILES),
            "ten thousand fields": with_parts(
                [GOOD, *[Part(f"f{n}", b"") for n in range(10_100)]], {400}, "10,000 form fields"
            ),
            "a part's header without end": with_parts([Part("openbook", b"", "x" * 5000)], {400}),
            "NUL in the split": with_parts([GOOD, Part("split", b"dev\0")], {422}),
            "NUL in the name": with_parts([GOOD, Part("name", b"a\0b")], {422}, "Null characters"),
            "a split there is not": with_parts(
                [GOOD, Part("split", b"train")], {422}, "The split train does not exist"
            ),
            "broken Base64": with_parts(
                [Part("openbook", b"!!!", "x.jsonl", ("Content-Transfer-Encoding: base64",))], {400, 422}
            ),
            "text where a file belongs": with_parts([Part("openbook", GOOD.content)], {422}, NO_FILE),
            "a file for a setting there is not": with_parts([Part("nonsense", GOOD.content, "x")], {422}),
            "an empty file": with_parts([Part("openbook", b"", "x.jsonl")], {422}),
            "no file name": with_parts([Part("openbook", GOOD.content, "")], {422}, NO_FILE),
            "a huge context": with_parts([GOOD, Part("context_size", b"9" * 400)], {422}),
            "a context of letters": with_parts([GOOD, Part("context_size", b"\xff\xfe")], {422}),
        }
    )


def test_junk_around_requests(entrance: Entrance) -> None:
    """Addresses, cookies and headers with characters that the database or the codecs do not take."""
    port = entrance.site.port
    nul_cookie = '"' + r"\000" * 32 + '"'
    requests = {
        "/?sort=%00": 400,
        "/?sort=%ff": 200,
        "/fanoutqa/dev/openbook/?sort=%00": 400,
        "/api/v1/board/?split=%00": 400,
        "/api/v1/board/?setting=a%00b": 400,
        "/api/v1/board/?benchmark=%ff": 404,
        f"/api/v1/board/?split={'x' * 3000}": 404,
        "/accounts/sign-in/?next=%00": 400,
        "/admin/login/?next=%0d%0aX:y": 302,
        "/submissions/%00/": 404,
        "/systems/%00/": 404,
        "/%ff%fe": 404,
        "/api/v1/submissions/not-an-id/": 404,
        "/api/v1/%00": 404,
    }
    for path, status in requests.items():
        answer = exchange(port, head("GET", path, port, {}))
        assert answer.status == status, (path, answer.reason[:300])
        if path.startswith("/api/") and status >= 400:
            assert answer.headers["content-type"] == "application/problem+json", path
    for headers in (
        {"Cookie": f"sessionid={nul_cookie}"},
        {"Cookie": f"csrftoken={nul_cookie}; messages={nul_cookie}"},
        {"Cookie": "=;;=\xff; sessionid=" + "x" * 4000},
        {"Accept-Language": "\xff" * 900 + ";q=zz"},
        {"Accept": "\xff/\xfe;q=1e999"},
        {"If-Modified-Since": "Sat, 99 Foo 99999999999 25:61:61 GMT", "If-None-Match": "\xff"},
        {"Range": "bytes=-"},
        {"X-Forwarded-Proto": "\xff", "X-Forwarded-For": "'"},
        {"HX-Request": "true", "HX-Target": "board-table"},
    ):
        answer = exchange(port, head("GET", "/", port, headers))
        assert answer.status == 200, (headers, answer.reason[:300])
    for headers in ({"Host": "evil.example"}, {"Host": "a b"}, {"Bad Name": "x"}, {"X": "a\x01b\0"}):
        answer = exchange(port, head("GET", "/", port, headers))
        assert answer.status == 400, (headers, answer.reason[:300])
        assert answer.reason.strip()
    tokens = ("Token", "Token a b", "Token \xff\xfe", "Bearer " + "x" * 4000, "Token mh_nobody")
    for token in tokens:
        answer = exchange(port, head("GET", "/api/v1/submissions/", port, {"Authorization": token}))
        assert answer.status == 401, (token, answer.reason)
    for name in (b"a\0b", b"\xff", b"x" * 5000, b"nonsense"):
        assert entrance.doors[1].submit([GOOD, Part("benchmark", name)]).status == 404
    revoke = f"/accounts/tokens/{'9' * 40}/revoke/"
    form = entrance.doors[0]
    assert exchange(port, head("POST", revoke, port, form.headers() | {"Content-Length": "0"})).status in (403, 404)


HOSTILE_NAMES: dict[str, str | None] = {
    "../../../etc/passwd": "passwd",
    r"C:\runs\open book.jsonl": "open book.jsonl",
    "..": None,
    "/": None,
    "a\0b.jsonl": None,
    "x" * 400 + ".jsonl": None,
    "\u202elnosj.exe".encode().decode("latin-1"): None,
    "\xff\xfe.jsonl": None,
    "&lt;script&gt;": None,
}
"""How a file may be called, and the name that is kept of it where that is to be known exactly."""


def test_hostile_names_of_good_files(entrance: Entrance) -> None:
    """The file is good, so it is taken (or the name is none); where it is kept never depends on what it is called."""
    for door in entrance.doors:
        for sent, kept in HOSTILE_NAMES.items():
            before = set(stored_files())
            answer = door.submit([Part("openbook", GOOD.content, sent)])
            assert answer.status in ({door.accepted} if kept else {door.accepted, 422}), (sent, answer.reason)
            if answer.status == door.accepted:
                row = SubmissionFile.objects.latest("pk")
                assert kept is None or row.filename == kept
                assert row.filename.isprintable()
                assert not set(row.filename) & set("/\\\0")
                new = {path for path in stored_files() if path.is_file()} - before
                assert new == {Path(row.original.path)}
                assert Path(row.original.path).name == "openbook.upload"
                assert Path(row.original.path).read_bytes() == GOOD.content
