"""An encyclopedia, and somebody who takes part in a study with it."""

import pytest
from django.test import Client

from humaneval.models import Assignment, Participant, Study
from tests import volunteers


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    return volunteers.encyclopedia(tmp_path_factory.mktemp("encyclopedia"))


@pytest.fixture
def study(source: str) -> Study:
    return volunteers.open_study(encyclopedia=source)


@pytest.fixture
def participant(client: Client, study: Study) -> Participant:
    return volunteers.seated(client, study)


@pytest.fixture
def base(participant: Participant) -> str:
    return f"/studies/{participant.study.slug}/questions/1/"


@pytest.fixture
def first(participant: Participant) -> Assignment:
    return participant.assignments.get(position=1)
