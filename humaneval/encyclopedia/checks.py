"""What ``manage.py check --deploy`` finds wrong with what studies need."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Info, Warning, register  # noqa: A004 - Django's name

from humaneval.encyclopedia import EncyclopediaNotConfiguredError, encyclopedia_at
from humaneval.encyclopedia.sources.zim import ZimEncyclopedia


@register(deploy=True)
def encyclopedia(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """Whether the site's encyclopedia can be opened, if it has one. Servers are not asked."""
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
