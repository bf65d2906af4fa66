from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0003_board_statistics"),
    ]

    operations = [
        migrations.AddField(
            model_name="entry",
            name="shows_answers",
            field=models.BooleanField(
                default=False,
                help_text="Its owner lets everybody read the answers themselves; never on a hidden split.",
            ),
        ),
    ]
