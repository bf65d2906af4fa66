"""The parts of the contract that need no site equal their baselines."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.contracts import baselines
from tests.contracts.parts import PARTS, SITE_PARTS


@pytest.mark.parametrize("part", PARTS)
def test_it_equals_its_baseline(part: str) -> None:
    baselines.require_same(part, PARTS[part]())


def test_every_part_has_a_baseline_and_every_baseline_a_part() -> None:
    assert {*baselines.FOLDER.iterdir()} < {baselines.file_of(part) for part in (*PARTS, *SITE_PARTS)}
    assert all(baselines.file_of(part).exists() for part in (*PARTS, *SITE_PARTS))


@pytest.mark.parametrize("part", [*PARTS, *SITE_PARTS])
def test_baselines_are_readable(part: str) -> None:
    """Sorted and indented, so that a change shows as the lines that changed."""
    text = baselines.file_of(part).read_text(encoding="utf-8")
    assert text == baselines.text_of(baselines.read(part), part)


CHANGES: dict[str, Callable[[Any], Any]] = {
    "openapi": lambda it: it["paths"].pop("/api/v1/systems/{slug}/"),
    "urls": lambda it: it["addresses"].update({"/systems/<slug:slug>/": "another"}),
    "commands": lambda it: it["manage.py rescore"].popitem(),
    "environment": lambda it: it["settings"]["JUDGE_MODEL"].update(default="another"),
    "queues": lambda it: it["tasks"]["scoring.tasks.execute_run"].append("more"),
    "signatures": lambda it: it["judge_addresses"].reverse(),
    "scoring_output": lambda it: it["scores"].update(more="text"),
    "tables": lambda it: it.update({"scoring.run": "scoring_runs"}),
}


@pytest.mark.parametrize("part", CHANGES)
def test_a_change_is_found_and_named(part: str) -> None:
    content = copy.deepcopy(baselines.read(part))
    CHANGES[part](content)
    with pytest.raises(AssertionError, match=f"{part}: something that outsiders rely on has changed"):
        baselines.require_same(part, content)
