from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def clear(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Remove stored intervals, which were too narrow for rare results and few people; the sweep computes them again."""
    del schema_editor
    apps.get_model("scoring", "Score").objects.exclude(low=None).update(low=None, high=None)


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0016_judge_rules_and_audits"),
    ]

    operations = [migrations.RunPython(clear, migrations.RunPython.noop)]
