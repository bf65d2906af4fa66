"""Benchmarks as tasks of lm-evaluation-harness: files that ``manyhop lm-eval`` writes, and what these files name.

A task is a YAML file, and JSON Lines with a document for each question, which keep its id, so that ``manyhop submit``
takes the samples. lm_eval calls the functions at the end; it is not imported here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from manyhop.errors import ManyhopError
from manyhop.tasks import prompts, scoring
from manyhop.tasks.questions import CLOSED, EVIDENCE, Questions, TaskError
from scoring.benchmarks.base import NO_ANSWER, canonical_json
from scoring.generations.records import AnswerFormat
from scoring.task_types import known_metrics, task_type_named

MAX_TOKENS: Final = 1024
"""The most tokens of an answer; lm_eval's ``--gen_kwargs max_gen_toks=…`` changes it."""
_MEAN: Final = "mean_of_"


def write(source: Questions, folder: Path, *, date: str, wikipedia: str, passages: int) -> str:
    """Write the files of a task; returns the task's name.

    :param folder: made if it does not exist; lm_eval's ``--include_path``.
    :param date: the day of the articles (YYYY-MM-DD), or empty.
    :param wikipedia: the address of the API of the wiki with the articles.
    :param passages: the passages of the evidence that a model gets at most.
    :raises TaskError: lm_eval cannot do this.
    """
    if source.input not in (CLOSED, EVIDENCE):
        raise TaskError(
            f"setting: found {source.setting!r}, expected closed book or evidence provided: lm-evaluation-harness "
            f"has no tools. inspect_ai has: inspect eval manyhop/{source.benchmark.slug} -T setting={source.setting}"
        )
    form = task_type_named(source.benchmark.task_type).answer_format(None)
    name = "_".join(("manyhop", source.benchmark.slug, source.split, source.setting))
    how = {"task_type": source.benchmark.task_type, "metrics": source.metrics}
    scored_as = json.dumps(how | {"remove_reasoning": source.remove_reasoning})
    documents = []
    for question, text in zip(source.questions, _prompts(source, form, date, wikipedia, passages), strict=True):
        target = "" if question.answer is NO_ANSWER else canonical_json(question.answer)
        document = {"id": question.qid, "question": question.text, "prompt": text, "target": target}
        documents.append(json.dumps(document | {"scored_as": scored_as}, ensure_ascii=False) + "\n")
    folder.mkdir(parents=True, exist_ok=True)
    file = folder.resolve() / f"{name}.jsonl"
    file.write_text("".join(documents), "utf-8", errors="surrogatepass")
    metrics = [
        f"  - metric: {score}\n    aggregation: !function {__name__}.{_MEAN}{metric}\n    higher_is_better: true"
        for metric in source.metrics
        for score in known_metrics()[metric].score_names
    ]
    lines = [
        f"task: {name}",
        "dataset_path: json",
        f"dataset_kwargs: {json.dumps({'data_files': {'test': str(file)}})}",
        "test_split: test",
        "output_type: generate_until",
        "doc_to_text: prompt",
        "doc_to_target: target",
        f"generation_kwargs: {json.dumps({'until': [], 'do_sample': False, 'max_gen_toks': MAX_TOKENS})}",
        f"process_results: !function {__name__}.process_results",
        *(["metric_list:", *metrics] if metrics else ["metric_list: []"]),
        f"metadata: {json.dumps({'version': 1.0})}",
    ]
    if form.answer_key == "predictions":
        steps = f"      - function: custom\n        filter_fn: !function {__name__}.lists_of_answers"
        lines += ["filter_list:", "  - name: answers", "    filter:", steps, "      - function: take_first"]
    (folder / f"{name}.yaml").write_text("\n".join(lines) + "\n", "utf-8")
    return name


def _prompts(source: Questions, form: AnswerFormat, date: str, wikipedia: str, passages: int) -> list[str]:
    day = prompts.day(date)
    texts = [prompts.prompt(prompts.asked(question), source.input, form, day) for question in source.questions]
    if source.input == CLOSED:
        return texts
    # The packages of the extra are needed for evidence alone.
    from manyhop.tasks.wikipedia import Wikipedia
    from scoring.corpus import Corpus

    wiki = Wikipedia(day, wikipedia)
    given = []
    for question, text in zip(source.questions, texts, strict=True):
        try:
            corpus = Corpus(wiki.evidence(question.evidence))
        except ManyhopError as error:
            raise TaskError(f"Question {question.qid}: {error}") from error
        given.append(prompts.with_evidence(text, islice(corpus.best(question.text), passages)))
    return given


# Called by lm_eval ----------------------------------------------------------------------------------------------------


def process_results(document: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """The scores of an answer; none without a reference answer."""
    return (
        scoring.scores(results[0], document["target"], **json.loads(document["scored_as"]))
        if document["target"]
        else {}
    )


def lists_of_answers(responses: Sequence[Sequence[str]], documents: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Each response as a JSON array of its answers, as generations files have them."""
    del documents
    return [[json.dumps(prompts.answers_in(text), ensure_ascii=False) for text in texts] for texts in responses]


def __getattr__(name: str) -> Any:
    """``mean_of_METRIC``: how a metric's scores of all answers are one."""
    if name.startswith(_MEAN) and (metric := known_metrics().get(name.removeprefix(_MEAN))):
        return metric().mean
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
