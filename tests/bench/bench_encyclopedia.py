"""The reader's encyclopedia: a ZIM file of 10,000 articles, by the library and by the site's own address.

Titles are those that the questions' evidence names, and as many made-up ones as are wanting; texts are drawn from the
questions' words. What is typed are beginnings of titles, 2 to 14 characters long, as somebody types them.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import quote

import django

from tests.bench.bench_pages import EMPTY, MOST_TO_EMPTY, SECONDS, _served, _site, cost_of
from tests.bench.registry import Report, bench, output_of

N_ARTICLES = 10_000
N_QUERIES = 200
BAR_MS = 150.0
"""Median of a suggestion, from the browser's request to the whole answer."""

PREPARE = """
import json, sys
import django
django.setup()
from django.test import Client
from tests import volunteers
study = volunteers.open_study(encyclopedia=sys.argv[1])
client = Client(SERVER_NAME="localhost")
volunteers.seated(client, study)
print(json.dumps([study.slug, client.cookies["study"].value]))
"""


@bench("encyclopedia")
def encyclopedia(report: Report) -> None:
    """Suggestions, searches and articles of a ZIM file of 10,000 articles."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    from humaneval.encyclopedia.sources.zim import ZimEncyclopedia

    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="manyhop-bench-")))
        file = directory / "bench.zim"
        titles = _build(file, report)
        n_queries = report.size(N_QUERIES, 5)
        typed = _typed(titles, n_queries)
        source = ZimEncyclopedia(file)
        library = _milliseconds(source.suggest, typed)
        report.measure("suggestion, library, median", _median(library), "ms", beside=f"95 %: {_late(library):.2f} ms")
        site = _site_suggestions(stack, directory, file, typed, report)
        report.measure(
            "suggestion, the site's address, median",
            _median(site),
            "ms",
            at_most=BAR_MS,
        )
        report.measure("suggestion, the site's address, 95 %", _late(site), "ms")
        words = [" ".join(title.split()[:3]) for title in titles[:n_queries]]
        searches = _milliseconds(source.search, words)
        report.measure("search with 20 snippets, library, median", _median(searches), "ms")
        paths = [title.replace(" ", "_") for title in titles[:n_queries]]
        opened = _milliseconds(source.article, paths)
        report.measure("article, first opened, median", _median(opened), "ms")
        report.measure("article, opened again, median", _median(_milliseconds(source.article, paths)), "ms")


def _build(file: Path, report: Report) -> list[str]:
    from humaneval.encyclopedia.zim_writer import NewArticle, build
    from scoring.benchmarks import definitions

    drawn, n_articles = random.Random(6), report.size(N_ARTICLES, 50)
    questions = [
        question
        for definition in definitions().values()
        for split in definition.packaged().values()
        for question in split.source.questions
    ]
    titles = list(dict.fromkeys(str(page["title"]) for question in questions for page in question.evidence))
    words = [word for question in questions for word in question.text.split()]
    while len(titles) < n_articles:
        titles.append(f"{' '.join(drawn.choices(words, k=drawn.randint(1, 4)))} ({len(titles)})")
    sentences = [" ".join(drawn.choices(words, k=14)) for _ in range(4000)]
    articles = []
    for title in titles[:n_articles]:
        paragraphs = "".join(f"<p>{'. '.join(drawn.choices(sentences, k=6))}.</p>" for _ in range(4))
        link = drawn.choice(titles).replace(" ", "_")
        articles.append(NewArticle(title, f"{paragraphs}<h2>More</h2><p><a href='./{quote(link)}'>link</a></p>"))
    began = time.perf_counter()
    with contextlib.redirect_stdout(sys.stderr):
        count = build(file, articles, title="Bench", made=datetime.date(2023, 11, 20))
    report.note(
        f"{count:,} articles, {file.stat().st_size / 2**20:.0f} MiB, made in {time.perf_counter() - began:.0f} s; "
        f"{report.size(N_QUERIES, 5)} beginnings of titles."
    )
    return [article.title for article in articles]


def _typed(titles: Sequence[str], n: int) -> list[str]:
    drawn = random.Random(7)
    return [drawn.choice(titles)[: drawn.randint(2, 14)].strip() or "a" for _ in range(n)]


def _milliseconds(ask: Callable[[str], object], asked: Sequence[str]) -> list[float]:
    ask(asked[0])
    taken = []
    for one in asked:
        began = time.perf_counter()
        ask(one)
        taken.append(1000 * (time.perf_counter() - began))
    return taken


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def _late(values: Sequence[float]) -> float:
    return sorted(values)[len(values) * 95 // 100]


def _site_suggestions(
    stack: ExitStack, directory: Path, file: Path, typed: Sequence[str], report: Report
) -> list[float]:
    """Of a participant of a study, under production's server with one process."""
    environment = stack.enter_context(_site(directory, report))
    made = output_of([sys.executable, "-c", PREPARE, f"zim:{file}"], env=environment)
    slug, cookie = json.loads(made.splitlines()[-1])
    server = stack.enter_context(_served(directory, environment))
    connection, headers = server.connection, {"Cookie": f"study={cookie}"}

    def address(query: str) -> str:
        return f"/studies/{slug}/questions/1/suggest/?q={quote(query)}"

    def ask(query: str) -> None:
        connection.request("GET", address(query), headers=headers)
        response = connection.getresponse()
        body = response.read()
        if response.status != 200 or "suggestions" not in json.loads(body):
            raise RuntimeError(f"a suggestion was answered with {response.status}: {body[:200]!r}")

    taken = _milliseconds(ask, typed)
    seconds = SECONDS / report.size(1, 40)
    cost = cost_of(server, lambda number: (address(typed[number % len(typed)]), headers), seconds=seconds)
    empty = cost_of(server, lambda _: (EMPTY, {}), seconds=seconds)
    report.measure(
        "suggestion, the site's processor time, against an empty view",
        cost / empty,
        "times",
        at_most=MOST_TO_EMPTY,
        beside=f"{cost:.2f} ms against {empty:.2f} ms",
    )
    return taken
