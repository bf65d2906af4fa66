"""The fields of every export: boards, dated states, studies and grading rounds.

The exports are made from the site of version 0.7.0, in which every field has a value somewhere.
"""

import io
import json
import re
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.core.management import call_command
from django.utils.encoding import force_str

from tests.contracts.shapes import bibtex_structure, csv_heading, latex_structure, merged, shape_of
from tests.contracts.visitors import client_of, content_of
from tests.upgrade.version_0_7_0 import SITE

BOARD: Final = "/fanoutqa/dev/openbook/"
BOARDS: Final = (BOARD, "/fanoutqa/test/openbook/")
STATES: Final = [state["url"] for state in SITE["states"] if state["url"].startswith(BOARD)]
STUDY: Final = "spring-study"
ROUND: Final = "spring-round"


def collect() -> dict[str, Any]:
    """The fields by export and format."""
    return {
        "board": _files([f"{board}export.{{}}" for board in BOARDS], columns="all"),
        "dated state": _files([f"{state}export.{{}}" for state in (STATES[0], STATES[-1])]),
        "study": _study(),
        "study links": csv_heading(_posted(f"/maintenance/studies/{STUDY}/invitations/links.csv")),
        "grading": _grading(),
        "corrections": shape_of(json.loads(content_of(f"/grading/{ROUND}/corrections.json", "grace"))),
    }


def _files(patterns: list[str], **query: str) -> dict[str, Any]:
    """The four formats of a board's export, merged over several boards."""

    def texts(extension: str) -> list[str]:
        return [force_str(content_of(pattern.format(extension), data=query)) for pattern in patterns]

    def tex(uncertainty: str) -> str:
        return force_str(content_of(patterns[0].format("tex"), data={"uncertainty": uncertainty, **query}))

    headings = {tuple(csv_heading(text)) for text in texts("csv")}
    return {
        "json": merged(shape_of(json.loads(text)) for text in texts("json")),
        "csv": [list(heading) for heading in sorted(headings)],
        "tex": latex_structure("\n".join(texts("tex"))),
        "tex with intervals": latex_structure(tex("interval")),
        "tex with half widths": latex_structure(tex("pm")),
        "bib": bibtex_structure("\n".join(texts("bib"))),
    }


def _posted(path: str) -> str:
    response = client_of("grace").post(path, {"with_contacts": "on"})
    assert response.status_code == 200, f"{path} answers {response.status_code}"
    return force_str(response.content)


def _study() -> dict[str, Any]:
    """Every file of the archive; the files of single participants count as one."""
    with TemporaryDirectory() as folder:
        target = Path(folder) / "study.zip"
        out = io.StringIO()
        call_command("export_study", STUDY, out=target, with_contacts=True, stdout=out, stderr=out)
        with zipfile.ZipFile(target) as archive:
            found: dict[str, list[Any]] = {}
            for name in archive.namelist():
                kind = re.sub(r"P-\d+", "<participant>", name)
                found.setdefault(kind, []).append(_shape_of_file(name, force_str(archive.read(name))))
    return {name: merged(shapes) for name, shapes in found.items()}


def _shape_of_file(name: str, text: str) -> Any:
    if name.endswith(".jsonl"):
        lines = [line for line in text.split("\n") if line]
        return merged(shape_of(json.loads(line)) for line in lines) if lines else "empty"
    if name.endswith(".json"):
        return shape_of(json.loads(text))
    return csv_heading(text) if name.endswith(".csv") else "text"


def _grading() -> dict[str, Any]:
    """Both formats, as the command writes them."""
    with TemporaryDirectory() as folder:
        found = {}
        for extension in ("json", "csv"):
            target = Path(folder) / f"round.{extension}"
            call_command("export_grading", ROUND, format=extension, out=target)
            found[extension] = _shape_of_file(target.name, target.read_text(encoding="utf-8"))
    return found
