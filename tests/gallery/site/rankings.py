"""Sample rankings: made-up systems that a made-up judge compared."""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

from leaderboard.board.document import FORMAT, Baseline, Document, Row
from leaderboard.board.lookup import Neighbour, StoredBoard
from leaderboard.board.ranking.lookup import StoredRanking, matrix_page, table_page
from leaderboard.board.ranking.questions import FIRST, SECOND, TIE, UNPARSED
from leaderboard.board.ranking.statistics import Participant, ranking_of
from leaderboard.board.table import Tab
from leaderboard.disclosure import DisclosureRule
from scoring.benchmarks import definitions
from scoring.models import Benchmark, Setting, Split
from tests import compared
from tests.gallery.site.texts import LONG_NAME, LONG_WORD


@cache
def _found(names: tuple[str, ...], *, hidden: bool = False, chosen: bool = True) -> StoredRanking:
    definition = next(iter(definitions().values()))
    split, setting = definition.splits[-1 if hidden else 0], definition.settings[0]
    pairs = [(one, 0) for one in range(1, len(names) + 1)] + [(one, 1) for one in range(2, len(names) + 1, 2)]
    answer_sets, drawn = compared.drawn([0.1 * one for one in range(len(names) + 1)], pairs, n_questions=40, bias=3)
    if len(names) > 2:  # the last system is so much shorter that it has no win rate at equal length
        drawn[len(names) - 1] = replace(drawn[len(names) - 1], lengths=drawn[len(names) - 1].lengths * [0.01, 1])
    systems = [Participant(one, number) for number, one in enumerate(answer_sets) if number]
    ranking = ranking_of(drawn, Participant(answer_sets[0], None), systems, DisclosureRule(hidden), 1)
    benchmark = Benchmark(slug=definition.slug, name=definition.name)
    on = Split(pk=1, benchmark=benchmark, slug=split.slug, name=split.name, hidden=hidden)
    settings = [Setting(pk=n, slug=one.slug, name=one.name) for n, one in enumerate(definition.settings, start=1)]
    board = StoredBoard(
        split=on,
        setting=settings[0],
        neighbours=tuple(Neighbour(on, one, len(names)) for one in settings),
        document=None,
        is_stale=False,
    )
    by_default = None if hidden else True
    baseline = Baseline(None, None, setting.name, by_default, 20_000, 1, 0 if hidden else 1234)
    document = Document(
        format=FORMAT,
        systems=[[Row(name, "sample", "scored", number)] for number, name in enumerate(names, start=1)],
        signatures={},
        revisions=[],
        current_revision=None,
        baseline=baseline if chosen or hidden else None,
        next_baseline=Baseline(LONG_NAME, "sample", setting.name, False) if hidden else None,
    )
    board.__dict__["content"] = document  # in place of the stored one
    return StoredRanking(board, ranking if names else None)


def ranking() -> dict[str, Any]:
    """Sixty systems on two pages."""
    return table_page(_found(tuple(f"Sample system {number}" for number in range(1, 61))))


def hidden() -> dict[str, Any]:
    """A hidden split, whose scores are against an earlier baseline."""
    return table_page(_found(tuple(f"Sample system {number}" for number in range(1, 9)), hidden=True))


def few() -> dict[str, Any]:
    """Too few systems for win rates at equal length."""
    return table_page(_found(("Sample system", LONG_NAME)))


def nothing() -> dict[str, Any]:
    """Nothing compared, because there is no baseline."""
    return table_page(_found((), chosen=False))


def matrix() -> dict[str, Any]:
    """A part of a matrix."""
    return matrix_page(_found(tuple(f"Sample system {number}" for number in range(1, 61))))


def _question(number: int, outcome: str) -> dict[str, Any]:
    scores = {FIRST: (88.0, 71.0), SECOND: (60.0, 90.0), TIE: (80.0, 80.0), UNPARSED: (None, None)}
    text = "Why do cities beside rivers grow faster than others, and where do they not?"
    pair = scores[outcome]
    names = {"number": number, "qid": f"q{number}", "text": text}
    return {**names, "scores": (pair, pair), "winners": (outcome, outcome), "outcome": outcome}


def questions() -> SimpleNamespace:
    """The questions of two systems, one with a name that does not fit."""
    found = _found(("Sample system", LONG_WORD))
    first, second = (one for one in found.systems.values() if not one.numbers.is_baseline)
    rows = [
        (_question(number, outcome), "?page=ranking-question")
        for number, outcome in enumerate((FIRST, SECOND, TIE, UNPARSED), start=1)
    ]
    tabs = [Tab(label, "?page=ranking-questions", label == "All", 4) for label in ("All", "Tie", "Unparsed")]
    return SimpleNamespace(
        stored=found,
        choices=list(found.systems.values()),
        pair=True,
        first=first,
        second=second,
        tabs=tabs,
        rows=rows,
        page=SimpleNamespace(object_list=[1], has_other_pages=False),
    )


def question() -> SimpleNamespace:
    """One of them."""
    page = questions()
    answer = "# Rivers\n\n" + "They carry goods. " * 40
    page.question, page.number, page.n_questions = _question(1, FIRST), 1, 4
    page.sides = [(page.first, True, answer), (page.second, True, None)]
    page.replies = [
        (one, f"The first answer <b>says</b> more.</Critique1>\n<Score1>88</Score1> {LONG_WORD}")
        for one in (page.first, page.second)
    ]
    page.list_url = page.next_url = "?page=ranking-questions"
    page.previous_url = ""
    return page
