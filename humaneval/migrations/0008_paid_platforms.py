"""Platforms that recruit and pay participants, with rules about whose answers do not count."""

import django.core.validators
import humaneval.models.exclusion_rules
import humaneval.models.platforms
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('humaneval', "0007_planned_rounds"),
    ]

    operations = [
        migrations.AddField(
            model_name='participant',
            name='platform_id',
            field=models.CharField(blank=True, editable=False, help_text='Ids of the person and of their submission on the platform that recruited them, with a space between; only in the list of approvals.', max_length=200, null=True),
        ),
        migrations.AddField(
            model_name='participant',
            name='platform_key',
            field=models.CharField(blank=True, editable=False, help_text="Pseudonym in this study of the person's id on the platform: an HMAC with the site's key.", max_length=64, null=True, unique=True),
        ),
        migrations.AddField(
            model_name='study',
            name='completions',
            field=models.JSONField(blank=True, db_default={}, default=dict, editable=False, help_text='By outcome: the address that people open at the end, or the code that they copy.', validators=[humaneval.models.platforms.validate_completions]),
        ),
        migrations.AddField(
            model_name='study',
            name='currency',
            field=models.CharField(blank=True, db_default='', default='', help_text='Of the pay, such as GBP, USD or EUR.', max_length=3, validators=[django.core.validators.RegexValidator('^[A-Z]{3}$', 'Enter three capital letters, such as GBP.')]),
        ),
        migrations.AddField(
            model_name='study',
            name='exclusion_rules',
            field=models.JSONField(blank=True, db_default={}, default=dict, editable=False, help_text='By the names of the rules: the number of each.', validators=[humaneval.models.exclusion_rules.validate_rules]),
        ),
        migrations.AddField(
            model_name='study',
            name='pay',
            field=models.DecimalField(blank=True, decimal_places=2, help_text='What a person is paid for finishing; leave empty if nothing.', max_digits=8, null=True, validators=[django.core.validators.MinValueValidator(0)]),
        ),
        migrations.AddField(
            model_name='study',
            name='platform',
            field=models.CharField(blank=True, choices=[('prolific', 'Prolific'), ('mturk', 'Mechanical Turk')], db_default='', default='', help_text='Platform that recruits and pays. People who open a shared link must then come from there.', max_length=10),
        ),
        migrations.AddField(
            model_name='study',
            name='time_limit',
            field=models.PositiveSmallIntegerField(blank=True, help_text='Minutes between consent and finishing, after which taking part ends; leave empty for no limit.', null=True, validators=[django.core.validators.MinValueValidator(1)]),
        ),
    ]
