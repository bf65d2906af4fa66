"""The check vectors of other benchmarks' official scorers, which are beside the checkout where somebody has them."""

import json
from typing import Any

from tests.real_data import files


def vectors(benchmark: str, kind: str) -> list[dict[str, Any]]:
    """The vectors of one kind; none where the data is not there."""
    return [
        vector
        for path in files(f"benchmarks/{benchmark}/vectors.json")
        for vector in json.loads(path.read_text(encoding="utf-8"))["vectors"]
        if vector["kind"] == kind
    ]
