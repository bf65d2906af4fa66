from django.db import migrations, models


def split_from_themselves(apps, schema_editor):
    """Two merges at once could merge a system into itself. Those that were merged into it stay merged."""
    apps.get_model('leaderboard', 'System').objects.filter(same_as=models.F('pk')).update(same_as=None)


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0001_squashed_0027_rankings'),
    ]

    operations = [
        migrations.RunPython(split_from_themselves, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            model_name='system',
            constraint=models.CheckConstraint(condition=~models.Q(same_as=models.F('pk')), name='system_not_merged_into_itself'),
        ),
    ]
