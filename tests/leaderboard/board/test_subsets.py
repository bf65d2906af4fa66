"""A subset of a split with reference answers of its own: scored apart, beside the split's columns, re-scored alone."""

import datetime
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from leaderboard.disclosure import NOT_DISCLOSED, DisclosureRule
from leaderboard.maintenance import rescoring
from leaderboard.models import Submission, User
from leaderboard.publishing.reported_rows import import_published
from leaderboard.systems.comparison.rows import ComparedRows
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import SourceError, SourceQuestion
from scoring.importing import revisions
from scoring.metrics.answer_lists import text_of
from scoring.metrics.list_f1 import ListF1
from scoring.models import SCORE_KEY, Benchmark, Question, Score, Split
from scoring.queries import current_signatures, target_signatures
from tests import boards, factories

pytestmark = pytest.mark.django_db

LATER = datetime.date(2024, 2, 2)
KEYS = [f"list-f1.{part}@extended" for part in ("f1", "f1_above", "recall", "rec_above", "precision")]
BOARD = "/qampari/test/openbook/"


def added(*names: str, n: int = 3) -> list[SourceQuestion]:
    """The first questions of the test split, with further gold answers."""
    more = [{"answer_text": name, "aliases": [name]} for name in names]
    return [replace(one, answer=[*one.answer, *more]) for one in factories.list_questions("test", 4)[:n]]


def extend(made: Benchmark, questions: Sequence[SourceQuestion], date: datetime.date = factories.DATE) -> Any:
    return factories.revise(Split.every.get(benchmark=made, slug="extended"), questions, date)


@pytest.fixture
def made() -> Benchmark:
    return factories.list_benchmark()


@pytest.fixture
def sent(made: Benchmark) -> Submission:
    """A published submission, scored on the split and on its subset."""
    extend(made, added("Atlantis"))
    answers = {"openbook": factories.list_answers("test")}
    return factories.published(factories.user(), factories.split(made, "test"), answers)


def scores_on_subset(sent: Submission) -> dict[str, Score]:
    """The newest scores of List F1 on the subset, by name."""
    of_file = Score.objects.filter(run__answer_set=sent.files.get().answer_set)
    found = of_file.filter(run__metric="list-f1", run__subset="extended").select_related("run")
    return {score.key: score for score in found.order_by("pk")}


def expected(questions: Sequence[SourceQuestion]) -> dict[str, Any]:
    """The scores of `factories.list_answers`, computed without a site."""
    answers = factories.list_answers("test")
    metric = ListF1()
    return dict(
        metric.score(
            metric.prepare([one.answer for one in questions]), [text_of(answers[one.qid]) for one in questions]
        )
    )


def test_scores_on_a_subset_are_those_of_its_questions_and_answers(sent: Submission) -> None:
    direct, stored = expected(added("Atlantis")), scores_on_subset(sent)
    assert {f"{name}@extended" for name in direct} == stored.keys() == set(KEYS)
    for name, vector in direct.items():
        assert stored[f"{name}@extended"].per_item.tolist() == vector.per_item.tolist()
        assert stored[f"{name}@extended"].value == vector.value
    on_split = Score.objects.get(run__answer_set=sent.files.get().answer_set, run__subset="", name="list-f1.precision")
    assert (stored[KEYS[4]].n_items, on_split.n_items) == (3, 4)
    assert stored[KEYS[4]].value > on_split.value, "the added answer counts on the subset alone"
    assert "|data:extended@" in stored[KEYS[0]].signature
    assert "|data:test@" in on_split.signature


def test_a_board_shows_the_subset_beside_the_split(sent: Submission, client: Client) -> None:
    boards.refresh()
    page = client.get(BOARD).content.decode()
    assert "ExtendedSet (3 questions)" in page
    shown = client.get(f"{BOARD}export.json").json()
    assert [one["key"] for one in shown["columns"]] == [*(key.removesuffix("@extended") for key in KEYS), *KEYS]
    assert {one["group"] for one in shown["columns"]} == {"List F1", "ExtendedSet (3 questions)"}
    assert [(one["slug"], one["n_questions"]) for one in shown["subsets"]] == [("extended", 3)]
    assert len(shown["revisions"]) == 1 and shown["newer_revision"] is None
    (row,) = shown["rows"]
    assert row["n_questions"] == 4
    cell = row["cells"][KEYS[0]]
    assert (cell["state"], cell["rank"]) == ("scored", 1)
    assert cell["value"] == scores_on_subset(sent)[KEYS[0]].value
    assert cell["low"] < cell["value"] <= cell["high"]
    signatures = {one["key"]: one["signature"] for one in shown["columns"]}
    assert "|data:extended@" in signatures[KEYS[0]] and "|data:test@" in signatures["list-f1.f1"]
    in_api = client.get("/api/v1/board/?benchmark=qampari&split=test&setting=openbook").json()["signatures"]
    assert {one["metric"]: one["signature"] for one in shown["columns"]}.items() <= in_api.items()
    ranked = client.get(f"{BOARD}export.json?sort=-{KEYS[0]}&columns={KEYS[0]}").json()
    assert ranked["asked"]["ranked_by"] == KEYS[0]
    assert KEYS[0] in client.get(f"{BOARD}export.csv").content.decode()
    assert (
        client.get(f"{BOARD}export.tex").status_code
        == client.get(f"{BOARD}pictures/?column={KEYS[0]}").status_code
        == 200
    )


@pytest.mark.slow
def test_a_comparison_has_the_scores_on_the_subset(made: Benchmark, sent: Submission, client: Client) -> None:
    split = factories.split(made, "test")
    other = {"openbook": factories.list_answers("test", right=2)}
    factories.published(User.objects.get(), split, other, name="Other system")
    address = f"/compare/?system=other-system&system=example-system&benchmark={made.slug}&split=test&setting=openbook"
    shown = client.get(f"{address}&score={KEYS[0]}").context["comparison"]
    sections = {one.column.key: one for one in shown.sections}
    assert [key for key in sections if "@" in key] == KEYS
    assert (shown.current.column.key, shown.questions) == (KEYS[0], [])
    scores = Score.objects.annotate(column_key=SCORE_KEY).filter(column_key=KEYS[0])
    values = {one.run.answer_set.board_entry.system.slug: one.value for one in scores}
    (difference,) = sections[KEYS[0]].differences.differences
    assert difference.value == pytest.approx(values["other-system"] - values["example-system"])
    assert (difference.n_items, sections["list-f1.f1"].differences.differences[0].n_items) == (3, 4)
    assert client.get(f"{address}&score=list-f1.f1").context["comparison"].questions
    Split.every.update(hidden=True)
    columns = ComparedRows(Split.objects.get(pk=split.pk), factories.setting(made), [], []).columns
    assert columns and not [one for one in columns if "@" in one.key]


def test_reported_rows_have_the_published_scores_on_the_subset(made: Benchmark, client: Client) -> None:
    results = definition_of(made.slug).published_results
    assert results is not None
    import_published(made, results)
    for subset in (False, True):
        if subset:
            extend(made, added("Atlantis"))
        boards.write()
        rows = client.get(f"{BOARD}export.json?kind=reported").json()["rows"]
        values = {row["slug"]: row["cells"].get(KEYS[0], {}).get("value") for row in rows}
        assert {slug for slug, value in values.items() if value is not None} == {
            row.system for row in results.rows if subset and KEYS[0] in row.values
        }
    assert values["pig-bm25-trained-on-qampari-and-nq"] == 0.332


@pytest.mark.slow
def test_pages_of_a_submission_and_a_system_show_the_subset(sent: Submission, client: Client) -> None:
    boards.refresh()
    client.force_login(User.objects.get())
    for address in (sent.get_absolute_url(), "/systems/example-system/"):
        assert ", ExtendedSet" in client.get(address).content.decode(), address
    body = client.get(f"/api/v1/submissions/{sent.pk}/").json()
    assert KEYS[0] in str(body)


@pytest.mark.slow
def test_a_new_revision_of_the_subset_is_scored_again_alone(made: Benchmark, sent: Submission, client: Client) -> None:
    split = factories.split(made, "test")
    before = current_signatures(split)
    done = extend(made, added("Atlantis", "Oz"), LATER)
    assert done.becomes_current and done.diff.answers_changed == tuple(one.qid for one in added())
    pending = rescoring.pending_switches()
    own = {name for name in before if name.endswith("@extended") and not name.startswith("passage")}
    assert {plan.metric for one in pending for plan in one.plans} == own
    assert rescoring.make_missing_runs(split) == {name: int(name in own) for name in before}
    factories.score(sent)
    assert {one.column.label.rpartition(", ")[2] for one in rescoring.changes(split)} == {"ExtendedSet"}
    rescoring.switch(split)
    after = current_signatures(split)
    assert {name for name in after if after[name] != before[name]} == {*own, "passage-recall@extended"}
    assert after["list-f1@extended"] == target_signatures(split)["list-f1@extended"]
    boards.refresh()
    (row,) = client.get(f"{BOARD}export.json").json()["rows"]
    direct = expected(added("Atlantis", "Oz"))
    assert row["cells"][KEYS[2]]["value"] == direct["list-f1.recall"].value


def test_the_questions_of_a_subset_are_those_of_its_split(made: Benchmark) -> None:
    subset = Split.every.get(benchmark=made, slug="extended")
    with pytest.raises(SourceError, match="0__wikidata_simple__dev"):
        extend(made, [*added(), *factories.list_questions("dev", 1)])
    Split.every.update(hidden=True)
    subset.refresh_from_db()
    with pytest.raises(SourceError, match="3 of 4 questions"):
        revisions.plan_split(subset, added(), date=factories.DATE)
    assert revisions.plan_split(subset, added(n=4), date=factories.DATE).becomes_current


def test_a_subset_of_a_hidden_split_is_hidden(made: Benchmark) -> None:
    """Whatever its own row says: the split's questions are those of the subset."""
    for hidden in (True, False):
        Split.objects.filter(benchmark=made, slug="test").update(hidden=hidden)
        Split.every.filter(benchmark=made, slug="extended").update(hidden=not hidden)
        subset = Split.every.get(benchmark=made, slug="extended")
        assert subset.is_hidden is hidden
        assert DisclosureRule.of(subset).hidden is hidden
        question = replace(factories.list_questions("test", 1)[0], answer_categories=("Oslo",))
        (stored,) = revisions.in_split(subset, [question])
        assert ("Oslo" in stored.categories) is not hidden


def test_scores_that_a_hidden_split_does_not_show_are_not_shown_of_its_subset() -> None:
    rule = DisclosureRule.of_benchmark("qampari", hidden=True)
    assert rule.reason_withheld("list-f1.recall@extended", 100, 100) == NOT_DISCLOSED
    assert not rule.reason_withheld("list-f1.f1@extended", 100, 100)
    assert rule.reason_withheld("list-f1.f1@extended", 10, 100)


def test_a_maintainer_imports_a_subset_on_a_page_with_its_changes(made: Benchmark, client: Client) -> None:
    extend(made, added())
    client.force_login(factories.maintainer())
    listed = client.get("/maintenance/").content.decode()
    assert "/maintenance/qampari/extended/import/" in listed
    assert "/maintenance/qampari/extended/rescore/" not in listed
    page = client.get("/maintenance/qampari/extended/import/").content.decode()
    (rescoring,) = set(re.findall(r'href="(/[^"]+/rescore/)"', page))
    assert rescoring == "/maintenance/qampari/test/rescore/"
    assert client.get(rescoring).status_code == 200


def test_subsets_of_a_hidden_split_are_compared_with_those_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.benchmarks.subsets.SMALLEST_HIDDEN", 2)
    made = factories.list_benchmark(n_test=6)
    Split.every.update(hidden=True)
    whole = factories.split(made, "test")
    other = Split.every.create(benchmark=made, slug="other", name="Other", hidden=True, position=1, subset_of=whole)
    questions = factories.list_questions("test", 6)
    extend(made, questions[:2])
    for plan in (revisions.plan_split, factories.revise):
        with pytest.raises(SourceError) as refused:
            plan(other, questions[:3], date=LATER)
        assert all(said in str(refused.value) for said in ("extended (2)", "other (3)"))
    assert not Question.objects.filter(revision__split=other).exists()
    revisions.import_split(other, questions[:3], date=LATER, note="", one_of_several=True)
    with pytest.raises(SourceError):
        revisions.require_subsets_apart(made)
    Split.every.update(hidden=False)
    revisions.require_subsets_apart(made)
    Split.every.update(hidden=True)
    factories.revise(other, questions[:4], date=datetime.date(2024, 3, 3))
    revisions.require_subsets_apart(made)
