from django.db import migrations, models


class Migration(migrations.Migration):
    """The newest rows of all boards are found by index."""

    dependencies = [("leaderboard", "0057_index_of_replaced_files")]

    operations = [
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                condition=models.Q(("replaced_at", None), ("retracted_at", None)),
                fields=["-published_at", "-id"],
                name="newest_entry",
            ),
        )
    ]
