from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def take_off(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Take judge's scores that were corrected before 0.5 off the boards: questions without an answer lifted them."""
    del schema_editor
    apps.get_model("leaderboard", "CorrectedScore").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0013_text_size_of_files"),
    ]

    operations = [migrations.RunPython(take_off, migrations.RunPython.noop)]
