"""The pages to read: they tell a newcomer what is true, and what they tell to do works."""

import dataclasses
import datetime
import html
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, Settings
from pytest_django.live_server_helper import LiveServer

from leaderboard.accounts import tokens
from leaderboard.board.exports.bibtex import entries_in
from leaderboard.models import Submission
from leaderboard.pages.data_card import splits_facts, topics_of
from scoring.benchmarks import definitions
from scoring.models import Benchmark, Question, Split
from scoring.registry import METRICS
from tests import factories
from tests.paths import ROOT
from tests.services import PATIENCE_SECONDS, wait_for

pytestmark = pytest.mark.django_db
TEXTS = ["/about/", "/how-to-submit/", "/definitions/", "/fanoutqa/data-card/"]
FORMULAS = [*(ROOT / "templates/formulas").rglob("*.html"), *(ROOT / "scoring/metrics").rglob("*.html")]


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark(n_dev=6)


def page(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200
    return response.content.decode()


def sample(client: Client, name: str) -> str:
    found = re.search(rf'<pre[^>]*\sid="sample-{name}"[^>]*>(.*?)</pre>', page(client, "/how-to-submit/"), re.DOTALL)
    assert found is not None
    return html.unescape(found[1])


class Links(HTMLParser):
    """The addresses and the ids of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.hrefs: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a" and given.get("href"):
            self.hrefs.append(str(given["href"]))
        if given.get("id"):
            self.ids.append(str(given["id"]))


class TestEveryText:
    @pytest.mark.parametrize("url", TEXTS)
    def test_leads_nowhere_that_is_not(self, made: Benchmark, client: Client, url: str) -> None:
        assert made
        links = Links()
        links.feed(page(client, url))
        assert len(links.ids) == len(set(links.ids))
        for href in set(links.hrefs):
            if href.startswith("#"):
                assert href[1:] in links.ids
            elif href.startswith("/"):
                assert client.get(href, follow=True).status_code == 200, href
            else:
                assert re.match(r"https?://|mailto:", href), href

    @pytest.mark.parametrize("url", TEXTS)
    def test_text_pages_are_linked_from_every_page(self, made: Benchmark, client: Client, url: str) -> None:
        assert made
        assert f'href="{url}"' in page(client, "/accounts/sign-in/")

    @pytest.mark.parametrize("url", ["/about/", "/how-to-submit/", "/definitions/"])
    def test_is_there_before_anything_is_imported(self, client: Client, url: str) -> None:
        page(client, url)

    @pytest.mark.parametrize(("url", "most"), [("/about/", 2), ("/how-to-submit/", 2), ("/fanoutqa/data-card/", 6)])
    def test_text_pages_take_few_queries(
        self,
        made: Benchmark,
        client: Client,
        django_assert_num_queries: DjangoAssertNumQueries,
        url: str,
        most: int,
    ) -> None:
        assert made
        with django_assert_num_queries(most):
            page(client, url)


class TestAbout:
    def test_shows_a_question_that_fans_out(self, made: Benchmark, client: Client) -> None:
        assert made
        text = html.unescape(page(client, "/about/"))
        example = next(iter(definitions().values())).form.example
        assert example is not None
        assert example.question in text
        assert all(step.document in text and step.answer in text for step in example.steps)

    def test_names_who_runs_it_if_they_say_so(self, client: Client, settings: Settings) -> None:
        assert 'id="no-contact"' in page(client, "/about/")
        settings.SITE_OPERATOR = "The <Example> Lab"
        settings.SITE_CONTACT = "lab+board@example.org"
        text = page(client, "/about/")
        assert "The &lt;Example&gt; Lab" in text
        assert 'href="mailto:lab+board@example.org"' in text
        settings.SITE_CONTACT = "https://example.org/contact"
        assert 'href="https://example.org/contact"' in page(client, "/about/")
        settings.SITE_CONTACT = "javascript:alert(1)"
        assert 'href="javascript' not in page(client, "/about/")


class TestTheDataCard:
    def test_counts_what_is_in_the_database(self, made: Benchmark, client: Client) -> None:
        dev = factories.split(made, "dev")
        [facts, _] = splits_facts(made, Split.objects.all())
        assert (facts["slug"], facts["contents"].n_questions, facts["contents"].n_documents) == ("dev", 6, 6)
        assert facts["contents"].documents_per_question == 1.0
        assert dict(facts["contents"].topics) == {"Geography": 6, "Politics": 3}
        topics, n_others = topics_of([facts["contents"]])
        assert topics == [("Geography", [6]), ("Politics", [3])]
        assert n_others == 0
        revision = dev.current_revision
        assert revision is not None
        assert revision.short_hash in page(client, "/fanoutqa/data-card/")

    def test_a_data_card_shows_a_corrected_revision(self, made: Benchmark, client: Client) -> None:
        page(client, "/fanoutqa/data-card/")
        old = factories.split(made, "dev").current_revision
        factories.revise(
            factories.split(made, "dev"), factories.source_questions("dev", 5), date=datetime.date(2026, 7, 1)
        )
        new = factories.split(made, "dev").current_revision
        assert old is not None
        assert new is not None
        text = page(client, "/fanoutqa/data-card/")
        assert "<b>5</b> questions in the development split" in re.sub(r"\s+", " ", text)
        assert old.short_hash in text
        assert new.short_hash in text

    def test_its_example_is_of_no_hidden_split(self) -> None:
        for definition in definitions().values():
            packaged = definition.packaged()
            for split in definition.splits:
                if split.hidden and split.slug in packaged:
                    texts = {question.text for question in packaged[split.slug].source.questions}
                    assert definition.form.example is None or definition.form.example.question not in texts

    def test_shows_no_answer_of_the_database(self, made: Benchmark, client: Client) -> None:
        questions = Question.objects.filter(revision__split__benchmark=made).values_list("text", flat=True)
        text = html.unescape(page(client, "/fanoutqa/data-card/"))
        assert "Oslo" not in text
        assert questions
        assert not [question for question in questions if question in text]

    def test_every_fact_has_a_source_and_the_citation_is_bibtex(self) -> None:
        for definition in definitions().values():
            assert all(section.source for section in definition.card.sections)
            assert len({section.slug for section in definition.card.sections}) == len(definition.card.sections)
            assert len(entries_in(definition.form.bibtex)) == 1
            assert any(definition.form.licence in licence.name for licence in definition.form.all_licences)


class TestDefinitions:
    def test_every_metric_has_its_formula_in_mathml(self, made: Benchmark, client: Client) -> None:
        assert made
        factories.list_benchmark()
        factories.judged_benchmark()
        factories.compared_benchmark()
        text = page(client, "/definitions/")
        for definition in definitions().values():
            for metric in definition.metrics:
                assert metric in METRICS
                part = text.split(f'id="{definition.slug}-{metric}"', 1)[1].split("</section>", 1)[0]
                assert "<math" in part, metric

    @pytest.mark.parametrize("anchor", ["interval", "rank-range", "marks"])
    def test_what_stands_beside_a_number_has_one_too(self, made: Benchmark, client: Client, anchor: str) -> None:
        assert made
        part = page(client, "/definitions/").split(f'id="{anchor}"', 1)[1].split("<h3", 1)[0]
        assert "<math" in part

    @pytest.mark.parametrize("file", sorted(FORMULAS), ids=lambda file: f"{file.parent.name}/{file.stem}")
    def test_formulas_are_well_formed(self, file: Path) -> None:
        from xml.etree import ElementTree

        for formula in re.findall(r"<math.*?</math>", file.read_text(), re.DOTALL):
            root = ElementTree.fromstring(formula.replace("&nbsp;", " "))
            sizes = {"mfrac": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3}
            for element in root.iter():
                assert len(element) == sizes.get(element.tag, len(element)), element.tag


class TestHowToSubmit:
    def test_the_shell_reads_the_commands(self, client: Client) -> None:
        for name in ("shell", "offline"):
            done = subprocess.run(["bash", "-n"], input=sample(client, name).encode(), capture_output=True, check=False)
            assert (done.returncode, done.stderr) == (0, b"")

    def test_the_job_is_yaml_whose_steps_the_shell_reads(self, client: Client) -> None:
        job = yaml.safe_load(sample(client, "ci"))
        steps = job["jobs"]["submit"]["steps"]
        assert steps[-1]["env"] == {"MANYHOP_TOKEN": "${{ secrets.MANYHOP_TOKEN }}"}
        for step in steps[1:]:
            done = subprocess.run(["bash", "-n"], input=step["run"].encode(), capture_output=True, check=False)
            assert done.returncode == 0, done.stderr

    def test_it_has_the_benchmarks_with_questions_and_says_what_is_scored(self, client: Client) -> None:
        factories.benchmark(test_answers=False)
        text = html.unescape(page(client, "/how-to-submit/"))
        names = [definition.name for definition in definitions().values()]
        assert names[0] in text
        assert not any(f"<h3>{name}</h3>" in text or f"{name}: the question" in text for name in names[1:])
        items = dict(re.findall(r"<code>(\w+)</code>: (.+?)\s*</li>", text))
        assert "public answers" in items["dev"]
        assert "nothing is scored" in items["test"]
        address = reverse("questions-file", args=["fanoutqa", "dev"])
        assert (f'href="{address}"' in items["dev"], "href" in items["test"]) == (True, False)
        assert client.get(address).status_code == 200

    def test_a_benchmark_without_a_web_page_is_in_the_api_alone(
        self, made: Benchmark, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        definition = definitions()[made.slug]
        monkeypatch.setitem(
            definitions(),
            made.slug,
            dataclasses.replace(definition, form=definition.form.model_copy(update={"url": ""})),
        )
        text = " ".join(re.sub(r"<[^>]+>", "", page(client, "/how-to-submit/")).split())
        assert "The questions come from the API." in text

    def test_its_addresses_and_fields_are_those_of_the_api(self, made: Benchmark, client: Client) -> None:
        assert made
        for name in ("shell", "python", "ci"):
            assert f"http://testserver{reverse('api-submissions')}" in sample(client, name)
        first = next(iter(definitions().values()))
        slugs = {setting.slug for setting in first.settings_for_submissions}
        assert set(re.findall(r"(\w+)=@", sample(client, "shell"))) <= slugs
        text = html.unescape(page(client, "/how-to-submit/"))
        assert all(setting.description in text for setting in first.settings_for_submissions)

    def test_the_limits_are_those_in_force(self, client: Client, settings: Settings) -> None:
        settings.UPLOAD_LIMIT_MB = 7
        assert "at most 7 MiB" in page(client, "/how-to-submit/")

    @pytest.mark.django_db(transaction=True)
    def test_the_program_submits_and_prints_the_scores(
        self, made: Benchmark, client: Client, live_server: LiveServer, tmp_path: Path
    ) -> None:
        assert made
        owner = factories.user()
        _, token = tokens.create_token(user=owner, name="From the page")
        program = sample(client, "python").replace("http://testserver", live_server.url).replace('"test"', '"dev"')
        program = program.replace("time.sleep(10)", "time.sleep(0.1)")
        setting = next(iter(definitions().values())).settings_for_submissions[0].slug
        (tmp_path / f"{setting}.jsonl").write_bytes(factories.generations(factories.perfect(n=6)))
        environment = os.environ | {"MANYHOP_TOKEN": token}
        running = subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            sent = wait_for_submission(running)
            factories.score(sent)
            out, err = running.communicate(timeout=240)
        finally:
            running.kill()
        assert running.returncode == 0, err.decode()
        assert f"{setting} loose 1.0" in out.decode()

    @pytest.mark.django_db(transaction=True)
    def test_the_program_tells_what_is_wrong(
        self, made: Benchmark, client: Client, live_server: LiveServer, tmp_path: Path
    ) -> None:
        assert made
        _, token = tokens.create_token(user=factories.user(), name="From the page")
        program = sample(client, "python").replace("http://testserver", live_server.url).replace('"test"', '"dev"')
        setting = next(iter(definitions().values())).settings_for_submissions[0].slug
        (tmp_path / f"{setting}.jsonl").write_text('{"id": "dev-0", "answer": "Oslo"}\nnonsense\n')
        environment = os.environ | {"MANYHOP_TOKEN": token}
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == 1
        problem: dict[str, Any] = json.loads(done.stderr)
        assert problem["files"][0]["groups"][0]["problems"][0]["line"] == 2


def wait_for_submission(running: "subprocess.Popen[bytes]") -> Submission:
    """The submission that a program is about to send."""
    sent = Submission.objects.filter(files__isnull=False)

    def is_sent() -> bool:
        assert running.poll() is None, running.communicate()[1].decode()
        return sent.exists()

    wait_for(is_sent, PATIENCE_SECONDS, "the program's submission", 0.1)
    return sent.distinct().get()


@pytest.mark.parametrize(
    ("contact", "shown"),
    [
        ("security+lab@example.org", "mailto:security+lab@example.org"),
        ("https://example.org/a", "https://example.org/a"),
    ],
)
def test_security_txt_names_the_contact_until_a_day_within_a_year(
    client: Client, settings: Settings, contact: str, shown: str
) -> None:
    settings.SITE_CONTACT, settings.SITE_URL = contact, "https://manyhop.example"
    response = client.get("/.well-known/security.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in response.content.decode().splitlines())
    assert fields["Contact"] == shown
    assert fields["Canonical"] == "https://manyhop.example/.well-known/security.txt"
    left = datetime.datetime.fromisoformat(fields["Expires"]) - datetime.datetime.now(datetime.UTC)
    assert datetime.timedelta(days=30) < left < datetime.timedelta(days=365)


@pytest.mark.parametrize("contact", ["", "the lab, second floor", "http://example.org/", "a@example.org\nContact: x"])
def test_without_a_contact_that_others_can_use_there_is_no_security_txt(
    client: Client, settings: Settings, contact: str
) -> None:
    settings.SITE_CONTACT = contact
    assert client.get("/.well-known/security.txt").status_code == 404


@pytest.mark.parametrize("path", ["/", "/about/", "/fanoutqa/dev/openbook/", "/accounts/sign-in/", "/nowhere/"])
def test_the_foot_of_a_page_shows_the_version(made: Benchmark, client: Client, settings: Settings, path: str) -> None:
    assert made
    settings.MANYHOP_VERSION = "12.34.56"
    foot = client.get(path).content.decode().partition("<footer")[2]
    assert "12.34.56" in foot
