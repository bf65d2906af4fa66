"""The judge's work on an answer set, for the page of a submission and for maintainers."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from uuid import UUID

from django.conf import settings as django_settings

from scoring.generations.keys import qid_of
from scoring.metrics.asking.config import judge_config
from scoring.metrics.asking.cost import Estimate, token_counter
from scoring.metrics.asking.items import AnswersToJudge, JudgeSettings
from scoring.metrics.asking.letters import Reading
from scoring.metrics.asking.prompt_injection import flags
from scoring.metrics.asking.replies import Outcome
from scoring.metrics.base import ReferenceAnswer
from scoring.metrics.graded_answer.items import stored_texts
from scoring.metrics.judge import prompt
from scoring.models import JudgeEstimate, Question, Run, Score, Verdict
from scoring.models.run_states import RunState
from scoring.registry import judge_of
from scoring.runs.judging import budget, comparisons
from scoring.runs.judging.items import items_of, metric_of_run, settings_of, unasked_of
from scoring.runs.judging.store import histories_of, letters_of, readings_of, replies_of


@dataclass(frozen=True)
class Judging:
    """The progress of judging one answer set."""

    n_questions: int
    n_answers: int
    """The number of answers; of compared ones two for each, in both orders; or of criteria."""
    n_unanswered: int
    """The number of questions about which nothing is asked."""
    n_judged: int
    n_cut: int
    """Answers of which only the first `longest` characters are judged."""
    n_cut_opponent: int
    """The number of the opponent's answers that were cut."""
    answers: Mapping[str, str]
    """The answers as sent, by their keys (`scoring.queries.ScoredItems.keys`)."""
    longest: int
    missing: Mapping[Outcome, int]
    """Answers without a verdict for which one was asked, by the latest outcome."""
    estimate: JudgeEstimate | Estimate | None
    """The expected cost when the run last began to ask; of a waiting run that never did, as of now."""
    usd: Decimal
    """US dollars that this run has paid; verdicts that another run paid for cost nothing."""

    @cached_property
    def flagged(self) -> dict[str, tuple[str, ...]]:
        """Answers that address the judge, by their keys: the signs (`scoring.metrics.asking.prompt_injection.flags`).

        Looking for them takes longest of all, so it waits until somebody asks.
        """
        signs = ((key, flags(text)) for key, text in self.answers.items())
        return {key: names for key, names in signs if names}

    @property
    def n_missing(self) -> int:
        """Answers without a verdict, asked for or not."""
        return self.n_answers - self.n_judged

    @property
    def coverage(self) -> float:
        """The share of answers that are judged; 1 if there are none."""
        return self.n_judged / self.n_answers if self.n_answers else 1.0


def judging_of(run: Run, *, with_estimate: bool = True) -> Judging:
    """The progress of a judge run, and notable answers.

    The run must have its ``answer_set`` and ``revision`` loaded. Some eight queries, whatever the number of answers.

    Args:
        with_estimate: and the expected cost; that of a waiting run takes all requests that it may send.
    """
    settings = settings_of(run)
    scored, every = items_of(run)
    items = [item for item in every if not item.known]
    addresses = [item.address(settings) for item in items]
    letters = letters_of(set(addresses))
    missing = [address for address in addresses if address not in letters]
    histories = histories_of(set(missing), run)
    outcomes = (histories[address].last_outcome for address in missing if address in histories)
    answers = {item.answer_key: item.answer for item in items}
    return Judging(
        n_questions=len(scored),
        n_answers=len(items),
        n_unanswered=len(scored) - len(answers),
        n_judged=len(addresses) - len(missing),
        n_cut=len({item.answer_key for item in items if item.answer.cut}),
        n_cut_opponent=comparisons.n_cut_of(items)[1],
        longest=settings.longest or prompt.MAX_ANSWER_CHARACTERS,
        answers={key: answer.text for key, answer in answers.items()},
        missing=Counter(outcome for outcome in outcomes if outcome is not None),
        estimate=_estimate_of(run) if with_estimate else None,
        usd=budget.spent(Verdict.objects.filter(run=run)),
    )


def _estimate_of(run: Run) -> JudgeEstimate | Estimate | None:
    stored: JudgeEstimate | None = JudgeEstimate.objects.select_related("run").filter(run=run).first()
    if stored is not None or run.state != RunState.WAITING or metric_of_run(run).unavailable(django_settings):
        return stored
    settings = settings_of(run)
    config = judge_config(django_settings, settings)
    return budget.expected_cost(run, config, unasked_of(run, settings).values(), token_counter(settings.model))


def readings_by_question(run: Run) -> dict[str, Reading]:
    """The judge's verdicts on a system's answers, by question; questions without an answer or a verdict are left out.
    Of several attempts at a question, the first that was answered.

    The run must have its ``answer_set`` and ``revision`` loaded, judge each answer by itself, and be of a system. The
    caller decides who may see verdicts: never of a hidden split. Some five queries, whatever the number of answers.
    """
    settings = settings_of(run)
    addresses: dict[str, str] = {}
    for item in items_of(run)[1]:
        addresses.setdefault(qid_of(item.key), item.address(settings))
    readings = readings_of(set(addresses.values()))
    return {qid: readings[address] for qid, address in addresses.items() if address in readings}


def replies_about(
    question: Question, reference: ReferenceAnswer, metric: str, signature: str, answers: Mapping[UUID, str]
) -> dict[UUID, dict[str, tuple[str, str] | None]]:
    """What a judge said of answers to a question that are scored under a signature, by answer set: for each request,
    in their order, the verdict and the reply that it was read in, None without a verdict. The names of requests are
    what their keys have after the answer's.

    The question must have its benchmark loaded. The caller decides who may see verdicts: never of a hidden split. Two
    queries, and one more for each 500 requests.

    Args:
        answers: as metrics get them, by answer set.
    """
    scores = Score.objects.counting().filter(run__metric=metric, signature=signature, run__state=RunState.DONE)
    scores = scores.filter(run__revision=question.revision, run__subset="", run__answer_set__in=list(answers))
    sets = {key.hex: key for key in scores.values_list("run__answer_set", flat=True)}
    if not sets:  # the signature may be that of a judge that cannot be asked
        return {}
    judge = judge_of(question.revision.split.benchmark.slug, metric)
    settings = JudgeSettings.of_signature(signature, metric)
    n, stored = len(sets), stored_texts(question, judge.question_fields)
    asked = AnswersToJudge(
        list(sets),
        [question.text] * n,
        [reference] * n,
        [answers[key] for key in sets.values()],
        longest=settings.longest,
        stored=[stored] * n,
    )
    items = [(item, item.address(settings)) for item in judge.items(asked)]
    replies = replies_of(address for _, address in items)
    said: dict[UUID, dict[str, tuple[str, str] | None]] = {key: {} for key in sets.values()}
    for item, address in items:
        part = item.key.removeprefix(item.answer_key)
        own = item.part_of(*replies[address]) if address in replies else None
        said[sets[item.answer_key]][part.lstrip("\t")] = (item.known, "") if item.known else own
    return said
