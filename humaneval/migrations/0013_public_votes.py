"""Public voting on the pairs of studies."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('humaneval', '0012_ratings'),
    ]

    operations = [
        migrations.AddField(
            model_name='study',
            name='public_from',
            field=models.DateTimeField(blank=True, editable=False, help_text='When public voting was opened; empty while it is closed.', null=True),
        ),
        migrations.CreateModel(
            name='PublicVote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('visitor', models.CharField(db_index=True, help_text="The random number in the visitor's cookie.", max_length=32)),
                ('address', models.CharField(help_text="A keyed hash of the visitor's network address.", max_length=64)),
                ('swapped', models.BooleanField(help_text='Whether the second answer was on the left.')),
                ('vote', models.CharField(choices=[('left', 'The left one is better'), ('right', 'The right one is better'), ('tie', 'Both are equally good'), ('bad', 'Both are bad')], max_length=5)),
                ('seconds', models.FloatField(help_text="Seconds from showing the pair to the vote, by the server's clock.")),
                ('made_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='public_votes', to='humaneval.studyitem')),
            ],
            options={
                'ordering': ['made_at', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('item', 'visitor'), name='one_public_vote_per_pair_and_visitor')],
            },
        ),
    ]
