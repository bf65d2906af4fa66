"""The gallery lists every sample, and is no part of the product. `tests.e2e.test_gallery` opens each of them."""

from collections.abc import Callable

import pytest
from django.test import Client, override_settings
from django.urls import NoReverseMatch, Resolver404, resolve, reverse

from tests.gallery import settings as gallery
from tests.gallery.site import SamplePage, pages
from tests.gallery.site.submissions import submission, submission_lines
from tests.gallery.studies import pages as study_pages

Samples = Callable[[], dict[str, SamplePage]]
pytestmark = pytest.mark.django_db
in_gallery = override_settings(ROOT_URLCONF=gallery.ROOT_URLCONF, TEMPLATES=gallery.TEMPLATES)


@in_gallery
@pytest.mark.parametrize(("url", "samples"), [("/gallery/", pages), ("/gallery/studies/", study_pages)])
def test_the_gallery_lists_every_sample_and_shows_no_other(url: str, samples: Samples, client: Client) -> None:
    index = client.get(url).content.decode()
    assert [name for name in samples() if f'href="?page={name}"' not in index] == []
    assert client.get(url, {"page": "no-such-page"}).status_code == 404


@in_gallery
def test_the_sites_own_pages_are_beside_it(client: Client) -> None:
    assert client.get(reverse("about")).status_code == 200


def test_the_product_has_no_gallery() -> None:
    with pytest.raises(Resolver404):
        resolve("/gallery/studies/")
    with pytest.raises(NoReverseMatch):
        reverse("gallery")


@pytest.mark.parametrize("state", ["waiting", "running"])
def test_a_sample_sent_to_a_hidden_split_has_no_score_progress_or_time_before_all_results_are_shown(state: str) -> None:
    view = submission(state)
    assert view.split_hidden and view.seconds is None
    for run in view.files[0].runs:
        assert run.state in (state, "not_configured")
        assert (run.scores, run.done, run.total, run.percent, run.position) == ([], 0, 0, None, None)
        assert (run.seconds, run.started_at, run.finished_at, run.attempts) == (None, None, None, 0)
    assert [line.scores for line in submission_lines() if line.state == state] == [[]]
    assert any(run.done for run in submission("running", hidden=False).files[0].runs)
