"""The metric of retrieved passages: as the command line computes it, from the evidence that an import stores."""

import json
from pathlib import Path

import pytest

from scoring.metrics.base import UnusableReference
from scoring.metrics.passage_recall import Passage, PassageRecall
from scoring.task_types.reference_files import read_gold_lists
from scoring.task_types.retrieval import retrieval_scores, signature

GOLD = [
    {
        "qid": f"{number}__wikidata_simple__test",
        "question_text": "Which?",
        "answer_list": [
            {
                "answer_text": f"City {index}",
                "aliases": [f"Town {index}"],
                "proof": [
                    {"proof_text": f"City {index} lies in a valley.", "found_in_url": f"https://e.org/wiki/P_{index}"}
                ],
            }
            for index in range(2 + number)
        ],
    }
    for number in range(3)
]
PASSAGES = [
    [Passage("p 0", "city 0 lies in a valley"), *[Passage("x", "y")] * 30, Passage("Q", "Here is City 1.")],
    [*[Passage("x", "y")] * 9, Passage("P 2", "In the North, City 2 lies in a valley."), Passage("x", "Town 0")],
    [],
]


def test_the_site_scores_as_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text("\n".join(map(json.dumps, GOLD)))
    references = read_gold_lists(path)
    means, questions, _ = retrieval_scores(references, dict(zip(references.ids, PASSAGES, strict=True)))
    metric = PassageRecall()
    found = metric.score(metric.prepare(references.answers), [json.dumps(one) for one in PASSAGES])
    assert set(found) == set(metric.score_names)
    for name, score in found.items():
        part, cutoff = name.split(".")
        assert score.value == pytest.approx(means[part][cutoff], abs=1e-15)
        values = [one[part] for one in questions]
        assert score.per_item.tolist() == [value[cutoff] for value in values if value is not None]
    assert found["arecall.10"].per_item.tolist() == [0, 1 / 3, 0]
    assert found["arecall-aliases.25"].per_item.tolist() == [0, 2 / 3, 0]
    assert found["erecall.10"].per_item.tolist() == [1 / 2, 1 / 3, 0]
    assert signature(references) == metric.signature(f"references@{references.fingerprint}")


def test_evidence_is_scored_only_if_every_question_has_some() -> None:
    metric = PassageRecall()
    gold = [one["answer_list"] for one in GOLD]
    bare = [[{"answer_text": "A", "aliases": []}]]
    found = metric.score(metric.prepare([*gold, *bare]), [None] * 4)  # type: ignore[list-item]
    assert {name.partition(".")[0] for name in found} == {"arecall", "arecall-aliases"}
    assert {score.value for score in found.values()} == {0.0}


@pytest.mark.parametrize("proof", ["text", [1], [{"proof_text": "A"}], [{"proof_text": 1, "found_in_url": "u"}], None])
def test_a_malformed_proof_is_no_evidence(proof: object) -> None:
    gold = [{"answer_text": "A", "aliases": [], "proof": proof}]
    ((_, evidence),) = PassageRecall().prepare([gold])  # type: ignore[list-item]
    assert evidence == ()


def test_references_that_are_no_lists_are_refused() -> None:
    with pytest.raises(UnusableReference):
        PassageRecall().prepare(["Oslo"])
