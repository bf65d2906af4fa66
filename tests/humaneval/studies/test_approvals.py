"""Whom a platform pays, by the list for the study's maintainers, and ids that are nowhere else."""

import csv
import datetime
import io
import zipfile
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from humaneval.models import Participant, Study, StudyEvent
from humaneval.results.exports.archive import write_export
from humaneval.studies.dashboard import dashboard
from humaneval.studies.form_steps import step_with
from humaneval.studies.queries import NOT_QUALIFIED
from leaderboard.models import AuditRecord
from tests import factories, study_steps, volunteers
from tests.study_people import assigned, participant

pytestmark = pytest.mark.django_db
MINUTE = datetime.timedelta(minutes=1)
CHECK = {"text": "Write blue.", "answers": ["blue"]}


def paid_study(platform: str) -> Study:
    """A study on a platform, with somebody for each outcome, and somebody who came by a personal link."""
    study = volunteers.open_study(
        platform=platform, exclusion_rules={"checks": 1, "seconds": 10}, pay=Decimal("6.00"), currency="GBP"
    )
    now = timezone.now()
    columns: list[dict[str, Any]] = [
        {"finished_at": now, "consented_at": now - 30 * MINUTE},
        {"finished_at": now, "consented_at": now - 20 * MINUTE},
        {"excluded_at": now, "exclusion_reason": NOT_QUALIFIED},
        {"dropped_at": now},
        {"finished_at": now, "consented_at": now - 10 * MINUTE},
        {},
    ]
    for number, own in enumerate(columns, start=1):
        who = participant(
            study, number, platform_id=f"person{number} submission{number}", platform_key="k" * number, **own
        )
        assigned(who, 1, "test-0", "Oslo", active_seconds=2.0 if number == 5 else 300.0)
        if number == 2:
            assigned(who, 2, text="red", attention_check=CHECK)
    participant(study, 7, finished_at=now, consented_at=now - 40 * MINUTE)
    return study


def downloaded(client: Client, study: Study, **data: str) -> str:
    client.force_login(study.owner)
    answer = client.post(reverse("manage-study-approvals", args=[study.slug]), data)
    assert (answer.status_code, answer["Cache-Control"]) == (200, "no-store")
    return answer.content.decode()


def test_the_list_for_prolific_has_everybody_who_came_from_there(client: Client) -> None:
    rows = list(csv.DictReader(io.StringIO(downloaded(client, paid_study("prolific")))))
    assert [(row["participant_id"], row["submission_id"]) for row in rows] == [
        (f"person{number}", f"submission{number}") for number in range(1, 7)
    ]
    assert [(row["outcome"], row["suggestion"], row["reason"], row["minutes"], row["pay"]) for row in rows] == [
        ("done", "approve", "", "30.0", "6.00"),
        ("failed_checks", "reject", "Failed checks: 1 or more", "20.0", ""),
        ("screened_out", "", NOT_QUALIFIED, "", ""),
        ("timed_out", "", "", "", ""),
        ("done", "approve", "Median time of a question below 10 s", "10.0", "6.00"),
        ("", "", "", "", ""),
    ]
    assert all(row["code"] for row in rows)


def test_prolific_takes_the_ids_to_approve_one_a_line(client: Client) -> None:
    assert downloaded(client, paid_study("prolific"), ids="1") == "person1\nperson5\n"


def test_the_list_for_mechanical_turk_has_the_columns_of_its_file_of_results(client: Client) -> None:
    rows = list(csv.DictReader(io.StringIO(downloaded(client, paid_study("mturk")))))
    assert [(row["WorkerId"], row["AssignmentId"], row["Approve"], row["Reject"]) for row in rows] == [
        ("person1", "submission1", "x", ""),
        ("person2", "submission2", "", "Failed checks: 1 or more"),
        ("person3", "submission3", "", ""),
        ("person4", "submission4", "", ""),
        ("person5", "submission5", "x", ""),
        ("person6", "submission6", "", ""),
    ]


def test_a_spreadsheet_runs_nothing_in_the_list(client: Client) -> None:
    study = paid_study("prolific")
    Participant.objects.filter(study=study, number=3).update(exclusion_reason="=cmd|' /C calc'!A0")
    rows = list(csv.DictReader(io.StringIO(downloaded(client, study))))
    assert rows[2]["reason"].startswith("'=")


def test_ids_that_were_deleted_are_on_the_list_no_more(client: Client) -> None:
    study = paid_study("prolific")
    Participant.objects.filter(study=study, number__lt=6).update(platform_id=None)
    rows = list(csv.DictReader(io.StringIO(downloaded(client, study))))
    assert [row["participant_id"] for row in rows] == ["person6"]


def test_a_study_on_no_platform_has_no_list_and_a_stranger_gets_none(client: Client) -> None:
    study = volunteers.open_study()
    address = reverse("manage-study-approvals", args=[study.slug])
    client.force_login(study.owner)
    assert client.post(address).status_code == 302
    assert client.get(address).status_code == 405
    Study.objects.filter(pk=study.pk).update(platform="prolific")
    client.force_login(factories.user("stranger"))
    assert client.post(address).status_code == 404


def test_ids_are_in_no_export_no_page_and_no_record(client: Client) -> None:
    study = paid_study("prolific")
    file = io.BytesIO()
    write_export(study, file, by=study.owner, with_contacts=True)
    with zipfile.ZipFile(file) as archive:
        told = {name: archive.read(name).decode() for name in archive.namelist()}
    assert "k" * 6 in told["participants.jsonl"], "the pseudonym"
    downloaded(client, study)
    for name in ("manage-study", "manage-study-results", "manage-study-export", "manage-study-invitations"):
        told[name] = client.get(reverse(name, args=[study.slug])).content.decode()
    own = reverse("manage-study-participant", args=[study.slug, "P-01"])
    told["participant"] = client.get(own).content.decode()
    told["events"] = str(list(StudyEvent.objects.values())) + str(list(AuditRecord.objects.values()))
    assert "list of approvals" in told["events"]
    for place, text in told.items():
        assert "person1" not in text, place
        assert "submission1" not in text, place


def test_the_export_tells_rules_outcome_and_time(client: Client) -> None:
    study = paid_study("prolific")
    file = io.BytesIO()
    write_export(study, file, by=study.owner)
    with zipfile.ZipFile(file) as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read("participants.csv").decode())))
        about = archive.read("study.json").decode()
    assert [(row["counts"], row["outcome"], row["excluded_by"]) for row in rows[:2]] == [
        ("true", "done", ""),
        ("false", "failed_checks", "Failed checks: 1 or more"),
    ]
    assert [float(row["seconds"]) for row in rows[:2]] == [1800, 1200]
    assert '"pay": "6.00"' in about
    assert '"checks": 1' in about


def test_the_study_page_shows_times_and_the_pay_of_an_hour(client: Client) -> None:
    study = paid_study("prolific")
    board = dashboard(study)
    assert [row["seconds"] for row in board["rows"]] == [1800, 1200, None, None, 600, None, 2400]
    assert board["median_seconds"] == 1500
    assert round(board["pay_per_hour"], 2) == Decimal("14.40")
    client.force_login(study.owner)
    assert "GBP 14.40" in client.get(reverse("manage-study", args=[study.slug])).content.decode()


class TestForm:
    def test_what_is_declared_is_stored_and_shown_again(self, client: Client) -> None:
        study = volunteers.open_study()
        client.force_login(study.owner)
        given = {
            "platform": "prolific",
            "time_limit": "90",
            "pay": "6.5",
            "currency": "EUR",
            "completion_done": "https://app.prolific.com/submissions/complete?cc=C1",
        }
        assert study_steps.save(client, study, "people", **given).status_code == 302
        rules = {"exclude_checks": "2", "exclude_outcome": "on"}
        assert study_steps.save(client, study, "quality", **rules).status_code == 302
        study.refresh_from_db()
        assert (study.platform, study.time_limit, study.pay, study.currency) == ("prolific", 90, Decimal("6.5"), "EUR")
        assert study.completions == {"done": "https://app.prolific.com/submissions/complete?cc=C1"}
        assert study.exclusion_rules == {"checks": 2, "outcome": 1}
        before = study.exclusion_rules, study.completions
        for step in ("people", "quality", "texts"):
            assert study_steps.save(client, study, step).status_code == 302
        study.refresh_from_db()
        assert (study.exclusion_rules, study.completions) == before

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("completion_done", "http://app.prolific.com/"),
            ("completion_timed_out", "javascript:alert(1)"),
            ("exclude_checks", "0"),
            ("exclude_percent", "101"),
            ("currency", "Euro"),
            ("pay", "-1"),
            ("time_limit", "0"),
        ],
    )
    def test_what_cannot_be_is_refused_at_its_field(self, client: Client, field: str, value: str) -> None:
        study = volunteers.open_study()
        client.force_login(study.owner)
        step = step_with(field, study.kind)
        changes = {"currency": "EUR"} if step == "people" else {}
        page = study_steps.save(client, study, step, **changes | {field: value})
        assert page.status_code == 422
        assert list(page.context["form"].errors) == [field]

    def test_pay_needs_a_currency(self, client: Client) -> None:
        study = volunteers.open_study()
        client.force_login(study.owner)
        page = study_steps.save(client, study, "people", pay="6")
        assert list(page.context["form"].errors) == ["currency"]

    def test_rules_and_platform_cannot_be_changed_after_the_first_consent(self, client: Client) -> None:
        study = paid_study("prolific")
        client.force_login(study.owner)
        given = {"platform": "mturk", "time_limit": "7", "completion_done": "C2"}
        assert study_steps.save(client, study, "people", **given).status_code == 302
        assert study_steps.save(client, study, "quality", exclude_checks="5").status_code == 302
        study.refresh_from_db()
        assert (study.platform, study.exclusion_rules, study.time_limit) == (
            "prolific",
            {"checks": 1, "seconds": 10},
            None,
        )
        assert study.completions == {"done": "C2"}
