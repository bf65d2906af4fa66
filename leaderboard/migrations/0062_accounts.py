from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from leaderboard.models.names import SkeletonField, skeleton

AT_ONCE = 1000


def compute(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Compute the keys of all names."""
    del schema_editor
    for model, of, key in (
        ("User", "username", "username_skeleton"),
        ("System", "name", "name_skeleton"),
        ("Submission", "name", "name_skeleton"),
    ):
        rows = apps.get_model("leaderboard", model).objects
        some = []
        for row in rows.only("pk", of).iterator(chunk_size=AT_ONCE):
            setattr(row, key, skeleton(getattr(row, of)))
            some.append(row)
        rows.bulk_update(some, [key], batch_size=AT_ONCE)


def convert_flags(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Delete dismissed flags and those that are no longer found, and rename the others."""
    del schema_editor
    flags = apps.get_model("leaderboard", "Anomaly").objects
    flags.filter(decision="dismissed").delete()
    flags.filter(code__in=["copied", "addresses_judge", "long", "like_references", "references_in_log"]).delete()
    flags.filter(code="identical_file").update(code="same_file")
    flags.filter(code="copy").update(code="same_answers")


class Migration(migrations.Migration):
    """Device logins go; names have one key, also those of accounts; a flag is open or confirmed."""

    dependencies = [("leaderboard", "0061_judge")]

    operations = [
        migrations.DeleteModel(name="DeviceLogin"),
        migrations.RemoveIndex(model_name="submission", name="submission_name_skeleton"),
        migrations.RemoveIndex(model_name="submission", name="submission_name_unchecked"),
        migrations.RemoveIndex(model_name="system", name="system_name_skeleton"),
        migrations.RemoveIndex(model_name="system", name="system_name_unchecked"),
        migrations.RemoveIndex(model_name="system", name="system_name_family"),
        migrations.RemoveField(model_name="submission", name="name_checked"),
        migrations.RemoveField(model_name="submission", name="name_dismissed_at"),
        migrations.RemoveField(model_name="submissionfile", name="log_references"),
        migrations.RemoveField(model_name="system", name="name_checked"),
        migrations.RemoveField(model_name="system", name="name_family"),
        migrations.AddField(
            model_name="user",
            name="username_skeleton",
            field=SkeletonField("username", db_index=True, default="", editable=False, max_length=200),
            preserve_default=False,
        ),
        migrations.RunPython(compute, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="submission",
            name="name_skeleton",
            field=SkeletonField("name", db_index=True, editable=False, max_length=200),
        ),
        migrations.AlterField(
            model_name="system",
            name="name_skeleton",
            field=SkeletonField("name", db_index=True, editable=False, max_length=200),
        ),
        migrations.RunPython(convert_flags, migrations.RunPython.noop),
        migrations.RemoveIndex(model_name="anomaly", name="anomaly_open"),
        migrations.RemoveField(model_name="anomaly", name="decision"),
        migrations.AlterField(
            model_name="anomaly",
            name="code",
            field=models.CharField(
                help_text="same_file, same_answers, repeated_answer, or a sign of probing.", max_length=40
            ),
        ),
        migrations.AlterField(
            model_name="anomaly",
            name="reason",
            field=models.TextField(
                blank=True,
                help_text="Why a maintainer confirmed it, as the submitter sees it; dismissed flags are deleted.",
            ),
        ),
        migrations.AddIndex(
            model_name="anomaly",
            index=models.Index(condition=models.Q(("reason", "")), fields=["file"], name="anomaly_open"),
        ),
    ]
