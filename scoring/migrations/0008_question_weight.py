"""Adds what a question counts in scores, and what the items of a score count in its value."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("scoring", "0007_attempts")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="question",
            name="weight",
            field=models.FloatField(null=True, blank=True, help_text="What it counts in scores; empty for 1."),
        ),
        migrations.AddField(
            model_name="score",
            name="weights",
            field=models.BinaryField(
                null=True,
                help_text="What each item counts in the value, if not all count alike; 0 if it does not count.",
            ),
        ),
    ]
