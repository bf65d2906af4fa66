from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0062_accounts"),
    ]

    operations = [
        migrations.RemoveField(model_name="boarddocument", name="times"),
    ]
