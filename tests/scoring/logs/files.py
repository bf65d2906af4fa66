"""Logs as their frameworks write them, made here: small, with a secret reference answer wherever one may be."""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any, Final

import zstandard

from scoring.logs.log import Log, Wanted
from scoring.logs.opening import DEFLATED, STORED, ZSTANDARD, Bounds
from scoring.logs.reading import read_log

SECRET: Final = "the-secret-reference"
IDS: Final = frozenset({"q0", "q1", "q2"})


def read(*files: bytes | tuple[str, bytes], bounds: Bounds | None = None, **wanted: Any) -> Log:
    named = [file if isinstance(file, tuple) else ("log", file) for file in files]
    return read_log([(name, io.BytesIO(data)) for name, data in named], Wanted(**wanted), bounds)


def packed(data: bytes, method: int) -> bytes:
    if method == ZSTANDARD:
        return zstandard.ZstdCompressor().compress(data)
    if method == DEFLATED:
        engine = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        return engine.compress(data) + engine.flush()
    return data


def archive(entries: Mapping[str, bytes], method: int = ZSTANDARD, *, flags: int = 0, crc: int | None = None) -> bytes:
    """A ZIP archive; the standard library writes no Zstandard before Python 3.14."""
    body, directory = b"", b""
    for name, data in entries.items():
        small = packed(data, method if method in (STORED, DEFLATED, ZSTANDARD) else STORED)
        check = zlib.crc32(data) if crc is None else crc
        # The sizes that an archive states are not believed: here they are wrong.
        common = struct.pack("<5H3L2H", 20, flags, method, 0, 0, check, len(small), 1, len(name.encode()), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<3H2L", 0, 0, 0, 0, len(body))
        directory += name.encode()
        body += b"PK\x03\x04" + common + name.encode() + small
    end = struct.pack("<4H2LH", 0, 0, len(entries), len(entries), len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end


def sample(question_id: str, epoch: int = 1, **more: Any) -> dict[str, Any]:
    """A sample of inspect_ai."""
    message = {"role": "assistant", "content": f"{question_id} in {epoch}", "model": "vllm/Qwen/Qwen3"}
    usage = {"input_tokens": 30, "output_tokens": 4, "total_tokens": 134, "input_tokens_cache_read": 100}
    return {
        "id": question_id,
        "epoch": epoch,
        "input": "What?",
        "target": SECRET,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "What?"}]},
            {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": "search", "arguments": {}}]},
            message,
        ],
        "output": {
            "model": "Qwen3",
            "choices": [{"message": message, "stop_reason": "stop"}],
            "completion": message["content"],
        },
        "scores": {"includes": {"value": float("nan"), "answer": question_id.upper(), "explanation": SECRET}},
        "metadata": {"answer": SECRET},
        "store": {"target": SECRET},
        "events": [{"event": "sample_init", "sample": {"target": SECRET}}],
        "model_usage": {
            "vllm/Qwen/Qwen3": usage | {"total_cost": 0.25},
            "openai/grader": {"input_tokens": 999, "output_tokens": 99, "total_tokens": 1098},
        },
        "total_time": 9.5,
        "working_time": 2.5,
        "error": None,
        **more,
    }


def header(**more: Any) -> dict[str, Any]:
    """The header of a log of inspect_ai."""
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": "e",
            "task": "fan",
            "model": "vllm/Qwen/Qwen3",
            "model_args": {"api_key": SECRET},
            "task_args": {"answers": SECRET},
            "model_generate_config": {"temperature": 0.0, "max_tokens": 256, "extra_headers": {"key": SECRET}},
            "packages": {"inspect_ai": "0.3.285"},
        },
        "plan": {"steps": [{"solver": "generate", "params": {"template": SECRET}}], "config": {"seed": 7}},
        "results": {"scores": [{"params": {"reference": SECRET}}]},
        **more,
    }


def eval_log(*samples: dict[str, Any], method: int = ZSTANDARD, start: str = "header.json", **more: Any) -> bytes:
    entries = {
        f"samples/{one['id']}_epoch_{one['epoch']}.json": json.dumps(one).encode()
        for one in samples or (sample("q0"), sample("q1"))
    }
    described = json.dumps(header(**more)).encode()
    return archive({"_journal/start.json": described, start: described, **entries}, method)


def lm_eval_samples(*, filters: tuple[str, ...] = ("none",), name: str = "key") -> bytes:
    rows = [
        {
            "doc_id": number,
            "doc": {"question": "What?", "answer": SECRET, "target": SECRET, "id": number, name: f"q{number}"},
            "target": SECRET,
            "arguments": {"gen_args_0": {"arg_0": SECRET}},
            "resps": [[f"answer {number}"]],
            "filtered_resps": [f"{one} {number}"],
            "filter": one,
            "exact_match": float("nan"),
        }
        for one in filters
        for number in range(2)
    ]
    return lines(*rows)


LM_EVAL_RESULTS: Final = json.dumps(
    {
        "results": {"fan": {"exact_match,none": 0.0}},
        "configs": {"fan": {"generation_kwargs": {"until": [SECRET], "max_gen_toks": 64}, "num_fewshot": 2}},
        "config": {
            "model": "hf",
            "model_args": {"pretrained": "Qwen/Qwen3", "token": SECRET},
            "model_sha": "abc123",
            "model_num_parameters": 32_760_000_000,
            "gen_kwargs": {"temperature": 0.7},
        },
        "model_name": "Qwen/Qwen3",
        "lm_eval_version": "0.4.13",
        "transformers_version": "N/A",
    },
    indent=2,
).encode()


def lines(*rows: Any) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)
