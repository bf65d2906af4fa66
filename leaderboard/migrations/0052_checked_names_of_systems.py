from django.db import migrations, models


class Migration(migrations.Migration):
    """Systems whose names were not compared with others' yet are found by index."""

    dependencies = [("leaderboard", "0051_board_times")]

    operations = [
        migrations.AddField(
            model_name="system",
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
            model_name="system",
            index=models.Index(
                condition=models.Q(("name_checked", False)),
                fields=["name_skeleton"],
                name="system_name_unchecked",
            ),
        ),
    ]
