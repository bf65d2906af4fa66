"""The ranking of systems that a judge compared two at a time."""

from typing import Any

import numpy as np
import pytest

from leaderboard.board.ranking.statistics import FEWEST_AT_EQUAL_LENGTH, FEWEST_FOR_BIAS, Participant, ranking_of
from leaderboard.board.ranking.types import Estimate, RankedSystem, Ranking
from leaderboard.disclosure import OPEN, DisclosureRule
from scoring.metrics.side_by_side import win_rate
from scoring.runs.judging.comparisons import ComparedPair
from scoring.statistics import Comparisons, length_controlled_board, mean_interval, strengths
from tests import compared
from tests.paths import ROOT

HIDDEN = DisclosureRule(hidden=True)
EVERY = [(1, 0), (2, 0), (3, 0), (1, 2), (1, 3), (2, 3)]
WITH_BASELINE = [(place, 0) for place in range(1, 7)]
"""Six systems, enough for win rates at equal length, each compared with the baseline."""
ABILITIES = [0, 1, 0, -1, 0.5, 1, -0.5]
NAN = float("nan")


def ranked(
    pairs: list[ComparedPair],
    answer_sets: list[Any],
    rule: DisclosureRule = OPEN,
    clusters: dict[str, str] | None = None,
) -> tuple[Ranking, dict[int, RankedSystem]]:
    """The ranking, and its systems by their rows; the first answer set is the baseline and has no row."""
    systems = [Participant(one, 10 + place) for place, one in enumerate(answer_sets) if place]
    found = ranking_of(pairs, Participant(answer_sets[0], None), systems, rule, 1, clusters)
    assert found is not None
    return found, {one.entry or 0: one for one in found.systems}


@pytest.mark.parametrize("clustered", [False, True])
def test_numbers_equal_those_of_the_single_functions(*, clustered: bool) -> None:
    answer_sets, pairs = compared.drawn([0, 1, 0.5, 0], EVERY, bias=2)
    names = {qid: f"template {number % 9}" for number, qid in enumerate(pairs[0].qids)} if clustered else None
    found, by_row = ranked(pairs, answer_sets, clusters=names)
    against = pairs[0].preference
    ends = mean_interval(against, [names[qid] for qid in pairs[0].qids] if names else None)
    assert by_row[11].win_rate == Estimate(float(against.mean()), ends.low, ends.high)
    as_alpaca = win_rate([1 + one for one in against.tolist()]).win_rate
    assert as_alpaca is not None
    assert by_row[11].win_rate.value == pytest.approx(as_alpaca / 100)
    assert by_row[11].mean_score is not None
    assert by_row[11].mean_score.value == pytest.approx(pairs[0].scores[:, :, 0].mean())
    places = {one: place for place, one in enumerate(answer_sets)}
    rows = [
        (places[pair.first], places[pair.second], value, qid)
        if order == 0
        else (places[pair.second], places[pair.first], 1 - value, qid)
        for pair in pairs
        for qid, both in zip(pair.qids, pair.preferences.tolist(), strict=True)
        for order, value in enumerate(both)
    ]
    first, second, values, qids = (list(column) for column in zip(*rows, strict=True))
    clusters = [names[qid] for qid in qids] if names else None
    expected = strengths(Comparisons.of(first, second, values, qids, 4, clusters))
    for place, row in enumerate((0, 11, 12, 13)):
        strength = by_row[row].strength
        assert strength is not None
        assert strength.value == pytest.approx(expected.values[place], abs=1e-9)
        assert strength.low == pytest.approx(expected.low[place], abs=1e-9)
        assert by_row[row].best_rank == expected.ranks.best[place]
    assert [one.rank for one in found.systems] == [1, 2, 3, 4]
    assert found.n_comparisons == 6 * 100


def test_a_judge_that_prefers_the_first_place_is_found_out_and_ranks_come_out_right() -> None:
    answer_sets, pairs = compared.drawn([0, 1, 2, 3], EVERY, n_questions=300, bias=4.5)
    found, by_row = ranked(pairs, answer_sets)
    first = np.concatenate([pair.preferences[:, 0] for pair in pairs])
    second = np.concatenate([1 - pair.preferences[:, 1] for pair in pairs])
    assert found.first_place is not None
    assert found.first_place.low is not None and found.first_place.low > 0.5
    assert found.first_place.value == pytest.approx((first.mean() + second.mean()) / 2)
    assert found.consistency is not None and found.consistency < 0.8
    assert [one.entry for one in found.systems] == [13, 12, 11, None]
    assert by_row[0].is_baseline and by_row[0].win_rate is None


def test_unparsed_replies_are_counted_and_never_a_loss() -> None:
    scores = np.full((40, 2, 2), [80.0, 20.0])
    scores[:10, 1] = NAN
    answer_sets, _ = compared.drawn([0, 0], [])
    found, by_row = ranked([compared.compared(answer_sets[1], answer_sets[0], scores)], answer_sets)
    assert by_row[11].win_rate is not None and by_row[11].win_rate.value == 1
    assert (found.n_unparsed, by_row[11].n_unparsed, by_row[11].n_comparisons) == (10, 10, 30)
    assert found.regularised


def test_a_missing_answer_loses_and_says_nothing_of_the_judge() -> None:
    scores = np.full((40, 2, 2), [80.0, 20.0])
    scores[:30] = NAN
    answered = np.ones((40, 2), dtype=np.bool_)
    answered[:30, 0] = False
    answer_sets, _ = compared.drawn([0, 0], [])
    pair = compared.compared(answer_sets[1], answer_sets[0], scores, answered=answered)
    found, by_row = ranked([pair], answer_sets)
    assert by_row[11].win_rate is not None and by_row[11].win_rate.value == 0.25
    assert by_row[11].mean_score is not None and by_row[11].mean_score.value == 80
    assert (found.consistency, found.first_place) == (None, None), f"ten are fewer than {FEWEST_FOR_BIAS}"
    assert f"over fewer than {FEWEST_FOR_BIAS} questions" in (ROOT / "docs" / "exports.md").read_text()


@pytest.mark.parametrize("clustered", [False, True])
def test_win_rates_at_equal_length_are_fitted_together_whatever_side_a_system_is(*, clustered: bool) -> None:
    answer_sets, pairs = compared.drawn(ABILITIES, WITH_BASELINE)
    outcomes, differences = np.full((2, 6, 100), NAN)
    for place, pair in enumerate(pairs):
        outcomes[place], differences[place] = pair.preference, pair.lengths[:, 0] - pair.lengths[:, 1]
    names = {qid: f"template {number // 5}" for number, qid in enumerate(pairs[0].qids)} if clustered else None
    expected = length_controlled_board(outcomes, differences, clusters=[*names.values()] if names else None)
    _, by_row = ranked([pairs[0], pairs[1].seen_from(answer_sets[0]), *pairs[2:]], answer_sets, clusters=names)
    for place, system in enumerate(expected):
        assert system is not None
        assert by_row[11 + place].controlled == Estimate(system.controlled, system.low, system.high)
    assert by_row[0].controlled is None, "the baseline"
    fewer = ranked(pairs[:5], answer_sets)[1][11].controlled
    assert fewer is not None and fewer != by_row[11].controlled


def test_fewer_than_five_systems_have_no_win_rate_at_equal_length() -> None:
    answer_sets, pairs = compared.drawn(ABILITIES, WITH_BASELINE)
    for n_systems in range(1, 7):
        _, by_row = ranked(pairs[:n_systems], answer_sets)
        values = [by_row[11 + place].controlled for place in range(n_systems)]
        assert all(value is not None for value in values) == (n_systems >= FEWEST_AT_EQUAL_LENGTH == 5)
        assert any(value is not None for value in values) == (n_systems >= FEWEST_AT_EQUAL_LENGTH)


def test_an_unparsed_reply_is_no_loss_at_equal_length_and_a_missing_answer_is() -> None:
    answer_sets, (pair, *others) = compared.drawn(ABILITIES, WITH_BASELINE, n_questions=200)
    half = np.arange(200) < 100
    unparsed, blank = pair.scores.copy(), np.ones((200, 2), dtype=np.bool_)
    unparsed[half] = NAN
    blank[half, 0] = False
    values = []
    for scores, answered in ((pair.scores, None), (unparsed, None), (unparsed, blank)):
        changed = compared.compared(pair.first, pair.second, scores, answered=answered, lengths=pair.lengths)
        controlled = ranked([changed, *others], answer_sets)[1][11].controlled
        assert controlled is not None
        values.append(controlled.value)
    whole, known, lost = values
    assert known == pytest.approx(whole, abs=0.1)
    assert lost == pytest.approx(known / 2, abs=0.01)


def test_at_equal_length_on_a_hidden_split_a_system_keeps_its_error_while_others_come_and_go(settings: Any) -> None:
    """Otherwise each change of the board would draw another one, and the errors would average out."""
    answer_sets, pairs = compared.drawn(ABILITIES, WITH_BASELINE)
    errors = []
    for of_board in (pairs[:5], pairs, [pairs[0], *pairs[2:]]):
        exact, shown, again = (ranked(of_board, answer_sets, rule)[1][11].controlled for rule in (OPEN, HIDDEN, HIDDEN))
        assert exact is not None and shown is not None and shown == again
        assert shown.value == round(shown.value, 3) != round(exact.value, 3)
        assert shown.low is not None and exact.low is not None and shown.value - shown.low > exact.value - exact.low
        errors.append(shown.value - exact.value)
    assert max(errors) - min(errors) <= 0.001 + 1e-9, "but for the digits that are shown"
    settings.SECRET_KEY = "another key of fifty characters or more than that, of another site"
    other = ranked(pairs, answer_sets, HIDDEN)[1][11].controlled
    assert other is not None and exact is not None and abs(other.value - exact.value - errors[0]) > 0.001


def test_a_single_question_has_no_interval_and_no_strength() -> None:
    answer_sets, pairs = compared.drawn([0, 1], [(1, 0)], n_questions=1)
    _, by_row = ranked(pairs, answer_sets)
    assert by_row[11].win_rate is not None and by_row[11].win_rate.low is None
    assert by_row[11].strength is None


def test_judge_scores_of_hidden_splits_have_the_digits_of_boards() -> None:
    for points in range(11, 100):
        answer_sets, _ = compared.drawn([0, 0], [])
        pair = compared.compared(answer_sets[1], answer_sets[0], np.full((3, 2, 2), [points + 0.7, 50.0]))
        one = ranked([pair], answer_sets, HIDDEN)[1][11]
        assert one.mean_score is not None and len(str(one.mean_score.value)) == 4


def test_hidden_splits_give_no_facts_on_questions(settings: Any) -> None:
    answer_sets, pairs = compared.drawn([0, 1, 2, 3], EVERY, n_questions=77)
    pairs[-1] = compared.compared(answer_sets[2], answer_sets[3], pairs[-1].scores[:9])
    exact, _ = ranked(pairs, answer_sets)
    found, by_row = ranked(pairs, answer_sets, HIDDEN)
    assert found.n_ties is None
    for one in found.systems:
        assert (one.n_ties, one.consistency, one.first_place) == (None, None, None)
        assert one.strength is not None and one.strength.value == round(one.strength.value, 2)
    assert by_row[11].win_rate is not None and by_row[11].win_rate.value == round(by_row[11].win_rate.value, 3)
    shares = {(one, other): (share, n) for one, other, share, n in found.pairs}
    assert [share for share, n in shares.values() if n < 10] == [None]
    others = [(share, of[2]) for of in exact.pairs if (share := shares[of[0], of[1]][0]) is not None]
    assert any(abs(shown - (share or 0)) > 0.5 / 77 for shown, share in others)
    assert all(low.best_rank <= high.best_rank for low, high in zip(found.systems, exact.systems, strict=True))  # type: ignore[operator]


def test_win_shares_of_both_directions_have_the_same_error(settings: Any) -> None:
    del settings
    there, back = HIDDEN.win_share(0.3, ("b", "a"), 100), HIDDEN.win_share(0.7, ("a", "b"), 100)
    assert there is not None and back is not None
    assert there == pytest.approx(1 - back)


def test_the_stored_form_reads_back() -> None:
    answer_sets, pairs = compared.drawn([0, 1, 2, 3], EVERY[:4])
    found, _ = ranked(pairs, answer_sets)
    assert Ranking.unpacked(found.packed) == found
