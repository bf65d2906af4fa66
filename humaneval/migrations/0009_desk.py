"""Tabs and saved passages, counted reloads, times that are unknown instead of 0; numbers of previews far away.

The number of questions per participant includes the attention checks.
"""

import django.db.models.deletion
import django.utils.timezone
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

BEFORE = 1_000_000
NOW = 2_000_000_000


def rewrite(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """A time of 0 was never measured; previews were numbered from 1,000,000."""
    del schema_editor
    apps.get_model("humaneval", "Assignment").objects.filter(active_seconds=0).update(active_seconds=None)
    apps.get_model("humaneval", "Visit").objects.filter(visible_seconds=0, scrolled_share=0).update(
        visible_seconds=None, scrolled_share=None
    )
    previews = apps.get_model("humaneval", "Participant").objects.filter(is_preview=True, number__lt=NOW)
    previews.update(number=models.F("number") - BEFORE + NOW)
    for study in apps.get_model("humaneval", "Study").objects.exclude(drawing="fixed").exclude(attention_checks=[]):
        study.questions_per_participant += len(study.attention_checks)
        study.save(update_fields=["questions_per_participant"])


class Migration(migrations.Migration):

    dependencies = [
        ('humaneval', '0006_field_names'),
    ]

    operations = [
        migrations.AddField(
            model_name='search',
            name='n_reloads',
            field=models.PositiveIntegerField(default=0, help_text='How often the results were reloaded.'),
        ),
        migrations.AddField(
            model_name='visit',
            name='n_reloads',
            field=models.PositiveIntegerField(default=0, help_text='How often the article was reloaded.'),
        ),
        migrations.AlterField(
            model_name='assignment',
            name='active_seconds',
            field=models.FloatField(blank=True, help_text="Seconds with the page visible and used within the last 60 s, at most the elapsed time; empty if the page's script reported none, so that it is unknown.", null=True),
        ),
        migrations.AlterField(
            model_name='visit',
            name='origin',
            field=models.CharField(choices=[('result', 'Search result'), ('suggestion', 'Suggestion'), ('link', 'Link in another article'), ('back', 'Back, forward or the list of articles read'), ('tab', 'Tab of the reader'), ('reported', 'Read elsewhere and added by the participant')], max_length=12),
        ),
        migrations.AlterField(
            model_name='visit',
            name='scrolled_share',
            field=models.FloatField(blank=True, help_text='Furthest scroll position, 0 to 1; empty if unknown.', null=True),
        ),
        migrations.AlterField(
            model_name='visit',
            name='visible_seconds',
            field=models.FloatField(blank=True, help_text='At most the time since it was opened; empty if unknown.', null=True),
        ),
        migrations.CreateModel(
            name='ReaderTab',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('path', models.CharField(help_text="The source's path of the article.", max_length=1000)),
                ('title', models.CharField(max_length=500)),
                ('opened_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('shown_at', models.DateTimeField(blank=True, help_text='When it was last shown; empty if never.', null=True)),
                ('place', models.FloatField(default=0.0, help_text="Where it was left, as a share of the article's height, 0 to 1.")),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tabs', to='humaneval.assignment')),
            ],
            options={
                'ordering': ['assignment', 'opened_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='SavedPassage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('path', models.CharField(help_text="The source's path of the article.", max_length=1000)),
                ('title', models.CharField(help_text='Title of the article.', max_length=500)),
                ('url', models.URLField(blank=True, max_length=2000)),
                ('page_id', models.PositiveBigIntegerField(blank=True, null=True)),
                ('revision_id', models.PositiveBigIntegerField(blank=True, null=True)),
                ('text', models.TextField(blank=True, help_text='The selected or copied text.')),
                ('note', models.TextField(blank=True, help_text="The participant's note.")),
                ('saved_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('removed_at', models.DateTimeField(blank=True, help_text='When the participant removed it from the list.', null=True)),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='passages', to='humaneval.assignment')),
            ],
            options={
                'ordering': ['assignment', 'saved_at', 'pk'],
            },
        ),
        migrations.RunPython(rewrite, migrations.RunPython.noop),
    ]
