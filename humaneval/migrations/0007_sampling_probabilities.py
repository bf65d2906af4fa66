from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("humaneval", "0009_desk"),
    ]

    operations = [
        migrations.AddField(
            model_name="gradedanswerorigin",
            name="probability",
            field=models.FloatField(
                blank=True,
                help_text="Probability with which the answer was drawn for grading, unless selected by disagreement.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="gradinground",
            name="sampling",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="For each source of answers, the number of answers and the probability of each to be graded.",
            ),
        ),
        migrations.AlterField(
            model_name="gradinground",
            name="selection",
            field=models.CharField(
                choices=[
                    ("all", "All"),
                    ("sample", "A random sample, spread evenly over systems and categories"),
                    ("disagreements", "Answers on which scores and earlier grades differ most"),
                ],
                default="all",
                max_length=14,
            ),
        ),
    ]
