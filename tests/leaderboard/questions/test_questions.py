"""The list of a split's questions, and the page of one: numbers, marks, filters, and whose answers are shown."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from django.contrib.auth.models import AnonymousUser, Permission
from django.test import Client

from leaderboard.board import write
from leaderboard.models import Entry, System, User
from leaderboard.questions.listing import QuestionList
from leaderboard.questions.lookup import DISAGREEMENT, find_questions, values_at
from leaderboard.questions.question import QuestionPage, find_question
from scoring.analysis.explanations import HiddenSplitError, QuestionItems
from scoring.benchmarks.base import content_hash
from scoring.importing.revisions import source_of
from scoring.models import Benchmark, CurrentSignature, Question, Run, Score, Split, vector_bytes
from scoring.statistics import FEWEST_SYSTEMS
from tests import boards, compared_site, factories
from tests.counting import n_queries
from tests.rows import remembered

pytestmark = pytest.mark.django_db
LIST = "/fanoutqa/dev/questions/"


@pytest.fixture
def made() -> Benchmark:
    """Three systems: everything right and public; two of four right; a file with one answer."""
    remembered("questions", _publish)
    return Benchmark.objects.get()


def _publish() -> None:
    made = factories.benchmark()
    ada, dev = factories.user("ada"), factories.split(made, "dev")
    factories.published(ada, dev, {"openbook": factories.perfect()}, name="All")
    half = factories.perfect(right=2) | {"dev-0": "It is Oslo.", "dev-2": "Paris, perhaps."}
    factories.published(ada, dev, {"openbook": half}, name="Half")
    factories.published(ada, dev, {"openbook": {"dev-1": "I do not know."}}, name="One", confirm_missing=True)
    Entry.objects.filter(system__name="All").update(shows_answers=True)


def page_of(qid: str, user: User | None = None, **query: str) -> QuestionPage:
    page = find_question("fanoutqa", "dev", qid, user or AnonymousUser(), query)
    assert page is not None
    return page


def agree_on_one(made: Benchmark) -> None:
    """Two systems, whose verdicts differ on all questions but one."""
    Entry.objects.filter(system__name__in=["Half", "One"]).delete()
    answers = factories.perfect(right=0) | {"dev-2": factories.perfect()["dev-2"]}
    factories.published(factories.user("bo"), factories.split(made, "dev"), {"openbook": answers})


def text_of(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


class TestNumbers:
    def test_verdicts_and_means_are_those_of_the_scores(self, made: Benchmark) -> None:
        asked = find_questions("fanoutqa", "dev")
        assert asked is not None
        stored = {score.run.answer_set_id: score.per_item for score in Score.objects.filter(name="loose")}
        values = np.stack([stored[row[0]] for row in asked.rows])
        assert [summary.mean for summary in asked.summaries] == values.mean(axis=0).tolist()
        told = [(summary.n_right, summary.n_partial, summary.n_wrong) for summary in asked.summaries]
        assert told[0] == (1, 1, 1)
        assert all(sum(counts) == 3 for counts in told)

    def test_the_values_of_a_question_are_those_of_the_vectors(self, made: Benchmark) -> None:
        vectors = {score.pk: score.per_item for score in Score.objects.filter(name__in=["loose", "strict"])}
        asked = find_questions("fanoutqa", "dev")
        assert asked is not None
        for place in range(4):
            values = values_at(asked, place)
            for name, keys in asked.scores.items():
                if name in {"loose", "strict"}:
                    assert values[name].tolist() == [vectors[pk][place] for pk in keys.tolist()]

    def test_discrimination_is_shown_of_enough_systems_only(self, made: Benchmark, client: Client) -> None:
        assert "Question 1" in text_of(client, f"{LIST}dev-0/")
        assert f"shown once {FEWEST_SYSTEMS} systems are scored" in text_of(client, f"{LIST}dev-0/")
        dev, setting = factories.split(made, "dev"), factories.setting(made)
        boards.fill(dev, setting, FEWEST_SYSTEMS - 4)
        asked = find_questions("fanoutqa", "dev")
        assert asked is not None
        assert asked.n_scored == FEWEST_SYSTEMS - 1
        assert {summary.discrimination for summary in asked.summaries} == {None}
        boards.fill(dev, setting, 1, prefix="Tenth")
        asked = find_questions("fanoutqa", "dev")
        assert asked is not None
        assert None not in {summary.discrimination for summary in asked.summaries}

    def test_a_question_is_harder_than_those_with_a_higher_mean(self, made: Benchmark, client: Client) -> None:
        asked = find_questions("fanoutqa", "dev")
        assert asked is not None
        means = {summary.qid: summary.mean or 0 for summary in asked.summaries}
        for qid, mean in means.items():
            easier = sum(other > mean for other in means.values())
            assert page_of(qid).harder_than == easier / 3
            assert easier + page_of(qid).n_harder + page_of(qid).n_as_hard == 3
        order = [summary.qid for summary in page_of("dev-0").by_difficulty]
        assert page_of(order[0]).harder_url == "" == page_of(order[-1]).easier_url
        assert page_of(order[0]).easier_url == f"{LIST}{order[1]}/"

    def test_metrics_disagree_where_one_says_right_and_another_wrong(self, made: Benchmark, client: Client) -> None:
        strict = Score.objects.filter(name="strict").select_related("run")
        for score in strict:  # as if a judge had said the opposite on the first question
            said = score.per_item.copy()
            said[0] = 1 - said[0]
            fields = {name: getattr(score.run, name) for name in ("answer_set", "revision", "state")}
            run, _ = Run.objects.update_or_create(
                answer_set=fields.pop("answer_set"), metric="judge", defaults=fields | {"signature": "judge|v:1"}
            )
            Score.objects.create(
                run=run,
                name="judge",
                value=said.mean(),
                vector=vector_bytes(said),
                n_items=4,
                n_answered=4,
                signature="judge|v:1",
            )
        dev = factories.split(made, "dev")
        CurrentSignature.objects.update_or_create(split=dev, metric="judge", defaults={"signature": "judge|v:1"})
        page = page_of("dev-0", verdict=DISAGREEMENT)
        assert page.summary.n_disagreements == 3 == len(page.chosen)
        assert page_of("dev-1").summary.n_disagreements == 0
        assert [tab.label for tab in page_of("dev-1").filters if "disagree" in tab.label] == []
        asked = find_questions("fanoutqa", "dev")
        assert asked is not None
        assert QuestionList(asked, sort="disagreement").ordered[0][1].qid == "dev-0"
        assert "judge wrong" in text_of(client, f"{LIST}dev-0/?verdict=disagreement")


class TestMarks:
    def test_each_string_counts_the_systems_that_found_it(self, made: Benchmark, client: Client) -> None:
        page = page_of("dev-0")
        (line,) = page.lines
        assert [n for _, n in line.items] == [1, 2]
        assert page.n_examined == 3
        assert page.has_keys
        marks = {row.entry.system.name: row.marks for row in page.answers}
        assert marks == {"All": (True, True), "Half": (False, True), "One": (False, False)}
        content = client.get(f"{LIST}dev-0/").content.decode()
        assert content.count('class="marks__found"') == 3
        assert content.count('class="marks__missing"') == 3

    def test_lists_have_marks_for_each_gold_answer(self, client: Client) -> None:
        made = factories.list_benchmark()
        split = factories.split(made, "dev")
        factories.published(factories.user("bob"), split, {"openbook": factories.list_answers(right=3)}, name="Lists")
        Entry.objects.update(shows_answers=True)
        qid = Question.objects.filter(revision=split.current_revision).values_list("qid", flat=True)[0]
        page = find_question("qampari", "dev", qid, AnonymousUser(), {})
        assert page is not None
        (row,) = page.answers
        assert row.outcome.verdict == "partial"
        assert row.n_found == 3
        assert row.is_list
        assert sum(piece.marked for piece in row.pieces) == 3
        assert client.get(f"/qampari/dev/questions/{qid}/").status_code == 200


class TestFilters:
    @pytest.mark.parametrize(
        ("verdict", "names"),
        [("", ["All", "Half", "One"]), ("right", ["All"]), ("partial", ["Half"]), ("wrong", ["One"]), ("x", None)],
    )
    def test_links_choose_by_verdict(self, made: Benchmark, verdict: str, names: list[str] | None) -> None:
        page = page_of("dev-0", verdict=verdict)
        assert [row.entry.system.name for row in page.answers] == (names or ["All", "Half", "One"])
        assert [(tab.label, tab.count) for tab in page.filters] == [
            ("All", 3),
            ("Right", 1),
            ("Partial", 1),
            ("Wrong", 1),
        ]

    @pytest.mark.parametrize("sort", ["position", "difficulty", "discrimination", "disagreement"])
    def test_the_list_has_every_order_and_its_reverse(self, made: Benchmark, client: Client, sort: str) -> None:
        dev = factories.split(made, "dev")
        boards.fill(dev, factories.setting(made), FEWEST_SYSTEMS)
        asked = find_questions("fanoutqa", "dev")
        assert asked is not None
        forwards = [summary.qid for _, summary in QuestionList(asked, sort=sort).ordered]
        backwards = [summary.qid for _, summary in QuestionList(asked, sort=f"-{sort}").ordered]
        assert sorted(forwards) == sorted(backwards) == [f"dev-{number}" for number in range(4)]
        if sort != "disagreement":
            assert forwards == backwards[::-1]
        assert client.get(f"{LIST}?sort={sort}").status_code == 200

    def test_the_list_can_have_those_alone_on_which_verdicts_differ(self, made: Benchmark, client: Client) -> None:
        agree_on_one(made)
        asked = find_questions("fanoutqa", "dev")
        assert asked is not None
        page = QuestionList(asked, show="differ", sort="-position")
        assert [summary.qid for _, summary in page.ordered] == ["dev-3", "dev-1", "dev-0"]
        assert [(label, number, shown) for label, number, _, shown in page.choices] == [
            ("All", 4, False),
            ("Verdicts differ", 3, True),
        ]
        assert "show=differ" in page.url("position")
        text = text_of(client, f"{LIST}?show=differ")
        assert "Verdicts differ 3" in text

    def test_the_filter_of_the_list_is_kept_from_question_to_question(self, made: Benchmark, client: Client) -> None:
        agree_on_one(made)
        asked = find_questions("fanoutqa", "dev")
        assert asked is not None
        differing = [one.qid for one in page_of("dev-0").by_difficulty if one.verdicts_differ]
        assert len(differing) < len(asked.summaries)
        assert f'{differing[0]}/?show=differ"' in client.get(f"{LIST}?show=differ").content.decode()
        walked, page = [differing[0]], page_of(differing[0], show="differ")
        while page.easier_url:
            walked.append(page.easier_url.removeprefix(LIST).removesuffix("/?show=differ"))
            page = page_of(walked[-1], show="differ")
        assert walked == differing
        assert all("show=differ" in url for url in (page.harder_url, page.list_url, page.all_url, page.filters[0].url))
        (other,) = {one.qid for one in asked.summaries} - set(differing)
        assert "show=differ" in page_of(other, show="differ").harder_url + page_of(other, show="differ").easier_url
        assert QuestionList(asked, show="other").choices[0][3], "all, if it is no choice"

    def test_a_setting_has_its_own_systems(self, made: Benchmark, client: Client) -> None:
        dev = factories.split(made, "dev")
        factories.published(factories.user("bo"), dev, {"closedbook": factories.perfect(right=0)}, name="Closed")
        assert [row.entry.system.name for row in page_of("dev-0", setting="closedbook").answers] == ["Closed"]
        assert "Closed book , 1" in text_of(client, f"{LIST}dev-0/?setting=closedbook")
        assert page_of("dev-0", setting="closedbook").list_url == f"{LIST}?setting=closedbook"


class TestAccess:
    @pytest.mark.parametrize(
        "path",
        [
            "/fanoutqa/test/questions/",
            "/fanoutqa/test/questions/test-0/",
            "/fanoutqa/dev/questions/test-0/",
            "/fanoutqa/nosplit/questions/",
            "/nobenchmark/dev/questions/",
            "/fanoutqa/dev/questions/nothing/",
        ],
    )
    def test_hidden_splits_have_no_such_page(self, made: Benchmark, client: Client, path: str) -> None:
        client.force_login(factories.maintainer())
        assert client.get(path).status_code == 404

    def test_a_split_that_becomes_hidden_loses_its_pages(self, made: Benchmark, client: Client) -> None:
        page = page_of("dev-0")
        Split.objects.update(hidden=True)
        assert client.get(f"{LIST}dev-0/").status_code == client.get(LIST).status_code == 404
        with pytest.raises(HiddenSplitError):
            QuestionItems(Question.objects.get(pk=page.question.pk))

    def test_only_public_answers_are_shown_to_strangers(self, made: Benchmark, client: Client) -> None:
        text = text_of(client, f"{LIST}dev-2/")
        assert "Not public" in text
        assert "perhaps" not in text
        assert "Norway has Oslo and 0." in text_of(client, f"{LIST}dev-0/")

    def test_owners_and_viewers_read_the_others_too(self, made: Benchmark, client: Client) -> None:
        viewer = factories.user("viewer", is_staff=True)
        viewer.user_permissions.add(Permission.objects.get(codename="view_submission"))
        for user, shown in ((User.objects.get(username="ada"), True), (viewer, True), (factories.user("eve"), False)):
            client.force_login(user)
            assert ("perhaps" in text_of(client, f"{LIST}dev-2/")) is shown

    def test_what_could_do_harm_is_shown_as_text(self, made: Benchmark, client: Client) -> None:
        answers = factories.perfect() | {"dev-0": "<script>alert(1)</script> \u202e Oslo"}
        factories.published(factories.user("bo"), factories.split(made, "dev"), {"openbook": answers}, name="Bad")
        Entry.objects.update(shows_answers=True)
        content = client.get(f"{LIST}dev-0/").content.decode()
        assert "<script>alert" not in content
        assert "\u202e" not in content

    def test_a_long_answer_is_cut_and_leads_to_the_whole(self, made: Benchmark, client: Client) -> None:
        answers = factories.perfect() | {"dev-0": "word " * 1000 + "Oslo"}
        factories.published(factories.user("bo"), factories.split(made, "dev"), {"openbook": answers}, name="Long")
        Entry.objects.update(shows_answers=True)
        (row,) = [row for row in page_of("dev-0").answers if row.entry.system.name == "Long"]
        assert row.is_cut
        assert row.marks == (False, True)
        assert row.url in unescape(client.get(f"{LIST}dev-0/").content.decode())
        assert client.get(row.url).status_code == 200

    def test_people_and_reported_rows_are_left_out(self, made: Benchmark) -> None:
        System.objects.filter(name="One").update(is_human=True)
        assert {row.entry.system.name for row in page_of("dev-0").answers} == {"All", "Half"}


def test_without_a_system_the_pages_say_so(client: Client) -> None:
    factories.benchmark()
    assert "No answers yet" in text_of(client, f"{LIST}dev-0/")
    assert "No system has verdicts" in text_of(client, LIST)


def test_a_benchmark_without_references_shows_answers_alone(client: Client) -> None:
    essays = compared_site.declare(2)
    entries = compared_site.rank(factories.split(essays, "dev"), factories.setting(essays, "closed-book"), 2)
    text = text_of(client, "/essays/dev/questions/dev-0/")
    assert entries[0].system.name in text
    assert "Verdict" not in text
    assert client.get("/essays/dev/questions/").status_code == 200
    assert client.get("/api/v1/benchmarks/essays/splits/dev/questions/dev-0/").json()["mean"] is None


def test_changed_scores_are_shown_before_and_after_the_board_is_written(made: Benchmark) -> None:
    dev, setting = factories.split(made, "dev"), factories.setting(made)

    def shown() -> tuple[int, object, object]:
        page = page_of("dev-0")
        answers = [(row.entry.system.name, row.outcome.verdict, row.outcome.value) for row in page.answers]
        return page.asked.n_scored, page.summary, answers

    write.write(dev, setting)
    first = shown()
    factories.published(factories.user("bo"), dev, {"openbook": factories.perfect()}, name="Another")
    changed = shown()
    assert changed[0] == first[0] + 1
    write.write(dev, setting)
    assert shown() == changed


@pytest.mark.parametrize("path", [LIST, f"{LIST}dev-0/"])
def test_the_number_of_queries_does_not_grow_with_systems(made: Benchmark, client: Client, path: str) -> None:
    before = n_queries(client, path)
    boards.fill(factories.split(made, "dev"), factories.setting(made), 20)
    assert n_queries(client, path) == before == (9 if path == LIST else 13)


class TestApi:
    API = "/api/v1/benchmarks/fanoutqa/splits/dev/"

    def test_statistics_are_those_of_the_page(self, made: Benchmark, client: Client) -> None:
        rows = client.get(f"{self.API}question-statistics/").json()
        asked = find_questions("fanoutqa", "dev")
        assert asked is not None
        assert [(row["id"], row["mean"]) for row in rows] == [(it.qid, it.mean) for it in asked.summaries]
        assert {row["setting"] for row in rows} == {"openbook"}
        first = client.get(f"{self.API}question-statistics/?page_size=3")
        assert len(first.json()) == 3
        assert 'rel="next"' in first["Link"]

    def test_a_question_counts_the_strings_and_names_none(self, made: Benchmark, client: Client) -> None:
        response = client.get(f"{self.API}questions/dev-0/")
        body = response.json()
        assert body["found_by"] == [1, 2]
        assert body["question"]["id"] == body["id"] == "dev-0"
        assert "Oslo" not in response.content.decode()
        assert client.get(body["page"]).status_code == 200

    def test_answers_are_public_ones_alone(self, made: Benchmark, client: Client) -> None:
        rows = {row["system"]: row for row in client.get(f"{self.API}questions/dev-0/answers/").json()}
        assert {slug: row["verdict"] for slug, row in rows.items()} == {
            "all": "right",
            "half": "partial",
            "one": "wrong",
        }
        assert {slug: row["answer"] for slug, row in rows.items()} == {
            "all": "Norway has Oslo and 0.",
            "half": None,
            "one": None,
        }
        assert rows["half"]["found"] == [False, True]
        assert rows["one"]["answered"] is False
        right = client.get(f"{self.API}questions/dev-0/answers/?verdict=right&page_size=1")
        assert [row["system"] for row in right.json()] == ["all"]
        client.force_login(User.objects.get(username="ada"))
        own = client.get(f"{self.API}questions/dev-0/answers/?verdict=partial").json()
        assert [row["answer"] for row in own] == ["It is Oslo."]

    @pytest.mark.parametrize(
        ("path", "status"),
        [
            ("questions/dev-0/answers/?verdict=nothing", 400),
            ("questions/dev-0/?setting=nothing", 404),
            ("questions/nothing/", 404),
            ("questions/nothing/answers/", 404),
            ("question-statistics/?setting=nothing", 404),
            ("../test/question-statistics/", 404),
            ("../test/questions/test-0/", 404),
            ("../test/questions/test-0/answers/", 404),
        ],
    )
    def test_what_is_hidden_or_unknown_is_refused(
        self, made: Benchmark, client: Client, path: str, status: int
    ) -> None:
        path = f"{self.API}{path}".replace("dev/../", "")
        response = client.get(path)
        assert response.status_code == status
        assert response["Content-Type"] == "application/problem+json"


class TestWhatAQuestionIsAbout:
    CONTEXT = ("Sales are in\n  millions <b>.", [["", "2019"], ["Sales", "1,496"]], {"A": "Oslo", "B": "Bern & co"})

    @pytest.fixture
    def revised(self) -> Question:
        """A question of several lines with a text and a table, of a split without systems."""
        made = factories.benchmark()
        first, *others = factories.source_questions("dev")
        text = "Which of these?\n  A) Oslo\n  B) Bern"
        factories.revise(factories.split(made, "dev"), [replace(first, text=text, context=self.CONTEXT), *others])
        return Question.objects.get(revision__current_of__slug="dev", qid="dev-0")

    def test_is_stored_as_part_of_the_revision(self, revised: Question) -> None:
        assert tuple(revised.context_blocks) == self.CONTEXT
        stored = source_of(revised.revision)
        assert [question.context for question in stored] == [self.CONTEXT, (), (), ()]
        assert content_hash(stored) == revised.revision.content_hash

    def test_is_shown_as_it_is_outside_the_heading(self, revised: Question, client: Client) -> None:
        shown = client.get("/fanoutqa/dev/questions/dev-0/").content.decode()
        assert [re.sub(r"\s+", " ", heading) for heading in re.findall(r"<h1.*?>(.*?)</h1>", shown)] == ["Question 1"]
        assert revised.text in shown
        assert "Sales are in\n  millions &lt;b&gt;." in shown
        options = re.findall(r"<dt>(.*?)</dt>\s*<dd>\s*<span[^>]*>(.*?)</span>", shown)
        assert options == [("A", "Oslo"), ("B", "Bern &amp; co")]
        assert "<td>1,496</td>" in re.sub(r' dir="auto"', "", shown)

    def test_is_in_the_api(self, revised: Question, client: Client) -> None:
        listed = client.get("/api/v1/benchmarks/fanoutqa/splits/dev/questions/").json()
        assert [question["context"] for question in listed] == [[*self.CONTEXT], [], [], []]
