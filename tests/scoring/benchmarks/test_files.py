"""Folders and zip archives of benchmarks: hostile ones are refused, with the entry named."""

import io
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared import files
from scoring.benchmarks.declared.files import pack, read_folder, read_zip
from scoring.benchmarks.declared.template import template, write_template
from tests.example_folder import write_example


def archive(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in entries:
            made.writestr(name, content)
    return packed.getvalue()


def link(name: str, mode: int = stat.S_IFLNK) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = (mode | 0o777) << 16
    return entry


def problems_of(read: Callable[[], object]) -> list[str]:
    with pytest.raises(SourceError) as caught:
        read()
    return caught.value.problems


def test_what_is_packed_is_read_again() -> None:
    written = template("capitals")
    assert read_zip(pack(written)) == written
    assert pack(written) == pack(dict(reversed(written.items())))


def test_one_folder_around_all_files_and_files_of_systems_are_left_out() -> None:
    entries = [(f"capitals/{name}", content) for name, content in template("capitals").items()]
    data = archive(*entries, ("__MACOSX/capitals/._x", b"x"), ("capitals/.DS_Store", b"x"), ("capitals/empty/", b""))
    assert read_zip(data) == template("capitals")


@pytest.mark.parametrize(
    "entry",
    [
        *("../evil.toml", "/etc/passwd", "a/../../evil", "C:\\evil", "a\\..\\b", "a//b", "./a", "a\nb", "../folder/"),
        link("questions/link.jsonl"),
        link("pipe", stat.S_IFIFO),
        "x" * 201,
    ],
    ids=repr,
)
def test_an_entry_that_is_no_plain_file_is_refused_by_name(entry: str | zipfile.ZipInfo) -> None:
    name = entry if isinstance(entry, str) else entry.filename
    (problem,) = problems_of(lambda: read_zip(archive(("benchmark.toml", b""), (entry, b"target"))))
    assert repr(name.removesuffix("/"))[:30] in problem


def test_all_bad_entries_are_named_at_once() -> None:
    data = archive(("../a", b""), ("/b", b""), (link("c"), b"d"))
    assert [problem.partition(":")[0] for problem in problems_of(lambda: read_zip(data))] == ["'../a'", "'/b'", "'c'"]


def test_a_name_that_occurs_twice_is_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        data = archive(("a.toml", b"1"), ("a.toml", b"2"), ("B.md", b""), ("b.MD", b""))
    assert [one.partition(":")[0] for one in problems_of(lambda: read_zip(data))] == ["'a.toml'", "'b.MD'"]


def test_a_bomb_is_refused_by_name() -> None:
    data = archive(("benchmark.toml", b"x"), ("questions/dev.jsonl", b"0" * 3 * 2**20))
    (problem,) = problems_of(lambda: read_zip(data))
    assert problem.startswith("'questions/dev.jsonl': expands to")


def test_a_bomb_that_lies_about_its_size_is_refused() -> None:
    data = bytearray(archive(("questions/dev.jsonl", b"0" * 3 * 2**20)))
    size = (3 * 2**20).to_bytes(4, "little")
    while (place := data.find(size)) >= 0:
        data[place : place + 4] = (1000).to_bytes(4, "little")
    assert problems_of(lambda: read_zip(bytes(data)))[0].startswith("'questions/dev.jsonl': ")


def test_content_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(files, "MAX_BYTES", 1000)
    data = archive(("a.txt", os.urandom(600)), ("b.txt", os.urandom(700)))
    assert problems_of(lambda: read_zip(data))[0].startswith("'b.txt': ")
    (tmp_path / "a.txt").write_bytes(b"x" * 1001)
    assert problems_of(lambda: read_folder(tmp_path))[0].startswith("a.txt: ")


def test_encrypted_and_broken_archives_are_refused() -> None:
    data = bytearray(archive(("a.txt", b"some text")))
    encrypted = bytearray(data)
    encrypted[encrypted.find(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in problems_of(lambda: read_zip(bytes(encrypted)))[0]
    data[35] ^= 255
    assert problems_of(lambda: read_zip(bytes(data)))[0].startswith("'a.txt': is damaged")
    assert "zip archive" in problems_of(lambda: read_zip(b"no archive"))[0]
    assert "empty" in problems_of(lambda: read_zip(archive()))[0]


def test_too_many_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_FILES", 2)
    assert "3 files" in problems_of(lambda: read_zip(archive(*((f"{n}.txt", b"") for n in range(3)))))[0]


def test_links_in_a_folder_are_refused_by_name(tmp_path: Path) -> None:
    folder = write_example(tmp_path / "capitals")
    (folder / "questions" / "more.jsonl").symlink_to("/etc/passwd")
    (folder / "elsewhere").symlink_to(tmp_path)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("x")
    names = {problem.partition(":")[0] for problem in problems_of(lambda: read_folder(folder))}
    assert names == {"questions/more.jsonl", "elsewhere"}


def test_a_template_is_written_into_new_folders_alone(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("x")
    assert problems_of(lambda: write_template(tmp_path))
    written = write_template(tmp_path / "My Benchmark")
    assert b'slug = "my-benchmark"' in written[0].read_bytes()
    assert read_folder(tmp_path / "My Benchmark") == template("my-benchmark", blank=True)
