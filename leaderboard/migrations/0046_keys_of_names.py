from django.db import migrations


class Migration(migrations.Migration):
    """Nothing: the keys of names are computed by ``0059_accounts``."""

    dependencies = [("leaderboard", "0045_keys_of_submission_names")]

    operations = []
