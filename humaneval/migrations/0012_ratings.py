"""Studies in which people rate texts: what they rate, and the texts."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('humaneval', '0011_pairs'),
        ('scoring', '0021_comparisons'),
    ]

    operations = [
        migrations.AddField(
            model_name='study',
            name='declaration',
            field=models.TextField(blank=True, editable=False, help_text='What participants rate on which scales, as uploaded: TOML.'),
        ),
        migrations.AddField(
            model_name='studyitem',
            name='group',
            field=models.CharField(blank=True, help_text='The group of a text to rate; participants do not see it.', max_length=100),
        ),
        migrations.AddField(
            model_name='studyitem',
            name='name',
            field=models.CharField(blank=True, help_text='The id of a text to rate, as in its file.', max_length=200),
        ),
        migrations.AlterField(
            model_name='study',
            name='kind',
            field=models.CharField(choices=[('answer', 'Answer questions with an encyclopedia'), ('items', 'Check answers against passages'), ('pairs', 'Compare answers side by side'), ('ratings', 'Rate items')], default='answer', max_length=12, verbose_name='type'),
        ),
        migrations.AlterField(
            model_name='studyitem',
            name='candidate',
            field=models.TextField(blank=True, help_text='The answer to check; of a pair, the first answer.'),
        ),
        migrations.AlterField(
            model_name='studyitem',
            name='origin',
            field=models.CharField(blank=True, choices=[('gold', 'Gold answer of the question'), ('prediction', 'Another answer'), ('injected', 'Wrong answer, injected')], max_length=10),
        ),
        migrations.AlterField(
            model_name='studyitem',
            name='passage_text',
            field=models.TextField(blank=True, help_text='The passage, or the text to rate.'),
        ),
        migrations.AlterField(
            model_name='studyitem',
            name='question',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='scoring.question'),
        ),
    ]
