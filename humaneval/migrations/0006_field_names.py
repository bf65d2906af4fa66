"""Names of models and columns. nothing but names changes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("humaneval", "0005_plain_field_texts"),
    ]

    operations = [
        migrations.RenameField("answerrevision", "key", "client_revision_id"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint("answerrevision", "answer_key_unique"),
                migrations.AddConstraint(
                    "answerrevision",
                    models.UniqueConstraint(fields=["assignment", "client_revision_id"], name="answer_key_unique"),
                ),
            ],
        ),
    ]
