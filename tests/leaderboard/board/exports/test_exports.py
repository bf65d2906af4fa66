"""Exports: exactly what the board shows, exact numbers, and nothing in them that opens, runs or breaks anything."""

import copy
import csv
import datetime
import html
import io
import json
import math
import re
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from leaderboard.board import standings
from leaderboard.board.exports import bibtex
from leaderboard.board.exports.bibtex import (
    as_bibtex,
    as_source,
    entries_in,
    system_entries,
    system_keys,
    validate_citation,
)
from leaderboard.board.exports.csv import as_csv, neutralised
from leaderboard.board.exports.document import as_document
from leaderboard.board.exports.files import FORMATS
from leaderboard.board.exports.latex import Uncertainty, as_latex
from leaderboard.board.exports.latex_escape import escaped
from leaderboard.board.exports.markdown import as_markdown
from leaderboard.board.exports.schema import Board, Origin, canonical_json
from leaderboard.board.table import BoardParams
from leaderboard.models import Entry, EntryKind, ReportedValue, System
from scoring.models import Benchmark
from tests import boards, factories
from tests.boards import board_for

pytestmark = pytest.mark.django_db

URL = "/fanoutqa/dev/openbook/export."
DATE = datetime.date(2026, 7, 14)
ADDRESS = "https://manyhop.example/fanoutqa/dev/openbook/?columns=all"
ORIGIN = Origin(ADDRESS, DATE, "Manyhop")
HOSTILE = (
    "=HYPERLINK(\"http://x\"),'a'",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "+1;=2\n-3",
    r"\input{/etc/passwd}\write18{rm} $x$ & 50% #1 _a^b ~ {} <>|\"",
    "混元 Größe Łódź ą ế 🦙 \u202eabc",
    "a\0b\x07c\u2028d",
    "--- \N{EN DASH} ''quoted'' ``so``",
)


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark(n_dev=12)


_kept: list[Board] = []


@pytest.fixture
def document(db: None) -> Board:
    """A board of twelve drawn systems with statistics, one reported row and one row of people; made once for all."""
    if not _kept:
        made = factories.benchmark(n_dev=12)
        fill(made)
        _kept.append(document_of(made, BoardParams(columns="all")))
    return copy.deepcopy(_kept[0])


def fill(made: Benchmark, n: int = 12) -> None:
    dev, openbook = factories.split(made, "dev"), factories.setting(made)
    boards.fill(dev, openbook, n)
    for name, human in (("Reported", False), ("Volunteers", True)):
        system = System.objects.create(name=name, slug=name.lower(), authors="B. Author et al.", is_human=human)
        entry = Entry.objects.create(
            system=system, split=dev, setting=openbook, kind=EntryKind.REPORTED, source="Table 1"
        )
        ReportedValue.objects.create(entry=entry, name="loose", value=0.1 + 0.2)
    standings.refresh(dev, openbook)


def document_of(made: Benchmark, params: BoardParams) -> Board:
    return as_document(board_for(factories.split(made, "dev"), factories.setting(made), params, paged=False))


def hostile(document: Board) -> Board:
    """The same with rows whose every text is meant to do harm."""
    changed = copy.deepcopy(document)
    for text, row in zip(HOSTILE, changed.rows, strict=False):
        row.system = row.authors = row.citation = row.source = row.note = text
        for cell in row.cells.values():
            cell.reason = text
    return changed


def parsed(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


class TestTheDocument:
    def test_holds_every_number_in_full(self, made: Benchmark) -> None:
        fill(made)
        document = document_of(made, BoardParams(columns="all"))
        read = json.loads(canonical_json(document))
        board = board_for(
            factories.split(made, "dev"), factories.setting(made), BoardParams(columns="all"), paged=False
        )
        assert len(read["rows"]) == len(board.rows) == 13
        for row, shown in zip(read["rows"], board.rows, strict=True):
            assert (row["system"], row["rank"], row["best_rank"]) == (shown.name, shown.rank, shown.best_rank)
            for cell in shown.cells:
                assert row["cells"][cell.column.key]["value"] == cell.value
                assert row["cells"][cell.column.key]["low"] == cell.low
        assert any(cell["low"] is not None for row in read["rows"] for cell in row["cells"].values())
        assert any(row["cells"]["loose"]["value"] == 0.30000000000000004 for row in read["rows"])

    def test_says_how_the_numbers_were_made(self, made: Benchmark) -> None:
        fill(made)
        document = document_of(made, BoardParams(columns="all"))
        revision = factories.split(made, "dev").current_revision
        assert revision is not None
        assert document.revision and document.revision.hash == revision.content_hash
        assert all(column.signature.startswith(column.metric) for column in document.columns)
        assert document.statistics["n_resamples"] == 10_000
        assert (document.schema, document.schema_version) == ("manyhop-board", 1)
        assert document.asked.ranked_by == "loose"

    def test_holds_no_question_and_no_reference(self, made: Benchmark) -> None:
        owner = factories.user()
        factories.published(owner, factories.split(made, "dev"), {"openbook": factories.perfect(n=12)})
        text = canonical_json(document_of(made, BoardParams(columns="all"))).decode()
        for private in ("Oslo", "Nairobi", "capital of", "dev-0"):
            assert private not in text


class TestWhatIsExported:
    def test_is_what_the_same_address_shows(self, made: Benchmark, client: Client) -> None:
        fill(made)
        query = "?type=PROMPT&type=OTHER&context_max=100000&columns=loose,judge&sort=name"
        rows = parsed(client.get(f"{URL}csv{query}").content.decode())
        board = board_for(
            factories.split(made, "dev"),
            factories.setting(made),
            BoardParams.of(client.get("/fanoutqa/dev/openbook/" + query).wsgi_request.GET, definition()),
        )
        shown = [row.name for row in board.pinned_rows + board.rows]
        assert [row["system"] for row in rows] == shown
        assert 1 < len(shown) < 12
        assert {key for key in rows[0] if key in ("loose", "strict", "judge", "bleurt")} == {"loose", "judge"}

    @pytest.mark.parametrize("extension", ["csv", "json", "tex", "bib"])
    def test_comes_as_a_file_that_is_sent_once(self, made: Benchmark, client: Client, extension: str) -> None:
        fill(made, 2)
        response = client.get(URL + extension)
        assert response.status_code == 200
        assert response["Content-Disposition"] == f'attachment; filename="fanoutqa-dev-openbook.{extension}"'
        assert response["X-Content-Type-Options"] == "nosniff"
        assert "charset=utf-8" in response["Content-Type"] or extension == "json"
        again = client.get(URL + extension, headers={"If-None-Match": response["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
        system = System.objects.get(slug="reported")
        system.name = "Reported anew"
        system.save()
        boards.write()
        assert client.get(URL + extension, headers={"If-None-Match": response["ETag"]}).status_code == 200

    def test_is_not_made_again_for_who_has_it(
        self, made: Benchmark, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        fill(made, 2)
        first = client.get(f"{URL}csv")
        with django_assert_num_queries(5):
            assert client.get(f"{URL}csv", headers={"If-None-Match": first["ETag"]}).status_code == 304
        for other in ("csv?sort=name", "csv?columns=all", "tex", "tex?uncertainty=pm"):
            assert client.get(URL + other)["ETag"] != first["ETag"]

    def test_there_is_no_other_format_and_no_other_board(self, made: Benchmark, client: Client) -> None:
        assert made
        assert client.get(f"{URL}ods").status_code == 404
        assert client.get("/fanoutqa/dev/nowhere/export.csv").status_code == 404
        assert client.post(f"{URL}csv").status_code == 405

    def test_takes_as_many_queries_for_any_number_of_rows(
        self, made: Benchmark, client: Client, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for n_rows in (3, 40):
            boards.fill(factories.split(made, "dev"), factories.setting(made), n_rows, prefix=f"Of{n_rows}")
            boards.write()
            with django_assert_num_queries(6):  # the board, and its document
                client.get(f"{URL}csv?columns=all")


def definition() -> Any:
    from scoring.benchmarks import definition_of

    return definition_of("fanoutqa")


class TestReportedNumbers:
    """Numbers that were not computed here carry their source, and nothing of how this site computes."""

    SOURCE = "Table 1 of Author & al., 2024"

    @pytest.fixture
    def reported(self, made: Benchmark) -> Benchmark:
        system = System.objects.create(name="Reported", slug="reported", authors="B. Author")
        entry = Entry.objects.create(
            system=system,
            split=factories.split(made, "dev"),
            setting=factories.setting(made),
            kind=EntryKind.REPORTED,
            source=self.SOURCE,
        )
        ReportedValue.objects.create(entry=entry, name="loose", value=0.25)
        boards.write()
        return made

    def test_have_no_signature_and_no_revision(self, reported: Benchmark, client: Client) -> None:
        dev = factories.split(reported, "dev")
        assert dev.current_revision is not None
        for extension in ("json", "csv", "tex", "bib"):
            text = client.get(f"{URL}{extension}?columns=all").content.decode()
            assert f"data:dev@{dev.current_revision.short_hash}" not in text
            assert dev.current_revision.short_hash not in text
        document = json.loads(client.get(f"{URL}json?columns=all").content)
        assert {column["signature"] for column in document["columns"]} == {""}
        assert (document["revision"], document["revisions"]) == (None, [])
        [row] = document["rows"]
        assert (row["n_answered"], row["n_questions"]) == (None, None)
        answer = client.get("/api/v1/board/", {"benchmark": "fanoutqa", "split": "dev", "setting": "openbook"}).json()
        assert answer["signatures"] == {}
        assert answer["rows"][0]["n_questions"] is None
        assert 'id="signatures"' not in client.get("/fanoutqa/dev/openbook/").content.decode()

    def test_have_their_source_in_every_file(self, reported: Benchmark, client: Client) -> None:
        assert reported
        for extension, written_so in (
            ("json", self.SOURCE),
            ("csv", self.SOURCE),
            ("tex", f"% As reported in {self.SOURCE}\n"),
            ("tex", escaped(self.SOURCE)),
            ("bib", escaped(self.SOURCE)),
        ):
            assert written_so in client.get(URL + extension).content.decode(), extension


class TestCsv:
    def test_csv_reads_back_the_exact_numbers(self, document: Board) -> None:
        text = as_csv(document)
        assert text.count("\r\n") == len(document.rows) + len(document.pinned_rows) + 1
        lines = {line["slug"]: line for line in parsed(text)}
        for row in document.rows:
            line = lines[row.slug]
            assert line["rank"] == ("" if row.rank is None else str(row.rank))
            for key, cell in row.cells.items():
                for name, field in ((key, "value"), (f"{key}_low", "low"), (f"{key}_p_value", "p_value")):
                    value = getattr(cell, field)
                    assert line[name] == ("" if value is None else repr(value))
                    assert value is None or float(line[name]) == value
                assert line[f"{key}_marked"] == str(cell.marked).lower()

    def test_no_cell_is_a_formula(self, document: Board) -> None:
        for row in parsed(as_csv(hostile(document))):
            for name, value in row.items():
                if re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", value):
                    continue
                for start in re.split(r"[;\n\t]", value):
                    assert start.lstrip()[:1] not in ("=", "+", "-", "@"), name

    @pytest.mark.slow
    @given(st.text(max_size=40))
    @settings(max_examples=200)
    def test_neutralised_text_begins_no_formula_and_loses_nothing_else(self, text: str) -> None:
        safe = neutralised(text)
        assert not re.match(r"\s*[=+\-@＝＋－＠]", safe)
        assert safe.replace("'", "") == text.replace("'", "").replace("\0", "")


def compiled(folder: Path, body: str) -> None:
    """Compile a document that holds *body* with LuaLaTeX; the test fails if that does not work."""
    source = (
        "\\documentclass{article}\\usepackage{booktabs}\\usepackage{url}\\begin{document}\n"
        + body
        + "\\end{document}\n"
    )
    (folder / "paper.tex").write_text(source, encoding="utf-8")
    command = ["lualatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-3000:]


class TestLatex:
    def test_is_bold_exactly_where_the_board_marks(self, document: Board) -> None:
        lines = [line for line in as_latex(document, ORIGIN).splitlines() if r" \\ %" in line]
        keyed = [*document.pinned_rows, *document.rows]
        assert len(lines) == len(keyed)
        n_bold = 0
        for line, row in zip(lines, keyed, strict=True):
            cells = line.split(r" \\ %")[0].split(" & ")[3:]
            for text, cell in zip(cells, row.cells.values(), strict=True):
                bold = cell.marked or (cell.best and cell.state == "reported")
                assert text.startswith(r"\textbf{") == bold
                assert (text == "--") == (cell.value is None)
                n_bold += bold
        assert n_bold > len(document.columns)

    def test_names_address_date_revision_and_signatures(self, document: Board) -> None:
        comments = "\n".join(line for line in as_latex(document, ORIGIN).splitlines() if line.startswith("%"))
        assert f"{ADDRESS} on 2026-07-14" in comments
        assert document.revision
        assert document.revision.hash in comments
        assert all(column.signature in comments for column in document.columns)

    def test_shows_intervals_when_asked(self, document: Board) -> None:
        cell = document.rows[0].cells["loose"]
        assert cell.low is not None
        assert cell.high is not None
        low, high = f"{math.floor(1000 * cell.low) / 1000:.3f}", f"{math.ceil(1000 * cell.high) / 1000:.3f}"
        assert f"[{low}, {high}]" in as_latex(document, ORIGIN._replace(uncertainty=Uncertainty.INTERVAL))
        half = f"$\\pm$ {math.ceil(500 * (cell.high - cell.low)) / 1000:.3f}"
        assert half in as_latex(document, ORIGIN._replace(uncertainty=Uncertainty.HALF_WIDTH))
        assert f"[{low}" not in as_latex(document, ORIGIN)

    def test_hostile_text_cannot_become_latex_commands(self, document: Board) -> None:
        source = as_latex(hostile(document), ORIGIN._replace(address="https://x/\n\\evil"))
        for line in source.splitlines():
            if not line.startswith("%"):
                code = line.split(" % ")[0]
                assert r"\input" not in code
                assert r"\write" not in code
                assert "\\evil" not in code
        assert "\u202e" not in source

    @pytest.mark.slow
    @pytest.mark.latex
    def test_the_latex_table_compiles(self, document: Board, tmp_path: Path) -> None:
        for body in (document, hostile(document)):
            for uncertainty in Uncertainty:
                compiled(tmp_path, as_latex(body, ORIGIN._replace(uncertainty=uncertainty)))

    @given(st.text())
    @settings(max_examples=300)
    def test_escaped_text_holds_known_commands_alone_and_balanced_braces(self, text: str) -> None:
        source = escaped(text)
        assert "\n" not in source
        commands = set(re.findall(r"\\([A-Za-z]+|.)", source))
        assert commands <= KNOWN, commands - KNOWN
        bare = re.sub(r"\\.", "", source)
        assert bare.count("{") == bare.count("}")
        assert not re.search(r"(?<!\\)[%#&]", source)


KNOWN = frozenset({"textbackslash", "textbraceleft", "textbraceright", "textasciitilde", "textasciicircum", *"$&#%_"})


SYSTEM: Final = {"slug": "a-system", "name": "A system", "authors": "A. Author", "citation": "", "url": ""}


def source_of(**changes: str) -> str:
    return as_source(system_entries({}, **SYSTEM | changes))


class TestBibtex:
    def test_holds_the_board_the_benchmark_and_each_system_once(self, document: Board) -> None:
        text = as_bibtex(document, ORIGIN._replace(benchmark=definition().form.bibtex))
        keys = re.findall(r"^@\w+\{(.+),$", text, re.MULTILINE)
        assert keys[:2] == ["fanoutqa-dev-openbook-leaderboard-2026-07-14", "zhu-etal-2024-fanoutqa"]
        assert len(keys) == len({key.lower() for key in keys}) == 2 + 12 + 2
        assert rf"\url{{{ADDRESS}}}" in text
        assert set(system_keys(document).values()) <= set(keys)

    def test_free_text_becomes_a_note(self) -> None:
        text = source_of(
            authors="Ada Lovelace, G. Hopper et al.", citation="Lovelace & co., 2024", url="https://x.org/a_b"
        )
        assert "author = {Ada Lovelace and G. Hopper and others}," in text
        assert r"note = {Lovelace \& co., 2024}," in text
        assert "year = {2024}," in text
        assert r"howpublished = {\url{https://x.org/a_b}}," in text
        assert text.startswith("@misc{lovelace2024system,")

    def test_bibtex_is_copied_as_it_was_sent(self) -> None:
        body = 'title = {On {Engines} \\& \\"{o}thers}, year = 1843, month = jan, pages="1--2",\n  note = {ö}'
        assert (
            source_of(citation=f" @InProceedings{{ada:43,\n  {body}\n}}\n") == f"@InProceedings{{ada:43,\n{body}\n}}\n"
        )

    @pytest.mark.parametrize("cited", ["@misc{a, title = {open}", "@misc{a, title = {x}}}"])
    def test_bibtex_whose_braces_do_not_close_is_refused(self, cited: str) -> None:
        with pytest.raises(ValidationError) as error:
            validate_citation(cited)
        assert error.value.code == "open_braces"

    @pytest.mark.parametrize(
        "cited",
        [
            "@misc{a, title = {x}} \\input{y}",
            '@preamble{"\\input{/etc/passwd}"}',
            "@string{x = {y}} @misc{a, title = x}",
            "@misc{a, title = {open}",
            "@misc{a, title = {x}}}",
            "@misc{a title = {x}}",
            "Lovelace @misc{a, title = {x}}",
            "@",
            "",
        ],
    )
    def test_what_is_not_bibtex_alone_is_text(self, cited: str) -> None:
        assert entries_in(cited) == []
        assert r"\input{" not in source_of(citation=cited)

    def test_addresses_are_of_the_web(self) -> None:
        for url in ("javascript:alert(1)", "https://x.org/}\\input{y}", "file:///etc/passwd"):
            text = source_of(url=url)
            assert "javascript" not in text
            assert "file:" not in text
            assert "\\input" not in text

    @pytest.mark.slow
    @pytest.mark.latex
    def test_the_bibtex_file_compiles_without_the_table(self, document: Board, tmp_path: Path) -> None:
        hard = hostile(document)
        hard.rows[0].system, hard.rows[0].authors, hard.rows[0].citation = "混元 𝐀", "Müller, José", ""
        text = as_bibtex(hard, ORIGIN._replace(benchmark=definition().form.bibtex))
        assert "混元 𝐀" in text
        (tmp_path / "board.bib").write_text(text, encoding="utf-8")
        body = "\\nocite{*}\\bibliographystyle{plain}\\bibliography{board}\n"
        compiled(tmp_path, body)
        done = subprocess.run(["bibtex", "paper"], cwd=tmp_path, capture_output=True, timeout=240, check=False)
        assert done.returncode == 0 and b"error" not in done.stdout.lower(), done.stdout.decode(errors="replace")
        compiled(tmp_path, body)

    @pytest.mark.parametrize(
        ("authors", "expected"),
        [
            ("Müller, José", "{Müller, José}"),
            ("OpenAI, Inc.", "{OpenAI, Inc.}"),
            ("OpenAI, Google", "{OpenAI, Google}"),
            ("Ada Lovelace, Grace Hopper", "Ada Lovelace and Grace Hopper"),
            ("Ada Lovelace, Grace Hopper, and Alan Turing", "Ada Lovelace and Grace Hopper and Alan Turing"),
            ("Lovelace, A.; Hopper, G. et al.", "Lovelace, A. and Hopper, G. and others"),
            ("Lovelace, Ada and Hopper, Grace", "{Lovelace, Ada} and {Hopper, Grace}"),
            ("Meta Platforms, Inc. and Ada Lovelace", "{Meta Platforms, Inc.} and Ada Lovelace"),
            ("OpenAI", "OpenAI"),
            ("", ""),
            (",;,", ""),
            ("et al.", "others"),
        ],
    )
    def test_authors_are_not_split_within_a_name(self, authors: str, expected: str) -> None:
        assert bibtex.bib_authors(authors) == expected


def test_the_board_leads_to_latex_with_and_without_uncertainty(made: Benchmark, client: Client) -> None:
    fill(made)
    for query in ("", "?sort=name&kind=scored"):
        page = client.get(f"/fanoutqa/dev/openbook/{query}").content.decode()
        addresses = {html.unescape(found) for found in re.findall(r'href="([^"]*export\.tex[^"]*)"', page)}
        assert addresses == {f"{URL}tex{query}", f"{URL}tex{query}{'&' if query else '?'}uncertainty=pm"}
        plain, told = (client.get(address).content.decode() for address in sorted(addresses, key=len))
        assert "\\pm" in told
        assert "\\pm" not in plain


class TestOtherTables:
    def test_markdown_has_a_line_for_each_row_and_no_markup_of_others(self, document: Board) -> None:
        changed = hostile(document)
        lines = as_markdown(changed, ORIGIN).splitlines()
        table = lines[: lines.index("")]
        assert len(table) == 2 + len(changed.all_rows)
        cells = [re.split(r"(?<!\\)\|", line) for line in table]
        assert {len(line) for line in cells} == {len(cells[0])}, "no name adds a cell"
        assert "<b>" not in "".join(table)
        assert ADDRESS in lines[-1]

    def test_every_format_is_offered_on_the_page(self, client: Client, made: Benchmark) -> None:
        boards.fill(factories.split(made, "dev"), factories.setting(made), 2)
        assert set(FORMATS) >= {"csv", "json", "tex", "bib", "md"}
        page = client.get("/fanoutqa/dev/openbook/").content.decode()
        for extension, known in FORMATS.items():
            response = client.get(f"{URL}{extension}")
            assert (response.status_code, response["Content-Type"]) == (200, known.media_type)
            assert f"export.{extension}" in page
