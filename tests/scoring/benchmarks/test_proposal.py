"""A declaration is proposed for files in each published form; every example is made up."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from scoring.benchmarks.base import SourceError
from scoring.benchmarks.copies import lost_scores
from scoring.benchmarks.declared.proposal import folder_for, propose, read_sample
from scoring.benchmarks.declared.writing import value_text
from tests.scoring.benchmarks.test_declared import declared
from tests.scoring.benchmarks.test_decryption import encrypted
from tests.scoring.benchmarks.test_published_files import HOTPOTQA

CANARY = "made-up canary 0001"


def lines(*rows: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, rows))


def table(separator: str, *rows: dict[str, Any]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def twice(row: dict[str, Any], **changes: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A row and another one with changes."""
    return row, {**row, **changes}


FORMS: dict[str, tuple[str, str, dict[str, str], str]] = {
    "HealthBench": (
        "oss_eval.jsonl",
        lines(
            *twice(
                {
                    "example_tags": ["theme:hedging"],
                    "prompt": [{"role": "user", "content": "I cough."}, {"role": "assistant", "content": "How long?"}],
                    "prompt_id": "1a-2b",
                    "rubrics": [{"criterion": "Asks for fever.", "points": 3, "tags": ["axis:accuracy"]}],
                    "canary": CANARY,
                },
                prompt_id="1a-2c",
                prompt=[{"role": "user", "content": "I sneeze."}],
            )
        ),
        {
            "id": '"prompt_id"',
            "question": '{ field = "prompt[].content", join = "\\n\\n" }',
            "categories": '"example_tags"',
            "answer": '"rubrics"',
        },
        "rubric",
    ),
    "ResearchRubrics": (
        "processed_data.jsonl",
        lines(
            *twice(
                {
                    "prompt": "Write a report about bridges.",
                    "sample_id": "684",
                    "rubrics": json.dumps([{"title": "Names a builder", "weight": 5.0, "category": "Explicit"}]),
                },
                sample_id="685",
                prompt="Write a report about rivers.",
            )
        ),
        {"id": '"sample_id"', "question": '"prompt"', "answer": '"rubrics"'},
        "rubric",
    ),
    "HotpotQA": (
        "hotpot_dev_distractor_v1.json",
        json.dumps(HOTPOTQA * 2).replace('"5a2"', '"5a4"', 1).replace('"5a1"', '"5a3"', 1),
        {
            "id": '"_id"',
            "question": '"question"',
            "answer": '"answer"',
            "categories": '["type", "level"]',
            "evidence": '"supporting_facts[][0]"',
        },
        "short-answer",
    ),
    "MuSiQue": (
        "musique_ans_v1.0_dev.jsonl",
        lines(
            *twice(
                {
                    "id": "2hop__1_2",
                    "paragraphs": [{"idx": 0, "title": "Aby", "paragraph_text": "…", "is_supporting": True}],
                    "question": "Who founded the town?",
                    "question_decomposition": [{"id": 1, "question": "…", "answer": "…"}],
                    "answer": "Ada Berg",
                    "answer_aliases": ["A. Berg"],
                    "answerable": True,
                },
                id="2hop__1_3",
                question="Who built it?",
            )
        ),
        {"id": '"id"', "question": '"question"', "answer": '["answer", "answer_aliases"]'},
        "short-answer",
    ),
    "NQ-Open": (
        "NQ-open.dev.jsonl",
        lines(
            {"question": "when was it built", "answer": ["1702", "in 1702"]}, {"question": "by whom", "answer": ["Ada"]}
        ),
        {"question": '"question"', "answer": '"answer"'},
        "short-answer",
    ),
    "Bamboogle": (
        "Bamboogle Prerelease.csv",
        table(
            ",", *twice({"Question": "Who was mayor of Aby?", "Answer": "Ada Berg"}, Question="Who was mayor of Bro?")
        ),
        {"question": '"Question"', "answer": '"Answer"'},
        "short-answer",
    ),
    "FRAMES": (
        "test.tsv",
        table(
            "\t",
            *twice(
                {
                    "": "0",
                    "Prompt": "How old was …?",
                    "Answer": "37",
                    "wikipedia_link_1": "https://en.wikipedia.org/wiki/Aby",
                    "reasoning_types": "Numerical reasoning | Temporal reasoning",
                    "wiki_links": "['https://en.wikipedia.org/wiki/Aby']",
                },
                **{"": "1", "Prompt": "And then?"},
            ),
        ),
        {
            "id": '"Unnamed: 0"',
            "question": '"Prompt"',
            "answer": '"Answer"',
            "categories": '{ field = "reasoning_types", separator = " | " }',
            "evidence": '"wiki_links[]"',
        },
        "short-answer",
    ),
    "SimpleQA": (
        "simple_qa_test_set.csv",
        table(
            ",",
            *twice(
                {
                    "metadata": "{'topic': 'Art', 'answer_type': 'Person', 'urls': ['https://a.example']}",
                    "problem": "Who built the Aby bridge?",
                    "answer": "Ada Berg",
                },
                problem="Who built the Bro bridge?",
            ),
        ),
        {
            "question": '"problem"',
            "answer": '"answer"',
            "categories": '["metadata.topic", "metadata.answer_type"]',
            "evidence": '"metadata.urls"',
        },
        "short-answer",
    ),
    "BrowseComp": (
        "browse_comp_test_set.csv",
        table(
            ",",
            *twice(
                {
                    "problem": encrypted("Who built it?", CANARY),
                    "answer": encrypted("Ada Berg", CANARY),
                    "problem_topic": "Art",
                    "canary": CANARY,
                },
                problem=encrypted("Who paid for it?", CANARY),
            ),
        ),
        {
            "question": '{ field = "problem", password = "canary" }',
            "answer": '{ field = "answer", password = "canary" }',
            "categories": '"problem_topic"',
        },
        "short-answer",
    ),
    "AGIEval": (
        "sat-en.jsonl",
        lines(
            *twice(
                {
                    "passage": "A text.",
                    "question": "What follows?",
                    "options": ["(A)It rains.", "(B)No."],
                    "label": "A",
                    "answer": None,
                    "other": {"solution": "…"},
                },
                passage="Another text.",
            )
        ),
        {"question": '"question"', "answer": '"label"', "choices": '"options"', "context": '"passage"'},
        "short-answer",
    ),
    "columns of options": (
        "val.csv",
        table(",", {"question": "How many?", "A": "0", "B": "1", "answer": "B"}),
        {"question": '"question"', "answer": '"answer"', "choices": '["A", "B"]'},
        "short-answer",
    ),
    "TAT-QA": (
        "tatqa_dataset_dev.json",
        json.dumps(
            [
                {
                    "table": {"uid": "t1", "table": [["", "2019"], ["Sales", "1,496"]]},
                    "paragraphs": [{"uid": "p1", "order": 1, "text": "Sales are in millions."}],
                    "questions": [
                        {"uid": "u1", "order": 1, "question": "What were they?", "answer": ["1,496"], "scale": ""},
                        {"uid": "u2", "order": 2, "question": "And before?", "answer": ["12"], "scale": "million"},
                    ],
                }
            ]
        ),
        {
            "each": '"questions[]"',
            "id": '"uid"',
            "question": '"question"',
            "answer": '"answer"',
            "context": '["table.table", "paragraphs[].text"]',
        },
        "short-answer",
    ),
    "SQuAD": (
        "dev-v1.1.json",
        json.dumps(
            {
                "version": "1.1",
                "data": [
                    {
                        "title": "Aby",
                        "paragraphs": [
                            {
                                "context": "The bridge is of 1702.",
                                "qas": [
                                    {"id": "s1", "question": "When?", "answers": [{"text": "1702", "answer_start": 17}]}
                                ],
                            }
                        ],
                    }
                ],
            },
            indent=1,
        ),
        {
            "each": '"data[].paragraphs[].qas[]"',
            "id": '"id"',
            "question": '"question"',
            "answer": '"answers[].text"',
            "context": '"context"',
        },
        "short-answer",
    ),
}


CONTEXTS: dict[str, tuple[Any, ...]] = {
    "AGIEval": ("A text.", {"A": "(A)It rains.", "B": "(B)No."}),
    "columns of options": ({"A": "0", "B": "1"},),
    "TAT-QA": ([["", "2019"], ["Sales", "1,496"]], "Sales are in millions."),
    "SQuAD": ("The bridge is of 1702.",),
}
"""By form, what the first question is about."""
PAGES = {
    "HotpotQA": ["Aby", "Bro"],
    "FRAMES": ["https://en.wikipedia.org/wiki/Aby"],
    "SimpleQA": ["https://a.example"],
}
"""By form, the pages of evidence for the first question."""


@pytest.mark.parametrize("form", FORMS)
def test_each_published_form_gets_a_declaration_that_reads_it(form: str, tmp_path: Path) -> None:
    name, content, fields, task_type = FORMS[form]
    file = tmp_path / name
    file.write_text(content)
    files, proposal = folder_for("made-up", [file], blank=False)
    assert {key: value_text(value) for key, value in proposal.fields.items()} == fields
    assert proposal.task_type == task_type
    read = declared(files).definition
    (packaged,) = read.packaged().values()
    assert all(question.has_answer and question.text for question in packaged.source.questions)
    first = packaged.source.questions[0]
    assert first.context == CONTEXTS.get(form, ())
    assert [page["title"] or page["url"] for page in first.evidence] == PAGES.get(form, [])
    assert read.splits[0].hidden is (form == "BrowseComp")


def test_options_are_compared_as_options(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(lines({"question": "Which?", "choices": ["x", "y", "z"], "answer": ["A", "C"]}))
    files, proposal = folder_for("made-up", [file], blank=False)
    assert proposal.fields["answer"] == {"field": "answer", "join": ", "}
    definition = declared(files).definition
    assert definition.metrics == ("inclusion",)
    (question,) = definition.packaged()["test"].source.questions
    assert question.answer == {"choices": {"A": "x", "B": "y", "C": "z"}, "answers": ["A, C"]}
    assert not list(lost_scores(definition, [question]))


def test_files_of_several_splits_are_declared_as_such(tmp_path: Path) -> None:
    for name in ("train.jsonl", "dev.jsonl", "test-0.jsonl", "test-1.jsonl"):
        (tmp_path / name).write_text(lines({"id": name, "question": f"What is {name}?", "answer": f"The file {name}"}))
    files, _ = folder_for("made-up", sorted(tmp_path.iterdir()), blank=False)
    packaged = declared(files).definition.packaged()
    assert {name: len(split.source.questions) for name, split in packaged.items()} == {"dev": 1, "test": 2, "train": 1}


def test_questions_without_answers_are_compared() -> None:
    proposal = propose("a.jsonl", [{"id": "q-1", "question": "Why?"}, {"id": "q-2", "question": "How?"}])
    assert (proposal.task_type, proposal.fields) == ("compared-answer", {"id": "id", "question": "question"})


def test_fields_that_no_name_tells_are_said_to_be_left_out(tmp_path: Path) -> None:
    proposal = propose("a.jsonl", [{"question": "Why?", "answer": "So", "colour": "red"}])
    assert list(proposal.unused) == ["colour"]


@pytest.mark.parametrize("content", ["", "{}", '{"a": 1}', "no table\nat all\n", "[1, 2]"])
def test_a_file_without_questions_is_refused(content: str, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(content)
    with pytest.raises(SourceError, match=r"a\.jsonl"):
        propose(file.name, read_sample(file))
