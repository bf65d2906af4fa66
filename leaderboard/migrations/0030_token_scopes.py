import datetime

import django.utils.timezone
from django.db import migrations, models


def in_a_year():
    return django.utils.timezone.now() + datetime.timedelta(days=365)


def keep_what_their_owners_may_do(apps, schema_editor):
    """Tokens from before scopes existed could do everything that their owners may do."""
    staff = apps.get_model('leaderboard', 'User').objects.filter(is_staff=True)
    apps.get_model('leaderboard', 'ApiToken').objects.filter(user__in=staff).update(scope='maintain')


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0029_marks_from_rank_ranges'),
    ]

    operations = [
        migrations.AddField(
            model_name='apitoken',
            name='scope',
            field=models.CharField(choices=[('read', 'Read'), ('submit', 'Read and submit'), ('maintain', "Read, submit and use a maintainer's rights")], default='submit', max_length=10),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='apitoken',
            name='expires_at',
            field=models.DateTimeField(default=in_a_year),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name='apitoken',
            name='expiry_notified_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(keep_what_their_owners_may_do, migrations.RunPython.noop, elidable=True),
    ]
