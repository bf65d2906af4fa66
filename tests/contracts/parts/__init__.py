"""The parts of the contract, by the names of their baselines.

Each module collects one part from the present code, as a value that can be written as JSON.
"""

from collections.abc import Callable
from typing import Any, Final

from tests.contracts.parts import (
    api_answers,
    commands,
    environment,
    exports,
    openapi,
    prometheus,
    queues,
    scoring_output,
    signatures,
    tables,
    urls,
)

PARTS: Final[dict[str, Callable[[], Any]]] = {
    "openapi": openapi.collect,
    "urls": urls.collect,
    "commands": commands.collect,
    "environment": environment.collect,
    "queues": queues.collect,
    "signatures": signatures.collect,
    "scoring_output": scoring_output.collect,
    "tables": tables.collect,
}
"""Parts that need the code alone."""
SITE_PARTS: Final[dict[str, Callable[[], Any]]] = {
    "exports": exports.collect,
    "api_answers": api_answers.collect,
    "prometheus": prometheus.collect,
}
"""Parts that need a site with data: that of version 0.7.0, upgraded (`tests.upgrade.site`)."""
