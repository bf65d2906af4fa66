"""What comparisons of two answer sets will cost, before anything is asked.

Enters: answer sets of one split. Leaves: estimates for any pairs of them. The tokens of an answer are counted once,
in however many pairs it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

import numpy as np

from scoring.benchmarks import definition_of
from scoring.metrics.judge.cost import Estimate, TokenCounter, token_counter
from scoring.metrics.judge.pairs import NAME, PAIR, ComparisonPrompt, is_answer, sent_candidate
from scoring.metrics.judge.prompt import JudgeItem
from scoring.metrics.text.normalise import as_text
from scoring.models import Answer, AnswerSet, Question, Revision, Run
from scoring.models.run_states import RunState
from scoring.queries import references_of
from scoring.registry.judge_settings import judge_config, judge_kind, judge_settings
from scoring.runs.judging.comparisons import judge_of, without_opponent
from scoring.runs.judging.missing import items_of
from scoring.runs.judging.store import letters_of, mean_reply_tokens
from scoring.statistics.arrays import FloatArray
from scoring.statistics.pairing import ORDERS

Pair = tuple[AnswerSet, AnswerSet]


class PairCosts:
    """The expected costs of comparing answer sets of a split on all questions of a revision, in both orders.

    Pairs that are compared already cost nothing. Of those whose comparison was begun, the missing verdicts count.
    """

    def __init__(self, revision: Revision, answer_sets: Sequence[AnswerSet]) -> None:
        """Two queries, one per answer set, and one for the runs.

        Raises:
            ValueError: the judge is not configured correctly, or the benchmark lacks the prompt.
        """
        self._revision = revision
        self._kind = judge_kind(revision.split.benchmark.slug, NAME)
        self._config, self._settings = judge_config(self._kind), judge_settings(self._kind)
        self._counter = token_counter(self._config.judge.model)
        self._reply_tokens = mean_reply_tokens(self._config.judge.model, self._kind)
        self._places = {one.pk: place for place, one in enumerate(answer_sets)}
        self._states = states_between(revision, answer_sets)
        prompts, answers = self._counted()
        answered = (answers >= 0).astype(np.float64)
        shared = answered * np.maximum(answers, 0) @ answered.T  # of the first's answers where both have one
        self._n_calls = ORDERS * (answered @ answered.T)
        self._tokens = ORDERS * ((answered * prompts) @ answered.T + shared + shared.T)

    def of(self, pairs: Iterable[Pair]) -> Estimate:
        """The cost of comparing some pairs, without verdicts that exist."""
        n_calls = tokens_in = 0
        begun: dict[str, JudgeItem] = {}
        for first, second in pairs:
            states = self._states.get(frozenset((first.pk, second.pk)), set())
            if not states:
                place = self._places[first.pk], self._places[second.pk]
                n_calls += round(self._n_calls[place])
                tokens_in += round(self._tokens[place])
            elif RunState.DONE not in states:
                begun |= self._missing(first, second)
        n_calls += len(begun)
        tokens_in += sum(self._counter.of_messages(item.messages()) for item in begun.values())
        tokens_out = n_calls * self._reply_tokens
        price = self._config.price
        usd = None if price is None else price.of(tokens_in, tokens_out, batch=self._config.mode == "batch")
        return Estimate(n_calls, tokens_in, tokens_out, usd, self._counter.method)

    def _missing(self, first: AnswerSet, second: AnswerSet) -> dict[str, JudgeItem]:
        """The items of a pair without a verdict, by address."""
        run = Run(answer_set=first, opponent=second, revision=self._revision, metric=PAIR)
        found = {item.address(self._settings): item for item in items_of(run)[1]}
        judged = letters_of(found)
        return {address: item for address, item in found.items() if address not in judged}

    def _counted(self) -> tuple[FloatArray, FloatArray]:
        """The tokens of each question's prompt without answers, shape ``(n_questions,)``, and of each answer, shape
        ``(n_answer_sets, n_questions)``, -1 where there is none."""
        questions = Question.objects.filter(revision=self._revision).order_by("position").values_list("qid", "text")
        rows = list(zip(questions, references_of(self._revision), strict=True))
        prompt = ComparisonPrompt.of(definition_of(self._revision.split.benchmark.slug).prompts)
        empty = (prompt.filled(text, [""] * 2, as_text(reference).strip()) for (_, text), reference in rows)
        prompts = [self._counter.of_messages([{"role": "user", "content": text}]) for text in empty]
        columns = {qid: column for column, ((qid, _), _) in enumerate(rows)}
        answers = np.full((len(self._places), len(rows)), -1.0)
        for pk, place in self._places.items():
            for qid, tokens in _tokens_of(pk, self._counter):
                if qid in columns:
                    answers[place, columns[qid]] = tokens
        return np.array(prompts, dtype=np.float64), answers


def _tokens_of(answer_set: UUID, counter: TokenCounter) -> Iterable[tuple[str, int]]:
    """The questions that an answer set answers, each with the tokens of the answer as sent. One query."""
    rows = Answer.objects.filter(answer_set=answer_set, participant="").values_list("qid", "text")
    return ((qid, counter.count(sent_candidate(text).text)) for qid, text in rows.iterator() if is_answer(text))


def states_between(revision: Revision, answer_sets: Sequence[AnswerSet]) -> dict[frozenset[UUID | None], set[str]]:
    """The states of the runs by the present judge that compare two of these, in either direction. Two queries."""
    runs = Run.objects.filter(revision=revision, metric__in=(NAME, PAIR), repeat=0)
    runs = runs.filter(answer_set__in=answer_sets, opponent__in=answer_sets)
    wanted = judge_of(revision)
    found: dict[frozenset[UUID | None], set[str]] = {}
    for first, second, signature, state in runs.values_list("answer_set", "opponent", "signature", "state"):
        if without_opponent(signature) == wanted:
            found.setdefault(frozenset((first, second)), set()).add(state)
    return found
