import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import OuterRef, Q, Subquery


def name_answer_sets(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Name a submission's answer by its answer set: the question of the graded answer says which of them it is."""
    answers = apps.get_model("scoring", "Answer").objects.filter(pk=OuterRef("answer"))
    origins = apps.get_model("humaneval", "GradedAnswerOrigin").objects
    origins.filter(**{"answer__isnull": False}).update(answer_set=Subquery(answers.order_by().values("answer_set")[:1]))
    if schema_editor.connection.vendor == "postgresql":  # which changes no table while constraints wait to be checked
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        schema_editor.execute("SET CONSTRAINTS ALL DEFERRED")


class Migration(migrations.Migration):
    dependencies = [
        ("humaneval", "0015_blind_pairs"),
        ("scoring", "0033_answer_blocks"),
    ]
    run_before = [
        ("scoring", "0034_answers_to_blocks"),  # deletes the answers
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="gradedanswerorigin",
            name="graded_answer_is_a_submission_s_or_a_study_s",
        ),
        migrations.AddField(
            model_name="gradedanswerorigin",
            name="answer_set",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="gradings",
                to="scoring.answerset",
            ),
        ),
        migrations.RunPython(name_answer_sets),
        migrations.RemoveField(
            model_name="gradedanswerorigin",
            name="answer",
        ),
        migrations.AddConstraint(
            model_name="gradedanswerorigin",
            constraint=models.CheckConstraint(
                condition=Q(answer_set__isnull=False, assignment__isnull=True)
                | Q(answer_set__isnull=True, assignment__isnull=False),
                name="graded_answer_is_a_submission_s_or_a_study_s",
            ),
        ),
    ]
