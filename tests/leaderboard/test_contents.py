"""The table of contents of long pages."""

import re

import pytest
from django.template import Context, Template
from django.test import Client
from django.urls import reverse

from tests import factories

HEADINGS = """<h2 class="x" id="a">First <span class="visually-hidden">of all</span></h2>
<h3 id="b">A &amp; <code>b</code></h3><h3>Without an id</h3><fieldset><legend id="c">Third</legend></fieldset>"""
LAST = '<h2 id="d">&lt;Last&gt;</h2>'


def rendered(content: str) -> str:
    return Template("{% load display %}{% contents %}" + content + "{% contents_end %}").render(Context())


def listed(page: str) -> list[tuple[str, str]]:
    nav = page.partition('<nav class="contents')[2].partition("</nav>")[0]
    return re.findall(r'href="#([^"]+)">([^<]*)<', nav)


def test_headings_and_legends_with_an_id_are_listed_in_order_before_the_content() -> None:
    page = rendered(HEADINGS + LAST)
    assert listed(page) == [("a", "First of all"), ("b", "A &amp; b"), ("c", "Third"), ("d", "&lt;Last&gt;")]
    assert page.endswith(HEADINGS + LAST)
    assert page.count("<li>") == 4 and page.count("<ul>") == 2, "a smaller heading is below its heading"


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["definitions", "how-to-submit", "api-docs"])
def test_long_pages_list_their_sections(client: Client, name: str) -> None:
    factories.benchmark()
    client.force_login(factories.maintainer())
    page = client.get(reverse(name)).content.decode()
    anchors = [anchor for anchor, _ in listed(page)]
    assert len(anchors) >= 3 and len({*anchors}) == len(anchors)
    assert all(page.count(f'id="{anchor}"') == 1 for anchor in anchors)


@pytest.mark.django_db
def test_the_footer_names_each_benchmark_once(client: Client) -> None:
    factories.benchmark()
    footer = client.get("/about/").content.decode().partition("<footer")[2]
    links = re.findall(r'href="(/fanoutqa/[^"]*)"[^>]*>([^<]*)', footer)
    assert [label for _, label in links] == ["FanOutQA", "data card"]
