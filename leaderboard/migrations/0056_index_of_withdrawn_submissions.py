from django.db import migrations, models


class Migration(migrations.Migration):
    """Withdrawn submissions are found by index."""

    dependencies = [("leaderboard", "0055_index_of_decisions")]

    operations = [
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("withdrawn_at__isnull", False)),
                fields=["split"],
                name="submission_withdrawn",
            ),
        )
    ]
