"""What is shown of a hidden split: the rule itself, at every door, and against the attacks of docs/security.md."""

import datetime
import hashlib
import logging
import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.core import mail
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.board import standings
from leaderboard.board.charts.series import DRAWINGS
from leaderboard.board.exports import snapshots as exported
from leaderboard.board.exports.files import FORMATS, SYSTEM_FORMATS
from leaderboard.disclosure import (
    CATEGORY_ERROR,
    NOT_DISCLOSED,
    P_BOUNDS,
    RANK_CAUTION,
    SHARE,
    WITHHELD,
    DisclosureRule,
    interval_step,
    outcomes_key,
    too_few_answered,
)
from leaderboard.models import (
    BoardSnapshot,
    BoardStatistics,
    Entry,
    Standing,
    Submission,
    System,
    Team,
    User,
)
from leaderboard.submissions.notifications import scored_mail
from leaderboard.systems.comparison.statistics import differences
from leaderboard.systems.comparison.types import Vector
from scoring.analysis.probing import SEQUENCES_OF_NAME, WORDS_OF_NAME
from scoring.benchmarks import definition_of
from scoring.benchmarks.subsets import SMALLEST_HIDDEN
from scoring.metrics.judge import Judge
from scoring.metrics.judge.prompt import OPTIONS
from scoring.metrics.rouge import Rouge
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.models import Benchmark, Score, Split
from scoring.runs.intervals import intervals_of
from tests import attacks, boards, factories
from tests.chance import without_times
from tests.paths import ROOT
from tests.rows import remembered

N = 60
SECURITY = " ".join((ROOT / "docs" / "security.md").read_text().split())
HIDDEN = DisclosureRule(hidden=True, undisclosed=frozenset({"rouge1.precision"}))
ROUNDED = DisclosureRule(hidden=True, step=0.1)
OPEN = DisclosureRule(hidden=False, undisclosed=frozenset())


@pytest.fixture(autouse=True)
def key(settings: Any) -> None:
    """The same random errors each time."""
    settings.SECRET_KEY = attacks.KEY


@pytest.fixture
def made(db: None) -> Benchmark:
    return Benchmark.objects.first() or factories.benchmark(n_test=N)


@pytest.fixture
def ada(made: Benchmark) -> User:
    return User.objects.first() or factories.user()


def answers(right: int) -> dict[str, str]:
    """Answers whose scores have more digits than a board shows."""
    return {qid: f"{text} Perhaps, or perhaps not." for qid, text in factories.perfect("test", N, right=right).items()}


class TestTheRule:
    def test_numbers_of_open_splits_pass_unchanged(self) -> None:
        value = 0.123456789
        assert OPEN.number(value) == OPEN.p_value(value) == value
        assert OPEN.reason_withheld("rouge1.precision", 0, 10) == ""
        assert OPEN.widened(0.1, (0.05, 0.15), ("a", "b"), 10) == (0.05, 0.15)
        assert OPEN.category(0.5, (0.4, 0.6), outcomes="a", size=10) == (0.5, 0.4, 0.6)
        assert OPEN.ends(value, value) == (value, value)
        assert OPEN.strength(value, value, value) == (value, value, value)

    def test_numbers_of_hidden_splits_have_three_digits(self) -> None:
        assert HIDDEN.number(0.123456789) == 0.123
        assert str(HIDDEN.number(-0.0001)) == "0.0"
        assert HIDDEN.number(None) is None

    @given(st.floats(-1, 1), st.floats(-1, 1))
    def test_ends_of_intervals_are_rounded_outwards_and_once(self, one: float, other: float) -> None:
        for rule in (HIDDEN, ROUNDED):
            exact = sorted((one, other))
            low, high = rule.ends(exact[0], exact[1])
            assert low is not None
            assert high is not None
            unit = rule.step or 0.001
            millionth = 1e-6 * unit  # of a digit: what exceeds it by less counts as it
            assert low <= exact[0] + millionth
            assert exact[1] - millionth <= high <= max(1.0, exact[1])
            assert exact[0] - low < unit + 1e-8
            assert high - exact[1] < unit + 1e-8
            assert rule.ends(low, high) == (low, high)
            turned = rule.ends(-exact[1], -exact[0], replace(SHARE, bounds=(-1.0, 0.0)))
            assert turned == pytest.approx((-high, -low))
            value = rule.number((one + other) / 2)
            assert value is not None
            assert low <= value <= high
        low, high = HIDDEN.strength(0.0, *exact)[1:]
        assert low - 1e-8 <= exact[0] <= exact[1] <= high + 1e-8
        assert HIDDEN.strength(0.0, low, high) == (0.0, low, high)

    def test_documents_have_the_digits_and_steps_of_their_columns(self) -> None:
        """Those of this version are not changed."""
        time = {"key": "time", "decimals": 1, "unit": "seconds", "bounds": None}
        cost = {"key": "cost", "decimals": 5, "unit": "usd", "bounds": [0.0, 100.0]}
        cell = {"value": 1.23456789, "low": 1.22222222, "high": 1.24444444, "p_value": 0.05}
        row = {"kind": "reported", "is_human": False, "n_answered": None, "n_questions": None}
        document = {
            "columns": [time, cost],
            "asked": {"ranked_by": "cost"},
            "detectable": {"difference": 3.3, "n_questions": 724, "n_systems": 2},
            "rows": [row | {"cells": {"time": cell, "cost": cell}}],
            "apart_rows": [],
            "pinned_rows": [],
        }
        shown = HIDDEN.document(document)
        (cells,) = (row["cells"] for row in shown["rows"])
        assert [cells["time"][name] for name in ("value", "low", "high")] == [1.2, 1.2, 1.3]
        assert [cells["cost"][name] for name in ("value", "low", "high")] == [1.23457, 1.22222, 1.24445]
        assert shown["detectable"]["difference"] in (3.0, 3.6)
        assert HIDDEN.document(shown) == shown

    def test_unknown_ends_stay_unknown(self) -> None:
        assert HIDDEN.ends(None, None) == ROUNDED.ends(None, None) == (None, None)

    @pytest.mark.parametrize(
        ("value", "bound"), [(0.0, 0.001), (0.0099, 0.01), (0.02, 0.05), (0.05, 1.0), (0.7, 1.0), (1.0, 1.0)]
    )
    def test_p_values_are_bounds(self, value: float, bound: float) -> None:
        assert HIDDEN.p_value(value) == bound

    def test_what_is_withheld(self, settings: Any) -> None:
        assert HIDDEN.reason_withheld("rouge1.precision", 10, 10) == NOT_DISCLOSED
        assert HIDDEN.reason_withheld("loose", 9, 10) == ""
        assert HIDDEN.reason_withheld("loose", 8, 10) == too_few_answered()
        assert "90 %" in too_few_answered()
        settings.MIN_ANSWERED_SHARE = 0.5
        assert HIDDEN.reason_withheld("loose", 8, 10) == ""

    def test_an_interval_is_never_narrower_and_the_same_at_each_look(self) -> None:
        for score in range(200):
            low, high = HIDDEN.widened(0.041, (0.0122, 0.0693), (f"{score}", "of the other"), 724)
            assert low <= 0.0122 < 0.0693 <= high
            assert (low, high) == HIDDEN.widened(0.041, (0.0122, 0.0693), ("of the other", f"{score}"), 724)
            assert high - low < 0.0693 - 0.0122 + 4 * 0.006
        assert [interval_step(number) for number in (1200, 724, 60)] == [0.005, 0.006, 0.216]

    def test_nor_is_it_with_few_digits(self) -> None:
        """Of a difference, whose step of 0.216 is no multiple of 0.1; and of a category."""
        for score in range(100):
            low, high = HIDDEN.widened(0.0, (-0.21, 0.21), (f"{score}", ""), 60, replace(SHARE, digits=1))
            assert low <= -0.21 < 0.21 <= high
            value, below, above = HIDDEN.category(
                0.5, (0.4004, 0.5996), replace(SHARE, digits=2), outcomes=f"{score}", size=10_000
            )
            assert below is not None and above is not None
            assert value - below >= 0.0996 and above - value >= 0.0996

    def test_the_p_value_of_a_pair_is_that_of_what_is_shown(self) -> None:
        assert HIDDEN.pair_p_value(0.001, 0.05, (0.0001, 0.0999)) == pytest.approx(0.05, abs=0.001)
        assert HIDDEN.pair_p_value(0.001, 0.05, (0.025, 0.075)) == pytest.approx(9e-5, rel=0.05)
        for exact in (1e-9, 0.04, 0.9):
            assert HIDDEN.pair_p_value(exact, 0.05, (-0.001, 0.101)) == 1.0
            assert HIDDEN.pair_p_value(exact, 0.05, (0.0, 0.1)) == 1.0
            assert 0 < HIDDEN.pair_p_value(exact, -0.05, (-0.09, -0.001)) < 0.05
            assert OPEN.pair_p_value(exact, 0.05, (-0.001, 0.101)) == exact

    def test_what_a_board_can_tell_apart_is_the_multiple_of_a_step_below_or_above(self) -> None:
        assert OPEN.detectable(0.0283, 1, 724) == 0.0283
        shown = [HIDDEN.detectable(0.0283, revision, 724) for revision in range(400)]
        assert set(shown) == {0.024, 0.03}
        assert sum(shown) / len(shown) == pytest.approx(0.0283, abs=0.001)
        assert HIDDEN.detectable(0.0001, 1, 724) == 0.006
        of_one = [HIDDEN.detectable(value, 1, 724) for value in np.linspace(0.024, 0.03, 50)]
        assert of_one == sorted(of_one), "no other systems on the board give another limit"

    def test_rank_ranges_need_a_clearer_difference_by_a_random_share(self) -> None:
        assert OPEN.rank_caution(["a", "b"]) is None
        shares = HIDDEN.rank_caution([f"{number}" for number in range(300)])
        assert shares is not None
        assert 0 < min(shares) < 0.001
        assert 0.024 < max(shares) < 0.025
        assert HIDDEN.rank_caution(["7"]) == [shares[7]]

    def test_the_random_error_of_a_category_is_that_of_its_documentation(self, settings: Any) -> None:
        errors = [HIDDEN.category(0.5, (None, None), outcomes=f"{number}", size=100)[0] - 0.5 for number in range(4000)]
        assert abs(float(np.mean(errors))) < 0.001
        assert float(np.std(errors)) == pytest.approx(CATEGORY_ERROR * 2**0.5 / 100, rel=0.1)
        settings.SECRET_KEY = "another key, of fifty characters or more than that, as required"
        again = [HIDDEN.category(0.5, (None, None), outcomes=f"{number}", size=100)[0] - 0.5 for number in range(4000)]
        assert abs(float(np.corrcoef(errors, again)[0, 1])) < 0.1


def test_an_error_is_that_of_outcomes_revision_and_column() -> None:
    outcomes = np.array([1.0, 0.0, float("nan"), 0.25])
    key = outcomes_key(1, "loose", outcomes)
    assert key == outcomes_key(1, "loose", outcomes.copy()) == outcomes_key(1, "loose", outcomes + 1e-9)
    others = [
        outcomes_key(2, "loose", outcomes),
        outcomes_key(1, "strict", outcomes),
        outcomes_key(1, "loose", outcomes[::-1]),
        outcomes_key(1, "loose", outcomes, [0, 1, 2, 4]),
        outcomes_key(1, "loose", [1.0, 0.0, 0.0, 0.25]),
    ]
    assert len({key, *others}) == 6


def test_the_document_states_the_constants_of_the_code(settings: Any) -> None:
    fanoutqa = definition_of("fanoutqa")
    *bounds, largest = (f"{bound:g}" for bound in P_BOUNDS)
    for stated in (
        f"one question is {1 / attacks.N_QUESTIONS:.4f}",
        f"with three digits, one question is at least {1 / SMALLEST_HIDDEN:.2f} of a score",
        f"at least {SMALLEST_HIDDEN} questions, and {SMALLEST_HIDDEN} outside it",
        f"the step is {interval_step(attacks.N_QUESTIONS)} for 724 questions",
        f"an upper bound: {', '.join(bounds)} or {largest}",
        f"a scale of {CATEGORY_ERROR} questions (standard deviation {CATEGORY_ERROR * 2**0.5:.1f} questions)",
        f"by a random share of up to {200 * RANK_CAUTION:.0f} %",
        f"fewer than {100 * settings.MIN_ANSWERED_SHARE:.0f} % of the questions",
        f"{WORDS_OF_NAME} words, or {SEQUENCES_OF_NAME} sequences, are one name",
        f"FanOutQA: {fanoutqa.names_without_review}",
        f"declared number of characters ({fanoutqa.length_without_review:,})",
        f"confirmed at a probability of {100 * attacks.CONFIRMED:.0f} %",
    ):
        assert stated in SECURITY, stated


class TestAttacks:
    """The short form; `make bench ARGS=attacks` runs the long one."""

    @pytest.mark.parametrize(
        ("prior", "n_guesses", "none", "one", "more", "mean"),
        [
            (0.5, 1, 50.0, 50.0, 0.0, 0.50),
            (0.5, 2, 75.0, 0.0, 25.0, 0.50),
            (0.5, 4, 43.8, 25.0, 31.2, 1.00),
            (0.5, 8, 74.6, 10.9, 14.5, 0.46),
            (0.5, 12, 77.3, 10.3, 12.4, 0.36),
            (0.1, 4, 89.9, 9.7, 0.4, 0.10),
            (0.1, 8, 97.7, 2.1, 0.2, 0.03),
            (0.7, 4, 19.7, 15.1, 65.2, 1.93),
            (0.7, 8, 44.0, 35.4, 20.6, 1.28),
        ],
    )
    def test_a_single_file_confirms_what_the_documentation_says(
        self, prior: float, n_guesses: int, none: float, one: float, more: float, mean: float
    ) -> None:
        """The table of docs/security.md: per file, over all sets of right guesses, and not on average over trials."""
        found = attacks.confirmations(n_guesses, prior=prior)
        shares = [round(100 * share, 1) for share in (found.none, found.one, found.more)]
        assert shares == pytest.approx([none, one, more], abs=0.11)
        assert found.mean == pytest.approx(mean, abs=0.006)
        percent = f"{100 * prior:.0f}"
        row = f"| {n_guesses} | {percent} % | {none:.1f} % | {one:.1f} % | {more:.1f} % | {mean:.2f} |"
        assert row in SECURITY

    def test_the_means_that_are_shown_by_category_are_hardly_biased(self) -> None:
        random = np.random.default_rng(6)
        for size, expected in ((10, 0.146), (34, 0.104), (115, 0.100)):
            rights = (random.random((6000, size)) < 0.1).sum(axis=1) / size
            shown = [
                attacks.HIDDEN.category(float(right), (None, None), outcomes=f"{number}", size=size)[0]
                for number, right in enumerate(rights)
            ]
            assert float(np.mean(shown)) == pytest.approx(expected, abs=0.006)
            assert f"{expected:.3f}"[1:] in SECURITY

    @pytest.mark.parametrize("n_files", [9, 30, 60])
    def test_the_same_file_sent_again_tells_nothing_more(self, n_files: int) -> None:
        def found(n_files: int, n_known: int = 0) -> float:
            random = np.random.default_rng(3)
            trials = (attacks.category_count_is_found(random, trial, n_files, n_known=n_known) for trial in range(300))
            return float(np.mean([*trials]))

        assert found(n_files) == found(1) < 0.35
        assert found(n_files, n_known=6) > 0.5, "other outcomes have other errors"

    @pytest.mark.parametrize("form", attacks.FORMS, ids=lambda form: form.name)
    @pytest.mark.parametrize("width", [2, 8])
    def test_metrics_read_each_form_of_a_guess_as_the_attack_assumes(self, form: attacks.Form, width: int) -> None:
        answer = f"{form.write('New', 'York')} {' '.join(['zzz'] * (width - 2))}"
        string, rouge = StringAccuracy("lookup"), Rouge()
        found = string.score(string.prepare(["New York"]), [answer]) | rouge.score(
            rouge.prepare(["New York"]), [answer]
        )
        names = ("loose", "strict", "rouge1.fscore", "rouge2.fscore", "rougeL.fscore")
        assert [found[name].value for name in names] == pytest.approx(form.adds(width, judged=False), abs=1e-9)

    @pytest.mark.parametrize(
        ("judged", "n_guesses", "confirmed", "bits"),
        [(False, 3, 1.55, 3.0), (False, 8, 1.72, 5.81), (True, 3, 1.55, 3.0), (True, 8, 2.39, 6.60)],
    )
    def test_all_shown_scores_together_tell_what_the_documentation_says(
        self, judged: bool, n_guesses: int, confirmed: float, bits: float
    ) -> None:
        random = np.random.default_rng(1)
        found = [attacks.file_of_forms(random, n_guesses, judged=judged) for _ in range(200)]
        assert np.mean([one.n_confirmed for one in found]) == pytest.approx(confirmed, abs=0.006)
        assert np.mean([one.bits for one in found]) == pytest.approx(bits, abs=0.006)
        assert f"| {confirmed:.2f} | {bits:.2f} |" in SECURITY

    @pytest.mark.parametrize(
        ("n_channels", "stated"), [(1, "5.8 and 348"), (3, "15.0 bits"), (4, "19.2 and 1,151 bits")]
    )
    def test_a_guess_in_each_answer_tells_what_the_documentation_says(self, n_channels: int, stated: str) -> None:
        bits = attacks.bits_of_a_full_file(n_channels)
        assert f"{bits:.1f}" == stated.split()[0]
        assert f"{60 * bits:,.0f}" in SECURITY and stated in SECURITY

    def test_exact_numbers_would_confirm_every_right_guess_of_a_file(self) -> None:
        found = attacks.confirmations(8, prior=0.5, rule=attacks.EXACT)
        assert [found.none, found.mean] == pytest.approx([0.5**8, 4.0])

    @pytest.mark.parametrize(
        ("n_guesses", "prior"), [(1, 0.5), (2, 0.5), (3, 0.5), (6, 0.5), (8, 0.5), (1, 0.1), (3, 0.1), (8, 0.1)]
    )
    def test_attacks_find_what_the_documentation_says(self, n_guesses: int, prior: float) -> None:
        """The first table of docs/security.md: guesses confirmed and bits, as shown and with exact numbers."""
        confirmed, bits = [], []
        for rule in (HIDDEN, attacks.EXACT):
            random = np.random.default_rng(1)
            found = [attacks.padded_file(random, n_guesses, prior=prior, rule=rule) for _ in range(200)]
            confirmed.append(np.mean([one.n_confirmed for one in found]))
            bits.append(np.mean([one.bits for one in found]))
        row = rf"\| {n_guesses} guess[^|]*{100 * prior:.0f} % \| ((?:[^|]+ \| ){{3}}[^|]+) \|"
        [stated] = re.findall(row, SECURITY)
        assert [float(cell) for cell in stated.split(" | ")] == pytest.approx([*confirmed, *bits], abs=0.0051)

    @pytest.mark.slow
    def test_a_pair_of_files_predicts_no_outcome_of_another_system(self) -> None:
        random = np.random.default_rng(5)
        right = [attacks.pair_of_files(random, trial) for trial in range(200)]
        assert f"in {sum(right)} of {len(right)} trials" in SECURITY

    @pytest.mark.slow
    def test_the_same_pair_decides_it_where_shares_are_shown(self) -> None:
        random = np.random.default_rng(5)
        right = [attacks.pair_of_files(random, trial, hidden=False) for trial in range(21)]
        assert all(right) and f"in all of {len(right)} trials" in SECURITY

    def test_a_guess_in_each_category_confirms_none(self) -> None:
        random = np.random.default_rng(2)
        found = [attacks.guess_in_each_category(random, trial) for trial in range(200)]
        confirmed, bits = (float(np.mean([getattr(one, name) for one in found])) for name in ("n_confirmed", "bits"))
        assert f"read from the means of the categories | {confirmed:.2f} | – | {bits:.2f} | – |" in SECURITY

    def test_one_answer_that_asks_a_judge_tells_at_most_one_bit(self) -> None:
        """Whatever the judge replies, the shown mean is one of two: of verdicts, and of a list with any F1 where there
        are 1,000 questions or more."""
        given = [Judge().score_verdicts([letter])["judge"].value for letter in OPTIONS]
        for scores, n_questions in ((given, 724), (np.linspace(0, 1, 101), 1000)):
            for n_right in range(0, n_questions, 7):
                assert len({HIDDEN.number((n_right + score) / n_questions) for score in scores}) <= 2
        assert set(given) == {0.0, 1.0}

    def test_a_difference_is_that_of_the_rounded_scores(self) -> None:
        rows = [np.repeat([1.0, 0.0], [n_right, 724 - n_right]) for n_right in (333, 110)]
        vectors = [[Vector(pk, "strict", float(row.mean()), 1, row)] for pk, row in enumerate(rows)]
        [found] = differences(vectors, hidden=True)["strict"].differences
        assert found.value == round(0.460 - 0.152, 3) != round((333 - 110) / 724, 5)
        assert found.equal_share is found.kappa is found.pearson is None


# --- Doors -----------------------------------------------------------------------------------------------------------


def exact_numbers() -> Iterator[str]:
    """The first digits of every number that is stored with more of them than may be shown, as share and per cent."""
    for score in Score.objects.all():
        for value in (score.value, score.low, score.high):
            if value is not None and abs(value - round(value, 3)) > 1e-6:
                yield from (f"{value:.9f}"[:7], f"{100 * value:.9f}"[:7])


def assert_hides(body: str, where: str) -> None:
    known = set(exact_numbers())
    assert known
    for number in re.findall(r"\d+\.\d{4,}", without_times(body)):
        assert number[:7] not in known, f"{number} at {where}"


@pytest.fixture
def published(db: None) -> list[Submission]:
    remembered("hidden", lambda: _publish(17, 23, 31))
    return list(Submission.objects.order_by("created_at"))


def _publish(*rights: int, hidden: bool = True) -> None:
    made, ada = factories.benchmark(n_test=N), factories.user()
    Split.objects.filter(slug="test").update(hidden=hidden)
    test = factories.split(made, "test")
    for right in rights:
        sent = factories.published(ada, test, {"openbook": answers(right)}, name=f"System {right}")
        # On different days, so that there is a chart.
        entry = Entry.objects.get(submission=sent)
        Entry.objects.filter(pk=entry.pk).update(published_at=entry.published_at - datetime.timedelta(days=right))
    standings.refresh(test, factories.setting(made))


def doors(sent: Submission) -> list[str]:
    board = "/fanoutqa/test/openbook/"
    systems = list(System.objects.order_by("pk").values_list("slug", flat=True))
    compare = f"/compare/?split=test&setting=openbook&system={systems[0]}&system={systems[1]}"
    state = BoardSnapshot.objects.first()
    assert state is not None
    return [
        *(f"{board}{path}" for path in ("", "?columns=all", "?columns=all&sort=-rouge1.precision", "pictures/")),
        f"{board}badges/{systems[0]}.svg",
        *(f"{board}pictures/{name}.svg" for name in ("score", *DRAWINGS)),
        *(f"{board}export.{name}?columns=all" for name in FORMATS),
        *(f"{board}systems/{systems[0]}/{name}" for name in SYSTEM_FORMATS),
        f"{board}states/",
        f"{board}states/{exported.snapshot_name(state)}/",
        *(f"{board}states/{exported.snapshot_name(state)}/export.{name}" for name in FORMATS),
        *(f"/systems/{systems[0]}/", compare, f"{compare}&system={systems[2]}", f"{compare}&score=strict"),
        *(f"/submissions/{sent.pk}/", f"/submissions/{sent.pk}/progress/", f"/submissions/{sent.pk}/judge/"),
        *("/definitions/", "/"),
        *(f"/api/v1/board/?split=test&setting=openbook{more}" for more in ("", "&sort=-rouge1.recall")),
        *(f"/api/v1/systems/{systems[0]}/scores/", f"/api/v1/submissions/{sent.pk}/", "/api/v1/benchmarks/fanoutqa/"),
        f"/api/v1/comparison/?split=test&setting=openbook&system={systems[0]}&system={systems[1]}",
    ]


def test_no_door_shows_more_digits_than_the_board(published: list[Submission], client: Client, ada: User) -> None:
    client.force_login(ada)
    for door in doors(published[0]):
        response = client.get(door)
        assert response.status_code == 200, door
        assert_hides(response.content.decode(), door)
        assert_hides(" ".join(response.headers.values()), door)
    assert_hides(scored_mail(published[0], ada).text, "the mail")
    assert mail.outbox == []


def test_precision_and_recall_are_null_with_a_reason(published: list[Submission], client: Client, ada: User) -> None:
    client.force_login(ada)
    body = client.get(f"/api/v1/submissions/{published[0].pk}/").json()
    scores = {score["name"]: score for run in body["files"][0]["runs"] for score in run["scores"]}
    assert (scores["rouge1.precision"]["value"], scores["rouge1.precision"]["reason"]) == (None, NOT_DISCLOSED)
    assert scores["rouge1.fscore"]["value"] is not None
    (result,) = client.get("/api/v1/systems/system-17/scores/").json()
    assert {score["score"] for score in result["scores"] if score["value"] is None} == {
        f"rouge{kind}.{part}" for kind in "12L" for part in ("precision", "recall")
    }
    for row in client.get("/api/v1/board/?split=test&setting=openbook").json()["rows"]:
        cells = {cell["score"]: cell for cell in row["scores"]}
        assert (cells["rouge2.recall"]["value"], cells["rouge2.recall"]["reason"]) == (None, NOT_DISCLOSED)
    assert "ROUGE-1 precision" in client.get(f"/submissions/{published[0].pk}/").content.decode()


def test_a_board_cannot_be_sorted_by_what_is_not_shown(published: list[Submission], client: Client) -> None:
    del published
    orders = [
        [row["name"] for row in client.get(f"/api/v1/board/?split=test&sort={sort}").json()["rows"]]
        for sort in ("rouge1.precision", "-rouge1.precision", "name")
    ]
    assert orders[0] == orders[1] == orders[2]


@pytest.mark.parametrize("blank", [None, "", " \n", " \u200b"])
@pytest.mark.parametrize("share", [1 / N, 0.88])
def test_a_file_with_few_answers_has_no_score_at_any_door(
    made: Benchmark, ada: User, client: Client, share: float, blank: str | None
) -> None:
    """Whether the others are left out or blank."""
    every = answers(N)
    others = {} if blank is None else dict.fromkeys(every, blank)
    given = others | dict(list(every.items())[: int(share * N)])
    sent = factories.published(ada, factories.split(made, "test"), {"openbook": given})
    standings.refresh(factories.split(made, "test"), factories.setting(made))
    client.force_login(ada)
    body = client.get(f"/api/v1/submissions/{sent.pk}/").json()
    for run in body["files"][0]["runs"]:
        assert all(score["value"] is score["low"] is score["high"] is None for score in run["scores"])
    assert too_few_answered() in client.get(f"/submissions/{sent.pk}/").content.decode()
    (result,) = client.get("/api/v1/systems/example-system/scores/").json()
    assert all(score["value"] is None for score in result["scores"])
    (row,) = client.get("/api/v1/board/?split=test").json()["rows"]
    assert row["rank"] is None
    assert all(cell["value"] is None for cell in row["scores"])
    assert not {"0.", "1.0"} & {cell["value"] for cell in row["scores"]}


@pytest.fixture
def opened(db: None) -> list[Submission]:
    """Submissions with a dated state from before their split was hidden."""
    remembered("opened", lambda: _publish(17, 31, N, hidden=False))
    return list(Submission.objects.order_by("created_at"))


def test_what_a_state_of_an_open_split_could_tell_apart_is_given_in_steps(
    opened: list[Submission], client: Client
) -> None:
    del opened
    url = f"/fanoutqa/test/openbook/states/{exported.snapshot_name(BoardSnapshot.objects.get())}/export.json"
    exact = client.get(url).json()["detectable"]
    Split.objects.filter(slug="test").update(hidden=True)
    shown = client.get(url).json()["detectable"]
    steps = shown["difference"] / interval_step(N)
    assert steps == pytest.approx(round(steps))
    assert 0 < abs(shown["difference"] - exact["difference"]) < interval_step(N)
    assert exact | {"difference": 0} == shown | {"difference": 0}


def test_a_comparison_shows_no_share_of_like_outcomes(published: list[Submission], client: Client) -> None:
    del published
    page = client.get("/compare/?split=test&setting=openbook&system=system-17&system=system-31").content.decode()
    assert "Same verdict" not in page
    assert "κ" not in page
    assert re.search(r"&lt; 0\.0\d+|not significant", page)


def test_mails_logs_and_prometheus_hold_no_score(
    made: Benchmark, ada: User, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        sent = factories.published(ada, factories.split(made, "test"), {"openbook": answers(17)})
        standings.refresh(sent.split, factories.setting(made))
        assert_hides(caplog.text, "the log")
    Score.objects.update(value=987.654)  # as no port, duration, count or cost
    client.force_login(factories.maintainer())
    page = client.get("/metrics")
    assert page.status_code == 200
    for text in (page.content.decode(), scored_mail(sent, ada).text):
        assert "987.6" not in text and "98765.4" not in text


def test_an_etag_does_not_tell_whether_numbers_are_those_of_before(
    published: list[Submission], made: Benchmark, client: Client
) -> None:
    """A board is written again with another number and then with the earlier one: all three have another ETag."""
    score = Score.objects.get(name="loose", run__answer_set__submission_file__submission=published[0])
    etags = []
    for value in (score.value, score.value + 1e-6, score.value):
        Score.objects.filter(pk=score.pk).update(value=value)
        standings.refresh(published[0].split, factories.setting(made))
        etags.append(client.get("/fanoutqa/test/openbook/")["ETag"])
    assert len(set(etags)) == 3


def test_other_etags_are_of_what_is_shown(published: list[Submission], ada: User, client: Client) -> None:
    """A change that no digit shows changes none."""
    client.force_login(ada)
    state = exported.snapshot_name(BoardSnapshot.objects.get())
    others = [
        f"/fanoutqa/test/openbook/states/{state}/export.json",
        f"/api/v1/submissions/{published[0].pk}/",
        f"/api/v1/systems/{System.objects.all()[0].slug}/",
    ]
    before = [client.get(path)["ETag"] for path in others]
    for score in Score.objects.filter(name="loose"):
        Score.objects.filter(pk=score.pk).update(value=round(score.value, 3) + 1e-7)
    assert [client.get(path)["ETag"] for path in others] == before


def test_an_etag_needs_the_sites_key(made: Benchmark, settings: Any, client: Client) -> None:
    boards.fill(factories.split(made, "test"), factories.setting(made), 2)
    first = client.get("/fanoutqa/test/openbook/")["ETag"]
    assert client.get("/fanoutqa/test/openbook/")["ETag"] == first
    settings.SECRET_KEY = "another key, of fifty characters or more than that, as required"
    assert client.get("/fanoutqa/test/openbook/")["ETag"] != first


def test_the_address_of_a_snapshot_proves_its_content(
    published: list[Submission], client: Client, settings: Any
) -> None:
    """With systems that lack scores: reported ones have those of their source alone."""
    test, setting = published[0].split, published[0].files.get().setting
    system = System.objects.create(name="Published", slug="published")
    entry = Entry.objects.create(system=system, split=test, setting=setting, kind="reported", source="A paper")
    entry.reported_values.create(name="loose", value=0.4)
    standings.refresh(test, setting)
    state = BoardSnapshot.objects.order_by("pk").last()
    assert state is not None
    url = f"/fanoutqa/test/openbook/states/{exported.snapshot_name(state)}/"
    content = b"".join(client.get(f"{url}export.json"))
    assert '"published"' in content.decode()
    assert hashlib.sha256(content).hexdigest() == state.digest
    assert state.digest in client.get(url).content.decode()
    settings.SECRET_KEY = "another key, of fifty characters or more than that, as required"
    assert b"".join(client.get(f"{url}export.json")) == content


# --- Rounding to a step ----------------------------------------------------------------------------------------------


class TestRoundingToAStep:
    def test_scores_have_the_step_at_every_door_and_dated_states_their_digits_of_before(
        self, published: list[Submission], client: Client
    ) -> None:
        state = exported.snapshot_name(BoardSnapshot.objects.get())
        before = client.get(f"/fanoutqa/test/openbook/states/{state}/export.json").json()
        Split.objects.filter(pk=published[0].split_id).update(rounding_step=0.1)
        assert standings.refresh(published[0].split, published[0].files.get().setting)
        after = client.get(f"/fanoutqa/test/openbook/states/{state}/export.json").json()
        assert after["rows"] == before["rows"]
        cells = [cell for row in client.get("/api/v1/board/?split=test").json()["rows"] for cell in row["scores"]]
        assert all(cell["value"] is None or cell["value"] == round(cell["value"], 1) for cell in cells)

    def test_ranks_of_a_board_are_of_the_rounded_values_and_those_of_columns_of_the_exact_ones(
        self, published: list[Submission], client: Client
    ) -> None:
        Split.objects.filter(slug="test").update(rounding_step=0.4)
        standings.refresh(factories.split(published[0].split.benchmark, "test"), published[0].files.get().setting)
        rows = client.get("/api/v1/board/?split=test").json()["rows"]
        assert len({row["rank"] for row in rows}) == 1
        assert set(Standing.objects.filter(name="loose").values_list("rank", flat=True)) == {1, 2, 3}

    def test_a_score_tells_no_more_than_its_rounded_values(self) -> None:
        rule, n = DisclosureRule(hidden=True, step=0.01), 724
        n_values = len({rule.number(n_right / n) for n_right in range(n + 1)})
        assert f"at most {60 * math.log2(n_values):.0f} bits of one score of {n} questions" in SECURITY
        assert f"would tell {60 * math.log2(n + 1):.0f}" in SECURITY

    def test_the_ends_of_an_interval_tell_less_than_two_bits_beside_the_value(self) -> None:
        rule, n = DisclosureRule(hidden=True, step=0.01), 724
        rows = [np.repeat([1.0, 0.0], [n_right, n - n_right]) for n_right in range(n + 1)]
        ends = defaultdict(set)
        for row, exact in zip(rows, intervals_of(rows), strict=True):
            ends[rule.number(float(row.mean()))].add(rule.ends(*exact))
        assert len(ends) == 101
        assert max(map(len, ends.values())) < 2**2

    def test_open_splits_do_not_round(self, made: Benchmark) -> None:
        Split.objects.filter(slug="test").update(rounding_step=0.1)
        assert factories.split(made, "test").step == 0.1
        Split.objects.filter(slug="test").update(hidden=False)
        assert factories.split(made, "test").step is None


class TestScoresOfEarlierCompetitions:
    """Scores that were not better, by a step, than the best that their team was shown before version 0.8.0."""

    def withheld(self, sent: Submission) -> bool:
        rule = DisclosureRule.of(Split.objects.select_related("benchmark").get(slug="test"))
        (score,) = Score.objects.filter(run__answer_set__submission_file__submission=sent, name="loose")
        return bool(rule.withheld(score))

    def test_stay_withheld_until_they_are_released(self, made: Benchmark, ada: User, client: Client) -> None:
        test = factories.split(made, "test")
        bob, team = factories.user("bob"), Team.objects.create(name="Lab", slug="lab")
        for member in (ada, bob):
            team.memberships.create(user=member)
        sent = [
            factories.published(by, test, {"openbook": answers(right)}, name=f"System {by.pk} {right}", team=of)
            for by, right, of in (
                *((ada, 20, None), (ada, 22, None), (ada, 40, None)),
                *((bob, 22, None), (ada, 40, team), (bob, 41, team), (bob, 60, team)),
            )
        ]
        split = Split.objects.get(slug="test")
        split.withheld_scores = [[one.files.get().pk, "loose"] for one in (sent[1], sent[5])]
        split.save()
        assert [self.withheld(one) for one in sent] == [False, True, False, False, False, True, False]
        later = factories.scored(ada, test, {"openbook": answers(20)})
        assert not self.withheld(later), "later scores are shown"
        client.force_login(ada)
        body = client.get(f"/api/v1/submissions/{sent[1].pk}/").json()
        told = {score["name"]: score for run in body["files"][0]["runs"] for score in run["scores"]}["loose"]
        assert (told["value"], told["reason"]) == (None, WITHHELD)
        standings.refresh(test, sent[0].files.get().setting)
        rows = {row["name"]: row["scores"] for row in client.get("/api/v1/board/?split=test").json()["rows"]}
        (cell,) = (cell for cell in rows[f"System {ada.pk} 22"] if cell["score"] == "loose")
        assert cell["value"] is None

        split = Split.objects.get(slug="test")
        split.withheld_scores = [pair for pair in split.withheld_scores or () if pair[0] != sent[1].files.get().pk]
        split.save()
        assert [self.withheld(one) for one in (sent[1], sent[5])] == [False, True]


# --- Ranks -----------------------------------------------------------------------------------------------------------


def test_entries_of_a_hidden_split_are_still_ranked_by_exact_values(
    published: list[Submission], client: Client
) -> None:
    for sent, value in zip(published, (0.5004, 0.5001, 0.5001), strict=True):
        Score.objects.filter(run__answer_set__submission_file__submission=sent).update(value=value)
    boards.write()
    rows = client.get("/api/v1/board/?split=test").json()["rows"]
    assert [(row["name"], row["rank"]) for row in rows] == [("System 17", 1), ("System 23", 2), ("System 31", 2)]
    assert {cell["value"] for row in rows for cell in row["scores"]} == {0.5, None}


def test_what_ranks_tell_of_pairs_of_systems_needs_a_clearer_difference_on_a_hidden_split(
    published: list[Submission], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a caution that no difference reaches, every range on the board is whole."""
    test, setting = published[0].split, published[0].files.get().setting
    ranges = Standing.objects.filter(name="loose").order_by("rank").values_list("best_rank", "worst_rank")
    assert (1, 3) not in ranges
    monkeypatch.setattr("leaderboard.disclosure.RANK_CAUTION", 1_000.0)
    BoardStatistics.objects.all().delete()
    assert standings.refresh(test, setting)
    assert set(ranges.all()) == {(1, 3)}


# --- Attacks on the site itself --------------------------------------------------------------------------------------


def oracle(client: Client, sent: Submission) -> dict[str, float | None]:
    body = client.get(f"/api/v1/submissions/{sent.pk}/").json()
    return {score["name"]: score["value"] for run in body["files"][0]["runs"] for score in run["scores"]}


def test_one_answered_line_tells_nothing_of_the_reference(made: Benchmark, ada: User, client: Client) -> None:
    """The word is in the reference, or not: what is shown is the same."""
    test = factories.split(made, "test")
    client.force_login(ada)
    country, capital = next(iter(factories.CAPITALS.items()))
    shown = [
        oracle(client, factories.scored(ada, test, {"openbook": {"test-0": word}}, within_quota=False))
        for word in ("zqxv", capital, f"{country} {capital}", capital + " zqxv" * 63)
    ]
    assert set(shown[0].values()) == {None}
    assert shown[1] == shown[2] == shown[3] == shown[0]


def test_a_padded_file_of_the_site_is_decoded_as_the_model_says(made: Benchmark, ada: User, client: Client) -> None:
    """Questions 2, 6, 10, … have references of one word; the model of `tests.attacks` gives what the site shows."""
    client.force_login(ada)
    capitals = list(factories.CAPITALS.values())
    outcomes, widths = [True, False, True, True], [1, 2, 4, 8]
    given = {f"test-{index}": "zqxv" for index in range(N)}
    for right, width, index in zip(outcomes, widths, (2, 6, 10, 14), strict=True):
        word = capitals[index % len(capitals)] if right else "xvqz"
        given[f"test-{index}"] = " ".join([word] + ["zqxv"] * (width - 1))
    seen = oracle(client, factories.scored(ada, factories.split(made, "test"), {"openbook": given}))
    names = ("loose", "strict", "rouge1.fscore", "rougeL.fscore")
    model = attacks.shown(outcomes, widths, HIDDEN, n_questions=N)
    assert tuple(seen[name] for name in names) == pytest.approx(model)
