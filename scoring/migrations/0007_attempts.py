"""Adds several attempts at each question: their number, and the value of each."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("scoring", "0006_question_language")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="answerset",
            name="n_attempts",
            field=models.PositiveSmallIntegerField(
                default=1,
                db_default=1,
                help_text="How often each question was answered; an attempt may have no answer.",
            ),
        ),
        migrations.AddField(
            model_name="score",
            name="attempts",
            field=models.BinaryField(
                null=True, help_text="The value of each attempt at each question, if there are several."
            ),
        ),
    ]
