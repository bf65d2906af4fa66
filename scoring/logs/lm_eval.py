"""Samples of lm-evaluation-harness (``samples_….jsonl``), and the results of the same run, which hold its facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct, field

from scoring.logs.log import (
    Facts,
    Log,
    LogError,
    Sample,
    Wanted,
    as_id,
    decode,
    decode_lines,
    decoding_of,
    fact,
    id_field_of,
    make_log,
    model_of,
)

KIND: Final = "samples of lm-evaluation-harness"
RESPONSES, FILTERED = "resps", "filtered_resps"
OF_RESULTS: Final = frozenset({"configs", "lm_eval_version", "n-samples", "n-shot", "higher_is_better"})
"""Keys that only this tool's results have beside ``results``, which files of many tools have."""


class _Sample(Struct):
    """A sample without its ``arguments``."""

    doc: dict[str, Any]
    target: Any = None
    resps: Any = None
    filtered_resps: Any = None
    filter: str = ""


class _Config(Struct):
    """The configuration of a run without its ``model_args``."""

    model_revision: str | None = None
    model_sha: str | None = None
    model_num_parameters: int | None = None
    gen_kwargs: Any = None


class _Count(Struct):
    effective: int = 0


class _Results(Struct):
    config: _Config | None = None
    n_samples: dict[str, _Count] = field(name="n-samples", default_factory=dict)
    configs: dict[str, dict[str, Any]] = {}
    model_name: str | None = None
    lm_eval_version: str | None = None
    transformers_version: str | None = None


def read_results(content: bytes) -> tuple[Facts, int]:
    """The facts in a results file, and the samples of its run; 0 if that is not known, or it has several tasks."""
    results = decode(content, _Results, "File")
    config = results.config or _Config()
    decoding: list[Any] = []
    if len(results.configs) == 1:
        task = next(iter(results.configs.values()))
        decoding = [{"num_fewshot": task.get("num_fewshot")}, task.get("generation_kwargs")]
    decoding.append(config.gen_kwargs)
    versions = {"lm-eval": results.lm_eval_version, "transformers": results.transformers_version}
    facts: Facts = {
        "model": model_of(results.model_name or ""),
        "revision": fact(config.model_sha or config.model_revision or ""),
        "decoding": decoding_of(*(given for given in decoding if isinstance(given, dict))),
        "framework": fact(
            ", ".join(f"{name} {is_one}" for name, is_one in versions.items() if is_one not in (None, "N/A"))
        ),
    }
    if config.model_num_parameters and config.model_num_parameters > 0:
        facts["parameters"] = round(config.model_num_parameters / 10**9, 3)
    counts = list(results.n_samples.values())
    return facts, counts[0].effective if len(counts) == 1 else 0


def read_samples(
    lines: Sequence[tuple[int, bytes]], wanted: Wanted, facts: Facts | None = None, n_expected: int = 0
) -> Log:
    """Read the lines of a file of samples, each with its number, with the facts in the results of the same run and the
    number of its samples; 0 if that is not known."""
    samples = decode_lines(lines, _Sample)
    # Of the documents only what may be an id is looked at: the rest has questions and reference answers.
    docs = [{name: value for name, value in sample.doc.items() if as_id(value)} for _, sample in samples]
    id_field = id_field_of(docs, wanted)
    remarks = [f"The ids are those of doc.{fact(id_field)}."]
    filters = dict.fromkeys(sample.filter for _, sample in samples)
    if len(filters) > 1 and wanted.answer_field == FILTERED:
        remarks.append(f"Of the filters {fact(', '.join(filters))} the first is taken.")
    # Each filter has all samples again.
    first = next(iter(filters), "")
    n_samples = sum(sample.filter == first for _, sample in samples)
    return make_log(
        KIND,
        (
            repeat
            for (place, sample), doc in zip(samples, docs, strict=True)
            if sample.filter == first
            for repeat in _repeats(place, as_id(doc.get(id_field)), sample, wanted.answer_field or RESPONSES)
        ),
        wanted,
        facts,
        remarks,
        unfinished=f"{n_samples:,} of {n_expected:,} samples" if n_samples < n_expected else "",
    )


def _repeats(place: str, question_id: str, sample: _Sample, answer_field: str) -> Iterator[Sample]:
    """The responses to a question, each as an attempt; of a field that a filter made of them, as many as it has."""
    responses, filtered = _of_first_request(sample.resps), _of_first_request(sample.filtered_resps)
    n_attempts = len(filtered if answer_field == FILTERED else responses) or 1
    for number in range(n_attempts):
        answers = {
            field: _text(repeats[number]) if number < len(repeats) else None
            for field, repeats in ((RESPONSES, responses), (FILTERED, filtered))
        }
        n_responses = len(responses) if n_attempts == 1 else 1
        yield Sample(place, question_id, answers, n_responses=n_responses, attempt=number + 1)


def _of_first_request(responses: Any) -> list[Any]:
    """The responses to the first request of a sample, which has a list of them, or the only one by itself."""
    if not isinstance(responses, list):
        return [responses]
    first = responses[0] if responses else []
    return first if isinstance(first, list) else [first]


def _text(responses: Any) -> object:
    """The first of several responses, which may be in lists of their own."""
    while isinstance(responses, list):
        if not responses:
            return None
        responses = responses[0]
    return responses


def without_samples() -> LogError:
    """Error of a results file that comes without its samples."""
    return LogError(
        "File: found results of lm-evaluation-harness, which hold no answers, expected its samples; name the file "
        "samples_….jsonl of the same run too (lm_eval writes it with --log_samples)."
    )
