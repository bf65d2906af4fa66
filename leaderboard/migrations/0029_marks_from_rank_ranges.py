from django.db import migrations, models


class Migration(migrations.Migration):
    """The defaults let the columns be added again where a migration is undone; workers then compute them."""

    dependencies = [("leaderboard", "0028_system_not_merged_into_itself")]

    operations = [
        migrations.AlterField("standing", "best", models.BooleanField(default=False)),
        migrations.AlterField("standing", "marked", models.BooleanField(default=False)),
        migrations.RemoveField("standing", "best"),
        migrations.RemoveField("standing", "marked"),
        migrations.AlterField(
            model_name="standing",
            name="p_value",
            field=models.FloatField(
                help_text="Smallest p-value of the differences from better systems, corrected for all pairs of systems."
            ),
        ),
    ]
