"""Answers compared with a baseline's: asked in both orders, stored, scored, cached, within the budget."""

import re
from typing import Any

import numpy as np
import pytest

from scoring.benchmarks.declared.reading import read_declaration
from scoring.importing.declared import import_declaration
from scoring.metrics.asking.replies import Outcome
from scoring.metrics.side_by_side.items import NAME, SCORE, WIN_RATE
from scoring.models import AnswerSet, Baseline, Comparison, CurrentSignature, JudgeEstimate, Run, Score, Split, Verdict
from scoring.models.run_states import RunState
from scoring.queries import answers_digest, target_signatures
from scoring.runs import sweeper
from scoring.runs.answer_sets import NO_BASELINE, ensure_run
from scoring.runs.judging.baselines import (
    BaselineError,
    affordable_pairs,
    choose_baseline,
    compare_pairs,
    new_pairs,
)
from scoring.runs.judging.comparisons import compared_pairs, completed_vectors
from scoring.runs.judging.items import COVERAGE
from scoring.runs.judging.queries import judging_of
from scoring.statistics import completed
from tests import compared_site, factories
from tests.judge_server import Chat, JudgeServer, Play
from tests.scoring.runs.judging.site import judged_by, work

pytestmark = pytest.mark.django_db

N = 4
BASE = {f"dev-{index}": "Worth 50" for index in range(N)}
SYSTEM = {"dev-0": "Worth 70, of course", "dev-1": "Worth 30", "dev-2": "Worth 50"}
"""It wins, loses, ties, and does not answer the last."""


@pytest.fixture
def split(settings: Any, server: JudgeServer) -> Split:
    judged_by(settings, server)
    return factories.split(compared_site.declare(N), "dev")


def sent(split: Split, answers: dict[str, str], name: str = "System", user: str = "ada") -> AnswerSet:
    submission = factories.submission(factories.user(user), split, {"closed-book": answers}, name=name)
    return AnswerSet.objects.get(submission_file__submission=submission)


def run_against_baseline(split: Split, answers: dict[str, str] = SYSTEM) -> Run:
    choose_baseline(split, sent(split, BASE, "Base", "base"), by="mia")
    answer_set = sent(split, answers)
    return Run.objects.get(answer_set=answer_set, metric=NAME)


def vectors(run: Run) -> dict[str, list[float]]:
    return {one.name: one.per_item.tolist() for one in Score.objects.filter(run=run)}


def shown(chat: Chat) -> list[int]:
    return [int(re.findall(r"\d+", text)[0]) for text in chat.candidates]


def test_answers_are_compared_in_both_orders_and_scored(split: Split, server: JudgeServer) -> None:
    run = work(run_against_baseline(split))
    assert (run.state, run.reason, run.done_items, run.total_items) == (RunState.DONE, "", N, N)
    assert vectors(run) == {
        WIN_RATE: [1.0, 0.0, 0.5, 0.0],
        SCORE: pytest.approx([0.7, 0.3, 0.5, 0.0]),
    }
    orders = sorted(tuple(shown(chat)) for chat in server.chats)
    assert orders == [(30, 50), (50, 30), (50, 50), (50, 70), (70, 50)], "equal answers have one order"
    digest = answers_digest(Baseline.objects.get().answer_set)[:12]
    score = Score.objects.get(run=run, name=WIN_RATE)
    assert f"|opponent:{digest}|" in score.signature
    assert score.signature.startswith(run.signature)
    assert score.n_answered == 3
    assert CurrentSignature.objects.get(split=split, metric=NAME).signature == score.signature
    assert set(Verdict.objects.values_list("letter", flat=True)) == {"70/50", "50/70", "30/50", "50/30", "50/50"}
    assert JudgeEstimate.objects.get(run=run).n_calls == 5


def test_the_interface_tells_scores_preferences_and_replies(
    split: Split, server: JudgeServer, django_assert_max_num_queries: Any
) -> None:
    server.first_place = 30
    run = work(run_against_baseline(split))
    revision = split.current_revision
    assert revision is not None
    with django_assert_max_num_queries(4):
        (pair,) = compared_pairs(revision)
    assert (pair.first, pair.second, pair.run) == (run.answer_set_id, Baseline.objects.get().answer_set_id, run.pk)
    assert pair.qids == ("dev-0", "dev-1", "dev-2", "dev-3")
    assert pair.scores[:3].tolist() == [[[100, 50], [70, 80]], [[60, 50], [30, 80]], [[80, 50], [50, 80]]]
    assert pair.preferences.tolist() == [[1, 0], [1, 0], [1, 0], [0, 0]]
    assert pair.preference.tolist() == [0.5, 0.5, 0.5, 0]
    assert pair.judged.tolist() == [True, True, True, False]
    assert pair.answered.tolist() == [[True, True]] * 3 + [[False, True]]
    letters = dict(Verdict.objects.values_list("pk", "letter"))
    assert letters[pair.verdicts[0, 0]] == "100/50"
    assert letters[pair.verdicts[0, 1]] == "80/70"
    assert pair.verdicts[3].tolist() == [0, 0]
    assert pair.lengths.tolist() == [[19, 8], [8, 8], [8, 8], [0, 0]]
    assert pair.length_differences[:3].tolist() == [11, 0, 0] and np.isnan(pair.length_differences[3])
    turned = pair.seen_from(pair.second)
    assert turned.first == pair.second and turned.seen_from(pair.first).first == pair.first
    assert (turned.preferences == 1 - pair.preferences[:, ::-1]).all()
    assert turned.length_differences[0] == -11
    assert not compared_pairs(revision, [run.answer_set_id])
    assert len(compared_pairs(revision, [pair.first, pair.second])) == 1


def test_a_reply_without_a_score_is_asked_again_then_left_out_and_counted(split: Split, server: JudgeServer) -> None:
    lacking = Play("text", message="x</Critique1><Score1>90</Score1>=====")
    server.rule = lambda chat: lacking if shown(chat) == [70, 50] else None
    run = work(run_against_baseline(split, {**SYSTEM, "dev-3": "Worth 10"}))
    assert run.state == RunState.DONE
    assert f"1 {Outcome.UNPARSED.label}" in run.reason
    assert len([chat for chat in server.chats if shown(chat) == [70, 50]]) == 3
    assert Score.objects.get(run=run, name=WIN_RATE).value == pytest.approx(0.5 / 3), "the rest, in both orders"
    assert Score.objects.get(run=run, name=SCORE).value == pytest.approx(0.3)
    assert Comparison.objects.get(run=run).n_unparsed == 1
    revision = split.current_revision
    assert revision is not None
    (pair,) = compared_pairs(revision)
    assert (pair.n_unparsed, np.isnan(pair.preference).tolist()) == (1, [True, False, False, False])
    assert np.isnan(pair.preferences[0]).tolist() == [True, False]
    scores = {score.pk: score for score in run.scores.all()}
    found = completed_vectors({pk: score.name for pk, score in scores.items()}, {})
    assert {scores[pk].name: vector.tolist() for pk, vector in found.items()} == {
        name: completed(np.array([np.nan, *vectors(run)[name][1:]])).tolist() for name in (WIN_RATE, SCORE)
    }
    server.forget()
    again = sent(split, {**SYSTEM, "dev-3": "Worth 10"}, "Copy", "eve")
    assert work(Run.objects.get(answer_set=again)).state == RunState.DONE
    assert {tuple(shown(chat)) for chat in server.chats} == {(70, 50)}, "only what has no verdict is asked for again"


def test_with_too_many_unreadable_replies_there_is_no_score(split: Split, server: JudgeServer) -> None:
    server.rule = lambda chat: Play("prose") if shown(chat)[0] != 50 else None
    run = work(run_against_baseline(split))
    assert run.state == RunState.INCOMPLETE
    assert run.reason.startswith(COVERAGE.format(things="comparisons", n=4, total=6))
    assert not vectors(run)


def test_the_answered_side_wins(split: Split, server: JudgeServer) -> None:
    choose_baseline(split, sent(split, {"dev-0": "Worth 50", "dev-1": " "}, "Base", "base"), by="mia")
    answer_set = sent(split, {"dev-0": "Worth 40", "dev-1": "Worth 1", "dev-2": "Worth 1"})
    run = work(Run.objects.get(answer_set=answer_set))
    assert vectors(run)[WIN_RATE] == [0.0, 1.0, 1.0, 0.5]
    assert vectors(run)[SCORE] == pytest.approx([0.4, 0.2, 0.2, 0.0]), "without a request no score: it counts nothing"
    assert len(server.chats) == 2


def test_the_baseline_ties_with_itself_without_a_request(split: Split, server: JudgeServer) -> None:
    run = run_against_baseline(split)
    own = ensure_run(Baseline.objects.get().answer_set, NAME, run.revision)
    assert own is not None
    assert work(own).state == RunState.DONE
    assert vectors(own) == {WIN_RATE: [0.5] * N}
    assert not server.chats
    assert not compared_pairs(run.revision)


def test_without_a_baseline_a_run_waits_for_one(split: Split) -> None:
    answer_set = sent(split, SYSTEM)
    run = Run.objects.get(answer_set=answer_set)
    assert (run.state, run.reason) == (RunState.NOT_CONFIGURED, NO_BASELINE)
    assert target_signatures(split)[NAME] == run.signature
    assert sweeper.start_parked() == 0
    other = sent(split, BASE, "Base", "base")
    Baseline.objects.create(split=split, answer_set=other, digest=answers_digest(other), chosen_by="mia")
    assert sweeper.start_parked() == 2
    assert work(Run.objects.get(answer_set=answer_set)).state == RunState.DONE
    assert target_signatures(split)[NAME] == Run.objects.get(pk=run.pk).signature


def test_scores_against_two_baselines_do_not_mix(split: Split, server: JudgeServer) -> None:
    first = work(run_against_baseline(split))
    choose_baseline(split, sent(split, dict.fromkeys(BASE, "Worth 20"), "Other", "eve"), by="mia")
    second = ensure_run(first.answer_set, NAME, first.revision)
    assert second is not None
    assert work(second).state == RunState.DONE
    assert second.signature != first.signature
    assert vectors(second)[WIN_RATE] == [1.0, 1.0, 1.0, 0.0]
    assert len(compared_pairs(first.revision)) == 2
    assert CurrentSignature.objects.get(split=split, metric=NAME).signature.startswith(first.signature)
    choose_baseline(split, Baseline.objects.get().answer_set, by="mia")
    assert ensure_run(first.answer_set, NAME, first.revision) is None


def test_other_pairs_are_no_scores_of_boards_and_are_paid_for_once(split: Split, server: JudgeServer) -> None:
    run = work(run_against_baseline(split))
    base = Baseline.objects.get().answer_set
    third = sent(split, {"dev-0": "Worth 90", "dev-1": "Worth 90"}, "Third", "eve")
    work(Run.objects.get(answer_set=third))
    pairs = new_pairs(run.revision, [base, run.answer_set, third])
    assert pairs == [(run.answer_set, third)], "the others are compared"
    cost = affordable_pairs(run.revision, pairs)[1]
    assert (cost.n_calls, cost.usd is not None and cost.usd > 0) == (4, True)
    (ordered,) = compare_pairs(run.revision, pairs)
    assert (ordered.metric, ordered.counts, ordered.name) == (NAME, False, "side-by-side-pair")
    server.forget()
    assert work(ordered).state == RunState.DONE
    assert len(server.chats) == 4
    assert set(vectors(ordered)) == {WIN_RATE, SCORE}
    assert len(compared_pairs(run.revision)) == 3
    assert not new_pairs(run.revision, [third, run.answer_set])
    assert affordable_pairs(run.revision, [(third, run.answer_set)])[1].n_calls == 0, (
        "in the other direction it is the same"
    )
    choose_baseline(split, third, by="mia")
    ordered.refresh_from_db()
    assert (ordered.counts, Run.objects.get(pk=ordered.pk).name) == (True, NAME), "it is a comparison with the baseline"
    assert ensure_run(run.answer_set, NAME, run.revision) is None
    (turned,) = compare_pairs(run.revision, [(base, third)])
    assert turned.counts, "so is what is ordered now"


def test_what_cannot_be_a_baseline_is_refused(split: Split) -> None:
    answer_set = sent(split, BASE)
    with pytest.raises(BaselineError, match="test"):
        choose_baseline(factories.split(split.benchmark, "test"), answer_set, by="mia")
    AnswerSet.objects.filter(pk=answer_set.pk).update(closed_at="2026-01-01T00:00:00Z")
    answer_set.refresh_from_db()
    with pytest.raises(BaselineError):
        choose_baseline(split, answer_set, by="mia")
    other = factories.split(factories.list_benchmark(), "dev")
    with pytest.raises(BaselineError, match=NAME):
        choose_baseline(other, answer_set, by="mia")
    assert not Baseline.objects.exists()


LIMIT = 9


def limited(settings: Any, server: JudgeServer) -> Run:
    """A run of a benchmark whose judge gets nine characters of an answer. One answer of each side is longer."""
    judged_by(settings, server)
    files = compared_site.files(N)
    toml = files["benchmark.toml"].replace(b"[limits]\n", f"[limits]\njudged_length = {LIMIT}\n".encode())
    assert toml != files["benchmark.toml"]
    split = factories.split(import_declaration(read_declaration(files | {"benchmark.toml": toml})).benchmark, "dev")
    choose_baseline(split, sent(split, BASE | {"dev-1": "Worth 50, and more"}, "Base", "base"), by="mia")
    return work(Run.objects.get(answer_set=sent(split, SYSTEM), metric=NAME))


def test_cut_answers_are_counted_for_both_sides_and_the_limit_is_signed(settings: Any, server: JudgeServer) -> None:
    run = limited(settings, server)
    assert not any(end in text for chat in server.chats for text in chat.candidates for end in ("course", "more"))
    assert vectors(run)[WIN_RATE] == [1.0, 0.0, 0.5, 0.0]
    comparison = Comparison.objects.get(run=run)
    assert (comparison.n_cut, comparison.n_cut_opponent) == (1, 1)
    judging = judging_of(Run.objects.select_related("answer_set", "revision").get(pk=run.pk))
    assert (judging.n_cut, judging.n_cut_opponent, judging.longest, judging.n_judged) == (1, 1, LIMIT, 6)
    assert f"|cut:{LIMIT}|data:" in run.signature
    assert target_signatures(run.answer_set.split)[NAME] == run.signature
