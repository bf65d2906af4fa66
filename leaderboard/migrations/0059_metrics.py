"""Receipts leave the models. Their tables stay in the database until the next release, without a constraint to the
submissions, which can be deleted."""

from typing import ClassVar

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("leaderboard", "0058_index_of_newest_rows")]

    operations: ClassVar = [
        migrations.AlterField(
            model_name="boarddocument",
            name="n_systems",
            field=models.PositiveIntegerField(help_text="Rows that are not human rows."),
        ),
        migrations.AlterField(
            model_name="receipt",
            name="submission",
            field=models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="receipts",
                to="leaderboard.submission",
            ),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name="Receipt"),
                migrations.DeleteModel(name="ReceiptKey"),
            ]
        ),
    ]
