"""Importing benchmarks: packages, files, revisions and their diffs."""

import dataclasses
import datetime
import io
import json
import re
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from pytest_django import DjangoAssertNumQueries

from leaderboard.project.management import reports
from scoring import queries
from scoring.benchmarks import definition_of, definitions
from scoring.benchmarks.base import SourceError, SourceQuestion, content_hash
from scoring.benchmarks.fanoutqa import read_file
from scoring.importing.revisions import compare, source_of
from scoring.models import Question, Reference, Revision, Run, Split
from scoring.models.run_states import RunState
from tests import factories, real_data
from tests.paths import ROOT

pytestmark = pytest.mark.django_db


def run_import(*args: str, **options: Any) -> str:
    out = io.StringIO()
    call_command("import_benchmark", "fanoutqa", *args, stdout=out, **options)
    return out.getvalue()


def definition_file(split: str) -> str:
    return str(metadata.distribution("fanoutqa").locate_file(f"fanoutqa/data/fanout-final-{split}.json"))


def current(slug: str) -> Revision:
    revision = Split.objects.get(slug=slug).current_revision
    assert revision is not None
    return revision


class TestThePackagedFiles:
    def test_every_question_is_imported_and_dev_has_answers(self) -> None:
        out = run_import()
        assert "310 questions, with reference " in out
        assert "725 questions, without reference " in out
        assert Reference.objects.count() == 310
        dev, test = current("dev"), current("test")
        assert (dev.questions.count(), test.questions.count()) == (310, 725)
        assert (dev.has_references, test.has_references) == (True, False)
        assert [split.hidden for split in Split.objects.order_by("slug")] == [False, True]

    @pytest.mark.slow
    def test_the_stored_references_are_the_file_to_the_byte_and_in_its_order(self) -> None:
        run_import()
        questions = definition_of("fanoutqa").packaged()["dev"].source.questions
        stored = queries.references_of(current("dev"))
        assert [json.dumps(answer) for answer in stored] == [json.dumps(question.answer) for question in questions]

    @pytest.mark.slow
    def test_a_second_import_changes_nothing(self) -> None:
        run_import()
        before = (Revision.objects.count(), Question.objects.count(), Reference.objects.count())
        out = run_import()
        assert out.count(reports.NOTHING_CHANGED) == 2
        assert (Revision.objects.count(), Question.objects.count(), Reference.objects.count()) == before

    def test_the_package_is_read_without_being_imported(self) -> None:
        import subprocess
        import sys

        code = (
            "import sys\nfrom scoring.benchmarks import definition_of\n"
            "splits = definition_of('fanoutqa').packaged()\n"
            "assert len(splits['dev'].source.questions) == 310\n"
            "assert 'fanoutqa' not in sys.modules\n"
        )
        subprocess.run([sys.executable, "-c", code], check=True, timeout=240)

    def test_sub_questions_are_stored_without_their_answers(self) -> None:
        run_import()
        question = current("dev").questions.get(position=0)
        assert question.decomposition[0]["question"].startswith("Who were the first 5 picks")
        assert "answer" not in json.dumps(question.decomposition)
        assert "Pat Burrell" in question.reference.decomposition_json


class TestHiddenAnswers:
    def write(self, path: Path, questions: list[SourceQuestion]) -> str:
        records = [
            {
                "id": question.qid,
                "question": question.text,
                "answer": question.answer,
                "categories": list(question.categories),
                "decomposition": list(question.decomposition),
                "necessary_evidence": list(question.evidence),
            }
            for question in questions
        ]
        path.write_text(json.dumps(records))
        return str(path)

    def test_they_make_a_revision_and_start_what_waited_for_them(self, tmp_path: Path) -> None:
        made = factories.benchmark(test_answers=False)
        test = factories.split(made, "test")
        factories.submission(factories.user(), test, {"openbook": factories.perfect("test")})
        assert set(Run.objects.values_list("metric", "state")) == {
            (name, RunState.NOT_CONFIGURED) for name in definition_of("fanoutqa").metrics
        }
        path = self.write(tmp_path / "answers.json", factories.source_questions("test"))
        out = run_import("--test-answers", path)
        assert "4 answers added" in out
        assert re.search(r"^  \d+ runs were ", out, re.MULTILINE)
        waiting = Run.objects.filter(revision=current("test"))
        assert dict(waiting.values_list("metric", "state"))["accuracy"] == RunState.WAITING
        assert Run.objects.filter(state=RunState.CANCELLED).exclude(revision=current("test")).count() == len(
            definition_of("fanoutqa").metrics
        )

    def test_sub_questions_of_a_hidden_split_are_not_stored_openly(self, tmp_path: Path) -> None:
        factories.benchmark(test_answers=False)
        run_import("--test-answers", self.write(tmp_path / "a.json", factories.source_questions("test")))
        assert all(question.decomposition == [] for question in current("test").questions.all())

    def test_questions_and_answers_that_do_not_match_are_named(self, tmp_path: Path) -> None:
        factories.benchmark(test_answers=False)
        questions = self.write(tmp_path / "q.json", factories.source_questions("test", 4))
        answers = self.write(tmp_path / "a.json", factories.source_questions("test", 3))
        with pytest.raises(CommandError, match="question 'test-3'"):
            run_import("--test", questions, "--test-answers", answers)
        assert Revision.objects.filter(split__slug="test").count() == 1

    def test_an_answers_file_without_answers_is_refused(self, tmp_path: Path) -> None:
        factories.benchmark()
        path = tmp_path / "a.json"
        path.write_text(json.dumps([{"id": "x1", "question": "q?"}]))
        with pytest.raises(CommandError, match="question 'x1' has no 'answer'"):
            run_import("--test-answers", str(path))


class TestRevisions:
    def test_a_changed_file_becomes_a_revision_with_a_diff(self) -> None:
        made = factories.benchmark()
        old = factories.source_questions("dev")
        new = factories.source_questions("dev", overrides={1: "Something else"})
        new[2] = replace(new[2], text="Reworded?")
        imported = factories.revise(factories.split(made, "dev"), [*new[:3], *factories.source_questions("other", 1)])
        assert imported.created
        assert imported.becomes_current
        assert imported.diff == compare(old, [*new[:3], *factories.source_questions("other", 1)], hidden=False)
        assert imported.diff.lines() == [
            "1 question added: other-0",
            "1 question removed: dev-3",
            "1 question reworded: dev-2",
            "1 answer changed: dev-1",
        ]

    def test_an_older_file_imported_late_is_history_and_changes_no_board(self) -> None:
        made = factories.benchmark()
        dev = factories.split(made, "dev")
        before = dev.current_revision
        imported = factories.revise(dev, factories.source_questions("dev", 3), date=datetime.date(2020, 1, 1))
        assert imported.created
        assert not imported.becomes_current
        assert factories.split(made, "dev").current_revision == before

    @pytest.mark.slow
    def test_the_way_back_to_an_earlier_revision(self, tmp_path: Path) -> None:
        run_import()
        first = current("dev")
        path = tmp_path / "dev.json"
        records = json.loads(Path(definition_file("dev")).read_text())
        path.write_text(json.dumps(records[:300]))
        run_import("--dev", str(path))
        assert current("dev") != first
        assert f"{current('dev').short_hash}." in run_import().split(reports.NOTHING_CHANGED)[1]
        assert "current again" in run_import("--make-current")
        assert current("dev") == first
        assert Revision.objects.filter(split__slug="dev").count() == 2

    def test_another_order_of_a_references_items_is_another_revision(self) -> None:
        one = [replace(factories.source_questions("dev", 1)[0], answer={"a": 1, "b": 2})]
        other = [replace(one[0], answer={"b": 2, "a": 1})]
        assert content_hash(one) != content_hash(other)
        assert compare(one, other).answers_reordered == ("dev-0",)
        assert compare(one, other).answers_changed == ()

    def test_what_is_stored_compares_equal_to_its_source(self) -> None:
        made = factories.benchmark()
        revision = factories.split(made, "dev").current_revision
        assert revision is not None
        assert content_hash(source_of(revision)) == revision.content_hash

    def test_a_site_that_begins_with_a_later_revision_knows_what_it_retired(self, tmp_path: Path) -> None:
        records = json.loads(Path(definition_file("dev")).read_text())
        later = tmp_path / "dev.json"
        later.write_text(json.dumps(records[1:]))
        run_import("--dev", str(later))
        dev = Split.objects.get(slug="dev")
        ids = queries.split_ids(dev)
        assert len(ids.current) == len(records) - 1
        assert dev.current_revision is not None
        removed = queries.REMOVED_IN.format(date=dev.current_revision.date.isoformat())
        assert ids.retired == {records[0]["id"]: removed}

    def test_retired_ids_are_those_that_only_earlier_revisions_have(
        self, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        made = factories.benchmark()
        dev = factories.split(made, "dev")
        factories.revise(dev, factories.source_questions("dev", 3), date=datetime.date(2026, 7, 1))
        dev = factories.split(made, "dev")
        with django_assert_num_queries(3):
            ids = queries.split_ids(dev)
        assert ids.current == ("dev-0", "dev-1", "dev-2")
        assert ids.retired == {"dev-3": queries.REMOVED_IN.format(date="2026-07-01")}
        assert ids.other_splits == {f"test-{index}": "test" for index in range(4)}


def import_answers_with_a_long_id(to: Split) -> None:
    questions = factories.source_questions("test", 4)
    factories.revise(to, [dataclasses.replace(questions[0], qid="SECRET" * 100), *questions[1:]])


def written(folder: Path, records: Any) -> Path:
    path = folder / "f.json"
    path.write_text(json.dumps(records))
    return path


class TestBadFiles:
    @pytest.mark.parametrize(
        ("records", "message"),
        [
            ({"a": 1}, r"line 1: id: found nothing"),
            ([], r"f\.json: found no object"),
            ([3], "line 1: found int, expected an object"),
            ([{"id": "", "question": "q"}], "id: found an empty text"),
            ([{"id": "a"}], "question: found nothing"),
            ([{"id": "a", "question": "q", "answer": []}], "answer: found list of 0 items"),
            ([{"id": "a", "question": "q", "answer": {"k": [{}]}}], r"answer\[0\]: found an unusable item"),
            ([{"id": "a", "question": "q", "answer": None}], "answer: found nothing"),
            ([{"id": "a", "question": "q", "categories": "x"}], "categories: found str of 1 character"),
            ([{"id": "a", "question": "q", "necessary_evidence": ["x"]}], r"necessary_evidence\[0\]: found str of 1 "),
            ([{"id": "a1", "question": "q"}, {"id": "a1", "question": "r"}], "object 2, id: found 'a1' again"),
        ],
    )
    def test_each_problem_says_where_and_what_was_expected(self, tmp_path: Path, records: Any, message: str) -> None:
        with pytest.raises(SourceError, match=message):
            read_file(written(tmp_path, records))

    @pytest.mark.parametrize(
        "records",
        [
            {"a": "SECRET"},
            "SECRET",
            ["SECRET"],
            [{"id": "SECRET", "question": 1}],
            [{"id": {"a": "SECRET"}, "question": "q"}],
            [{"id": "a1", "question": ["SECRET"]}],
            [{"id": "a1", "question": "q", "answer": {"SECRET": []}}],
            [{"id": "a1", "question": "q", "answer": ["SECRET", None]}],
            [{"id": "a1", "question": "q", "categories": "SECRET"}],
            [{"id": "a1", "question": "q", "decomposition": [{"answer": "SECRET"}, "SECRET"]}],
            [{"id": "the SECRET", "question": "q"}] * 2,
            [{"id": "SECRET", "question": "q"}] * 2,
        ],
    )
    def test_no_problem_holds_a_value_of_the_file(self, tmp_path: Path, records: Any) -> None:
        with pytest.raises(SourceError) as caught:
            read_file(written(tmp_path, records))
        assert "SECRET" not in str(caught.value)
        assert "SECRET" not in " ".join(caught.value.problems)

    def test_no_message_of_an_import_holds_an_answer_in_the_place_of_an_id(self, tmp_path: Path) -> None:
        made = factories.benchmark()
        file = tmp_path / "answers.json"
        file.write_text(json.dumps([{"id": "SECRET answer", "answer": "SECRET"}]))
        with pytest.raises(CommandError) as caught:
            run_import("--test-answers", str(file))
        assert "SECRET" not in str(caught.value)
        with pytest.raises(SourceError) as refused:
            import_answers_with_a_long_id(factories.split(made, "test"))
        assert "SECRET" not in str(refused.value)

    def test_all_problems_are_reported_at_once(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError) as caught:
            read_file(written(tmp_path, [{"id": 1}, 7, {"id": "a", "question": "", "answer": {}}]))
        assert len(caught.value.problems) == 4

    def test_a_file_that_is_no_json_changes_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "broken.json"
        path.write_text("[{")
        with pytest.raises(CommandError, match=r"\nbroken\.json: line 1: .* column 3"):
            run_import("--dev", str(path))
        assert not Revision.objects.exists()

    def test_placeholders_for_page_ids_are_counted_and_kept_as_none(self, tmp_path: Path) -> None:
        evidence = [{"pageid": "###TBD###", "revid": 5, "title": "T", "url": "u"}]
        source = read_file(written(tmp_path, [{"id": "a", "question": "q", "necessary_evidence": evidence}]))
        (remark,) = source.remarks
        assert remark.startswith("f.json: 1 evidence entries")
        assert source.questions[0].evidence[0]["pageid"] is None


class TestRealFiles:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("old", "new"), real_data.have("fanoutqa/fanout-final-dev-nov23.json", "fanoutqa/fanout-final-dev.json")
    )
    def test_the_corrected_dev_set(self, old: Path, new: Path) -> None:
        run_import("--dev", str(old))
        out = run_import("--dev", str(new))
        assert "82 answers changed" in out
        assert "- 2 answers with" in out
        packaged = definition_of("fanoutqa").packaged()["dev"].source.questions
        assert Revision.objects.filter(content_hash=content_hash(packaged)).exists()

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("old", "new", "answers"),
        real_data.have(
            "fanoutqa/fanout-final-test-nov23.json",
            "fanoutqa/fanout-final-test.json",
            "fanoutqa/synthetic-test-answers.json",
        ),
    )
    def test_the_corrected_test_set_with_or_without_its_questions_file(
        self, old: Path, new: Path, answers: Path
    ) -> None:
        run_import("--test", str(old))
        out = run_import("--test-answers", str(answers))
        assert ": 199 evidence entries" in out
        assert "1 question removed: 36146d2306ce9ca3" in out
        assert "48 questions reworded" in out
        assert "724 answers added" in out
        assert reports.NOTHING_CHANGED in run_import("--test", str(new), "--test-answers", str(answers))
        assert list(queries.split_ids(Split.objects.get(slug="test")).retired) == ["36146d2306ce9ca3"]


class TestTheFileOfAnotherSplit:
    def test_it_is_refused_and_the_split_keeps_its_questions(self, tmp_path: Path) -> None:
        run_import()
        before = current("test").pk, current("dev").pk
        records = [
            {"id": row.qid, "question": row.text, "decomposition": [], "answer": "x", "categories": []}
            for row in current("dev").questions.all()
        ]
        file = tmp_path / "answers.json"
        file.write_text(json.dumps(records))
        with pytest.raises(CommandError, match=r"310 of the 310 .* test .* dev\b"):
            run_import("--test-answers", str(file))
        assert (current("test").pk, current("dev").pk) == before

    def test_hidden_questions_do_not_become_public_ones(self) -> None:
        made = factories.benchmark()
        with pytest.raises(SourceError, match=r"1 of the 5 .* dev .* test\b"):
            factories.revise(
                factories.split(made, "dev"),
                [*factories.source_questions("dev", 4), *factories.source_questions("test", 1)],
                datetime.date(2026, 1, 1),
            )

    def test_the_administration_takes_no_revision_of_another_split(self) -> None:
        made = factories.benchmark()
        split = factories.split(made, "test")
        split.clean()
        split.current_revision = factories.split(made, "dev").current_revision
        with pytest.raises(ValidationError) as raised:
            split.clean()
        assert raised.value.message_dict.keys() == {"current_revision"}


@pytest.mark.parametrize("name", definitions())
def test_no_other_module_names_a_benchmark(name: str) -> None:
    """Metrics, task types and the retriever cite their source papers in docstrings; beside that, only a benchmark's own
    modules know its name."""
    sources = {("scoring", "metrics"), ("scoring", "task_types"), ("scoring", "corpus.py")}
    root = ROOT
    named = [
        path.relative_to(root)
        for folder in ("scoring", "leaderboard", "humaneval", "templates")
        for path in (root / folder).rglob("*")
        if path.suffix in {".py", ".html"} and name in path.read_text().lower()
    ]
    elsewhere = [path for path in named if path.parts[:2] not in sources]
    assert elsewhere
    assert all(path.match(f"scoring/benchmarks/{name}/*.py") for path in elsewhere), elsewhere


def test_the_published_tables() -> None:
    results = definition_of("fanoutqa").published_results
    assert results is not None
    rows = {(row.setting, row.system): row for row in results.rows}
    assert len(rows) == len(results.rows) == 40
    assert rows["openbook", "human"].values == {
        "loose": 0.685, "strict": 0.289, "rouge1.fscore": 0.344, "rouge2.fscore": 0.210, "rougeL.fscore": 0.307,
        "bleurt": 0.413, "judge": 0.452,
    }  # fmt: skip
    assert rows["openbook", "human-graded-by-hand"].values == {"graded.loose": 0.847}
    assert rows["evidenceprovided", "claude-2-1"].values["judge"] == 0.470
    assert rows["openbook-repeated", "gpt-4"].values["bleurt"] == 0.339
    assert rows["openbook", "mistral-7b"].values == {}
    assert rows["closedbook", "gpt-4"].context_size == 8192
    assert "8,096" in rows["closedbook", "gpt-4"].note
    slugs = {setting.slug for setting in definition_of("fanoutqa").settings}
    assert {row.setting for row in results.rows} == slugs
    scores = {"loose", "strict", "rouge1.fscore", "rouge2.fscore", "rougeL.fscore", "bleurt", "judge"}
    assert scores <= {column.score for column in definition_of("fanoutqa").columns}
    tables = [row for row in results.rows if " 4.5 of" not in row.source]
    assert all(set(row.values) in (scores, set()) for row in tables)


class TestADryRun:
    @pytest.mark.slow
    def test_says_what_would_change_and_changes_nothing(self, tmp_path: Path) -> None:
        run_import()
        before = (current("dev"), Revision.objects.count(), Question.objects.count(), Reference.objects.count())
        records = json.loads(Path(definition_file("dev")).read_text())
        records[0]["answer"], records[1]["question"] = "changed", "Reworded?"
        file = tmp_path / "corrected.json"
        file.write_text(json.dumps(records[:-1]))
        dry = run_import("--dev", str(file), "--dry-run")
        assert dry.startswith(reports.DRY_RUN)
        assert "would be imported" in dry
        assert (current("dev"), Revision.objects.count(), Question.objects.count(), Reference.objects.count()) == before
        wet = run_import("--dev", str(file))
        diff = [line for line in wet.splitlines() if line.startswith("  ")]
        assert diff == [line for line in dry.splitlines() if line.startswith("  ")]
        assert [line.split(":")[0] for line in diff[1:] if line.startswith("  - ")] == [
            "  - 1 question removed",
            "  - 1 question reworded",
            "  - 1 answer changed",
        ]

    @pytest.mark.slow
    def test_of_a_site_without_the_benchmark_leaves_none(self) -> None:
        assert "310 questions" in run_import("--dry-run")
        assert not Split.objects.exists()


@pytest.mark.parametrize("text", ["a\0b", "half a pair \ud800"])
def test_what_no_database_keeps_is_named_and_refused(text: str) -> None:
    split = factories.split(factories.benchmark(), "dev")
    questions = factories.source_questions("dev", 3)
    questions[1] = replace(questions[1], answer={"Oslo": [text]})
    with pytest.raises(SourceError, match="'dev-1': "):
        factories.revise(split, questions)
