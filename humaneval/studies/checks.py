"""Checks of ``manage.py check`` for the site's own names of models, and with ``--deploy`` for the encyclopedia."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Warning, register  # noqa: A004 - Django's name

from humaneval.encyclopedia.base import EncyclopediaNotConfiguredError
from humaneval.encyclopedia.sources.urls import encyclopedia_at
from humaneval.encyclopedia.sources.zim import ZimEncyclopedia
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


@register(deploy=True)
def encyclopedia(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check that the site's encyclopedia, if configured, can be opened. Servers are not contacted."""
    del app_configs, kwargs
    if not settings.ENCYCLOPEDIA:
        return []
    try:
        source = encyclopedia_at()
    except EncyclopediaNotConfiguredError as error:
        return [Warning(str(error), hint="See docs/encyclopedia.md.", id="humaneval.W001")]
    if isinstance(source, ZimEncyclopedia) and not source.has_full_text_index:
        return [
            Info(
                "The ZIM file of the encyclopedia has no full-text index, so searches cover titles only.",
                hint="Kiwix files with “maxi” or “nopic” in their names have a full-text index.",
                id="humaneval.I001",
            )
        ]
    return []
