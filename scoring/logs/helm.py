"""Runs of HELM: ``scenario_state.json``, with ``per_instance_stats.json`` of the same run."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from scoring.logs.log import Facts, Log, Sample, Wanted, decode, decoding_of, make_log, model_of

KIND: Final = "a run of HELM"
COMPLETION: Final = "result.completions"
_STATS: Final = {
    "num_prompt_tokens": "input_tokens",
    "num_completion_tokens": "output_tokens",
    "num_output_tokens": "output_tokens",
}
_DECODING: Final = {
    "temperature": "temperature",
    "max_tokens": "max_tokens",
    "num_outputs": "num_choices",
    "max_train_instances": "num_fewshot",
}


class _Instance(Struct):
    """An instance without its ``input``."""

    id: str | None = None
    perturbation: Any = None


class _Completion(Struct):
    text: str = ""
    finish_reason: dict[str, Any] | None = None


class _Result(Struct):
    success: bool = True
    completions: list[_Completion] = []
    request_time: float | None = None


class _State(Struct):
    instance: _Instance
    result: _Result | None = None


class _Scenario(Struct):
    request_states: list[_State]
    adapter_spec: dict[str, Any] | None = None


class _Stats(Struct):
    instance_id: str
    perturbation: Any = None
    stats: list[dict[str, Any]] = []
    """Each with what it counts (a ``name``, a split and a perturbation) and its ``mean``."""


def read_stats(content: bytes) -> dict[str, dict[str, object]]:
    """What answering took, by instance."""
    taken: dict[str, dict[str, object]] = {}
    for instance in decode(content, list[_Stats], "File"):
        if instance.perturbation is None:
            values = taken.setdefault(instance.instance_id, {})
            for stat in instance.stats:
                named, mean = stat.get("name"), stat.get("mean")
                counted = _STATS.get(str(named.get("name"))) if isinstance(named, dict) else None
                if counted is not None and mean is not None:
                    values.setdefault(counted, mean)
    return taken


def read_scenario(content: bytes, wanted: Wanted, taken: dict[str, dict[str, object]]) -> Log:
    """Read the states of requests. Perturbed instances are left out."""
    scenario = decode(content, _Scenario, "File")
    adapter = scenario.adapter_spec or {}
    facts: Facts = {
        "model": model_of(str(adapter.get("model", ""))),
        "decoding": decoding_of({ours: adapter.get(name) for name, ours in _DECODING.items()}),
        "framework": "HELM",
    }
    samples = []
    for number, state in enumerate(scenario.request_states, start=1):
        if state.instance.id is None or state.instance.perturbation is not None:
            continue
        result = state.result or _Result(success=False)
        completion = result.completions[0] if result.completions else None
        reason = (completion.finish_reason or {}).get("reason") if completion else None
        usage = {**taken.get(state.instance.id, {}), "seconds": result.request_time, "stop_reason": reason}
        answers = {COMPLETION: completion.text if completion else None}
        samples.append(
            Sample(
                f"Request state {number:,}",
                state.instance.id,
                answers,
                usage,
                has_failed=not result.success,
                n_responses=len(result.completions),
            )
        )
    return make_log(KIND, samples, wanted, facts)
