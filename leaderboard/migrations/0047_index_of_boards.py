from django.db import migrations, models


class Migration(migrations.Migration):
    """The boards with entries are found by index."""

    dependencies = [("leaderboard", "0046_keys_of_names")]

    operations = [
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(
                condition=models.Q(("replaced_at", None)), fields=["split", "setting", "published_at"], name="entry_of_board"
            ),
        )
    ]
