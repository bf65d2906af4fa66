"""Sample pages of systems, their questions and comparisons."""

import datetime
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import msgspec
from django.core.paginator import Paginator

from leaderboard.board.table import ShownCell, ShownColumn, Tab, plain_columns
from leaderboard.disclosure import BEST_OF_K_WITHHELD
from leaderboard.questions.criteria import CriteriaTable, CriterionLine, DecidedAnswer
from leaderboard.systems.attempts import ShownAttempt
from leaderboard.systems.comparison.types import (
    CategoryRow,
    CellValue,
    Compared,
    Comparison,
    Difference,
    ScoreDifferences,
    ScoreSection,
)
from leaderboard.systems.questions import OUTCOMES
from leaderboard.systems.types import CategoryTable, HistoryPoint, Lengths, Result
from scoring.analysis.explanations import Explanation, Piece, ReferenceItem, ReferenceLine
from scoring.benchmarks import definition_of, definitions
from scoring.metrics.cited.answers import Citation
from scoring.metrics.columns import Column
from scoring.metrics.rubric.decisions import Decision
from scoring.metrics.rubric.references import Criterion
from scoring.models import Benchmark, Question, Setting, Split
from scoring.runs.judging.citations import MarkedAnswer, MarkedSentence
from tests.gallery.site.boards import attempts
from tests.gallery.site.texts import (
    LONG_AUTHORS,
    LONG_NAME,
    LONG_WORD,
    NO_JUDGE,
    NOT_CONFIGURED,
    NOW,
    ROUGE_SIGNATURE,
    SIGNATURES,
)

BIBTEX = """@misc{sample2024engine,
  author = {Ada Sample and Ben Sample},
  title = {{An engine \\& its questions}},
  note = {Sample et al., 2024},
  year = {2024},
}
"""
CATEGORIES = (("Geography", 251), ("History", 163), ("Film Studies", 71), (LONG_WORD, 14), ("Other", 62))


def _columns() -> list[ShownColumn]:
    return plain_columns(next(iter(definitions().values())).default_columns)


def _system(**changes: Any) -> SimpleNamespace:
    fields: dict[str, Any] = {
        "name": "GPT-4o",
        "slug": "sample",
        "authors": "OpenAI",
        "url": "https://example.org/a-model",
        "citation": "OpenAI, 2024",
        "public_type_label": "Foundation model",
        "get_absolute_url": "?page=system",
        "details": "gpt-4o-2024-05-13, greedy decoding",
        "is_human": False,
    }
    return SimpleNamespace(**(fields | changes))


def _cells() -> list[ShownCell]:
    cells = [
        ShownCell(
            column=column,
            value=0.580 - 0.06 * index,
            state="scored",
            low=0.551 - 0.06 * index,
            high=0.609 - 0.06 * index,
            rank=index + 1,
            best_rank=max(1, index),
            worst_rank=index + 3,
            marked=index < 2,
            best=index == 0,
        )
        for index, column in enumerate(_columns())
    ]
    reason = f"Another signature: {ROUGE_SIGNATURE}"
    cells[-2] = ShownCell(column=cells[-2].column, state="other_signature", reason=reason, other_value=0.41)
    cells[-1] = ShownCell(column=cells[-1].column, reason=NO_JUDGE)
    return cells


def _reported_cells() -> list[ShownCell]:
    return [
        ShownCell(
            column=column,
            value=None if index > 4 else 0.4 - 0.05 * index,
            state="reported",
            reason=NOT_CONFIGURED if index > 4 else "",
        )
        for index, column in enumerate(_columns())
    ]


def _table() -> CategoryTable:
    columns = _columns()[:6]
    return CategoryTable(
        tuple(columns),
        tuple(
            CategoryRow(
                name,
                size,
                name == "Other",
                tuple(
                    CellValue(None)
                    if row == 3 and index == 1
                    else CellValue(0.6 - 0.05 * index, 0.5 - 0.05 * index, 0.7 - 0.05 * index)
                    for index in range(len(columns))
                ),
            )
            for row, (name, size) in enumerate(CATEGORIES)
        ),
    )


def _history() -> list[HistoryPoint]:
    ranks = (1, 1, 3, None, 4, 2)
    return [
        HistoryPoint(NOW + datetime.timedelta(days=40 * index), 0.4 + 0.03 * index if rank else None, rank, 4 + index)
        for index, rank in enumerate(ranks)
    ]


def _entry(**changes: Any) -> SimpleNamespace:
    """A row that was scored here."""
    name = next(iter(definitions().values())).name
    fields: dict[str, Any] = {
        "system": _system(),
        "split": SimpleNamespace(
            name="Test", slug="test", hidden=True, benchmark=SimpleNamespace(name=name, slug="sample")
        ),
        "setting": SimpleNamespace(name="Open book", slug="openbook"),
        "kind": "scored",
        "answer_set": SimpleNamespace(n_attempts=1),
        "context_size": 128_000,
        "published_at": NOW,
        "is_official": False,
    }
    return SimpleNamespace(**(fields | changes))


def result(entry: Any = None, **changes: Any) -> Result:
    """A row with its numbers."""
    fields: dict[str, Any] = {
        "entry": entry or _entry(),
        "board_url": "?page=board",
        "cells": _cells(),
        "n_answered": 721,
        "n_questions": 724,
        "revision": SimpleNamespace(short_hash="3f2a9c1b", date=NOW.date()),
        "signatures": SIGNATURES,
        "ranked_by": _columns()[0],
        "rank": 2,
        "best_rank": 1,
        "worst_rank": 4,
        "n_ranked": 41,
        "categories": _table(),
        "lengths": Lengths(721, 412.4, 180.0, 312.5, 520.0, 1204.0),
        "history": _history(),
        "compare_url": "?page=compare",
    }
    return Result(**(fields | changes))


def system_page() -> Any:
    """A system with rows of every kind."""
    reported = result(
        _entry(
            setting=SimpleNamespace(name="Closed book", slug="closedbook"), kind="reported", source="Table 2 of a paper"
        ),
        cells=_reported_cells(),
        n_answered=None,
        signatures=[],
        rank=None,
        best_rank=None,
        categories=None,
        lengths=None,
        history=[],
        compare_url="",
    )
    dev = result(
        _entry(split=SimpleNamespace(name="Development", slug="dev", hidden=False, benchmark=_entry().split.benchmark)),
        best_rank=2,
        worst_rank=2,
        n_answered=310,
        n_questions=310,
        history=_history()[:1],
        questions_url="?page=system-questions",
        ranking_url="?page=ranking",
    )
    waiting = result(
        _entry(setting=SimpleNamespace(name="Evidence provided", slug="evidenceprovided")),
        cells=[ShownCell(column=column, reason="Not scored yet.") for column in _columns()],
        rank=None,
        best_rank=None,
        categories=None,
        history=[],
        compare_url="",
    )
    stated = [("Context size", "128,000 tokens"), ("Trained for function calling", "Yes")]
    results = [result(), reported, dev, waiting]
    return SimpleNamespace(system=_system(), results=results, bibtex=BIBTEX, attributes=stated)


def attempts_system_page() -> Any:
    """A system that answered each question several times, on an open split, and on a hidden one whose pass@k is
    withheld."""

    def tried(n_attempts: int, reason: str = "", **changes: Any) -> Result:
        cells = _cells()
        for place, cell in enumerate(cells):
            if cell.value is not None:
                of_score = attempts(cell.value, n_attempts, reason=reason)
                # Of these scores strict accuracy alone is right or wrong.
                cell.attempts = of_score if place == 1 else msgspec.structs.replace(of_score, pass_at=[], pass_hat=[])
        return result(_entry(answer_set=SimpleNamespace(n_attempts=n_attempts), **changes), cells=cells)

    benchmark = _entry().split.benchmark
    dev = SimpleNamespace(name="Development", slug="dev", hidden=False, benchmark=benchmark)
    results = [
        tried(4, split=dev),
        tried(10, split=dev, setting=SimpleNamespace(name="Closed book", slug="closedbook")),
        tried(4, BEST_OF_K_WITHHELD),
    ]
    return SimpleNamespace(system=_system(), results=results, bibtex=BIBTEX, attributes=[])


def long_system_page() -> Any:
    """A system with the longest of everything, and no result."""
    system = _system(
        name=LONG_NAME,
        authors=f"{LONG_WORD}, {LONG_AUTHORS}",
        url="javascript:alert(1)",
        citation=f"{LONG_WORD} {LONG_AUTHORS}",
        details="Line one\n" + LONG_WORD,
    )
    stated = [("Context size", ""), (LONG_NAME, LONG_WORD)]
    return SimpleNamespace(
        system=system, results=[], attributes=stated, bibtex=f"@misc{{long,\n  title = {{{LONG_WORD}}},\n}}\n"
    )


# --- Questions -----------------------------------------------------------------------------------------------------


def _explanation(found: tuple[bool, ...], text: str | None, **changes: Any) -> Explanation:
    lines = (
        ReferenceLine((ReferenceItem("Norway", found[0]), ReferenceItem("Oslo", found[1])), 0),
        ReferenceLine((ReferenceItem("Its rivers", found[2]),), 0),
        ReferenceLine((ReferenceItem(LONG_WORD, found[3]),), 1),
    )
    pieces = (Piece("The capital of ", marked=False), Piece("Norway", marked=True), Piece(f" is {text}", marked=False))
    fields: dict[str, Any] = {
        "qid": "36146d2306ce9ca3",
        "text": "What is the capital of each of the countries through which the longest rivers of Europe flow?",
        "categories": ("Geography", "Politics"),
        "lines": lines,
        "answered": text is not None,
        "answer": None if text is None else pieces,
        "answer_length": len(text or ""),
        "too_long": False,
    }
    return Explanation(**(fields | changes))


def _list() -> Explanation:
    """An answer that is a list."""
    lines = [
        ReferenceLine((ReferenceItem("Christiania", found=True, by=("Oslo", "Kristiania")),), 0),
        ReferenceLine((ReferenceItem(LONG_WORD, found=False),), 0),
    ]
    pieces = (Piece("Oslo", marked=True), Piece("Kristiania", marked=True), Piece(f"{LONG_WORD}?", marked=False))
    return replace(_explanation((True,) * 4, "x"), lines=tuple(lines), answer=pieces, is_list=True)


def _explained(number: int, outcome: str, column: Column, value: float, explanation: Explanation) -> dict[str, Any]:
    shown = {"outcome_label": OUTCOMES[outcome], "column": column, "value": value, "explanation": explanation}
    return {"number": number, "outcome": outcome, **shown}


def _attempts(long_answer: str) -> tuple[ShownAttempt, ...]:
    """Four attempts at a question: answered, with a long answer, without one, and with a list."""
    return (
        ShownAttempt(1, 1.0, texts=("The capital of Norway is Oslo.",)),
        ShownAttempt(2, 0.75, texts=(long_answer,), is_cut=True),
        ShownAttempt(3, 0.0),
        ShownAttempt(4, 0.25, texts=("Oslo", "Bergen", LONG_WORD)),
    )


def question_page() -> SimpleNamespace:
    """A question that some systems answered several times."""
    benchmark = SimpleNamespace(slug="sample", name="Sample")
    asked = SimpleNamespace(
        split=SimpleNamespace(slug="dev", name="Development", benchmark=benchmark),
        setting=SimpleNamespace(slug="openbook", name="Open book"),
        revision=SimpleNamespace(short_hash="3f2a9c1b"),
        column=_columns()[0],
        n_scored=3,
        rows=[1, 2, 3],
    )
    text = "Which cities are the capitals of the countries of Scandinavia?"
    pieces = (Piece("The capital of ", marked=False), Piece("Norway", marked=True), Piece(" is Oslo.", marked=False))
    lines = (ReferenceLine((("Norway", 2), ("Oslo", 3)), 0), ReferenceLine((("Sweden", 1), ("Stockholm", 1)), 0))
    shared = {"is_readable": True, "is_answered": True, "marks": (True, True, False, True), "n_found": 3}
    shared |= {"pieces": pieces, "is_cut": False, "is_list": False, "url": "?page=system-questions", "attempts": ()}
    shared |= {"report_url": "", "marked": None, "attempt": 1, "criteria_scores": {}}
    tried = _attempts("A long answer about Scandinavia. " * 40)
    closed = tuple(ShownAttempt(attempt.number, attempt.value) for attempt in tried)

    def row(name: str, verdict: str, value: float, **changes: Any) -> SimpleNamespace:
        outcome = SimpleNamespace(verdict=verdict, value=value, disagrees=False, opinions=())
        entry = SimpleNamespace(system=_system(name=name))
        return SimpleNamespace(**(shared | {"outcome": outcome, "entry": entry} | changes))

    return SimpleNamespace(
        asked=asked,
        question=Question(qid="36146d2306ce9ca3", text=text, categories=["Geography"]),
        number=17,
        summary=SimpleNamespace(mean=0.62, discrimination=0.41, n_right=1, n_partial=2, n_wrong=0),
        by_difficulty=[None] * 310,
        n_harder=120,
        n_as_hard=0,
        list_url="?page=questions",
        all_url="?page=question-attempts",
        easier_url="?page=question-attempts",
        harder_url="?page=question-attempts",
        setting_tabs=[],
        filters=[Tab("All", "?page=question-attempts", True, 3)],
        same_signature=True,
        lines=lines,
        has_keys=True,
        n_examined=3,
        answers=[
            row("GPT-4o", "right", 1.0),
            row(LONG_NAME, "partial", 0.5, attempts=tried),
            row("Gemma 1.1 7B IT", "partial", 0.5, attempts=closed, is_readable=False),
        ],
        page=Paginator([1, 2, 3], 20).get_page(1),
        cited=[],
        attempts=[],
        criteria=None,
    )


def cited_question() -> SimpleNamespace:
    """A question whose answers have citations: with sentences of every state, long ones, and without a judge."""
    page = question_page()
    reason = f"The source says something else: {LONG_WORD}. " * 3
    sentences = [
        MarkedSentence("Oslo is the capital of Norway [1][2].", "supported", "The first source says so."),
        MarkedSentence(f"{LONG_WORD} has <script>alert(1)</script> inhabitants [3].", "unsupported", reason),
        MarkedSentence("Stockholm is older [99999].", "unsupported", "It cites what is not among the citations."),
        MarkedSentence("Its harbour is deep [4].", "not judged", ""),
        MarkedSentence("Both are on the sea.", "not cited", ""),
    ]
    sources = [
        Citation(url="https://en.wikipedia.org/wiki/Norway", title="Norway", quote="Oslo is the capital."),
        Citation(url=f"https://{LONG_WORD}.example/{LONG_WORD}"),
        Citation(url="javascript:alert(1)", title="<b>A script</b>", quote=f"{LONG_WORD} ⟨U+202E⟩ " * 5),
        Citation(id="passage 17"),
    ]
    page.answers[0].marked = MarkedAnswer("Citations, by a judge", sentences * 50, sources, 4)
    page.answers[1].marked = MarkedAnswer("", sentences[3:], sources[:1], 130)
    page.answers[1].attempt = 2
    page.cited = page.answers[:2]
    page.attempts = [Tab(f"Attempt {n}", "?page=question-citations", n == 2, None) for n in (1, 2, 3, 4)]
    return page


def criteria() -> list[CriteriaTable]:
    """Criteria of a report: met, met in part and not, a fault, one that nobody was judged by, and two reports."""
    reason = f"The report names both, and says why: {LONG_WORD}. " * 4

    def line(criterion: Criterion, *decisions: Decision, dimension_weight: str = "") -> CriterionLine:
        rows = question_page().answers
        answers = [DecidedAnswer(row, one, criterion.weight < 0) for row, one in zip(rows, decisions, strict=False)]
        return CriterionLine(criterion, answers, dimension_weight)

    decided = [Decision(1.0, reason="So."), Decision(0.5, reason=reason), Decision(0.0)]
    criteria = [
        line(Criterion("Names the builders of both bridges", 4, "Explicit Criteria"), *decided),
        line(Criterion(f"Invents a source, such as {LONG_WORD}", -5, "References", rubric="Second"), *decided),
        line(Criterion("Compares the costs", 0.25)),
    ]
    beside = [Decision(8.0, 6.5, reason), Decision(0.0, 10.0, "It has none.")]
    depth = Criterion("Depth of the comparison", 0.3, "instruction_following", "Whether causes are named.")
    report = line(depth, *beside, dimension_weight="0.15")
    return [
        CriteriaTable("Rubric score", False, criteria),
        CriteriaTable("Against the reference report", True, [report]),
    ]


LONG_REPORT = "\n".join(
    (
        f"# Two bridges, and {LONG_WORD} " + "that were built in the same years by the same people " * 4,
        "Both carry a road[^1], one a railway[^source-2] too. See [the city](https://example.org/city).",
        "![a map](https://example.org/x.png)",
        *(
            f"## Part {number}: {title}\n\n"
            + "The bridge is long, and its builders are **known**. " * 90
            + f"[^{number % 2 + 1}]"
            for number, title in enumerate(("Builders", "Costs", "Traffic", "Repairs", "Prospects", "Sources"), 1)
        ),
        "### A level that is deeper\n\n> Cited: it stands.\n\n1. first\n2. second\n   - within\n",
        "The load is $F = m \\cdot g$, so \\[ \\sum_{i=1}^n F_i * d_i = 0 \\] and costs $5 to $10.\n",
        f"```python\nfor pier in bridge:\n    check(pier)  # {LONG_WORD}\n```\n",
        "".join(f"| Column {number} " for number in range(1, 13)) + "|\n" + "|---" * 12 + "|",
        "\n".join("".join(f"| {row * number:,} piers " for number in range(1, 13)) + "|" for row in range(1, 6)),
        "\n[^1]: The road of 1898, which <b>is</b> wide.\n\n    Its second paragraph.\n",
        f"[^source-2]: {LONG_WORD}: https://example.org/railway\n\n[^2]: Known since 1900.\n",
        "[^unused]: Nobody cites this.",
    )
)
FROM_RIGHT_TO_LEFT = (
    "# الجسران\n\nبُني الجسر الأول عام 1898، والثاني بعده[^1].\n\n- طويل\n- **قديم**\n\n"
    "| الجسر | السنة |\n|---|---|\n| الأول | 1898 |\n\n[^1]: سجل المدينة.\n"
)


def reading(*texts: str | None, is_readable: bool = True) -> SimpleNamespace:
    """Reports on a question, the first on the left."""
    names = ("Borealis", LONG_NAME)
    choices = [_system(name=name, slug=name) for name in names]
    url = "?page=question-reports"
    reports = {}
    for number, (side, system, text) in enumerate(zip(("left", "right"), choices, texts, strict=False), 1):
        attempts = _attempts("") if number > 1 else ()
        facts = {"entry": SimpleNamespace(system=system), "attempts": attempts, "attempt": min(2, number)}
        reports[side] = SimpleNamespace(is_readable=is_readable, report=text, **facts)
    tabs = [Tab(f"Attempt {n}", url, n == 2, None) for n in range(1, 5 if len(texts) > 1 else 1)]
    slugs = {side: row.entry.system.slug for side, row in reports.items()}
    cited = cited_question().cited if len(texts) > 1 else []
    urls = {"previous_url": url, "next_url": url}
    return SimpleNamespace(reports=reports, choices=choices, slugs=slugs, attempts=tabs, cited=cited, **urls)


def question_of_reports() -> SimpleNamespace:
    """A question whose answers are reports."""
    page = question_page()
    rubric = Column("rubric", "rubric", "Rubric score", "Rubric", "Rubric score", "", bounds=None)
    beside = Column("against-reference", "against-reference", "Against the reference report", "Overall", "Rubric", "")
    for row, value in zip(page.answers, (0.75, -1.25, None), strict=True):
        row.report_url = "?page=question-report"
        row.criteria_scores = {rubric: value, beside: 0.5}
    page.lines, page.criteria_columns = (), [rubric, beside]
    page.criteria = SimpleNamespace(report=LONG_REPORT)
    page.question_url, page.is_long = "?page=question-reports", True
    return page


def questions_page() -> SimpleNamespace:
    """Questions of every outcome."""
    long_answer = f"{LONG_WORD} ⟨U+202E⟩ <script>alert(1)</script>\n" * 20
    questions = [
        _explained(1, "found", _columns()[0], 1.0, _explanation((True, True, True, True), "Oslo.")),
        _explained(2, "partly", _columns()[0], 0.75, _explanation((True, True, False, True), long_answer)),
        _explained(3, "missed", _columns()[0], 0.0, _explanation((False, False, False, False), "", answer=())),
        _explained(4, "unanswered", _columns()[0], 0.0, _explanation((False, False, False, False), None)),
        _explained(
            5,
            "found",
            _columns()[0],
            1.0,
            _explanation((False,) * 4, long_answer, too_long=True, answer_length=1_234_567),
        ),
        _explained(6, "partly", definition_of("qampari").column("list-f1.f1"), 0.5, _list()),
        _explained(7, "partly", _columns()[0], 0.5, _explanation((True, True, False, True), "Oslo."))
        | {"attempts": _attempts(long_answer)},
    ]
    labels = (("All", 310), ("Everything found", 41), ("Something missing", 151), ("Nothing found", 98))
    entry = SimpleNamespace(
        system=_system(name=LONG_NAME),
        split=SimpleNamespace(slug="dev", name="Development", benchmark=SimpleNamespace(slug="sample", name="Sample")),
        setting=SimpleNamespace(slug="openbook", name="Open book"),
    )
    return SimpleNamespace(
        entry=entry,
        outcome="",
        category="Geography",
        tabs=[Tab(label, "?page=system-questions", number == 0, n) for number, (label, n) in enumerate(labels)],
        categories=list(CATEGORIES),
        questions=questions,
        page=Paginator(list(range(45)), 20).get_page(2),
        url="?page=system-questions",
        previous_url="?page=system-questions",
        next_url="?page=system-questions",
        shows_answers=True,
        verdicts_url="#",
        metric="String accuracy",
        same_signature=True,
        system_url="?page=system",
    )


# --- Comparisons ---------------------------------------------------------------------------------------------------


def _compared(letter: str, name: str, **changes: Any) -> Compared:
    return replace(Compared(letter, name, f"system-{letter.lower()}", "?page=system", is_human=False), **changes)


def _systems(n_systems: int) -> list[Compared]:
    names = ("GPT-4o", LONG_NAME, "Gemma 1.1 7B IT", "People", LONG_WORD, "Claude")
    systems = [_compared(letter, name) for letter, name in zip("ABCDEF", names[:n_systems], strict=False)]
    if n_systems > 3:
        systems[3] = replace(systems[3], is_human=True)
    return systems


def _difference(first: int, second: int, place: int) -> Difference:
    """The difference of two systems in the score at *place*."""
    value, far = 0.09 * (second - first) - 0.05 * place, second - first > 1
    return Difference(
        first=first,
        second=second,
        value=value,
        low=value - 0.04,
        high=value + 0.04,
        p_value=0.0001 if far else 0.08,
        corrected=0.0006 if far else 0.2,
        n_items=310,
        equal_share=0.712,
        kappa=0.43 if place % 2 else None,
        pearson=0.5,
    )


def _section(systems: list[Compared], place: int, column: ShownColumn, *, lacking: bool) -> ScoreSection:
    """One score of every system and the differences of all pairs; or why it is lacking."""
    n_systems = len(systems)
    pairs = sorted((first, second) for second in range(n_systems) for first in range(second))
    refused = (((0,), "Fewer than 10 of its questions turned out otherwise than the rest."),)
    return ScoreSection(
        column=column,
        url="?page=compare",
        current=place == 0,
        values=tuple(
            None if lacking else CellValue(0.6 - 0.09 * one, 0.55 - 0.09 * one, 0.65 - 0.09 * one)
            for one in range(n_systems)
        ),
        differences=ScoreDifferences(
            () if lacking else tuple(_difference(first, second, place) for first, second in pairs),
            refused if place == 1 and n_systems > 2 else (),
        ),
        lacking=tuple((system.letter, NO_JUDGE) for system in systems) if lacking else (),
    )


def _category_comparisons(n_systems: int) -> list[CategoryRow]:
    return [
        CategoryRow(
            name,
            size,
            name == "Other",
            tuple(CellValue(0.6 - 0.09 * one, 0.5, 0.7) for one in range(n_systems)),
            tuple(CellValue(None) if row == 3 else CellValue(-0.09 * one, -0.2, 0.1) for one in range(1, n_systems)),
        )
        for row, (name, size) in enumerate(CATEGORIES)
    ]


def _differing_questions(n_systems: int) -> list[dict[str, Any]]:
    items = (("Norway", 0), ("Oslo", 1), (LONG_WORD, 2))
    return [
        {
            "number": number,
            "qid": f"question-{number}",
            "text": "Which cities are the capitals of the countries of Scandinavia?",
            "values": [1.0 - 0.2 * place for place in range(n_systems)],
            "answered": [True] * n_systems,
            "items": [
                (text, depth, [(place + depth) % 2 == 0 if place < 2 else None for place in range(n_systems)])
                for text, depth in items
            ],
        }
        for number in (17, 203)
    ]


def comparison(n_systems: int) -> Comparison:
    """So many systems side by side, on a split whose answers are public."""
    systems, columns = _systems(n_systems), _columns()
    return Comparison(
        split=Split(name="Development", slug="dev", hidden=False, benchmark=Benchmark(name="Sample", slug="sample")),
        setting=Setting(name="Open book", slug="openbook"),
        board_url="?page=board",
        tabs=[
            Tab("Open book, development", "?page=compare", True, n_systems),
            Tab("Open book, test", "?page=compare", False, 2),
        ],
        systems=systems,
        left_out=[Compared("", LONG_WORD, "x", "", is_human=False, reason="No result here.")],
        sections=[
            _section(systems, index, column, lacking=index == len(columns) - 1) for index, column in enumerate(columns)
        ],
        categories=_category_comparisons(n_systems),
        signatures=SIGNATURES,
        in_questions=systems,
        item_metric="String accuracy",
        questions=_differing_questions(n_systems),
        n_differing=212,
        n_questions=310,
        page=2,
        n_pages=22,
        previous_url="?page=compare",
        next_url="?page=compare",
        n_asked=n_systems + 1,
    )


def against() -> dict[str, Any]:
    """Nine systems against people, one of them left out."""
    columns = tuple(_columns()[:3])
    rows = tuple(
        (
            SimpleNamespace(
                system=SimpleNamespace(
                    name=(LONG_NAME, LONG_WORD, "Claude")[number] if number < 3 else f"System {number}",
                    get_absolute_url="?page=system",
                )
            ),
            0.8 - 0.06 * number,
            Difference(
                first=number,
                second=-1,
                value=0.12 - 0.06 * number,
                low=0.03 - 0.06 * number,
                high=0.21 - 0.06 * number,
                p_value=0.0002,
                corrected=0.2 if number in (1, 2, 3) else 0.0011,
                n_items=140,
                equal_share=0.7,
                kappa=0.4,
                pearson=0.4,
                clustered=True,
            ),
        )
        for number in range(9)
    )
    place = SimpleNamespace(name="Sample", slug="sample")
    people = SimpleNamespace(
        system=SimpleNamespace(name="People", get_absolute_url="?page=system-people"),
        split=SimpleNamespace(name="Test", slug="test", benchmark=place),
        setting=SimpleNamespace(name="Open book", slug="openbook"),
    )
    return {
        "people": people,
        "column": columns[0],
        "columns": columns,
        "board_url": "?page=board",
        "value": 0.68,
        "n_answers": 140,
        "n_questions": 97,
        "n_people": 14,
        "rows": rows,
        "refused": [(LONG_WORD, "Their questions differ.")],
        "reach": 0.6,
        "n_better": 1,
        "n_worse": 5,
    }


def compare_context(n_systems: int) -> dict[str, Any]:
    """The page with so many systems; with none the form to choose them."""
    shown = replace(comparison(max(n_systems, 2)), reports_url="?page=question-reports")
    if n_systems < 2:
        shown = replace(shown, systems=[], sections=[], categories=[], questions=[])
    candidates = [
        (name, f"c-{number}", None if number == 3 else 0.5 - 0.01 * number, number < 2)
        for number, name in enumerate((LONG_NAME, LONG_WORD, *(f"System {number}" for number in range(20))))
    ]
    boards = [("a/b/c", "Sample: Open book, development", True), ("a/d/c", "Sample: Open book, test", False)]
    chooser = {
        "boards": boards,
        "candidates": candidates,
        "column": _columns()[0],
        "n_matching": 312,
        "n_systems": 314,
        "q": "GPT",
    }
    return {
        "comparison": shown,
        "chooser": chooser if n_systems < 2 else None,
        "choose_url": "?page=compare-choose",
        "most": 6,
    }
