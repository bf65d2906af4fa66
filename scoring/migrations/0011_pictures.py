"""Adds the pictures that questions are about."""

from typing import ClassVar

import django.utils.timezone
from django.db import migrations, models

import scoring.models.pictures


class Migration(migrations.Migration):
    dependencies: ClassVar = [("scoring", "0010_final_part")]

    operations: ClassVar = [
        migrations.CreateModel(
            name="Picture",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("type", models.CharField(help_text="Its media type.", max_length=20)),
                ("file", models.FileField(upload_to=scoring.models.pictures.picture_path)),
                ("added_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "splits",
                    models.ManyToManyField(
                        help_text="Those with a question about it: who sees one of them sees it.",
                        related_name="pictures",
                        to="scoring.split",
                    ),
                ),
            ],
            options={"ordering": ["sha256"]},
        ),
        migrations.AlterField(
            model_name="question",
            name="context",
            field=models.JSONField(
                blank=True,
                help_text=(
                    "What it is about: a list of texts, of tables as lists of rows, of pictures by their SHA-256, and of "
                    "options by their labels."
                ),
                null=True,
            ),
        ),
    ]
