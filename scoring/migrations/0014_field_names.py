"""Names of models and columns. Tables keep their names; nothing but names changes."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def rename_permissions(apps: Apps, old: str, new: str, words: tuple[str, str]) -> None:
    """Rename a model's permissions, so that groups and accounts that have them keep them."""
    for permission in apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label="scoring", codename__endswith=f"_{old}"
    ):
        permission.codename = permission.codename.replace(f"_{old}", f"_{new}")
        permission.name = permission.name.replace(*words)
        permission.save(update_fields=["codename", "name"])


def forwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Rename permissions."""
    del schema_editor
    rename_permissions(apps, "workersighting", "workerheartbeat", ("worker sighting", "worker heartbeat"))


def backwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Rename permissions."""
    del schema_editor
    rename_permissions(apps, "workerheartbeat", "workersighting", ("worker heartbeat", "worker sighting"))


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0013_ladder"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.AlterModelTable(name="WorkerSighting", table="scoring_workersighting"),
        migrations.RenameModel("WorkerSighting", "WorkerHeartbeat"),
        migrations.RenameField("run", "waits", "n_deferrals"),
        migrations.RenameField("run", "asked_since", "retry_requested_at"),
        migrations.RenameField("answerset", "handed_in", "submission_group"),
        migrations.RunPython(forwards, backwards),
    ]
