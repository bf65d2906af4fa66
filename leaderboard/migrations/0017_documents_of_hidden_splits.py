"""Boards of hidden splits are written again: their documents held scores that are shown to nobody now."""

from django.db import migrations


def forget_documents(apps, schema_editor):
    apps.get_model("leaderboard", "BoardDocument").objects.filter(split__hidden=True).delete()


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0016_plain_help_texts")]

    operations = [migrations.RunPython(forget_documents, migrations.RunPython.noop)]
