"""Adds what a review board wants to read in a consent text, and consent to publication."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("humaneval", "0003_released_seats")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="participant",
            name="agrees_to_publication",
            field=models.BooleanField(blank=True, help_text="Whether their answers may be published word for word; empty if not asked.", null=True),
        ),
        migrations.AddField(
            model_name="study",
            name="approval",
            field=models.CharField(blank=True, default="", db_default="", help_text="Review board and number.", max_length=200, verbose_name="approval number"),
        ),
        migrations.AddField(
            model_name="study",
            name="asks_publication",
            field=models.BooleanField(db_default=False, default=False, help_text="A question of its own beside the consent text: people who say no can take part.", verbose_name="ask whether answers may be published"),
        ),
        migrations.AddField(
            model_name="study",
            name="contact",
            field=models.CharField(blank=True, default="", db_default="", help_text="Whom participants can ask: an email address, or a name with a telephone number. On every page.", max_length=200),
        ),
        migrations.AddField(
            model_name="study",
            name="duration",
            field=models.CharField(blank=True, default="", db_default="", help_text="Such as: about 40 minutes.", max_length=100, verbose_name="time"),
        ),
        migrations.AddField(
            model_name="study",
            name="institution",
            field=models.CharField(blank=True, default="", db_default="", max_length=200),
        ),
        migrations.AddField(
            model_name="study",
            name="purpose",
            field=models.CharField(blank=True, default="", db_default="", help_text="Of the study, in a sentence or two.", max_length=500),
        ),
        migrations.AddField(
            model_name="study",
            name="readers",
            field=models.CharField(blank=True, default="", db_default="", help_text="Such as: the study team.", max_length=500, verbose_name="who sees the answers"),
        ),
        migrations.AddField(
            model_name="study",
            name="responsible",
            field=models.CharField(blank=True, default="", db_default="", help_text="Who answers for the study.", max_length=200, verbose_name="responsible person"),
        ),
        migrations.AddField(
            model_name="study",
            name="risks",
            field=models.CharField(blank=True, default="", db_default="", help_text="Such as: none beyond those of reading.", max_length=500),
        ),
    ]
