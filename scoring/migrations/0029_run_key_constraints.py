from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0028_run_key_data"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="currentsignature",
            constraint=models.UniqueConstraint(
                fields=("split", "metric", "subset"), name="one_current_signature_per_split_and_metric"
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                condition=models.Q(("opponent", None)),
                fields=("answer_set", "metric", "subset", "signature", "repeat"),
                name="run_unique",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                condition=models.Q(("opponent__isnull", False)),
                fields=("answer_set", "metric", "subset", "signature", "repeat", "opponent"),
                name="comparing_run_unique",
            ),
        ),
    ]
