"""A board as a LaTeX table for a paper."""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Any

from leaderboard.board.exports.bibtex import system_keys
from leaderboard.board.exports.latex_escape import OTHER_SCRIPT, comment, escaped, needs_definition
from leaderboard.models import EntryKind
from leaderboard.templatetags.display import score

DASH = "--"


class Uncertainty(StrEnum):
    """How a table shows the uncertainty of a number."""

    NONE = ""
    INTERVAL = "interval"
    """The interval's two ends, small, after the value; and the rank range."""
    HALF_WIDTH = "pm"
    """Plus or minus half of the interval's width."""


def as_latex(
    document: Mapping[str, Any],
    *,
    address: str,
    date: datetime.date,
    uncertainty: Uncertainty = Uncertainty.NONE,
) -> str:
    """A ``table`` environment that requires only the package booktabs.

    Each column shows in bold the values that the board marks: the best, and all that are not significantly different
    from it. A missing value is a dash, with the reason in a comment. Values have the decimals of the board. Comments
    contain URL, date, revision and signatures, and for each row the key of its system in the BibTeX export.

    Args:
        address: absolute URL of the board or of its snapshot.
        date: the date of the board's content.
        uncertainty: whether and how to show intervals; rows without intervals show none.
    """
    body = "\n".join(_table(document, uncertainty))
    head = [comment(line) for line in _about(document, address, date)]
    return "\n".join([*head, *([OTHER_SCRIPT] if needs_definition(body) else []), body, ""])


def _about(document: Mapping[str, Any], address: str, date: datetime.date) -> Iterator[str]:
    benchmark, split, setting = document["benchmark"], document["split"], document["setting"]
    yield f"{benchmark['name']}, {setting['name']}, {split['name']} split, {split['n_questions']} questions"
    yield f"{address} on {date.isoformat()}"
    if document["revision"]:
        yield f"Revision of the questions: {document['revision']['hash']} of {document['revision']['date']}"
    signatures = {column["metric_label"]: column["signature"] for column in document["columns"]}
    yield from (f"{label}: {signature}" for label, signature in signatures.items())
    yield r"Needs \usepackage{booktabs}. Keys after the rows are those of the BibTeX export."


def _table(document: Mapping[str, Any], uncertainty: Uncertainty) -> Iterator[str]:
    columns = document["columns"]
    label = "-".join(document[part]["slug"] for part in ("benchmark", "split", "setting"))
    yield r"\begin{table}[t]"
    yield r"\centering"
    yield rf"\caption{{{_caption(document, uncertainty)}}}"
    yield rf"\label{{tab:{label}}}"
    yield rf"\begin{{tabular}}{{rlr{'r' * len(columns)}}}"
    yield r"\toprule"
    groups = [(label, list(members)) for label, members in groupby(columns, key=lambda column: column["group"])]
    if any(len(members) > 1 for _, members in groups):
        yield " & & " + "".join(f" & {_group(label, members)}" for label, members in groups) + r" \\"
        yield from _rules(groups)
    labels = (escaped(column["short_label"]) for column in columns)
    yield " & ".join(["\\#", "System", "Context", *labels]) + r" \\"
    keys = system_keys(document)
    parts = [(document["pinned_rows"], False), (document["rows"], False), (document["apart_rows"], True)]
    for rows, apart in parts:
        if rows:
            yield r"\midrule"
            yield from (line for row in rows for line in _row(row, columns, uncertainty, keys, apart=apart))
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield r"\end{table}"


def _caption(document: Mapping[str, Any], uncertainty: Uncertainty) -> str:
    rows = [*document["pinned_rows"], *document["rows"]]
    cells = [cell for row in rows for cell in row["cells"].values()]
    benchmark, split, setting = (escaped(document[part]["name"]) for part in ("benchmark", "split", "setting"))
    sentences = [f"{benchmark}, {setting.lower()}, {split.lower()} split."]
    if any(cell["marked"] for cell in cells):
        sentences.append("Bold: the best of a column, and all that are not significantly different from it.")
    if any(is_bold(cell) and not cell["marked"] for cell in cells):
        sentences.append(
            r"Bold with \dag: the highest reported."
            if any(cell["marked"] for cell in cells)
            else "Bold: the highest reported."
        )
    confidence = round(100 * document["statistics"]["confidence"])
    if uncertainty is Uncertainty.INTERVAL:
        sentences.append(rf"Small: {confidence}\,\% intervals over questions.")
    elif uncertainty is Uncertainty.HALF_WIDTH:
        sentences.append(rf"$\pm$: half of the width of the {confidence}\,\% interval over questions.")
    if any(row["kind"] == "reported" for row in rows):
        sentences.append(r"\dag: as reported elsewhere, not scored here.")
    if document["apart_rows"]:
        sentences.append(r"\ddag: scored in another way, not comparable.")
    if any(cell["value"] is None for cell in cells):
        sentences.append(f"{DASH}: not scored.")
    return " ".join(sentences)


def _group(label: str, members: Sequence[Any]) -> str:
    return rf"\multicolumn{{{len(members)}}}{{c}}{{{escaped(label)}}}" if len(members) > 1 else ""


def _rules(groups: Sequence[tuple[str, Sequence[Any]]]) -> Iterator[str]:
    at = 4
    for _, members in groups:
        if len(members) > 1:
            yield rf"\cmidrule(lr){{{at}-{at + len(members) - 1}}}"
        at += len(members)


def _row(
    row: Mapping[str, Any],
    columns: Sequence[Mapping[str, Any]],
    uncertainty: Uncertainty,
    keys: Mapping[str, str],
    *,
    apart: bool,
) -> Iterator[str]:
    cells = [row["cells"][column["key"]] for column in columns]
    reasons: dict[str, list[str]] = {}
    for column, cell in zip(columns, cells, strict=True):
        if cell["value"] is None and cell["reason"]:
            reasons.setdefault(cell["reason"], []).append(column["label"])
    yield from (comment(f"{DASH} {', '.join(labels)}: {reason}") for reason, labels in reasons.items())
    mark = r"\textsuperscript{\dag}" if row["kind"] == "reported" else ""
    mark += r"\textsuperscript{\ddag}" if apart else ""
    context = "" if row["context_size"] is None else f"{row['context_size']:,}"
    values = [_cell(cell, column, uncertainty) for cell, column in zip(cells, columns, strict=True)]
    line = " & ".join([_rank(row, uncertainty), escaped(row["system"]) + mark, context, *values])
    key = keys.get(row["slug"], "")
    yield rf"{line} \\" + (f" {comment(key)}" if key else "")


def _rank(row: Mapping[str, Any], uncertainty: Uncertainty) -> str:
    if row["rank"] is None:
        return ""
    rank = f"{row['rank']}{'=' if row['tied'] else ''}"
    if uncertainty is Uncertainty.NONE or row["best_rank"] is None:
        return rank
    return rf"{rank} {{\scriptsize [{row['best_rank']}--{row['worst_rank']}]}}"


def is_bold(cell: Mapping[str, Any]) -> bool:
    """Whether the board shows a cell in bold: it is marked, or is the highest reported value."""
    return bool(cell["marked"] or (cell["best"] and cell["state"] == EntryKind.REPORTED))


def _cell(cell: Mapping[str, Any], column: Mapping[str, Any], uncertainty: Uncertainty) -> str:
    decimals = column["decimals"]

    def shown(number: float) -> str:
        return escaped(str(score(number, decimals)))

    if cell["value"] is None:
        return rf"\textit{{{shown(cell['other_value'])}}}" if cell["other_value"] is not None else DASH
    value = shown(cell["value"])
    if is_bold(cell):
        value = rf"\textbf{{{value}}}"
    if uncertainty is Uncertainty.NONE or cell["low"] is None or cell["high"] is None:
        return value
    if uncertainty is Uncertainty.INTERVAL:
        return rf"{value} {{\scriptsize [{shown(cell['low'])}, {shown(cell['high'])}]}}"
    return rf"{value} {{\scriptsize $\pm$ {shown((cell['high'] - cell['low']) / 2)}}}"
