from django.db import migrations, models


class Migration(migrations.Migration):
    """Systems get keys of their names."""

    dependencies = [("leaderboard", "0043_received_uploads")]

    operations = [
        migrations.AddField(
            model_name="system",
            name="name_skeleton",
            field=models.CharField(
                editable=False,
                help_text="What the name looks like: names that look alike have the same.",
                max_length=200,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="system",
            name="name_family",
            field=models.CharField(
                editable=False,
                help_text="The same without words for a model's tuning, such as Chat.",
                max_length=200,
                null=True,
            ),
        ),
        migrations.AddIndex(
            model_name="system",
            index=models.Index(
                fields=["name_skeleton", "owner", "team"],
                name="system_name_skeleton",
                opclasses=["varchar_pattern_ops", "int8_ops", "int8_ops"],
            ),
        ),
        migrations.AddIndex(
            model_name="system",
            index=models.Index(fields=["name_family"], name="system_name_family"),
        ),
        migrations.AddIndex(model_name="system", index=models.Index(fields=["name"], name="system_name")),
    ]
