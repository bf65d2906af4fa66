from django.db import migrations, models


class Migration(migrations.Migration):
    """Replaced files are found by index."""

    dependencies = [("leaderboard", "0056_index_of_withdrawn_submissions")]

    operations = [
        migrations.AddIndex(
            model_name="submissionfile",
            index=models.Index(
                condition=models.Q(("replaced_at__isnull", False)),
                fields=["answer_set"],
                name="submissionfile_replaced",
            ),
        )
    ]
