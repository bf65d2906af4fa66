from django.apps.registry import Apps
from django.db import migrations, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from scoring.models.answers import packed


def move(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Move the answers of systems into blocks, one answer set at a time: what was interrupted goes on where it was."""
    answers, blocks = apps.get_model("scoring", "Answer").objects, apps.get_model("scoring", "AnswerBlock").objects
    of_systems = answers.filter(participant="").order_by()
    for key in list(of_systems.values_list("answer_set", flat=True).distinct()):
        rows = of_systems.filter(answer_set=key)
        with transaction.atomic():
            texts = dict(rows.order_by("pk").values_list("qid", "text"))
            blocks.bulk_create(
                blocks.model(answer_set_id=key, number=number, content=content) for number, content in packed(texts)
            )
            rows.delete()
    connection = schema_editor.connection
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM (FULL, ANALYZE) scoring_answer")  # gives the space back


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("scoring", "0033_answer_blocks"),
    ]

    operations = [
        migrations.RunPython(move),
    ]
