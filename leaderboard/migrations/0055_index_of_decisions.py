from django.db import migrations, models


class Migration(migrations.Migration):
    """The newest decisions are found by index."""

    dependencies = [("leaderboard", "0054_index_of_newest_entries")]

    operations = [
        migrations.AddIndex(
            model_name="publication",
            index=models.Index(
                condition=models.Q(("decided_by__isnull", False)),
                fields=["-decided_at", "submission"],
                name="publication_decided",
            ),
        )
    ]
