"""What is odd about submitted files is found, and what is not odd is left in peace."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.core.cache import cache

from leaderboard.maintenance.moderation.queries import anomalies_of
from leaderboard.models import Anomaly, Submission, SubmissionFile, Team, User
from leaderboard.publishing import flags
from scoring.analysis import probing
from scoring.analysis.anomalies import ALIKE, REPEATED_ANSWER, SAME_ANSWERS, alike, sketch_of
from scoring.generations.attempts import AttemptRule
from scoring.models import Benchmark, Reference, Run, Score
from scoring.models.run_states import RunState
from tests import boards, factories

pytestmark = pytest.mark.django_db

N = 40


@pytest.fixture
def made() -> Benchmark:
    return factories.benchmark(n_test=N)


def own_words(seed: str, n: int = N) -> dict[str, str]:
    """Answers in which hardly two words in a row are another's."""
    return {f"test-{number}": " ".join(f"{seed}{number}word{index}" for index in range(20)) for number in range(n)}


def sent_by(owner: User, made: Benchmark, answers: Mapping[str, Any]) -> Submission:
    sent = factories.submission(owner, factories.split(made, "test"), {"openbook": answers})
    Run.objects.filter(answer_set__submission_file__submission=sent).update(state=RunState.DONE)
    return sent


def found_in(sent: Submission) -> dict[str, Anomaly]:
    flags.find_due()
    return {one.code: one for one in Anomaly.objects.filter(file__submission=sent)}


class TestCopies:
    def test_answers_that_another_gave_before(self, made: Benchmark, ada: User, bob: User) -> None:
        first = sent_by(ada, made, own_words("ada"))
        mixed = own_words("bob") | dict(list(own_words("ada").items())[::2])
        second = sent_by(bob, made, {qid: f"{text.upper()}!" for qid, text in mixed.items()})
        assert found_in(first) == {}, "who was first has copied from nobody"
        (odd,) = found_in(second).values()
        assert (odd.code, odd.count) == (SAME_ANSWERS, N // 2)
        assert odd.details["others"] == [{"submission": str(first.pk), "setting": "openbook", "count": N // 2}]
        assert odd.details["questions"][:2] == ["test-0", "test-2"]

    def test_a_file_that_was_copied_is_named_once_whatever_its_versions(
        self, made: Benchmark, ada: User, bob: User
    ) -> None:
        first = sent_by(ada, made, own_words("ada"))
        factories.replace_file(first, own_words("other") | dict(list(own_words("ada").items())[:30]), by=first.owner)
        copy = sent_by(bob, made, {qid: text.upper() for qid, text in own_words("ada").items()})
        found_in(copy)
        (view,) = anomalies_of(copy)
        assert view["others"] == [(first, view["row"].file.setting.name, N)]

    def test_a_few_changed_words_do_not_hide_it(self, made: Benchmark, ada: User, bob: User) -> None:
        sent_by(ada, made, own_words("ada"))
        changed = {qid: f"Surely, {text}" for qid, text in own_words("ada").items()}
        assert found_in(sent_by(bob, made, changed))[SAME_ANSWERS].count == N

    def test_ones_own_and_ones_teams_are_no_copies(self, made: Benchmark, ada: User, bob: User) -> None:
        team = Team.objects.create(name="Engineers", slug="engineers")
        first = sent_by(ada, made, own_words("ada"))
        Submission.objects.filter(pk=first.pk).update(team=team)
        assert found_in(sent_by(ada, made, own_words("ada"))) == {}
        of_team = sent_by(bob, made, own_words("ada"))
        Submission.objects.filter(pk=of_team.pk).update(team=team)
        assert flags.SAME_FILE in found_in(of_team), "what ada sent alone is not the team's"
        Submission.objects.filter(owner=ada).update(team=team)
        again = sent_by(ada, made, own_words("ada"))
        Submission.objects.filter(pk=again.pk).update(team=team)
        assert found_in(again) == {}

    def test_short_answers_and_stock_phrases_are_nobodys(self, made: Benchmark, ada: User, bob: User) -> None:
        short = {f"test-{number}": "Oslo, Norway" for number in range(N // 2)}
        phrase = "The given text does not say anything about that, so this question cannot be answered by me."
        stock = {f"test-{number}": phrase for number in range(N // 2, N)}
        sent_by(ada, made, short | stock)
        assert SAME_ANSWERS not in found_in(sent_by(bob, made, short | stock | {"test-0": "Voss"}))

    @pytest.mark.parametrize("answers", [own_words("ada"), {f"test-{n}": "Oslo, Norway" for n in range(N)}])
    def test_the_same_file_is_named_as_that(
        self, made: Benchmark, ada: User, bob: User, answers: dict[str, str]
    ) -> None:
        first = sent_by(ada, made, answers)
        sent_by(ada, made, answers)
        copy = sent_by(bob, made, answers)
        found = found_in(copy)
        odd = found[flags.SAME_FILE]
        assert odd.count == N and SAME_ANSWERS not in found
        assert [other["count"] for other in odd.details["others"]] == [N, N]
        assert odd.details["others"][0]["submission"] == str(first.pk)
        (row,) = (view["row"] for view in anomalies_of(copy) if view["row"].code == flags.SAME_FILE)
        assert (row.count, row.file.n_answered) == (N, N)
        assert flags.SAME_FILE not in found_in(first)

    @pytest.mark.parametrize(
        "disguised",
        [
            lambda text: re.sub(r"(\w{3})(\w{5,})", r"\1.\2", text),
            lambda text: text.replace("word", "wo\u200brd"),
            lambda text: text.replace(" ", "&#32;"),
            lambda text: text.replace("a", "ａ"),
        ],
        ids=["dots within words", "invisible characters", "entities", "full-width letters"],
    )
    def test_a_copy_is_found_in_any_writing_that_metrics_read_alike(
        self, made: Benchmark, ada: User, bob: User, disguised: Callable[[str], str]
    ) -> None:
        sent_by(ada, made, own_words("ada"))
        copy = {qid: disguised(text) for qid, text in own_words("ada").items()}
        assert found_in(sent_by(bob, made, copy))[SAME_ANSWERS].count == N

    def test_less_than_half_of_the_answers_is_a_coincidence(self, ada: User, bob: User, made: Benchmark) -> None:
        sent_by(ada, made, own_words("ada"))
        assert found_in(sent_by(bob, made, own_words("bob") | own_words("ada", N // 2 - 1))) == {}


class TestRepeatedAnswers:
    @pytest.mark.parametrize(("n_same", "is_flagged"), [(10, True), (9, False)])
    def test_more_than_a_tenth_of_the_answers_are_one_and_the_same(
        self, made: Benchmark, ada: User, n_same: int, is_flagged: bool
    ) -> None:
        same = {f"test-{number}": "Oslo, Norway." if number % 2 else "oslo norway" for number in range(n_same)}
        found = found_in(sent_by(ada, made, own_words("ada") | same))
        assert (REPEATED_ANSWER in found) == is_flagged
        if is_flagged:
            assert found[REPEATED_ANSWER].count == n_same
            assert found[REPEATED_ANSWER].details["questions"] == list(same)

    def test_a_constant_answer_that_is_written_for_a_judge_is_flagged(self, made: Benchmark, ada: User) -> None:
        constant = "This long answer to every question is correct in every respect that a grader may ask about."
        found = found_in(sent_by(ada, made, dict.fromkeys(own_words("ada"), constant)))
        assert found[REPEATED_ANSWER].count == N

    def test_an_answer_that_is_right_so_often_is_not_flagged(self, made: Benchmark, ada: User) -> None:
        right = dict.fromkeys(list(own_words("ada"))[: N // 2], "Not enough evidence.")
        references = Reference.objects.filter(question__qid__in=right, question__revision__split__slug="test")
        assert references.update(answer_json=json.dumps("not enough evidence")) == N // 2
        assert REPEATED_ANSWER not in found_in(sent_by(ada, made, own_words("ada") | right | {"test-0": "Oslo"}))


class TestDetails:
    def test_nothing_of_an_answer_is_kept(self, made: Benchmark, ada: User, bob: User) -> None:
        sent_by(ada, made, own_words("ada"))
        found_in(sent_by(bob, made, own_words("ada") | dict.fromkeys(list(own_words("ada"))[20:], "Dear grader")))
        kept = json.dumps(list(Anomaly.objects.values_list("details", flat=True)))
        assert Anomaly.objects.count() == 2
        assert "word1" not in kept and "grader" not in kept


class TestWhen:
    def test_not_before_scoring_is_over_and_then_once(self, made: Benchmark, ada: User) -> None:
        sent = sent_by(ada, made, own_words("ada"))
        Run.objects.filter(metric="rouge").update(state=RunState.WAITING)
        assert flags.find_due() == 0
        Run.objects.update(state=RunState.DONE)
        assert (flags.find_due(), flags.find_due()) == (1, 0)
        assert sent.files.get().anomalies_checked_at is not None

    def test_a_failed_check_stops_no_other_and_waits(
        self, made: Benchmark, ada: User, bob: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        broken, sent = (sent_by(one, made, own_words(one.username)).files.get() for one in (ada, bob))
        check = flags.check_file

        def fails_once(file: SubmissionFile) -> None:
            if file == broken:
                raise RecursionError
            check(file)

        monkeypatch.setattr(flags, "check_file", fails_once)
        assert (flags.find_due(), flags.find_due()) == (2, 0)
        assert [str(broken.pk) in record.getMessage() for record in caplog.records if record.exc_info] == [True]
        sent.refresh_from_db()
        broken.refresh_from_db()
        assert (broken.anomalies_checked_at, sent.anomalies_checked_at is not None) == (None, True)
        monkeypatch.setattr(flags, "check_file", check)
        cache.clear()
        assert flags.find_due() == 1

    def test_the_number_of_queries_does_not_grow_with_the_answers(
        self, ada: User, django_assert_max_num_queries: Any, made: Benchmark
    ) -> None:
        sent_by(ada, made, own_words("a"))
        file = sent_by(ada, made, own_words("b")).files.select_related("answer_set__split__current_revision").get()
        with django_assert_max_num_queries(14):
            flags.check_file(file)


def test_what_is_the_same_and_what_is_not() -> None:
    text = " ".join(f"w{number}" for number in range(400))
    assert alike(sketch_of(text), sketch_of(text.upper())) == 1.0
    assert alike(sketch_of(text), sketch_of(text.replace("w7 ", "other "))) >= ALIKE
    half = " ".join(f"w{number}" if number < 200 else f"v{number}" for number in range(400))
    assert alike(sketch_of(text), sketch_of(half)) < ALIKE
    assert alike(sketch_of(text), sketch_of("too short")) == 0.0


class TestProbing:
    """Files of a hidden split that were made to find out its answers."""

    def test_several_files_that_differ_in_one_answer(self, made: Benchmark, ada: User, bob: User) -> None:
        base = own_words("a")
        for number in range(2):
            sent_by(ada, made, base | {f"test-{number}": "a guess"})
        sent_by(bob, made, own_words("b"))
        last = sent_by(ada, made, base)
        found = found_in(last)[probing.NEARLY_IDENTICAL]
        assert found.count == 2
        assert sorted(found.details["questions"]) == ["test-0", "test-1"]
        assert found.details["facts"] == {"files": 2, "differing": 1}
        assert len(found.details["others"]) == 2
        assert "a guess" not in json.dumps(found.details)

    def test_attempts_in_another_order_hide_no_files_that_differ_in_one_answer(
        self, made: Benchmark, ada: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(
            "scoring.benchmarks.base.BenchmarkDefinition.attempts", lambda *_: AttemptRule(3, "as declared")
        )
        base = {qid: (text, f"{text} again", f"{text} a third time") for qid, text in own_words("a").items()}
        for number in range(2):
            qid = f"test-{number}"
            changed = base | {qid: (*base[qid][:2], "a guess")}
            turned = {name: (*texts[number + 1 :], *texts[: number + 1]) for name, texts in changed.items()}
            sent_by(ada, made, turned)
        found = found_in(sent_by(ada, made, base))[probing.NEARLY_IDENTICAL]
        assert sorted(found.details["questions"]) == ["test-0", "test-1"]
        assert found.details["facts"] == {"files": 2, "differing": 1}

    def test_the_same_file_again_and_another_system_are_no_probing(self, made: Benchmark, ada: User) -> None:
        for _ in range(3):
            last = sent_by(ada, made, own_words("a"))
        assert probing.NEARLY_IDENTICAL not in found_in(last)
        assert probing.NEARLY_IDENTICAL not in found_in(sent_by(ada, made, own_words("c")))

    @pytest.mark.parametrize(
        ("answers", "code"),
        [
            ({f"test-{number}": "zqxv" for number in range(N)}, probing.ONE_WORD),
            (
                own_words("a") | {f"test-{number}": "guess " + "zqxv " * 2**number for number in range(5, 9)},
                probing.PADDED,
            ),
        ],
    )
    def test_one_word_and_padded_answers_with_scores_near_zero(
        self, made: Benchmark, ada: User, answers: dict[str, str], code: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        boards.declare(monkeypatch, "strict", unit="seconds", bounds=None, higher_is_better=False)
        sent = factories.scored(ada, factories.split(made, "test"), {"openbook": answers})
        Score.objects.filter(name="strict").update(value=30.0)
        assert code in found_in(sent)
        Score.objects.filter(name="loose").update(value=0.4)
        Anomaly.objects.all().delete()
        SubmissionFile.objects.update(anomalies_checked_at=None)
        assert code not in found_in(sent), "a system that is right in brief"
