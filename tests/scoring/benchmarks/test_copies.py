"""What copies of the reference answers score, as a check and each import say it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from leaderboard.maintenance.benchmark_imports import import_reported
from scoring.benchmarks import copies, packaged_definitions
from scoring.benchmarks.base import SourceQuestion
from scoring.benchmarks.copies import TRIED, lost_scores
from scoring.benchmarks.declared.reading import read_declaration
from scoring.benchmarks.declared.template import KINDS, template
from scoring.benchmarks.declared.warnings import warnings_of_declaration
from scoring.importing.declared import import_declaration
from scoring.metrics.answer_lists import mean_vector
from scoring.metrics.rouge import PARTS, Rouge
from scoring.models import Revision
from scoring.task_types import known_metrics
from tests import factories


def with_misread(split: str) -> dict[str, bytes]:
    """The template, with a reference answer of one question that string accuracy cannot find in its own copy."""
    files = template("capitals")
    name = f"questions/{split}.jsonl"
    lines = [json.loads(line) for line in files[name].splitlines()]
    lines[1]["answer"] = "(secret place)"
    return files | {name: "\n".join(map(json.dumps, lines)).encode()}


def test_a_single_word_has_no_pairs_of_words_and_the_templates_lose_nothing_else() -> None:
    for kind in KINDS:
        definition = read_declaration(template("capitals", kind)).definition
        for split in definition.packaged().values():
            lost = [set(lost.values) for lost in lost_scores(definition, split.source.questions)]
            assert lost == [{f"rouge2.{part}" for part in PARTS}] * (kind == KINDS[0])


@pytest.mark.parametrize("split", ["dev", "test"])
def test_a_check_names_the_questions_whose_answers_a_metric_misreads(split: str) -> None:
    definition = read_declaration(with_misread(split)).definition
    named = [warning for warning in warnings_of_declaration(definition) if warning.startswith(f"{split}: ")]
    assert [warning for warning in named if "oose" in warning and f"({split}-2)" in warning]
    assert not any("secret" in warning for warning in named)


def with_gold(task_type: str, answers: list[Any]) -> list[copies.LostScore]:
    """What copies of these reference answers lose, in the development split of the template."""
    files = template("capitals", task_type)
    lines = [{"id": f"q-{number}", "question": f"Which {number}?", "answer": one} for number, one in enumerate(answers)]
    files |= {"questions/dev.jsonl": "\n".join(map(json.dumps, lines)).encode()}
    definition = read_declaration(files).definition
    return list(lost_scores(definition, definition.packaged()["dev"].source.questions))


@pytest.mark.parametrize(
    ("task_type", "answer", "entries"),
    [
        ("answer-list", [{"answer_text": "Nairobi", "aliases": ["Nairobi City"]}], [1]),
        ("answer-list", ["Bern", {"answer_text": "Lima", "aliases": []}], [2]),
        ("answer-list", [["Cary G."], ["Ann B."], ["Cary G."]], [3]),
        ("text-answer", ["Oslo", "(secret place)", "Rome"], [2]),
        ("text-answer", {"a": "Oslo", "b": "(secret place)"}, [2]),
    ],
)
def test_the_entries_of_a_reference_that_no_answer_can_win_are_named(
    task_type: str, answer: Any, entries: list[int]
) -> None:
    explained = {"answer-list": "list-f1", "text-answer": "accuracy"}[task_type]
    lost = [one for one in with_gold(task_type, [["fine"], answer]) if one.metric == explained]
    assert {one.n_lost for one in lost} == {1}
    assert [one.entries["q-1"] for one in lost] == [entries] * len(lost)
    assert all(f"q-1: {'entry' if len(entries) == 1 else 'entries'} {entries[0]}" in str(one) for one in lost)


def test_a_doubtful_entry_is_tried_however_large_the_split_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "TRIED", 2)
    answers: list[Any] = [["fine"]] * 6 + [[["Twice"], ["Twice"]]] + [["fine"]] * 3
    lost = with_gold("answer-list", answers)
    assert {(one.n_questions, tuple(one.qids)) for one in lost} == {(3, ("q-6",))}


def test_the_published_ceiling_of_string_accuracy_is_found_again() -> None:
    definition = packaged_definitions()["fanoutqa"]
    lost = {lost.metric: lost for lost in lost_scores(definition, definition.packaged()["dev"].source.questions)}
    accuracy = lost["accuracy"]
    assert accuracy.n_questions == 310
    assert 0.97 < accuracy.values["loose"] < 0.99 and 0.9 < accuracy.values["strict"] < 0.93
    assert accuracy.n_lost == round((1 - accuracy.values["strict"]) * 310) == len(accuracy.qids)


def test_of_a_large_split_questions_are_tried_that_are_spread_evenly() -> None:
    definition = read_declaration(template("capitals")).definition
    definition = replace(definition, metrics=("rouge",))
    questions = [SourceQuestion(f"q-{number}", "?", (), (), answer="…") for number in range(2 * TRIED)]
    (first, *_) = lost_scores(definition, questions)
    assert (first.n_questions, first.n_lost, first.qids[:2]) == (TRIED, TRIED, ["q-0", "q-2"])


@pytest.mark.parametrize(("unit", "reason"), [(1, ""), (100, "shares"), (-1, "shares"), (0, "ZeroDivisionError")])
def test_a_metric_of_a_package_whose_scores_are_no_shares_is_named(
    unit: int, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Exact(Rouge):
        name, package, score_names = "exact", "made-up:1.0", ("exact",)

        def score(self, prepared: Any, generations: Any, *_: Any) -> Any:
            found = [float(one is not None) / (1 / unit) for one in generations]
            return {"exact": mean_vector(found)}

    monkeypatch.setattr(copies, "known_metrics", lambda: {**known_metrics(), "exact": Exact})
    definition = replace(read_declaration(template("capitals")).definition, metrics=("accuracy", "exact"))
    lost = list(lost_scores(definition, definition.packaged()["dev"].source.questions))
    assert len(lost) == bool(reason)
    assert all(reason in str(one) and "exact" in str(one) for one in lost)


@pytest.mark.django_db
@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_data_card_shows_them_to_everybody_only_for_an_open_split(split: str, client: Client) -> None:
    declaration = read_declaration(with_misread(split))
    done = import_declaration(declaration)
    import_reported(done.benchmark, declaration, actor="")
    (imported,) = (imported for of, imported in done.splits if of.slug == split)
    assert {"accuracy": [f"{split}-2"]}.items() <= {lost.metric: lost.qids for lost in imported.lost}.items()
    assert Revision.objects.get(pk=imported.revision.pk).lost_scores

    def lost() -> dict[str, int]:
        splits = client.get("/capitals/data-card/").context["splits"]
        return {facts["slug"]: len(facts["lost"]) for facts in splits if len(facts["lost"]) > 1}

    everybody = lost()
    client.force_login(factories.maintainer())
    assert lost() == {split: len(imported.lost)}
    assert everybody == ({} if split == "test" else lost())
    assert "secret" not in client.get("/capitals/data-card/").content.decode()
