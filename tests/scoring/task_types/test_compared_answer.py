"""Open answers compared side by side: files whose questions may lack a reference answer."""

import json
from pathlib import Path

import pytest

from scoring.__main__ import main
from scoring.files.mistakes import SourceError
from scoring.metrics.base import UnusableReference
from scoring.task_types import ComparedAnswer

QUESTIONS = ({"id": "q1", "question": "Why?"}, {"id": "q2", "question": "How?", "answer": "So."})


def written(folder: Path, *records: object) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_a_question_may_lack_its_reference(tmp_path: Path) -> None:
    found = ComparedAnswer().read_references(written(tmp_path, *QUESTIONS))
    assert (found.ids, found.answers) == (("q1", "q2"), ("", "So."))


def test_a_reference_is_a_text(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"line 1: answer"):
        ComparedAnswer().read_references(written(tmp_path, {"id": "q1", "answer": ["a"]}))
    with pytest.raises(SourceError):
        ComparedAnswer().read_references(written(tmp_path))
    with pytest.raises(UnusableReference) as caught:
        ComparedAnswer().check(["a text", " ", {"a": 1}])
    assert [problem.index for problem in caught.value.problems] == [1, 2]


def test_files_are_checked_but_not_scored_without_a_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = written(tmp_path, *QUESTIONS)
    answers = tmp_path / "answers.jsonl"
    answers.write_text('{"id": "q1", "answer": "# Because"}\n{"id": "q2", "answer": "So"}\n')
    arguments = ["--task", ComparedAnswer.name]
    assert main(["check", str(answers), *arguments, "--questions", str(questions)]) == 0
    with pytest.raises(SystemExit):
        main([*arguments, "--references", str(questions), "--generations", str(answers)])
    assert ComparedAnswer.name in capsys.readouterr().err
