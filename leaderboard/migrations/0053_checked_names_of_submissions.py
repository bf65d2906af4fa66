from django.db import migrations, models


class Migration(migrations.Migration):
    """Submissions whose names were not compared with others' yet are found by index."""

    dependencies = [("leaderboard", "0052_checked_names_of_systems")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="name_checked",
            field=models.BooleanField(
                db_default=False,
                default=False,
                editable=False,
                help_text="Whether a worker has compared the name with others' since it was saved "
                "(leaderboard.publishing.names).",
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("name_checked", False), ("name_dismissed_at", None)),
                fields=["name_skeleton"],
                name="submission_name_unchecked",
            ),
        ),
    ]
