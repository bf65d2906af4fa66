"""What version 0.8.0 changes in the tables of 0.7.0.

Device logins and saved drafts are deleted. The tables of receipts and of uploads that a worker was to check stay in the
database until 0.9.0, outside Django's state and without foreign keys to tables that are in use.
"""

from typing import Any

from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from leaderboard.models.names import SkeletonField, skeleton
from scoring.benchmarks import UnknownBenchmarkError, definition_of
from scoring.benchmarks.names import parts_of

AT_ONCE = 1000


def name_withheld_scores(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Name the scores that were not better, by the step, than the best that their team was shown before."""
    splits = apps.get_model("scoring", "Split").objects
    for split in splits.filter(hidden=True, rounding_step__isnull=False).select_related("benchmark"):
        split.withheld_scores = _not_better(apps, split) or None
        split.save(update_fields=["withheld_scores"])


def _not_better(apps: Apps, split: Any) -> list[tuple[int, str]]:
    held = apps.get_model("leaderboard", "Anomaly").objects.filter(
        code__in=("many_names", "long_answers", "repeated_entries")
    )
    file = "run__answer_set__submission_file"
    rows = (
        apps.get_model("scoring", "Score")
        .objects.filter(**{f"{file}__submission__split": split, "run__state": "done", "run__counts": True})
        .exclude(**{f"{file}__in": held.exclude(decision="dismissed").values("file")})
        .order_by("created_at", "pk")
        .values_list(
            *("value", "n_answered", "n_items", f"{file}__pk", "name", "signature", "run__answer_set__setting"),
            *(f"{file}__submission__team", f"{file}__submission__owner"),
        )
    )
    best: dict[tuple[Any, ...], float] = {}
    worse = []
    for value, n_answered, n_items, file_key, name, *kind, team, owner in rows:
        if n_answered < settings.MIN_ANSWERED_SHARE * n_items:
            continue  # not shown for another reason
        key = (name, *kind, "team", team) if team is not None else (name, *kind, "person", owner)
        sign, step = _direction_and_step(split, name)
        if key in best and sign * (value - best[key]) <= step:
            worse.append((file_key, name))
        else:
            best[key] = round(value / step) * step
    return worse


def _direction_and_step(split: Any, name: str) -> tuple[int, float]:
    """Whether more is better (1) or less (-1), and the step in the unit of the score."""
    try:
        column = definition_of(split.benchmark.slug).column(parts_of(name)[0])
    except UnknownBenchmarkError:  # nothing of it is shown at present
        return 0, split.rounding_step
    return column.sign, split.rounding_step * column.scale


def compute(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Compute the keys of all names."""
    del schema_editor
    for model, of, key in (
        ("User", "username", "username_skeleton"),
        ("System", "name", "name_skeleton"),
        ("Submission", "name", "name_skeleton"),
    ):
        rows = apps.get_model("leaderboard", model).objects
        some = []
        for row in rows.only("pk", of).iterator(chunk_size=AT_ONCE):
            setattr(row, key, skeleton(getattr(row, of)))
            some.append(row)
        rows.bulk_update(some, [key], batch_size=AT_ONCE)


def convert_flags(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Delete dismissed flags and those that are no longer found, and rename the others."""
    del schema_editor
    flags = apps.get_model("leaderboard", "Anomaly").objects
    flags.filter(decision="dismissed").delete()
    flags.filter(code__in=["copied", "addresses_judge", "long", "like_references", "references_in_log"]).delete()
    flags.filter(code="identical_file").update(code="same_file")
    flags.filter(code="copy").update(code="same_answers")


def unbound(to: str, **options: object) -> "models.ForeignKey[models.Model, models.Model]":
    """A foreign key without a constraint in the database: the row that it names may be deleted."""
    return models.ForeignKey(to, on_delete=models.DO_NOTHING, db_constraint=False, **options)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0001_version_0_7_0"), ("scoring", "0002_version_0_8_0")]

    operations = [
        # What a competition did not show stays withheld until a maintainer releases it. Needs the decisions on flags.
        migrations.RunPython(name_withheld_scores, migrations.RunPython.noop),
        # Boards.
        *(
            migrations.RemoveField(model_name="standing", name=name)
            for name in ("noise", "noise_low", "noise_high", "n_repeats")
        ),
        migrations.RemoveField(model_name="boarddocument", name="times"),
        migrations.AlterField(
            model_name="boarddocument",
            name="n_systems",
            field=models.PositiveIntegerField(help_text="Rows that are not human rows."),
        ),
        # Names and flags.
        migrations.DeleteModel(name="DeviceLogin"),
        migrations.RemoveIndex(model_name="submission", name="submission_name_skeleton"),
        migrations.RemoveIndex(model_name="submission", name="submission_name_unchecked"),
        migrations.RemoveIndex(model_name="system", name="system_name_skeleton"),
        migrations.RemoveIndex(model_name="system", name="system_name_unchecked"),
        migrations.RemoveIndex(model_name="system", name="system_name_family"),
        migrations.RemoveField(model_name="submission", name="name_checked"),
        migrations.RemoveField(model_name="submission", name="name_dismissed_at"),
        migrations.RemoveField(model_name="submissionfile", name="log_references"),
        migrations.RemoveField(model_name="system", name="name_checked"),
        migrations.RemoveField(model_name="system", name="name_family"),
        migrations.AddField(
            model_name="user",
            name="username_skeleton",
            field=SkeletonField("username", db_index=True, default="", editable=False, max_length=200),
            preserve_default=False,
        ),
        migrations.RunPython(compute, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="submission",
            name="name_skeleton",
            field=SkeletonField("name", db_index=True, editable=False, max_length=200),
        ),
        migrations.AlterField(
            model_name="system",
            name="name_skeleton",
            field=SkeletonField("name", db_index=True, editable=False, max_length=200),
        ),
        migrations.RunPython(convert_flags, migrations.RunPython.noop),
        migrations.RemoveIndex(model_name="anomaly", name="anomaly_open"),
        migrations.RemoveField(model_name="anomaly", name="decision"),
        migrations.AlterField(
            model_name="anomaly",
            name="code",
            field=models.CharField(
                help_text="same_file, same_answers, repeated_answer, or a sign of probing.", max_length=40
            ),
        ),
        migrations.AlterField(
            model_name="anomaly",
            name="reason",
            field=models.TextField(
                blank=True,
                help_text="Why a maintainer confirmed it, as the submitter sees it; dismissed flags are deleted.",
            ),
        ),
        migrations.AddIndex(
            model_name="anomaly",
            index=models.Index(condition=models.Q(("reason", "")), fields=["file"], name="anomaly_open"),
        ),
        # Receipts and uploads.
        migrations.AlterField(
            model_name="receipt",
            name="submission",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=models.CASCADE,
                related_name="receipts",
                to="leaderboard.submission",
            ),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name="Receipt"),
                migrations.DeleteModel(name="ReceiptKey"),
            ]
        ),
        migrations.DeleteModel("DraftFile"),
        migrations.DeleteModel("UploadDraft"),
        migrations.AlterField("receivedfile", "setting", unbound("scoring.setting", related_name="+")),
        migrations.AlterField("receivedupload", "owner", unbound(settings.AUTH_USER_MODEL, related_name="+")),
        migrations.AlterField("receivedupload", "split", unbound("scoring.split", related_name="+")),
        migrations.AlterField("receivedupload", "team", unbound("leaderboard.team", related_name="+", null=True)),
        migrations.RemoveField("receivedupload", "request"),
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.DeleteModel("ReceivedFile"), migrations.DeleteModel("ReceivedUpload")]
        ),
    ]
