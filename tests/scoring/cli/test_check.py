"""``python -m scoring check``: what a site would say of a file, without one."""

import gzip
import io
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from scoring.__main__ import main
from scoring.benchmarks import definition_of
from scoring.cli import check as cli_check
from scoring.generations.json_errors import NO_BRACE
from scoring.generations.problems import title_of
from tests.scoring.cli import run_as_process
from tests.scoring.generations.files import line

TEST = [one.qid for one in definition_of("fanoutqa").packaged()["test"].source.questions]
DEV = [one.qid for one in definition_of("fanoutqa").packaged()["dev"].source.questions]


def write(folder: Path, answers: Mapping[str, object], *, raw: bytes = b"", name: str = "generations.jsonl") -> Path:
    path = folder / name
    path.write_bytes(b"".join(line(qid, answer) for qid, answer in answers.items()) + raw)
    return path


def questions(folder: Path, ids: list[str], name: str = "questions.json") -> Path:
    path = folder / name
    path.write_text(json.dumps([{"id": one, "question": f"What is {one}?"} for one in ids]))
    return path


def check(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["check", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_good_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = check(capsys, write(tmp_path, dict.fromkeys(TEST, "Oslo")))
    assert code == 0
    assert "725 of 725 questions answered" in out
    assert "FanOutQA, test split, 725 questions of 2023-11-20, from its package" in out
    assert out.rstrip().endswith(f"{cli_check.ACCEPTED}.")


def test_warnings_and_their_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = check(capsys, write(tmp_path, dict.fromkeys(TEST[2:], "Oslo")))
    assert code == 1
    assert f"warning: {title_of('missing-answer', 2, 725)}: “{TEST[0]}”, “{TEST[1]}”\n" in out
    assert f"{cli_check.ACCEPTED}, with 2 warnings." in out


def test_every_problem_with_its_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = TEST[0][:-1] + ("0" if TEST[0][-1] != "0" else "1")
    raw = line(wrong, "x") + b'{"id": "a", }\n' + line(TEST[1], 5)
    code, out, _ = check(capsys, write(tmp_path, dict.fromkeys(TEST[:1], "Oslo"), raw=raw))
    assert code == 2
    assert f"“{TEST[0]}”" in out, "the nearest id"
    assert "Line 3, column" in out
    assert "Line 4, key “answer”: found a number" in out
    assert f"{cli_check.REJECTED}: 3 errors." in out


def test_the_other_split(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, dict.fromkeys(DEV, "Oslo"))
    code, out, _ = check(capsys, path)
    assert (code, "choose the dev split" in out) == (2, True)
    assert check(capsys, path, "--split", "dev")[0] == 0


def test_a_later_question_file_retires_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, dict.fromkeys(TEST, "Oslo"))
    code, out, _ = check(capsys, path, "--questions", questions(tmp_path, TEST[1:]))
    assert code == 1
    assert "724 of 724 questions answered" in out
    assert f"found id “{TEST[0]}”, no longer in questions.json" in out
    code, out, _ = check(
        capsys, write(tmp_path, dict.fromkeys(DEV, "x")), "--questions", questions(tmp_path, [*DEV, "new"])
    )
    assert (code, "dev split), 311 questions" in out) == (1, True)


def test_new_questions_are_of_the_split_that_a_benchmark_shows_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = check(capsys, write(tmp_path, {"new": "x"}), "--questions", questions(tmp_path, ["new"]))
    assert "test split), 1 questions" in out


def test_the_report_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packed = tmp_path / "generations.jsonl.gz"
    plain = write(tmp_path, dict.fromkeys(TEST, "Oslo")).read_bytes()
    packed.write_bytes(gzip.compress(plain))
    code, out, _ = check(capsys, packed, "--json")
    report = json.loads(out)
    assert code == 0
    assert (report["ok"], report["n_answered"], report["compression"]) == (True, 725, "gzip")
    assert (report["size"], report["text_size"]) == (packed.stat().st_size, len(plain))
    assert report["file"] == str(packed)


def test_gzip_tells_its_ratio_and_a_bomb_is_left_at_the_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tmp_path / "bomb.gz"
    packed.write_bytes(gzip.compress(line(TEST[0], "a" * 1000) * 8000))
    code, out, _ = check(capsys, packed, "--limit-mb", 4)
    assert code == 2
    assert "4 MiB of text (" in out
    assert "4 MiB after decompression" in out


def test_all_problems_are_listed_when_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, {}, raw=b"nonsense\n" * 50 + line(TEST[0], "x"))
    mistake = NO_BRACE.found.format(here="“nonsense”")
    code, out, _ = check(capsys, path)
    assert (code, out.count(mistake)) == (2, 1)
    assert f"error: {title_of('broken-json', 50)}: lines 1, 2, 3, …\n" in out
    assert "--all" in out
    assert check(capsys, path, "--all")[1].count(mistake) == 50


def test_standard_input(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(write(tmp_path, dict.fromkeys(TEST, "Oslo")).read_bytes())

    monkeypatch.setattr("scoring.cli.check.sys.stdin", Input())
    assert check(capsys, "-")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.jsonl"], "missing.jsonl: cannot be read"),
        (["{path}", "--split", "train"], "--split: found 'train', expected one of dev, test"),
        (["{path}", "--questions", "{path}"], "generations.jsonl: "),
    ],
)
def test_what_cannot_be_begun(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    path = write(tmp_path, {"a": "x", "b": "y"})
    code, _, err = check(capsys, *(one.format(path=path) for one in arguments))
    assert code == 2
    assert said in err


@pytest.mark.parametrize("limit", ["0", "x", "99999"])
def test_a_limit_is_a_number(limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["check", "x", "--limit-mb", limit])
    assert end.value.code == 2
    assert f" 1 to {cli_check.MAX_LIMIT_MB}" in capsys.readouterr().err


def test_it_needs_neither_a_site_nor_a_database(tmp_path: Path) -> None:
    _, loaded = run_as_process("check", str(write(tmp_path, dict.fromkeys(TEST, "Oslo"))))
    assert not loaded & {"django", "celery", "spacy", "nltk", "fanoutqa", "torch", "psycopg"}


def test_a_file_of_passages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = tmp_path / "gold.jsonl"
    answer = {"answer_text": "Oslo", "aliases": ["Oslo"]}
    gold.write_text("".join(json.dumps({"qid": f"q{n}", "answer_list": [answer]}) + "\n" for n in range(3)))
    path = tmp_path / "passages.jsonl"
    path.write_text('{"id": "q0", "passages": [{"title": "Oslo", "text": ""}]}\n{"id": "q1", "passages": []}\n')
    options = ("--passages", "--task", "answer-list", "--questions", gold)
    code, out, _ = check(capsys, path, *options)
    assert code == 1
    assert "1 of 3 questions with passages" in out
    path.write_text('{"id": "q0", "passages": [{"title": "Oslo"}]}\n')
    code, out, _ = check(capsys, path, *options, "--json")
    (problem,) = json.loads(out)["groups"][0]["problems"]
    assert (code, problem["line"], problem["field"], problem["question_id"]) == (2, 1, "passages", "q0")
