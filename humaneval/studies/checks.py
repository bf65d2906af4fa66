"""Check of ``manage.py check`` for the site's own names of models."""

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Error, register

from humaneval.studies.model_names import NamesError, model_names


@register()
def names_of_models(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check that the file of ``MODEL_NAMES``, if there is one, can be read."""
    del app_configs, kwargs
    try:
        model_names()
    except NamesError as error:
        return [Error(f"MODEL_NAMES: {error}", hint="See docs/grading.md, Masks.", id="humaneval.E001")]
    return []
