"""What graders have decided so far of answers with many criteria."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('humaneval', '0010_one_test'),
    ]

    operations = [
        migrations.CreateModel(
            name='GradeDraft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('form', models.TextField(help_text='The fields of the form, URL-encoded.')),
                ('saved_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('grader', models.ForeignKey(help_text='Another one may have the slot by now.', on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='humaneval.grader')),
                ('slot', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='draft', to='humaneval.gradingslot')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
    ]
