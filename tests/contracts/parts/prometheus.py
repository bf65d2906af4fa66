"""The metrics at ``/metrics``: their names, types and labels, which dashboards and alerts use."""

import re
from typing import Any

from django.utils.encoding import force_str

from tests.contracts.visitors import content_of

OURS = "manyhop_"


def collect() -> dict[str, Any]:
    """The type and the label names of each metric."""
    text = force_str(content_of("/metrics", "grace"))
    found: dict[str, dict[str, Any]] = {
        name: {"type": kind, "labels": set()} for name, kind in re.findall(r"^# TYPE (\S+) (\w+)$", text, re.MULTILINE)
    }
    for sample, labels in re.findall(r"^(\w+)(?:\{(.*)\})? \S+$", text, re.MULTILINE):
        name = next((known for known in sorted(found, key=len, reverse=True) if sample.startswith(known)), sample)
        found[name]["labels"].update(re.findall(r"(\w+)=\"", labels))
    return {
        name: {**metric, "labels": sorted(metric["labels"])} for name, metric in found.items() if name.startswith(OURS)
    }
