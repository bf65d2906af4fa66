"""A backup holds everything, is checked, and comes back into an empty site of any database exactly as it was."""

import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, models, transaction
from django.test import Client, override_settings

from leaderboard.accounts import tokens
from leaderboard.models import ApiToken, BoardSnapshot, Submission, SubmissionFile, System, User
from leaderboard.operations.backup import archive, tables
from scoring.models import AnswerBlock, JudgeEstimate, Run, Split, Verdict
from tests import factories
from tests.leaderboard.operations.backup.probe import probe
from tests.processes import ROOT, child_environment

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def media(tmp_path: Path) -> Iterator[Path]:
    """Uploads of each test's own."""
    folder = tmp_path / "site" / "uploads"
    folder.mkdir(parents=True)
    with override_settings(MEDIA_ROOT=folder):
        yield folder


@pytest.fixture
def site(media: Path) -> Submission:
    """A site in which every kind of column has a value that is easily spoilt."""
    made = factories.benchmark()
    owner = factories.user("ada")
    owner.groups.create(name="Graders")
    odd = "ünï\u2028cödé \U0001f40d \\ \" ' %s %% \n\r\t \x7f"
    answers = factories.perfect("test") | {"test-0": odd}
    sent = factories.published(owner, factories.split(made, "test"), {"openbook": answers}, details=odd)
    factories.submission(
        owner, factories.split(made, "dev"), {"closedbook": factories.perfect("dev", 2)}, name="Waiting"
    )
    tokens.create_token(user=owner, name="CI")
    Client().force_login(owner)
    Verdict.objects.create(
        address="a" * 64, ask=1, qid="test-0", outcome="verdict", letter="A",
        model="m", seed=2**62, price_usd=Decimal("0.00012345"), latency=0.1 + 0.2,
    )  # fmt: skip
    run = Run.objects.filter(metric="judge").first()
    assert run is not None
    JudgeEstimate.objects.create(run=run, n_calls=1, tokens_in=1, tokens_out=1, method="characters")
    BoardSnapshot.objects.create(
        split=sent.split, setting=factories.setting(made), digest="d" * 64, content=bytes(range(256)) * 3, n_rows=1
    )
    return sent


def restored(url: str, folder: Path, *backups: Path) -> dict[str, str]:
    """What a new site holds after restoring the first backup into it; the others are then made of it."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = child_environment(DATABASE_URL=url, MANYHOP_DATA_DIR=str(folder))
    command = [sys.executable, "-m", "tests.leaderboard.operations.backup.probe", *map(str, backups)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture
def new_database() -> Iterator[Callable[[], str]]:
    """Makes an empty database beside the tests' own, on PostgreSQL; its value is the URL."""
    from tests.processes import database_url

    names: list[str] = []

    def make() -> str:
        names.append(f"restored_{len(names)}")
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {names[-1]}")
            cursor.execute(f"CREATE DATABASE {names[-1]} TEMPLATE template0")
        return f"{database_url().rpartition('/')[0]}/{names[-1]}"

    yield make
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.mark.slow
def test_a_site_comes_back_as_it_was(site: Submission, tmp_path: Path) -> None:
    """From the tests' database to SQLite, and from SQLite to SQLite."""
    before = probe()
    assert before["leaderboard.user"].startswith("1 ")
    assert any(name.endswith(".upload") for name in before)
    first, second = tmp_path / "first.tar.gz", tmp_path / "second.tar.gz"
    call_command("backup", first, verbosity=0, stdout=io.StringIO())
    assert restored(f"sqlite:///{tmp_path}/a.sqlite3", tmp_path / "a", first, second) == before
    assert restored(f"sqlite:///{tmp_path}/b.sqlite3", tmp_path / "b", second) == before
    assert probe() == before, "making a backup changes nothing"


@pytest.mark.slow
@pytest.mark.postgres
def test_a_site_comes_back_on_postgres(site: Submission, tmp_path: Path, new_database: Callable[[], str]) -> None:
    """From PostgreSQL to PostgreSQL, and from SQLite to PostgreSQL; new rows get keys of their own."""
    before = probe()
    first, second = tmp_path / "first.tar.gz", tmp_path / "second.tar.gz"
    call_command("backup", first, stdout=io.StringIO())
    url = new_database()
    assert restored(url, tmp_path / "a", first) == before
    assert restored(f"sqlite:///{tmp_path}/lite.sqlite3", tmp_path / "lite", first, second) == before
    assert restored(new_database(), tmp_path / "b", second) == before
    with psycopg.connect(url) as other:
        assert other.execute("SELECT nextval(pg_get_serial_sequence('scoring_answerblock', 'id'))").fetchone() == (
            AnswerBlock.objects.latest("pk").pk + 1,
        )


def test_what_is_in_it_and_what_is_not(site: Submission, tmp_path: Path, settings: Any) -> None:
    target = tmp_path / "backup.tar.gz"
    token, secret = tokens.create_token(user=site.owner, name="Another")
    session = Client()
    session.force_login(site.owner)
    out = io.StringIO()
    call_command("backup", target, stdout=out)
    assert "checked:" in out.getvalue()
    assert target.stat().st_mode & 0o777 == 0o600
    everything = gzip.decompress(target.read_bytes())
    for hidden in (settings.SECRET_KEY, secret, session.session.session_key, factories.PASSWORD):
        assert str(hidden).encode() not in everything
    assert token.digest.encode() in everything
    with tarfile.open(target) as tar:
        names = tar.getnames()
        kept = tar.extractfile(f"files/{site.files.get().original.name}")
        assert kept is not None
        with site.files.get().original.open() as original:
            assert kept.read() == original.read()
    assert names[-1] == "manifest.json"
    assert "tables/sessions.session.jsonl" not in names
    assert list(tmp_path.glob(".backup*")) == []


@pytest.mark.postgres
def test_it_is_of_one_moment(site: Submission, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written by others while a backup is made is in none of its tables, or in all."""
    real = tables.rows_of
    before = Split.objects.count(), AnswerBlock.objects.count()

    def interrupted(model: Any) -> Any:
        if model is System:  # tables come in the order of their names: others were read before it, others come after
            from concurrent.futures import ThreadPoolExecutor

            def write() -> None:
                AnswerBlock.objects.all().delete()
                User.objects.create_user("late")
                connection.close()

            with ThreadPoolExecutor(1) as pool:
                pool.submit(write).result()
        return real(model)

    monkeypatch.setattr(tables, "rows_of", interrupted)
    target = tmp_path / "backup.tar.gz"
    call_command("backup", target, stdout=io.StringIO())
    assert AnswerBlock.objects.count() == 0
    kept = archive.check(target)["tables"]
    assert kept["leaderboard.user"]["rows"] == 1
    assert kept["scoring.answerblock"]["rows"] == before[1]


def test_a_file_that_is_missing_or_changed_is_told(site: Submission, tmp_path: Path, media: Path) -> None:
    lost, spoilt = [Path(file.original.path) for file in SubmissionFile.objects.order_by("pk")]
    lost.unlink()
    spoilt.write_bytes(b"something else")
    target = tmp_path / "backup.tar.gz"
    with pytest.raises(CommandError) as refusal:
        call_command("backup", target, stdout=io.StringIO())
    assert f"{lost.relative_to(media)} is missing" in str(refusal.value)
    assert f"{spoilt.relative_to(media)} " in str(refusal.value)
    assert hashlib.sha256(b"something else").hexdigest() in str(refusal.value)
    assert len(archive.check(target)["problems"]) == 2, "what there is was kept all the same"


def test_a_site_that_is_not_empty_is_left_alone(site: Submission, tmp_path: Path) -> None:
    target = tmp_path / "backup.tar.gz"
    call_command("backup", target, stdout=io.StringIO())
    before = probe()
    label, count = next(iter(tables.rows_by_table().items()))
    with pytest.raises(CommandError, match=re.escape(f"{count:,} in {label}")):
        call_command("restore", target)
    assert probe() == before
    with pytest.raises(CommandError, match="already exists"):
        call_command("backup", target)
    with pytest.raises(CommandError, match=r"must end with \.tar\.gz or \.tgz"):
        call_command("backup", tmp_path / "backup.zip")
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("backup", tmp_path / "nowhere" / "backup.tar.gz")


def members(source: Path) -> list[tuple[str, bytes]]:
    with tarfile.open(source) as tar:
        return [(one.name, tar.extractfile(one).read()) for one in tar]  # type: ignore[union-attr]


def write(target: Path, content: list[tuple[str, bytes]], kind: bytes = tarfile.REGTYPE) -> None:
    with tarfile.open(target, "w:gz") as tar:
        for name, data in content:
            member = tarfile.TarInfo(name)
            member.size, member.type = len(data) if kind == tarfile.REGTYPE else 0, kind
            tar.addfile(member, io.BytesIO(data))


def spoil(how: str, content: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    manifest = json.loads(content[-1][1])
    if how == "row":
        return [
            (n, d.replace(b"Example system", b"Exemple system")) if n.endswith("system.jsonl") else (n, d)
            for n, d in content
        ]
    if how == "table":
        return [one for one in content if one[0] != "tables/scoring.answer.jsonl"]
    if how == "file":
        return [*content[:-1], ("files/submissions/other", b"x"), content[-1]]
    if how == "path":
        return [("../../etc/cron.d/x", b"x"), *content]
    if how == "late":
        return [*content, ("tables/late", b"")]
    if how == "twice":
        return [content[0], *content]
    if how == "software":
        manifest["software"] = "Other"
    if how == "format":
        manifest["format"] = 99
    if how == "migration":
        manifest["migrations"] = [*manifest["migrations"][:-1], "leaderboard.9999_later"]
    if how == "columns":
        manifest["tables"]["scoring.answer"]["columns"].append("later")
    return [*content[:-1], ("manifest.json", b"{" if how == "json" else json.dumps(manifest).encode())]


REFUSALS = {
    "row": "system.jsonl is damaged",
    "table": "tables/scoring.answer.jsonl is missing",
    "file": "files/submissions/other is unexpected",
    "path": archive.OUTSIDE.format("../../etc/cron.d/x"),
    "late": "tables/late comes after ",
    "twice": "occurs twice",
    "software": archive.NOT_OURS,
    "format": "has format 99, ",
    "json": archive.NOT_JSON,
    "migration": "backup: leaderboard.9999_later",
    "columns": "other columns in scoring.answer",
}


@pytest.mark.slow
def test_a_spoilt_backup_is_refused_before_anything_is_written(site: Submission, tmp_path: Path) -> None:
    good = tmp_path / "good.tar.gz"
    call_command("backup", good, stdout=io.StringIO())
    before = probe()
    whole = members(good)
    for how, said in REFUSALS.items():
        bad = tmp_path / f"{how}.tar.gz"
        write(bad, spoil(how, whole))
        with pytest.raises(CommandError) as refusal:
            call_command("restore", bad)
        assert said.format(bad) in str(refusal.value), how
    assert probe() == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "files/../../x",
        "files//etc/x",
        "files/./x",
        "files/a/../../x",
        "/etc/x",
        "files",
        "files/",
        "..",
        "files/a\\..\\b",
    ],
)
def test_an_entry_that_leads_out_is_named(site: Submission, tmp_path: Path, name: str) -> None:
    good, bad = tmp_path / "good.tar.gz", tmp_path / "bad.tar.gz"
    archive.make(good)
    *content, (_, text) = members(good)
    manifest = json.loads(text)
    manifest["files"][name.removeprefix("files/")] = {"size": 1, "sha256": hashlib.sha256(b"x").hexdigest()}
    write(bad, [*content, (name, b"x"), ("manifest.json", json.dumps(manifest).encode())])
    with pytest.raises(CommandError, match=re.escape(archive.OUTSIDE.format(name))):
        call_command("restore", bad)


@pytest.mark.parametrize("name", ["files/../../x", "tables/a/../../x"])
def test_an_archive_that_begins_with_an_entry_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    bad = tmp_path / "bad.tar.gz"
    write(bad, [(name, b"x")])
    with pytest.raises(CommandError, match=re.escape(archive.OUTSIDE.format(name))):
        call_command("restore", bad)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("group", "value"),
    [
        ("tables", []),
        ("tables", {"x": 1}),
        ("files", {"x": {"size": "1", "sha256": ""}}),
        ("files", None),
        ("version", 1),
    ],
)
def test_a_malformed_manifest_is_refused(site: Submission, tmp_path: Path, group: str, value: object) -> None:
    good, bad = tmp_path / "good.tar.gz", tmp_path / "bad.tar.gz"
    archive.make(good)
    *content, (_, text) = members(good)
    write(bad, [*content, ("manifest.json", json.dumps(json.loads(text) | {group: value}).encode())])
    with pytest.raises(CommandError, match=f"malformed at '{group}"):
        call_command("restore", bad)


@pytest.mark.slow
def test_rows_that_are_none_are_named(site: Submission, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.tar.gz", tmp_path / "bad.tar.gz"
    archive.make(good)
    *content, (_, text) = members(good)
    for row in (b"[]", b"{", b"7", b'["x", "y"]'):
        manifest, spoilt = json.loads(text), row + b"\n"
        entry = manifest["tables"]["leaderboard.system"]
        entry |= {"rows": 1, "sha256": hashlib.sha256(spoilt).hexdigest()}
        others = [one for one in content if one[0] != "tables/leaderboard.system.jsonl"]
        spoilt_table = ("tables/leaderboard.system.jsonl", spoilt)
        write(bad, [spoilt_table, *others, ("manifest.json", json.dumps(manifest).encode())])
        with (
            override_settings(MEDIA_ROOT=tmp_path / "elsewhere"),
            pytest.raises(archive.BackupError, match=r"Nothing was restored: tables/leaderboard\.system\.jsonl"),
            transaction.atomic(),
        ):
            call_command("flush", interactive=False, verbosity=0)
            archive.restore(bad)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_only_plain_files_are_taken_out_of_an_archive(tmp_path: Path, kind: bytes) -> None:
    write(tmp_path / "bad.tar.gz", [("files/x", b"")], kind)
    with pytest.raises(archive.BackupError, match=re.escape(archive.NOT_A_FILE.format("files/x"))):
        archive.check(tmp_path / "bad.tar.gz")


def test_a_damaged_file_is_refused(site: Submission, tmp_path: Path) -> None:
    target = tmp_path / "backup.tar.gz"
    call_command("backup", target, stdout=io.StringIO())
    whole = target.read_bytes()
    middle = len(whole) // 2
    flipped = bytes(one ^ 255 for one in whole[middle : middle + 8])
    for spoilt in (
        whole[:middle],
        whole[:-4],
        whole[:middle] + flipped + whole[middle + 8 :],
        b"This is no archive.",
        b"",
        gzip.compress(b"x" * 5000),
    ):
        target.write_bytes(spoilt)
        with pytest.raises(CommandError, match=r"is damaged|breaks off"):
            call_command("restore", target, check=True)
    target.unlink()
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("restore", target, check=True)


@pytest.mark.slow
def test_a_restore_that_fails_half_way_leaves_nothing(
    site: Submission, tmp_path: Path, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "backup.tar.gz"
    call_command("backup", target, stdout=io.StringIO())
    with override_settings(MEDIA_ROOT=tmp_path / "elsewhere"), pytest.raises(archive.BackupError, match="Nothing was"):
        (tmp_path / "elsewhere").mkdir()
        with transaction.atomic():
            call_command("flush", interactive=False, verbosity=0)
            real = tables.reset_sequences

            def fail() -> None:
                assert Submission.objects.count() == 2
                assert sum(path.is_file() for path in (tmp_path / "elsewhere").rglob("*")) == 2
                real()
                raise OSError("disk full")

            monkeypatch.setattr(tables, "reset_sequences", fail)
            archive.restore(target)
    assert not [path for path in (tmp_path / "elsewhere").rglob("*") if path.is_file()]
    assert all(Path(file.original.path).is_file() for file in SubmissionFile.objects.all()), "the site is untouched"


def test_every_column_is_of_a_kind_that_is_kept() -> None:
    """A new kind of column has to be thought about: what Python makes of it, and what comes back."""
    known = (
        models.AutoField, models.BigAutoField, models.BigIntegerField, models.BinaryField, models.BooleanField,
        models.CharField, models.DateField, models.DateTimeField, models.DecimalField, models.FileField,
        models.FloatField, models.IntegerField, models.JSONField, models.TextField, models.UUIDField, models.ForeignKey,
    )  # fmt: skip
    for model in tables.tables():
        for column in tables.columns_of(model):
            assert isinstance(column, known), f"{model.__name__}.{column.name}"
    assert not ApiToken.objects.exists()
