"""Comparisons with the official code leave the models. Their table stays in the database until the next release."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("scoring", "0038_index_of_counted_runs")]

    operations: ClassVar = [
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel(name="ScoreAudit")]),
    ]
