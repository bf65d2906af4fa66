from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = []

    operations: ClassVar = [
        migrations.RunSQL("LOCK TABLE leaderboard_submission IN SHARE ROW EXCLUSIVE MODE"),
        migrations.RunSQL("LOCK TABLE leaderboard_system IN SHARE ROW EXCLUSIVE MODE"),
    ]
