"""The pictures of questions on the site: who sees them, and how they are sent and shown."""

from __future__ import annotations

import hashlib
import json
import re

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import transaction
from django.test import Client, TestCase
from django.urls import clear_script_prefix, set_script_prefix

from leaderboard.models import DraftReader
from scoring import declarations
from scoring.benchmarks.base import content_hash
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.declared import ImportedBenchmark, import_declaration
from scoring.importing.revisions import source_of
from scoring.models import Picture, Question, Split, SplitPhase
from tests import factories
from tests.leaderboard.declared.declared_site import SLUG
from tests.made_pictures import png

pytestmark = pytest.mark.django_db
CONTENT = png(1200, 400)
SHA256 = hashlib.sha256(CONTENT).hexdigest()
ADDRESS = f"/pictures/{SHA256}/"
FILE = f"pictures/{SHA256}.png"


def imported(*, as_drafts: bool = False, content: bytes = CONTENT) -> ImportedBenchmark:
    """The benchmark of the template, whose first development question is about a picture."""
    files = template(SLUG)
    first, *others = files["questions/dev.jsonl"].decode().splitlines()
    block = {"picture": "figures/1.png", "alt": 'A "map" of <Oslo>.'}
    files["questions/dev.jsonl"] = "\n".join([json.dumps(json.loads(first) | {"context": block}), *others]).encode()
    files["figures/1.png"] = content
    with TestCase.captureOnCommitCallbacks(execute=True):
        return import_declaration(read_declaration(files), as_drafts=as_drafts)


def test_is_stored_once_with_the_splits_of_its_questions() -> None:
    imported()
    assert not imported().changed
    picture = Picture.objects.get()
    assert (picture.sha256, picture.type, picture.file.name) == (SHA256, "image/png", FILE)
    assert [split.slug for split in picture.splits.all()] == ["dev"]
    question = Question.objects.get(revision__split__slug="dev", position=0)
    stored = {"picture": SHA256, "alt": 'A "map" of <Oslo>.', "width": 1200, "height": 400}
    assert question.context == [stored]
    assert content_hash(source_of(question.revision)) == question.revision.content_hash


def test_a_file_that_was_lost_is_written_again_by_the_next_import() -> None:
    imported()
    default_storage.delete(FILE)
    imported()
    with default_storage.open(FILE) as file:
        assert file.read() == CONTENT


def test_an_import_that_is_rolled_back_leaves_no_file() -> None:
    content = png(31, 41)
    file = f"pictures/{hashlib.sha256(content).hexdigest()}.png"
    with TestCase.captureOnCommitCallbacks(execute=True), transaction.atomic():
        files = template(SLUG)
        question = {
            "id": "dev-1",
            "question": "Where?",
            "answer": "Oslo",
            "context": {"picture": "1.png", "alt": "Oslo."},
        }
        files |= {"questions/dev.jsonl": json.dumps(question).encode(), "1.png": content}
        import_declaration(read_declaration(files))
        assert Picture.objects.get().file.name == file
        transaction.set_rollback(True)
    declarations.clear()
    assert not Picture.objects.exists() and not default_storage.exists(file)
    imported(content=content)
    assert default_storage.exists(file)


def test_is_sent_as_what_it_is_and_kept_by_browsers(client: Client) -> None:
    imported()
    response = client.get(ADDRESS)
    assert response.status_code == 200
    assert b"".join(response.streaming_content) == CONTENT  # type: ignore[attr-defined]
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Disposition"] == f'inline; filename="{SHA256}.png"'
    assert response["Cache-Control"] == "public, max-age=31536000, immutable"
    assert "Content-Security-Policy" in response
    assert client.get(f"/pictures/{'0' * 64}/").status_code == 404


def test_of_a_draft_is_seen_by_those_alone_who_see_the_draft(client: Client) -> None:
    benchmark = imported(as_drafts=True).benchmark
    ada, bob = factories.user("ada"), factories.user("bob")
    DraftReader.objects.create(benchmark=benchmark, user=ada)
    assert client.get(ADDRESS).status_code == 404
    client.force_login(bob)
    assert client.get(ADDRESS).status_code == 404
    client.force_login(ada)
    assert client.get(ADDRESS)["Cache-Control"] == "private, no-store"
    Split.with_drafts.filter(benchmark=benchmark, slug="dev").update(phase=SplitPhase.OPEN)
    client.logout()
    assert client.get(ADDRESS).status_code == 200


def test_is_seen_by_nobody_once_the_split_of_its_questions_is_removed(client: Client) -> None:
    imported(as_drafts=True)
    call_command("benchmark", "remove", SLUG, "--split", "dev")
    assert not Picture.objects.get().splits.exists()
    client.force_login(factories.maintainer())
    assert client.get(ADDRESS).status_code == 404


def test_a_missing_file_is_not_found(client: Client) -> None:
    imported()
    default_storage.delete(FILE)
    assert client.get(ADDRESS).status_code == 404


def test_is_shown_with_its_question_also_on_a_site_under_a_path() -> None:
    imported()
    question = Question.objects.get(revision__split__slug="dev", position=0)
    set_script_prefix("/manyhop")
    try:
        page = Client(SCRIPT_NAME="/manyhop").get(f"/{SLUG}/dev/questions/{question.qid}/").content.decode()
    finally:
        clear_script_prefix()
    (shown,) = re.findall(r"<img[^>]*>", page[page.index("question-context") :])
    assert set(re.findall(r'([\w-]+="[^"]*")', shown)) == {
        'loading="lazy"',
        f'src="/manyhop{ADDRESS}"',
        'width="1200"',
        'height="400"',
        'alt="A &quot;map&quot; of &lt;Oslo&gt;."',
    }
    assert f'href="/manyhop{ADDRESS}"' in page


def test_has_its_address_in_the_api(client: Client) -> None:
    imported()
    first, second, *_ = client.get(f"/api/v1/benchmarks/{SLUG}/splits/dev/questions/").json()
    assert first["context"][0]["url"] == f"http://testserver{ADDRESS}"
    assert second["context"] == []
