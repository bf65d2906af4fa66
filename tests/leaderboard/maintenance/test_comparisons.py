"""Maintainers choose a baseline and order comparisons, by command and in the administration."""

import io
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F
from django.test import Client

from leaderboard.board.table.cells import NOT_COMPARED
from leaderboard.board.write import open_board
from leaderboard.models import AuditRecord, Submission
from leaderboard.publishing.errors import SubmissionError
from leaderboard.publishing.services import publish_submission
from leaderboard.submissions.deletion import delete_submission
from leaderboard.systems.comparison.rows import IS_BASELINE
from scoring.benchmarks.declared.reading import read_declaration
from scoring.importing.declared import import_declaration
from scoring.metrics.side_by_side.items import NAME, SCORE, WIN_RATE
from scoring.models import AnswerSet, Baseline, Comparison, CurrentSignature, Run, Score, Split
from scoring.runs import sweeper
from scoring.runs.answer_sets import NO_BASELINE
from scoring.runs.judging.baselines import affordable_pairs
from tests import boards, compared_site, factories
from tests.judge_server import JudgeServer
from tests.scoring.conftest import KEY
from tests.scoring.runs.judging.site import judged_by, work

pytestmark = pytest.mark.django_db

NAMES = ("direct", "chain", "factored")
SUBMISSIONS = "/admin/leaderboard/submission/"


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer(key=KEY) as running:
        yield running


@pytest.fixture
def split(settings: Any, server: JudgeServer) -> Split:
    judged_by(settings, server)
    split = factories.split(compared_site.declare(2), "dev")
    for number, name in enumerate(NAMES):
        answers = {f"dev-{index}": f"Worth {50 + 10 * number}" for index in range(2)}
        factories.submission(factories.user(name), split, {"closed-book": answers}, name=name)
    return split


def ids() -> dict[str, str]:
    """The submissions' ids by name."""
    return {name: str(pk) for pk, name in Submission.objects.values_list("pk", "name")}


def called(command: str, *arguments: str) -> str:
    out = io.StringIO()
    call_command(command, compared_site.SLUG, "dev", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.slow
def test_commands_show_the_cost_and_leave_out_what_is_compared(split: Split) -> None:
    direct = ids()["direct"]
    text = called("choose_baseline", direct, "--dry-run")
    assert "2 pairs" in text
    assert "8 requests" in text, "two questions, in both orders, for two pairs"
    assert "USD" in text
    assert not Baseline.objects.exists()
    called("choose_baseline", direct)
    baseline = Baseline.objects.get()
    assert baseline.chosen_by == AuditRecord.objects.get(action="baseline.chosen").actor_name
    runs = Run.objects.filter(metric=NAME, opponent=baseline.answer_set)
    assert [work(run).state for run in runs] == ["done"] * 3, "its own included"
    assert " 0 requests" in called("choose_baseline", direct, "--dry-run")
    everybody = [ids()[name] for name in NAMES]
    assert "1 pair " in called("compare_pairs", *everybody, "--dry-run")
    assert not Run.objects.filter(counts=False).exists()
    called("compare_pairs", *everybody)
    assert work(Run.objects.get(counts=False)).state == "done"
    assert "0 pairs" in called("compare_pairs", *everybody)


def test_systems_on_boards_have_names_and_bad_input_gets_a_clear_error(split: Split) -> None:
    for systems in ([ids()["direct"]], [ids()["direct"]] * 2):
        with pytest.raises(CommandError, match="two"):
            called("compare_pairs", *systems)
    with pytest.raises(CommandError, match="none yet"):
        called("choose_baseline", "00000000-0000-0000-0000-000000000000")
    assert not Baseline.objects.exists()
    called("choose_baseline", ids()["direct"])
    for run in Run.objects.filter(state="waiting"):
        work(run)
    for sent in Submission.objects.filter(name__in=["direct", "chain"]):
        publish_submission(sent, actor=sent.owner)
    assert "0 pairs" in called("compare_pairs", "direct", "chain")
    assert "1 pair " in called("compare_pairs", "chain", ids()["factored"], "--dry-run")
    for wrong in (("unknown",), ("chain", "--setting", "open-book")):
        with pytest.raises(CommandError, match="chain" if len(wrong) == 1 else "closed-book"):
            called("choose_baseline", *wrong)


def test_submitters_learn_that_there_is_no_baseline(split: Split, client: Client) -> None:
    answers = {f"dev-{index}": "Worth 50" for index in range(2)}
    sent = factories.submission(factories.user("other"), split, {"open-book": answers}, name="other")
    client.force_login(sent.owner)
    [file] = client.get(f"/api/v1/submissions/{sent.pk}/").json()["files"]
    assert [run["reason"] for run in file["runs"]] == [NO_BASELINE]
    page = client.get(sent.get_absolute_url()).content.decode()
    assert NO_BASELINE in page.partition('id="next-step"')[2].partition('id="scores"')[0]


@pytest.mark.slow
def test_the_first_complete_published_system_is_the_default_baseline(split: Split, client: Client) -> None:
    """Nobody else's publication, setting or half a file makes one, and a maintainer's choice overrides it."""
    answers = {f"dev-{index}": "Worth 50" for index in range(2)}
    part = factories.submission(factories.user("part"), split, {"closed-book": {"dev-0": "Worth 1"}}, name="part")
    other = factories.submission(factories.user("other"), split, {"open-book": answers}, name="other")
    for sent in (part, other):
        with pytest.raises(SubmissionError):
            publish_submission(sent, actor=sent.owner)
    first, second = (Submission.objects.get(name=name) for name in NAMES[:2])
    client.force_login(first.owner)
    assert client.get(f"/api/v1/submissions/{first.pk}/").json()["can_publish"]
    assert not client.get(f"/api/v1/submissions/{part.pk}/").json().get("can_publish")
    assert 'id="publishing"' in client.get(f"/submissions/{first.pk}/").content.decode()
    publish_submission(first, actor=first.owner)
    baseline = Baseline.objects.get()
    assert (baseline.chosen_by, baseline.answer_set) == ("", first.files.get().answer_set)
    assert AuditRecord.objects.get(action="baseline.set").actor == first.owner
    sweeper.start_parked()
    assert {work(run).state for run in Run.objects.filter(metric=NAME)} == {"done"}
    publish_submission(second, actor=second.owner)
    assert Baseline.objects.get() == baseline
    assert board()["baseline"] == ["direct", True]
    shown = client.get(f"/{compared_site.SLUG}/dev/closed-book/").content.decode()
    assert "/systems/direct/" in shown.partition('class="facts"')[2].partition("</ul>")[0]

    client.force_login(factories.maintainer())
    called("choose_baseline", "chain")
    assert board() == {"baseline": ["direct", None], "next_baseline": ["chain", False]}
    place = f"benchmark={compared_site.SLUG}&split=dev&setting=closed-book"
    assert client.get(f"/api/v1/board/?{place}").json()["next_baseline"]["slug"] == "chain"
    for url in (f"/{compared_site.SLUG}/dev/closed-book/", f"/{compared_site.SLUG}/dev/closed-book/ranking/"):
        assert 'id="next-baseline"' in client.get(url).content.decode(), url
    for run in Run.objects.filter(state="waiting"):
        work(run)
    call_command("rescore", compared_site.SLUG, "dev", "--switch", stdout=io.StringIO())
    assert board() == {"baseline": ["chain", False]}


@pytest.mark.parametrize("order", [1, -1])
def test_the_scores_of_a_baseline_are_shown_with_the_others(split: Split, order: int) -> None:
    """Its comparison with itself asks no model, whether it ends before the others or after them."""
    called("choose_baseline", ids()["direct"])
    for run in list(Run.objects.filter(state="waiting").order_by("answer_set__created_at"))[::order]:
        work(run)
    (signature,) = set(Score.objects.values_list("signature", flat=True))
    assert "|served:" in signature
    assert CurrentSignature.objects.get().signature == signature
    for sent in Submission.objects.all():
        publish_submission(sent, actor=sent.owner)
    boards.write()
    found = open_board(compared_site.SLUG, "dev", "closed-book")
    assert found is not None
    document = found.content
    rates = {row.slug: row.cell("side-by-side.win-rate").value for row in document.rows}
    assert rates == {"direct": 0.5, "chain": 1.0, "factored": 1.0}


@pytest.mark.slow
def test_a_submission_shows_the_scores_of_the_boards_until_these_are_switched(split: Split, client: Client) -> None:
    sent = Submission.objects.get(name="factored")
    client.force_login(sent.owner)

    def runs() -> dict[float, bool]:
        [file] = client.get(f"/api/v1/submissions/{sent.pk}/").json()["files"]
        assert {run["signature"] for run in file["runs"]} <= set(Score.objects.values_list("signature", flat=True))
        return {run["scores"][0]["value"]: run["shown"] for run in file["runs"]}

    for baseline, known in (("direct", {1.0: True}), ("factored", {1.0: True, 0.5: False})):
        called("choose_baseline", ids()[baseline])
        for run in Run.objects.filter(state="waiting"):
            work(run)
        assert runs() == known
        shown = client.get(sent.get_absolute_url()).content.decode()
        assert 'data-boards="shown"' in shown
        assert "100.0" in shown.partition('id="scores"')[2].partition("</table>")[0]
    call_command("rescore", compared_site.SLUG, "dev", "--switch", stdout=io.StringIO())
    assert runs() == {1.0: False, 0.5: True}


@pytest.mark.slow
def test_a_baseline_has_a_win_rate_by_definition_and_no_mean_score(split: Split, client: Client) -> None:
    """Also if it had a mean score against an earlier baseline."""
    for baseline in ("direct", "factored"):
        called("choose_baseline", ids()[baseline])
        for run in Run.objects.filter(state="waiting"):
            work(run)
    call_command("rescore", compared_site.SLUG, "dev", "--switch", stdout=io.StringIO())
    tied = Score.objects.filter(run__opponent=F("run__answer_set"))
    assert set(tied.values_list("name", "value", "low", "high")) == {(WIN_RATE, 0.5, 0.5, 0.5)}
    for sent in Submission.objects.all():
        publish_submission(sent, actor=sent.owner)
    boards.write()
    found = open_board(compared_site.SLUG, "dev", "closed-book")
    assert found is not None
    document = found.content
    cells = {row.slug: row.cell(SCORE) for row in document.rows}
    assert cells["factored"].reason == NOT_COMPARED
    assert cells["direct"].value == 0.5
    client.force_login(Submission.objects.get(name="factored").owner)
    for url in ("/systems/factored/", Submission.objects.get(name="factored").get_absolute_url()):
        assert NOT_COMPARED in client.get(url).content.decode(), url
    place = {"benchmark": compared_site.SLUG, "split": "dev", "setting": "closed-book"}
    assert IS_BASELINE in client.get("/compare/", place | {"system": ["factored", "direct"]}).content.decode()


def board() -> dict[str, Any]:
    """The baselines that a board has, each by name and whether it is the default, when a worker has written it."""
    boards.write()
    found = open_board(compared_site.SLUG, "dev", "closed-book")
    assert found is not None
    document = found.content
    known = {"baseline": document.baseline, "next_baseline": document.next_baseline}
    return {key: [baseline.name, baseline.by_default] for key, baseline in known.items() if baseline}


def on_board(split: Split) -> None:
    """Compare all systems with one of them, and publish them."""
    called("choose_baseline", ids()["direct"])
    for run in Run.objects.filter(state="waiting"):
        work(run)
    for sent in Submission.objects.filter(split=split):
        publish_submission(sent, actor=sent.owner)


def cost_of_a_pair(split: Split) -> Decimal:
    first, second = AnswerSet.objects.filter(submission_file__submission__name__in=NAMES[1:]).order_by("created_at")
    revision = split.current_revision
    assert revision is not None
    usd = affordable_pairs(revision, [(first, second)])[1].usd
    assert usd is not None
    return usd


def test_all_pairs_of_a_board_are_compared_within_a_budget(split: Split, settings: Any) -> None:
    answers = {f"dev-{index}": "Worth 45" for index in range(2)}
    factories.submission(factories.user("fourth"), split, {"closed-book": answers}, name="fourth")
    with pytest.raises(CommandError, match="two"):
        called("compare_pairs", "--all")
    on_board(split)
    assert "3 pairs" in called("compare_pairs", "--all", "--dry-run")
    cost = cost_of_a_pair(split)
    assert "0 pairs" in called("compare_pairs", "--all", "--budget", f"{cost / 2:f}")
    assert "2 pairs to compare, 8 requests" in called("compare_pairs", "--all", "--budget", f"{cost * 2:f}")
    assert Run.objects.filter(counts=False).count() == 2
    assert "1 run created" in called("compare_pairs", "--all", "--budget", "25")
    for wrong in ("", "-1", "nan", "much"):
        with pytest.raises(CommandError, match="--budget"):
            called("compare_pairs", "--all", "--budget", wrong)
    factories.submission(factories.user("fifth"), split, {"closed-book": answers | {"dev-0": "Worth 1"}}, name="fifth")
    settings.JUDGE_MODEL = "unheard-of"
    with pytest.raises(CommandError, match="JUDGE_PRICES"):
        called("compare_pairs", ids()["fifth"], ids()["chain"], "--budget", "25")
    settings.JUDGE_PRICES = "nonsense"
    with pytest.raises(CommandError, match="JUDGE_PRICES"):
        called("compare_pairs", ids()["fifth"], ids()["chain"], "--budget", "25")


def test_the_administration_compares_all_pairs_within_the_months_cap(
    split: Split, client: Client, settings: Any
) -> None:
    def ordered() -> int:
        action = {"action": "compare_all_pairs", "_selected_action": list(ids().values())}
        assert client.post(SUBMISSIONS, action).status_code == 302
        return Run.objects.filter(counts=False).count()

    on_board(split)
    client.force_login(factories.maintainer())
    settings.JUDGE_MONTHLY_CAP_USD = "0"
    assert ordered() == 0
    settings.JUDGE_PRICES = "nonsense"
    assert ordered() == 0, "the judge's settings are wrong"
    settings.JUDGE_PRICES, settings.JUDGE_MONTHLY_CAP_USD = "", "250"
    assert ordered() == 1
    assert ordered() == 1
    assert AuditRecord.objects.filter(action="comparisons.ordered", actor__isnull=False).count() == 1
    with pytest.raises(SubmissionError):
        delete_submission(Submission.objects.get(name="direct"), actor=factories.maintainer("mia"))


def test_pairs_are_compared_again_after_a_new_revision(split: Split) -> None:
    """Only verdicts on changed questions are paid for."""
    called("choose_baseline", ids()["direct"])
    called("compare_pairs", ids()["direct"], ids()["chain"], ids()["factored"])
    for run in Run.objects.filter(state="waiting"):
        work(run)
    changed = compared_site.files(2)
    changed["questions/dev.jsonl"] = changed["questions/dev.jsonl"].replace(b"Why is 1?", b"Why is it 1?")
    changed["benchmark.toml"] = changed["benchmark.toml"].replace(b"date = 2026-01-01", b"date = 2026-02-01")
    import_declaration(read_declaration(changed))
    split.refresh_from_db()
    assert "1 pair to compare, 2 requests" in called("compare_pairs", "--again", "--dry-run"), "not with the baseline"
    assert Run.objects.filter(counts=False).count() == 1
    assert "1 run created" in called("compare_pairs", "--again")
    assert Run.objects.get(counts=False, state="waiting").revision == split.current_revision
    assert "0 runs" in called("compare_pairs", "--again")
    for wrong in ([], ["chain", "factored", "--again"]):
        with pytest.raises(CommandError, match="--again"):
            called("compare_pairs", *wrong)


def test_a_board_says_how_many_answers_the_judge_got_cut(split: Split, client: Client) -> None:
    first, second = (Submission.objects.get(name=name) for name in NAMES[:2])
    publish_submission(first, actor=first.owner)
    sweeper.start_parked()
    for run in Run.objects.filter(metric=NAME):
        work(run)
    publish_submission(second, actor=second.owner)
    board()
    place = f"benchmark={compared_site.SLUG}&split=dev&setting=closed-book"

    def counts() -> list[int]:
        baseline = client.get(f"/api/v1/board/?{place}").json()["baseline"]
        return [baseline[name] for name in ("judged_length", "n_cut", "n_cut_others")]

    assert counts() == [20_000, 0, 0]
    Comparison.objects.update(n_cut=3, n_cut_opponent=2)
    board()
    assert counts() == [20_000, 2, 3]
    shown = client.get(f"/{compared_site.SLUG}/dev/closed-book/").content.decode()
    assert "20,000" in shown.partition('class="facts"')[2].partition("</ul>")[0]
