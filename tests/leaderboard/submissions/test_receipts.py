"""What is in the place of receipts."""

import hashlib

import pytest
from django.test import Client

from leaderboard.submissions.views import NO_RECEIPTS
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["", "verify/", "keys/", "e36ca401-7573-479d-b89a-140266d78fc1/receipt.json"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_addresses_of_receipts_are_gone_and_say_what_is_in_their_place(client: Client, path: str, method: str) -> None:
    response = getattr(client, method)(f"/receipts/{path}")
    assert response.status_code == 410
    assert response.content.decode().strip() == NO_RECEIPTS


def test_the_api_has_the_hash_of_each_file_and_its_scores(client: Client) -> None:
    ada = factories.user()
    sent = factories.scored(ada, factories.split(factories.benchmark(), "dev"), {"openbook": factories.perfect()})
    client.force_login(ada)
    (file,) = client.get(f"/api/v1/submissions/{sent.pk}/").json()["files"]
    assert file["sha256"] == hashlib.sha256(factories.generations(factories.perfect())).hexdigest()
    assert {score["name"]: score["value"] for run in file["runs"] for score in run["scores"]}["strict"] == 1.0
