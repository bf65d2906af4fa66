"""Studies in which people check answers against passages: their items, and checks by the team."""

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('humaneval', '0007_sampling_probabilities'),
        ('scoring', '0020_passage_files'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ItemCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('supported', models.BooleanField()),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'ordering': ['item', 'made_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='StudyItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='Names the item in exports: I-00001.', max_length=20)),
                ('candidate', models.TextField(help_text='The answer to check.')),
                ('passage_title', models.TextField(blank=True)),
                ('passage_text', models.TextField()),
                ('origin', models.CharField(choices=[('gold', 'Gold answer of the question'), ('prediction', 'Another answer'), ('injected', 'Wrong answer, injected')], max_length=10)),
                ('is_qualification', models.BooleanField(default=False, help_text='Its outcome is known; it tests participants.')),
                ('supported', models.BooleanField(blank=True, help_text='The known outcome, if there is one.', null=True)),
            ],
            options={
                'ordering': ['study', 'key'],
            },
        ),
        migrations.RemoveConstraint(
            model_name='assignment',
            name='assignment_is_a_question_or_an_attention_check',
        ),
        migrations.AddField(
            model_name='study',
            name='checked_share',
            field=models.FloatField(default=0.05, help_text='Share of the accepted items that the team checks, 0 to 1.', validators=[django.core.validators.MinValueValidator(0.0), django.core.validators.MaxValueValidator(1.0)], verbose_name='staff check'),
        ),
        migrations.AddField(
            model_name='study',
            name='injected_share',
            field=models.FloatField(default=0.1, help_text='Wrong answers added, as a share of the items, 0 to 0.5.', validators=[django.core.validators.MinValueValidator(0.0), django.core.validators.MaxValueValidator(0.5)], verbose_name='injected wrong answers'),
        ),
        migrations.AddField(
            model_name='study',
            name='kind',
            field=models.CharField(choices=[('answer', 'Answer questions with an encyclopedia'), ('items', 'Check answers against passages')], default='answer', max_length=12, verbose_name='type'),
        ),
        migrations.AddField(
            model_name='study',
            name='n_qualification',
            field=models.PositiveSmallIntegerField(default=0, help_text='Number of items of known outcome that each person gets first.', verbose_name='qualification items'),
        ),
        migrations.AddField(
            model_name='study',
            name='qualification_share',
            field=models.FloatField(default=0.8, help_text='Share of the qualification items that must be right, 0 to 1.', validators=[django.core.validators.MinValueValidator(0.0), django.core.validators.MaxValueValidator(1.0)], verbose_name='qualification threshold'),
        ),
        migrations.AlterField(
            model_name='assignment',
            name='text',
            field=models.TextField(blank=True, help_text='The current answer; of an item, the vote.'),
        ),
        migrations.AddField(
            model_name='itemcheck',
            name='author',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='studyitem',
            name='question',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='scoring.question'),
        ),
        migrations.AddField(
            model_name='studyitem',
            name='study',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='humaneval.study'),
        ),
        migrations.AddField(
            model_name='itemcheck',
            name='item',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='checks', to='humaneval.studyitem'),
        ),
        migrations.AddField(
            model_name='assignment',
            name='item',
            field=models.ForeignKey(blank=True, help_text='An answer to check instead of a question.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='humaneval.studyitem'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.UniqueConstraint(fields=('participant', 'item'), name='an_item_is_asked_once_per_participant'),
        ),
        migrations.AddConstraint(
            model_name='assignment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('attention_check__isnull', True), ('item__isnull', True), ('question__isnull', False)), models.Q(('attention_check__isnull', False), ('item__isnull', True), ('question__isnull', True)), models.Q(('attention_check__isnull', True), ('item__isnull', False), ('question__isnull', True)), _connector='OR'), name='assignment_is_a_question_an_attention_check_or_an_item'),
        ),
        migrations.AddConstraint(
            model_name='studyitem',
            constraint=models.UniqueConstraint(fields=('study', 'key'), name='item_key_unique_in_study'),
        ),
    ]
