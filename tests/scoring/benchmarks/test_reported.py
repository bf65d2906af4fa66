"""Tables of published results: every mistake is named with its line, and no row is lost."""

import pytest

from scoring.benchmarks.base import PublishedResults
from scoring.benchmarks.declared.template import template
from tests.scoring.benchmarks.test_declared import declared, place_of, problems_of

HEAD = "system,setting,slug,loose\n"


def of(content: str | bytes, head: str = HEAD) -> dict[str, bytes]:
    """The template with other published results."""
    given = content if isinstance(content, bytes) else (head + content).encode()
    return template("capitals") | {"reported.csv": given}


def places(content: str | bytes, head: str = HEAD) -> list[tuple[int, str]]:
    """The lines and fields of what is wrong with a table; nothing else may be."""
    found = [place_of(one) for one in problems_of(of(content, head))]
    assert {file for file, _, _ in found} == {"reported.csv"}
    return [(line, field) for _, line, field in found]


def results(content: str | bytes, head: str = HEAD) -> PublishedResults:
    found = declared(of(content, head)).definition.published_results
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("Eins,closed-book,same,20\nZwei,closed-book,same,30\n", 3),
        ("Eins,closed-book,one,20\nEins,open-book,two,30\n", 3),
        ("same,closed-book,,20\nZwei,closed-book,same,30\n", 3),
        ("Eins,closed-book,same,20\nsame,closed-book,,30\n", 3),
    ],
)
def test_a_name_has_one_slug_and_a_slug_one_name(rows: str, line: int) -> None:
    assert places(rows) == [(line, "slug")]


def test_any_row_may_have_the_slug_of_its_system() -> None:
    found = results("Eins,closed-book,,20\nEins,open-book,one,30\nZwei,open-book,,40\n")
    assert list(found.systems) == ["one", "Zwei"]
    assert [one.system for one in found.rows] == ["one", "one", "Zwei"]


def test_a_lone_carriage_return_ends_a_line() -> None:
    table = (HEAD + "Eins,closed-book,one,20\nZwei,closed-book,two,30\n").replace("\n", "\r")
    assert list(results(table.encode()).systems) == ["one", "two"]
    assert places(table.replace("30", "x").encode()) == [(3, "loose")]


@pytest.mark.parametrize(("head", "line"), [(HEAD, 3), ("", 1)])
def test_a_table_that_is_no_csv_is_a_mistake_with_its_line(head: str, line: int) -> None:
    rows = f"Eins,closed-book,one,20\n{'x' * 140_000},closed-book,two,30\n"
    assert (line, "") in places(rows if head else rows.partition("\n")[2], head)


def test_semicolons_instead_of_commas_are_one_problem() -> None:
    table = HEAD + "Eins,closed-book,one,20\nZwei,closed-book,two,30\n"
    assert places(table.replace(",", ";").encode()) == [(1, "")]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "example.org", "https://a b"])
def test_the_page_of_a_system_is_a_page_of_the_web(url: str) -> None:
    assert places(f"Eins,closed-book,{url},20\n", HEAD.replace("slug", "url")) == [(2, "url")]


def test_other_names_of_a_system_stand_in_its_first_row() -> None:
    head = "system,setting,aliases,loose\n"
    found = results("Eins,closed-book,One | Uno,20\nEins,open-book,,30\nZwei,open-book,,40\n", head)
    assert [one["aliases"] for one in found.systems.values()] == [("One", "Uno"), ()]
    assert [found.name_of([name]) for name in ("Uno", "Eins", "Zwei", "Dos")] == ["Eins", "Eins", "Zwei", ""]


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ("Eins,closed-book,Zwei,20\nZwei,closed-book,,30\n", 2),
        ("Eins,closed-book,One,20\nZwei,closed-book,One,30\n", 3),
        ("Eins,closed-book,Eins,20\n", 2),
        ("Eins,closed-book,One|,20\n", 2),
    ],
)
def test_another_name_is_of_one_system(rows: str, line: int) -> None:
    assert places(rows, "system,setting,aliases,loose\n") == [(line, "aliases")]
