"""The small encyclopedia that is made of published sub-questions."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from humaneval.encyclopedia.demo_articles import new_articles
from humaneval.encyclopedia.sources.caching import Encyclopedia
from humaneval.encyclopedia.sources.urls import encyclopedia_at
from scoring.benchmarks import definitions
from scoring.benchmarks.base import EvidenceArticle, SourceQuestion
from scoring.benchmarks.fanoutqa.articles import articles_of
from tests.encyclopedias import AT

BENCHMARK = definitions()["fanoutqa"]


def step(name: str, title: str | None, answer: object, *after: str, revision: int = 1) -> dict[str, object]:
    evidence = title and {"title": title, "pageid": len(title), "revid": revision, "url": f"https://x.example/{title}"}
    return {
        "id": name,
        "question": f"What of {name}?",
        "answer": answer,
        "depends_on": list(after),
        "evidence": evidence,
    }


def question(*steps: dict[str, object]) -> SourceQuestion:
    return SourceQuestion("q", "?", (), (), tuple(steps))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Encyclopedia, str]:
    file = tmp_path_factory.mktemp("stand-ins") / "small.zim"
    said = StringIO()
    call_command("build_encyclopedia", "fanoutqa", out=file, stdout=said)
    return encyclopedia_at(f"zim:{file}"), said.getvalue()


@pytest.mark.slow
def test_every_page_that_a_question_cites_has_an_article_with_its_ids(made: tuple[Encyclopedia, str]) -> None:
    encyclopedia, said = made
    cited = {
        (page["title"], page["pageid"])
        for one in BENCHMARK.packaged()["dev"].source.questions
        for page in one.evidence
        if page["pageid"] is not None
    }
    assert f"{len({title for title, _ in cited}):,} articles" in said
    for title, page_id in sorted(cited)[::10]:
        article = encyclopedia.article(title.replace(" ", "_"), AT)
        assert (article.title, article.page_id) == (title, page_id)
        assert article.revision_id
        assert article.url.startswith("https://en.wikipedia.org/")


def test_an_article_says_what_its_sub_questions_say(made: tuple[Encyclopedia, str]) -> None:
    encyclopedia, _ = made
    draft = encyclopedia.article("1998_Major_League_Baseball_draft", AT)
    assert "## Who were the first 5 picks in the 1998 MLB Draft?\n\n- Pat Burrell\n- Mark Mulder" in draft.text
    assert 'data-article="Jeff_Austin_(baseball)">Jeff Austin</a>' in draft.html, "a short title leads there too"
    assert draft.headings[-1].text == "See also"
    assert encyclopedia.search("batting hand of Pat Burrell")[0].title == "Pat Burrell"
    assert encyclopedia.suggest("1998 maj")[0].path == draft.path
    assert encyclopedia.name == "Small encyclopedia for FanOutQA of 20 November 2023"


def test_nothing_of_a_hidden_split_is_in_it() -> None:
    assert BENCHMARK.importer.demo_articles is not None
    published = {
        str(item["question"]).strip()
        for one in BENCHMARK.packaged()["dev"].source.questions
        for item in walk(one.decomposition)
    }
    assert all(question in published for article in BENCHMARK.importer.demo_articles() for question in article.facts)


def walk(steps: object) -> list[dict[str, object]]:
    assert isinstance(steps, list | tuple)
    return [item for one in steps for item in (one, *walk(one.get("decomposition") or ()))]


def test_answers_of_every_shape_are_told() -> None:
    articles = articles_of(
        [
            question(step("a", "List", ["One", 2, True]), step("b", "One", {"x": [1, 2], "y": {"z": 3}}, "a")),
            question(step("c", "One", 5.5, revision=9), step("d", "One", None, revision=9), step("e", None, "x")),
        ]
    )
    assert [article.title for article in articles] == ["List", "One"]
    assert articles[0].facts == {"What of a?": [("One",), ("2",), ("Yes",)]}
    assert articles[0].see_also == ("One",)
    assert articles[1].facts == {
        "What of b?": [("x", "1, 2"), ("y", "z: 3")],
        "What of c?": [("5.5",)],
    }
    assert articles[1].revision_id == 9, "the revision that is cited most often"


def test_titles_and_answers_are_text_and_never_markup() -> None:
    evil = "<script>alert(1)</script>"
    page = EvidenceArticle("A/<b>", "https://x.example/?a=1&b=2", 1, 2, {evil: [(evil, "B & C")]}, ("B & C",))
    other = EvidenceArticle("B & C", "", None, None, {"?": [("x",)]})
    article, _ = new_articles((page, other))
    assert "<script" not in article.document
    assert '<a href="../B_%26_C">B &amp; C</a>' in article.body
    assert 'href="https://x.example/?a=1&amp;b=2"' in article.document


def test_a_file_that_is_there_can_be_left_and_a_broken_one_is_made_anew(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(
        "humaneval.management.commands.build_encyclopedia.build_stand_ins",
        lambda file, definition: int(bool(file.write_bytes(b"made anew"))),
    )
    file = tmp_path / "encyclopedia.zim"
    file.write_bytes(b"broken")
    call_command("build_encyclopedia", if_missing=True, verbosity=0)
    assert file.read_bytes() == b"made anew"


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(CommandError, match="was not built"):
        call_command("build_encyclopedia", out=tmp_path / "file" / "x.zim", stdout=StringIO())
