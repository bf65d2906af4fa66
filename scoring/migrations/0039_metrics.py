"""Comparisons with the official code, and scores of copies of the references, leave the models. Their tables stay in the
database until the next release, without a constraint to the revisions."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("scoring", "0038_index_of_counted_runs")]

    operations: ClassVar = [
        migrations.AlterField(
            model_name="ceiling",
            name="revision",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="ceilings",
                to="scoring.revision",
            ),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name="ScoreAudit"),
                migrations.DeleteModel(name="Ceiling"),
            ]
        ),
    ]
