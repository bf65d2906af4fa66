from django.db import migrations, models

from leaderboard.models import names


class Migration(migrations.Migration):
    """Submissions get keys of their names."""

    dependencies = [("leaderboard", "0044_keys_of_system_names")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="name_skeleton",
            field=names.NameKeyField(
                names.skeleton,
                editable=False,
                help_text="What the name looks like: names that look alike have the same.",
                max_length=200,
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("name_dismissed_at", None), ("withdrawn_at", None)),
                fields=["name_skeleton", "owner", "team"],
                name="submission_name_skeleton",
            ),
        ),
        migrations.AddIndex(
            model_name="submission", index=models.Index(fields=["created_at"], name="submission_created")
        ),
    ]
