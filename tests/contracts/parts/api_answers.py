"""The fields of the API's answers to GET requests: what it sends, beside what the OpenAPI document promises."""

import json
from collections.abc import Iterator
from typing import Any, Final

from tests.contracts.shapes import merged, shape_of
from tests.contracts.visitors import content_of
from tests.upgrade.version_0_7_0 import SITE

BASE: Final = "/api/v1/"
MOST_ITEMS: Final = 8
BENCHMARK: Final = "benchmarks/fanoutqa/"
FIXED: Final = {
    "": [""],
    "benchmarks/": ["benchmarks/"],
    "benchmarks/{benchmark}/": [BENCHMARK],
    "benchmarks/{benchmark}/settings/": [f"{BENCHMARK}settings/"],
    "benchmarks/{benchmark}/splits/{split}/": [f"{BENCHMARK}splits/dev/", f"{BENCHMARK}splits/test/"],
    "benchmarks/{benchmark}/splits/{split}/questions/": [
        f"{BENCHMARK}splits/{split}/questions/" for split in ("dev", "test")
    ],
    "benchmarks/{benchmark}/splits/{split}/question-statistics/": [f"{BENCHMARK}splits/dev/question-statistics/"],
    "board/": [f"board/?benchmark=fanoutqa&split={split}&setting=openbook" for split in ("dev", "test")],
    "systems/": ["systems/"],
    "submissions/": ["submissions/"],
    "studies/": ["studies/"],
}


def collect() -> dict[str, Any]:
    """The fields by URL. An API token made by 0.7.0 is used, and a maintainer's session for studies."""
    asked = {**FIXED, **dict(_of_items())}
    return {name: merged(shape_of(_answer(path)) for path in paths) for name, paths in asked.items()}


def _of_items() -> Iterator[tuple[str, list[str]]]:
    split = f"{BENCHMARK}splits/dev/"
    questions = [f"{split}questions/{item['id']}/" for item in _answer(f"{split}questions/")[:MOST_ITEMS]]
    yield "benchmarks/{benchmark}/splits/{split}/questions/{qid}/", questions
    yield "benchmarks/{benchmark}/splits/{split}/questions/{qid}/answers/", [f"{it}answers/" for it in questions]
    for kind, key in (("systems", "slug"), ("submissions", "id"), ("studies", "slug")):
        addresses = [f"{kind}/{item[key]}/" for item in _answer(f"{kind}/")[:MOST_ITEMS]]
        yield f"{kind}/{{{key}}}/", addresses
        if kind == "systems":
            yield f"{kind}/{{{key}}}/scores/", [f"{address}scores/" for address in addresses]


def _answer(path: str) -> Any:
    if path.startswith("studies/"):
        return json.loads(content_of(BASE + path, "grace"))
    return json.loads(content_of(BASE + path, headers={"Authorization": f"Bearer {SITE['token']}"}))
