"""What the commands say of doubtful answers before anything is sent; the form and the API say the same."""

from __future__ import annotations

import argparse
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from manyhop.cli import importing, running, submitting
from manyhop.cli.running import UnusableError
from manyhop.errors import ApiError
from scoring.cli import check
from tests.scoring.logs import files as logs

IDS = [f"q{place}" for place in range(8)]
SUBMIT = argparse.Namespace(separator=None, answer_field=None)
DOUBTFUL = {
    "q0": "<think>Paris?</think> Rome",
    "q1": "",
    **dict.fromkeys(("q2", "q3", "q4", "q5", "q6"), "Error: rate limit exceeded"),
}
SAID = (
    "1 answer contains a block of reasoning",
    "5 answers repeat a text",
    "1 answer is empty",
    "6 of 8 questions answered",
)


def log_of(answers: dict[str, str]) -> bytes:
    described = logs.header(status="error")
    described["eval"] |= {"dataset": {"sample_ids": IDS}}
    return logs.eval_log(
        *(logs.sample(name, output={"completion": text}) for name, text in answers.items()), **described
    )


def generations_of(answers: dict[str, str]) -> bytes:
    return b"".join(json.dumps({"id": name, "answer": text}).encode() + b"\n" for name, text in answers.items())


class Site:
    """A client of a site with one benchmark of eight questions."""

    def __enter__(self) -> Site:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def benchmark(self, slug: str) -> Any:
        splits = [argparse.Namespace(slug="dev")]
        return argparse.Namespace(slug=slug, task_type="text-answer", takes_citations=False, splits=splits)

    def questions(self, benchmark: str, split: str) -> list[Any]:
        return [argparse.Namespace(id=name) for name in IDS]


def test_import_says_what_is_doubtful_with_its_number(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "client_of", lambda options: Site())
    log = tmp_path / "run.eval"
    log.write_bytes(log_of(DOUBTFUL))
    place = ["--benchmark", "small", "--out", str(tmp_path / "out.jsonl"), "--json"]
    assert importing.run("import", importing.parser("import").parse_args([str(log), *place])) == 1
    told = capsys.readouterr()
    assert all(said in told.err for said in SAID)
    assert "status error, 7 of 8 samples" in told.err
    assert json.loads(told.out)["n_answered"] == 6


@pytest.mark.parametrize("is_log", [False, True], ids=["a generations file", "a log"])
def test_submit_says_what_is_doubtful_before_it_sends(
    is_log: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run"
    file.write_bytes((log_of if is_log else generations_of)(DOUBTFUL))
    assert submitting._check("open", file, "text-answer", set(IDS), SUBMIT)
    told = capsys.readouterr().err
    assert all(said in told for said in SAID)
    assert "2 of 8 questions have no answer and will score 0" in told
    assert ("status error, 7 of 8 samples" in told) == is_log


def test_submit_refuses_a_log_that_cannot_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.eval"
    file.write_bytes(log_of(DOUBTFUL)[:-30])
    assert not submitting._check("open", file, "text-answer", set(IDS), SUBMIT)
    assert "breaks off" in capsys.readouterr().err


@pytest.mark.parametrize("is_log", [False, True], ids=["a generations file", "a log"])
def test_check_says_what_is_doubtful(is_log: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, questions = tmp_path / "run", tmp_path / "questions.json"
    file.write_bytes((log_of if is_log else generations_of)(DOUBTFUL))
    questions.write_text(json.dumps([{"id": name, "question": "What?"} for name in IDS]))
    assert check.main([str(file), "--benchmark", "fanoutqa", "--questions", str(questions)]) == 1
    told = capsys.readouterr().out
    assert all(said in told for said in SAID)
    assert ("status error, 7 of 8 samples" in told) == is_log


@pytest.mark.parametrize(
    ("names", "newest"),
    [
        (("2026-11-02T08-00-00+00-00_a.eval", "2026-11-01T08-00-00+00-00_b.eval"), "2026-11-02T08-00-00+00-00_a.eval"),
        (("a.eval", "b.eval"), "b.eval, last changed on 2001-09-09 at 01:46 UTC"),
    ],
    ids=["by their names", "by their last change"],
)
def test_of_two_logs_in_a_folder_the_newer_one_is_named(
    names: tuple[str, str],
    newest: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importing, "client_of", lambda options: Site())
    for seconds, name in enumerate(names):
        (tmp_path / name).write_bytes(log_of(DOUBTFUL))
        os.utime(tmp_path / name, (10**9 - 60 + seconds * 60,) * 2)
    options = importing.parser("import").parse_args(
        [str(tmp_path), "--benchmark", "small", "--out", str(tmp_path / "out.jsonl")]
    )
    with pytest.raises(UnusableError, match="The newest is " + re.escape(newest)):
        importing.run("import", options)


def test_without_a_token_the_useful_line_comes_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(command: str, options: argparse.Namespace) -> int:
        raise ApiError(401, {"detail": "No token was sent (header Authorization)."})

    monkeypatch.setattr(submitting, "run", refuse)
    assert running.run("status", "submitting", ["--site", "http://small.example"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first == "error: Store a token with: manyhop login --site http://small.example"
    assert "header" in second
