"""Results files of the official scorer: reported rows with their source, never ranked among what is scored here."""

import datetime
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from leaderboard.management.commands.import_results import UNDATED
from leaderboard.models import AuditRecord, Entry, EntryKind, ReportedValue, System
from scoring.benchmarks.fanoutqa.official_repository import OFFICIAL
from scoring.models import Benchmark
from tests import factories, real_data
from tests.leaderboard.official.repository import scores, write_results

pytestmark = pytest.mark.django_db


def run(*places: Path, **options: Any) -> str:
    out = io.StringIO()
    try:
        call_command("import_results", *places, stdout=out, stderr=out, no_color=True, **options)
    except CommandError as error:
        out.write(f"exit: {error}")
    return out.getvalue()


def values_of(entry: Entry) -> dict[str, float]:
    return dict(entry.reported_values.values_list("name", "value"))


def test_a_file_becomes_reported_rows_with_their_source(made: Benchmark, tmp_path: Path) -> None:
    write_results(tmp_path, openbook=scores(loose=0.5801643471778022))
    assert "example.json: Example 7B: 1 rows, 13 scores: 1 new, 0 already loaded" in run(tmp_path)
    entry = Entry.objects.get()
    assert (entry.kind, entry.setting.slug, entry.split.slug) == (EntryKind.REPORTED, "openbook", "test")
    assert entry.source == OFFICIAL.source.format(file="example.json")
    assert OFFICIAL.note in entry.note
    assert (entry.system.owner, entry.system.attributes["context_size"]) == (None, 8192)
    values = values_of(entry)
    assert values["loose"] == 0.5801643471778022, "as in the file, to the last bit"
    assert (values["judge"], values["bleurt"], values["rougeL.recall"]) == (0.1875, 0.4375, 0.5)


def test_the_same_again_changes_nothing_and_a_change_keeps_the_old(made: Benchmark, tmp_path: Path) -> None:
    write_results(tmp_path)
    run(tmp_path)
    before = list(Entry.objects.values()) + list(ReportedValue.objects.values())
    assert "0 reported rows loaded, 1 already loaded" in run(tmp_path)
    assert AuditRecord.objects.get().text == "example.json: 1 rows.", "what changed nothing is not recorded"
    assert list(Entry.objects.values()) + list(ReportedValue.objects.values()) == before
    write_results(tmp_path, openbook=scores(loose=0.75))
    assert "1 reported rows loaded" in run(tmp_path)
    old, new = Entry.objects.order_by("pk")
    assert old.replaced_at is not None
    assert (values_of(old)["loose"], values_of(new)["loose"], new.replaced_at) == (0.5, 0.75, None)


def test_a_judge_and_a_note_can_be_told(made: Benchmark, tmp_path: Path) -> None:
    write_results(tmp_path)
    run(tmp_path, judge="gpt-4-0613", note="From the project's page.", date=datetime.date(2024, 6, 1))
    entry = Entry.objects.get()
    assert entry.note == "Judge: gpt-4-0613. From the project's page."
    assert f"{entry.published_at:%Y-%m-%d}" == "2024-06-01"


def test_rows_keep_the_date_of_their_source(made: Benchmark, tmp_path: Path) -> None:
    write_results(tmp_path, "gpt-4o")
    assert UNDATED not in run(tmp_path)
    entry = Entry.objects.get()
    assert entry.published_at.date() == datetime.date(2024, 6, 11), "as the repository's history has it"
    Entry.objects.update(published_at=timezone.now())
    run(tmp_path)
    entry.refresh_from_db()
    assert entry.published_at.date() == datetime.date(2024, 6, 11), "also of rows that an earlier version imported"


def test_they_are_shown_and_not_ranked(made: Benchmark, client: Client, tmp_path: Path) -> None:
    factories.published(factories.user(), factories.split(made, "test"), {"openbook": factories.perfect("test")})
    write_results(tmp_path, openbook=scores(loose=0.999))
    run(tmp_path)
    answer = client.get("/api/v1/board/", {"benchmark": "fanoutqa", "split": "test", "setting": "openbook"}).json()
    ranks = {row["name"]: row["rank"] for row in answer["rows"]}
    assert ranks == {"Example system": 1, "Example 7B": None}


def test_every_problem_is_named_and_stops_no_other_file(made: Benchmark, tmp_path: Path) -> None:
    write_results(tmp_path, "good")
    write_results(tmp_path, "not-numbers", openbook=scores(acc={"loose": "0.5", "strict": True}, rouge=[1], extra=1))
    write_results(tmp_path, "percent", openbook=scores(loose=58.0))
    write_results(tmp_path, "nameless", metadata={"authors": "A. Author", "type": "OTHER"})
    write_results(tmp_path, "empty", openbook=None)
    (tmp_path / "results" / "broken.json").write_text('{"metadata": {')
    (tmp_path / "results" / "nan.json").write_text('{"metadata": {}, "openbook": NaN}')
    (tmp_path / "results" / "list.json").write_text("[]")
    (tmp_path / "results" / "twice.json").write_text('{"openbook": {}, "openbook": {}}')
    (tmp_path / "results" / "latin.json").write_bytes(b'{\n"metadata": "\xe9"}')
    said = run(tmp_path)
    assert [entry.source for entry in Entry.objects.all()] == [OFFICIAL.source.format(file="good.json")]
    assert [system.name for system in System.objects.all()] == ["Example 7B"]
    for expected in (
        "not-numbers.json, line 17, field “openbook.acc.loose”: found the text “0.5”, expected a number.",
        "not-numbers.json, line 18, field “openbook.acc.strict”: found true, expected a number.",
        "not-numbers.json, line 20, field “openbook.rouge”: found a list, expected an object.",
        "field “openbook.extra”: found an unknown key",
        "percent.json, line 17, field “openbook.acc.loose”: found the number 58.0, expected ",
        "nameless.json, line 4, field “metadata.name”: found null, expected a non-empty string.",
        "empty.json: found no score, expected scores under closedbook, openbook, evidenceprovided.",
        "broken.json, line 1: found Expecting property name",
        "nan.json: found NaN, ",
        "list.json: found a list, expected a JSON object.",
        "twice.json: found the key “openbook” twice ",
        "latin.json, line 2: found byte 0xE9, expected UTF-8 text.",
        "exit: 9 of 10 files ",
    ):
        assert expected in said, expected


def test_a_dry_run_keeps_nothing(made: Benchmark, tmp_path: Path) -> None:
    write_results(tmp_path)
    assert "13 scores: not stored" in run(tmp_path, dry_run=True)
    assert not Entry.objects.exists()
    assert not System.objects.exists()


def test_with_an_owner_reported_and_scored_rows_are_of_one_system(made: Benchmark, tmp_path: Path) -> None:
    owner = factories.maintainer("keeper")
    factories.published(
        owner, factories.split(made, "test"), {"openbook": factories.perfect("test")}, name="Example 7B"
    )
    write_results(tmp_path)
    run(tmp_path, owner="keeper")
    assert System.objects.count() == 1
    assert {entry.kind for entry in System.objects.get().entries.all()} == {EntryKind.SCORED, EntryKind.REPORTED}
    assert "The account 'nobody' does not exist" in run(tmp_path, owner="nobody")


@pytest.mark.slow
def test_a_row_of_the_paper_stays_beside_official_results(tmp_path: Path) -> None:
    call_command("import_benchmark", "fanoutqa", verbosity=0)
    call_command("import_reported", "fanoutqa", verbosity=0)
    stated = {"name": "GPT-4", "authors": "OpenAI", "type": "FOUNDATION", "context": 8192}
    write_results(tmp_path, metadata=stated)
    run(tmp_path)
    rows = Entry.objects.filter(system__name="GPT-4", setting__slug="openbook").order_by("pk")
    paper, official = rows
    assert (paper.replaced_at, official.replaced_at) == (None, None)
    assert (paper.is_official, official.is_official) == (False, True)
    assert "ACL 2024" in paper.source
    before = list(Entry.objects.order_by("pk").values()) + list(ReportedValue.objects.order_by("pk").values())
    call_command("import_reported", "fanoutqa", verbosity=0)
    run(tmp_path)
    after = list(Entry.objects.order_by("pk").values()) + list(ReportedValue.objects.order_by("pk").values())
    assert after == before, "neither pushes the other off when it is loaded again"


@pytest.mark.data
@pytest.mark.parametrize("path", real_data.files("official/results/*.json"), ids=lambda path: path.stem)
def test_the_real_results(made: Benchmark, path: Path) -> None:
    document = json.loads(path.read_text())
    said = run(path)
    assert "exit" not in said
    assert "remark" not in said
    assert Entry.objects.count() == 3
    for entry in Entry.objects.select_related("setting"):
        expected = document[entry.setting.slug]
        values = values_of(entry)
        assert len(values) == 13
        assert values["judge"] == expected["gpt"]
        assert values["loose"] == expected["acc"]["loose"]
        assert values["rouge2.precision"] == expected["rouge"]["rouge2"]["precision"]
