"""Adds the language of a question."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("scoring", "0005_split_phase")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="question",
            name="language",
            field=models.CharField(
                max_length=35, blank=True, default="", db_default="", help_text="The code of its language, such as de."
            ),
        ),
    ]
