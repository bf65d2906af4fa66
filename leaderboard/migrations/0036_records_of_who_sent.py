import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def cancel_requests(apps, schema_editor):
    """A withdrawn submission awaits nothing."""
    requests = apps.get_model("leaderboard", "Publication").objects.filter(state__in=("pending", "joining"))
    requests.exclude(submission__withdrawn_at=None).update(state="taken_back")


class Migration(migrations.Migration):
    """The sender of a file stays known, and requests to publish withdrawn submissions are cancelled."""

    dependencies = [("leaderboard", "0035_attributes")]

    operations = [
        migrations.AlterField(
            model_name="submissionfile",
            name="sent_by",
            field=models.ForeignKey(
                blank=True,
                help_text="Who sent the file; if empty, the submission's owner.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(cancel_requests, migrations.RunPython.noop),
    ]
