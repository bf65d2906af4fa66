from django.db import migrations, models


def mark(apps, schema_editor):
    """Mark receipts of hidden splits that were issued with exact values. New ones are issued by the next worker."""
    receipts = apps.get_model("leaderboard", "Receipt").objects
    receipts.filter(submission__split__hidden=True).update(has_exact_values=True)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0017_documents_of_hidden_splits")]

    operations = [
        migrations.AddField(
            model_name="receipt",
            name="has_exact_values",
            field=models.BooleanField(
                default=False,
                help_text="It gives scores of a hidden split at full precision: shown to maintainers alone.",
            ),
        ),
        migrations.AddField(
            model_name="receipt",
            name="openings_json",
            field=models.TextField(
                blank=True,
                default="",
                help_text="Of a hidden split: exact values and salts of the commitments in the statement, as canonical JSON.",
            ),
            preserve_default=False,
        ),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
