"""Cost of comparisons of two answer sets, before anything is asked.

The tokens of an answer are counted once, in however many pairs it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

import numpy as np
from django.conf import settings
from django.db.models import QuerySet

from scoring import registry
from scoring.benchmarks import definition_of
from scoring.generations.records import has_content
from scoring.metrics.asking.config import judge_config
from scoring.metrics.asking.cost import Estimate, token_counter
from scoring.metrics.asking.items import AskedItem
from scoring.metrics.side_by_side.items import NAME, ComparisonPrompt, sent_candidate
from scoring.metrics.text.normalise import as_text
from scoring.models import AnswerBlock, AnswerSet, Question, Revision, Run
from scoring.models.run_states import RunState
from scoring.queries import references_of
from scoring.runs.judging.comparisons import judge_of, without_opponent
from scoring.runs.judging.items import items_of
from scoring.runs.judging.store import letters_of, mean_reply_tokens
from scoring.statistics.arrays import BoolArray

Pair = tuple[AnswerSet, AnswerSet]
Sides = frozenset[UUID | None]
ORDERS = 2
"""Each pair of answers is compared in both orders."""
DATA_PART = re.compile(r"\|data:[^|]*")


class PairCosts:
    """The expected costs of comparing answer sets of a split on all questions of a revision, in both orders.

    Pairs that are compared already cost nothing. Of those whose comparison was begun, the missing verdicts count; of
    those that were compared on an earlier revision, the questions that changed since.
    """

    def __init__(self, revision: Revision, answer_sets: Sequence[AnswerSet]) -> None:
        """Two queries for the questions, one per answer set, two for the runs, and two per earlier revision.

        Raises:
            ValueError: the judge is not configured correctly, or the benchmark lacks the prompt.
        """
        self._revision = revision
        self._metric = registry.judge_of(revision.split.benchmark.slug, NAME)
        self._settings = self._metric.settings
        self._config = judge_config(settings, self._settings)
        self._counter = token_counter(self._config.judge.model)
        self._reply_tokens = mean_reply_tokens(self._config.judge.model, self._metric, revision.split.benchmark.slug)
        self._places = {answer_set.pk: place for place, answer_set in enumerate(answer_sets)}
        self._states = states_between(revision, answer_sets)
        self._questions = _questions_of(revision)
        # The tokens of each question's prompt without answers, shape ``(n_questions,)``, and of each answer, shape
        # ``(n_answer_sets, n_questions)``, -1 where there is none.
        prompt = ComparisonPrompt.of(definition_of(revision.split.benchmark.slug).prompts)
        empty = (prompt.filled(text, [""] * 2, as_text(answer).strip()) for text, answer in self._questions.values())
        prompts = [self._counter.of_messages([{"role": "user", "content": text}]) for text in empty]
        self._prompts = np.array(prompts, dtype=np.float64)
        columns = {qid: column for column, qid in enumerate(self._questions)}
        self._answers = np.full((len(self._places), len(columns)), -1.0)
        for pk, place in self._places.items():
            texts = registry.scored_texts(revision.split.benchmark.slug, AnswerBlock.objects.first_texts_of(pk))
            for qid, text in texts.items():
                if qid in columns and has_content(text):
                    sent = sent_candidate(text, self._metric.longest).text
                    self._answers[place, columns[qid]] = self._counter.count(sent)
        # Of pairs that the present judge compared on earlier revisions: the questions that are as they were.
        wanted = _without_data(judge_of(revision))
        earlier: dict[Sides, set[int]] = {}
        for run in _runs_between(answer_sets).filter(state=RunState.DONE).exclude(revision=revision):
            if _without_data(without_opponent(run.signature)) == wanted:
                earlier.setdefault(frozenset((run.answer_set_id, run.opponent_id)), set()).add(run.revision_id)
        same: dict[int, BoolArray] = {}
        for key in set().union(*earlier.values()):
            before = _questions_of(key)
            same[key] = np.array([before.get(qid) == asked for qid, asked in self._questions.items()], dtype=np.bool_)
        self._unchanged = {sides: np.any([same[key] for key in keys], axis=0) for sides, keys in earlier.items()}

    def of(self, pairs: Iterable[Pair]) -> Estimate:
        """The cost of comparing some pairs, without verdicts that exist."""
        n_calls = tokens_in = 0
        begun: dict[str, AskedItem] = {}
        for first, second in pairs:
            sides: Sides = frozenset((first.pk, second.pk))
            states = self._states.get(sides, set())
            if not states:
                # The tokens of each request that compares the two in one order.
                of_first, of_second = self._answers[self._places[first.pk]], self._answers[self._places[second.pk]]
                asked = (of_first >= 0) & (of_second >= 0)
                if sides in self._unchanged:
                    asked &= ~self._unchanged[sides]
                tokens = (self._prompts + of_first + of_second)[asked]
                n_calls += ORDERS * len(tokens)
                tokens_in += ORDERS * round(tokens.sum())
            elif RunState.DONE not in states:
                run = Run(answer_set=first, opponent=second, revision=self._revision, metric=NAME)
                items = {item.address(self._settings): item for item in items_of(run)[1]}
                judged = letters_of(items)
                begun |= {address: item for address, item in items.items() if address not in judged}
        n_calls += len(begun)
        tokens_in += sum(self._counter.of_messages(item.messages()) for item in begun.values())
        tokens_out = n_calls * self._reply_tokens
        price = self._config.price
        usd = None if price is None else price.of(tokens_in, tokens_out)
        return Estimate(n_calls, tokens_in, tokens_out, usd, self._counter.method)


def _questions_of(revision: Revision | int) -> dict[str, tuple[str, Any]]:
    """The questions of a revision with their reference answers, by id, in order. Two queries."""
    questions = Question.objects.filter(revision=revision).order_by("position").values_list("qid", "text")
    rows = zip(questions, references_of(revision), strict=True)
    return {qid: (text, reference) for (qid, text), reference in rows}


def states_between(revision: Revision, answer_sets: Sequence[AnswerSet]) -> dict[Sides, set[str]]:
    """The states of the runs by the present judge that compare two of these, in either direction. Two queries."""
    wanted = judge_of(revision)
    states: dict[Sides, set[str]] = {}
    for run in _runs_between(answer_sets).filter(revision=revision):
        if without_opponent(run.signature) == wanted:
            states.setdefault(frozenset((run.answer_set_id, run.opponent_id)), set()).add(run.state)
    return states


def _runs_between(answer_sets: Sequence[AnswerSet]) -> QuerySet[Run]:
    runs = Run.objects.filter(metric=NAME, answer_set__in=answer_sets, opponent__in=answer_sets)
    return runs.only("answer_set", "opponent", "signature", "state", "revision")


def _without_data(signature: str) -> str:
    return DATA_PART.sub("", signature)
