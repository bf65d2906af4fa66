"""Several attempts at each question: what boards, their files, systems' pages and the API show of them."""

import csv
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.test import Client

from leaderboard.board.attempts import attempts_of
from leaderboard.board.contents import NOT_RIGHT_OR_WRONG, ONE_ATTEMPT
from leaderboard.board.document import Document
from leaderboard.board.table import BoardParams, board_for
from leaderboard.board.write import open_board, write_marked
from leaderboard.disclosure import BEST_OF_K_WITHHELD, OPEN, TOO_FEW_FOR_ATTEMPTS, DisclosureRule
from leaderboard.maintenance.benchmark_phases import approve_pass_at
from leaderboard.models import AuditRecord, Entry, Submission
from leaderboard.publishing.services import publish_submission
from leaderboard.run_columns import KEYS, OF_ATTEMPTS
from scoring.generations.keys import answer_key
from scoring.models import AnswerBlock, Score, Split, vector_bytes
from scoring.runs import intervals
from scoring.statistics import attempt_summary, mean_interval, pass_at_k
from tests import boards, factories
from tests.counting import n_queries

N = 12
COLUMNS = ["attempts", "spread", "pass-at-k", "pass-hat-k"]
API = "/api/v1/board/?benchmark=fanoutqa&setting=openbook&columns=all&split="


def drawn(n_attempts: int, seed: int = 1) -> np.ndarray:
    """Outcomes of 0 and 1, shape (n_attempts, N)."""
    return (np.random.default_rng(seed).random((n_attempts, N)) < 0.6).astype(float)


@pytest.fixture
def publish(db: None) -> Callable[..., Submission]:
    """A function that publishes a system, with these values of attempts if there are several."""
    known = factories.benchmark(N, N)
    owner = factories.user()

    def of(name: str, values: np.ndarray | None = None, split: str = "dev") -> Submission:
        answers = {**factories.perfect(split, N), f"{split}-0": name}
        sent = factories.scored(owner, factories.split(known, split), {"openbook": answers}, name=name)
        if values is not None:
            factories.answer_again(sent, values)
        publish_submission(sent, actor=owner, approved=True)
        boards.write()
        return sent

    return of


def document(split: str = "dev") -> Document:
    board = open_board("fanoutqa", split, "openbook")
    assert board is not None
    return board.content


def values(known: Document) -> dict[str, list[float | None]]:
    return {row.name: [row.cell(key).value for key in COLUMNS] for row in known.rows}


def scores(client: Client, split: str = "dev") -> dict[str, Any]:
    """The API's scores of the first row, by name."""
    row = client.get(API + split).json()["rows"][0]
    return {score["score"]: score for score in row["scores"]}


def test_a_board_without_several_attempts_has_no_columns_of_them(publish: Callable[..., Submission]) -> None:
    publish("Once")
    known = document()
    assert known.shared_k == 0
    [row] = known.rows
    assert not set(COLUMNS) & set(row.by_column)
    assert not any(cell.attempts for cell in row.by_column.values())


def test_a_document_has_for_each_score_what_its_attempts_say(publish: Callable[..., Submission]) -> None:
    outcomes = drawn(3)
    publish("Thrice", outcomes)
    known, summary = document(), attempt_summary(outcomes)
    for key in ("loose", "strict"):
        attempts = known.rows[0].cell(key).attempts
        assert attempts
        assert attempts.n_attempts == 3
        assert attempts.means == outcomes.mean(axis=1).tolist()
        assert attempts.spread == summary.spread
        assert attempts.variance_of_questions == summary.variance_of_questions
        assert attempts.variance_of_attempts == summary.variance_of_attempts
        assert {chance.k: chance.value for chance in attempts.pass_at} == pytest.approx(summary.pass_at)
        assert {chance.k: chance.value for chance in attempts.pass_hat} == pytest.approx(summary.pass_hat)
        right = outcomes.sum(axis=0)
        for chance in attempts.pass_at:
            ends = mean_interval(pass_at_k(np.full(N, 3), right, chance.k))
            assert (chance.low, chance.high) == (ends.low, ends.high)
        assert attempts.reason == ""


def test_the_columns_have_the_greatest_k_that_all_rows_with_several_attempts_share(
    publish: Callable[..., Submission],
) -> None:
    of_three, of_five = drawn(3), drawn(5, seed=2)
    publish("Five times", of_five)
    publish("Once")
    publish("Thrice", of_three)
    known = document()
    assert known.shared_k == 3
    three, five = attempt_summary(of_three), attempt_summary(of_five)
    assert three.pass_at and three.pass_hat and five.pass_at and five.pass_hat
    expected = {
        "Five times": [5, five.spread, five.pass_at[3], five.pass_hat[3]],
        "Once": [1, None, None, None],
        "Thrice": [3, three.spread, three.pass_at[3], three.pass_hat[3]],
    }
    for name, numbers in values(known).items():
        assert numbers == pytest.approx(expected[name])
    assert known.rows[1].cell("spread").reason == ONE_ATTEMPT
    stored = open_board("fanoutqa", "dev", "openbook")
    assert stored is not None
    board = board_for(stored, BoardParams(columns="all"))
    labels = {column.key: column.label for column in board.columns}
    assert [labels[key] for key in COLUMNS] == ["Attempts", "Spread between attempts", "pass@3", "pass^3"]
    assert {row.name: row.n_attempts for row in board.rows} == {"Five times": 5, "Once": 1, "Thrice": 3}


def test_shares_have_a_spread_but_no_chance_of_being_right(publish: Callable[..., Submission]) -> None:
    publish("Partly", drawn(2) / 2)
    known = document()
    assert {*COLUMNS} & {*known.rows[0].by_column} == {"attempts", "spread"}
    publish("Wholly", drawn(2))
    known = document()
    place = [row.name for row in known.rows].index("Partly")
    assert known.rows[place].cell("pass-at-k").reason == NOT_RIGHT_OR_WRONG
    attempts = known.rows[place].cell("loose").attempts
    assert attempts and not attempts.pass_at and attempts.variance_of_attempts is not None


def test_a_page_says_how_many_attempts_and_offers_the_columns_without_showing_them(
    client: Client, publish: Callable[..., Submission]
) -> None:
    publish("Thrice", drawn(3))
    page = client.get("/fanoutqa/dev/openbook/")
    assert "3 attempts" in page.content.decode()
    shown = page.context["board"]
    assert not {*COLUMNS} & {column.key for column in shown.columns}
    assert [(key, label) for key, label, _ in shown.column_choices["Attempts"]] == [
        ("attempts", "Attempts"),
        ("spread", "Spread"),
        ("pass-at-k", "pass@3"),
        ("pass-hat-k", "pass^3"),
    ]
    chosen = client.get("/fanoutqa/dev/openbook/?columns=run,loose,pass-at-k")
    assert [column.key for column in chosen.context["board"].columns] == ["loose", "pass-at-k"]


def test_boards_are_ordered_by_numbers_of_attempts_and_keep_the_ranks_of_the_score(
    client: Client, publish: Callable[..., Submission]
) -> None:
    low, high = np.zeros((2, N)), np.ones((2, N))
    low[0, 0] = high[0, 0] = 1
    low[1, :4] = 1
    publish("Low", low)
    publish("High", high)
    for sort, first in (("-spread", "Low"), ("spread", "High"), ("-pass-at-k", "High"), ("pass-hat-k", "Low")):
        shown = client.get(f"/fanoutqa/dev/openbook/export.json?columns=all&sort={sort}").json()
        assert shown["rows"][0]["system"] == first, sort
        assert shown["asked"]["ranked_by"] == "loose"
    assert {row["system"]: row["rank"] for row in shown["rows"]} == {"High": 1, "Low": 2}


def test_every_file_of_a_board_has_its_attempts(client: Client, publish: Callable[..., Submission]) -> None:
    outcomes = drawn(3)
    publish("Thrice", outcomes)
    address = "/fanoutqa/dev/openbook/export."
    summary = attempt_summary(outcomes)
    assert summary.pass_at
    cell = client.get(f"{address}json?columns=all").json()["rows"][0]["cells"]
    assert [chance["k"] for chance in cell["loose"]["attempts"]["pass_at"]] == [1, 2, 3]
    assert cell["pass-at-k"]["value"] == pytest.approx(summary.pass_at[3])
    assert "attempts" not in cell["spread"]
    line = next(csv.DictReader(io.StringIO(client.get(f"{address}csv?columns=all").content.decode())))
    assert (line["attempts"], line["spread"]) == ("3.0", repr(summary.spread))
    for extension, label in (("md", r"pass\@3"), ("tex", "pass@3")):
        assert label in client.get(f"{address}{extension}?columns=all").content.decode()


def test_the_api_tells_what_attempts_say_of_each_score(client: Client, publish: Callable[..., Submission]) -> None:
    publish("Thrice", drawn(3))
    of_row = scores(client)
    assert of_row["loose"]["attempts"]["n_attempts"] == 3
    assert [chance["k"] for chance in of_row["loose"]["attempts"]["pass_hat"]] == [1, 2, 3]
    assert of_row["spread"]["attempts"] is None


# --- Hidden splits --------------------------------------------------------------------------------------------------


def test_a_hidden_split_withholds_pass_at_k_and_what_it_can_be_computed_from_until_a_maintainer_approves(
    client: Client, publish: Callable[..., Submission]
) -> None:
    outcomes = drawn(3)
    publish("Thrice", outcomes, "test")
    known = document("test")
    assert {*COLUMNS} & {*known.rows[0].by_column} == {"attempts", "spread"}
    stored = known.rows[0].cell("loose").attempts
    assert stored
    told = scores(client, "test")["loose"]["attempts"]
    for attempts in (stored.pass_at, stored.pass_hat):
        assert [chance.k for chance in attempts] == [1]
    assert stored.variance_of_attempts is stored.variance_of_questions is None
    assert stored.means == []
    assert told["reason"] == stored.reason == BEST_OF_K_WITHHELD
    assert told["spread"] == round(attempt_summary(outcomes).spread, 3)

    Split.objects.filter(slug="test").update(pass_at_approved=True)
    boards.refresh()
    summary = attempt_summary(outcomes)
    assert summary.pass_at and summary.variance_of_questions is not None
    told = scores(client, "test")
    of_score = told["loose"]["attempts"]
    assert [chance["value"] for chance in of_score["pass_at"]] == [round(summary.pass_at[k], 3) for k in (1, 2, 3)]
    assert all(chance[end] == round(chance[end], 3) for chance in of_score["pass_at"] for end in ("low", "high"))
    assert of_score["variance_of_questions"] == round(summary.variance_of_questions**0.5, 3) ** 2
    assert of_score["means"] == [] and of_score["reason"] == ""
    assert told["pass-at-k"]["value"] == round(summary.pass_at[3], 3)


def test_numbers_of_attempts_have_the_step_of_their_split(client: Client, publish: Callable[..., Submission]) -> None:
    outcomes = drawn(3)
    Split.objects.filter(slug="test").update(rounding_step=0.05, pass_at_approved=True)
    publish("Thrice", outcomes, "test")
    summary = attempt_summary(outcomes)
    assert summary.pass_at
    told = scores(client, "test")
    expected = round(summary.pass_at[3] / 0.05) * 0.05
    assert told["pass-at-k"]["value"] == told["loose"]["attempts"]["pass_at"][2]["value"] == pytest.approx(expected)
    spread = round(summary.spread / 0.05) * 0.05
    assert told["spread"]["value"] == told["loose"]["attempts"]["spread"] == pytest.approx(spread)
    result = client.get("/systems/thrice/").context["page"].results[0]
    assert result.tried[0].attempts.spread == pytest.approx(spread)


def test_a_snapshot_of_before_its_split_was_hidden_has_fewer_digits_and_no_means(
    client: Client, publish: Callable[..., Submission]
) -> None:
    publish("Thrice", drawn(3))
    told = client.get("/fanoutqa/dev/openbook/export.json?columns=all").json()
    rule = DisclosureRule.of_benchmark("fanoutqa", hidden=True)
    [row] = rule.document(told)["rows"]
    before, after = (one["cells"]["loose"]["attempts"] for one in (told["rows"][0], row))
    assert before["means"] and not after["means"]
    assert after["spread"] == round(before["spread"], 3) != before["spread"]
    assert [one["value"] for one in after["pass_at"]] == [round(one["value"], 3) for one in before["pass_at"]]
    assert rule.document(rule.document(told)) == rule.document(told)


def test_maintainers_approve_pass_at_k_of_a_hidden_split_and_can_take_that_back(
    client: Client, publish: Callable[..., Submission]
) -> None:
    publish("Thrice", drawn(3), "test")
    page = "/maintenance/benchmarks/fanoutqa/phases/"
    assert client.post(page, {"split": "test", "action": "approve-pass-at"}).status_code == 404
    assert not Split.objects.get(slug="test").pass_at_approved
    client.force_login(factories.maintainer())
    assert "Withheld" in client.get(page).content.decode()
    for action, approved in (("approve-pass-at", True), ("withhold-pass-at", False)):
        client.post(page, {"split": "test", "action": action})
        assert Split.objects.get(slug="test").pass_at_approved == approved
        write_marked()
        assert ("pass-at-k" in document("test").rows[0].by_column) == approved
    actions = AuditRecord.objects.filter(action__startswith="split.pass-at-k").order_by("pk")
    assert [record.action for record in actions] == ["split.pass-at-k-approved", "split.pass-at-k-withheld"]
    client.post(page, {"split": "dev", "action": "approve-pass-at"})
    assert not Split.objects.get(slug="dev").pass_at_approved  # nothing is withheld there


def test_of_few_hidden_questions_only_the_number_of_attempts_is_told(publish: Callable[..., Submission]) -> None:
    sent = publish("Thrice", drawn(3), "test")
    score = Score.objects.filter(run__answer_set__submission_file__submission=sent, name="loose").get()
    few = np.ones((3, 9))
    few[0] = 0
    Score.objects.filter(pk=score.pk).update(attempts=vector_bytes(few))

    hidden = attempts_of([score.pk], DisclosureRule.of_benchmark("fanoutqa", hidden=True, pass_at_approved=True))
    assert hidden[score.pk].reason == TOO_FEW_FOR_ATTEMPTS
    assert hidden[score.pk].spread is None and not hidden[score.pk].pass_at
    assert attempts_of([score.pk], OPEN)[score.pk].spread is not None


def test_the_columns_of_attempts_are_the_last_of_those_that_every_benchmark_has() -> None:
    assert [column.key for column in OF_ATTEMPTS] == COLUMNS == list(KEYS[-4:])


def test_a_comparison_says_how_often_each_system_answered(client: Client, publish: Callable[..., Submission]) -> None:
    publish("Thrice", drawn(3))
    publish("Once")
    publish("Again")
    where = "benchmark=fanoutqa&split=dev&setting=openbook"
    page = client.get(f"/compare/?system=thrice&system=once&{where}")
    assert [system.n_attempts for system in page.context["comparison"].systems] == [3, 1]
    assert "mean of 3 attempts" in page.content.decode() and "1 attempt" in page.content.decode()
    assert "attempt" not in client.get(f"/compare/?system=again&system=once&{where}").content.decode()


# --- A system's page, and questions ---------------------------------------------------------------------------------


def shown_result(client: Client, slug: str = "thrice") -> Any:
    return client.get(f"/systems/{slug}/").context["page"].results[0]


def test_a_systems_page_has_a_table_of_its_attempts(client: Client, publish: Callable[..., Submission]) -> None:
    outcomes = drawn(3)
    publish("Thrice", outcomes)
    summary, result = attempt_summary(outcomes), shown_result(client)
    assert summary.pass_at and summary.pass_hat and summary.variance_of_questions is not None
    [cell, *_] = result.tried
    assert cell.attempts.spread == summary.spread
    whole = summary.variance_of_questions + summary.variance_of_attempts
    assert cell.attempts.share_of_attempts == pytest.approx(summary.variance_of_attempts / whole)
    of_first = [(k, pairs[0][0].value, pairs[0][1].value) for k, pairs in result.chances]
    assert of_first == [(k, pytest.approx(summary.pass_at[k]), pytest.approx(summary.pass_hat[k])) for k in (1, 2, 3)]
    assert [means[0][0] for _, means in result.means_of_attempts] == outcomes.mean(axis=1).tolist()
    page = client.get("/systems/thrice/").content.decode()
    assert "Open book: 3 attempts" in page and "3 attempts, 12 of 12 answered" in page
    again = shown_result(client)  # from the cache
    assert again.chances == result.chances


def test_a_systems_page_of_a_hidden_split_says_why_numbers_of_attempts_are_withheld(
    client: Client, publish: Callable[..., Submission]
) -> None:
    outcomes = drawn(3)
    publish("Thrice", outcomes, "test")
    result = shown_result(client)
    assert result.reasons_of_attempts == [BEST_OF_K_WITHHELD]
    assert not result.chances and not result.means_of_attempts
    assert next(cell.attempts.spread for cell in result.tried) == round(attempt_summary(outcomes).spread, 3)
    assert all(cell.attempts.share_of_attempts is None for cell in result.tried)
    Split.objects.filter(slug="test").update(pass_at_approved=True)
    result = shown_result(client)
    assert [k for k, _ in result.chances] == [1, 2, 3] and not result.means_of_attempts


def test_a_systems_page_without_several_attempts_says_nothing_of_them(
    client: Client, publish: Callable[..., Submission]
) -> None:
    publish("Once")
    result = shown_result(client, "once")
    assert result.n_attempts == 1 and not result.tried
    assert "attempts" not in client.get("/systems/once/").content.decode()


@pytest.fixture
def tried(publish: Callable[..., Submission]) -> np.ndarray:
    """The outcomes of a published system whose three answers to the first question are known."""
    outcomes = drawn(3)
    sent = publish("Thrice", outcomes)
    file = sent.files.get()
    keys = {qid: ("Thrice", None, f"{'long ' * 500}{qid}") for qid in factories.perfect("dev", N)}
    AnswerBlock.objects.filter(answer_set=file.answer_set).delete()
    file.answer_set.refresh_from_db()
    texts = {
        answer_key(qid, number, 3): text
        for qid, attempts in keys.items()
        for number, text in enumerate(attempts, start=1)
        if text is not None
    }
    AnswerBlock.objects.store(file.answer_set, texts)
    Entry.objects.update(shows_answers=True)
    return outcomes


def test_a_question_has_every_attempt_with_its_score(client: Client, tried: np.ndarray) -> None:
    page = client.get("/fanoutqa/dev/questions/dev-0/").context["page"]
    [row] = page.answers
    assert [attempt.value for attempt in row.attempts] == tried[:, 0].tolist()
    assert row.outcome.value == pytest.approx(tried[:, 0].mean())
    first, second, third = row.attempts
    assert (first.texts, first.is_cut) == (("Thrice",), False)
    assert second.texts == () and second.answer is None
    assert len(third.texts[0]) == 2_000 and third.is_cut
    text = client.get("/fanoutqa/dev/questions/dev-0/").content.decode()
    assert "2 further attempts" in text and "<details" in text


def test_a_systems_questions_have_every_attempt_with_its_score(client: Client, tried: np.ndarray) -> None:
    address = "/systems/thrice/questions/?benchmark=fanoutqa&split=dev&setting=openbook"
    questions = client.get(address).context["page"]["questions"]
    for place, question in enumerate(questions):
        assert [attempt.value for attempt in question["attempts"]] == tried[:, place].tolist()
    assert "2 further attempts" in client.get(address).content.decode()


def test_attempts_whose_answers_are_not_public_have_scores_alone(client: Client, tried: np.ndarray) -> None:
    Entry.objects.update(shows_answers=False)
    [row] = client.get("/fanoutqa/dev/questions/dev-0/").context["page"].answers
    assert [attempt.value for attempt in row.attempts] == tried[:, 0].tolist()
    assert not any(attempt.texts or attempt.answer for attempt in row.attempts)


def test_the_api_of_answers_has_every_attempt(client: Client, tried: np.ndarray) -> None:
    where = "split=dev&setting=openbook&benchmark=fanoutqa"
    answers = client.get(f"/api/v1/systems/thrice/answers/?{where}").json()
    first = next(answer for answer in answers if answer["question_id"] == "dev-0")
    assert first["answer"] == "Thrice"
    assert first["attempts"][:2] == ["Thrice", None] and first["attempts"][2].endswith("dev-0")
    [row] = client.get("/api/v1/benchmarks/fanoutqa/splits/dev/questions/dev-0/answers/?setting=openbook").json()
    assert [attempt["value"] for attempt in row["attempts"]] == tried[:, 0].tolist()
    assert [attempt["number"] for attempt in row["attempts"]] == [1, 2, 3]


def test_the_number_of_queries_does_not_grow_with_systems_of_several_attempts(
    client: Client, publish: Callable[..., Submission]
) -> None:
    pages = ("/fanoutqa/dev/openbook/?columns=all", "/fanoutqa/dev/questions/dev-0/", "/systems/system-0/")

    publish("System 0", drawn(3))
    before = [n_queries(client, page) for page in pages]
    for number in range(1, 4):
        publish(f"System {number}", drawn(number + 1, seed=number))
    assert [n_queries(client, page) for page in pages] == before


def test_intervals_on_a_hidden_split_depend_on_the_mean_alone_until_pass_at_k_is_approved(
    publish: Callable[..., Submission],
) -> None:
    right, wrong = np.ones(N // 2), np.zeros(N // 2)
    alike = np.stack([np.concatenate([right, wrong])] * 2)
    unlike = np.stack([np.concatenate([right, wrong]), np.concatenate([wrong, right])])
    split = publish("Alike", alike, "test").split
    publish("Unlike", unlike, "test")

    def ends() -> set[tuple[float | None, float | None]]:
        return set(Score.objects.filter(name="loose", run__answer_set__split=split).values_list("low", "high"))

    Score.objects.update(low=None, high=None)
    intervals.fill()
    assert len(ends()) == 1, "one mean, one interval"
    approve_pass_at([split], approved=True, actor="grace")
    assert ends() == {(None, None)}, "computed again"
    intervals.fill()
    assert len(ends()) == 2
    assert not intervals.tells_attempts(split, unlike)
    split.pass_at_approved = False
    assert intervals.tells_attempts(split, unlike)
    assert not intervals.tells_attempts(split, unlike / 2), "shares have no pass@k"
    assert not intervals.tells_attempts(split, unlike[:1])
