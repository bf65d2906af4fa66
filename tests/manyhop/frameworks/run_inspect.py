"""Runs a task with inspect_ai and its mock model, in an environment that has both: ``run_inspect.py TASK LOGS JSON``.

The JSON has ``args`` of the task, ``outputs`` of the model in turn (a text, or the name and arguments of a tool call)
and the ``limit`` of samples. Printed is the log's path. The mock model counts tokens with a table that is downloaded;
here a character is a token.
"""

import json
import sys

import tiktoken

ENCODING = tiktoken.Encoding(
    "characters",
    pat_str=r"[\s\S]",
    mergeable_ranks={bytes([number]): number for number in range(256)},
    special_tokens={},
)
tiktoken.get_encoding = tiktoken.encoding_for_model = lambda name: ENCODING

from inspect_ai import eval as run  # noqa: E402 - after the table is replaced
from inspect_ai.model import ModelOutput, ModelUsage, get_model  # noqa: E402


def output(given: str | list) -> ModelOutput:
    if isinstance(given, list):
        made = ModelOutput.for_tool_call("mockllm/model", *given)
    else:
        made = ModelOutput.from_content("mockllm/model", given)
    made.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110, total_cost=0.002)
    return made


task, logs, text = sys.argv[1:]
asked = json.loads(text)
model = get_model("mockllm/model", custom_outputs=[output(given) for given in asked["outputs"]])
(log,) = run(
    task,
    model=model,
    task_args=asked["args"],
    limit=asked.get("limit"),
    log_dir=logs,
    display="none",
    max_samples=1,
    max_connections=1,
)
print(log.status, log.location)
sys.exit(log.status != "success")
