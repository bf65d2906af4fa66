"""Studies in which people compare answers side by side: pairs, their order, and what is said about each answer."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('humaneval', '0010_items'),
        ('scoring', '0020_passage_files'),
    ]

    operations = [
        migrations.AddField(
            model_name='assignment',
            name='critique',
            field=models.JSONField(blank=True, default=dict, help_text='Scores of the two answers of a pair, and what is marked as strength, weakness or missing, by place.'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='swapped',
            field=models.BooleanField(default=False, help_text='Whether the second answer of a pair is on the left.'),
        ),
        migrations.AddField(
            model_name='studyitem',
            name='first_set',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='scoring.answerset'),
        ),
        migrations.AddField(
            model_name='studyitem',
            name='other',
            field=models.TextField(blank=True, help_text='The second answer of a pair.'),
        ),
        migrations.AddField(
            model_name='studyitem',
            name='second_set',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='scoring.answerset'),
        ),
        migrations.AlterField(
            model_name='study',
            name='injected_share',
            field=models.FloatField(default=0.1, help_text='Wrong answers added, as a share of the items or pairs, 0 to 0.5.', validators=[django.core.validators.MinValueValidator(0.0), django.core.validators.MaxValueValidator(0.5)], verbose_name='injected wrong answers'),
        ),
        migrations.AlterField(
            model_name='study',
            name='kind',
            field=models.CharField(choices=[('answer', 'Answer questions with an encyclopedia'), ('items', 'Check answers against passages'), ('pairs', 'Compare answers side by side')], default='answer', max_length=12, verbose_name='type'),
        ),
        migrations.AlterField(
            model_name='studyitem',
            name='candidate',
            field=models.TextField(help_text='The answer to check; of a pair, the first answer.'),
        ),
        migrations.AlterField(
            model_name='studyitem',
            name='passage_text',
            field=models.TextField(blank=True),
        ),
    ]
