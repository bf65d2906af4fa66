from django.db import migrations, models


class Migration(migrations.Migration):
    """The newest runs are found by index."""

    dependencies = [("scoring", "0034_answers_to_blocks")]

    operations = [
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["created_at"], name="run_created"),
        )
    ]
