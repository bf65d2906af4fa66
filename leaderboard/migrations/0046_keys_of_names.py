from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from leaderboard.models import names

AT_ONCE = 100  # the statement for more takes longer for each


def compute(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Compute the keys of names: what was interrupted goes on where it was."""
    del schema_editor
    for model, rules in (
        (apps.get_model("leaderboard", "System"), {"name_skeleton": names.skeleton, "name_family": names.family}),
        (apps.get_model("leaderboard", "Submission"), {"name_skeleton": names.skeleton}),
    ):
        rows = model.objects.filter(name_skeleton=None).order_by("pk").only("pk", "name")
        while some := list(rows[:AT_ONCE]):
            for row in some:
                for field, rule in rules.items():
                    setattr(row, field, rule(row.name))
            model.objects.bulk_update(some, list(rules))


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("leaderboard", "0045_keys_of_submission_names")]

    operations = [migrations.RunPython(compute, migrations.RunPython.noop)]
