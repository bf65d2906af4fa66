from django.db import migrations, models


class Migration(migrations.Migration):
    """The files of a week are found by index."""

    dependencies = [("leaderboard", "0049_index_of_open_flags")]

    operations = [
        migrations.AddIndex(
            model_name="submissionfile",
            index=models.Index(fields=["sent_at"], name="submissionfile_sent"),
        )
    ]
