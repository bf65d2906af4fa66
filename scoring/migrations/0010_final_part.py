"""Adds when a split opens and closes, and the part of a hidden split that is kept for the end."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("scoring", "0009_pass_at_approved")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="split",
            name="opens",
            field=models.DateTimeField(null=True, editable=False, help_text="Files that arrive before are refused."),
        ),
        migrations.AddField(
            model_name="split",
            name="closes",
            field=models.DateTimeField(
                null=True, editable=False, help_text="Files that arrive from then on are refused."
            ),
        ),
        migrations.AddField(
            model_name="split",
            name="final",
            field=models.FloatField(
                null=True, editable=False, help_text="The share of its questions that is kept for the end."
            ),
        ),
        migrations.AddField(
            model_name="split",
            name="final_shown_at",
            field=models.DateTimeField(
                null=True, editable=False, help_text="Since when boards rank by the part that was kept for the end."
            ),
        ),
        migrations.AddField(
            model_name="split",
            name="part",
            field=models.CharField(
                max_length=6,
                choices=[("public", "Public part"), ("final", "Final part")],
                blank=True,
                default="",
                db_default="",
                editable=False,
                help_text="Which part of its split this is, if the site drew it. Its questions are told to nobody.",
            ),
        ),
    ]
