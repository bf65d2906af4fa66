"""What people say of answers that told them who wrote them, masks of a study's own, and shared computers."""

import humaneval.models.studies
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('humaneval', '0004_review_board'),
    ]

    operations = [
        migrations.AddField(
            model_name='assignment',
            name='named_at',
            field=models.DateTimeField(blank=True, help_text='When the participant said that an answer told them who wrote it.', null=True),
        ),
        migrations.AddField(
            model_name='grade',
            name='named',
            field=models.BooleanField(db_default=False, default=False, help_text='As the grader said.', verbose_name='the answer told who wrote it'),
        ),
        migrations.AddField(
            model_name='gradinground',
            name='on_named',
            field=models.CharField(choices=[('leave-out', 'Left out'), ('keep', 'Kept')], db_default='leave-out', default='leave-out', help_text='Whether grades count whose graders said that the answer told them who wrote it.', max_length=10),
        ),
        migrations.AddField(
            model_name='study',
            name='masks',
            field=models.JSONField(blank=True, db_default=[], default=list, help_text='Texts masked in the answers of pairs, besides the names of the systems.', validators=[humaneval.models.studies._require_texts]),
        ),
        migrations.AddField(
            model_name='study',
            name='on_named',
            field=models.CharField(choices=[('leave-out', 'Left out'), ('keep', 'Kept')], db_default='leave-out', default='leave-out', help_text='Whether those count that participants marked with “This answer told me who wrote it”.', max_length=10, verbose_name='choices, votes and ratings on answers that told who wrote them'),
        ),
        migrations.AddField(
            model_name='study',
            name='on_shared_computer',
            field=models.BooleanField(db_default=False, default=False, help_text='The last page has the button “Done”, which ends the session in this browser; closing the browser does too.', verbose_name='participants share computers'),
        ),
        migrations.AlterField(
            model_name='studyitem',
            name='supported',
            field=models.BooleanField(blank=True, help_text='The known outcome, if there is one; of an injected pair, whether the first answer is good.', null=True),
        ),
    ]
