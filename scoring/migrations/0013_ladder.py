import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("scoring", "0012_plain_help_texts")]

    operations = [
        migrations.AddField(
            model_name="split",
            name="competition",
            field=models.BooleanField(
                default=False, help_text="Whether systems compete on it for a prize or a ranking: then the Ladder is on."
            ),
        ),
        migrations.AddField(
            model_name="split",
            name="ladder_step",
            field=models.FloatField(
                blank=True,
                help_text="Of a hidden split: a new score is shown only if it is better by this than the best that the team "
                "was shown before, and rounded to it. 0: off. Empty: 0.01 for a competition, otherwise off.",
                null=True,
                validators=[
                    django.core.validators.MinValueValidator(0.0),
                    django.core.validators.MaxValueValidator(1.0),
                ],
                verbose_name="step of the Ladder",
            ),
        ),
    ]
