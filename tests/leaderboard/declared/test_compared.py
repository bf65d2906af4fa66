"""A benchmark whose answers are compared side by side: every place that reads references does without them."""

import pytest
from django.test import Client

from humaneval.grading.queries import gradable_splits
from humaneval.studies.drawing import practice_question_of
from leaderboard.models import EntryKind
from scoring.models import Reference, Revision, Run, Setting, Split
from scoring.queries import references_of
from scoring.registry import task_type_of
from scoring.runs.answer_sets import NO_REFERENCES
from tests import boards, compared_site, factories

pytestmark = pytest.mark.django_db
WHERE = f"benchmark={compared_site.SLUG}&split=dev&setting=closed-book"


def site() -> Split:
    return factories.split(compared_site.declare(), "dev")


def test_submissions_wait_for_no_references() -> None:
    split = site()
    assert list(Revision.objects.values_list("has_references", flat=True)) == [True, True]
    assert not Reference.objects.exists()
    assert split.current_revision is not None
    assert references_of(split.current_revision) == ["", "", ""]
    factories.submission(factories.user("ada"), split, {"closed-book": {"dev-0": "# Because", "dev-1": "Why not"}})
    run = Run.objects.get()
    assert (run.metric, run.reason == NO_REFERENCES) == ("side-by-side", False)


def test_nothing_is_graded() -> None:
    split = site()
    assert not gradable_splits().filter(benchmark=split.benchmark).exists()
    assert task_type_of(split.benchmark.slug).outcomes is None


def test_a_study_has_no_practice_question() -> None:
    split = site()
    Setting.objects.filter(benchmark=split.benchmark, slug="open-book").update(slug="openbook")
    assert practice_question_of(factories.study(factories.maintainer(), split)) is None


def test_every_page_does_without_references(client: Client) -> None:
    split = site()
    setting = Setting.objects.get(benchmark=split.benchmark, slug="closed-book")
    first, second = boards.fill(split, setting, 2)
    boards.write()
    slug = compared_site.SLUG
    pages = [
        f"/{slug}/dev/closed-book/",
        f"/{slug}/test/closed-book/",
        f"/{slug}/data-card/",
        f"/check/?benchmark={slug}",
    ]
    pages += [f"/how-to-submit/?benchmark={slug}", f"/definitions/?benchmark={slug}", first.system.get_absolute_url()]
    pages += [f"/compare/?{WHERE}&system={first.system.slug}&system={second.system.slug}"]
    pages += [f"/api/v1/benchmarks/{slug}/splits/dev/", f"/{slug}/dev/closed-book/pictures/"]
    for page in pages:
        assert client.get(page).status_code == 200, page
    assert first.kind == EntryKind.SCORED
    assert client.get(f"/systems/{first.system.slug}/questions/?{WHERE}").status_code == 404


def test_maintainers_see_that_none_are_needed(client: Client) -> None:
    split = site()
    client.force_login(factories.maintainer())
    for page in ("/maintenance/", f"/maintenance/{split.benchmark.slug}/{split.slug}/import/"):
        assert "not needed" in client.get(page).content.decode(), page
