from django.db import migrations, models


class Migration(migrations.Migration):
    """A revision knows what copies of its reference answers score."""

    dependencies = [("scoring", "0041_judge")]

    operations = [
        migrations.AddField(
            model_name="revision", name="lost_scores", field=models.JSONField(editable=False, null=True)
        )
    ]
