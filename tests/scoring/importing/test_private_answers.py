"""Questions that are imported alone publish no reference answer of a hidden split."""

import datetime
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from scoring.benchmarks.base import SourceError, SourceQuestion
from scoring.importing import drafts
from scoring.importing.hidden_splits import warnings_of_plan
from scoring.importing.revisions import plan_split
from scoring.models import Benchmark, Revision
from tests import factories

pytestmark = pytest.mark.django_db

LATER = datetime.date(2026, 1, 1)


def with_category(category: str, position: int = 2) -> list[SourceQuestion]:
    """The hidden questions, one of them with this category; the reference answer of the third is Lima."""
    questions = factories.source_questions("test")
    questions[position] = replace(questions[position], categories=(category,))
    return questions


def of_dev_too() -> list[SourceQuestion]:
    """The open questions, and one that the hidden split has with the same answer."""
    return [*factories.source_questions("dev"), replace(factories.source_questions("test")[2], qid="dev-new")]


def test_a_hidden_split_is_refused_with_a_category_that_equals_an_answer() -> None:
    made = factories.benchmark()
    for do in (factories.revise, lambda to, questions: plan_split(to, questions, date=LATER)):
        with pytest.raises(SourceError) as caught:
            do(factories.split(made, "test"), with_category("L.ima"))
        (problem,) = caught.value.problems
        assert problem.startswith("test: question 'test-2': categories: found the reference answer")
        assert "ima" not in problem
    assert Revision.objects.count() == 2


def test_a_question_is_refused_in_an_open_split_after_the_hidden_one_and_the_other_way_round() -> None:
    made = factories.benchmark()
    with pytest.raises(SourceError, match=r"test: question 'test-2': question: found .* open split dev"):
        factories.revise(factories.split(made, "dev"), of_dev_too())
    factories.revise(factories.split(made, "test"), factories.source_questions("test", 2))
    factories.revise(factories.split(made, "dev"), of_dev_too())
    with pytest.raises(SourceError, match=r"test: question 'test-2': question: found .* open split dev"):
        factories.revise(factories.split(made, "test"), factories.source_questions("test", 3))


def test_what_is_stored_already_hinders_no_other_import() -> None:
    made = factories.benchmark(test_answers=False)
    factories.revise(factories.split(made, "test"), with_category("L.ima", 0))
    leaking = factories.split(made, "test").current_revision
    assert leaking is not None
    question = leaking.questions.get(qid="test-2")
    question.categories = ["Lima"]  # as earlier versions accepted it
    question.save()
    assert factories.revise(factories.split(made, "dev"), factories.source_questions("dev", 3)).created


def test_fields_of_an_open_split_and_containing_ones_are_warned_of() -> None:
    made = factories.benchmark()
    open_questions = [replace(one, categories=("Oslo",)) for one in factories.source_questions("dev", 1)]
    open_questions[0] = replace(open_questions[0], answer="Oslo")
    imported = factories.revise(factories.split(made, "dev"), open_questions)
    assert imported.leaks == ("dev: categories equals the reference answer in 1 question ('dev-0').",)
    plan = plan_split(factories.split(made, "test"), with_category("Lima and around"), date=LATER)
    assert any(
        warning.startswith("test: categories contains")
        for warning in warnings_of_plan(factories.split(made, "test"), plan)
    )


def test_a_correction_that_repeats_a_public_field_is_refused() -> None:
    made = factories.benchmark()
    revision = factories.split(made, "test").current_revision
    assert revision is not None
    with pytest.raises(SourceError, match="'test-2': categories"):
        drafts.save_corrected(revision, {"test-2": '"Geography"'}, note="", made_by="grace")


def records(questions: Sequence[SourceQuestion]) -> list[dict[str, Any]]:
    return [
        {
            "id": question.qid,
            "question": question.text,
            "categories": list(question.categories),
            "necessary_evidence": list(question.evidence),
            "decomposition": list(question.decomposition),
            "answer": question.answer,
        }
        for question in questions
    ]


def run_import(made: Benchmark, *files: tuple[str, Path]) -> str:
    out = io.StringIO()
    given = [text for slug, file in files for text in ("--questions", slug, str(file))]
    call_command("import_benchmark", made.slug, *given, stdout=out)
    return out.getvalue()


def test_the_command_refuses_and_warns_by_the_same_rules(tmp_path: Path) -> None:
    made = factories.benchmark()
    dev, test = tmp_path / "dev.json", tmp_path / "test.json"
    test.write_text(json.dumps(records(with_category("Lima"))))
    with pytest.raises(CommandError, match="'test-2': categories"):
        run_import(made, ("test", test))
    dev.write_text(json.dumps(records(of_dev_too())))
    test.write_text(json.dumps(records(with_category("Lima and around"))))
    with pytest.raises(CommandError, match="open split dev"):
        run_import(made, ("dev", dev), ("test", test))
    assert Revision.objects.count() == 2
    assert "test: categories contains the reference answer in 1 question" in run_import(made, ("test", test))


def test_a_question_that_moves_to_an_open_split_leaves_the_hidden_one_in_the_same_import(tmp_path: Path) -> None:
    made = factories.benchmark()
    dev, test = tmp_path / "dev.json", tmp_path / "test.json"
    dev.write_text(json.dumps(records(of_dev_too())))
    test.write_text(json.dumps(records(factories.source_questions("test", 2))))
    run_import(made, ("dev", dev), ("test", test))
    assert Revision.objects.count() == 4
