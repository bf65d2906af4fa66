"""Adds how long a study keeps texts, links and addresses, and when they were deleted."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('humaneval', '0005_blindness'),
    ]

    operations = [
        migrations.AddField(
            model_name='study',
            name='codes_deleted_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='keeps_codes_days',
            field=models.PositiveSmallIntegerField(blank=True, help_text='Days after the end of the study until links, receipt codes and email addresses are deleted; leave empty to keep them.', null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='links and addresses are deleted after'),
        ),
        migrations.AddField(
            model_name='study',
            name='keeps_texts_days',
            field=models.PositiveSmallIntegerField(blank=True, help_text='Days after the end of the study (if it is never closed, after the last activity) until what participants typed is deleted; leave empty to keep it.', null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='texts are deleted after'),
        ),
        migrations.AddField(
            model_name='study',
            name='texts_deleted_at',
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
    ]
