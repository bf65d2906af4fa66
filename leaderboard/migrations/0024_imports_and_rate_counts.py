from django.db import migrations, models


def mark(apps, schema_editor):
    """Mark files that were imported: the import recorded an event. Newer versions of them were sent by people."""
    events = apps.get_model("leaderboard", "Event").objects.filter(text__startswith="Imported from ")
    files = apps.get_model("leaderboard", "SubmissionFile").objects
    files.filter(submission__in=events.values("submission"), version=1).update(imported=True)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0022_sources_of_rows")]

    operations = [
        migrations.AddField(
            model_name="submissionfile",
            name="imported",
            field=models.BooleanField(default=False, help_text="Imported by a command: it counts against no quota."),
        ),
        migrations.RunPython(mark, migrations.RunPython.noop),
        migrations.CreateModel(
            name="RateCount",
            fields=[
                (
                    "key",
                    models.CharField(
                        help_text="The limit, the client, and the window.",
                        max_length=200,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "amount",
                    models.BigIntegerField(default=0, help_text="Requests, or milliseconds of a processor."),
                ),
                ("expires_at", models.DateTimeField(db_index=True, help_text="When it may be deleted.")),
            ],
            options={"ordering": ["key"]},
        ),
    ]
