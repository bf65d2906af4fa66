"""Adds to heartbeats by how much the worker's clock differs from the database's."""

from typing import ClassVar

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("scoring", "0002_version_0_8_0")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="workerheartbeat",
            name="clock_ahead",
            field=models.FloatField(
                null=True,
                help_text="By how many seconds the worker's clock is ahead of the database's; empty if unknown.",
            ),
        ),
        migrations.AlterField(
            model_name="workerheartbeat",
            name="seen_at",
            field=models.DateTimeField(default=django.utils.timezone.now, help_text="By the database's clock."),
        ),
    ]
