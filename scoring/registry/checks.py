"""Checks of ``manage.py check``, and of all commands: what this site leaves out because it cannot be read."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Warning, register  # noqa: A004 - Django's name

from scoring.benchmarks import unreadable_packages
from scoring.task_types import installed


@register()
def packages(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Name each entry point that is left out. A warning, not an error: the rest of the site works."""
    del app_configs, kwargs
    hint = "Correct or remove the package. See docs/plugins.md."
    return [Warning(problem, hint=hint, id="scoring.W001") for problem in installed().problems]


@register()
def benchmarks(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Name each benchmark of the software that cannot be read; ``manage.py healthcheck`` names the imported ones."""
    del app_configs, kwargs
    hint = "Correct its folder in scoring/benchmarks/, or the metric that it names. The other benchmarks are shown."
    return [
        Warning(f"The benchmark {name} cannot be read and is not shown: {error}", hint=hint, id="scoring.W002")
        for name, error in unreadable_packages().items()
    ]
