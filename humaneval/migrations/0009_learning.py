"""Worked examples, practice with feedback, and a test before the questions of a study."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('humaneval', '0008_paid_platforms'),
    ]

    operations = [
        migrations.AddField(
            model_name='participant',
            name='attempts',
            field=models.JSONField(blank=True, db_default=[], default=list, editable=False, help_text='Attempts at the test: how many of its questions were right, whether that was enough, and when.'),
        ),
        migrations.AddField(
            model_name='participant',
            name='rehearsed_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='When the participant left the practice with feedback.', null=True),
        ),
        migrations.AddField(
            model_name='study',
            name='learning',
            field=models.JSONField(blank=True, db_default=[], default=list, help_text='A JSON list of what people see before their questions: worked examples, practice with feedback, and a test. Each has use (example, practice or test), its texts, expected (a list of what is right) and why.', verbose_name='examples, practice and test'),
        ),
        migrations.AddField(
            model_name='study',
            name='test_attempts',
            field=models.PositiveSmallIntegerField(choices=[(1, 'One'), (2, 'Two, with other questions')], db_default=1, default=1, help_text='With two attempts, the second half of the test is for those who fail the first: enter twice as many questions. Those who fail the last attempt are screened out. The threshold above is the share that must be right.', verbose_name='attempts at the test'),
        ),
        migrations.AlterField(
            model_name='study',
            name='qualification_share',
            field=models.FloatField(default=0.8, help_text='Share of the qualification items, or of an attempt at the test, that must be right, 0 to 1.', validators=[django.core.validators.MinValueValidator(0.0), django.core.validators.MaxValueValidator(1.0)], verbose_name='qualification threshold'),
        ),
    ]
