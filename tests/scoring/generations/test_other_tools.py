"""Files of other tools and of other benchmarks: recognised from a bounded part, and turned into generations files."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from scoring.generations.lines import HEAD_BYTES
from scoring.generations.reader import SAMPLE_IDS, KnownQuestions, Limits
from tests.paths import ROOT
from tests.scoring.generations import other_tools
from tests.scoring.generations.files import DEV_FIRST, FIRST, KNOWN, SECOND, THIRD, codes, line, problems, read

SAMPLES = ROOT / "templates" / "leaderboard" / "pages" / "samples"
MANY = [f"{number}__wikidata_simple__test" for number in range(2_000)]
ASKED: list[Sequence[str]] = []


def _elsewhere(ids: Sequence[str]) -> dict[str, str]:
    ASKED.append(ids)
    return {one: "QAMPARI" for one in ids if one.endswith("__test")}


OTHER = KnownQuestions(KNOWN.current, KNOWN.retired, KNOWN.other_splits, elsewhere=_elsewhere)


@pytest.mark.parametrize(("data", "name", "advice"), other_tools.FILES.values(), ids=other_tools.FILES)
def test_the_advice_names_the_tool_and_what_helps(data: bytes, name: str, advice: str) -> None:
    report = read(data)
    assert codes(report) == {"wrong-format": 1}
    (problem,) = problems(report, "wrong-format")
    assert (problem.found, problem.line) == (name, None)
    assert advice in problem.fix
    assert "Files of other tools" in problem.fix
    assert "jq" not in problem.fix
    assert report.sha256, "the file was read to its end"


def test_only_the_beginning_of_a_long_line_is_looked_at() -> None:
    log = other_tools.inspect_log()
    log["eval"] = {**log["eval"], "metadata": "x" * 3000}
    long = json.dumps(log).encode()
    assert len(long) > 2048
    report = read(long, limits=Limits(max_line_bytes=2048))
    assert problems(report, "wrong-format")[0].found == "an inspect_ai log (JSON)"
    assert len(long[:HEAD_BYTES]) == len(long[: 2**12])


@pytest.mark.parametrize(
    "more",
    [
        {"doc_id": 1, "doc": {"id": "x"}},
        {"custom_id": "x", "response": {}},
        {"results": {}},
        {"eval": {"task": "x"}},
    ],
)
def test_an_answer_beside_keys_of_a_tool_is_accepted(more: dict[str, object]) -> None:
    row = json.dumps({**more, "id": FIRST, "answer": "Oslo"}).encode()
    report = read(row + b"\n" + line(SECOND) + line(THIRD))
    assert report.ok
    assert codes(report).keys() == {"extra-key"}


PROGRAMS = {
    "inspect_log.py": ("run.json", json.dumps(other_tools.inspect_log()).encode()),
    "lm_eval_samples.py": ("samples.jsonl", other_tools.LM_EVAL_SAMPLES),
    "batch_output.py": ("batch_output.jsonl", other_tools.BATCH_OUTPUT),
    "table.py": (
        "answers.csv",
        b"\xef\xbb\xbfid,answer,note\r\n"
        + "".join(f'{question_id},"{text}",x\r\n' for question_id, text in other_tools.ANSWERS.items()).encode(),
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_documented_program_writes_a_good_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = re.sub(r"{% \w+ ?\w* %}", "", (SAMPLES / name).read_text()).strip()
    assert f"```python\n{program}\n```" in (ROOT / "docs" / "submission-format.md").read_text()
    file, data = PROGRAMS[name]
    (tmp_path / file).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    exec(compile(program, name, "exec"), {})
    report = read((tmp_path / "generations.jsonl").read_bytes())
    assert report.ok
    assert dict(report.answers) == other_tools.ANSWERS


@pytest.mark.parametrize(
    "row",
    [
        lambda one: {"id": one, "answer": "Oslo"},
        lambda one: {"id": one, "predictions": ["Oslo"]},
        lambda one: {"qid": one, "predictions": ["Oslo"]},
    ],
)
@pytest.mark.parametrize("n_lines", [30, 2_000])
def test_a_file_of_another_benchmark_is_recognised_by_its_ids(row: object, n_lines: int) -> None:
    assert callable(row)
    ASKED.clear()
    report = read(b"".join(json.dumps(row(one)).encode() + b"\n" for one in MANY[:n_lines]), OTHER)
    assert codes(report) == {"wrong-split": 1}
    (problem,) = problems(report, "wrong-split")
    assert "QAMPARI" in problem.found
    assert "QAMPARI" in problem.fix
    assert [len(ids) for ids in ASKED] == [min(n_lines, SAMPLE_IDS)]


def test_unknown_ids_of_no_benchmark_stay_unknown() -> None:
    ASKED.clear()
    assert codes(read(line("nobody") * 30 + line(FIRST), OTHER))["unknown-id"] == 30
    assert codes(read(line(MANY[0]) + line(FIRST), OTHER))["unknown-id"] == 1
    assert len(ASKED) == 1, "half of the ids are known, so nothing was looked up"


@pytest.mark.parametrize("key", ["question_id", "Question_ID", "qid", "instance"])
def test_ids_of_the_chosen_split_under_another_key_belong_to_no_other_benchmark(key: str) -> None:
    everywhere = KnownQuestions(
        KNOWN.current, KNOWN.retired, KNOWN.other_splits, elsewhere=lambda ids: dict.fromkeys(ids, "QAMPARI")
    )
    report = read(b"".join(json.dumps({key: one, "answer": "x"}).encode() + b"\n" for one in KNOWN.current), everywhere)
    assert codes(report).keys() == {"missing-key"}
    assert {problem.fix for problem in problems(report, "missing-key")} == {f'Rename the key “{key}” to "id".'}


@pytest.mark.parametrize("number", [0, "0"])
def test_ids_under_another_key_are_found_beside_numbers_of_rows(number: object) -> None:
    report = read(json.dumps({"id": number, "question_id": FIRST, "answer": "x"}).encode(), OTHER)
    assert codes(report).keys() == {"missing-key", "extra-key"}
    assert 'Rename the key “question_id” to "id"' in problems(report, "missing-key")[0].fix


def test_ids_of_another_split_under_another_key_name_that_split() -> None:
    report = read(b'{"question_id": "%b", "answer": "x"}\n' % DEV_FIRST.encode(), OTHER)
    assert "wrong-split" in codes(report)
    assert "the dev split" in problems(report, "wrong-split")[0].fix


def test_ids_that_no_database_takes_are_not_looked_up() -> None:
    ASKED.clear()
    read(b'{"qid": "a\\u0000", "answer": "x"}\n{"qid": "\\ud800", "answer": "x"}\n' + line("a" * 5_000), OTHER)
    assert [[len(one) for one in ids] for ids in ASKED] == [[200]]


def test_a_file_of_another_split_is_recognised_where_reading_stops() -> None:
    report = read(line(DEV_FIRST) * 50, KNOWN, Limits(max_problems=20))
    assert codes(report) == {"wrong-split": 1}


@pytest.mark.parametrize(("n_problems", "where"), [(1, "line 1"), (3, "lines 1, 2, 3"), (620, "lines 1, 2, 3, …")])
def test_many_problems_of_a_kind_are_one_line(n_problems: int, where: str) -> None:
    report = read(b"".join(line(f"nobody-{number}") for number in range(n_problems)))
    (group,) = report.errors
    assert group.as_dict()["where"] == group.where == where
    assert group.summary.endswith(f": {where}")
    assert len(group.as_lines()) == 1 + (n_problems if n_problems <= 3 else 1)
    assert len(group.as_lines(in_full=True)) == 1 + min(n_problems, 20)


@pytest.mark.parametrize(
    "document",
    [
        {"evalId": "e", "results": {"version": 3, "results": [{"id": "u0"}]}, "config": {}},
        {"results": [{"question": FIRST, "output": "x"}]},
        {"config": {"agent_name": "a"}, "results": {"accuracy": 0.5}, "raw_eval_results": {}},
    ],
    ids=["promptfoo", "a list", "HAL"],
)
def test_files_of_other_tools_with_results_are_not_called_lm_eval(document: dict[str, object]) -> None:
    for indent in (None, 2):
        report = read(json.dumps(document, indent=indent).encode())
        assert codes(report) == {"wrong-format": 1}
        assert "harness, which" not in problems(report, "wrong-format")[0].message
    assert "logs of inspect_ai" in problems(read(json.dumps(document).encode()), "wrong-format")[0].fix


@pytest.mark.parametrize(
    ("data", "found", "fix"),
    [
        ("id;answer\r\na1;Zürich – Genève\r\n".encode("cp1252"), "CSV) in Windows-1252", "UTF-8"),
        (b"question,answer\nWhat?,Oslo\nWho?,Lima\n", "a table with columns (CSV)", "manyhop import"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 9\n", "Git LFS", "git lfs pull"),
        (b"PAR1\x15\x04\x15", "a Parquet file", "JSON Lines"),
    ],
    ids=["Windows-1252", "a table without ids", "Git LFS", "Parquet"],
)
def test_a_file_of_another_format_is_named_once_with_its_remedy(data: bytes, found: str, fix: str) -> None:
    report = read(data)
    assert codes(report) == {"wrong-format": 1}
    (problem,) = problems(report, "wrong-format")
    assert found in problem.found
    assert fix in problem.fix


def test_the_encoding_of_a_line_is_named() -> None:
    (problem,) = problems(read('{"id": "a1", "answer": "Zürich"}\n'.encode("cp1252")), "not-utf8")
    assert "Windows-1252" in problem.found
