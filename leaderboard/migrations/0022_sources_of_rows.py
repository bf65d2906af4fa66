"""Sources of rows, merged systems, grades by hand in columns of their own, and withheld traits of pseudonyms."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Q

BY_HAND = "Graded by hand on this site: the study "
OF_PAPERS = "Human, graded by hand"
OFFICIAL = "Official leaderboard of "


def forwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Mark existing rows; board documents are written again on the next access."""
    del schema_editor
    entries, values = (apps.get_model("leaderboard", name) for name in ("Entry", "ReportedValue"))
    here = entries.objects.filter(system__is_human=True, kind="reported", source__startswith=BY_HAND)
    papers = entries.objects.filter(system__is_human=True, system__owner=None, system__name=OF_PAPERS, kind="reported")
    for old in ("loose", "strict"):
        values.objects.filter(Q(entry__in=here) | Q(entry__in=papers), name=old).update(name=f"graded.{old}")
    here.update(kind="graded")
    entries.objects.filter(kind="reported", source__startswith=OFFICIAL).update(is_official=True)
    apps.get_model("leaderboard", "System").objects.filter(
        is_pseudonym=True, type="OTHER", context_size=None, trained_for_function_calling=None
    ).update(traits_withheld=True)
    apps.get_model("leaderboard", "BoardDocument").objects.all().delete()


def backwards(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Restore the names of values and the kind of rows."""
    del schema_editor
    for name in ("loose", "strict"):
        apps.get_model("leaderboard", "ReportedValue").objects.filter(name=f"graded.{name}").update(name=name)
    apps.get_model("leaderboard", "Entry").objects.filter(kind="graded").update(kind="reported")
    apps.get_model("leaderboard", "BoardDocument").objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0019_field_names")]

    operations = [
        migrations.RemoveConstraint(model_name="entry", name="one_current_entry_per_system_split_setting_kind"),
        migrations.RemoveConstraint(model_name="entry", name="scored_entry_has_an_answer_set"),
        migrations.AddField(
            model_name="entry",
            name="is_official",
            field=models.BooleanField(
                default=False,
                help_text="For reported rows: from the benchmark's official results, not from a paper.",
            ),
        ),
        migrations.AddField("reportedvalue", "high", models.FloatField(blank=True, null=True)),
        migrations.AddField(
            model_name="reportedvalue",
            name="low",
            field=models.FloatField(blank=True, help_text="Lower end of the 95 % interval, if it is known.", null=True),
        ),
        migrations.AddField(
            model_name="system",
            name="same_as",
            field=models.ForeignKey(
                blank=True,
                help_text="The system that this one was merged into: boards show both as one row. It is merged itself "
                "into none.",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="members",
                to="leaderboard.system",
            ),
        ),
        migrations.AddField(
            model_name="system",
            name="traits_withheld",
            field=models.BooleanField(
                default=False,
                help_text="For a pseudonym: whether type, context size and function calling are withheld.",
            ),
        ),
        migrations.AlterField(
            model_name="entry",
            name="kind",
            field=models.CharField(
                choices=[("scored", "Scored on this site"), ("reported", "Reported"), ("graded", "Graded by hand")],
                max_length=10,
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                condition=Q(replaced_at__isnull=True),
                fields=("system", "split", "setting", "kind", "source"),
                name="one_current_entry_per_system_board_and_source",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=Q(kind__in=["reported", "graded"], answer_set__isnull=True)
                | Q(kind="scored", answer_set__isnull=False),
                name="scored_entry_has_an_answer_set",
            ),
        ),
        migrations.RunPython(forwards, backwards),
    ]
