"""Adds planned sampling, and the time after which a seat is given to the next person."""

from typing import ClassVar

from django.core.validators import MinValueValidator
from django.db import migrations, models

import humaneval.models.studies


class Migration(migrations.Migration):
    dependencies: ClassVar = [("humaneval", "0002_version_0_8_0")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="study",
            name="release_hours",
            field=models.PositiveSmallIntegerField(
                "released after",
                null=True,
                blank=True,
                validators=[MinValueValidator(1)],
                help_text="Hours without activity after which the seat of a participant who has not finished is given "
                "to the next person; leave empty to release none.",
            ),
        ),
        migrations.AlterField(
            model_name="study",
            name="answers_per_question",
            field=models.PositiveIntegerField(
                default=1,
                validators=[MinValueValidator(1)],
                help_text="Target number of answers per question, for balanced and planned sampling.",
            ),
        ),
        migrations.AlterField(
            model_name="study",
            name="drawing",
            field=models.CharField(
                max_length=12,
                choices=[
                    ("random", "Random, without repeats for a participant"),
                    ("balanced", "Balanced: each question reaches the target number of answers before any exceeds it"),
                    ("stratified", "Stratified: random within categories, in proportion to the split"),
                    ("fixed", "Fixed list, the same for every participant"),
                    (
                        "planned",
                        "Planned: each question, of a list or of the split, gets exactly the target number of answers",
                    ),
                ],
                default="random",
            ),
        ),
        migrations.AlterField(
            model_name="study",
            name="question_ids",
            field=models.JSONField(
                default=list,
                blank=True,
                validators=[humaneval.models.studies._require_texts],
                help_text="Question IDs, for a fixed list, or of a plan.",
            ),
        ),
    ]
