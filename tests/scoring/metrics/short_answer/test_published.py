"""Exact match, token F1 and inclusion. Expected numbers follow from the published definitions, worked out by hand."""

import pytest

from scoring.metrics.short_answer import exact_match, inclusion_recall, token_f1


@pytest.mark.parametrize(
    ("prediction", "answer"),
    [("The Aby Bridge!", "aby bridge"), ("A.B. Dahl", "ab dahl"), ("don't", "dont"), ("  an  old\tone ", "Old one")],
)
def test_case_punctuation_and_articles_do_not_matter(prediction: str, answer: str) -> None:
    assert exact_match(prediction, [answer]) == 1
    assert token_f1(prediction, [answer]).f1 == 1.0


@pytest.mark.parametrize(("prediction", "answer"), [("1843–1850", "1843-1850"), ("Bodo", "Bodø"), ("1,500", "1 500")])
def test_signs_beyond_ascii_and_thousands_are_not_normalised(prediction: str, answer: str) -> None:
    assert exact_match(prediction, [answer]) == 0


def test_the_answer_with_the_greatest_f1_counts_with_its_precision_and_recall() -> None:
    overlap = token_f1("old bridge in Aby", ["Aby", "old stone bridge"])
    assert (overlap.precision, overlap.recall) == (2 / 4, 2 / 3)
    assert overlap.f1 == (2 * (2 / 4) * (2 / 3)) / (2 / 4 + 2 / 3)


def test_repeated_tokens_count_as_often_as_both_texts_have_them() -> None:
    overlap = token_f1("row row row", ["row row boat"])
    assert (overlap.precision, overlap.recall) == (2 / 3, 2 / 3)


def test_two_texts_without_a_token_match_but_have_an_f1_of_0_in_squad_1() -> None:
    assert exact_match("the", ["!"]) == 1
    assert token_f1("the", ["!"]).f1 == 0.0


def test_squad_2_leaves_out_answers_without_a_token_and_takes_the_empty_answer_if_none_is_left() -> None:
    assert (exact_match("", [], "squad2"), token_f1("", [], "squad2").f1) == (1, 1.0)
    assert (exact_match("the", ["..."], "squad2"), token_f1("the", ["..."], "squad2").f1) == (1, 1.0)
    assert (exact_match("", ["", "Aby"], "squad2"), token_f1("", ["", "Aby"], "squad2").f1) == (0, 0.0)
    assert (exact_match("Aby", [], "squad2"), token_f1("Aby", [], "squad2").f1) == (0, 0.0)


@pytest.mark.parametrize(
    ("prediction", "answer"), [("yes it was", "yes"), ("no", "no bridge"), ("noanswer", "answer no")]
)
def test_with_hotpotqa_a_closed_answer_shares_nothing_with_a_longer_one(prediction: str, answer: str) -> None:
    assert token_f1(prediction, [answer], "hotpotqa").f1 == 0.0
    assert token_f1(prediction, [prediction], "hotpotqa").f1 == 1.0


def test_with_hotpotqa_each_number_is_the_greatest_by_itself() -> None:
    overlap = token_f1("old bridge in Aby", ["Aby", "old stone bridge"], "hotpotqa")
    assert (overlap.precision, overlap.recall) == (2 / 4, 1.0)


@pytest.mark.parametrize("rules", ["squad", "hotpotqa"])
def test_a_question_without_answers_has_no_score_but_in_squad_2(rules: str) -> None:
    with pytest.raises(ValueError, match="no accepted answer"):
        exact_match("Aby", [], rules)  # type: ignore[arg-type]


def test_unknown_rules_are_named_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match="found 'squad3', expected one of squad, squad2, hotpotqa"):
        token_f1("Aby", ["Aby"], "squad3")  # type: ignore[arg-type]


def test_a_set_is_included_if_one_of_its_answers_is_part_of_the_text_within_words_too() -> None:
    inclusion = inclusion_recall("The Abyans built it in 1843.", [["Aby"], ["1850", "1843"], ["Dahl"]])
    assert (inclusion.recall, inclusion.all_found) == (2 / 3, False)
    assert inclusion_recall("Aby, 1843", [["Aby"], ["1843"]]).all_found


@pytest.mark.parametrize("answer_sets", [[], [["Aby", "the"]], [["..."]]])
def test_what_every_text_would_include_is_refused(answer_sets: list[list[str]]) -> None:
    with pytest.raises(ValueError, match=r"undefined|every text includes it"):
        inclusion_recall("Aby", answer_sets)
