"""A system's page and its questions: what they show, to whom, and at what cost."""

import dataclasses
import html
import re
from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoAssertNumQueries

from leaderboard.board import standings, write
from leaderboard.board.exports.bibtex import entries_in
from leaderboard.models import Entry, EntryKind, ReportedValue, Standing, Submission, System, User
from leaderboard.publishing import requests
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.services import NOT_ON_BOARD, publish_submission, show_answers, unpublish_submission
from leaderboard.submissions import services, storage
from leaderboard.systems.page import system_page
from leaderboard.systems.questions import explained_entry
from leaderboard.systems.types import Result
from scoring.models import Benchmark, CurrentSignature, Question, Score, Split
from scoring.statistics import mean_interval
from tests import boards, factories

pytestmark = pytest.mark.django_db
QUESTIONS = "/systems/example-system/questions/?split=dev&setting=openbook"


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark(n_dev=30, n_test=40)


@pytest.fixture
def ada() -> User:
    return factories.user("ada")


def publish(
    made: Benchmark, owner: User, right: int, *, name: str = "Example system", split: str = "dev", **fields: Any
) -> Submission:
    n = 30 if split == "dev" else 40
    answers = factories.perfect(split, n, right=right)
    return factories.published(owner, factories.split(made, split), {"openbook": answers}, name=name, **fields)


def result_of(slug: str = "example-system", kind: str = "", split: str = "") -> Result:
    results = system_page(System.objects.get(slug=slug)).results
    return next(
        result for result in results if result.entry.kind.startswith(kind) and result.entry.split.slug.startswith(split)
    )


def score(name: str = "loose", slug: str = "example-system") -> Score:
    entry = Entry.objects.get(system__slug=slug, replaced_at=None)
    return Score.objects.get(run__answer_set=entry.answer_set_id, name=name)


def with_categories(made: Benchmark, slug: str, categories: Sequence[tuple[str, ...]]) -> Split:
    """A split of questions in these categories."""
    questions = [
        dataclasses.replace(question, categories=names)
        for question, names in zip(factories.source_questions(slug, len(categories)), categories, strict=True)
    ]
    factories.revise(factories.split(made, slug), questions)
    return factories.split(made, slug)


# --- Values, ranks and intervals -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_values_stand_with_their_intervals_ranks_and_ranges(made: Benchmark, ada: User) -> None:
    publish(made, ada, 20)
    publish(made, ada, 28, name="Better")
    publish(made, ada, 3, name="Worse")
    standings.refresh(factories.split(made, "dev"), factories.setting(made))
    result = result_of()
    loose = next(cell for cell in result.cells if cell.column.key == "loose")
    stored, standing = score(), Standing.objects.get(entry__system__slug="example-system", name="loose")
    assert (loose.value, loose.low, loose.high) == (stored.value, stored.low, stored.high)
    assert loose.low is not None
    assert loose.high is not None
    assert loose.low < stored.value < loose.high
    assert (result.rank, result.n_ranked) == (2, 3)
    assert (result.best_rank, result.worst_rank) == (standing.best_rank, standing.worst_rank)
    assert result.revision.short_hash == factories.split(made, "dev").current_revision.short_hash  # type: ignore[union-attr]
    assert {label for label, _ in result.signatures} >= {"String accuracy", "ROUGE"}


def test_links_of_a_setting_stand_in_its_own_row(made: Benchmark, ada: User, client: Client) -> None:
    answers = factories.perfect("dev", 30)
    factories.published(ada, factories.split(made, "dev"), {"openbook": answers, "closedbook": answers})
    page = client.get("/systems/example-system/").content.decode()
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    for slug, name in (("openbook", "Open book"), ("closedbook", "Closed book")):
        [row] = [row for row in rows if f"/fanoutqa/dev/{slug}/" in row]
        links = re.findall(r'<a href="([^"]+)">(\w+)<span class="visually-hidden">, ([^<]+)</span>', row)
        assert [(label, setting) for _, label, setting in links] == [("Questions", name), ("Compare", name)]
        assert all(f"setting={slug}" in url for url, _, _ in links)


def test_what_is_not_scored_or_only_reported_says_so(made: Benchmark, ada: User) -> None:
    publish(made, ada, 20)
    system = System.objects.get()
    entry = Entry.objects.create(
        system=system,
        split=factories.split(made, "test"),
        setting=factories.setting(made),
        kind=EntryKind.REPORTED,
        source="Table 2",
    )
    ReportedValue.objects.create(entry=entry, name="loose", value=0.44)
    reported, scored = result_of(kind="reported"), result_of(kind="scored")
    assert [cell.value for cell in reported.cells][:2] == [0.44, None]
    assert not reported.signatures
    assert reported.rank is None
    assert not reported.compare_url
    judge = next(cell for cell in scored.cells if cell.column.key == "judge")
    assert judge.reason == "Not scored yet."


def test_a_score_under_another_signature_is_shown_apart(made: Benchmark, ada: User, client: Client) -> None:
    publish(made, ada, 20)
    CurrentSignature.objects.filter(metric="accuracy").update(signature="accuracy|something:else")
    result = result_of()
    loose = next(cell for cell in result.cells if cell.column.key == "loose")
    assert loose.value is None
    assert loose.other_value == score().value
    assert result.rank is None
    assert "not comparable" in client.get("/systems/example-system/").content.decode()


def test_people_are_not_ranked_and_nothing_of_theirs_is_shown_by_question(made: Benchmark, ada: User) -> None:
    publish(made, ada, 20)
    System.objects.update(is_human=True)
    result = result_of()
    assert result.rank is None
    assert result.categories is None
    assert not result.questions_url
    assert explained_entry("example-system", split="dev", setting="openbook") is None


# --- By category ---------------------------------------------------------------------------------------------------


def test_means_by_category_with_the_interval_of_each(made: Benchmark, ada: User) -> None:
    publish(made, ada, 20)
    table = result_of().categories
    assert table is not None
    assert [(line.name, line.n_questions) for line in table.rows] == [("Geography", 30), ("Politics", 15)]
    vector = score().per_item
    politics = table.rows[1].values[0]
    assert politics is not None
    assert politics.value == pytest.approx(vector[::2].mean())
    ends = mean_interval(vector[::2])
    assert (politics.low, politics.high) == (ends.low, ends.high)


def test_a_hidden_split_shows_no_group_that_tells_of_fewer_than_ten_questions(made: Benchmark, ada: User) -> None:
    categories = [("A", "B")] * 15 + [("A",)] * 2 + [("B",)] * 12 + [("C",)] * 4 + [()] * 7
    with_categories(made, "test", categories)
    with_categories(made, "dev", categories[:30])
    publish(made, ada, 18, split="test")
    publish(made, ada, 18, split="dev")
    hidden, shown = result_of(split="test").categories, result_of(split="dev").categories
    assert hidden is not None
    assert shown is not None
    assert [(line.name, line.n_questions) for line in hidden.rows] == [("B", 27), ("Other", 13)]
    assert {line.name for line in shown.rows} >= {"A", "B"}


def test_a_mean_of_a_hidden_split_is_shown_whatever_it_is(made: Benchmark, ada: User, client: Client) -> None:
    """By the number of questions alone: a rule that looked at the outcomes would bias what is shown."""
    with_categories(made, "test", [("A",)] * 20 + [("B",)] * 20)
    publish(made, ada, 21, split="test")
    table = result_of(split="test").categories
    assert table is not None
    assert [cell.key for cell in table.columns] == ["loose"]
    values = [value for line in table.rows if (value := line.values[0]) is not None]
    assert len(values) == 2
    for value in values:  # with a random error, which the interval includes
        assert value.value is not None and value.low is not None and value.high is not None
        assert value.low <= value.value <= value.high
    assert "withheld" not in client.get("/systems/example-system/").content.decode()


def test_what_is_shown_by_category_follows_when_a_split_becomes_hidden(made: Benchmark, ada: User) -> None:
    with_categories(made, "dev", [("A", "B")] * 20 + [("A",)] * 5 + [("B",)] * 5)
    publish(made, ada, 20)
    before = result_of().categories
    Split.objects.filter(slug="dev").update(hidden=True)
    after = result_of().categories
    assert before is not None
    assert {line.name for line in before.rows} == {"A", "B"}
    assert after is None


def test_a_page_shows_the_digits_of_its_split_as_they_are_now(made: Benchmark, ada: User) -> None:
    """First the split is open, then hidden, then its numbers are rounded to the step."""
    with_categories(made, "dev", [("A",), ("B",)] * 15)
    publish(made, ada, 17)
    shown = []
    for fields in ({}, {"hidden": True}, {"rounding_step": 0.1}):
        Split.objects.filter(slug="dev").update(**fields)
        result = result_of()
        assert result.categories is not None
        means = [mean.value for row in result.categories.rows for mean in row.values if mean and mean.value is not None]
        assert means
        shown.append([*means, *(point.value for point in result.history if point.value is not None)])
    exact, three_digits, stepped = shown
    assert exact[-1] != round(exact[-1], 3) and exact[-1] == pytest.approx(17 / 30)
    assert three_digits == [round(number, 3) for number in three_digits] != exact
    assert stepped == pytest.approx([round(number, 1) for number in stepped]) and stepped != three_digits


# --- Length of answers ---------------------------------------------------------------------------------------------


def test_the_lengths_of_answers_are_summed_up(made: Benchmark, ada: User) -> None:
    answers = {f"dev-{index}": "x" * (10 * (index + 1)) for index in range(11)} | {"dev-20": ""}
    factories.published(ada, factories.split(made, "dev"), {"openbook": answers})
    lengths = result_of().lengths
    assert lengths is not None
    assert (lengths.n, lengths.median, lengths.mean, lengths.ninetieth) == (11, 60, 60, 100)


# --- Rank over time ------------------------------------------------------------------------------------------------


def test_a_withdrawn_rows_value_is_told_no_more(made: Benchmark, ada: User) -> None:
    first = publish(made, ada, 10)
    publish(made, ada, 25)
    write.write_marked()
    assert len(result_of().history) == 2
    services.withdraw_submission(first, actor=ada)
    write.write_marked()
    assert [point.value for point in result_of().history] == [score().value]


# --- Citing --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "in_entry"),
    [
        ({"name": "50% off & more_{", "citation": "Lovelace, 2024"}, r"50\% off \& more\_"),
        ({"citation": "@article{key, title={Own}, author={A and B}}"}, "@article{key"),
        ({"citation": "@misc{x, note={}}} \\input{/etc/passwd} @comment{"}, "@"),
        ({"authors": "Ada Lovelace, Grace Hopper et al."}, "Ada Lovelace and Grace Hopper and others"),
    ],
)
def test_the_bibtex_is_closed_and_escaped_whatever_was_typed(
    made: Benchmark, ada: User, fields: dict[str, str], in_entry: str
) -> None:
    publish(made, ada, 5, **{"name": "Example system", **fields})
    bibtex = system_page(System.objects.get()).bibtex
    assert in_entry in bibtex
    assert bibtex.count("{") - bibtex.count(r"\{") == bibtex.count("}") - bibtex.count(r"\}")
    entries = entries_in(bibtex)
    assert len(entries) >= 2
    assert len({entry.key for entry in entries}) == len(entries)
    assert r"\input" not in bibtex.replace(r"\textbackslash", "")


# --- Cost ----------------------------------------------------------------------------------------------------------


def test_the_number_of_queries_grows_with_neither_systems_nor_rows(
    made: Benchmark, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    dev = factories.split(made, "dev")
    boards.fill(dev, factories.setting(made), 3)
    system = System.objects.get(slug="system-1")
    write.write(dev, factories.setting(made))
    with django_assert_num_queries(14):
        system_page(system)
    for slug in ("closedbook", "evidenceprovided"):
        boards.fill(dev, factories.setting(made, slug), 20)
    with django_assert_num_queries(14):
        assert len(system_page(system).results) == 3


# --- Question by question ------------------------------------------------------------------------------------------


def text_of(client: Client, address: str = QUESTIONS, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status
    return response.content.decode()


class TestQuestions:
    SECRET = "a phrase that only the answer has"

    @pytest.fixture
    def sent(self, made: Benchmark, ada: User) -> Submission:
        answers = {
            "dev-0": f"Norway, Oslo. {self.SECRET}",
            "dev-1": "only Nairobi is here",
            "dev-2": "nothing",
            "dev-3": "",
            "dev-4": "<script>alert(1)</script>\u202e\x07 Canada: Ottawa",
        }
        return factories.published(ada, factories.split(made, "dev"), {"openbook": answers})

    def test_what_was_found_and_missing_is_told_to_everybody(self, sent: Submission, client: Client) -> None:
        text = text_of(client)
        assert "What is the capital of Norway (0)?" in text
        assert re.search(r"Oslo</span>\s*<span class=\"visually-hidden\"> \(found\)", text)
        assert re.search(r"Kenya</span>\s*<span class=\"visually-hidden\"> \(missing\)", text)

    @pytest.mark.slow
    def test_answers_are_read_by_owner_and_maintainers_and_by_others_with_the_owners_word(
        self, sent: Submission, ada: User
    ) -> None:
        readers: list[tuple[User | None, bool]] = [
            (None, False),
            (factories.user("eve"), False),
            (ada, True),
            (factories.maintainer(), True),
        ]

        def seen() -> list[bool]:
            found = []
            for user, _ in readers:
                client = Client()
                if user is not None:
                    client.force_login(user)
                found.append(self.SECRET in text_of(client))
            return found

        assert seen() == [may for _, may in readers]
        show_answers(sent, actor=ada)
        assert seen() == [True] * 4
        show_answers(sent, actor=ada, shown=False)
        assert seen() == [may for _, may in readers]

    def test_answers_do_nothing_to_the_page(self, sent: Submission, ada: User, client: Client) -> None:
        client.force_login(ada)
        text = text_of(client)
        assert "<script>alert(1)</script>" not in text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;⟨U+202E⟩⟨U+0007⟩" in text
        assert "\u202e" not in text
        assert "<mark>Ottawa</mark>" in text

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("query", "numbers"),
        [
            ("&outcome=found", [1, 5]),
            ("&outcome=partly", [2]),
            ("&outcome=missed", [3, 4]),
            ("&outcome=missed&category=Politics", [3]),
            ("&outcome=unanswered&page=2", list(range(26, 31))),
            ("&outcome=unanswered&page=999", list(range(26, 31))),
            ("&outcome=nonsense&page=x", list(range(1, 21))),
            ("&category=nonsense", []),
        ],
    )
    def test_choosing(self, sent: Submission, client: Client, query: str, numbers: list[int]) -> None:
        found = [int(number) for number in re.findall(r'id="question-(\d+)"', text_of(client, QUESTIONS + query))]
        assert found == numbers

    def test_the_number_of_queries_does_not_grow_with_the_questions(self, sent: Submission, client: Client) -> None:
        def n_queries(query: str) -> int:
            with CaptureQueriesContext(connection) as queries:
                text_of(client, QUESTIONS + query)
            return len(queries)

        assert n_queries("&outcome=partly") == n_queries("") == n_queries("&outcome=unanswered")
        assert n_queries("") <= 12

    def test_marks_of_another_version_than_the_scores_are_said_to_be(self, sent: Submission, client: Client) -> None:
        assert "Different metric version" not in text_of(client)
        Score.objects.filter(name__in=["loose", "strict"]).update(signature="accuracy|older")
        CurrentSignature.objects.filter(metric="accuracy").update(signature="accuracy|older")
        assert "Different metric version" in text_of(client)

    def test_what_is_not_on_the_board_is_not_there(self, sent: Submission, ada: User, client: Client) -> None:
        unpublish_submission(sent, actor=ada)
        client.force_login(ada)
        text_of(client, status=404)


@pytest.mark.parametrize("who", ["nobody", "owner", "maintainer"])
def test_the_questions_of_a_hidden_split_are_shown_to_nobody(
    made: Benchmark, ada: User, client: Client, who: str
) -> None:
    publish(made, ada, 10, split="test")
    Entry.objects.update(shows_answers=True)
    if who != "nobody":
        client.force_login(ada if who == "owner" else factories.maintainer())
    text_of(client, QUESTIONS.replace("split=dev", "split=test"), status=404)
    page = html.unescape(text_of(client, "/systems/example-system/"))
    questions = Question.objects.filter(revision__split__slug="test").values_list("text", flat=True)
    assert questions
    assert not [question for question in questions if question in page]
    assert "Question by question" not in page


# --- Letting others read the answers -------------------------------------------------------------------------------


class TestShowingAnswers:
    def test_nothing_is_shown_without_the_owners_word(self, made: Benchmark, ada: User) -> None:
        publish(made, ada, 5)
        assert not Entry.objects.get().shows_answers

    def test_taking_it_off_the_board_ends_it(self, made: Benchmark, ada: User) -> None:
        sent = publish(made, ada, 5)
        show_answers(sent, actor=ada)
        unpublish_submission(sent, actor=ada)
        publish_submission(sent, actor=ada)
        assert not Entry.objects.get().shows_answers

    def test_a_row_that_another_replaced_comes_back_without_them(self, made: Benchmark, ada: User) -> None:
        earlier = publish(made, ada, 5)
        show_answers(earlier, actor=ada)
        publish(made, ada, 6)
        assert not Entry.objects.filter(shows_answers=True).exists()
        publish_submission(earlier, actor=ada)
        assert not Entry.objects.get(submission=earlier, replaced_at=None).shows_answers

    def test_publishing_again_decides_anew(self, made: Benchmark, ada: User) -> None:
        sent = publish(made, ada, 5)
        for shown in (True, False, True):
            publish_submission(sent, actor=ada, shows_answers=shown)
            assert Entry.objects.get().shows_answers is shown
        show_answers(sent, actor=ada, shown=False)
        publish_submission(sent, actor=ada, shows_answers=True)
        assert Entry.objects.get().shows_answers
        publish_submission(sent, actor=ada, shows_answers=False)
        show_answers(sent, actor=ada)
        publish_submission(sent, actor=ada, shows_answers=False)
        assert not Entry.objects.get().shows_answers

    def test_a_hidden_splits_are_never_shown(self, made: Benchmark, ada: User) -> None:
        sent = publish(made, ada, 5, split="test")
        with pytest.raises(SubmissionError, match="hidden"):
            show_answers(sent, actor=ada)
        unpublish_submission(sent, actor=ada)
        with pytest.raises(SubmissionError, match="hidden"):
            publish_submission(sent, actor=ada, shows_answers=True)
        assert not Entry.objects.filter(replaced_at=None).exists(), "it was published in spite of the error"

    def test_only_what_is_on_the_board(self, made: Benchmark, ada: User) -> None:
        sent = factories.scored(ada, factories.split(made, "dev"), {"openbook": factories.perfect(n=30)})
        with pytest.raises(SubmissionError, match=NOT_ON_BOARD):
            show_answers(sent, actor=ada)

    @pytest.mark.parametrize(("split", "offered"), [("dev", True), ("test", False)])
    def test_its_owner_decides_on_the_submissions_page(
        self, made: Benchmark, ada: User, client: Client, split: str, offered: bool
    ) -> None:
        answers = factories.perfect(split, 30)
        sent = factories.scored(ada, factories.split(made, split), {"openbook": answers})
        client.force_login(ada)
        assert ('name="shows_answers"' in text_of(client, sent.get_absolute_url())) is offered
        said = {"how": "named", "seen": requests.fingerprint(sent)} | ({"shows_answers": "yes"} if offered else {})
        client.post(f"{sent.get_absolute_url()}publish/", said)
        assert Entry.objects.get().shows_answers is offered
        assert ('id="hide-answers"' in text_of(client, sent.get_absolute_url())) is offered
        if offered:
            client.post(f"{sent.get_absolute_url()}answers/", {"shown": "no"})
            assert not Entry.objects.get().shows_answers
            assert [event.text for event in sent.events.all()][-2:] == [
                "Answers made public.",
                "Answers made private.",
            ]
            (seen,) = re.findall(r'name="seen"\s+value="(\w+)"', text_of(client, sent.get_absolute_url()))
            newer = factories.checked_files(sent.split, {"openbook": factories.perfect(split, 30, right=2)})
            storage.replace_files(sent, files=newer, actor=ada)  # as a colleague may while the page is open
            factories.score(sent)
            publish_submission(sent, actor=ada)
            client.post(f"{sent.get_absolute_url()}answers/", {"shown": "yes", "seen": seen})
            assert not Entry.objects.get(replaced_at=None).shows_answers
            client.post(f"{sent.get_absolute_url()}answers/", {"shown": "yes", "seen": requests.fingerprint(sent)})
            assert Entry.objects.get(replaced_at=None).shows_answers
