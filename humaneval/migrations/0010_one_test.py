"""Items of known outcome are asked in the test before the questions, and no longer as the first questions."""

import django.core.validators
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import timezone

RIGHT = {True: "yes", False: "no"}
REASON = "Did not pass the qualification test."


def carry_over(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Keep what people did in the test as their attempt, and the number of other items that each is asked about.

    Who has not done the whole test is asked all of it before the next question, or excluded if their part is over:
    their votes did not count. Votes on items of the test stay stored, and count nowhere.
    """
    now = timezone.now()
    tested = apps.get_model("humaneval", "Study").objects.filter(kind="items", n_qualification__gt=0)
    for study in tested:
        is_closed = study.closes_at is not None and study.closes_at <= now
        for person in study.participants.filter(is_preview=False, withdrawn_at=None):
            rows = list(person.assignments.filter(item__is_qualification=True).select_related("item"))
            n_right = sum(row.text == RIGHT[row.item.supported] for row in rows)
            done = [row.done_at for row in rows if row.done_at is not None]
            is_done = bool(rows) and len(done) == len(rows)
            passed = is_done and n_right / len(rows) >= study.qualification_share
            if is_done:
                attempt = {"right": n_right, "of": len(rows), "passed": passed, "at": max(done).isoformat()}
                person.attempts = [*person.attempts, attempt]
            has_longer = person.extended_until is not None and person.extended_until > now
            is_over = bool(person.finished_at or person.dropped_at) or (is_closed and not has_longer)
            if rows and not passed and (is_done or is_over) and person.excluded_at is None:
                person.excluded_at, person.exclusion_reason = now, REASON
                text = f"Excluded at the upgrade: {REASON}"
                study.events.create(participant_code=f"P-{person.number:02}", text=text)
            person.save(update_fields=["attempts", "excluded_at", "exclusion_reason"])
    n_others = F("questions_per_participant") - F("n_qualification")
    tested.update(questions_per_participant=Greatest(n_others, 1))


class Migration(migrations.Migration):
    dependencies = [
        ("humaneval", "0009_learning"),
    ]

    operations = [
        migrations.RunPython(carry_over, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='study',
            name='learning',
            field=models.JSONField(blank=True, db_default=[], default=list, editable=False, help_text='Entries with use (example, practice or test), the texts of the type, expected (every answer that is right) and why.', verbose_name='examples, practice and test'),
        ),
        migrations.AlterField(
            model_name='study',
            name='n_qualification',
            field=models.PositiveSmallIntegerField(default=0, help_text='Number of loaded items of known outcome that are drawn for each attempt at the test.', verbose_name='qualification items'),
        ),
        migrations.AlterField(
            model_name='study',
            name='qualification_share',
            field=models.FloatField(default=0.8, help_text='Share of an attempt at the test that must be right, 0 to 1.', validators=[django.core.validators.MinValueValidator(0.0), django.core.validators.MaxValueValidator(1.0)], verbose_name='qualification threshold'),
        ),
        migrations.AlterField(
            model_name='study',
            name='test_attempts',
            field=models.PositiveSmallIntegerField(choices=[(1, 'One'), (2, 'Two, with other questions')], db_default=1, default=1, help_text='With two attempts, the second half of the test is for those who fail the first: enter twice as many questions. Those who fail the last attempt are screened out.', verbose_name='attempts at the test'),
        ),
    ]
