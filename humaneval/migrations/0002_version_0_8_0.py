"""What version 0.8.0 changes in the tables of 0.7.0.

Votes of the public, saved passages and notes on articles stay in the database until 0.9.0, outside Django's state and
without foreign keys to tables that are in use.
"""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q
from django.utils import timezone


def close_public_studies(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Close the open studies that anybody could vote in, or has voted in: their pairs and choices stay."""
    now = timezone.now()
    studies = apps.get_model("humaneval", "Study").objects
    still_open = Q(opens_at__lte=now) & (Q(closes_at=None) | Q(closes_at__gt=now))
    studies.filter(still_open, public_from__isnull=False).update(closes_at=now)


def leave_kiwix(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Give studies that read a kiwix-serve the site's encyclopedia, and say so in their logs."""
    events = apps.get_model("humaneval", "StudyEvent").objects
    for study in apps.get_model("humaneval", "Study").objects.filter(encyclopedia__startswith="kiwix:"):
        text = f"A kiwix-serve is no source any more: the site's encyclopedia instead of {study.encyclopedia}"
        events.create(study=study, text=text[:400])
        study.encyclopedia = ""
        study.save(update_fields=["encyclopedia"])


class Migration(migrations.Migration):
    dependencies = [
        ("humaneval", "0001_version_0_7_0"),
    ]

    operations = [
        migrations.RunPython(close_public_studies, migrations.RunPython.noop),
        migrations.RemoveField(model_name="study", name="public_from"),
        migrations.AlterField(
            model_name="study",
            name="encyclopedia",
            field=models.CharField(
                blank=True,
                help_text="zim:/path or mediawiki:https://…. Leave empty to use the site's encyclopedia.",
                max_length=500,
            ),
        ),
        # Rows of these tables may outlive what they refer to.
        migrations.AlterField(
            model_name="publicvote",
            name="item",
            field=models.ForeignKey(db_constraint=False, on_delete=models.CASCADE, to="humaneval.studyitem"),
        ),
        migrations.AlterField(
            model_name="openpair",
            name="item",
            field=models.ForeignKey(db_constraint=False, on_delete=models.CASCADE, to="humaneval.studyitem"),
        ),
        migrations.AlterField(
            model_name="openpair",
            name="study",
            field=models.ForeignKey(db_constraint=False, on_delete=models.CASCADE, to="humaneval.study"),
        ),
        migrations.AlterField(
            model_name="savedpassage",
            name="assignment",
            field=models.ForeignKey(db_constraint=False, on_delete=models.CASCADE, to="humaneval.assignment"),
        ),
        # New visits have no note; those of before stay in the column.
        migrations.AlterField(model_name="visit", name="note", field=models.TextField(blank=True, db_default="")),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField(model_name="visit", name="note"),
                migrations.DeleteModel(name="SavedPassage"),
                migrations.DeleteModel(name="PublicVote"),
                migrations.DeleteModel(name="OpenPair"),
            ]
        ),
        # Last, because PostgreSQL alters no table that has new references to check.
        migrations.RunPython(leave_kiwix, migrations.RunPython.noop),
    ]
