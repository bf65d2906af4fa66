"""The upgrade of the desk: times never measured, numbers of previews, attention checks among the questions."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client

from humaneval.models import Assignment, Participant, SamplingMethod, Study, Visit
from humaneval.models.people import PREVIEW_NUMBERS_FROM
from tests import study_people, volunteers

pytestmark = pytest.mark.django_db


def test_zeros_are_unknown_and_studies_ask_as_much_as_before() -> None:
    checks = [{"text": "Write blue.", "answers": ["blue"]}]
    study = volunteers.open_study(questions_per_participant=2, attention_checks=checks)
    person = volunteers.seated(Client(), study)
    preview = Participant.objects.create(study=study, number=1_000_003, is_preview=True, receipt_code="x")
    measured, other = person.assignments.order_by("position")
    Assignment.objects.filter(pk=measured.pk).update(active_seconds=3.5)
    Assignment.objects.filter(pk=other.pk).update(active_seconds=0.0)
    study_people.visit(other, "Norway", visible_seconds=0.0, scrolled_share=0.0)
    fixed = Study.objects.create(
        **{name: getattr(study, name) for name in ("owner", "split", "setting", "attention_checks")},
        name="Fixed",
        slug="fixed",
        drawing=SamplingMethod.FIXED,
        question_ids=["test-0"],
    )
    before = fixed.questions_per_participant
    import_module("humaneval.migrations.0009_desk").rewrite(apps, connection.schema_editor())
    assert list(person.assignments.order_by("position").values_list("active_seconds", flat=True)) == [3.5, None]
    assert list(Visit.objects.values_list("visible_seconds", "scrolled_share")) == [(None, None)]
    preview.refresh_from_db()
    person.refresh_from_db()
    assert (preview.number, preview.code, person.code) == (PREVIEW_NUMBERS_FROM + 3, "Preview-4", "P-01")
    study.refresh_from_db()
    fixed.refresh_from_db()
    assert (study.questions_per_participant, study.n_asked - 1) == (3, 2)
    assert fixed.questions_per_participant == before
    assert fixed.n_asked == 2
