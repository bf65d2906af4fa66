"""Sample boards: documents of made-up systems, shown by the code that shows real ones."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

from django.http import QueryDict
from msgspec import structs

from leaderboard.board.attempts import Attempts, Chance
from leaderboard.board.benchmarks import leader_row
from leaderboard.board.charts.figures import figure_of
from leaderboard.board.contents import add_attempts
from leaderboard.board.document import FORMAT, Document, Revision, Row, StoredCell
from leaderboard.board.exports.files import FORMATS
from leaderboard.board.finding import finding_of
from leaderboard.board.lookup import Neighbour, StoredBoard
from leaderboard.board.table import BoardParams
from leaderboard.board.table.builder import board_for
from leaderboard.board.table.ordering import columns_of_runs
from leaderboard.board.table.params import with_runs
from leaderboard.disclosure import OPEN
from leaderboard.run_columns import NOT_STATED, USAGE
from scoring.benchmarks import definitions
from scoring.benchmarks.facts import OPEN_WEIGHTS, RunFacts
from scoring.models import Benchmark, Setting, Split
from tests.gallery.site.texts import (
    LONG_AUTHORS,
    LONG_NAME,
    LONG_WORD,
    NOT_CONFIGURED,
    NOW,
    ROUGE_SIGNATURE,
    SIGNATURES,
    Query,
)

EXPORTS = [(extension, known.label, "?page=board") for extension, known in FORMATS.items()]
COLUMNS = ("loose", "strict", "rouge1.fscore", "rouge2.fscore", "rougeL.fscore", "bleurt", "judge")
Range = tuple[int, int]
Context = dict[str, Any]


@dataclass
class Sample:
    """A row with its values in the order of `COLUMNS`."""

    row: Row
    values: Sequence[float | None]
    range: Range | None = None
    """The range of its rank by each column."""
    reason: str = ""
    other: float | None = None
    """The value of its first column under another signature."""
    took: tuple[float | None, float | None, float | None] = (None, None, None)
    """Made-up cost of the run, tokens and seconds of a question."""
    attempts: Attempts | None = None
    """What several attempts say of its first value."""


def sample(name: str, values: Sequence[float | None], range: Range | None = None, **changes: Any) -> Sample:  # noqa: A002
    """A system that was scored here, or another row with *changes*."""
    reason, other = changes.pop("reason", ""), changes.pop("other", None)
    took, attempts = changes.pop("took", (None, None, None)), changes.pop("attempts", None)
    context = changes.pop("context_size", 128_000)
    known: dict[str, Any] = {
        "kind": "scored",
        "evidence": "scored",
        "slug": "sample",
        "entry_id": 1,
        "authors": "Sample authors",
        "type": "FOUNDATION",
        "attributes": {"context_size": context} if context else {},
        "n_answered": 724,
        "published_at": NOW,
    }
    return Sample(Row(name=name, **known | changes), values, range, reason, other, took, attempts)


def attempts(value: float, n_attempts: int, *, reason: str = "") -> Attempts:
    """What some attempts may say of a score of this value, on an open split; on a hidden one with the reason why not
    all of it is shown."""
    chances = []
    for sign in (1, -1):
        every_k = range(1, 2 if reason else n_attempts + 1)
        of_k = [value + sign * (1 - value if sign > 0 else value) * (1 - 1 / k**0.7) for k in every_k]
        chances.append([Chance(k, one, one - 0.03, one + 0.03) for k, one in zip(every_k, of_k, strict=True)])
    means = [] if reason else [value + 0.011 * (place - (n_attempts - 1) / 2) for place in range(n_attempts)]
    of_questions, of_attempts = (None, None) if reason else (0.00021, 0.00004)
    spread = 0.011 * n_attempts**0.5
    return Attempts(n_attempts, means, spread, of_questions, of_attempts, chances[0], chances[1], reason)


def document(samples: Sequence[Sample] = (), **changes: Any) -> Document:
    """What a worker would have written of these rows: with intervals as of about 700 questions."""
    revision = Revision("3f2a9c1b" * 8, NOW.date(), "Sample", 724, ["accuracy"])
    known: dict[str, Any] = {"revisions": [revision], "current_revision": revision, "statistics_at": NOW}
    rows = [structs.replace(one.row, by_column=_cells(one, samples)) for one in samples]
    return Document(
        format=FORMAT,
        systems=[[row] for row in rows],
        shared_k=add_attempts(rows, COLUMNS[0]),
        signatures=dict(zip(("accuracy", "rouge"), (text for _, text in SIGNATURES), strict=True)) if samples else {},
        **known | changes,
    )


def _cells(sample: Sample, samples: Sequence[Sample]) -> dict[str, StoredCell]:
    """The cells of a row among the others of its board."""
    row, cells = sample.row, {}
    for place, key in enumerate(COLUMNS):
        value = sample.values[place] if place < len(sample.values) else None
        cells[key] = cell = StoredCell(state=row.kind, value=value)
        if row.kind == "scored":
            cell.n_items, cell.n_answered = 724, row.n_answered
        if place == 0 and sample.attempts is not None:
            cell.attempts = sample.attempts
        if value is None:
            cell.state = "not_scored"
            cell.reason = sample.reason or (NOT_CONFIGURED if row.kind == "scored" else "Not reported.")
        elif row.kind == "scored" and not row.is_human:
            half = 0.03 + 0.02 * value * (1 - min(value, 1.0))
            cell.low, cell.high = max(value - half, 0.0), value + half
            if sample.range is not None:
                cell.rank = cell.best_rank = cell.tie_group = sample.range[0]
                cell.worst_rank, cell.marked = sample.range[1], sample.range[0] == 1
        if place == 0 and sample.other is not None:
            cell.state, cell.other_value = "other_signature", sample.other
        others = [one for one in samples if one.row.kind == row.kind and not one.row.is_human]
        values = [one.values[place] for one in others if place < len(one.values)]
        cell.best = value is not None and value == max((one for one in values if one is not None), default=None)
    for column, number, of_all in zip(
        USAGE, sample.took, zip(*(one.took for one in samples), strict=True), strict=True
    ):
        if any(one is not None for one in of_all):
            gap = StoredCell(reason=NOT_STATED)
            cells[column.key] = gap if number is None else StoredCell(state="stated", value=number)
    return cells


def _open(organisation: str, month: str, parameters: float | None = None) -> RunFacts:
    return RunFacts(
        organisation=organisation,
        access=OPEN_WEIGHTS if parameters else "api",
        parameters=parameters,
        released=datetime.date.fromisoformat(f"{month}-01"),
    )


SCORED = (
    sample(
        "GPT-4o",
        [0.488, 0.204, 0.567, 0.400, 0.508],
        (1, 1),
        facts=_open("OpenAI", "2024-05"),
        took=(31.2, 6900, 9.1),
        n_answered=721,
    ),
    sample(
        "Llama3.3 70b distilled DS - 32k ss",
        [0.453, 0.137, 0.51, 0.3, 0.459],
        (2, 3),
        facts=_open("SambaNova Systems", "2025-01", 70),
        took=(6.8, 11_200, 14),
        type="FINETUNE",
    ),
    sample(
        "GPT-OSS 120B",
        [0.441, 0.175, 0.56, 0.39, 0.51],
        (2, 3),
        facts=_open("OpenAI", "2025-08", 117),
        took=(2.9, 8100, 6),
        n_answered=723,
    ),
    sample(
        "Llama 3 70B Instruct",
        [0.365, 0.098, 0.3, 0.2, 0.263],
        (4, 5),
        facts=_open("Meta", "2024-04", 70),
        took=(4.1, 5200, 8),
    ),
    sample(
        "GPT-OSS 20B",
        [0.362, 0.109, 0.5, 0.3, 0.44],
        (4, 5),
        facts=_open("OpenAI", "2025-08", 21),
        took=(0.95, 7700, 5),
        n_answered=722,
    ),
    sample(
        "Mistral-Large-Instruct-2407 (123B)",
        [0.317, 0.088, 0.3, 0.2, 0.281],
        (6, 7),
        facts=_open("Mistral AI", "2024-07", 123),
        took=(18.4, 5900, 11),
    ),
    sample(
        "Claude 3 Opus",
        [0.294, 0.113, 0.2, 0.1, 0.112],
        (6, 7),
        facts=_open("Anthropic", "2024-03"),
        took=(92, 5600, 16),
    ),
    sample(
        "Gemma 1.1 7B IT", [0.122, 0.01, 0.2, 0.1, 0.156], (8, 9), facts=_open("Google", "2024-04", 7), n_answered=707
    ),
    sample(
        "Mistral-Small-Instruct-2409 (22B)",
        [0.116, 0.015, 0.15, 0.05, 0.113],
        (8, 9),
        facts=_open("Mistral AI", "2024-09", 22),
        took=(1.7, 5300, 5),
    ),
)
APART = sample("Scored long ago", [], reason=f"Scored under another signature: {ROUGE_SIGNATURE}", other=0.401)


def published(setting: str = "openbook") -> list[Sample]:
    """The rows that FanOutQA's paper reports, people among them."""
    definition = next(iter(definitions().values()))
    results = definition.published_results
    assert results is not None
    rows = []
    for row in results.rows:
        if row.setting != setting:
            continue
        system = results.systems[row.system]
        is_human = bool(system.get("is_human"))
        known = sample(
            system["name"],
            [row.values.get(key) for key in COLUMNS],
            kind="reported",
            evidence="official",
            is_human=is_human,
            pinned=("upper-bound" if system["name"] in definition.upper_bounds else "human") if is_human else "",
            authors=system.get("authors", ""),
            citation=system.get("citation", ""),
            context_size=row.context_size,
            source=row.source,
            note=row.note,
            n_answered=None,
        )
        rows.append(known)
    return rows


SPLIT: Context = {"pk": 1, "slug": "test", "name": "Test", "hidden": False}


def shown(
    query: Query,
    samples: Sequence[Sample],
    *,
    page: str = "board",
    **changes: Any,
) -> Context:
    """What the page of a board is given; its links stay in the gallery.

    Args:
        changes: fields of the document.
    """
    samples = sorted(samples, key=lambda one: one.row.name.casefold())
    definition = next(iter(definitions().values()))
    params = BoardParams.of(query if isinstance(query, QueryDict) else QueryDict(urlencode(query)), definition)
    names = {
        name: getattr(definition.form, name) for name in ("slug", "name", "description", "citation", "url", "licence")
    }
    test = Split(benchmark=Benchmark(**names), **SPLIT | changes.pop("split", {}))
    settings = [
        Setting(pk=place, slug=one.slug, name=one.name, description=one.description)
        for place, one in enumerate(definition.settings)
    ]
    found = StoredBoard(
        split=test,
        setting=settings[1],
        neighbours=tuple(
            Neighbour(split, setting, 11 - place)
            for place, setting in enumerate(settings)
            for split in (test, Split(pk=2, slug="dev", name="Development"))
        ),
        document=None,
        is_stale=bool(changes.pop("is_stale", False)),
    )
    made = document(samples, **changes)
    definition = with_runs(definition, columns_of_runs(made), made.shared_k)
    url = f"?page={page}"
    found.__dict__["content"] = made  # nothing is stored
    with (
        patch("leaderboard.board.table.builder.definition_for", lambda _: definition),
        patch("leaderboard.board.charts.figures.definition_for", lambda _: definition),
    ):
        board = board_for(found, params, as_page=True, url=url)
        chart = figure_of(found, replace(params, kind=board.kind), url=url)
    return {
        "board": board,
        "exports": EXPORTS,
        "chart": chart,
    }


def board(query: Query) -> Context:
    """A board with the published rows, four made-up ones that were scored here, one of an old signature, and people."""
    return shown(query, [*published(), *SCORED, APART])


def attempts_board(query: Query) -> Context:
    """A board on which some systems answered each question several times, with the columns about that."""
    tried = [
        replace(one, attempts=attempts(one.values[0] or 0.0, n)) if n > 1 else one
        for one, n in zip(SCORED, (4, 1, 10, 4, 1, 1, 4, 1, 4), strict=True)
    ]
    columns = {"columns": "run,loose,strict,attempts,spread,pass-at-k,pass-hat-k"}
    return shown(columns | {**query}, tried, page="board-attempts")


def empty_board(query: Query) -> Context:
    """A board without a row."""
    return shown(query, [], page="board-empty")


def stale_board(query: Query) -> Context:
    """A board whose ranges and marks are still to be computed."""
    waiting = [replace(one, range=None) for one in SCORED]
    return shown(query, waiting, page="board-stale", is_stale=True, statistics_stale=True, statistics_at=None)


def public_part_board(query: Query) -> Context:
    """A board of the public part of a split, which keeps the other for the end."""
    times = {"closes": datetime.datetime(2099, 5, 1, 12, tzinfo=datetime.UTC), "final": 0.5}
    return shown(query, SCORED, page="board-public-part", split=times)


def final_part_board(query: Query) -> Context:
    """A board that ranks by the part that was kept for the end."""
    ended_at = datetime.datetime(2026, 5, 1, 12, tzinfo=datetime.UTC)
    times = {"closes": ended_at, "final": 0.5, "final_shown_at": ended_at}
    before = {"url": "?page=state"}
    return shown(query, SCORED, page="board-final-part", split=times) | {"before_the_end": before}


def none_board(query: Query) -> Context:
    """A board of which no row passes the filters."""
    return shown({**query, "q": query.get("q") or "no such system"}, [*published(), *SCORED], page="board-none")


def long_board(query: Query) -> Context:
    """A board with long names and many rows."""
    rows = [
        sample(
            name, [0.5 - 0.01 * rank] * 7, (rank, rank), authors=LONG_AUTHORS, citation=LONG_WORD, context_size=10**12
        )
        for rank, name in enumerate((LONG_NAME, LONG_WORD, *(f"System {number}" for number in range(40))), start=1)
    ]
    rows.append(sample(LONG_WORD, [], kind="reported", source="Somewhere", note=f"No value. {LONG_WORD}"))
    return shown(query, rows, page="board-long")


def home() -> dict[str, Any]:
    """The home page: a leader that is certain, a rank that several share, a reported number, names far too long, and a
    benchmark without a result."""
    definition = next(iter(definitions().values()))
    column = definition.column(definition.default_sort)
    benchmark = {"slug": definition.slug, "name": definition.name, "description": definition.form.description}

    def leader(setting: str, samples: Sequence[Sample]) -> Context:
        return leader_row(setting, "?page=board", finding_of(document(samples), column, OPEN))

    shared = [replace(one, range=(1, 3)) for one in SCORED[:3]]
    long = [sample(LONG_NAME, [0.7], (1, 1), authors=LONG_AUTHORS), sample(LONG_WORD, [0.5], (2, 2))]
    reported = [one for one in published() if not one.row.is_human]
    numbers = {"split": "test", "n_questions": 1034, "n_scored": 9, "n_reported": 7, "n_more": 0}
    made = numbers | {"url": "?page=board", "others": [("development", "?page=board")]}
    leaders = [leader("Open book", SCORED), leader("Evidence provided", shared), leader("Closed book", SCORED[:1])]
    return {
        "benchmarks": [
            made | {"benchmark": benchmark, "leaders": leaders, "n_more": 3},
            made | {"benchmark": benchmark | {"name": "Reported alone"}, "leaders": [leader("Open book", reported)]},
            made | {"benchmark": benchmark | {"name": LONG_NAME}, "leaders": [leader(LONG_NAME, long)]},
        ],
        "waiting": [made | {"benchmark": benchmark | {"name": "Without a result"}}],
        "news": [(one.row, NOW, definition.name, "open book") for one in SCORED[:3]],
    }
