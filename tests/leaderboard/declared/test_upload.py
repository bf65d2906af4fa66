"""``/maintenance/benchmarks/``: a folder is uploaded as a zip archive, its effect reviewed, and imported as shown."""

from __future__ import annotations

import datetime
import io
import re
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.models import AuditRecord, Entry
from scoring.benchmarks import definitions, packaged_definitions
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.files import pack
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.benchmarks.declared.warnings import few_questions
from scoring.files.mistakes import MAX_MISTAKES
from scoring.importing import folder_drafts
from scoring.importing.hidden_splits import opened
from scoring.models import Benchmark, FolderDraft, Revision
from tests import factories
from tests.leaderboard.declared import declared_site
from tests.notices import notices
from tests.scoring.benchmarks import mistakes

pytestmark = pytest.mark.django_db
PAGE = "/maintenance/benchmarks/"
SECRET = "Xyzzyville"


@pytest.fixture
def page(client: Client) -> Client:
    """A maintainer's."""
    client.force_login(factories.maintainer())
    return client


def give(page: Client, files: dict[str, bytes] | bytes, **fields: str) -> str:
    """Upload files; returns the URL of the draft."""
    content = files if isinstance(files, bytes) else pack(files)
    answer = page.post(PAGE, {"archive": SimpleUploadedFile("capitals.zip", content), **fields})
    assert answer.status_code == 302, re.findall(r"<li>(.*?)</li>", answer.content.decode())
    return answer["Location"]


def refused(page: Client, content: bytes) -> list[str]:
    """Upload an archive with mistakes; returns them."""
    answer = page.post(PAGE, {"archive": SimpleUploadedFile("capitals.zip", content)})
    assert answer.status_code == 422
    assert not FolderDraft.objects.exists()
    found: list[str] = answer.context["form"].non_field_errors()
    return found


def shown(page: Client, draft: str) -> str:
    found = re.search(r'name="shown" value="(\w+)"', page.get(draft).content.decode())
    assert found
    return found[1]


def changed(old: str, new: str, file: str = "benchmark.toml") -> dict[str, bytes]:
    files = template(declared_site.SLUG)
    assert old.encode() in files[file]
    return files | {file: files[file].replace(old.encode(), new.encode(), 1)}


def test_a_new_benchmark_is_shown_and_then_imported(page: Client) -> None:
    draft = give(page, template(declared_site.SLUG))
    assert not Benchmark.objects.exists()
    assert not AuditRecord.objects.exists()
    assert definitions() == packaged_definitions()
    text = page.get(draft).content.decode()
    assert "New benchmark" in text
    assert "Oslo" not in text
    assert few_questions("test", 5) in text
    assert few_questions("dev", 5) not in text
    answer = page.post(draft, {"action": "apply", "shown": shown(page, draft)}, follow=True)
    assert answer.redirect_chain == [("/maintenance/benchmarks/capitals/phases/", 302)]
    assert "Capitals 1.0 is imported." in answer.content.decode()
    assert not FolderDraft.objects.exists()
    assert not Entry.objects.exists(), "published results come with the publication"
    page.post(answer.redirect_chain[-1][0], {"action": "publish", "split": ""})
    assert Entry.objects.get().system.name == "Baseline"
    recorded = set(AuditRecord.objects.values_list("actor__username", "action"))
    done = ("benchmark.imported", "split.imported", "split.published", "results.imported")
    assert recorded == {("grace", action) for action in done}
    assert "Capitals" in page.get(PAGE).content.decode()


def test_a_newer_version_is_compared_and_shows_answers_of_open_splits_alone(page: Client) -> None:
    declared_site.declare()
    toml = changed("hidden = true", "hidden = false")["benchmark.toml"]
    files = template(declared_site.SLUG) | {
        "benchmark.toml": toml.replace(b"date = 2026-01-01", b"date = 2026-02-01"),
        "questions/dev.jsonl": template("capitals")["questions/dev.jsonl"].replace(b"Nairobi", b"Mombasa"),
        "questions/test.jsonl": template("capitals")["questions/test.jsonl"].replace(b"Accra", SECRET.encode()),
    }
    draft = give(page, files)
    text = page.get(draft).content.decode()
    assert "splits.test.hidden: true → false" in text
    assert opened("test") in text
    assert "1 answer changed: dev-2" in text
    assert "1 answer changed: test-1" in text
    assert "&quot;Mombasa&quot;</td>" in text
    assert not {"Accra", SECRET} & set(re.findall(r"\w+", text)), "the split is hidden until the import is confirmed"
    assert SECRET not in str(FolderDraft.objects.get().preview)
    page.post(draft, {"action": "apply", "shown": shown(page, draft)})
    assert not Benchmark.objects.get(slug="capitals").splits.get(slug="test").hidden
    assert Revision.objects.filter(split__slug="dev").count() == 2


def test_unused_files_and_rows_that_are_left_are_named_before_and_after(page: Client) -> None:
    declared_site.declare()
    draft = give(page, changed("Baseline", "Other system", "reported.csv") | {"notes/old.csv": b"x"})
    named = ("notes/old.csv", "Baseline (test, closed-book)")
    assert all(name in page.get(draft).content.decode() for name in named)
    answer = page.post(draft, {"action": "apply", "shown": shown(page, draft)}, follow=True)
    warnings = [text for tone, text in notices(answer) if tone == "warn"]
    assert [sum(name in text for text in warnings) for name in named] == [1, 1]


def test_the_same_folder_changes_nothing(page: Client) -> None:
    declared_site.declare()
    text = page.get(give(page, template(declared_site.SLUG))).content.decode()
    assert "Already imported" in text
    assert "Import benchmark" not in text


def test_what_was_not_shown_is_not_imported(page: Client) -> None:
    draft = give(page, template(declared_site.SLUG))
    before = shown(page, draft)
    declared_site.declare()
    for given in ("", "f" * 64, before):
        answer = page.post(draft, {"action": "apply", "shown": given}, follow=True)
        assert folder_drafts.CHANGED in answer.content.decode()
    assert "Already imported" in page.get(draft).content.decode()
    assert shown(page, draft) != before


def test_a_draft_can_be_discarded_and_expires(page: Client) -> None:
    page.post(give(page, template(declared_site.SLUG)), {"action": "drop"})
    assert not FolderDraft.objects.exists()
    draft = give(page, template(declared_site.SLUG))
    FolderDraft.objects.update(created_at=timezone.now() - datetime.timedelta(hours=25))
    assert page.get(draft)["Location"] == PAGE
    give(page, template(declared_site.SLUG))
    assert FolderDraft.objects.count() == 1


def test_every_mistake_is_listed_with_its_place(page: Client) -> None:
    with pytest.raises(SourceError) as caught:
        read_declaration(mistakes.folder())
    assert refused(page, pack(mistakes.folder())) == caught.value.problems


@pytest.mark.parametrize(
    ("name", "content"),
    [("../../etc/passwd", b"x"), ("/tmp/x", b"x"), ("questions/dev.jsonl", b"0" * 3 * 2**20)],
)
def test_a_hostile_archive_is_refused_by_its_entry(page: Client, name: str, content: bytes) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    (problem,) = refused(page, packed.getvalue())
    assert repr(name) in problem


@pytest.mark.parametrize("name", ["benchmark.toml", "questions/dev.jsonl"])
def test_a_small_archive_of_very_many_keys_is_refused(page: Client, name: str) -> None:
    keys = "\n".join(f"key-{number} = {number}" for number in range(400_000)).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for other, content in (template(declared_site.SLUG) | {name: keys}).items():
            archive.writestr(other, content)
    assert len(packed.getvalue()) < 2 * 2**20 < len(keys)
    assert 1 <= len(refused(page, packed.getvalue())) <= MAX_MISTAKES + 1


def test_the_pages_need_few_queries(page: Client, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    draft = give(page, template(declared_site.SLUG))
    page.get(PAGE)
    with django_assert_max_num_queries(8):
        page.get(draft)
    with django_assert_max_num_queries(8) as captured:
        page.get(PAGE)
    assert not [query for query in captured if '"content"' in query["sql"]], "the folders are not read"
