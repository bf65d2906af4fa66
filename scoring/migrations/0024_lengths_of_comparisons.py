import io

import numpy as np
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models.functions import Length

LONGEST = 20_000
"""Characters that the judge saw of an answer."""


def add_lengths(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Store the lengths of the compared answers, from which boards compute win rates at equal length."""
    del schema_editor
    answers = apps.get_model("scoring", "Answer").objects.filter(participant="").annotate(length=Length("text"))
    comparisons = apps.get_model("scoring", "Comparison").objects
    for key in list(comparisons.values_list("pk", flat=True)):
        comparison = comparisons.select_related("run").get(pk=key)
        arrays = dict(np.load(io.BytesIO(bytes(comparison.arrays)), allow_pickle=False))
        if "lengths" in arrays:
            continue
        sides = [
            dict(answers.filter(answer_set=side).values_list("qid", "length"))
            for side in (comparison.run.answer_set_id, comparison.run.opponent_id)
        ]
        lengths = [[min(of.get(qid, 0), LONGEST) for of in sides] for qid in arrays["qids"].tolist()]
        asked = arrays["answered"].all(axis=1, keepdims=True)
        arrays["lengths"] = np.where(asked, np.array(lengths, dtype=np.float64).reshape(-1, 2), 0.0)
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **arrays)
        comparison.arrays = buffer.getvalue()
        comparison.save(update_fields=["arrays"])


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0023_sums_of_python_3_11"),
    ]

    operations = [
        migrations.RunPython(add_lengths, migrations.RunPython.noop),
        migrations.RemoveField(model_name="comparison", name="win_rate"),
        migrations.RemoveField(model_name="comparison", name="controlled"),
        migrations.RemoveField(model_name="comparison", name="controlled_low"),
        migrations.RemoveField(model_name="comparison", name="controlled_high"),
        migrations.RemoveField(model_name="comparison", name="length_slope"),
        migrations.AlterField(
            model_name="comparison",
            name="arrays",
            field=models.BinaryField(help_text="A NumPy .npz file: qids, scores, verdicts, answered, lengths."),
        ),
    ]
