"""The first questions are shown as they will be imported, without answers of hidden splits."""

from scoring.benchmarks.declared.preview import preview
from scoring.benchmarks.declared.template import template
from tests.scoring.benchmarks.test_declared import declared


def test_the_first_questions_of_each_split_are_shown() -> None:
    lines = list(preview(declared(template("capitals")).definition, 2))
    assert [line for line in lines if not line.startswith(" ")] == [
        "dev: the first 2 of 5 questions",
        "test: the first 2 of 5 questions",
    ]
    assert lines[1:6] == [
        "  dev-1",
        "    question: What is the capital of Norway?",
        '    answer: "Oslo"',
        "    categories: Geography",
        "    evidence: Norway",
    ]


def test_answers_of_a_hidden_split_are_described() -> None:
    text = "\n".join(preview(declared(template("capitals", "answer-list")).definition, 5))
    assert "Oslo" in text
    assert "Accra" not in text
    assert "answer: list of 1 item, hidden" in text


def test_a_question_cannot_change_what_a_terminal_shows() -> None:
    files = template("capitals")
    files["questions/dev.jsonl"] = (
        b'{"id": "dev-1", "question": "a\\u001b[2Jb\\nc", "answer": "x", "context": [["e", "f"]]}'
    )
    lines = list(preview(declared(files).definition, 1))
    assert lines[2:5] == ["    question: a·[2Jb", "              c", "    context: e | f"]
