from django.db import migrations, models


class Migration(migrations.Migration):
    """Submissions get keys of their names."""

    dependencies = [("leaderboard", "0044_keys_of_system_names")]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="name_skeleton",
            field=models.CharField(
                editable=False,
                help_text="What the name looks like: names that look alike have the same.",
                max_length=200,
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="submission",
            index=models.Index(
                fields=["name_skeleton", "owner", "team"],
                name="submission_name_skeleton",
                opclasses=["varchar_pattern_ops", "int8_ops", "int8_ops"],
            ),
        ),
        migrations.AddIndex(
            model_name="submission", index=models.Index(fields=["created_at"], name="submission_created")
        ),
    ]
