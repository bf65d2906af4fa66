from django.db import migrations, models
from django.db.models.functions import Cast, Coalesce, Concat, Now, Substr

REASON = "Repeated judgings ended with version 0.8.0. Their verdicts and scores are kept."
SUFFIX = "|repeat:"
LONGEST_SIGNATURE = 400


def end_repeats(apps, schema_editor):
    """Cancel repeated judgings, and name the repeat in their signature, which is the key of a run without the column."""
    repeat = Cast("repeat", models.CharField(max_length=5))
    kept = Substr("signature", 1, LONGEST_SIGNATURE - len(SUFFIX) - 5)
    apps.get_model("scoring", "Run").objects.filter(repeat__gt=0).update(
        signature=Concat(kept, models.Value(SUFFIX), repeat, output_field=models.CharField()),
        state="cancelled",
        reason=REASON,
        finished_at=Coalesce("finished_at", Now()),
        counts=False,
    )


class Migration(migrations.Migration):
    """A run is no longer repeated."""

    dependencies = [("scoring", "0038_index_of_counted_runs")]

    operations = [
        migrations.RunPython(end_repeats, migrations.RunPython.noop),
    ]
