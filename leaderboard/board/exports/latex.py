"""A board as a LaTeX table for a paper."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import groupby

from leaderboard.board.document import Cell
from leaderboard.board.exports.bibtex import system_keys
from leaderboard.board.exports.latex_escape import comment, escaped
from leaderboard.board.exports.schema import Board, Origin, Row
from leaderboard.board.exports.snapshot_table import columns_of
from leaderboard.board.table import ShownColumn
from leaderboard.disclosure import rounded_down, rounded_up
from leaderboard.models import EntryKind
from leaderboard.templatetags.display import in_per_cent
from scoring.metrics.columns import shown

DASH = "--"
MOST_SOURCES = 3
"""A caption with more sources of reported rows leaves them to the comments."""


class Uncertainty(StrEnum):
    """Ways in which a table shows the uncertainty of a number."""

    NONE = ""
    INTERVAL = "interval"
    """The interval's two ends, small, after the value; and the rank range."""
    HALF_WIDTH = "pm"
    """Plus or minus half of the interval's width."""


def as_latex(document: Board, origin: Origin) -> str:
    """A ``table`` environment for XeLaTeX and LuaLaTeX that requires only the package booktabs.

    Each column shows in bold the values that the board marks: the best, and all that are not significantly worse. A
    missing value is a dash, with the reason in a comment. Values have the unit and the decimals of the board. Comments
    contain URL, date, the revision and signatures of what was scored here, for each reported row its source, and for
    each row the key of its system in the BibTeX export. Rows without intervals show none.
    """
    known = "interval" if origin.uncertainty == "1" else origin.uncertainty
    uncertainty = Uncertainty(known) if known in set(Uncertainty) else Uncertainty.NONE
    benchmark, split, setting = document.benchmark, document.split, document.setting
    about = [
        f"{benchmark.name}, {setting.name}, {split.name} split, {split.n_questions} questions",
        f"{origin.address} on {origin.date.isoformat()}",
    ]
    if document.revision and document.signatures:
        about.append(f"Revision of the questions: {document.revision.hash} of {document.revision.date}")
    about += [f"{label}: {signature}" for label, signature in document.signatures.items()]
    about.append(
        r"Needs \usepackage{booktabs}, and XeLaTeX or LuaLaTeX. Keys after the rows are those of the BibTeX export."
    )
    return "\n".join([*map(comment, about), *_table(document, uncertainty), ""])


def _table(document: Board, uncertainty: Uncertainty) -> Iterator[str]:
    columns = columns_of(document)
    label = "-".join(part.slug for part in (document.benchmark, document.split, document.setting))
    yield r"\begin{table}[t]"
    yield r"\centering"
    yield rf"\caption{{{_caption(document, columns, uncertainty)}}}"
    yield rf"\label{{tab:{label}}}"
    yield rf"\begin{{tabular}}{{rlr{'r' * len(columns)}}}"
    yield r"\toprule"
    groups = [(label, list(members)) for label, members in groupby(columns, key=lambda column: column.group)]
    if any(len(members) > 1 for _, members in groups):
        spans = [
            rf"\multicolumn{{{len(members)}}}{{c}}{{{escaped(label)}}}" if len(members) > 1 else ""
            for label, members in groups
        ]
        yield " & & " + "".join(f" & {span}" for span in spans) + r" \\"
        at = 4  # after rank, name and context
        for _, members in groups:
            if len(members) > 1:
                yield rf"\cmidrule(lr){{{at}-{at + len(members) - 1}}}"
            at += len(members)
    labels = (
        escaped(column.short_label + column.unit_label) + ("" if column.higher_is_better else r" $\downarrow$")
        for column in columns
    )
    yield " & ".join(["\\#", "System", "Context", *labels]) + r" \\"
    keys = system_keys(document)
    parts = [(document.pinned_rows, False), (document.rows, False), (document.apart_rows, True)]
    for rows, apart in parts:
        if rows:
            yield r"\midrule"
            yield from (line for row in rows for line in _row(row, columns, uncertainty, keys, apart=apart))
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield r"\end{table}"


def _caption(document: Board, columns: Sequence[ShownColumn], uncertainty: Uncertainty) -> str:
    rows = [*document.pinned_rows, *document.rows]
    cells = [cell for row in rows for cell in row.cells.values()]
    benchmark, split, setting = (escaped(part.name) for part in (document.benchmark, document.split, document.setting))
    sentences = [f"{benchmark}, {setting.lower()}, {split.lower()} split."]
    if note := in_per_cent(columns):
        sentences.append(escaped(note))
    if any(cell.marked for cell in cells):
        sentences.append("Bold: the best of a column, and all that are not significantly worse (rank range from 1).")
    if any(is_bold(cell) and not cell.marked for cell in cells):
        sentences.append(
            r"Bold with \dag: the best reported." if any(cell.marked for cell in cells) else "Bold: the best reported."
        )
    if any(not column.higher_is_better for column in columns):
        sentences.append(r"$\downarrow$: lower is better.")
    confidence = round(100 * float(document.statistics["confidence"]))
    if uncertainty is Uncertainty.INTERVAL:
        sentences.append(rf"Small: {confidence}\,\% intervals over questions.")
    elif uncertainty is Uncertainty.HALF_WIDTH:
        sentences.append(rf"$\pm$: half of the width of the {confidence}\,\% interval over questions.")
    if any(row.kind == EntryKind.REPORTED for row in rows):
        sources = document.reported_sources
        place = f"in {'; '.join(map(escaped, sources))}" if 0 < len(sources) <= MOST_SOURCES else "elsewhere"
        sentences.append(rf"\dag: as reported {place}, not scored here.")
    if document.apart_rows:
        sentences.append(r"\ddag: scored in another way, not comparable.")
    if any(cell.value is None for cell in cells):
        sentences.append(f"{DASH}: not scored.")
    return " ".join(sentences)


def _row(
    row: Row,
    columns: Sequence[ShownColumn],
    uncertainty: Uncertainty,
    keys: Mapping[str, str],
    *,
    apart: bool,
) -> Iterator[str]:
    cells = [row.cells[column.key] for column in columns]
    reasons: dict[str, list[str]] = {}
    for column, cell in zip(columns, cells, strict=True):
        if cell.value is None and cell.reason:
            reasons.setdefault(cell.reason, []).append(column.label)
    yield from (comment(f"{DASH} {', '.join(labels)}: {reason}") for reason, labels in reasons.items())
    if row.kind == EntryKind.REPORTED and row.source:
        yield comment(f"As reported in {row.source}")
    mark = r"\textsuperscript{\dag}" if row.kind == "reported" else ""
    mark += r"\textsuperscript{\ddag}" if apart else ""
    context = "" if row.context_size is None else f"{row.context_size:,}"
    values = [_cell(cell, column, uncertainty) for cell, column in zip(cells, columns, strict=True)]
    line = " & ".join([_rank(row, uncertainty), escaped(row.system) + mark, context, *values])
    key = keys.get(row.slug, "")
    yield rf"{line} \\" + (f" {comment(key)}" if key else "")


def _rank(row: Row, uncertainty: Uncertainty) -> str:
    if row.rank is None:
        return ""
    rank = f"{row.rank}{'=' if row.tied else ''}"
    if uncertainty is Uncertainty.NONE or row.best_rank is None:
        return rank
    ends = f"{row.best_rank}" if row.best_rank == row.worst_rank else f"{row.best_rank}--{row.worst_rank}"
    return rf"{rank} {{\scriptsize [{ends}]}}"


def is_bold(cell: Cell) -> bool:
    """Whether the board shows a cell in bold: it is marked, or is the best reported value."""
    return bool(cell.marked or (cell.best and cell.state == EntryKind.REPORTED))


def _cell(cell: Cell, column: ShownColumn, uncertainty: Uncertainty) -> str:
    def text(number: float) -> str:
        return escaped(shown(number, column))

    if cell.value is None:
        return rf"\textit{{{text(cell.other_value)}}}" if cell.other_value is not None else DASH
    value = text(cell.value)
    if is_bold(cell):
        value = rf"\textbf{{{value}}}"
    if uncertainty is Uncertainty.NONE or cell.low is None or cell.high is None:
        return value
    if uncertainty is Uncertainty.INTERVAL:
        low, high = rounded_down(cell.low, column.digits), rounded_up(cell.high, column.digits)
        return rf"{value} {{\scriptsize [{text(low)}, {text(high)}]}}"
    return rf"{value} {{\scriptsize $\pm$ {text(rounded_up((cell.high - cell.low) / 2, column.digits))}}}"
