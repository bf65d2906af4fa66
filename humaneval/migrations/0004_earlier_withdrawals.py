"""Who withdrew before answer sets knew of it: their answers are marked there, and deleted where that was promised.

What a judge replied to the same questions in these sets is deleted with them, whoever it was about: it may quote them.
"""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

DELETED = "(deleted)"
CLOSED = "An answer in this set was withdrawn, so nothing scores the set again."
UNFINISHED = ("waiting", "running", "incomplete", "failed", "not_configured", "over_budget")


def mark(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Mark, and delete where that was promised."""
    del schema_editor
    participants = apps.get_model("humaneval", "Participant")
    answers = apps.get_model("scoring", "Answer")
    answer_sets = apps.get_model("scoring", "AnswerSet")
    runs = apps.get_model("scoring", "Run")
    verdicts = apps.get_model("scoring", "Verdict")
    left = participants.objects.filter(withdrawn_at__isnull=False).select_related("study", "consent").order_by("pk")
    for one in left:
        theirs = answers.objects.filter(
            answer_set__study_result__study=one.study_id, participant=f"P-{one.number:02}", withdrawn_at=None
        )
        promised = one.consent.on_withdrawal if one.consent else one.study.on_withdrawal
        if promised == "delete":
            for answer in theirs:
                verdicts.objects.filter(run__answer_set=answer.answer_set_id, qid=answer.qid).update(reply="")
            concerned = list(theirs.values_list("answer_set", flat=True).distinct().order_by("answer_set"))
            answer_sets.objects.filter(pk__in=concerned, closed_at=None).update(closed_at=one.withdrawn_at)
            runs.objects.filter(answer_set__in=concerned, state__in=UNFINISHED).update(
                state="cancelled", reason=CLOSED, lease_token="", lease_until=None, finished_at=one.withdrawn_at
            )
            theirs.update(text=DELETED, withdrawn_at=one.withdrawn_at)
        else:
            theirs.update(withdrawn_at=one.withdrawn_at)


class Migration(migrations.Migration):
    dependencies = [
        ("humaneval", "0003_grading"),
        ("scoring", "0011_withdrawn_answers"),
    ]

    operations = [migrations.RunPython(mark, migrations.RunPython.noop)]
