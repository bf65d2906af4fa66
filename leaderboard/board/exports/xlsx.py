"""A board as a workbook of spreadsheets: the fields of the CSV with numbers as numbers, written without a library."""

import io
import zipfile
from collections.abc import Iterable
from typing import Any, Final
from xml.sax.saxutils import escape

from leaderboard.board.exports.csv import lines_of
from leaderboard.board.exports.format import Format
from leaderboard.board.exports.latex_escape import one_line
from leaderboard.board.exports.schema import Board

_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PARTS: Final = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
    '<sheets><sheet name="Leaderboard" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
}
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The same board gives the same bytes."""


def as_xlsx(document: Board) -> bytes:
    """One sheet. A text is stored as a text, which no program runs as a formula; a missing value is an empty cell."""
    return workbook(lines_of(document))


def workbook(lines: Iterable[Iterable[Any]]) -> bytes:
    """A workbook with one sheet of these lines."""
    rows = "".join(f"<row>{''.join(map(_cell, line))}</row>" for line in lines)
    parts = _PARTS | {
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
        '<pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews>'
        f"<sheetData>{rows}</sheetData></worksheet>"
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(zipfile.ZipInfo(name, _EPOCH), _HEAD + content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, (int, float)):
        return f"<c><v>{value!r}</v></c>"
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(one_line(str(value)))}</t></is></c>'


FORMATS: Final = (Format("xlsx", 60, "Excel", f"{_TYPE}.sheet", lambda document, _: as_xlsx(document)),)
