import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0032_worker_version"),
    ]

    operations = [
        migrations.CreateModel(
            name="AnswerBlock",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "number",
                    models.PositiveIntegerField(help_text="1, and the first bits of the hashes of the questions' ids."),
                ),
                (
                    "content",
                    models.BinaryField(
                        help_text="Texts by the ids of their questions: JSON, compressed by Zstandard."
                    ),
                ),
                (
                    "answer_set",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to="scoring.answerset",
                    ),
                ),
            ],
            options={
                "ordering": ["answer_set", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("answer_set", "number"), name="block_unique_in_set")
                ],
            },
        ),
    ]
