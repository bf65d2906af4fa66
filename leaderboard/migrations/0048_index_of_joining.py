from django.db import migrations, models


class Migration(migrations.Migration):
    """Publications that join a board are found by index."""

    dependencies = [("leaderboard", "0047_index_of_boards")]

    operations = [
        migrations.AddIndex(
            model_name="publication",
            index=models.Index(
                condition=models.Q(("state", "joining")), fields=["submission"], name="publication_joining"
            ),
        )
    ]
