import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0012_longer_verdicts"),
    ]

    operations = [
        migrations.CreateModel(
            name="CitationBlock",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "number",
                    models.PositiveIntegerField(help_text="1, and the first bits of the hashes of the questions' ids."),
                ),
                (
                    "content",
                    models.BinaryField(
                        help_text="Citations by the ids of their questions: JSON, compressed by Zstandard."
                    ),
                ),
                (
                    "answer_set",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="citation_blocks",
                        to="scoring.answerset",
                    ),
                ),
            ],
            options={
                "ordering": ["answer_set", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("answer_set", "number"), name="citations_unique_in_set")
                ],
            },
        ),
    ]
