"""Clusters of questions: naming them computes statistics again, and scores nothing again."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.test import Client

from leaderboard.board import standings
from leaderboard.models import Entry, Standing
from leaderboard.pages.data_card import splits_facts
from leaderboard.systems.comparison.human_baseline import against_people
from scoring.benchmarks.declared.template import template
from scoring.importing.revisions import RevisionDiff, import_split, plan_split, source_of
from scoring.models import Benchmark, Revision, Run, Score, Setting, Split
from scoring.queries import items_to_score
from scoring.runs import intervals
from scoring.statistics import mean_interval, paired_differences, rank_sets, system_against_people
from tests import boards, factories
from tests.leaderboard.declared import declared_site
from tests.leaderboard.systems.comparison.test_comparison import compared, people, section, vector

pytestmark = pytest.mark.django_db
N_QUESTIONS, N_CLUSTERS = 30, 6
CLUSTERS = [number % N_CLUSTERS for number in range(N_QUESTIONS)]
PLACE = {"split": "dev", "setting": "closed-book", "benchmark": declared_site.SLUG}


def declare(key: str = "", clusters: list[int] = CLUSTERS) -> Benchmark:
    """The benchmark of the template with more questions, and with this key for their clusters."""
    questions = [
        {"id": f"dev-{number}", "question": f"Which city is number {number}?", "answer": f"City {number}", "city": name}
        for number, name in enumerate(clusters)
    ]
    files = template(declared_site.SLUG)
    others = [json.loads(line) | {"city": 0} for line in files["questions/test.jsonl"].splitlines()]
    return declared_site.declare(
        **{
            "benchmark_toml": (f'cluster = "{key}"\n' if key else "") + files["benchmark.toml"].decode(),
            "questions/dev_jsonl": "\n".join(map(json.dumps, questions)),
            "questions/test_jsonl": "\n".join(map(json.dumps, others)),
        }
    )


@pytest.fixture
def place() -> tuple[Split, Setting]:
    made = declare()
    found = factories.split(made, "dev"), factories.setting(made, "closed-book")
    boards.fill(*found, 4)
    standings.refresh(*found)
    intervals.fill()
    return found


def scored() -> list[tuple[Any, ...]]:
    """Everything about scores but their intervals."""
    runs = Run.objects.order_by("pk").values_list("pk", "state", "signature", "finished_at")
    scores = Score.objects.order_by("pk").values_list("pk", "value", "vector", "signature", "created_at")
    return [*runs, *((*row[:2], bytes(row[2]), *row[3:]) for row in scores)]


def shown() -> list[tuple[Any, ...]]:
    """Intervals and ranks."""
    ends = Score.objects.order_by("pk").values_list("pk", "low", "high")
    return [*ends, *Standing.objects.order_by("entry", "name").values_list("entry", "name", "best_rank", "worst_rank")]


def test_naming_clusters_computes_statistics_again_and_scores_nothing_again(place: tuple[Split, Setting]) -> None:
    before, without = scored(), shown()
    revisions = list(Revision.objects.order_by("pk").values_list("pk", "content_hash", "questions_hash"))
    assert standings.refresh(*place) is False
    declare("city")
    assert standings.refresh(*place) is True
    intervals.fill()
    assert scored() == before
    assert list(Revision.objects.order_by("pk").values_list("pk", "content_hash", "questions_hash")) == revisions
    loose = list(Score.objects.filter(name="loose").order_by("pk"))
    for score in loose:
        ends = mean_interval(score.per_item, CLUSTERS)
        assert (score.low, score.high) == pytest.approx((ends.low, ends.high))
    standing = Standing.objects.filter(name="loose").order_by("entry__answer_set__runs__scores__pk")
    expected = rank_sets(np.stack([score.per_item for score in loose]), clusters=CLUSTERS)
    by_entry = {row.entry_id: (row.best_rank, row.worst_rank) for row in standing}
    entries = [Entry.objects.get(answer_set__runs__scores=score).pk for score in loose]
    assert [by_entry[entry] for entry in entries] == expected
    named = shown()
    assert named != without
    assert standings.refresh(*place) is False, "nothing has changed since"

    declare("city", [number % 2 for number in CLUSTERS])
    standings.refresh(*place)
    assert shown() != named, "the same key with other values"
    declare()
    standings.refresh(*place)
    intervals.fill()
    assert scored() == before
    assert shown() == without


def test_an_import_says_that_clusters_change(place: tuple[Split, Setting]) -> None:
    split = place[0]
    split.refresh_from_db()
    assert split.current_revision is not None
    questions = source_of(split.current_revision)
    again = [replace(question, cluster="one") for question in questions[:3]] + questions[3:]
    date = split.current_revision.date
    plan = plan_split(split, again, date=date)
    assert (plan.changes_clusters, plan.changes_nothing, plan.becomes_current) == (True, False, False)
    imported = import_split(split, again, date=date, note="")
    assert (imported.changed, imported.created, imported.becomes_current) == (True, False, False)
    assert imported.diff == RevisionDiff(clusters_changed=("dev-0", "dev-1", "dev-2"))
    assert plan_split(split, again, date=date).changes_nothing
    assert Revision.objects.get(split=split).clusters[:4] == ("one", "one", "one", "\tdev-3")  # type: ignore[index]


def test_differences_and_categories_use_clusters(place: tuple[Split, Setting]) -> None:
    before = compared("system-1", "system-2", **PLACE)
    assert section(before, "loose").differences.differences[0].n_items == N_QUESTIONS
    declare("city")
    comparison = compared("system-1", "system-2", **PLACE)
    rows = np.stack([vector(slug, "loose") for slug in ("system-1", "system-2")])
    expected = paired_differences(rows, clusters=CLUSTERS)
    (found,) = section(comparison, "loose").differences.differences
    assert (found.low, found.high) == pytest.approx((expected.interval.low.item(), expected.interval.high.item()))
    assert found.low != section(before, "loose").differences.differences[0].low


def test_people_are_compared_by_the_clusters_of_their_questions(place: tuple[Split, Setting]) -> None:
    entry = people(*place, 5).entries.get()
    assert entry.answer_set is not None
    declare("city")
    assert place[0].current_revision is not None
    place[0].current_revision.refresh_from_db()
    items = items_to_score(entry.answer_set, place[0].current_revision)
    asked = [str(CLUSTERS[at]) for at in items.places]
    assert items.families == tuple(asked)
    intervals.fill()
    own = Score.objects.get(run__answer_set=entry.answer_set)
    ends = mean_interval(own.per_item, (items.participants or (), asked))
    assert (own.low, own.high) == pytest.approx((ends.low, ends.high))
    outcomes = vector("system-1", "loose")[list(items.places)]
    expected = system_against_people(outcomes, own.per_item, asked, items.participants or ())
    assert expected is not None
    (found,) = section(compared("system-1", "people", **PLACE), "loose").differences.differences
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    first = next(apart for row, _, apart in against_people(entry, "loose")["rows"] if row.system.name == "System 1")
    assert (first.low, first.high) == (found.low, found.high)


def test_the_data_card_gives_the_number_of_clusters(place: tuple[Split, Setting], client: Client) -> None:
    made = place[0].benchmark
    assert [facts["contents"].n_clusters for facts in splits_facts(made, Split.objects.all())] == [0, 0]
    page = client.get("/capitals/data-card/").content.decode()
    declare("city")
    assert {facts["slug"]: facts["contents"].n_clusters for facts in splits_facts(made, Split.objects.all())}[
        "dev"
    ] == N_CLUSTERS
    assert len(client.get("/capitals/data-card/").content.decode()) > len(page)
