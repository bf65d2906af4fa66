"""Logs of evaluation frameworks: their answers, what these took, and run facts; nothing else of them."""

from __future__ import annotations

import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from scoring.generations.reader import KnownQuestions, read_generations
from scoring.generations.records import TEXT_ANSWERS, AnswerFormat, list_answers
from scoring.logs.log import Log, LogError, decoding_of, model_of
from scoring.logs.opening import DEFLATED, STORED, ZSTANDARD, Bounds
from scoring.logs.reading import is_log
from tests import real_data
from tests.scoring.generations import other_tools
from tests.scoring.logs import files
from tests.scoring.logs.files import IDS, LM_EVAL_RESULTS, SECRET, read


def problems(*data: bytes | tuple[str, bytes], **wanted: Any) -> str:
    with pytest.raises(LogError) as caught:
        read(*data, **wanted)
    return "\n".join(caught.value.problems)


@pytest.mark.parametrize("method", [STORED, DEFLATED, ZSTANDARD])
def test_an_eval_log(method: int) -> None:
    log = read(files.eval_log(method=method), ids=IDS)
    assert dict(log.answers) == {"q0": "q0 in 1", "q1": "q1 in 1"}
    assert (log.answer_field, log.answer_fields) == (
        "output.completion",
        ("output.completion", "scores.includes.answer"),
    )
    assert log.usage["q0"] == {
        "input_tokens": 130,
        "output_tokens": 4,
        "seconds": 2.5,
        "cost_usd": 0.25,
        "tool_calls": 1,
        "stop_reason": "stop",
    }
    assert log.run_facts == {
        "model": "Qwen/Qwen3",
        "decoding": "temperature 0, max tokens 256, seed 7",
        "framework": "inspect_ai 0.3.285",
        "scaffold": "generate",
    }
    assert log.remarks == ("Tokens and cost are those of vllm/Qwen/Qwen3, without openai/grader.",)
    assert not log.warnings


MODEL = "vllm/Qwen/Qwen3"
BOTH = {MODEL: {"input_tokens": 1100, "output_tokens": 110, "total_tokens": 1210, "total_cost": 1.5}}
GRADING = {"grader": {"input_tokens": 1000, "output_tokens": 100, "total_tokens": 1100, "total_cost": 1.0}}


def graded(roles: dict[str, str], scorer: dict[str, Any], **usage: Any) -> Log:
    """A log in which one model may answer and grade."""
    described = files.header()
    described["eval"] |= {
        "model_roles": {name: {"model": model, "config": {}} for name, model in roles.items()},
        "scorers": [{"name": "model_graded_qa", "options": {}, **scorer}],
    }
    return read(files.eval_log(files.sample("q0", **{"model_usage": BOTH, **usage}), **described))


def tokens_of(log: Log) -> tuple[Any, ...]:
    return tuple(log.usage["q0"].get(name) for name in ("input_tokens", "output_tokens", "cost_usd"))


@pytest.mark.parametrize("roles", [{"grader": MODEL}, {}], ids=["a role of the same model", "no role"])
def test_tokens_of_a_judge_are_not_those_of_the_system_that_it_judges(roles: dict[str, str]) -> None:
    log = graded(roles, {}, role_usage=GRADING)
    assert tokens_of(log) == (100, 10, 0.5)
    assert "without its own as grader" in log.remarks[0]


@pytest.mark.parametrize(
    ("roles", "usage"),
    [
        ({"grader": MODEL}, {}),
        ({}, {}),
        ({}, {"role_usage": {}}),
        ({"grader": MODEL}, {"role_usage": {"grader": {"input_tokens": 9000, "total_tokens": 9000}}}),
    ],
    ids=["an older log", "an older log without roles", "no role", "more than the whole"],
)
def test_nothing_is_stated_where_roles_cannot_be_told_apart(roles: dict[str, str], usage: dict[str, Any]) -> None:
    log = graded(roles, {}, **usage)
    assert tokens_of(log) == (None, None, None)
    assert log.usage["q0"]["seconds"] == 2.5
    assert "does not tell these apart" in log.remarks[0]


def test_a_judge_of_another_model_changes_nothing() -> None:
    for log in (
        graded({"grader": "openai/grader"}, {}, role_usage=GRADING),
        graded({}, {"options": {"model": "openai/grader"}}, role_usage={}),
        graded({}, {"name": "includes"}),
    ):
        assert tokens_of(log) == (1100, 110, 1.5)
        assert not any("apart" in remark for remark in log.remarks)


def test_of_several_models_that_are_not_the_evaluated_one_nothing_is_stated() -> None:
    usage = {"a/b": BOTH[MODEL], "a/c": BOTH[MODEL]}
    assert tokens_of(read(files.eval_log(files.sample("q0", model_usage=usage)))) == (None, None, None)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("openai/azure/gpt-4o", "openai/gpt-4o"),
        ("google/vertex/gemini-2.5-pro", "google/gemini-2.5-pro"),
        ("openai-api/groq/llama-3.3-70b", ""),
        ("openai-api/groq/meta-llama/Llama-4", "meta-llama/Llama-4"),
        ("fireworks/accounts/fireworks/models/llama-v3p1-70b-instruct", ""),
        ("vllm/local", ""),
        ("vllm/Qwen/Qwen3-32B", "Qwen/Qwen3-32B"),
        ("openrouter/anthropic/claude-sonnet-4", "anthropic/claude-sonnet-4"),
        ("together/meta-llama/Llama-3", "meta-llama/Llama-3"),
        ("bedrock/meta.llama3-70b", ""),
        ("ollama/llama3.1", ""),
        ("hf/gpt2", ""),
        ("none/none", ""),
        ("anthropic/claude-sonnet-4", "anthropic/claude-sonnet-4"),
        ("Qwen/Qwen3-32B", "Qwen/Qwen3-32B"),
    ],
)
def test_a_host_is_no_part_of_a_model(name: str, model: str) -> None:
    assert model_of(name) == model


def test_the_json_of_the_same_run_says_the_same() -> None:
    document = files.header(samples=[files.sample("q0"), files.sample("q1")])
    for indent in (None, 1):
        assert read(json.dumps(document, indent=indent).encode(), ids=IDS) == read(files.eval_log(), ids=IDS)


def test_epochs_are_attempts() -> None:
    log = read(
        files.eval_log(files.sample("q0", 3), files.sample("q0", 2), files.sample("q1", 2), files.sample("q1", 1))
    )
    assert list(log.answers.items()) == [
        ("q0\t2", "q0 in 2"), ("q0\t3", "q0 in 3"), ("q1\t1", "q1 in 1"), ("q1\t2", "q1 in 2")
    ]  # fmt: skip
    assert log.usage.keys() == log.answers.keys()
    assert any(remark.startswith("3 attempts at each question") for remark in log.remarks)
    assert not log.warnings


def test_repeats_of_lm_eval_are_attempts_and_what_a_filter_made_of_them_is_one() -> None:
    samples = [json.loads(line) for line in files.lm_eval_samples().splitlines()]
    samples[0] |= {"resps": [["first", None, "third"]], "filtered_resps": ["first"]}
    data = files.lines(*samples)
    log = read(data, ids=IDS)
    assert dict(log.answers) == {"q0\t1": "first", "q0\t2": None, "q0\t3": "third", "q1\t1": "answer 1"}
    assert log.warnings == ("1 of 4 samples without an answer: an attempt without an answer.",)
    filtered = read(data, ids=IDS, answer_field="filtered_resps")
    assert filtered.answers["q0"] == "first"
    assert any("several responses" in remark for remark in filtered.remarks)


def test_of_several_choices_of_inspect_the_first_is_taken() -> None:
    choices = [{"message": {"role": "assistant", "content": text}} for text in ("first", "second")]
    log = read(files.eval_log(files.sample("q0", output={"choices": choices}), files.sample("q1")), ids=IDS)
    assert log.answers["q0"] == "first"
    assert next(remark for remark in log.remarks if "several responses" in remark).startswith("1 of ")


@pytest.mark.parametrize(
    "data",
    [
        b"id,prediction,attempt\nq0,a,1\nq0,b,2\nq1,c,1\n",
        b"""
    [{"id": "q0", "prediction": "a"}, {"id": "q0", "prediction": "b", "attempt": 2}, {"id": "q1", "prediction": "c"}]
""",
    ],
)
def test_tables_may_number_attempts(data: bytes) -> None:
    assert dict(read(data, ids=IDS).answers) == {"q0\t1": "a", "q0\t2": "b", "q1\t1": "c"}


@pytest.mark.parametrize("value", ["0", "101", "two", "", "1.5", "9" * 5000])
def test_a_wrong_number_of_an_attempt_in_a_table_is_named(value: str) -> None:
    said = problems(f"id,prediction,attempt\nq0,a,{value}\n".encode())
    assert "Line 2, “attempt”" in said and "from 1 to 100" in said


def test_a_run_that_was_broken_off() -> None:
    broken = files.sample("q1", error={"message": "timeout", "traceback": "…"})
    log = read(files.eval_log(files.sample("q0"), broken, start="_journal/start.json", status="started"))
    assert list(log.answers) == ["q0"]
    assert log.warnings == ("1 of 2 samples ended with an error: left out.",)
    assert log.unfinished == "status started, 2 samples"


def test_a_run_that_lacks_samples_is_unfinished() -> None:
    described = files.header(status="started")
    described["eval"] |= {"dataset": {"sample_ids": ["q0", "q1", "q2"]}, "config": {"epochs": 2}}
    log = read(files.eval_log(files.sample("q0"), **described), ids=IDS)
    assert log.unfinished == "status started, 1 of 6 samples"
    complete = files.eval_log(*(files.sample(f"q{n}", epoch) for n in range(3) for epoch in (1, 2)))
    assert not read(complete, ids=IDS).unfinished


@pytest.mark.parametrize(("answer_format", "nothing"), [(TEXT_ANSWERS, ""), (list_answers(), [])])
def test_a_failed_epoch_is_an_attempt_without_an_answer(answer_format: AnswerFormat, nothing: object) -> None:
    failed = {"error": {"message": "timeout"}, "output": None}
    samples = [
        *(files.sample("q0", epoch, **(failed if epoch == 1 else {})) for epoch in (1, 2)),
        *(files.sample("q1", epoch, **failed) for epoch in (1, 2)),
        *(files.sample("q2", epoch) for epoch in (1, 2)),
    ]
    log = read(files.eval_log(*samples), ids=IDS)
    assert dict(log.answers) == {
        "q0\t1": None, "q0\t2": "q0 in 2", "q1\t1": None, "q1\t2": None, "q2\t1": "q2 in 1", "q2\t2": "q2 in 2"
    }  # fmt: skip
    assert log.warnings == ("3 of 6 samples ended with an error: an attempt without an answer.",)
    lines = [json.loads(line) for line in log.generations(answer_format).splitlines()]
    assert [(line["id"], line["attempt"]) for line in lines] == [(f"q{n}", k) for n in range(3) for k in (1, 2)]
    assert lines[0][answer_format.answer_key] == nothing


def test_a_failed_epoch_leaves_usage_of_the_others_known() -> None:
    failed = {"error": {"message": "timeout"}, "output": None, "model_usage": {}}
    log = read(files.eval_log(files.sample("q0"), files.sample("q0", 2, **failed)), ids=IDS)
    report = read_generations(io.BytesIO(log.generations(TEXT_ANSWERS)), KnownQuestions(["q0"]))
    once = read(files.eval_log(files.sample("q0")), ids=IDS)
    assert report.usage == once.usage
    assert (report.n_attempts, report.n_empty_attempts, report.n_answered) == (2, 1, 0)


def test_responses_that_are_texts_and_not_lists_are_read() -> None:
    samples = [json.loads(line) for line in files.lm_eval_samples().splitlines()]
    for responses in ("flat", ["flat"]):
        flat = files.lines(*(sample | {"resps": responses, "filtered_resps": "flat"} for sample in samples))
        for field in ("resps", "filtered_resps"):
            assert dict(read(flat, ids=IDS, answer_field=field).answers) == {"q0": "flat", "q1": "flat"}


def test_the_answer_can_be_chosen() -> None:
    log = read(files.eval_log(), answer_field="scores.includes.answer")
    assert dict(log.answers) == {"q0": "Q0", "q1": "Q1"}
    said = problems(files.eval_log(), answer_field="target")
    assert "“target”" in said
    assert "“output.completion”, “scores.includes.answer”" in said


def test_samples_of_lm_eval_with_their_results() -> None:
    log = read(("results.json", LM_EVAL_RESULTS), ("samples.jsonl", files.lm_eval_samples()), ids=IDS)
    assert dict(log.answers) == {"q0": "answer 0", "q1": "answer 1"}
    assert log.remarks == ("The ids are those of doc.key.",)
    assert log.run_facts == {
        "model": "Qwen/Qwen3",
        "revision": "abc123",
        "parameters": 32.76,
        "decoding": "temperature 0.7, max gen toks 64, num fewshot 2",
        "framework": "lm-eval 0.4.13",
    }
    assert "samples_….jsonl" in problems(LM_EVAL_RESULTS)


def test_samples_of_lm_eval_that_lack_some_of_their_run_are_unfinished() -> None:
    results = json.loads(LM_EVAL_RESULTS)
    for n_samples, unfinished in ((2, ""), (310, "2 of 310 samples")):
        counted = json.dumps({**results, "n-samples": {"fan": {"original": 310, "effective": n_samples}}}).encode()
        assert read(("r.json", counted), ("s.jsonl", files.lm_eval_samples()), ids=IDS).unfinished == unfinished


def test_the_ids_of_lm_eval_are_found_by_the_benchmark_or_named() -> None:
    assert list(read(files.lm_eval_samples()).answers) == ["0", "1"], "without the benchmark's ids, by the field's name"
    assert list(read(files.lm_eval_samples(), id_field="key").answers) == ["q0", "q1"]
    assert "“key”" in problems(files.lm_eval_samples(), id_field="nothing")


def test_filters_of_lm_eval() -> None:
    data = files.lm_eval_samples(filters=("strict", "flexible"))
    assert dict(read(data, ids=IDS).answers) == {"q0": "answer 0", "q1": "answer 1"}
    log = read(data, ids=IDS, answer_field="filtered_resps")
    assert dict(log.answers) == {"q0": "strict 0", "q1": "strict 1"}
    assert "Of the filters strict, flexible the first is taken." in log.remarks
    assert not log.warnings


@pytest.mark.parametrize(
    "data",
    [
        b'\xef\xbb\xbfid,prediction,target\r\nq0,"a, b",x\r\nq1,c,x\r\n',
        b"target\tprediction\tid\nx\ta, b\tq0\nx\tc\tq1\n",
        b'[{"id": "q0", "prediction": "a, b", "target": "x"}, {"id": "q1", "prediction": "c", "gold": "x"}]',
        b'{"id": "q0", "prediction": "a, b"}\n\n{"id": "q1", "prediction": "c", "reference": NaN}\n',
        b'{"q0": "a, b", "q1": "c"}',
        b'{"q0": {"prediction": "a, b"}, "q1": {"prediction": "c"}}',
    ],
    ids=["csv", "tsv", "json list", "json lines", "object of answers", "object of objects"],
)
def test_tables(data: bytes) -> None:
    for sent in (data, gzip.compress(data)):
        assert dict(read(sent, ids=IDS).answers) == {"q0": "a, b", "q1": "c"}


def test_a_table_may_say_what_answers_took() -> None:
    log = read(b"id,answer,seconds,output_tokens,stop_reason\nq0,a,1.5,7,stop\nq1,b,,-1,\n")
    assert log.usage == {"q0": {"seconds": 1.5, "output_tokens": 7, "stop_reason": "stop"}}
    assert log.warnings == (
        "1 of 2 samples with impossible numbers of what the answer took: those numbers are left out.",
    )


def test_no_answer_is_guessed_between_two_fields() -> None:
    """A table with the benchmark's own answers beside those of a model."""
    data = b"id,answer,prediction\nq0,gold,mine\n"
    said = problems(data)
    assert "2 fields that may be the answer" in said
    assert "--answer-field: “answer”, “prediction”" in said
    assert dict(read(data, answer_field="prediction").answers) == {"q0": "mine"}
    assert "never read" in problems(b"id,target\nq0,x\n", answer_field="Target")


LOGS: dict[str, tuple[bytes | tuple[str, bytes], ...]] = {
    "inspect_ai, .eval": (files.eval_log(),),
    "inspect_ai, JSON": (json.dumps(files.header(samples=[files.sample("q0")])).encode(),),
    "lm-eval": (("r", LM_EVAL_RESULTS), ("s", files.lm_eval_samples())),
    "table": (files.lines({"id": "q0", "prediction": "x", "target": SECRET, "model_args": SECRET, "Gold": SECRET}),),
}


@pytest.mark.parametrize("data", LOGS.values(), ids=LOGS)
def test_no_reference_and_no_argument_of_the_model_is_kept(data: tuple[bytes | tuple[str, bytes], ...]) -> None:
    log = read(*data, ids=IDS)
    assert log.answers
    assert SECRET not in repr(log)
    assert SECRET.encode() not in log.generations(TEXT_ANSWERS)
    offered = [name for name in log.answer_fields if name != log.answer_field]
    assert all(SECRET not in repr(read(*data, ids=IDS, answer_field=name)) for name in offered)


@pytest.mark.parametrize("data", LOGS.values(), ids=LOGS)
def test_the_generations_are_a_good_file(data: tuple[bytes | tuple[str, bytes], ...]) -> None:
    log = read(*data, ids=IDS)
    report = read_generations(io.BytesIO(log.generations(TEXT_ANSWERS, IDS)), KnownQuestions(sorted(IDS)))
    assert report.ok
    assert report.answers == log.answers
    assert report.usage == log.usage
    assert log.generations(TEXT_ANSWERS, {"none"}) == b""


# --- Wrong and hostile files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no content"),
        (b"%PDF-1.7\n\x00\xff", "a PDF document"),
        (b"nothing at all", "expected a log of inspect_ai"),
        (b"abc \xff", "byte 0xFF at offset 4"),
        (b"id,answer\nq0\n", "Line 2: found another number of cells"),
        (b'id,answer\nq0,"x\n', "Line 2: found a broken row"),
        (b'{"doc": {"id": "q0"}, "resps": [["x"]]}\n{"doc": 3}\nbroken\n', "Line 2: found something else"),
        (b'{"doc": {"id": "q0"}, "resps": [["x"]]}\n{"doc": 3}\nbroken\n', "Line 3: found something else"),
        (b'{"doc": {"id": "q0"}, "resps": [[3]]}\n', "Line 1, “resps”: found a number"),
        (b'{"id": "q0", "answer": {"a": 1}}\n{"id": "q1", "answer": "x"}\n', "Line 1, “answer”: found an object"),
        (b'{"id": null, "answer": "x"}\n{"id": "q1", "answer": "x"}\n', "Line 1: found no id"),
        (b'{"id": "q0", "answer": null}\n', "without an answer"),
        (b'{"a": 1, "b": "x"}', "several kinds of values"),
        (b'[{"question": "What?", "answer": "x"}]', "--id-field"),
        (b'[{"id": "q0", "note": "x"}]', "0 fields that may be the answer"),
        (b'[{"id": ' + b"[" * 200_000, "nested very deeply"),
        (b'{"eval": {"model": "m"}, "samples": [{"id": "q0", "store": ' + b"[" * 200_000, "nested very deeply"),
        (b"\x1f\x8b\x08broken", "damaged compressed data"),
        (b'{"evalId": "e", "results": {}, "config": {}}', "samples_….jsonl of lm-evaluation-harness, or rows"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(data: bytes, said: str) -> None:
    assert said in problems(data)


def test_messages_have_no_content_of_the_log() -> None:
    document = files.header(samples=[files.sample("q0", output=SECRET)])
    said = problems(json.dumps(document).encode())
    assert "samples[0].output" in said
    assert SECRET not in said


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (files.archive({"a.txt": b"x"}), "without header.json"),
        (files.archive({"header.json": b"{}"}, crc=1), "checksum"),
        (files.archive({"header.json": b"{}"}, 12), "compression method 12"),
        (files.archive({"header.json": b"{}"}, flags=1), "encrypted"),
        (files.eval_log()[:-30], "breaks off before its end"),
        (
            files.eval_log().replace(b"PK\x03\x04", b"PK\x00\x00").replace(b"PK\0\0", b"PK\x03\x04", 1),
            "no entry where the directory says",
        ),
        (files.archive({"header.json": b"\0" * 2**21}), "1,000 times its compressed size"),
        (files.archive({"header.json": b"\0" * 2**21}, DEFLATED), "1,000 times its compressed size"),
    ],
)
def test_archives(data: bytes, said: str) -> None:
    assert said in problems(data)


def test_damaged_compressed_data_in_an_archive() -> None:
    data = bytearray(files.eval_log())
    at = data.rindex(b"\x28\xb5\x2f\xfd")
    data[at : at + 40] = b"\xff" * 40
    assert "damaged" in problems(bytes(data))


def test_all_that_is_read_is_bounded() -> None:
    data = files.eval_log()
    bounds = Bounds(max_text_bytes=2_048)
    with pytest.raises(LogError, match="more than 2 KiB"):
        read(data, bounds=bounds)
    with pytest.raises(LogError, match="more than 100 bytes"):
        read(data, bounds=Bounds(max_bytes=100))
    with pytest.raises(LogError, match="directory that does not fit"):
        read(data, bounds=Bounds(max_entries=2))
    with pytest.raises(LogError, match=r"header\.json.*more than 512 bytes"):
        read(data, bounds=Bounds(max_entry_bytes=512))
    with pytest.raises(LogError, match="more than 9 values"):
        read(data, bounds=Bounds(max_values=9))
    text = gzip.compress(b'{"q0": "' + b"x" * 5_000 + b'"}')
    with pytest.raises(LogError, match="more than 2 KiB"):
        read(text, bounds=bounds)


@pytest.mark.parametrize("n_bytes", range(0, 600, 23))
def test_a_log_that_breaks_off_anywhere_is_a_problem(n_bytes: int) -> None:
    for data in (files.eval_log(), json.dumps(files.header(samples=[files.sample("q0")])).encode()):
        assert problems(data[: n_bytes + 1])


def test_only_one_file_may_have_answers() -> None:
    assert "2 files with answers (a, b)" in problems(("a", files.eval_log()), ("b", files.eval_log()))
    assert "0 files with answers" in problems()


@pytest.mark.parametrize("name", other_tools.FILES)
def test_logs_are_recognised_by_their_beginning(name: str) -> None:
    assert is_log(io.BytesIO(other_tools.FILES[name][0])) == (
        name not in {"lm-eval results", "batch output", "Excel", "office"}
    )
    assert is_log(io.BytesIO(files.eval_log()))
    for line in (b'{"id": "q0", "answer": "x"}\n', b'{"custom_id": "x", "response": {}, "id": "q0", "answer": "x"}\n'):
        assert not is_log(io.BytesIO(line))
        assert not is_log(io.BytesIO(gzip.compress(line)))


def test_facts_are_short_and_clean() -> None:
    assert [model_of(name) for name in ("a/" + "b" * 300, "C:\\a/b", "../a/b", "azure/gpt 4", "")] == [""] * 5
    assert decoding_of({"temperature": None}, {"top_p": True, "seed": "x\ny"}) == "top p yes"


def test_messages_have_no_words_of_a_decoder() -> None:
    broken = [
        files.eval_log(files.sample("q0", messages="none")),
        json.dumps(files.header(samples=[{"epoch": 1}])).encode(),
        json.dumps(files.header(samples="none")).encode(),
        b'{"doc": {"id": "q0"}, "resps": [["x"]]}\n{"doc": 3}\n{"resps": []}\nbroken\n',
    ]
    for data in broken:
        said = problems(data)
        assert not re.search(r"`|Expected|got |malformed|\barray\b|\bstr\b|\bint\b|\$", said), said


# --- Real files -----------------------------------------------------------------------------------------------------


INSPECT = real_data.have("formats/inspect-0.3.285-json-excerpt.json")
LM_EVAL = real_data.have("formats/lm-eval-0.4.13-samples.jsonl", "formats/lm-eval-0.4.13-results.json")


@pytest.mark.data
@pytest.mark.parametrize(
    ("paths", "model", "framework"),
    [
        *((paths, "mockllm/model", "inspect_ai 0.3.285") for paths in INSPECT),
        *((paths, None, "lm-eval 0.4.13") for paths in LM_EVAL),
    ],
)
def test_real_logs(paths: tuple[Path, ...], model: str | None, framework: str) -> None:
    log = read(*((path.name, path.read_bytes()) for path in paths))
    assert all(re.fullmatch("[0-9a-f]{16}", question_id) for question_id in log.answers)
    assert log.run_facts.get("model") == model
    assert log.run_facts["framework"] == framework
