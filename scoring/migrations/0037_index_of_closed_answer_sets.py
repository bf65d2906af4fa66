from django.db import migrations, models


class Migration(migrations.Migration):
    """Closed answer sets are found by index."""

    dependencies = [("scoring", "0036_index_of_created_answer_sets")]

    operations = [
        migrations.AddIndex(
            model_name="answerset",
            index=models.Index(
                condition=models.Q(("closed_at__isnull", False)),
                fields=["split"],
                name="answerset_closed",
            ),
        )
    ]
