from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Exists, F, OuterRef, Value
from django.db.models.functions import Length, Substr

COMPARED = "side-by-side"
PAIR = "side-by-side-pair"


def split_names(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Write what names of metrics and scores say into the fields of runs: subset, repeat, further pair."""
    del schema_editor
    run, score = apps.get_model("scoring", "Run"), apps.get_model("scoring", "Score")
    signature = apps.get_model("scoring", "CurrentSignature")
    for subset in apps.get_model("scoring", "Split").objects.exclude(subset_of=None):
        ending = f"@{subset.slug}"
        score.objects.filter(run__revision__split=subset, name__endswith=ending).update(name=without("name", ending))
        run.objects.filter(revision__split=subset, metric__endswith=ending).update(
            metric=without("metric", ending), subset=subset.slug
        )
        signature.objects.filter(split=subset.subset_of_id, metric__endswith=ending).update(
            metric=without("metric", ending), subset=subset.slug
        )
    repeats = {"repeat__gt": 0, "metric__endswith": "-repeat"}
    of_repeats = {"run__repeat__gt": 0, "name__endswith": "-repeat"}
    score.objects.filter(**of_repeats).update(name=without("name", "-repeat"))
    run.objects.filter(**repeats).update(metric=without("metric", "-repeat"), counts=False)
    merge_pairs(apps)
    score.objects.filter(run__metric=PAIR, name__endswith="-pair").update(name=without("name", "-pair"))
    run.objects.filter(metric=PAIR).update(metric=COMPARED, counts=False)
    # A pair with the present baseline is a comparison with it.
    with_baseline = apps.get_model("scoring", "Baseline").objects.filter(answer_set=OuterRef("opponent"))
    pairs = run.objects.filter(metric=COMPARED, counts=False, repeat=0)
    pairs.filter(Exists(with_baseline)).update(counts=True)


def without(field: str, ending: str) -> Substr:
    return Substr(field, Value(1), Length(F(field)) - len(ending))


def merge_pairs(apps: Apps) -> None:
    """Keep one run where a further pair and a comparison with a baseline are of the same answers: the finished one, or
    the one that counts. All verdicts stay."""
    run = apps.get_model("scoring", "Run")
    same = {name: OuterRef(name) for name in ("answer_set", "opponent", "signature", "repeat")}
    pairs = run.objects.filter(metric=PAIR).filter(Exists(run.objects.filter(metric=COMPARED, **same)))
    for pair in pairs.iterator(chunk_size=500):
        counting = run.objects.get(metric=COMPARED, **{name: getattr(pair, name) for name in same})
        keeps_pair = pair.state == "done" and counting.state != "done"
        kept, other = (pair, counting) if keeps_pair else (counting, pair)
        for model in ("Verdict", "JudgeBatch", "BudgetRelease"):
            apps.get_model("scoring", model).objects.filter(run=other).update(run=kept)
        estimates = apps.get_model("scoring", "JudgeEstimate").objects
        if not estimates.filter(run=kept).exists():
            estimates.filter(run=other).update(run=kept)
        other.delete()
        if keeps_pair:
            scores = apps.get_model("scoring", "Score").objects.filter(run=pair, name__endswith="-pair")
            scores.update(name=without("name", "-pair"))
            run.objects.filter(pk=pair.pk).update(metric=COMPARED)


class Migration(migrations.Migration):
    dependencies = [
        ("scoring", "0027_run_key_fields"),
    ]

    operations = [
        migrations.RunPython(split_names, migrations.RunPython.noop),
    ]
