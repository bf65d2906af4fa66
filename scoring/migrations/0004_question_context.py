"""Adds to questions what they are about: texts, tables and options."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("scoring", "0003_clocks_of_workers")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="question",
            name="context",
            field=models.JSONField(
                null=True,
                blank=True,
                help_text="What it is about: a list of texts, of tables as lists of rows, and of options by their labels.",
            ),
        ),
    ]
