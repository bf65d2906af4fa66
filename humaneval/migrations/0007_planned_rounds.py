"""The plan of a grading round: the answers of each grader, and when they are released."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ('humaneval', '0006_retention'),
    ]

    operations = [
        migrations.AddField(
            model_name='gradinground',
            name='answers_per_grader',
            field=models.PositiveIntegerField(blank=True, help_text='Number of answers planned for each grader. Empty: graders take answers as they come.', null=True, validators=[django.core.validators.MinValueValidator(1)]),
        ),
        migrations.AddField(
            model_name='gradinground',
            name='release_hours',
            field=models.PositiveSmallIntegerField(db_default=48, default=48, help_text='Hours without activity after which the planned answers of a grader are released.', validators=[django.core.validators.MinValueValidator(1)]),
        ),
    ]
