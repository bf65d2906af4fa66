from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0058_index_of_newest_rows"),
    ]

    operations = [
        migrations.RemoveField(model_name="boarddocument", name="times"),
    ]
