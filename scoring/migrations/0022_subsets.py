import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('scoring', '0021_comparisons'),
    ]

    operations = [
        migrations.AddField(
            model_name='split',
            name='subset_of',
            field=models.ForeignKey(blank=True, help_text='The split that has these questions too, if this is a subset with reference answers of its own.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='scoring.split'),
        ),
    ]
