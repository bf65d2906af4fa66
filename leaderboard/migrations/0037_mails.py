import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Emails that wait to be sent, and the kinds of emails that an account has turned off."""

    dependencies = [("leaderboard", "0036_records_of_who_sent")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="muted_mails",
            field=models.JSONField(blank=True, default=list, help_text="The kinds of emails that were turned off."),
        ),
        migrations.CreateModel(
            name="Mail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(help_text="One of `MailKind`.", max_length=20)),
                ("subject", models.CharField(max_length=400)),
                ("text", models.TextField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                (
                    "due_at",
                    models.DateTimeField(
                        db_index=True,
                        default=django.utils.timezone.now,
                        help_text="When to send it; a worker that tries to send it delays this.",
                    ),
                ),
                (
                    "submission",
                    models.ForeignKey(
                        help_text="The submission that it is about.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="leaderboard.submission",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={"ordering": ["due_at", "pk"]},
        ),
    ]
