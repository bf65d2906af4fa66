from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0061_judge"),
    ]

    operations = [
        migrations.RemoveField(model_name="boarddocument", name="times"),
    ]
