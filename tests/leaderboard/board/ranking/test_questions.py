"""The pages of two systems question by question."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.board import standings
from leaderboard.board.inputs import read_inputs
from leaderboard.board.ranking.questions import UNPARSED
from leaderboard.models import Entry
from scoring.metrics.side_by_side.items import WIN_RATE
from scoring.models import AnswerBlock, AnswerSet, Baseline, Comparison, Run, Verdict
from scoring.runs.judging.comparisons import ComparedPair, pair_of
from scoring.statistics import completed
from tests import compared, factories
from tests.leaderboard.board.ranking.conftest import Place
from tests.leaderboard.board.ranking.test_pages import rows_of, text

Ranked = Callable[..., list[Entry]]
SECRET = "<b>An answer</b> with **stars**"
REPLY = "<Score1>80</Score1> & a critique"


def pair_with(entry: Entry, other: Entry | None = None) -> ComparedPair:
    """The stored comparison of a system with another one, or with the baseline."""
    opponent = other.answer_set if other else Baseline.objects.get().answer_set
    return pair_of(Run.objects.select_related("comparison").get(answer_set=entry.answer_set, opponent=opponent))


def fill_in(pair: ComparedPair) -> None:
    """Store the answers to the first question, and the replies on it."""
    for answer_set in (pair.first, pair.second):
        AnswerBlock.objects.store(AnswerSet.objects.get(pk=answer_set), {pair.qids[0]: SECRET})
    for key in pair.verdicts[0].tolist():
        row = Verdict(pk=key, address=f"{key:064}", ask=1, qid=pair.qids[0], letter="80/70", reply=REPLY, seed=1)
        row.outcome = "verdict"
        row.save()


def test_the_list_has_every_question_and_its_counts(client: Client, url: str, ranked: Ranked) -> None:
    entry = ranked(3)[1]
    pair = pair_with(entry)
    address = f"{url}questions/?first={entry.system.slug}"
    page = text(client.get(address))
    assert len(rows_of(page)) == 30
    counts = [int(one) for one in re.findall(r'<span class="visually-hidden">, </span>(\d+)<', page)]
    wins = [(pair.preference > 0.5).sum(), (pair.preference < 0.5).sum(), (pair.preference == 0.5).sum()]
    assert counts == [30, *wins, 0]
    assert len(rows_of(text(client.get(f"{address}&outcome=first")))) == wins[0]
    assert 'class="empty"' in text(client.get(f"{address}&outcome={UNPARSED}"))
    first = np.round(pair.scores[0, 0]).astype(int)
    assert f"{first[0]} : {first[1]}" in rows_of(page)[0]


def test_the_answers_of_an_unpublished_baseline_are_private(client: Client, url: str, ranked: Ranked) -> None:
    entry = ranked(2)[0]
    fill_in(pair_with(entry))
    Entry.objects.update(shows_answers=True)
    page = text(client.get(f"{url}questions/1/?first={entry.system.slug}"))
    assert (page.count("<p>&lt;b&gt;An answer"), page.count("a critique")) == (1, 0)


def test_answers_and_replies_are_escaped_and_shown_to_those_who_may(client: Client, url: str, ranked: Ranked) -> None:
    one, other = ranked(2)
    fill_in(pair_with(one, other))
    address = f"{url}questions/1/?first={one.system.slug}&second={other.system.slug}"

    def shown() -> tuple[int, int]:
        page = text(client.get(address))
        assert "<b>An" not in page and len(rows_of(page)) == 2
        return page.count("<p>&lt;b&gt;An answer"), page.count("&lt;Score1&gt;80")

    assert shown() == (0, 0)
    Entry.objects.filter(pk=one.pk).update(shows_answers=True)
    assert shown() == (1, 0), "replies quote both answers"
    Entry.objects.update(shows_answers=True)
    assert shown() == (2, 2)


def test_hidden_splits_show_no_question_to_anybody(client: Client, url: str, ranked: Ranked) -> None:
    entry = ranked(2, hidden=True)[0]
    client.force_login(factories.maintainer())
    for path in ("questions/", "questions/1/", f"questions/1/?first={entry.system.slug}"):
        assert client.get(url + path).status_code == 404, path
    assert "questions/" not in text(client.get(url))


def test_unknown_systems_and_questions(client: Client, url: str, ranked: Ranked) -> None:
    assert 'class="empty"' in text(client.get(f"{url}questions/"))
    assert client.get(f"{url}questions/1/").status_code == 404
    first, second, third = ranked(3)
    unknown = text(client.get(f"{url}questions/?first=nobody&second=nothing&outcome=lost"))
    assert len(rows_of(unknown)) == 30
    assert [f"<code>{asked}</code>" in unknown for asked in ("first=nobody", "second=nothing", "outcome=lost")] == [
        True
    ] * 3
    assert "unknown-parameters" not in text(client.get(f"{url}questions/?first={first.system.slug}&outcome=tie"))
    lone = f"{url}questions/?first={second.system.slug}&second={third.system.slug}"
    assert 'class="empty"' in text(client.get(lone))
    assert 'class="empty"' in text(client.get(f"{url}questions/?first={first.system.slug}&second={first.system.slug}"))
    for number in (0, 31, 10**9):
        assert client.get(f"{url}questions/{number}/").status_code == 404, number


def test_unparsed_questions_are_found(client: Client, url: str, ranked: Ranked) -> None:
    pair = pair_with(ranked(1)[0])
    pair.scores[0, 1] = np.nan
    Comparison.objects.filter(run=pair.run).update(arrays=compared.packed(pair))
    assert len(rows_of(text(client.get(f"{url}questions/?outcome={UNPARSED}")))) == 1
    assert "Unparsed" in text(client.get(f"{url}questions/1/"))


def test_statistics_of_the_board_leave_unparsed_questions_out(place: Place, ranked: Ranked) -> None:
    pairs = [pair_with(entry) for entry in ranked(2)]
    read = []
    for pair in pairs:
        pair.scores[:6, 1] = np.nan
        Comparison.objects.filter(run=pair.run).update(arrays=compared.packed(pair))
        read.append(completed(pair.preference))
    found = standings.compute(read_inputs(*place))
    assert found.deviations[WIN_RATE] == pytest.approx(np.std(read[0] - read[1], ddof=1), rel=1e-6)


def test_queries_do_not_grow(
    client: Client, url: str, ranked: Ranked, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    entry = ranked(8)[0]
    fill_in(pair_with(entry))
    with django_assert_max_num_queries(16):
        client.get(f"{url}questions/?first={entry.system.slug}")
    with django_assert_max_num_queries(18):
        client.get(f"{url}questions/1/?first={entry.system.slug}")
