"""The display filters: every number and text that a page shows goes through one of these."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.template import Context, Template
from django.utils.safestring import SafeString

from leaderboard.templatetags import board_display, display, systems
from scoring.metrics.columns import Column

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
Cell = SimpleNamespace
SHARE = Column("loose", "accuracy", "Loose accuracy", "Loose", "Accuracy", "")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.44, "0.440"),
        (1, "1.000"),
        (0, "0.000"),
        (0.9999, "1.000"),
        (0.0005, "0.001"),
        (0.1865215087245475, "0.187"),
        (-0.25, "−0.250"),
        (-0.0001, "0.000"),
    ],
)
def test_a_score_has_three_decimals(value: float, shown: str) -> None:
    assert display.score(value, SHARE) == shown


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "0.04"), (0.00003, "0.00003"), (1e-9, "under 0.000001"), (0, "0.0"), (0.25, "0.2")]
)
def test_a_small_amount_is_not_shown_as_zero(seconds: float, text: str) -> None:
    column = replace(SHARE, unit="seconds", digits=1, bounds=None)
    assert display.score(seconds, column) == text


def test_a_score_may_have_other_decimals() -> None:
    assert display.score(0.12345, replace(SHARE, digits=1)) == "0.1"


def test_the_ends_of_an_interval_are_rounded_outwards() -> None:
    ends = SimpleNamespace(low=0.4826, high=0.5132)
    assert systems.interval(ends, SHARE) == "0.482 to 0.514"
    assert systems.signed_interval(SimpleNamespace(low=-0.0001, high=0.0001), SHARE) == "−0.001 to +0.001"
    assert systems.interval(SimpleNamespace(low=0.25, high=0.283), SHARE) == "0.250 to 0.283", "exact ends stay"
    cell = SimpleNamespace(
        value=0.5,
        state="scored",
        marked=False,
        best=False,
        low=0.4826,
        high=0.5132,
        column=SHARE,
        corrected=SimpleNamespace(value=0.5, low=0.4001, high=0.5999, n_graded=40),
    )
    shown = board_display.scored(cell)
    for pair in ("0.482 to 0.514", ".482–.514"):
        assert pair in shown
    (corrected,) = board_display.judging_notes({"all_rows": [SimpleNamespace(name="A", cells=[cell])]})
    assert corrected.endswith("human grades of 40 answers 0.500, 95 % confidence interval 0.400 to 0.600")
    estimate = SimpleNamespace(value=0.5, low=0.4826, high=0.5132)
    assert "0.482 to 0.514" in board_display.share_estimate(estimate, SHARE)
    assert ".48 – .52" in board_display.share_estimate(estimate, SHARE)
    assert "+0.48 to +0.52" in board_display.strength_estimate(estimate)
    assert "0.4 to 0.6" in board_display.points_estimate(estimate)


def test_templates_round_the_ends_of_intervals_outwards() -> None:
    expected = {"low": ("rounded_down", "low_end"), "high": ("rounded_up", "high_end")}
    ends = [
        (file.name, *found)
        for file in sorted(TEMPLATES.rglob("*.html"))
        for found in re.findall(r"{{\s*[\w.]*?(low|high)\|(\w+)", file.read_text(encoding="utf-8"))
    ]
    assert len(ends) > 30
    assert [end for end in ends if end[2] not in expected[end[1]]] == []


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), "0.5", True])
def test_what_is_no_number_is_a_dash_and_says_so(value: Any) -> None:
    shown = display.score(value)
    assert "—" in shown
    assert "not scored" in shown
    assert "0" not in shown


def test_a_missing_score_gives_its_reason_escaped() -> None:
    shown = display.score(Cell(value=None, reason="no <checkpoint>", column=SHARE))
    assert isinstance(shown, SafeString)
    assert "not scored: no &lt;checkpoint&gt;" in shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (4096, "4,096"),
        (0, "0"),
        (999, "999"),
        (1_000_000, "1,000,000"),
        ("200000", "200,000"),
        (None, "—"),
        ("n/a", "n/a"),
        (-1200, "−1,200"),
    ],
)
def test_thousands(value: Any, shown: str) -> None:
    assert display.thousands(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1023 bytes"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (2**20 - 1, "1.0 MiB"),
        (32 * 2**20, "32 MiB"),
        (5 * 2**40, "5 TiB"),
        (None, "—"),
        (-1, "—"),
    ],
)
def test_filesize(value: Any, shown: str) -> None:
    assert display.filesize(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "under 1 s"),
        (0.4, "under 1 s"),
        (3.28, "3.2 s"),
        (59.99, "59 s"),
        (60, "1 min"),
        (65, "1 min 5 s"),
        (3600, "1 h"),
        (3605, "1 h"),
        (3661, "1 h 1 min"),
        (90_000, "1 d 1 h"),
        (timedelta(minutes=2, seconds=3), "2 min 3 s"),
        (None, "—"),
        (-5, "—"),
    ],
)
def test_duration(value: Any, shown: str) -> None:
    assert display.duration(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "under a minute"),
        (49.9, "under a minute"),
        (50, "about 1 min"),
        (240, "about 4 min"),
        (5399, "about 90 min"),
        (5400, "about 2 h"),
        (35 * 3600, "about 35 h"),
        (36 * 3600, "about 2 days"),
        (1000 * 86_400, "about 1,000 days"),
        (None, "—"),
        (-1, "—"),
        (float("nan"), "—"),
    ],
)
def test_roughly(value: Any, shown: str) -> None:
    assert display.roughly(value) == shown


def test_moment_is_a_time_element_in_utc() -> None:
    shown = display.moment(datetime(2026, 7, 14, 9, 5, tzinfo=UTC))
    assert shown == '<time datetime="2026-07-14T09:05:00+00:00" data-local>14 Jul 2026, 09:05 UTC</time>'
    assert display.moment(None) == "—"


def test_authors_are_cut_after_a_whole_name() -> None:
    many = "Thomas Mesnard, Cassidy Hardin, Robert Dadashi, Surya Bhupatiraju"
    assert display.authors_brief(many) == "Thomas Mesnard, Cassidy Hardin, Robert Dadashi et al."
    assert display.authors_brief("Anthropic") == "Anthropic"
    assert display.authors_brief(None) == ""
    assert display.authors_brief("x" * 200, 20) == "x" * 19 + "…"


@pytest.mark.parametrize(
    ("authors", "citation", "shown"),
    [
        ("OpenAI", "OpenAI, 2024", "OpenAI, 2024"),
        ("14 volunteers", "Lovelace et al., 1843", "14 volunteers · Lovelace et al., 1843"),
        ("Ada", "", "Ada"),
        ("", "Lovelace et al., 1843", "Lovelace et al., 1843"),
        ("", "", ""),
    ],
)
def test_a_byline_does_not_name_the_authors_twice(authors: str, citation: str, shown: str) -> None:
    assert display.byline(authors, citation) == shown


def test_excerpt_is_cut_between_words() -> None:
    assert display.excerpt("one two three four", 12) == "one two…"
    assert display.excerpt("one  two", 12) == "one two"
    assert len(display.excerpt("y" * 500, 100)) == 100


def test_breakable_escapes_and_allows_breaks() -> None:
    assert display.breakable("a|b<i>") == "a|<wbr>b&lt;i&gt;"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("https://example.org/a", "https://example.org/a"),
        (" http://example.org ", "http://example.org"),
        ("javascript:alert(1)", ""),
        ("JaVaScRiPt://example.org/%0aalert(1)", ""),
        ("data:text/html,x", ""),
        ("//example.org", ""),
        ("https:", ""),
        ("http://[bad", ""),
        (None, ""),
    ],
)
def test_only_addresses_of_the_web_become_links(value: Any, shown: str) -> None:
    assert display.web_url(value) == shown


def test_gaps_with_one_reason_are_told_together() -> None:
    cells = [
        Cell(value=value, reason=reason, column=SimpleNamespace(label=label))
        for label, value, reason in (("A", None, "x"), ("B", 0.5, ""), ("C", None, "y"), ("D", None, "x"))
    ]
    assert display.gap_reasons(cells) == [("A, D", "x"), ("C", "y")]


class TestPerCent:
    TEXT = (
        "{% load display board_display %}{% score_column of 'loose' as column %}"
        "{{ 0.2834|score:column }} {{ -0.0521|signed:column }} {{ 0.031|two_digits:column }}"
        "{% per_cent_note of %}"
    )

    def shown(self, of: object) -> str:
        return Template(self.TEXT).render(Context({"of": of}))

    def test_shares_are_shown_as_the_benchmark_declares(self) -> None:
        assert self.shown("qampari") == '28.3 −5.2 3<p class="muted small">Scores are in per cent.</p>'
        assert self.shown("fanoutqa") == self.shown("nowhere") == self.shown("") == "0.283 −0.052 .03"

    def test_each_benchmark_of_a_page_has_its_own(self) -> None:
        text = "{% load display %}{% for slug in of %}{% score_column slug 'x' as c %}{{ 0.5|score:c }} {% endfor %}"
        assert Template(text).render(Context({"of": ["qampari", "fanoutqa", "monaco"]})) == "50.0 0.500 50.0 "

    def test_other_units_are_never_per_cent(self) -> None:
        seconds = replace(SHARE, unit="seconds", digits=1, bounds=None, percent=True)
        assert display.score(1234.56, seconds) == "1,234.6"
        assert board_display.two_digits(2.04, seconds) == "2"


@pytest.mark.parametrize(("best", "worst", "shown"), [(1, 1, "1"), (1, 3, "1–3"), (None, None, "")])
def test_a_range_of_one_rank_is_that_rank(best: int | None, worst: int | None, shown: str) -> None:
    assert board_display.rank_range(best, worst) == shown


@pytest.mark.parametrize(
    ("value", "bounded", "written"),
    [
        (5e-324, False, "< 0.0001"),
        (0.00009, False, "< 0.0001"),
        (0.0001, False, "0.0001"),
        (0.0078, False, "0.0078"),
        (1.0, False, "1.0000"),
        (0.001, True, "< 0.001"),
        (0.05, True, "< 0.05"),
        (1.0, True, "not significant"),
    ],
)
def test_a_p_value_is_never_written_as_0(value: float, bounded: bool, written: str) -> None:
    difference = SimpleNamespace(p_value=value, corrected=value, bounded=bounded)
    assert systems.p_of(difference) == systems.corrected_p_of(difference) == written
