"""``manage.py benchmark``: from an empty folder to a board, without Python."""

import json
import os
import subprocess
import sys
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from leaderboard.models import AuditRecord, Entry, System
from leaderboard.publishing import requests
from leaderboard.questions.lookup import find_questions
from leaderboard.systems.page import lengths_of
from scoring import declarations
from scoring.benchmarks import definition_of, definitions, packaged_definitions
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.files import pack
from scoring.benchmarks.declared.proposal import folder_for
from scoring.benchmarks.declared.published import made_id
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import KINDS, template, write_files
from scoring.benchmarks.declared.warnings import few_questions
from scoring.importing.hidden_splits import few_changed, opened
from scoring.importing.revisions import RevisionDiff
from scoring.models import Benchmark, DeclaredFolder, Question, Revision, Run, Score, Setting
from scoring.models.run_states import RunState
from scoring.task_types import AnswerList
from scoring.tasks import execute_run
from tests import boards, factories
from tests.example_folder import write_example
from tests.leaderboard.declared import declared_site
from tests.paths import ROOT
from tests.scoring.benchmarks.test_decryption import encrypted


def run(*arguments: object, **options: object) -> str:
    out = StringIO()
    call_command("benchmark", *map(str, arguments), stdout=out, **options)
    return out.getvalue()


def complete(folder: Path, published: Path) -> None:
    """Write the declaration of a published file with the texts of the example."""
    files, _ = folder_for(folder.name, [published], blank=False)
    write_files(folder, files)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example, written."""
    return write_example(tmp_path / declared_site.SLUG)


LATER = 'date = 2026-02-01\nhidden = true\nunscored = ["test-2"]'


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


class TestWithoutADatabase:
    """These tests may not use the database: any query is an error."""

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_new_folder_is_refused_until_each_of_its_texts_is_replaced(self, kind: str, tmp_path: Path) -> None:
        written = tmp_path / "rivers"
        run("new", written, "--task-type", kind)
        with pytest.raises(CommandError) as refused:
            run("check", written)
        named = {line.partition(": found")[0].split(": ")[-1] for line in str(refused.value).splitlines()}
        texts = {"name", "description", "licence", "licence_url", "citation", "bibtex", "question"}
        assert texts | {"settings.closed-book.description"} <= named
        assert all(path.suffix in (".toml", ".md", ".jsonl", ".json", ".txt") for path in written.rglob("*.*"))
        for line in written.joinpath("questions", "dev.jsonl").read_text().splitlines():
            assert "answer" not in json.loads(line) or "TODO:" in str(json.loads(line)["answer"])

    def test_new_and_check_need_no_settings_of_a_site(self, tmp_path: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in ("DEBUG", "SECRET_KEY")}
        environment["MANYHOP_DATA_DIR"] = str(tmp_path / "var")
        environment.pop("DJANGO_SETTINGS_MODULE", None)

        def ran(*arguments: object) -> subprocess.CompletedProcess[str]:
            command = [sys.executable, str(ROOT / "manage.py"), "benchmark", *map(str, arguments)]
            return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

        assert ran("new", tmp_path / "rivers").returncode == 0
        assert "data-card.md: line 1: found the word TODO" in ran("check", tmp_path / "rivers").stderr
        assert "SECRET_KEY" in ran("import", tmp_path / "rivers").stderr

    def test_the_example_has_no_mistakes(self, folder: Path) -> None:
        said = run("check", folder)
        assert "5 dev, 5 test): 3 warnings." in said, "few hidden questions, and no pairs in single words"
        assert few_questions("test", 5) in said
        assert few_questions("dev", 5) not in said

    def test_no_mistakes_is_said_where_nothing_is_left_to_read(self, folder: Path) -> None:
        edit(folder / "benchmark.toml", "[metrics.rouge]", "")
        edit(folder / "benchmark.toml", "hidden = true", "hidden = false")
        assert "5 dev, 5 test): no mistakes." in run("check", folder)

    def test_check_lists_every_mistake_and_fails(self, folder: Path) -> None:
        edit(folder / "benchmark.toml", "hidden = true", "hiden = true")
        edit(folder / "questions" / "dev.jsonl", '"dev-2"', '"dev-1"')
        with pytest.raises(CommandError) as refused:
            run("check", folder)
        assert refused.value.returncode == 1
        lines = str(refused.value).splitlines()
        assert [line.partition(": found")[0] for line in lines] == [
            "benchmark.toml: line 29: splits.test.hidden",
            "benchmark.toml: line 33: splits.test.hiden",
            "questions/dev.jsonl: line 2: id",
            f"3 problems in {folder}.",
        ]

    def test_a_new_folder_for_published_files_reads_them(self, tmp_path: Path) -> None:
        published = tmp_path / "dev.csv"
        published.write_text("Question,Answer\nWho was mayor of Aby?,Ada Berg\n")
        said = run("new", tmp_path / "mayors", "--from", published)
        assert 'question = "Question"' in said
        with pytest.raises(CommandError, match="TODO"):
            run("check", tmp_path / "mayors")
        complete(tmp_path / "mayors", published)
        said = run("check", tmp_path / "mayors", "--show", "3")
        assert "dev: the first 1 of 1 questions" in said
        assert '    answer: {"answers": ["Ada Berg"]}\n' in said
        assert "no mistakes" in said
        with pytest.raises(CommandError, match="is not empty"):
            run("new", tmp_path / "mayors", "--from", published)
        with pytest.raises(CommandError, match=r"no\.csv: cannot be read"):
            run("new", tmp_path / "other", "--from", tmp_path / "no.csv")
        with pytest.raises(CommandError, match=r"no\.csv: No such file"):
            run("new", tmp_path / "other", "--from", published, tmp_path / "no.csv")

    def test_a_folder_is_not_overwritten(self, folder: Path) -> None:
        with pytest.raises(CommandError, match="is not empty"):
            run("new", folder)


@pytest.mark.django_db
class TestAnImport:
    def test_makes_benchmark_splits_settings_revisions_and_rows(self, folder: Path) -> None:
        said = run("import", folder, "--publish")
        assert "a new benchmark" in said
        assert few_questions("test", 5) in said
        made = Benchmark.objects.get(slug=declared_site.SLUG)
        assert definition_of(made.slug).form.version == "1.0"
        assert list(definitions()) == [*packaged_definitions(), declared_site.SLUG]
        assert [(one.slug, one.hidden) for one in made.splits.all()] == [("dev", False), ("test", True)]
        assert Revision.objects.filter(split__benchmark=made, has_references=True).count() == 2
        assert Entry.objects.get().system.name == "Baseline"
        assert AuditRecord.objects.filter(action="benchmark.imported").count() == 1

    def test_of_published_files_gives_each_question_its_made_id_and_context(self, tmp_path: Path) -> None:
        published = tmp_path / "dev.jsonl"
        published.write_text(json.dumps({"query": "Who was mayor?", "gold": "Ada", "passage": "Of Aby."}))
        folder = tmp_path / "mayors"
        complete(folder, published)
        run("import", folder)
        (question,) = Question.objects.all()
        shown = {"question": "Who was mayor?", "context": ["Of Aby."]}
        assert (question.qid, question.context_blocks) == (made_id(shown), ["Of Aby."])
        assert "declaration unchanged" in run("import", folder)
        assert Revision.objects.count() == 1

    def test_of_encrypted_questions_shows_none_of_them(self, tmp_path: Path, client: Client) -> None:
        published = tmp_path / "test.csv"
        problem, answer = (encrypted(text, "made-up canary") for text in ("Who was mayor?", "Ada Berg"))
        published.write_text(f"problem,answer,canary\n{problem},{answer},made-up canary\n")
        complete(tmp_path / "mayors", published)
        run("import", tmp_path / "mayors", "--publish")
        assert Question.objects.get().text == "Who was mayor?"
        assert client.get("/api/v1/benchmarks/mayors/splits/test/").status_code == 200
        assert client.get("/api/v1/benchmarks/mayors/splits/test/questions/").status_code == 403

    def test_again_changes_nothing(self, folder: Path) -> None:
        run("import", folder)
        before = (AuditRecord.objects.count(), Entry.objects.count(), DeclaredFolder.objects.get().sha256)
        assert "declaration unchanged" in run("import", folder)
        assert (AuditRecord.objects.count(), Entry.objects.count(), DeclaredFolder.objects.get().sha256) == before

    def test_in_a_dry_run_changes_nothing_and_leaves_nothing_in_memory(self, folder: Path) -> None:
        assert "would be imported" in run("import", folder, "--dry-run")
        assert not Benchmark.objects.exists()
        assert not System.objects.exists()
        assert not AuditRecord.objects.exists()
        assert definitions() == packaged_definitions()

    def test_says_what_changed(self, folder: Path) -> None:
        run("import", folder)
        edit(folder / "benchmark.toml", '"Closed book"', '"From memory"')
        edit(folder / "benchmark.toml", "date = 2026-01-01", "date = 2026-02-01")
        edit(folder / "questions" / "dev.jsonl", "Nairobi", "Mombasa")
        said = run("import", folder)
        assert 'settings.closed-book.name: the text "Closed book" → the text "From memory"' in said
        assert "1 answer changed: dev-2" in said
        assert '    dev-2: "Nairobi" → "Mombasa"\n' in said
        assert Setting.objects.get(slug="closed-book").name == "From memory"
        assert Question.objects.filter(revision__current_of__slug="dev").count() == 5

    def test_names_files_that_are_not_used_and_rows_that_are_left(self, folder: Path) -> None:
        run("import", folder, "--publish")
        (folder / "notes.txt").write_text("To do")
        warning = "1 file is not used and not stored, because nothing in benchmark.toml refers to them: notes.txt."
        assert warning in run("check", folder)
        edit(folder / "reported.csv", "Baseline", "Other system")
        for options in ({"dry_run": True}, {}, {}):
            said = run("import", folder, **options)
            assert warning in said
            assert "Baseline (test, closed-book). To take a row off the boards," in said, "until it is deleted"
        out = StringIO()
        call_command("import_reported", declared_site.SLUG, stdout=out)
        assert "Baseline (test, closed-book)." in out.getvalue()
        Entry.objects.get(system__name="Baseline").delete()
        assert "Baseline" not in run("import", folder)

    def test_warns_before_hidden_answers_become_public(self, folder: Path) -> None:
        run("import", folder, "--publish")
        assert opened("test") not in run("import", folder, "--dry-run")
        edit(folder / "benchmark.toml", "hidden = true", "hidden = false")
        assert opened("test") in run("import", folder, "--dry-run")
        assert Benchmark.objects.get().splits.get(slug="test").hidden
        assert opened("test") in run("import", folder)
        assert opened("test") not in run("import", folder)

    def test_warns_of_a_revision_of_few_hidden_questions(self, folder: Path) -> None:
        lines = [json.dumps({"id": f"t-{n}", "question": f"Which is {n}?", "answer": "Oslo"}) for n in range(60)]
        file = folder / "questions" / "test.jsonl"
        file.write_text("\n".join(lines))
        assert few_changed("test", RevisionDiff(answers_changed=("t-0",))) not in run("import", folder)
        edit(folder / "benchmark.toml", "date = 2026-01-01", "date = 2026-02-01")
        edit(folder / "benchmark.toml", "date = 2026-01-01", "date = 2026-02-01")
        file.write_text("\n".join([lines[0].replace("Oslo", "Lima"), *lines[2:]]))
        said = run("import", folder, "--dry-run")
        assert "Lima" not in said
        assert few_changed("test", RevisionDiff(removed=("t-1",), answers_changed=("t-0",))) in said
        file.write_text("\n".join(lines).replace("Oslo", "Lima"))
        every = tuple(f"t-{n}" for n in range(60))
        assert few_changed("test", RevisionDiff(answers_changed=every)) == few_questions("test", 60) == ""

    def test_leaves_out_questions_that_are_not_scored_and_scores_the_others(self, folder: Path, client: Client) -> None:
        edit(folder / "benchmark.toml", "hidden = true", 'hidden = true\nunscored = ["test-2"]')
        edit(folder / "questions" / "test.jsonl", '"answer": "Santiago", ', "")
        run("import", folder, "--publish")
        assert Revision.objects.get(split__slug="test").has_references
        assert Question.objects.filter(revision__split__slug="test").count() == 4
        owner = factories.user()
        client.force_login(owner)
        file = factories.upload(declared_site.RIGHT)
        client.post("/submit/?benchmark=capitals", declared_site.form(**{"closed-book": file}))
        stored = owner.submissions.get().files.get()
        assert [group["code"] for group in stored.warnings] == ["retired-id"]
        execute_run.apply(args=(str(Run.objects.get(metric="accuracy").pk),))
        assert Score.objects.get(name="loose").value == 0.75

    def test_names_a_missing_answer_of_question_files_that_are_imported_alone(self, folder: Path) -> None:
        run("import", folder)
        file = folder / "questions" / "test.jsonl"
        edit(file, '"answer": "Santiago", ', "")
        with pytest.raises(CommandError, match="'test-2' has no 'answer'"):
            call_command("import_benchmark", declared_site.SLUG, questions=[("test", str(file))])
        edit(folder / "benchmark.toml", "hidden = true", 'hidden = true\nunscored = ["test-2"]')
        edit(folder / "benchmark.toml", 'date = 2026-01-01\nhidden = true\nunscored = ["test-2"]', LATER)
        run("import", folder)
        out = StringIO()
        call_command("import_benchmark", declared_site.SLUG, questions=[("test", str(file))], stdout=out)
        assert "already imported" in out.getvalue()

    def test_names_answers_of_two_question_files_that_differ(self, folder: Path) -> None:
        run("import", folder)
        file, other = folder / "questions" / "test.jsonl", folder / "answers.jsonl"
        other.write_text(file.read_text().replace("Santiago", "Valparaíso"))
        options = {"questions": [("test", str(file))], "test_answers": other}
        with pytest.raises(CommandError, match="different reference answers to question 'test-2'"):
            call_command("import_benchmark", declared_site.SLUG, **options)

    def test_does_not_drop_a_split_or_setting(self, folder: Path) -> None:
        run("import", folder)
        edit(folder / "benchmark.toml", "[settings.closed-book]", "[settings.memory]")
        edit(folder / "reported.csv", "closed-book", "memory")
        with pytest.raises(CommandError, match=r"settings\.closed-book: found nothing"):
            run("import", folder)
        assert definition_of(declared_site.SLUG).settings[0].slug == "closed-book"

    def test_keeps_the_task_type_of_answers_that_exist(
        self, folder: Path, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run("import", folder, "--publish")
        toml = (folder / "benchmark.toml").read_text()
        lists = toml.partition("[reported]")[0].replace("text-answer", "answer-list")
        lists = lists.replace("[metrics.accuracy]\n[metrics.rouge]", "[metrics.list-f1]")
        (folder / "benchmark.toml").write_text(lists)
        for split in ("dev", "test"):
            question = {"id": f"{split}-1", "question": f"Which cities of {split}?", "answer": ["Oslo"]}
            (folder / "questions" / f"{split}.jsonl").write_text(json.dumps(question))
        edit(folder / "benchmark.toml", "date = 2026-01-01", "date = 2026-02-01")
        edit(folder / "benchmark.toml", "date = 2026-01-01", "date = 2026-02-01")
        run("import", folder, "--dry-run")
        owner = factories.user()
        client.force_login(owner)
        file = factories.upload(declared_site.RIGHT)
        client.post("/submit/?benchmark=capitals", declared_site.form(**{"closed-book": file}))
        with pytest.raises(CommandError) as refused:
            run("import", folder)
        assert [one.partition(": found")[0] for one in str(refused.value).splitlines()][:-1] == [
            "benchmark.toml: task_type"
        ]
        assert definition_of(declared_site.SLUG).task_type == "text-answer"
        [sent] = owner.submissions.get().files.select_related("answer_set__split__benchmark")
        monkeypatch.setattr("leaderboard.systems.page.task_type_of", lambda _: AnswerList())
        assert lengths_of([Entry(answer_set=sent.answer_set, split=sent.answer_set.split)]) == {}

    def test_does_not_take_the_name_of_a_packaged_benchmark(self, folder: Path) -> None:
        edit(folder / "benchmark.toml", 'slug = "capitals"', 'slug = "fanoutqa"')
        with pytest.raises(CommandError, match="slug: found 'fanoutqa'"):
            run("import", folder)


@pytest.mark.django_db
class TestOtherProcesses:
    def test_see_a_benchmark_when_they_look_again(self, settings: object, django_assert_num_queries: object) -> None:
        declared_site.declare()
        declarations.forget_all()
        declarations.expire()
        assert declared_site.SLUG not in definitions(), "in tests, no process looks"
        settings.BENCHMARKS_REFRESH_SECONDS = 0  # type: ignore[attr-defined]
        declarations.expire()
        with django_assert_num_queries(2):  # type: ignore[operator]
            assert definition_of(declared_site.SLUG).name == "Capitals"
        declarations.expire()
        with django_assert_num_queries(1):  # type: ignore[operator]
            assert definition_of(declared_site.SLUG).packaged() == {}
        DeclaredFolder.objects.all().delete()
        declarations.expire()
        assert declared_site.SLUG not in definitions()

    def test_score_by_a_declaration_that_was_imported_since_they_looked(self, client: Client, settings: Any) -> None:
        settings.BENCHMARKS_REFRESH_SECONDS = 1000
        declared_site.declare()
        owner = factories.user()
        client.force_login(owner)
        file = factories.upload(declared_site.RIGHT)
        client.post("/submit/?benchmark=capitals", declared_site.form(**{"closed-book": file}))
        [waiting] = Run.objects.filter(metric="rouge")
        declarations.forget_all()
        execute_run.apply(args=(str(waiting.pk),))
        waiting.refresh_from_db()
        assert waiting.state == RunState.DONE

    def test_do_without_a_folder_that_they_cannot_read(self, caplog: pytest.LogCaptureFixture) -> None:
        made = declared_site.declare()
        DeclaredFolder.objects.filter(benchmark=made).update(content=b"PK", sha256="0" * 64)
        declarations.clear()
        assert declared_site.SLUG not in definitions()
        assert "capitals cannot be read" in caplog.text

    def test_use_a_folder_whose_texts_an_earlier_version_accepted(self, caplog: pytest.LogCaptureFixture) -> None:
        made = declared_site.declare()
        files = declarations.stored_files(made)
        reported = files["reported.csv"]
        laxer = files | {"reported.csv": reported + reported.splitlines()[-1] + b"\n", "data-card.md": b""}
        for changed in (laxer, laxer | {"benchmark.toml": files["benchmark.toml"] + b"\n[settings.x]\n"}):
            with pytest.raises(SourceError):
                read_declaration(changed)
            content = pack(changed)
            DeclaredFolder.objects.filter(benchmark=made).update(content=content, sha256=sha256(content).hexdigest())
            declarations.clear()
            assert (declared_site.SLUG in definitions()) == (changed is laxer)
        assert "cannot be read" in caplog.text


@pytest.mark.django_db
def test_a_submission_to_a_declared_benchmark_reaches_its_board(client: Client) -> None:
    made = declared_site.declare()
    owner = factories.user()
    client.force_login(owner)
    sent = client.post(
        "/submit/?benchmark=capitals",
        declared_site.form(**{"closed-book": factories.upload(declared_site.RIGHT)}),
    )
    assert sent.status_code == 302, sent.content.decode()
    submission = owner.submissions.get()
    factories.score(submission)
    client.post(f"/submissions/{submission.pk}/publish/", {"how": "named", "seen": requests.fingerprint(submission)})
    boards.write()
    assert "Atlas" in client.get("/capitals/test/closed-book/").content.decode()
    assert "Baseline" in client.get("/capitals/test/closed-book/?kind=reported").content.decode()
    board = boards.board_for(factories.split(made, "test"), factories.setting(made, "closed-book"))
    row = next(row for row in board.rows if row.name == "Atlas")
    values = {column.key: cell.value for column, cell in zip(board.columns, row.cells, strict=True)}
    assert values["loose"] == values["strict"] == 0.8


@pytest.mark.django_db
def test_a_declared_benchmark_of_answer_lists_is_scored_by_its_metrics(folder: Path, client: Client) -> None:
    toml = (folder / "benchmark.toml").read_text().partition("[reported]")[0]
    toml = toml.replace('task_type = "text-answer"', 'task_type = "answer-list"')
    metrics = "[metrics.list-f1]\n[metrics.list-f1.parameters]\nmin_f1 = 0.9"
    (folder / "benchmark.toml").write_text(toml.replace("[metrics.accuracy]\n[metrics.rouge]", metrics))
    for split in ("dev", "test"):
        answer = ["Oslo", ["Bergen", "Bjørgvin"]]
        question = {"id": f"{split}-1", "question": f"Which cities of {split}?", "answer": answer}
        (folder / "questions" / f"{split}.jsonl").write_text(json.dumps(question))
    run("import", folder, "--publish")
    owner = factories.user()
    client.force_login(owner)
    lists = b'{"id": "test-1", "predictions": ["oslo", "Bjorgvin", "Rome"]}\n'
    sent = client.post(
        "/submit/?benchmark=capitals", declared_site.form(**{"closed-book": factories.upload(lists, "lists.jsonl")})
    )
    assert sent.status_code == 302, sent.content.decode()
    factories.score(owner.submissions.get())
    scores = {score.name: score.value for score in Score.objects.all()}
    assert scores["list-f1.precision"] == 1 / 3
    assert scores["list-f1.recall"] == 1 / 2
    assert scores["list-f1.f1_above"] == 0
    assert {"min-f1:0.9"} <= {part for score in Score.objects.all() for part in score.signature.split("|")}


@pytest.mark.django_db
def test_a_declared_limit_refuses_longer_answers(client: Client) -> None:
    toml = template(declared_site.SLUG)["benchmark.toml"].decode()
    declared_site.declare(benchmark_toml=toml.replace("[limits]", "[limits]\nanswer_length = 20"))
    client.force_login(factories.user())
    assert "At most 20 characters per question." in client.get("/submit/?benchmark=capitals").content.decode()
    fits = declared_site.RIGHT | {"test-5": "a" * 20}
    for answers, status, code in ((fits, 200, ""), (fits | {"test-5": "a" * 21}, 422, "answer-too-long")):
        data = declared_site.form(**{"closed-book": factories.upload(answers)})
        response = client.post("/api/v1/submissions/validate/", data)
        assert response.status_code == status, response.json()
        assert [group["code"] for group in response.json()["files"][0]["groups"]] == [code] * bool(code)


ONE_COLUMN = """
[[columns]]
score = "strict"
metric = "accuracy"
label = "All right"

[limits]
"""


@pytest.mark.django_db
def test_question_pages_are_whole_without_a_column_of_the_score_that_explains_answers(
    folder: Path, client: Client
) -> None:
    edit(folder / "benchmark.toml", "[limits]", ONE_COLUMN)
    edit(folder / "benchmark.toml", "[metrics.rouge]", "")
    edit(folder / "reported.csv", "loose,strict", "strict")
    edit(folder / "reported.csv", "61.5,61.5", "61.5")
    run("import", folder, "--publish")
    answers = {
        f"dev-{number}": name for number, name in enumerate(("Oslo", "Nairobi", "Rome", "Rome", "Rome"), start=1)
    }
    split = Benchmark.objects.get().splits.get(slug="dev")
    factories.published(factories.user(), split, {"closed-book": answers})
    asked = find_questions(declared_site.SLUG, "dev")
    assert asked is not None
    assert [summary.mean for summary in asked.summaries] == [1, 1, 0, 0, 0]
    assert asked.column is not None and asked.column.metric == "accuracy"
    for path in ("", "dev-1/", "dev-3/"):
        assert client.get(f"/capitals/dev/questions/{path}").status_code == 200
