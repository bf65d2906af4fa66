import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def unbound(to: str, **options: object) -> "models.ForeignKey[models.Model, models.Model]":
    """A foreign key without a constraint in the database: the row that it names may be deleted."""
    return models.ForeignKey(to, on_delete=django.db.models.deletion.DO_NOTHING, db_constraint=False, **options)


class Migration(migrations.Migration):
    """Saved drafts are deleted. The tables of uploads that a worker was to check stay until the next release."""

    dependencies = [("leaderboard", "0062_accounts")]

    operations = [
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
