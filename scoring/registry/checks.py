"""A check of ``manage.py check``, and of all commands: the metrics and task types of installed packages."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Warning, register  # noqa: A004 - Django's name

from scoring.task_types import installed


@register()
def packages(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Name each entry point that is left out. A warning, not an error: the rest of the site works."""
    del app_configs, kwargs
    hint = "Correct or remove the package. See docs/plugins.md."
    return [Warning(problem, hint=hint, id="scoring.W001") for problem in installed().problems]
