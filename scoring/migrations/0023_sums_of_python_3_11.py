import io
import operator
import uuid
from functools import reduce

import numpy as np
from django.db import migrations

MARK = "|sum:compensated"


def is_equal(score):
    """Whether a score's value is the mean of its items, added from left to right."""
    items = np.load(io.BytesIO(bytes(score.vector)), allow_pickle=False)
    return reduce(operator.add, items.tolist(), 0) / score.n_items == score.value


def sign_equal_scores(apps, schema_editor):
    """Means are added from left to right on every version of Python; those of 3.12 and later were signed with a mark.

    A run whose values are equal to the bit loses the mark, and so does a run without scores. If boards show marked
    scores that are not all equal, they still do, and the equal ones are copied: no row loses its score before
    `rescore` made the others and switched the boards.
    """
    del schema_editor
    Run, CurrentSignature = (apps.get_model("scoring", name) for name in ("Run", "CurrentSignature"))
    shown = {
        (one.split_id, one.signature.partition("|served:")[0]): one
        for one in CurrentSignature.objects.filter(signature__contains=MARK)
    }
    equal, differing = [], set()
    for run in Run.objects.filter(signature__contains=MARK).select_related("answer_set").order_by("created_at"):
        board = (run.answer_set.split_id, run.signature)
        if all(map(is_equal, run.scores.all())):
            equal.append((run.pk, board))
        else:
            differing.add(board)

    for pk, board in equal:
        run = Run.objects.get(pk=pk)
        run.signature = run.signature.replace(MARK, "")
        same = Run.objects.filter(answer_set=run.answer_set, metric=run.metric, repeat=run.repeat)
        if same.filter(signature=run.signature, opponent=run.opponent).exists():
            continue
        scores = list(run.scores.all())
        if scores and board in shown and board in differing:
            run.pk = uuid.uuid4()
            run.save(force_insert=True)
            for score in scores:
                score.pk = None
        else:
            run.save(update_fields=["signature"])
        for score in scores:
            score.run, score.signature = run, score.signature.replace(MARK, "")
            score.save()

    for board, one in shown.items():
        if board not in differing:
            one.signature = one.signature.replace(MARK, "")
            one.save(update_fields=["signature"])


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0001_squashed_0022_subsets"),
    ]

    operations = [migrations.RunPython(sign_equal_scores, migrations.RunPython.noop)]
