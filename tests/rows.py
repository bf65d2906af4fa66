"""Rows that many tests begin with: made once in each process by the product's services, then inserted as they are.

Each test begins with an empty database, and what it needs there often takes longer to make than the test itself.
"""

import copy
from collections.abc import Callable, Hashable

from django.apps import apps
from django.db import connection, transaction
from django.db.models import Model

from scoring.models import Benchmark
from tests.flushing import LEFT

_known: dict[Hashable, dict[type[Model], list[Model]]] = {}


def remembered(key: Hashable, make: Callable[[], object]) -> None:
    """Have the rows that *make* adds to a database that has no benchmark: by calling it, or from an earlier call.

    Args:
        key: names what is made, in all tests.
        make: adds rows, and changes none that were there. What it does besides (files, caches) is done once.
    """
    key = connection.vendor, key
    if Benchmark.objects.exists():
        make()
    elif key in _known:
        with transaction.atomic():  # foreign keys are checked at its end
            for model, rows in _known[key].items():
                model._default_manager.bulk_create([copy.copy(row) for row in rows])
    else:
        before = _rows()
        make()
        added = {model: [row for row in rows if row not in before[model]] for model, rows in _rows().items()}
        _known[key] = {model: rows for model, rows in added.items() if rows}


def _rows() -> dict[type[Model], list[Model]]:
    models = [model for model in apps.get_models(include_auto_created=True) if model._meta.db_table not in LEFT]
    return {model: list(model._base_manager.order_by("pk")) for model in models if model._meta.managed}
