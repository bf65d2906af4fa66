"""Drafts of benchmarks, their publication, and the end of a split: archived or removed."""

import io
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from humaneval.models import Study
from leaderboard.board.write import write_marked
from leaderboard.maintenance import benchmark_phases
from leaderboard.models import AuditRecord, Entry, Mail, PublicationState, System, User
from leaderboard.publishing import names
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions import notifications, quotas
from leaderboard.submissions.forms import known_questions
from scoring.benchmarks.base import SourceError
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import template
from scoring.importing.declared import import_declaration
from scoring.models import Benchmark, DeclaredFolder, Question, Setting, Split, SplitPhase
from tests import factories
from tests.leaderboard.declared.declared_site import RIGHT, SLUG
from tests.notices import notices

pytestmark = pytest.mark.django_db
SECRET = "Capitals"
BOARD = f"/{SLUG}/test/closed-book/"
PAGE = f"/maintenance/benchmarks/{SLUG}/phases/"
DEV = {f"dev-{n}": text for n, text in enumerate(["Oslo", "Nairobi", "Lima", "Tokyo", "Ottawa"], start=1)}


@pytest.fixture
def draft() -> Benchmark:
    """A declared benchmark beside FanOutQA, not published yet."""
    factories.benchmark()
    return import_declaration(read_declaration(template(SLUG)), as_drafts=True).benchmark


def run(*arguments: object) -> str:
    out = StringIO()
    call_command("benchmark", *map(str, arguments), stdout=out)
    return out.getvalue()


def folder_of(files: dict[str, bytes], path: Path) -> Path:
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


def without_dev() -> dict[str, bytes]:
    """The template's folder, whose declaration has no development split."""
    files = template(SLUG)
    before, _, rest = files["benchmark.toml"].decode().partition("[splits.dev]")
    files["benchmark.toml"] = (before + rest[rest.index("[splits.test]") :]).encode()
    del files["questions/dev.jsonl"]
    return files


def split(slug: str = "test") -> Split:
    return Split.with_drafts.get(benchmark__slug=SLUG, slug=slug)


def sent(owner: User, slug: str = "test") -> Client:
    client = Client()
    client.force_login(owner)
    answers = RIGHT if slug == "test" else DEV
    form: dict[str, Any] = {"benchmark": SLUG, "split": slug, "name": "Atlas", "authors": "A", "type": "PROMPT"}
    form |= {"context_size": "8192", "closed-book": factories.upload(answers)}
    response = client.post(f"/submit/?benchmark={SLUG}", form)
    assert response.status_code == 302, notices(response)
    return client


# --- Who sees a draft ------------------------------------------------------------------------------------------------


PUBLIC_PAGES = [
    *(
        "/",
        "/about/",
        "/definitions/",
        "/how-to-submit/",
        "/systems/",
        "/compare/",
        "/sitemap.xml",
        "/sitemap-boards.xml",
    ),
    *("/sitemap-pages.xml", "/sitemap-questions.xml", "/api/v1/benchmarks/", "/api/v1/systems/"),
]
OWN_PAGES = [
    *(f"/{SLUG}/", BOARD, f"/{SLUG}/data-card/", f"/{SLUG}/croissant.json", f"/{SLUG}/dev/questions/"),
    *(f"/{SLUG}/dev/questions/dev-1/", f"/{SLUG}/dev/questions.jsonl", f"{BOARD}snapshots/", f"{BOARD}board.csv"),
    *(f"/api/v1/benchmarks/{SLUG}/", f"/api/v1/benchmarks/{SLUG}/splits/dev/", f"/api/v1/board/?benchmark={SLUG}"),
    *(f"/api/v1/benchmarks/{SLUG}/splits/dev/questions/", f"/api/v1/benchmarks/{SLUG}/settings/"),
]


@pytest.mark.parametrize("reader", ["stranger", "account"])
def test_no_page_tells_others_of_a_draft(draft: Benchmark, client: Client, reader: str) -> None:
    if reader == "account":
        client.force_login(factories.user())
    for path in [*PUBLIC_PAGES, "/submit/"]:
        response = client.get(path)
        assert response.status_code in (200, 302, 404), path
        content = b"".join(response) if response.streaming else response.content
        assert SECRET not in content.decode(), path
        assert f"/{SLUG}/" not in content.decode(), path
    for path in OWN_PAGES:
        assert client.get(path).status_code == 404, path


def test_pages_of_a_published_benchmark_are_there(draft: Benchmark, client: Client) -> None:
    """Without this the test above could pass with addresses that no site has."""
    run("publish", SLUG)
    write_marked()
    there = [path for path in OWN_PAGES if client.get(path, follow=True).status_code == 200]
    assert len(there) >= len(OWN_PAGES) - 2
    assert SECRET in client.get("/").content.decode()


def test_maintainers_see_a_draft(draft: Benchmark, client: Client) -> None:
    client.force_login(factories.maintainer())
    assert "Maintainers and invited accounts alone see this split." in client.get(BOARD).content.decode()
    for path in (f"/{SLUG}/data-card/", "/submit/?benchmark=capitals", "/maintenance/benchmarks/", PAGE):
        assert SECRET in client.get(path).content.decode(), path
    assert client.get(f"/api/v1/benchmarks/{SLUG}/").json()["splits"][0]["slug"] == "dev"


def test_an_invited_account_sees_it_and_submits_until_the_invitation_ends(draft: Benchmark, client: Client) -> None:
    ada, grace = factories.user(), factories.maintainer()
    client.force_login(grace)
    text = str(notices(client.post(PAGE, {"action": "invite", "username": "ada"}, follow=True)))
    assert "ada sees the drafts of Capitals and may submit to them." in text
    invited = sent(ada)
    assert SECRET in invited.get(BOARD).content.decode()
    client.post(PAGE, {"action": "uninvite", "username": "ada"})
    assert invited.get(BOARD).status_code == 404
    assert SECRET not in invited.get("/submit/").content.decode()
    [submission] = ada.submissions.all()
    assert invited.get(f"/submissions/{submission.pk}/").status_code == 200
    for odd in ({"action": "invite", "username": "no\0body"}, {"action": "publish", "split": "te\0st"}):
        refused = str(notices(client.post(PAGE, odd, follow=True)))
        assert "There is no account" in refused or "has no split" in refused


def test_a_stranger_cannot_submit_to_a_draft(draft: Benchmark, client: Client) -> None:
    client.force_login(factories.user())
    form = {"benchmark": SLUG, "split": "test", "name": "Atlas", "authors": "A", "type": "PROMPT"}
    response = client.post(f"/submit/?benchmark={SLUG}", {**form, "closed-book": factories.upload(RIGHT)})
    assert response.status_code in (404, 422)
    assert SECRET not in response.content.decode()
    assert client.get(PAGE).status_code == 404


# --- A published benchmark with a draft split ------------------------------------------------------------------------


@pytest.fixture
def partly(draft: Benchmark) -> Benchmark:
    """The same benchmark with its development split published; the hidden test split, its default, is a draft."""
    run("publish", SLUG, "--split", "dev")
    return draft


def sent_to(client: Client, benchmark: str, split: str, setting: str, answers: dict[str, str]) -> str:
    """The page that answers a file with these answers."""
    form = {"benchmark": benchmark, "split": split, "name": "Atlas", "authors": "A", "type": "PROMPT"}
    response = client.post(f"/submit/?benchmark={benchmark}", {**form, setting: factories.upload(answers)})
    assert response.status_code == 422
    return response.content.decode()


def test_the_ids_of_a_draft_are_unknown_ids(partly: Benchmark, client: Client) -> None:
    """In files for another split of the benchmark, and for another benchmark."""
    client.force_login(factories.user())
    own = sent_to(client, SLUG, "dev", "closed-book", {**DEV, "test-1": "Accra"})
    assert "test-1" in own
    assert "test split" not in own
    assert not known_questions(Split.objects.get(benchmark__slug="fanoutqa", slug="dev")).elsewhere(["test-1"])


def test_who_sends_to_a_draft_learns_that_an_id_is_of_another_split(partly: Benchmark, client: Client) -> None:
    client.force_login(factories.maintainer())
    assert "development split" in sent_to(client, SLUG, "test", "closed-book", {**RIGHT, "dev-1": "Oslo"})


def test_quotas_of_a_draft_are_shown_to_those_who_see_it(partly: Benchmark, settings: Any) -> None:
    settings.HIDDEN_FILES = (9, 30, 60)
    shown = {person: str(quotas.overview(person, partly, [])) for person in (factories.user(), factories.maintainer())}
    assert ["test split" in text for text in shown.values()] == [False, True]


def test_the_default_split_is_one_that_the_reader_sees(partly: Benchmark, client: Client) -> None:
    address = f"/api/v1/benchmarks/{SLUG}/"
    assert client.get(address).json()["default_split"] == "dev"
    assert client.get(f"/api/v1/board/?benchmark={SLUG}").json()["split"] == "dev"
    assert f"/{SLUG}/test/" not in client.get(f"/{SLUG}/data-card/").content.decode()
    client.force_login(factories.maintainer())
    assert client.get(address).json()["default_split"] == "test"


def test_names_of_published_results_are_reserved_once_their_split_is_published(partly: Benchmark) -> None:
    assert not names.is_published("Baseline")
    run("publish", SLUG)
    assert names.is_published("Baseline")


def test_an_account_whose_invitation_ended_sends_no_newer_file(draft: Benchmark) -> None:
    ada, grace = factories.user(), factories.maintainer()
    benchmark_phases.invite(draft, "ada", actor=grace)
    client = sent(ada)
    [submission] = ada.submissions.all()
    benchmark_phases.uninvite(draft, "ada", actor=grace)
    newer = {"closed-book": factories.upload(RIGHT | {"test-1": "Lima"})}
    response = client.post(f"/submissions/{submission.pk}/files/closed-book/replace/", newer)
    assert "accepts no files from you now" in response.content.decode()
    assert submission.files.count() == 1


def test_mails_about_new_questions_of_a_draft_go_to_those_who_see_it(draft: Benchmark) -> None:
    ada, grace = factories.user(), factories.maintainer()
    benchmark_phases.invite(draft, "ada", actor=grace)
    sent(ada)
    benchmark_phases.uninvite(draft, "ada", actor=grace)
    notifications.revision_changed(split())
    assert not Mail.objects.exists()
    benchmark_phases.invite(draft, "ada", actor=grace)
    notifications.revision_changed(split())
    assert Mail.objects.get().user == ada


def test_a_submission_that_missed_the_moment_of_publishing_joins_with_the_next(draft: Benchmark) -> None:
    ada = factories.user()
    benchmark_phases.invite(draft, "ada", actor=factories.maintainer())
    submission = factories.scored(ada, split("dev"), {"closed-book": DEV}, name="Atlas")
    publish_submission(submission, actor=ada)
    Split.with_drafts.filter(pk=split("dev").pk).update(phase=SplitPhase.OPEN)
    run("publish", SLUG, "--split", "dev")
    assert submission.publications.get().state == PublicationState.APPROVED
    assert Entry.objects.get(submission=submission).system.name == "Atlas"


def test_a_split_that_is_archived_while_a_file_is_checked_does_not_get_it(draft: Benchmark) -> None:
    run("publish", SLUG)
    stale = split("dev")
    run("archive", SLUG, "--split", "dev")
    with pytest.raises(SubmissionError, match="accepts no files from you now"):
        factories.submission(factories.user(), stale, {"closed-book": DEV})


def test_a_second_removal_says_that_the_split_is_gone(draft: Benchmark) -> None:
    splits = benchmark_phases.splits_of(draft, "dev")
    benchmark_phases.remove(splits, actor="")
    with pytest.raises(benchmark_phases.PhaseError, match="Somebody else has removed"):
        benchmark_phases.remove(splits, actor="")


def test_published_results_of_a_draft_are_not_loaded_by_hand(draft: Benchmark) -> None:
    with pytest.raises(CommandError, match="capitals test is a draft"):
        call_command("import_reported", SLUG)


# --- Publishing ------------------------------------------------------------------------------------------------------


def test_what_was_published_on_a_draft_joins_the_board_when_the_draft_is_published(
    draft: Benchmark, client: Client
) -> None:
    ada, grace = factories.user(), factories.maintainer()
    benchmark_phases.invite(draft, "ada", actor=grace)
    submission = factories.scored(ada, split("dev"), {"closed-book": DEV}, name="Atlas")
    publish_submission(submission, actor=ada)
    assert submission.publications.get().state == PublicationState.JOINING
    assert not Entry.objects.filter(split__benchmark=draft).exists()
    assert not System.objects.filter(entries__split__benchmark=draft).exists()
    client.force_login(grace)
    text = str(notices(client.post(PAGE, {"action": "publish", "split": ""}, follow=True)))
    assert "Capitals, development is published." in text
    assert "1 reported rows were loaded." in text
    write_marked()
    assert "Atlas" in Client().get(f"/{SLUG}/dev/closed-book/").content.decode()
    assert "Baseline" in Client().get(BOARD).content.decode()
    assert AuditRecord.objects.filter(action="split.published").count() == 2
    assert "is published already." in run("publish", SLUG, "--split", "dev")


def test_an_import_says_that_new_splits_are_drafts_and_how_to_publish_them(tmp_path: Path) -> None:
    folder = folder_of(template(SLUG), tmp_path / SLUG)
    said = run("import", folder)
    assert "Draft: dev and test. Maintainers and invited accounts alone see it." in said
    assert f"Publish it with: manage.py benchmark publish {SLUG}" in said
    assert not Entry.objects.exists()
    run("publish", SLUG)
    assert Entry.objects.count() == 1
    assert "Draft:" not in run("import", folder)


def test_an_import_may_publish_at_once(tmp_path: Path) -> None:
    said = run("import", folder_of(template(SLUG), tmp_path / SLUG), "--publish")
    assert "Draft" not in said
    assert set(Split.objects.values_list("phase", flat=True)) == {SplitPhase.OPEN}


def test_a_new_split_of_a_published_benchmark_is_a_draft(tmp_path: Path, client: Client) -> None:
    run("import", folder_of(without_dev(), tmp_path / "one" / SLUG), "--publish")
    said = run("import", folder_of(template(SLUG), tmp_path / "two" / SLUG))
    assert "Draft: dev." in said
    assert client.get(BOARD).status_code == 200
    assert client.get(f"/{SLUG}/dev/closed-book/").status_code == 404
    assert "Development" not in client.get(BOARD).content.decode()


def test_the_first_board_is_one_that_readers_see(tmp_path: Path, client: Client) -> None:
    run("import", folder_of(template(SLUG), tmp_path / SLUG))
    run("publish", SLUG, "--split", "test")
    assert client.get("/").status_code == 200
    assert client.get(f"/{SLUG}/", follow=True).redirect_chain[-1][0] == BOARD


# --- Archiving -------------------------------------------------------------------------------------------------------


def test_an_archived_split_is_shown_and_accepts_nothing(draft: Benchmark, client: Client) -> None:
    run("publish", SLUG)
    ada = factories.user()
    sent(ada)
    assert "Capitals, test is archived." in run("archive", SLUG, "--split", "test")
    assert "its split accepts no further submissions" in client.get(BOARD).content.decode()
    client.force_login(ada)
    form = {"benchmark": SLUG, "split": "test", "name": "Atlas", "authors": "A. Author", "type": "PROMPT"}
    response = client.post(f"/submit/?benchmark={SLUG}", {**form, "closed-book": factories.upload(RIGHT)})
    assert response.status_code == 422
    assert "does not exist, or it accepts no submissions" in response.content.decode()
    [submission] = ada.submissions.all()
    replaced = client.post(
        f"/submissions/{submission.pk}/files/closed-book/replace/", {"closed-book": factories.upload(DEV)}
    )
    assert "is archived: it accepts no further files" in replaced.content.decode()
    run("publish", SLUG, "--split", "test")
    assert split().phase == SplitPhase.OPEN


def test_a_command_imports_no_submissions_to_an_archived_split(draft: Benchmark, tmp_path: Path) -> None:
    run("archive", "fanoutqa", "--split", "test")
    with pytest.raises(CommandError, match="is archived: it accepts no further submissions"):
        call_command("import_submissions", str(tmp_path), "--benchmark", "fanoutqa", "--split", "test", "--dry-run")


def test_a_draft_is_not_archived(draft: Benchmark) -> None:
    with pytest.raises(CommandError, match="a draft cannot be archived"):
        run("archive", SLUG)


# --- Removal ---------------------------------------------------------------------------------------------------------


def confirmed(client: Client, slug: str) -> dict[str, str]:
    """The form that confirms a removal as it is shown now."""
    shown = client.get(PAGE, {"remove": slug}).context["removal"]
    return {"action": "remove", "split": slug, "shown": shown.fingerprint}


@pytest.mark.parametrize("slug", ["", "test"])
def test_a_removal_that_would_delete_other_things_than_were_shown_is_shown_again(
    draft: Benchmark, client: Client, slug: str
) -> None:
    run("publish", SLUG)
    write_marked()
    client.force_login(factories.maintainer())
    form = confirmed(client, slug)
    # As many rows as before, but another one.
    entry = Entry.objects.get(split=split())
    Entry.objects.filter(pk=entry.pk).delete()
    entry.pk = None
    entry.save(force_insert=True)
    for outdated in (form, {**form, "shown": ""}, {"action": "remove", "split": slug}):
        again = client.post(PAGE, outdated, follow=True)
        assert benchmark_phases.CHANGED in str(notices(again))
        assert again.context["removal"].fingerprint != form["shown"]
        assert Split.with_drafts.filter(benchmark__slug=SLUG).count() == 2
    client.post(PAGE, confirmed(client, slug))
    assert Split.with_drafts.filter(benchmark__slug=SLUG).count() == (1 if slug else 0)


def test_questions_that_change_after_a_removal_was_shown_are_shown_before_they_are_removed(
    draft: Benchmark, client: Client
) -> None:
    client.force_login(factories.maintainer())
    form = confirmed(client, "dev")
    files = template(SLUG)
    files["questions/dev.jsonl"] = files["questions/dev.jsonl"].replace(b"Oslo", b"Bergen")
    toml = files["benchmark.toml"].decode().replace("date = 2026-01-01", "date = 2026-02-01", 1)
    import_declaration(read_declaration(files | {"benchmark.toml": toml.encode()}))
    assert benchmark_phases.CHANGED in str(notices(client.post(PAGE, form, follow=True)))
    assert split("dev").current_revision is not None


def test_a_removal_is_shown_before_and_deletes_what_belongs_to_nobody(draft: Benchmark, client: Client) -> None:
    run("publish", SLUG)
    write_marked()
    preview = run("remove", SLUG, "--dry-run")
    assert (
        "Removes Capitals, development and Capitals, test, and the benchmark: 10 questions, 1 reported rows" in preview
    )
    assert Benchmark.objects.filter(slug=SLUG).exists()
    client.force_login(factories.maintainer())
    assert "10 questions" in client.get(f"{PAGE}?remove=").content.decode()
    text = str(notices(client.post(PAGE, confirmed(client, "dev"), follow=True)))
    assert "Removed: Capitals, development." in text
    assert list(Split.with_drafts.filter(benchmark__slug=SLUG).values_list("slug", flat=True)) == ["test"]
    run("remove", SLUG)
    for left in (Benchmark.objects.filter(slug=SLUG), Setting.objects.filter(benchmark__slug=SLUG)):
        assert not left.exists()
    assert not Question.objects.filter(revision__split__benchmark__slug=SLUG).exists()
    assert not DeclaredFolder.objects.exists()
    assert not System.objects.filter(name="Baseline").exists()
    assert Client().get("/").status_code == 200


def test_what_somebody_sent_keeps_its_split(draft: Benchmark, client: Client) -> None:
    run("publish", SLUG)
    sent(factories.user(), "dev")
    with pytest.raises(CommandError, match=r"cannot be removed, because of 1 submission.*It can be archived"):
        run("remove", SLUG, "--split", "dev")
    client.force_login(factories.maintainer())
    refused = client.post(PAGE, confirmed(client, "dev"), follow=True)
    assert "1 submission" in str(notices(refused))
    assert split("dev").current_revision is not None
    run("remove", SLUG, "--split", "test")


def test_a_study_keeps_its_split(draft: Benchmark) -> None:
    run("publish", SLUG)
    made = factories.study(factories.maintainer(), factories.split(Benchmark.objects.get(slug="fanoutqa"), "dev"))
    Study.objects.filter(pk=made.pk).update(split=split("dev"), setting=factories.setting(draft, "closed-book"))
    with pytest.raises(CommandError, match="because of 1 study"):
        run("remove", SLUG, "--split", "dev")


def test_a_folder_without_a_split_removes_it_while_nobody_has_submitted(
    draft: Benchmark, client: Client, tmp_path: Path
) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as written:
        for name, content in without_dev().items():
            written.writestr(name, content)
    client.force_login(factories.maintainer())
    upload = {"archive": SimpleUploadedFile("capitals.zip", archive.getvalue())}
    shown = client.post("/maintenance/benchmarks/", upload, follow=True)
    assert "splits.dev: removed" in shown.content.decode()
    assert Split.with_drafts.filter(benchmark=draft, slug="dev").exists(), "only a preview"
    fields = {"shown": shown.context["shown"], "action": "import"}
    client.post(shown.redirect_chain[-1][0], fields)
    assert not Split.with_drafts.filter(benchmark=draft, slug="dev").exists()


def test_a_folder_without_a_split_with_submissions_is_refused(draft: Benchmark, tmp_path: Path) -> None:
    run("publish", SLUG)
    sent(factories.user(), "dev")
    with pytest.raises(
        CommandError, match=r"splits\.dev: found nothing, expected this table, because it has 1 submission"
    ):
        run("import", folder_of(without_dev(), tmp_path / SLUG))
    assert split("dev").phase == SplitPhase.OPEN


def test_unknown_names_are_answered_with_the_known_ones(draft: Benchmark) -> None:
    with pytest.raises(CommandError, match=r"There is no benchmark 'capitol'. Those of the site: fanoutqa, capitals"):
        run("publish", "capitol")
    with pytest.raises(CommandError, match=r"Capitals has no split 'train'. Its splits: dev, test"):
        run("publish", SLUG, "--split", "train")


# --- Dates -----------------------------------------------------------------------------------------------------------


def test_changed_questions_need_a_date_of_their_own(draft: Benchmark) -> None:
    files = template(SLUG)
    files["questions/dev.jsonl"] = files["questions/dev.jsonl"].replace(b"Oslo", b"Bergen")
    with pytest.raises(SourceError) as error:
        import_declaration(read_declaration(files))
    [problem] = error.value.problems
    assert problem.startswith("benchmark.toml: splits.dev.date: found 2026-01-01, the date of the earlier questions")
    toml = files["benchmark.toml"].decode().replace("date = 2026-01-01", "date = 2026-02-01", 1)
    done = import_declaration(read_declaration(files | {"benchmark.toml": toml.encode()}))
    assert {one.slug: imported.created for one, imported in done.splits} == {"dev": True, "test": False}
