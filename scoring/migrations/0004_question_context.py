"""Adds to questions the texts and tables that they are about."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("scoring", "0003_clocks_of_workers")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="question",
            name="context",
            field=models.JSONField(
                null=True, blank=True, help_text="What it is about: a list of texts, and of tables as lists of rows."
            ),
        ),
    ]
