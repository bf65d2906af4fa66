from django.db import migrations, models


class Migration(migrations.Migration):
    """A run gets its subset, and whether it counts, as fields of its own. Its data follow in the next migration."""

    dependencies = [
        ("scoring", "0026_cut_answers"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="currentsignature",
            name="one_current_signature_per_split_and_metric",
        ),
        migrations.RemoveConstraint(
            model_name="run",
            name="run_unique",
        ),
        migrations.RemoveConstraint(
            model_name="run",
            name="comparing_run_unique",
        ),
        migrations.AddField(
            model_name="currentsignature",
            name="subset",
            field=models.SlugField(
                blank=True,
                db_index=False,
                help_text="The subset on which it is computed; empty for the whole split.",
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="counts",
            field=models.BooleanField(
                default=True,
                help_text="Whether boards, receipts, emails and quotas use its scores. Repeats and comparisons of further pairs do not count.",
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="subset",
            field=models.SlugField(
                blank=True,
                db_index=False,
                help_text="The subset whose questions are scored; empty for the whole split.",
            ),
        ),
        migrations.AlterField(
            model_name="score",
            name="name",
            field=models.CharField(help_text="For example rouge1.fscore; the run has the subset.", max_length=60),
        ),
    ]
