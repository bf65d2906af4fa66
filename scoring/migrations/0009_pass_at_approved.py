"""Adds to a split whether pass@k of several attempts is shown while its answers are hidden."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("scoring", "0008_question_weight")]

    operations: ClassVar = [
        migrations.AddField(
            model_name="split",
            name="pass_at_approved",
            field=models.BooleanField(
                default=False,
                db_default=False,
                editable=False,
                help_text="Of a hidden split: whether pass@k and pass^k of several attempts are shown.",
            ),
        ),
    ]
