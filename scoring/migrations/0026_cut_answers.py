import io

import numpy as np
from django.db import migrations, models
from django.db.models import Value
from django.db.models.functions import Length, Replace

LONGEST = 20_000
"""Characters of an answer that the judge got so far."""


def name_the_limit(apps, schema_editor):
    """Signatures of comparisons name how many characters of an answer the judge got. It was the same for all."""
    del schema_editor
    for model, metric in (("Run", "metric"), ("Score", "run__metric"), ("CurrentSignature", "metric")):
        rows = apps.get_model("scoring", model).objects.filter(**{f"{metric}__startswith": "side-by-side"})
        rows = rows.filter(signature__contains="|data:").exclude(signature__contains="|cut:")
        rows.update(signature=Replace("signature", Value("|data:"), Value(f"|cut:{LONGEST}|data:")))


def count_cut_answers(apps, schema_editor):
    """Count the answers of earlier comparisons that the judge got cut, of both sides."""
    del schema_editor
    answers = apps.get_model("scoring", "Answer").objects.filter(participant="")
    long = answers.annotate(length=Length("text")).filter(length__gt=LONGEST)
    cut = {}
    for answer_set, qid in long.values_list("answer_set", "qid"):
        cut.setdefault(answer_set, set()).add(qid)
    for comparison in apps.get_model("scoring", "Comparison").objects.select_related("run").iterator():
        sides = [cut.get(comparison.run.answer_set_id, set()), cut.get(comparison.run.opponent_id, set())]
        if any(sides):
            arrays = np.load(io.BytesIO(bytes(comparison.arrays)), allow_pickle=False)
            compared = set(arrays["qids"][arrays["answered"].all(axis=1)].tolist())
            comparison.n_cut, comparison.n_cut_opponent = (len(side & compared) for side in sides)
            comparison.save(update_fields=["n_cut", "n_cut_opponent"])


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0025_question_clusters"),
    ]

    operations = [
        migrations.AddField(
            model_name="comparison",
            name="n_cut",
            field=models.PositiveIntegerField(
                default=0, help_text="Compared answers of which the judge got only the beginning."
            ),
        ),
        migrations.AddField(
            model_name="comparison",
            name="n_cut_opponent",
            field=models.PositiveIntegerField(default=0, help_text="The same of the opponent's answers."),
        ),
        migrations.RunPython(name_the_limit, migrations.RunPython.noop),
        migrations.RunPython(count_cut_answers, migrations.RunPython.noop),
    ]
