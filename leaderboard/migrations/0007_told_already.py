from django.db import migrations
from django.db.models import F


def tell_nobody_of_old_submissions(apps, schema_editor):
    apps.get_model("leaderboard", "Submission").objects.filter(notified_at=None).update(notified_at=F("created_at"))


class Migration(migrations.Migration):
    """Mails are for submissions made from now on."""

    dependencies = [("leaderboard", "0006_receipts")]

    operations = [migrations.RunPython(tell_nobody_of_old_submissions, migrations.RunPython.noop)]
