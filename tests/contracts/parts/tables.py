"""The names of the database tables, which backups and queries by hand use."""

from typing import Any

from django.apps import apps


def collect() -> dict[str, Any]:
    """The table of each model."""
    return {
        model._meta.label_lower: model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy
    }
