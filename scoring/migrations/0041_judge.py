from django.db import migrations, models
from django.db.models.functions import Cast, Coalesce, Concat, Now, Substr

REASON = "Repeated judgings ended with version 0.8.0. Their verdicts and scores are kept."
SUFFIX = "|repeat:"
LONGEST_SIGNATURE, DIGITS = 400, 5


def end_repeats(apps, schema_editor):
    """Cancel repeated judgings, and name the repeat in the signature, so that runs without that column stay unique.

    Cancelled runs are at no door, and their scores and verdicts stay.
    """
    repeat = Cast("repeat", models.CharField(max_length=DIGITS))
    kept = Substr("signature", 1, LONGEST_SIGNATURE - len(SUFFIX) - DIGITS)
    apps.get_model("scoring", "Run").objects.filter(repeat__gt=0).update(
        signature=Concat(kept, models.Value(SUFFIX), repeat, output_field=models.CharField()),
        counts=False,
        state="cancelled",
        reason=REASON,
        lease_token="",
        lease_until=None,
        not_before=None,
        finished_at=Coalesce("finished_at", Now()),
    )


class Migration(migrations.Migration):
    """Answers are judged once, and live: no repeats, no batches at the provider."""

    dependencies = [("scoring", "0040_studies")]

    operations = [
        migrations.RunPython(end_repeats, migrations.RunPython.noop),
        migrations.RemoveConstraint(model_name="run", name="run_unique"),
        migrations.RemoveConstraint(model_name="run", name="comparing_run_unique"),
        migrations.RemoveIndex(model_name="run", name="run_done_lately_by_metric"),
        migrations.RemoveField(model_name="run", name="repeat"),
        migrations.AlterField(
            model_name="run",
            name="counts",
            field=models.BooleanField(
                default=True,
                help_text="Whether boards, receipts, emails and quotas use its scores. Comparisons of further pairs do not.",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                condition=models.Q(("opponent", None)),
                fields=("answer_set", "metric", "subset", "signature"),
                name="run_unique",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                condition=models.Q(("opponent__isnull", False)),
                fields=("answer_set", "metric", "subset", "signature", "opponent"),
                name="comparing_run_unique",
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                condition=models.Q(("state", "done")),
                fields=["metric", "-finished_at"],
                name="run_done_lately_by_metric",
            ),
        ),
        migrations.RemoveField(model_name="verdict", name="repeat"),
        migrations.RemoveField(model_name="verdict", name="batch"),
        migrations.RemoveField(model_name="judgeestimate", name="batch"),
        migrations.RemoveField(model_name="budgetrelease", name="note"),
        # The table stays for one release, without a key that would keep a run from being deleted.
        migrations.AlterField(
            model_name="judgebatch",
            name="run",
            field=models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=models.SET_NULL,
                related_name="batches",
                to="scoring.run",
            ),
        ),
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel(name="JudgeBatch")]),
    ]
