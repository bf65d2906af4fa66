"""Answers were called much longer than usual where nobody had said what is usual: such findings go."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def forget(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Delete them; what they were found in was looked through and stays so."""
    del schema_editor
    apps.get_model("leaderboard", "Oddity").objects.filter(code="long", details__facts__usual=0).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0010_corrected_score"),
    ]

    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
