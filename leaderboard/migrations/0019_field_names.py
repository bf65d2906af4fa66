"""Names of models and columns. Tables keep their names; nothing but names changes."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def rename_permissions(apps: Apps, old: str, new: str, words: tuple[str, str]) -> None:
    """Rename a model's permissions, so that groups and accounts that have them keep them."""
    for permission in apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label="leaderboard", codename__endswith=f"_{old}"
    ):
        permission.codename = permission.codename.replace(f"_{old}", f"_{new}")
        permission.name = permission.name.replace(*words)
        permission.save(update_fields=["codename", "name"])


def forwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Rename permissions."""
    del schema_editor
    rename_permissions(apps, "boardstate", "boardsnapshot", ("board state", "board snapshot"))
    rename_permissions(apps, "oddity", "anomaly", ("oddity", "anomaly"))


def backwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Rename permissions."""
    del schema_editor
    rename_permissions(apps, "boardsnapshot", "boardstate", ("board snapshot", "board state"))
    rename_permissions(apps, "anomaly", "oddity", ("anomaly", "oddity"))


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0018_receipt_commitments"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.AlterModelTable(name="BoardState", table="leaderboard_boardstate"),
        migrations.RenameModel("BoardState", "BoardSnapshot"),
        migrations.AlterModelTable(name="Oddity", table="leaderboard_oddity"),
        migrations.RenameModel("Oddity", "Anomaly"),
        migrations.AlterModelOptions(
            "anomaly", options={"ordering": ["file", "code"], "verbose_name_plural": "anomalies"}
        ),
        migrations.AlterField(
            model_name="anomaly",
            name="file",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="anomalies", to="leaderboard.submissionfile"
            ),
        ),
        migrations.RenameField("submissionfile", "looked_at", "anomalies_checked_at"),
        migrations.RenameField("boarddocument", "state", "snapshot"),
        migrations.RenameField("boarddocument", "state_fingerprint", "snapshot_fingerprint"),
        migrations.RenameField("boardstatistics", "basis", "fingerprint"),
        migrations.RenameField("system", "became", "revealed_as"),
        migrations.RunPython(forwards, backwards),
    ]
