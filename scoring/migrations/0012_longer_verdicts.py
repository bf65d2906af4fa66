from django.db import migrations, models


class Migration(migrations.Migration):
    """Room for the verdicts of reports, which have two numbers for each dimension."""

    dependencies = [("scoring", "0011_pictures")]

    operations = [
        migrations.AlterField(
            model_name="verdict",
            name="letter",
            field=models.CharField(
                blank=True,
                help_text="The verdict: a letter from A to F, or of a list its counts (scoring.metrics.judge.lists).",
                max_length=400,
            ),
        ),
    ]
