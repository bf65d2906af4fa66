"""Fields that the API does not read are refused by name, with the nearest known one; repeated files have a warning."""

from typing import Any

import pytest
from django.test import Client

from leaderboard.api.unknown_fields import MAX_LISTED, unknown_fields
from leaderboard.models import Submission
from scoring.models import Benchmark
from tests import factories

PATH = "/api/v1/submissions/"


def test_every_name_is_refused_with_its_kind_and_the_nearest_name() -> None:
    sent = ["name", "evidence-provided", "openbook", "x\u202ey"]
    found = unknown_fields(
        sent, ["details", "closed_book"], texts={"name", "details"}, files={"openbook", "closedbook"}
    )
    assert [(field["name"], field["code"], field["nearest"]) for field in found] == [
        ("evidence-provided", "unknown-field", None),
        ("openbook", "sent-as-text", "openbook"),
        ("x\\u202ey", "unknown-field", None),
        ("details", "sent-as-file", "details"),
        ("closed_book", "unknown-field", "closedbook"),
    ]
    assert len(unknown_fields((f"field{number}" for number in range(2 * MAX_LISTED)), texts=set())) == MAX_LISTED


@pytest.mark.django_db
class TestRequests:
    def post(self, client: Client, token: dict[str, str], path: str = PATH, **data: Any) -> Any:
        file = factories.upload(factories.perfect())
        return client.post(path, factories.form_data() | {"openbook": file} | data, headers=token)

    def test_a_misspelt_setting_is_refused_together_with_all_else(
        self, client: Client, made: Benchmark, token: dict[str, str]
    ) -> None:
        for path in (PATH, f"{PATH}validate/"):
            wrong = {"evidence-provided": factories.upload(factories.perfect()), "contxt_size": "1", "type": "?"}
            response = self.post(client, token, path, **wrong)
            body = response.json()
            assert response.status_code == 422
            assert set(body["errors"]) == {"evidence-provided", "contxt_size", "type"}
            nearest = {field["name"]: (field["code"], field["nearest"]) for field in body["fields"]}
            assert nearest == {
                "evidence-provided": ("unknown-field", "evidenceprovided"),
                "contxt_size": ("unknown-field", "context_size"),
            }
        assert not Submission.objects.exists()

    def test_a_setting_sent_as_text_is_refused(self, client: Client, made: Benchmark, token: dict[str, str]) -> None:
        body = self.post(client, token, closedbook="a path, not a file").json()
        assert [field["code"] for field in body["fields"]] == ["sent-as-text"]

    def test_the_known_fields_are_not_refused(self, client: Client, made: Benchmark, token: dict[str, str]) -> None:
        fields = {"benchmark": "fanoutqa", "team": "", "url": "", "citation": "", "details": "x"}
        assert self.post(client, token, trained_for_function_calling="true", **fields).status_code == 201

    def test_newer_versions_and_other_changes(self, client: Client, made: Benchmark, token: dict[str, str]) -> None:
        path = f"{PATH}{self.post(client, token).json()['id']}/"
        files = {"openbook": factories.upload(factories.perfect(right=1)), "opnbook": factories.upload(b"x")}
        body = client.post(f"{path}replace/", files, headers=token).json()
        assert [field["nearest"] for field in body["fields"]] == ["openbook"]
        for change in ("withdraw", "publish"):
            data = {"confirm": True} if change == "withdraw" else {}
            sent = client.post(f"{path}{change}/", data | {"anonymus_until": None}, "application/json", headers=token)
            assert sent.status_code == 422
            assert "anonymus_until" in sent.json()["errors"]
        assert Submission.objects.get().withdrawn_at is None

    def test_one_file_in_two_settings_and_the_same_file_again_have_warnings(
        self, client: Client, made: Benchmark, token: dict[str, str]
    ) -> None:
        def codes(body: Any) -> dict[str, list[str]]:
            return {
                file["setting"]: [group["code"] for group in file.get("warnings", file.get("groups"))]
                for file in body["files"]
            }

        first = self.post(client, token, closedbook=factories.upload(factories.perfect())).json()
        assert codes(first) == {"openbook": ["same-file"], "closedbook": ["same-file"]}
        assert codes(self.post(client, token, f"{PATH}validate/").json()) == {"openbook": ["sent-before"]}
        assert codes(self.post(client, {}, f"{PATH}validate/").json()) == {"openbook": []}
        assert codes(self.post(client, token).json()) == {"openbook": ["sent-before"]}
        assert codes(self.post(client, token, openbook=factories.upload(factories.perfect(right=1))).json()) == {
            "openbook": []
        }
