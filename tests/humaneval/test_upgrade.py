"""The upgrade to 0.8.0: studies that anybody could vote in, saved passages and notes, other sources."""

import datetime
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.utils import timezone

from humaneval.models import Kind, Study, StudyItem, StudyState, Visit
from humaneval.studies.deletion import delete_study
from tests import factories

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]

BEFORE, AFTER = ("humaneval", "0016_graded_answer_sets"), ("humaneval", "0017_studies")
GONE = ("PublicVote", "OpenPair", "SavedPassage")


@pytest.fixture
def before() -> Iterator[ProjectState]:
    """Models of the version before, with the tables and columns that this one has not."""
    state = MigrationLoader(connection).project_state(BEFORE)
    models = [state.apps.get_model("humaneval", name) for name in GONE]
    columns = [
        (state.apps.get_model("humaneval", name), field)
        for name, field in (("Study", "public_from"), ("Visit", "note"))
    ]
    with connection.schema_editor() as editor:
        for model in models:
            editor.create_model(model)
        for model, field in columns:
            editor.add_field(model, model._meta.get_field(field))
    yield state
    with connection.schema_editor() as editor:
        for model in reversed(models):
            editor.delete_model(model)
        model, field = columns[1]
        editor.remove_field(model, model._meta.get_field(field))


@pytest.fixture
def studies(before: ProjectState) -> dict[str, Study]:
    """Studies of pairs by what they were, after the upgrade."""
    owner = factories.maintainer()
    split = factories.split(factories.benchmark(), "dev")
    past, later = (timezone.now() + datetime.timedelta(days=days) for days in (-9, 9))
    dates: dict[str, dict[str, Any]] = {
        "public": {"opens_at": past},
        "ending": {"opens_at": past, "closes_at": later},
        "over": {"opens_at": past, "closes_at": past + datetime.timedelta(days=1)},
        "draft": {"opens_at": None},
        "invited": {"opens_at": past},
    }
    made = {name: factories.study(owner, split, name, kind=Kind.PAIRS, **fields) for name, fields in dates.items()}
    apps = before.apps
    old = apps.get_model("humaneval", "Study").objects
    old.exclude(name="invited").update(public_from=past)
    old.filter(name="draft").update(encyclopedia="kiwix:http://127.0.0.1:9")
    item = apps.get_model("humaneval", "StudyItem").objects.create(
        study_id=made["public"].pk, key="I-00001", candidate="Oslo", other="Bergen", origin="prediction"
    )
    said = {"visitor": "v", "address": "a", "swapped": False, "vote": "left", "seconds": 30.0}
    apps.get_model("humaneval", "PublicVote").objects.create(item=item, **said)
    apps.get_model("humaneval", "OpenPair").objects.create(study_id=made["public"].pk, item=item, address="a")
    participant = apps.get_model("humaneval", "Participant").objects.create(
        study_id=made["public"].pk, number=1, receipt_code="one"
    )
    assigned = apps.get_model("humaneval", "Assignment").objects.create(participant=participant, position=1, item=item)
    apps.get_model("humaneval", "Visit").objects.create(assignment=assigned, origin="link", title="Norway", note="mine")
    apps.get_model("humaneval", "SavedPassage").objects.create(assignment=assigned, path="Norway", title="Norway")
    with connection.schema_editor() as editor:
        MigrationLoader(connection).get_migration(*AFTER).apply(before.clone(), editor)
    return {study.name: study for study in Study.objects.all()}


def rows(query: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return list(cursor.fetchall())


def test_what_goes_stays_in_the_database_and_hinders_nothing(studies: dict[str, Study]) -> None:
    states = {name: study.state for name, study in studies.items()}
    assert states == {
        "public": StudyState.CLOSED,
        "ending": StudyState.CLOSED,
        "over": StudyState.CLOSED,
        "draft": StudyState.DRAFT,
        "invited": StudyState.OPEN,
    }
    assert studies["draft"].encyclopedia == ""
    assert "kiwix:http://127.0.0.1:9" in str(studies["draft"].events.values_list("text"))
    assert rows("SELECT note FROM humaneval_visit") == [("mine",)]
    visit = Visit.objects.get()
    Visit.objects.create(assignment=visit.assignment, origin="link", title="Oslo")
    delete_study(studies["public"], reason="Over.", by=studies["public"].owner)
    assert not StudyItem.objects.exists()
    for table in map(str.lower, GONE):
        assert len(rows(f"SELECT * FROM humaneval_{table}")) == 1, table
