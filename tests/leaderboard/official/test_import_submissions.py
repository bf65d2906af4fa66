"""Taking over the official repository: as it is, once, and whatever is wrong with one file."""

import datetime
import gzip
import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from leaderboard.models import AuditRecord, Entry, Submission, User
from leaderboard.official import submissions as official_submissions
from leaderboard.submissions import services
from scoring.generations.problems import title_of
from scoring.models import AnswerBlock, AnswerSet, Benchmark, Run, Split
from scoring.models.run_states import RunState
from tests import factories, real_data
from tests.leaderboard.official.repository import write_answers, write_statement

pytestmark = pytest.mark.django_db
ANSWERS = factories.perfect("test")


@pytest.fixture
def owner(made: Benchmark) -> User:
    return factories.maintainer("keeper")


def run(folder: Path, **options: Any) -> str:
    """What the command says, on both its outputs, whether or not it ends well."""
    out = io.StringIO()
    try:
        call_command(
            "import_submissions", folder, stdout=out, stderr=out, no_color=True, **{"owner": "keeper"} | options
        )
    except CommandError as error:
        out.write(f"exit: {error}")
    return out.getvalue()


def state() -> tuple[int, int, int, int]:
    return Submission.objects.count(), AnswerBlock.objects.count(), Run.objects.count(), Entry.objects.count()


def test_a_system_becomes_a_submission_like_any_other(owner: User, tmp_path: Path) -> None:
    write_statement(tmp_path, closedbook_generations="cb.jsonl")
    write_answers(tmp_path, ANSWERS)
    packed = gzip.compress(factories.generations(ANSWERS))
    path = write_answers(tmp_path, packed, "closedbook", "cb.jsonl")
    said = run(tmp_path)
    submission = Submission.objects.get()
    assert (submission.owner, submission.split.slug, submission.name) == (owner, "test", "Example 7B")
    assert submission.attributes == {"context_size": 8192, "trained_for_function_calling": True}
    assert submission.details == "example-7b-2024-05-13"
    files = {file.setting.slug: file for file in submission.files.all()}
    assert set(files) == {"closedbook", "openbook"}
    assert files["closedbook"].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    with files["closedbook"].original.open() as kept:
        assert kept.read() == packed, "kept byte for byte"
    states = Run.objects.filter(answer_set__submission_file__submission=submission).values_list("state", flat=True)
    assert RunState.WAITING in states
    assert "Imported from metadata/example.json." in [event.text for event in submission.events.all()]
    assert "1 systems: 1 new." in said
    assert "exit" not in said
    assert not Entry.objects.exists(), "shown to its owner alone"


def test_the_same_folder_again_adds_nothing(owner: User, tmp_path: Path) -> None:
    write_statement(tmp_path)
    write_answers(tmp_path, ANSWERS)
    run(tmp_path)
    before = state()
    said = run(tmp_path)
    assert state() == before
    assert "1 already here" in said


@pytest.mark.parametrize("what", ["answer", "statement"])
def test_a_change_makes_a_new_version_and_keeps_the_old(owner: User, tmp_path: Path, what: str) -> None:
    write_statement(tmp_path)
    write_answers(tmp_path, ANSWERS)
    run(tmp_path)
    first = Submission.objects.get()
    if what == "answer":
        write_answers(tmp_path, ANSWERS | {"test-0": "Something else."})
    else:
        write_statement(tmp_path, details="example-7b-2024-08-06")
    said = run(tmp_path)
    assert "1 new version" in said
    assert Submission.objects.count() == 2
    (old,) = AnswerBlock.objects.texts(AnswerSet.objects.filter(submission_file__submission=first), ["test-0"])
    assert old[2] == ANSWERS["test-0"]
    before = state()
    assert "1 already here" in run(tmp_path)
    assert state() == before


def test_what_was_withdrawn_stays_so(owner: User, tmp_path: Path) -> None:
    write_statement(tmp_path)
    write_answers(tmp_path, ANSWERS)
    run(tmp_path)
    services.withdraw_submission(Submission.objects.get(), actor=owner)
    assert "1 withdrawn here" in run(tmp_path, publish=True, wait=0.0)
    assert Submission.objects.count() == 1
    assert not Entry.objects.exists()


def test_a_dry_run_keeps_nothing_and_needs_no_owner(made: Benchmark, tmp_path: Path) -> None:
    write_statement(tmp_path)
    write_answers(tmp_path, {"test-0": "Oslo", "test-1": " "})
    said = run(tmp_path, owner=None, dry_run=True)
    assert state() == (0, 0, 0, 0)
    assert "1 new (dry run" in said
    row = next(line for line in said.splitlines() if line.startswith("Example 7B"))
    assert row.split()[-5:] == ["1/4", "2", "1", "0", "new"]


def test_one_bad_file_loses_nothing_else(owner: User, tmp_path: Path) -> None:
    write_statement(tmp_path, "good", name="Good")
    write_statement(
        tmp_path,
        "half",
        name="Half",
        closedbook_generations="half-cb.jsonl",
        openbook_generations="half-ob.jsonl",
        evidenceprovided_generations="half-missing.jsonl",
    )
    (tmp_path / "metadata" / "broken.json").write_text('{\n  "name": "Broken",\n}')
    write_statement(tmp_path, "wrong", name=5, type="MODEL", context="lots", url="no address", surprise=1)
    write_answers(tmp_path, ANSWERS)
    write_answers(tmp_path, ANSWERS, "closedbook", "half-cb.jsonl")
    broken = factories.generations(ANSWERS) + b'{"id": "test-x", "answer": "?"}\n{"id": 5}\n'
    write_answers(tmp_path, broken, name="half-ob.jsonl")
    write_answers(tmp_path, ANSWERS, "evidenceprovided", "half-missign.jsonl")
    said = run(tmp_path)
    kept = {submission.name: submission for submission in Submission.objects.all()}
    assert set(kept) == {"Good", "Half"}
    assert [file.setting.slug for file in kept["Half"].files.all()] == ["closedbook"]
    for expected in (
        "metadata/broken.json, line 3: found",
        "metadata/wrong.json, line 2, field “name”: found the number 5, expected a text",
        "metadata/wrong.json, line 4, field “url”: found the text “no address”, expected a URL ",
        "metadata/wrong.json, line 6, field “type”: found the text “MODEL”, expected one of FOUNDATION, FINETUNE",
        "metadata/wrong.json, line 7, field “context”: found the text “lots”, expected ",
        "metadata/wrong.json, line 13, field “surprise”: found an unknown key",
        "metadata/half.json, line 12, field “evidenceprovided_generations”: found “half-missing.jsonl”, which does",
        "expected a file in evidenceprovided-generations",
        " “half-missign.jsonl”)",
        "openbook-generations/half-ob.jsonl: 1 id ",
        "Line 5, key “id”: found id “test-x”",
        "Line 6, key “answer”: found only the key “id”",
        "evidenceprovided-generations/half-missign.jsonl: found a file ",
        "exit: 7 errors ",
    ):
        assert expected in said, expected


def test_the_odd_statements_of_the_repository_are_read(owner: User, tmp_path: Path) -> None:
    write_statement(tmp_path, context="32,000", url=None, citation="", details=None)
    write_answers(tmp_path, ANSWERS)
    write_statement(tmp_path, "other", name="Other", context=..., details=..., is_trained_for_function_calling=None)
    assert "exit" not in run(tmp_path)
    first, other = Submission.objects.order_by("name")
    assert (first.attributes["context_size"], first.url, first.citation, first.details) == (32000, "", "", "")
    assert other.attributes == {}


def test_two_systems_of_one_name_stay_two(owner: User, tmp_path: Path) -> None:
    write_statement(tmp_path, "model")
    write_statement(tmp_path, "model-tuned", openbook_generations="tuned.jsonl")
    write_answers(tmp_path, ANSWERS)
    write_answers(tmp_path, {"test-0": "Oslo"}, name="tuned.jsonl")
    said = run(tmp_path)
    assert {submission.name for submission in Submission.objects.all()} == {"Example 7B", "Example 7B (model-tuned)"}
    assert "found the name “Example 7B” of metadata/model.json again" in said


def test_files_are_found_by_their_names_where_a_statement_has_no_key(owner: User, tmp_path: Path) -> None:
    write_statement(tmp_path, "model-7b", openbook_generations=..., closedbook_generations=...)
    write_answers(tmp_path, ANSWERS, name="results-openbook-model-7b.jsonl")
    write_answers(tmp_path, ANSWERS, name="results-openbook-model.jsonl")
    write_answers(tmp_path, ANSWERS, "closedbook", "a-model-7b.jsonl")
    write_answers(tmp_path, ANSWERS, "closedbook", "b-model-7b.jsonl")
    said = run(tmp_path)
    assert [file.filename for file in Submission.objects.get().files.all()] == ["results-openbook-model-7b.jsonl"]
    assert "openbook-generations/results-openbook-model-7b.jsonl was found " in said
    assert "two names match in closedbook" not in said
    assert "closedbook-generations/a-model-7b.jsonl: found a file " in said


def test_nothing_outside_the_folder_is_read(owner: User, tmp_path: Path) -> None:
    """A repository takes contributions from strangers; a link or a path in it may lead anywhere."""
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(factories.generations(ANSWERS))
    (tmp_path / "secret.json").write_text(json.dumps({"name": "Secret"}))
    root = tmp_path / "repository"
    write_statement(root, "path", name="Path", openbook_generations="../../outside.jsonl")
    write_statement(root, "link", name="Link", openbook_generations="link.jsonl")
    (root / "openbook-generations").mkdir()
    (root / "openbook-generations" / "link.jsonl").symlink_to(outside)
    (root / "metadata" / "stated.json").symlink_to(tmp_path / "secret.json")
    said = run(root)
    assert not Submission.objects.exists()
    assert "found the text “../../outside.jsonl”, expected " in said
    assert "found “link.jsonl”, " in said
    assert "metadata/stated.json: found a link " in said


def test_publishing_puts_on_the_board_what_is_scored(
    owner: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_statement(tmp_path)
    write_answers(tmp_path, ANSWERS)
    said = run(tmp_path, publish=True, wait=0.0)
    assert "Still being scored: Example 7B." in said
    assert not Entry.objects.exists()

    def workers_come_round(seconds: float) -> None:
        del seconds
        factories.score(Submission.objects.get())

    monkeypatch.setattr("leaderboard.management.commands.import_submissions.time.sleep", workers_come_round)
    assert "Example 7B: published." in run(tmp_path, publish=True, wait=60.0)
    entry = Entry.objects.get()
    assert (entry.system.name, entry.system.owner, entry.replaced_at) == ("Example 7B", owner, None)
    before = state()
    assert "published" not in run(tmp_path, publish=True, wait=0.0)
    assert state() == before
    assert official_submissions.readiness(Submission.objects.get()) == official_submissions.Readiness.PUBLISHED
    recorded = AuditRecord.objects.order_by("pk").values_list("actor_name", "action", "target")
    target = f"submission {Submission.objects.get().pk}"
    assert list(recorded) == [
        ("manage.py import_submissions", "submission.imported", target),
        ("manage.py import_submissions", "submission.published", target),
    ]


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(("metadata", "questions", "answers", "old"), real_data.have(
    "official/metadata/gpt-4o.json",
    "fanoutqa/fanout-final-test.json",
    "fanoutqa/synthetic-test-answers.json",
    "fanoutqa/fanout-final-test-nov23.json",
))  # fmt: skip
def test_the_real_systems(metadata: Path, questions: Path, answers: Path, old: Path) -> None:
    factories.maintainer("keeper")
    call_command("import_benchmark", "fanoutqa", test=old, date=datetime.date(2023, 11, 20), verbosity=0)
    call_command("import_benchmark", "fanoutqa", test=questions, test_answers=answers, verbosity=0)
    said = run(metadata.parents[1])
    assert "exit" not in said
    assert Split.objects.get(slug="test").current_revision is not None
    found = {
        (file.submission.name, file.setting.slug): (file.n_answered, file.n_questions, file.n_lines)
        for file in Submission.objects.first().files.model.objects.select_related("submission", "setting")  # type: ignore[union-attr]
    }
    assert found == {
        ("Claude 3 Opus", "closedbook"): (724, 724, 725),
        ("Claude 3 Opus", "openbook"): (715, 724, 716),
        ("Claude 3 Opus", "evidenceprovided"): (723, 724, 724),
        ("Gemma 1.1 7B IT", "closedbook"): (724, 724, 725),
        ("Gemma 1.1 7B IT", "openbook"): (707, 724, 708),
        ("Gemma 1.1 7B IT", "evidenceprovided"): (724, 724, 725),
        ("GPT-4o", "closedbook"): (724, 724, 725),
        ("GPT-4o", "openbook"): (721, 724, 722),
        ("GPT-4o", "evidenceprovided"): (724, 724, 725),
    }
    assert said.count(title_of("retired-id", 1)) == 9
    assert len(Submission.objects.get(name="Gemma 1.1 7B IT").authors) == 1653
    before = state()
    assert "3 already here" in run(metadata.parents[1])
    assert state() == before
