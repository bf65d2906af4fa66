"""Splits keep the step of a competition as rounding, and name the scores that a maintainer has not released."""

import django.core.validators
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def name_steps(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Write down the step that a competition had without one, and none where it was off."""
    splits = apps.get_model("scoring", "Split").objects
    splits.filter(competition=True, ladder_step=None).update(ladder_step=0.01)
    splits.filter(ladder_step=0).update(ladder_step=None)


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0039_metrics"),
    ]

    operations = [
        migrations.RunPython(name_steps, migrations.RunPython.noop),
        migrations.RemoveField(model_name="split", name="competition"),
        migrations.RenameField(model_name="split", old_name="ladder_step", new_name="rounding_step"),
        migrations.AlterField(
            model_name="split",
            name="rounding_step",
            field=models.FloatField(
                blank=True,
                help_text="Of a hidden split: shown scores are rounded to it. Empty: to three digits.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(0.0001),
                    django.core.validators.MaxValueValidator(1.0),
                ],
            ),
        ),
        migrations.AddField(
            model_name="split",
            name="withheld_scores",
            field=models.JSONField(
                blank=True,
                help_text="Scores that are not shown, of a competition before version 0.8.0: a list of pairs, the key of a "
                "submission's file and the score's name. Remove a pair to show its score.",
                null=True,
            ),
        ),
    ]
