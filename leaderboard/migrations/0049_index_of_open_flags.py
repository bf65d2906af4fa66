from django.db import migrations, models


class Migration(migrations.Migration):
    """Flags that nobody decided about are found by index."""

    dependencies = [("leaderboard", "0048_index_of_joining")]

    operations = [
        migrations.AddIndex(
            model_name="anomaly",
            index=models.Index(condition=models.Q(("decision", "")), fields=["file"], name="anomaly_open"),
        )
    ]
