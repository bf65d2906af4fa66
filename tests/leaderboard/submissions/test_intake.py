"""The intake of uploaded files: the report tied to its file, names made harmless, every code documented."""

from __future__ import annotations

import doctest
import io
import json
import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.submissions import intake
from leaderboard.submissions.intake import (
    MAX_NAME_CHARACTERS,
    NAMELESS,
    REPEATED,
    FileReport,
    display_filename,
)
from scoring.generations.passages import PASSAGES
from scoring.generations.problems import FROM_LOG, TEXTS, UNFINISHED_LOG, severity_of
from scoring.generations.reader import KnownQuestions, Limits, read_generations
from scoring.generations.records import TEXT_ANSWERS, list_answers
from scoring.models import Setting
from tests.paths import ROOT

FORMAT = ROOT / "docs" / "submission-format.md"
KNOWN = KnownQuestions(["q1", "q2"])
GOOD = b'{"id": "q1", "answer": "Paris"}\n{"id": "q2", "answer": "Lyon"}\n'


def check(data: bytes, filename: str = "answers.jsonl", limits: Limits | None = None) -> FileReport:
    read = read_generations(io.BytesIO(data), KNOWN, limits)
    return FileReport.of(read, filename, Setting(slug="open-book", name="Open book"))


def test_a_file_report_is_the_reader_s_report_with_name_and_setting() -> None:
    report = check(GOOD, filename="C:\\runs\\best.jsonl")
    assert (report.filename, report.setting_slug, report.setting_label) == ("best.jsonl", "open-book", "Open book")
    assert report.ok
    plain = read_generations(io.BytesIO(GOOD), KNOWN)
    for name, value in vars(plain).items():
        assert getattr(report, name) == value
    assert report.answers == {"q1": "Paris", "q2": "Lyon"}


def test_as_dict_is_ready_for_json() -> None:
    report = check(GOOD + b'{"id": "Q2", "answer": "x"}', filename="\ud800evil\u202e.jsonl")
    data = json.loads(json.dumps(report.as_dict(), ensure_ascii=False).encode())
    assert (data["setting"], data["filename"], data["ok"], data["n_answered"]) == ("open-book", "evil.jsonl", False, 2)
    assert data["groups"][0]["code"] == "unknown-id"
    assert data["groups"][0]["problems"][0]["fix"].endswith(" “q2”.")


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("results.jsonl", "results.jsonl"),
        ("Ergebnisse (neu) – März.jsonl.gz", "Ergebnisse (neu) – März.jsonl.gz"),
        ("答案.jsonl", "答案.jsonl"),
        ("../../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\runs\\a b.jsonl", "a b.jsonl"),
        ("/absolute/path/", NAMELESS),
        ("a\u2215b\u2044c\uff0fd.jsonl", "d.jsonl"),
        ("..", NAMELESS),
        (". . .", NAMELESS),
        ("", NAMELESS),
        ("\0\x1b\u200b", NAMELESS),
        ("a\r\nSet-Cookie: b=c.jsonl", "a Set-Cookie: b=c.jsonl"),
        ("photo\u202egnp.jsonl", "photognp.jsonl"),
        ("\u2067isolate\u2069\ufeff.jsonl", "isolate.jsonl"),
        ("half\ud83d.jsonl", "half.jsonl"),
        ("  two\t \u00a0 spaces\u2028.jsonl ", "two spaces .jsonl"),
        ("e\u0301.jsonl", "é.jsonl"),
    ],
)
def test_names_are_cleaned(given_name: str, shown: str) -> None:
    assert display_filename(given_name) == shown


def test_a_long_name_keeps_its_beginning_and_suffix() -> None:
    shown = display_filename("results-" + "x" * 10_000 + ".jsonl.gz")
    assert len(shown) == MAX_NAME_CHARACTERS
    assert shown.startswith("results-xxx")
    assert shown.endswith("…" + ".jsonl.gz")
    assert len(display_filename("y" * 1_000_000)) == MAX_NAME_CHARACTERS
    assert display_filename("z" * MAX_NAME_CHARACTERS) == "z" * MAX_NAME_CHARACTERS


@given(st.text(st.characters(), max_size=200) | st.text(st.sampled_from("./\\\u202e\ud800\0 a…\u0301"), max_size=200))
@settings(max_examples=500, deadline=None)
def test_any_name_comes_out_harmless(name: str) -> None:
    shown = display_filename(name)
    assert 0 < len(shown) <= MAX_NAME_CHARACTERS
    assert not re.search(r"[/\\]", shown)
    assert not {unicodedata.category(one) for one in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert shown.strip(". ")
    assert shown == " ".join(shown.split())
    shown.encode()
    assert display_filename(shown) == shown


def test_every_code_is_documented_with_its_severity() -> None:
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \| (error|warning) \|", FORMAT.read_text(), re.MULTILINE))
    of_files = {code: severity_of(code).value for code in TEXTS}
    assert rows == of_files | dict.fromkeys((*REPEATED, FROM_LOG, UNFINISHED_LOG), "warning")


def test_the_limits_in_the_document_are_the_defaults() -> None:
    text = FORMAT.read_text()
    limits = Limits()
    for phrase in (
        f"{limits.max_bytes // 2**20} MiB",
        f"{limits.max_line_bytes // 2**20} MiB",
        f"{limits.max_lines:,} lines",
        f"first {limits.max_shown_per_group} of each kind",
    ):
        assert phrase in text


def test_the_examples_in_the_document_are_read_without_a_problem() -> None:
    examples = re.findall(r"```json\n(.*?)```", FORMAT.read_text(), re.DOTALL)
    assert examples
    with_citations = replace(TEXT_ANSWERS, takes_citations=True)
    formats = {"answer": with_citations, "predictions": list_answers(), "passages": PASSAGES}
    for example in examples:
        (answer_format,) = (one for key, one in formats.items() if f'"{key}": ' in example)
        report = read_generations(io.BytesIO(example.encode()), None, None, answer_format)
        assert report.groups == ()
        assert len(report.answers) == example.count("\n")


def test_the_script_in_the_document_writes_a_good_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = re.findall(r"```python\n(.*?)```", FORMAT.read_text(), re.DOTALL)[0]
    monkeypatch.chdir(tmp_path)
    exec(compile(script, "submission-format.md", "exec"), {"answers": {"q1": "Zürich\n\u2028“x”", "q2": "\\"}})
    report = check((tmp_path / "generations.jsonl").read_bytes())
    assert report.groups == ()
    assert report.answers == {"q1": "Zürich\n\u2028“x”", "q2": "\\"}


def test_examples_in_docstrings() -> None:
    results = doctest.testmod(intake)
    assert results.attempted
    assert not results.failed
