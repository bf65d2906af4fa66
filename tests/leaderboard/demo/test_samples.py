"""The demo's second benchmark: a declared folder, made from open questions, with two scored systems."""

from collections.abc import Iterator

import pytest
from django.conf import settings
from django.core.management import call_command

from leaderboard.board import standings
from leaderboard.board.benchmarks import benchmark_cards
from leaderboard.demo import content, samples
from leaderboard.models import Entry
from scoring import declarations
from scoring.models import Question, Split
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def source() -> Iterator[Split]:
    """The packaged open split, imported."""
    call_command("import_benchmark", "fanoutqa", verbosity=0)
    declarations.clear()
    yield Split.objects.select_related("benchmark").get(hidden=False)
    declarations.clear()


def test_two_systems_are_scored_and_the_home_page_lists_both_benchmarks(source: Split) -> None:
    samples.load_sample(settings.DATA_DIR, source)
    sample = Split.objects.get(benchmark__slug=samples.SLUG)
    questions = Question.objects.filter(revision=sample.current_revision)
    assert questions.count() == len(samples.sample_questions(source)) > 100
    assert not sample.hidden

    owner = factories.user("ada")
    submitted = content.submit_samples(owner, source)
    assert [one.name for one in submitted] == list(samples.SYSTEMS)
    for submission in submitted:
        factories.score(submission)
        assert content.publish_if_new(submission)
    standings.refresh_stale()
    assert Entry.objects.filter(split=sample).count() == len(samples.SYSTEMS)
    card = next(card for card in benchmark_cards() if card.board.benchmark["slug"] == samples.SLUG)
    values = [system.cell.value for system in card.systems]
    assert values == sorted(values, reverse=True)  # type: ignore[type-var]
    assert all(0 < value < 1 for value in values)  # type: ignore[operator]

    samples.load_sample(settings.DATA_DIR, source)
    assert content.submit_samples(owner, source) == [], "they are submitted once"


def test_a_hidden_split_gives_no_sample(source: Split) -> None:
    source.hidden = True
    assert samples.sample_questions(source) == []
