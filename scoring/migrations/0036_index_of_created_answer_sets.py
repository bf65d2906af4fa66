from django.db import migrations, models


class Migration(migrations.Migration):
    """The newest answer sets are found by index."""

    dependencies = [("scoring", "0035_index_of_created_runs")]

    operations = [
        migrations.AddIndex(
            model_name="answerset",
            index=models.Index(fields=["created_at"], name="answerset_created"),
        )
    ]
