"""What a competition did not show stays withheld until a maintainer releases it."""

from typing import Any

from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from scoring.benchmarks import UnknownBenchmarkError, definition_of
from scoring.benchmarks.names import parts_of


def name_withheld_scores(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Name the scores that were not better, by the step, than the best that their team was shown before."""
    splits = apps.get_model("scoring", "Split").objects
    for split in splits.filter(hidden=True, rounding_step__isnull=False).select_related("benchmark"):
        split.withheld_scores = _not_better(apps, split) or None
        split.save(update_fields=["withheld_scores"])


def _not_better(apps: Apps, split: Any) -> list[tuple[int, str]]:
    held = apps.get_model("leaderboard", "Anomaly").objects.filter(
        code__in=("many_names", "long_answers", "repeated_entries")
    )
    file = "run__answer_set__submission_file"
    rows = (
        apps.get_model("scoring", "Score")
        .objects.filter(**{f"{file}__submission__split": split, "run__state": "done", "run__counts": True})
        .exclude(**{f"{file}__in": held.exclude(decision="dismissed").values("file")})
        .order_by("created_at", "pk")
        .values_list(
            *("value", "n_answered", "n_items", f"{file}__pk", "name", "signature", "run__answer_set__setting"),
            *(f"{file}__submission__team", f"{file}__submission__owner"),
        )
    )
    best: dict[tuple[Any, ...], float] = {}
    worse = []
    for value, n_answered, n_items, file_key, name, *kind, team, owner in rows:
        if n_answered < settings.MIN_ANSWERED_SHARE * n_items:
            continue  # not shown for another reason
        key = (name, *kind, "team", team) if team is not None else (name, *kind, "person", owner)
        sign, step = _direction_and_step(split, name)
        if key in best and sign * (value - best[key]) <= step:
            worse.append((file_key, name))
        else:
            best[key] = round(value / step) * step
    return worse


def _direction_and_step(split: Any, name: str) -> tuple[int, float]:
    """Whether more is better (1) or less (-1), and the step in the unit of the score."""
    try:
        column = definition_of(split.benchmark.slug).column(parts_of(name)[0])
    except UnknownBenchmarkError:  # nothing of it is shown at present
        return 0, split.rounding_step
    return column.sign, split.rounding_step * column.scale


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0059_metrics"),
        ("scoring", "0040_studies"),
    ]

    operations = [
        migrations.RunPython(name_withheld_scores, migrations.RunPython.noop),
    ]
