"""The reader's side of the desk: what is found and shown, what is kept of it, and what becomes of hostile articles."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from humaneval.answering import visit_log
from humaneval.encyclopedia import reader as encyclopedia
from humaneval.encyclopedia.base import Addresses, Article, Heading
from humaneval.encyclopedia.reader import passages_reading
from humaneval.models import Assignment, Origin, Participant, Search, SearchKind, Study, Visit
from tests import volunteers

pytestmark = pytest.mark.django_db


def get(client: Client, address: str, **query: Any) -> str:
    response = client.get(address, query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def document(page: str) -> str:
    """The article in the page's frame."""
    found = re.search(r'srcdoc="([^"]*)"', page)
    assert found is not None
    return html.unescape(found[1])


class TestSearching:
    def test_finds_shows_and_keeps_the_query_with_the_question(self, client: Client, base: str) -> None:
        page = get(client, f"{base}search/", q="  capital   country ")
        search = Search.objects.get()
        assert (search.query, search.kind) == ("capital country", SearchKind.ENCYCLOPEDIA)
        assert search.n_results == page.count('class="hit"') == 6
        assert "6 articles found for “capital country”" in page
        assert "<mark>capital</mark>" in page

    def test_where_more_may_be_found_than_are_shown_it_does_not_say_how_many(
        self, client: Client, base: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(encyclopedia, "RESULTS_SHOWN", 4)
        page = get(client, f"{base}search/", q="capital country")
        assert page.count('class="hit"') == 4
        assert "Top 4 articles for “capital country”" in page

    def test_the_result_that_was_clicked_is_kept_with_its_rank(self, client: Client, base: str) -> None:
        page = get(client, f"{base}search/", q="capital country")
        links = re.findall(r'class="hit__title" href="([^"]+)"', page)
        client.get(html.unescape(links[2]))
        visit = Visit.objects.get()
        assert (visit.origin, visit.rank, visit.search) == (Origin.RESULT, 3, Search.objects.get())

    def test_nothing_found_and_nothing_asked(self, client: Client, base: str) -> None:
        assert "No articles found for “xyzzyx”" in get(client, f"{base}search/", q="xyzzyx")
        assert 'data-kind="start"' in get(client, f"{base}search/", q=" ")
        assert Search.objects.count() == 1

    @pytest.mark.parametrize("address", ["search/?", "passages/?path=Norway&", "article/?path=Norway&"])
    def test_a_query_that_is_too_long_is_refused_by_name_and_stays_in_its_field(
        self, client: Client, base: str, address: str
    ) -> None:
        query = "capital " * 37 + "of 🏔️ a"
        assert len(query) == 303
        page = " ".join(client.get(f"{base}{address}q={query}").content.decode().split())
        assert "Your search has 303 characters. Shorten it to at most 300." in page
        assert f'value="{query}"' in page
        assert not Search.objects.exists()
        assert client.get(f"{base}suggest/", {"q": query}).json() == {"suggestions": []}
        get(client, f"{base}search/", q=query[:300])
        assert Search.objects.get().query == query[:300].strip()

    def test_suggestions_are_not_kept(self, client: Client, base: str) -> None:
        (first, *_) = client.get(f"{base}suggest/", {"q": "nor"}).json()["suggestions"]
        assert first["title"] == "Norway"
        assert not Search.objects.exists()
        client.get(first["url"])
        assert Visit.objects.get().origin == Origin.SUGGESTION


class TestArticles:
    def test_an_article_is_kept_with_what_the_source_knows_of_it(self, client: Client, base: str) -> None:
        page = get(client, f"{base}article/", path="Norway")
        visit = Visit.objects.get()
        assert (visit.title, visit.path, visit.page_id, visit.revision_id) == ("Norway", "Norway", 1, 1)
        assert visit.url == "https://en.wikipedia.org/wiki/Norway"
        shown = document(page)
        assert "Its capital is" in shown
        assert "about:srcdoc#s-" in shown

    def test_links_lead_to_the_reader_and_say_that_they_are_links(self, client: Client, base: str) -> None:
        shown = document(get(client, f"{base}article/", path="Norway"))
        link = re.search(r'href="([^"]+)"[^>]*>Oslo<', shown) or re.search(
            r'<a [^>]*href="([^"]+path=Oslo[^"]*)"', shown
        )
        assert link is not None
        client.get(html.unescape(link[1]))
        assert [visit.origin for visit in Visit.objects.order_by("pk")] == [Origin.BACK, Origin.LINK]

    def test_links_out_are_said_before_they_are_followed(self, client: Client, base: str) -> None:
        shown = document(get(client, f"{base}article/", path="Norway"))
        link = re.search(r'href="([^"]+/outside/[^"]+)"', shown)
        assert link is not None
        page = get(client, html.unescape(link[1]))
        assert 'data-kind="outside"' in page
        assert 'href="https://outside.example/Norway" target="_blank" rel="noopener noreferrer nofollow"' in page
        for trap in ("javascript:alert(1)", "//evil.example", "data:text/html,x", ""):
            assert 'data-kind="outside"' not in get(client, f"{base}outside/", to=trap)

    def test_an_article_that_is_not_there(self, client: Client, base: str) -> None:
        for path in ("Nowhere", "../../etc/passwd", "x" * 5000, ""):
            assert 'data-kind="missing"' in get(client, f"{base}article/", path=path)
        assert not Visit.objects.exists()

    def test_a_script_gets_the_readers_part_alone(self, client: Client, base: str) -> None:
        response = client.get(f"{base}article/", {"path": "Norway"}, headers={"X-Reader": "part"})
        part = response.content.decode()
        assert part.lstrip().startswith("<div")
        assert 'id="visited"' in part
        assert 'id="answer"' not in part

    def test_pictures_are_only_where_the_source_has_them(self, client: Client, base: str) -> None:
        assert client.get(f"{base}image/", {"path": "x.png"}).status_code == 404


class TestPassages:
    def test_those_that_fit_best_come_first_and_the_query_is_kept(self, client: Client, base: str) -> None:
        page = get(client, f"{base}passages/", path="Norway", q="government")
        assert 1 <= page.count('class="passage"') <= 5
        first = page.split('class="passage__text"')[1]
        assert "The government of Norway sits in Oslo." in first
        assert '<p class="passage__heading">Government</p>' in first
        assert "##" not in page
        search = Search.objects.get()
        assert (search.kind, search.query, search.article) == (SearchKind.PASSAGES, "government", "Norway")
        assert not Visit.objects.exists()

    def test_what_is_cut_shows_it_and_a_heading_at_the_end_leads_to_its_section(self) -> None:
        clauses = " ".join(["A clause,"] * 200)
        text = f"A town.\n\n## Lake\n\n{clauses}\n\n## Port\n\n{'x' * 1500}"
        headings = tuple(Heading(2, name, f"s-{name}") for name in ("Lake", "Port"))
        at = Addresses(*[lambda path: f"/read/{path}"] * 4)

        def shown(text: str, query: str) -> list[tuple[str, list[str], str, str]]:
            article = Article("Oslo", "Oslo", "", headings, text, None, None, "")
            passages = sorted(passages_reading(article, query, at).passages, key=lambda passage: passage["number"])
            lines = [[line for block in passage["blocks"] for line in block.lines] for passage in passages]
            return [
                (
                    passage["heading"],
                    [line[:9] + line[-9:] for line in shown],
                    passage["section"],
                    passage["section_url"],
                )
                for passage, shown in zip(passages, lines, strict=True)
            ]

        assert shown(text, "town") == [("", ["A town.A town."], "Lake", "/read/Oslo#s-Lake")]
        assert shown(text, "clause") == [
            ("Lake", ["A clause,clause, …"], "", "/read/Oslo"),
            ("Lake", ["… A clausA clause,"], "Port", "/read/Oslo#s-Port"),
        ]
        assert shown(f"{'x' * 1020}\n\n## Port\n\n{'y' * 1020}", "port") == [("Port", [], "", "/read/Oslo")]


class TestTheList:
    def open(self, client: Client, base: str, *paths: str) -> None:
        for path in paths:
            client.get(f"{base}article/", {"path": path})

    def test_names_each_article_once(self, client: Client, base: str) -> None:
        self.open(client, base, "Norway", "Oslo", "Norway")
        page = get(client, base)
        assert page.count('class="visited__item"') == 2
        assert "2 times" in page

    def test_a_tick_is_for_all_visits_of_an_article_and_for_later_ones(self, client: Client, base: str) -> None:
        self.open(client, base, "Norway", "Oslo", "Norway")
        first = Visit.objects.order_by("pk")[0]
        client.post(f"{base}visits/{first.pk}/", {"used": "on"})
        self.open(client, base, "Oslo", "Norway")
        assert [visit.used for visit in Visit.objects.order_by("pk")] == [True, False, True, False, True]
        client.post(f"{base}visits/{first.pk}/")
        assert not Visit.objects.filter(used=True).exists()

    def test_what_was_read_elsewhere_is_added_by_its_address_and_marked(self, client: Client, base: str) -> None:
        address = "https://en.wikipedia.org/wiki/Mount_Everest"
        for _ in range(2):
            client.post(f"{base}visits/", {"url": address})
        visit = Visit.objects.get()
        assert (visit.origin, visit.title, visit.used, visit.page_id) == (Origin.REPORTED, "Mount Everest", True, None)
        assert "Read elsewhere" in get(client, base)

    @pytest.mark.parametrize(
        "url", ["", "Mount Everest", "javascript:alert(1)", "ftp://x.example/", "https://" + "x" * 3000]
    )
    def test_what_is_no_address_is_refused(self, client: Client, base: str, url: str) -> None:
        response = client.post(f"{base}visits/", {"url": url})
        assert response.status_code == 422
        assert not Visit.objects.exists()

    def test_nobody_ticks_what_another_read(self, client: Client, base: str, participant: Participant) -> None:
        self.open(client, base, "Norway")
        visit = Visit.objects.get()
        neighbour = Client()
        volunteers.seated(neighbour, participant.study)
        assert neighbour.post(f"{base}visits/{visit.pk}/", {"tick": "1", "used": "on"}).status_code == 404
        row = Assignment.objects.exclude(participant=participant).get(position=1)
        visit_log.update_reading_time(row, visit.pk, visible_seconds=9, scrolled_share=1)
        visit.refresh_from_db()
        assert (visit.used, visit.visible_seconds, visit.scrolled_share) == (False, None, None)

    def test_time_in_view_is_the_most_that_was_told_and_never_more_than_went_by(
        self, client: Client, base: str
    ) -> None:
        self.open(client, base, "Norway")
        visit = Visit.objects.get()
        for visible, scrolled in ((0.0, "0.25"), (9999.0, "7"), (0.0, "0.5")):
            client.post(f"{base}answer/", {"visit": visit.pk, "visible": visible, "scrolled": scrolled})
        visit.refresh_from_db()
        assert 0 < (visit.visible_seconds or 0) < 60
        assert visit.scrolled_share == 1.0

    def test_going_back_to_what_was_found_is_no_search_of_its_own(self, client: Client, base: str) -> None:
        again = {"X-Again": "yes", "X-Reader": "part"}
        for query, headers in (("capital", {}), ("country", {}), ("capital", again), ("new", again)):
            page = client.get(f"{base}search/", {"q": query}, headers=headers).content.decode()
            assert query == "new" or f"search={Search.objects.get(query=query).pk}" in page
        client.get(f"{base}search/", {"q": "capital"})
        kept = Search.objects.order_by("pk").values_list("query", flat=True)
        assert list(kept) == ["capital", "country", "new", "capital"]

    def test_a_search_of_another_question_is_not_taken_for_the_way(self, client: Client, base: str) -> None:
        client.get(base.replace("/1/", "/2/") + "search/", {"q": "capital"})
        foreign = Search.objects.get()
        client.get(f"{base}article/", {"path": "Norway", "from": "result", "search": str(foreign.pk), "rank": "1"})
        visit = Visit.objects.get()
        assert (visit.search, visit.rank) == (None, None)


class TestPracticeAndTroubles:
    @pytest.mark.parametrize("away", [volunteers.NOTHING_THERE, "zim:/nowhere/at/all.zim", "nonsense"])
    def test_a_source_that_is_away_leaves_the_answer_as_it_is(self, client: Client, study: Study, away: str) -> None:
        volunteers.seated(client, study)
        Study.objects.update(encyclopedia=away)
        base = f"/studies/{study.slug}/questions/1/"
        for end, name, value in (("search/", "q", "capital"), ("article/", "path", "Norway")):
            page = get(client, base + end, **{name: value})
            assert 'data-kind="away"' in page
            assert "Try again" in page
            assert 'id="answer"' in page
            assert away not in page
        assert client.get(f"{base}suggest/", {"q": "nor"}).json()["suggestions"] == []
        sent = {"text": "Oslo", "based_on": "0"}
        assert client.post(f"{base}answer/", sent, headers={"Accept": "application/json"}).status_code == 200
        assert not Visit.objects.exists()
