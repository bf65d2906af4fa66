import leaderboard.models.systems
from django.db import migrations, models

NAMES = ("context_size", "trained_for_function_calling")
BATCH = 1000


def copy_columns(apps, schema_editor):
    """What systems and submissions state moves into `attributes`; the columns stay until a later version."""
    for table in ("System", "Submission"):
        objects = apps.get_model("leaderboard", table).objects
        stated = objects.exclude(**dict.fromkeys(NAMES)).order_by("pk").only("pk", "attributes", *NAMES)
        batch = []
        for row in stated.iterator(chunk_size=BATCH):
            values = {name: getattr(row, name) for name in NAMES}
            row.attributes = {name: value for name, value in values.items() if value is not None}
            batch.append(row)
            if len(batch) == BATCH:
                objects.bulk_update(batch, ["attributes"])
                batch = []
        objects.bulk_update(batch, ["attributes"])


def field(kind):
    text = "Of versions before 0.7.0: not used, and removed in a later version; see attributes."
    return kind(blank=True, editable=False, help_text=text, null=True)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0034_format_of_documents")]

    operations = [
        *(
            migrations.AddField(
                model_name=table,
                name="attributes",
                field=models.JSONField(
                    blank=True,
                    default=dict,
                    help_text="What benchmarks ask of their systems ([[attributes]] in benchmark.toml), by name.",
                    validators=[leaderboard.models.systems.validate_attributes],
                ),
            )
            for table in ("system", "submission")
        ),
        *(
            migrations.AlterField(model_name=table, name=name, field=field(kind))
            for table in ("system", "submission")
            for name, kind in (
                ("context_size", models.PositiveBigIntegerField),
                ("trained_for_function_calling", models.BooleanField),
            )
        ),
        migrations.AlterField(
            model_name="system",
            name="traits_withheld",
            field=models.BooleanField(
                default=False, help_text="For a pseudonym: whether type and attributes are withheld."
            ),
        ),
        migrations.RunPython(copy_columns, migrations.RunPython.noop),
    ]
