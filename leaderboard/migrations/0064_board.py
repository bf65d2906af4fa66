from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0063_submissions"),
    ]

    operations = [
        migrations.RemoveField(model_name="boarddocument", name="times"),
    ]
