"""Runs tasks with inspect_ai and its mock model, in an environment that has both: ``run_inspect.py LOGS < RUNS``.

Each of the runs, a JSON list, has ``task`` and its ``args``, the ``outputs`` of the model in turn (a text, or name and
arguments of a tool call), the ``limit`` of samples and the ``format`` of the log. Printed is a line for each: its log,
or why there is none.
"""

import json
import sys

from inspect_ai import eval as run_tasks
from inspect_ai.model import ModelOutput, ModelUsage, get_model


def output(given):
    if isinstance(given, list):
        made = ModelOutput.for_tool_call("mockllm/model", *given)
    else:
        made = ModelOutput.from_content("mockllm/model", given)
    made.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110, total_cost=0.002)
    return made


for run in json.load(sys.stdin):
    try:
        (log,) = run_tasks(
            run["task"],
            model=get_model("mockllm/model", memoize=False, custom_outputs=list(map(output, run["outputs"]))),
            task_args=run["args"],
            limit=run.get("limit"),
            log_dir=sys.argv[1],
            log_format=run.get("format", "json"),
            display="none",
            max_samples=1,
            max_connections=1,
        )
        print(log.location if log.status == "success" else f"{log.status}: {log.error}")
    except Exception as error:
        print(f"refused: {error}".replace("\n", " "))
