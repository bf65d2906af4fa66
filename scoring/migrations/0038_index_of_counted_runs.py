from django.db import migrations, models


class Migration(migrations.Migration):
    """The runs of a revision are counted in an index."""

    dependencies = [("scoring", "0037_index_of_closed_answer_sets")]

    operations = [
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                condition=models.Q(("counts", True)),
                fields=["revision", "signature", "metric", "subset", "state"],
                name="run_counted",
            ),
        )
    ]
