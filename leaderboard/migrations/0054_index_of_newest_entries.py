from django.db import migrations, models


class Migration(migrations.Migration):
    """The newest rows of submissions are found by index."""

    dependencies = [("leaderboard", "0053_checked_names_of_submissions")]

    operations = [
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                condition=models.Q(("replaced_at", None), ("submission__isnull", False)),
                fields=["-published_at", "submission"],
                name="entry_of_submission",
            ),
        )
    ]
