"""Benchmarks as tasks of inspect_ai: ``inspect eval manyhop/fanoutqa --model …`` (docs/command.md#tasks-of-frameworks).

Parameters of a task are given as ``-T setting=openbook``. The samples of a `Task` have the ids of the questions, so
that ``manyhop submit`` takes its log. Needs the extra ``inspect``. inspect_ai finds this module by its entry point.
"""

from __future__ import annotations

import json
from functools import cache
from itertools import islice
from logging import getLogger
from typing import Any

from anyio import to_thread
from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # shown without a traceback; packages of tasks use it
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver, use_tools
from inspect_ai.tool import Tool, ToolError, tool

from manyhop.errors import ManyhopError
from manyhop.tasks import prompts, scoring
from manyhop.tasks.questions import EVIDENCE, OPEN, read
from manyhop.tasks.wikipedia import NoArticleError, Wikipedia
from scoring.benchmarks import packaged_definitions
from scoring.benchmarks.base import NO_ANSWER, canonical_json
from scoring.corpus import Corpus
from scoring.metrics.passage_recall import Passage
from scoring.task_types import task_type_named


@task
def benchmark(
    benchmark: str = "",
    split: str = "",
    setting: str = "",
    site: str = "",
    questions: str = "",
    folder: str = "",
    date: str = "",
    wikipedia: str = prompts.WIKIPEDIA,
    passages: int = prompts.PASSAGES,
) -> Task:
    """A benchmark as a task.

    :param benchmark: its name; with a folder it may be left out.
    :param split: of the benchmark; its default one if not given.
    :param setting: of the benchmark: closed book, evidence provided or open book; its default one if not given.
    :param site: the address of the site with the questions; that of the last login if no source is given.
    :param questions: in place of a site, a file of questions, or ``package``.
    :param folder: in place of a site, the folder of a declared benchmark.
    :param date: the day of the articles (YYYY-MM-DD).
    :param wikipedia: the address of the API of the wiki with the articles.
    :param passages: the passages that a model gets at most, of the evidence or of an article that it reads.
    """
    try:
        source = read(benchmark, split, setting, site=site, questions=questions, folder=folder)
        day = prompts.day(str(date))
    except ManyhopError as error:
        raise PrerequisiteError(str(error)) from error
    form = task_type_named(source.benchmark.task_type).answer_format(None)
    if source.without_scores:
        getLogger(__name__).warning(source.without_scores)
    solvers: list[Solver] = []
    if source.input == EVIDENCE:
        solvers.append(evidence(str(date), wikipedia, passages))
    elif source.input == OPEN:
        solvers.append(use_tools(search(str(date), wikipedia), read_article(str(date), wikipedia, passages)))
    solvers.append(generate())
    if form.answer_key == "predictions":
        solvers.append(list_of_answers())
    return Task(
        dataset=MemoryDataset(
            [
                Sample(
                    id=question.qid,
                    input=prompts.prompt(prompts.asked(question), source.input, form, day),
                    target="" if question.answer is NO_ANSWER else canonical_json(question.answer),
                    metadata={"question": question.text, "evidence": list(question.evidence)},
                )
                for question in source.questions
            ],
            name=f"{source.benchmark.slug}-{source.split}",
        ),
        solver=solvers,
        scorer=answer_scores(
            source.benchmark.task_type,
            source.metrics,
            source.without_scores,
            remove_reasoning=source.remove_reasoning,
        ),
        tags=[source.split, source.setting],
    )


def _shipped(slug: str) -> Any:
    """A benchmark of this package as a task of its own name."""

    @task(name=slug)
    def shipped(
        split: str = "",
        setting: str = "",
        site: str = "",
        questions: str = "",
        date: str = prompts.DATES.get(slug, ""),
        wikipedia: str = prompts.WIKIPEDIA,
        passages: int = prompts.PASSAGES,
    ) -> Task:
        return benchmark(slug, split, setting, site, questions, "", date, wikipedia, passages)

    return shipped


globals().update({slug: _shipped(slug) for slug in packaged_definitions()})


# Evidence and tools ---------------------------------------------------------------------------------------------------


@cache
def _wiki(date: str, address: str) -> Wikipedia:
    return Wikipedia(prompts.day(date), address)


@solver
def evidence(date: str, wikipedia: str, passages: int) -> Solver:
    """Puts the passages of a question's evidence that fit the question best before its prompt."""

    def best(question: str, articles: list[dict[str, Any]]) -> list[Passage]:
        return list(islice(Corpus(_wiki(date, wikipedia).evidence(articles)).best(question), passages))

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        given = await to_thread.run_sync(best, state.metadata["question"], state.metadata["evidence"])
        state.user_prompt.text = prompts.with_evidence(state.user_prompt.text, given)
        return state

    return solve


@tool(name="search")
def search(date: str, wikipedia: str) -> Tool:
    """The tool that finds articles."""

    async def execute(query: str) -> str:
        """Search Wikipedia for articles.

        Args:
            query: Words to search for.

        Returns:
            The titles of the articles that fit best, one a line.
        """
        titles = await to_thread.run_sync(_wiki(date, wikipedia).search, query)
        return "\n".join(titles) or "No article fits."

    return execute


@tool(name="read")
def read_article(date: str, wikipedia: str, passages: int) -> Tool:
    """The tool that reads an article: its passages that fit a query best."""

    @cache
    def corpus(title: str) -> Corpus:
        return Corpus([_wiki(date, wikipedia).article(title)])

    def best(title: str, query: str) -> list[Passage]:
        return list(islice(corpus(title).best(query), passages))

    async def execute(title: str, query: str) -> str:
        """Read the passages of a Wikipedia article that fit a query best.

        Args:
            title: The title of the article.
            query: What to look for in it.

        Returns:
            The passages, best first.
        """
        try:
            return prompts.documents(await to_thread.run_sync(best, title, query))
        except NoArticleError as error:
            raise ToolError(str(error)) from error

    return execute


@solver
def list_of_answers() -> Solver:
    """Writes the completion as a JSON array of its answers, as generations files have them; messages keep the text."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        answers = prompts.answers_in(state.output.completion)
        state.output = state.output.model_copy(update={"completion": json.dumps(answers, ensure_ascii=False)})
        return state

    return solve


# Scores ---------------------------------------------------------------------------------------------------------------


@metric
def mean_scores() -> Metric:
    """The value of each score over all samples, as a site computes it."""

    def compute(scores: list[SampleScore]) -> Value:
        values: dict[str, list[float]] = {}
        for sample in scores:
            for name, value in sample.score.value.items() if isinstance(sample.score.value, dict) else ():
                values.setdefault(name, []).append(float(value))
        return scoring.means(values)

    return compute


@scorer(metrics=[mean_scores()])
def answer_scores(
    task_type: str, metrics: scoring.Metrics, without_scores: str, remove_reasoning: bool = False
) -> Scorer:
    """Scores answers with the benchmark's own metrics that need no site.

    :param without_scores: why there are none, if so.
    :param remove_reasoning: whether the benchmark removes reasoning from answers first.
    """

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        if not target.text:
            return Score.unscored(answer=answer, explanation=without_scores or "This question has no reference answer.")
        value = scoring.scores(answer, target.text, task_type, metrics, remove_reasoning=remove_reasoning)
        return Score(value=value, answer=answer)

    return score
