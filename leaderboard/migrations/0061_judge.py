from django.db import migrations


class Migration(migrations.Migration):
    """Standings have no noise of the judge."""

    dependencies = [("leaderboard", "0060_studies")]

    operations = [
        migrations.RemoveField(model_name="standing", name=name)
        for name in ("noise", "noise_low", "noise_high", "n_repeats")
    ]
