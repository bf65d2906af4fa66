from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def mark(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Mark receipts that were issued while they still named files. In what somebody typed, quotes are escaped."""
    del schema_editor
    receipts = apps.get_model("leaderboard", "Receipt").objects
    receipts.filter(statement_json__contains='"filename":').update(names_files=True)


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0011_no_length_without_others"),
    ]

    operations = [
        migrations.AddField(
            model_name="receipt",
            name="names_files",
            field=models.BooleanField(
                default=False,
                help_text="It tells how files were called: shown to nobody but who may see the submission.",
            ),
        ),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
