"""Pictures that questions are about, as files of a declared benchmark."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.benchmarks.base import SourceError, SourceQuestion, content_hash
from scoring.benchmarks.declared.pictures import MAX_BYTES, PictureError, read_header
from scoring.benchmarks.declared.preview import preview
from scoring.benchmarks.declared.template import template
from scoring.cli.score import main
from scoring.metrics.graded_answer.items import stored_texts
from tests.made_pictures import jpeg, png, webp
from tests.scoring.benchmarks.test_declared import declared, place_of, problems_of

VP8 = b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 640, 0x4000 | 480)
VP8L = b"\x2f" + struct.pack("<I", (640 - 1) | (480 - 1) << 14)
VP8X = b"\0" * 4 + (640 - 1).to_bytes(3, "little") + (480 - 1).to_bytes(3, "little")


def folder(*contexts: Any, pictures: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
    """A benchmark whose development questions have these contexts; pictures are in ``figures``."""
    rows = [
        {"id": f"dev-{number}", "question": f"Which city is number {number}?", "answer": "Oslo", "context": context}
        for number, context in enumerate(contexts, start=1)
    ]
    made = template("capitals")
    made["questions/dev.jsonl"] = "\n".join(map(json.dumps, rows)).encode()
    return made | {f"figures/{name}": content for name, content in (pictures or {}).items()}


def questions(files: dict[str, bytes]) -> tuple[SourceQuestion, ...]:
    return declared(files).definition.packaged()["dev"].source.questions


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (png(3, 2), ("image/png", 3, 2)),
        (jpeg(640, 480), ("image/jpeg", 640, 480)),
        *(
            (webp(kind, body), ("image/webp", 640, 480))
            for kind, body in ((b"VP8 ", VP8), (b"VP8L", VP8L), (b"VP8X", VP8X))
        ),
    ],
)
def test_type_width_and_height_are_read_from_the_header(content: bytes, expected: tuple[str, int, int]) -> None:
    assert read_header(content) == expected


@pytest.mark.parametrize("content", [png(3, 2)[:24], jpeg(640, 480), webp(b"VP8 ", VP8), webp(b"VP8X", VP8X)])
def test_a_picture_that_breaks_off_anywhere_in_its_header_is_refused(content: bytes) -> None:
    end = content.index(b"\xff\xc2") + 9 if content.startswith(b"\xff\xd8") else len(content)
    for length in range(end):
        with pytest.raises(PictureError):
            read_header(content[:length])


@given(st.sampled_from([png()[:12], b"\xff\xd8\xff", b"RIFF\0\0\0\0WEBPVP8L"]), st.binary(max_size=60))
def test_no_bytes_do_more_than_be_refused(start: bytes, rest: bytes) -> None:
    try:
        kind, width, height = read_header(start + rest)
    except PictureError:
        return
    assert kind.startswith("image/")
    assert width > 0
    assert height > 0


def test_a_question_keeps_a_picture_by_its_content() -> None:
    files = folder(
        ["A map.", {"picture": "figures/1.png", "alt": "The north."}], "A text.", pictures={"1.png": png(30, 20)}
    )
    first, second = questions(files)
    sha256 = hashlib.sha256(png(30, 20)).hexdigest()
    assert first.context == ("A map.", {"picture": sha256, "alt": "The north.", "width": 30, "height": 20})
    assert second.context == ("A text.",)
    assert declared(files).unused == []
    assert "figures/1.png" not in declared(files).files


def test_the_hash_of_a_revision_changes_with_the_content_of_a_picture() -> None:
    block = {"picture": "figures/1.png", "alt": "A map."}
    one, other = (folder(block, pictures={"1.png": png(colour=(shade, 0, 0))}) for shade in (1, 2))
    assert content_hash(questions(one)) != content_hash(questions(other))


@pytest.mark.parametrize(
    "path", ["https://example.org/1.png", "//example.org/1.png", "data:image/png;base64,AA", "/etc/1.png", "../1.png"]
)
def test_a_picture_outside_the_folder_is_refused_by_line_and_field(path: str) -> None:
    (problem,) = problems_of(folder("A text.", {"picture": path}))
    assert place_of(problem) == ("questions/dev.jsonl", 2, "context")


@pytest.mark.parametrize("block", [{"picture": 5}, {"picture": "a", "altt": "a"}, {"picture": "a", "alt": 1}])
def test_a_picture_with_odd_values_is_refused(block: dict[str, Any]) -> None:
    (problem,) = problems_of(folder(block))
    assert place_of(problem) == ("questions/dev.jsonl", 1, "context")


def test_all_pictures_that_cannot_be_shown_are_named_at_once() -> None:
    svg = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'
    wrong = {
        "1.svg": svg,
        "2.png": png()[:20],
        "3.png": png() + bytes(MAX_BYTES),
        "4.jpg": jpeg(8_000, 6_000),
        "5.gif": b"GIF89a" + bytes(40),
    }
    names = [f"figures/{name}" for name in wrong]
    contexts = [{"picture": name} for name in [*names, "figures/6.png", names[0]]]
    problems = problems_of(folder(*contexts, pictures=wrong))
    assert [place_of(problem) for problem in problems] == [
        ("questions/dev.jsonl", line, "context") for line in range(1, 7)
    ]


def test_a_label_of_an_option_is_no_picture() -> None:
    files = template("capitals")
    row = {"id": "dev-1", "question": "Which?", "answer": "a", "choices": {"picture": "a", "alt": "b"}}
    files["questions/dev.jsonl"] = json.dumps(row).encode()
    assert [place_of(problem) for problem in problems_of(files)] == [("questions/dev.jsonl", 1, "choices")]


def test_a_published_field_may_name_a_picture_and_another_its_text() -> None:
    files = folder("", pictures={"1.png": png()})
    rows: list[dict[str, Any]] = [
        {
            "id": "dev-1",
            "question": "Which?",
            "answer": "Oslo",
            "image": "1.png",
            "caption": "A map.",
            "about": "A.",
        },
        {"id": "dev-2", "question": "Where?", "answer": "Oslo", "image": None, "caption": None, "about": "A."},
        {"id": "dev-3", "question": "Who?", "answer": "Oslo", "image": ["1.png", "1.png"], "caption": ["a", "b"]},
    ]
    files["questions/dev.jsonl"] = "\n".join(map(json.dumps, rows)).encode()
    source = '{ field = "image", picture = "figures/", alt = "caption" }'
    files["benchmark.toml"] += f'\n[questions]\ncontext = ["about", {source}]\n'.encode()
    read = questions(files)
    texts = [[block if isinstance(block, str) else block["alt"] for block in question.context] for question in read]
    assert texts == [["A.", "A map."], ["A."], ["a", "b"]]

    rows[0]["image"] = "https://example.org/1.png"
    rows[1]["image"] = "missing.png"
    files["questions/dev.jsonl"] = "\n".join(map(json.dumps, rows)).encode()
    assert {place_of(problem) for problem in problems_of(files)} == {
        ("questions/dev.jsonl", 1, "context"),
        ("questions/dev.jsonl", 2, "context"),
    }


def test_a_picture_without_words_is_a_warning() -> None:
    block = {"picture": "figures/1.png", "alt": ""}
    pictures = {"1.png": png()}
    (warning,) = [text for text in declared(folder(block, pictures=pictures)).warnings() if "without alt" in text]
    assert "questions/dev.jsonl: line 1" in warning
    described = folder(block | {"alt": "A map."}, pictures=pictures)
    assert not [text for text in declared(described).warnings() if "without alt" in text]


def test_a_preview_and_a_judge_get_the_words_of_a_picture() -> None:
    files = folder({"picture": "figures/1.png", "alt": "A map."}, pictures={"1.png": png()})
    assert "    context: [picture: A map.]" in list(preview(declared(files).definition, 1))
    (question,) = questions(files)
    judged: Any = SimpleNamespace(context=question.context)
    assert stored_texts(judged, ["context", "choices"]) == {"context": "A map.", "choices": ""}


def test_questions_that_are_listed_have_the_words_of_a_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = folder({"picture": "figures/1.png", "alt": "A map."}, pictures={"1.png": png()})
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    assert main(["--benchmark", str(tmp_path), "--split", "dev", "--list-questions"]) == 0
    assert json.loads(capsys.readouterr().out)["context"] == ["[picture: A map.]"]


def test_a_file_imported_alone_has_no_pictures(tmp_path: Path) -> None:
    files = folder({"picture": "figures/1.png", "alt": "A map."}, pictures={"1.png": png()})
    importer = declared(files).definition.importer
    path = tmp_path / "dev.jsonl"
    path.write_bytes(files["questions/dev.jsonl"])
    with pytest.raises(SourceError, match="imported alone"):
        importer.read_file(path)
