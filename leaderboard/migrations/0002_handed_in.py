"""Answer sets that came with one submission belong together, also those from before that was written down."""

from django.db import migrations


def fill(apps, schema_editor):
    answer_sets = apps.get_model("scoring", "AnswerSet")
    files = apps.get_model("leaderboard", "SubmissionFile")
    for answer_set, submission in files.objects.values_list("answer_set_id", "submission_id"):
        answer_sets.objects.filter(pk=answer_set, handed_in=None).update(handed_in=submission)


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0001_initial"),
        ("scoring", "0003_judge"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
