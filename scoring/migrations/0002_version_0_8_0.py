"""What version 0.8.0 changes in the tables of 0.7.0.

The tables of what it took away stay in the database until 0.9.0, outside Django's state and without foreign keys to
tables that are in use: audits of scores, ceilings, and batches of the judge.
"""

import django.core.validators
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models.functions import Cast, Coalesce, Concat, Now, Substr

REASON = "Repeated judgings ended with version 0.8.0. Their verdicts and scores are kept."
SUFFIX = "|repeat:"
LONGEST_SIGNATURE, DIGITS = 400, 5


def name_steps(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Write down the step that a competition had without one, and none where it was off."""
    splits = apps.get_model("scoring", "Split").objects
    splits.filter(competition=True, ladder_step=None).update(ladder_step=0.01)
    splits.filter(ladder_step=0).update(ladder_step=None)


def end_repeats(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
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
    dependencies = [("scoring", "0001_version_0_7_0")]

    operations = [
        # Competitions: the step stays as rounding.
        migrations.RunPython(name_steps, migrations.RunPython.noop),
        migrations.RemoveField(model_name="split", name="competition"),
        migrations.RenameField(model_name="split", old_name="ladder_step", new_name="rounding_step"),
        migrations.AlterField(
            model_name="split",
            name="rounding_step",
            field=models.FloatField(
                blank=True,
                help_text="Of a hidden split: shown scores are rounded to it. Empty: to three digits.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(0.0001),
                    django.core.validators.MaxValueValidator(1.0),
                ],
            ),
        ),
        migrations.AddField(
            model_name="split",
            name="withheld_scores",
            field=models.JSONField(
                blank=True,
                help_text="Scores that are not shown, of a competition before version 0.8.0: a list of pairs, the key of a "
                "submission's file and the score's name. Remove a pair to show its score.",
                null=True,
            ),
        ),
        # Repeated judgings and batches of the judge.
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
        # What copies of the reference answers score is a fact of their revision.
        migrations.AddField(
            model_name="revision", name="lost_scores", field=models.JSONField(editable=False, null=True)
        ),
        # Tables that stay until 0.9.0.
        migrations.AlterField(
            model_name="ceiling",
            name="revision",
            field=models.ForeignKey(
                db_constraint=False, on_delete=models.CASCADE, related_name="ceilings", to="scoring.revision"
            ),
        ),
        migrations.AlterField(
            model_name="judgebatch",
            name="run",
            field=models.ForeignKey(
                db_constraint=False, null=True, on_delete=models.SET_NULL, related_name="batches", to="scoring.run"
            ),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name="ScoreAudit"),
                migrations.DeleteModel(name="Ceiling"),
                migrations.DeleteModel(name="JudgeBatch"),
            ]
        ),
    ]
