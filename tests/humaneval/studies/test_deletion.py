"""Deleting a study with everything in it, and withdrawing somebody who asked a maintainer to."""

import pytest
from django.contrib.auth.models import Permission
from django.db import models
from django.test import Client
from django.urls import reverse

from humaneval.models import (
    Assignment,
    ConsentVersion,
    Contact,
    GradedAnswer,
    GradingRound,
    Invitation,
    Participant,
    Study,
    StudyEvent,
    StudyResult,
    Visit,
)
from humaneval.participants import invitations
from humaneval.results import answer_sets, human_row
from humaneval.studies.deletion import StudyOnBoardError, delete_study
from leaderboard.models import AuditRecord, Entry, System, User
from scoring.models import Answer, AnswerSet, Run, Score, Verdict
from scoring.models.run_states import RunState
from scoring.runs import execution, leases
from tests import factories, volunteers
from tests import study_people as people_of
from tests.notices import notices

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(grace: User) -> Study:
    """Answered, scored, put on the board and in a grading round; with a link and an address."""
    made = factories.study(grace, factories.split(factories.benchmark(), "dev"))
    people_of.lively(made)
    invitations.invite_many(made, by=grace, emails=("someone@example.org",), n=1, label="Course")
    result = answer_sets.make_answer_set(made, by=grace)
    run = Run.objects.get(answer_set=result.answer_set, metric="accuracy")
    token = leases.claim(str(run.pk))
    assert token is not None
    execution.execute(str(run.pk), token, check=lambda: None)
    Run.objects.exclude(pk=run.pk).update(state=RunState.FAILED)
    human_row.publish_people(result, by=grace, authors="G. Hopper")
    graders = [grace, factories.user("second")]
    factories.grading_round(grace, made.split, graders=graders, studies=[made], calibration_start=0)
    return made


def rows_of(*kinds: type[models.Model]) -> list[int]:
    return [kind._base_manager.count() for kind in kinds]


IN_IT = (Study, Participant, Assignment, Visit, Invitation, Contact, ConsentVersion, StudyEvent, StudyResult)
BELOW = (AnswerSet, Answer, Run, Score, Entry, System, GradedAnswer)


class TestDeleting:
    def test_deleting_a_study_deletes_its_data_and_keeps_a_record(self, study: Study, grace: User) -> None:
        other = factories.study(grace, study.split, "Another")
        Participant.objects.create(study=other, number=1, receipt_code="other")
        human_row.unpublish_people(study, by=grace)
        assert all(rows_of(*IN_IT, *BELOW)), "there is something of each kind"
        record = delete_study(study, by=grace, reason="The ethics board asked for it.")
        assert list(Study.objects.all()) == [other]
        assert rows_of(*IN_IT[1:2]) == [1]
        assert StudyEvent.objects.exclude(study=other).count() == 0
        assert rows_of(Assignment, Visit, Invitation, Contact, ConsentVersion, StudyResult, *BELOW) == [0] * 13
        assert GradingRound.objects.count() == 1
        assert (record.action, record.target) == ("study.deleted", f"study {study.slug}")
        assert "Participants: 7; answers: 7; answer sets: 1; graded answers: 4." in record.text
        assert "The ethics board asked for it." in record.text

    def test_deleting_a_study_deletes_judge_replies(self, study: Study, grace: User) -> None:
        run = Run.objects.get(metric="judge")
        Run.objects.filter(pk=run.pk).update(state=RunState.DONE)
        address = volunteers.judge_address(run, "P-01")
        said = {"outcome": "verdict", "letter": "B", "model": "judge", "seed": 1}
        Verdict.objects.create(address=address, ask=1, qid="dev-0", run=run, reply="They wrote that …", **said)
        human_row.unpublish_people(study, by=grace)
        delete_study(study, by=grace)
        verdict = Verdict.objects.get()
        assert (verdict.reply, verdict.letter, verdict.run) == ("", "B", None)

    def test_a_study_on_the_board_cannot_be_deleted(self, study: Study, grace: User) -> None:
        with pytest.raises(StudyOnBoardError):
            delete_study(study, by=grace)
        assert Study.objects.filter(pk=study.pk).exists()

    def test_a_study_is_deleted_after_its_slug_is_typed(self, study: Study, grace: User, client: Client) -> None:
        client.force_login(grace)
        address = reverse("manage-study-delete", args=[study.slug])
        assert address in client.get(reverse("manage-study-edit", args=[study.slug])).content.decode()
        page = client.get(address).content.decode()
        assert 'id="on-board"' in page and 'name="slug"' not in page
        typed = {"slug": study.slug, "reason": "Asked for."}
        refused = client.post(address, typed)
        assert (refused.status_code, Study.objects.count()) == (422, 1)
        removed = client.post(reverse("manage-study-unpublish", args=[study.slug]), follow=True)
        assert [tone for tone, _ in notices(removed)] == ["good"]
        assert "7 participants with" in " ".join(client.get(address).content.decode().split())
        for wrong in ({**typed, "slug": "spring"}, {**typed, "slug": ""}, {**typed, "reason": ""}):
            assert client.post(address, wrong).status_code == 422
        done = client.post(address, typed, follow=True)
        assert done.redirect_chain[-1][0] == reverse("manage-studies")
        ((tone, text),) = notices(done)
        assert (tone, f"“{study.name}”" in text) == ("good", True)
        assert not Study.objects.exists()
        assert AuditRecord.objects.filter(action="study.deleted", actor=grace).exists()

    def test_a_study_maintainer_without_the_right_cannot_delete_it(self, study: Study, client: Client) -> None:
        keeper = factories.user("keeper", is_staff=True)
        keeper.user_permissions.add(Permission.objects.get(codename="change_study"))
        client.force_login(keeper)
        address = reverse("manage-study-delete", args=[study.slug])
        assert address not in client.get(reverse("manage-study-edit", args=[study.slug])).content.decode()
        assert client.get(address).status_code == 404
        assert client.post(address, {"slug": study.slug, "reason": "x"}).status_code == 404

    def test_the_admin_site_links_to_the_deletion_page(self, study: Study, grace: User, client: Client) -> None:
        client.force_login(grace)
        address = reverse("admin:humaneval_study_delete", args=[study.pk])
        page = client.get(address).content.decode()
        assert f'<a href="{reverse("manage-study-delete", args=[study.slug])}">' in page
        client.post(address, {"post": "yes"})
        assert Study.objects.exists()


class TestWithdrawingForSomebody:
    def test_a_maintainer_withdraws_a_participant_on_request(self, study: Study, grace: User, client: Client) -> None:
        client.force_login(grace)
        address = reverse("manage-study-participant", args=[study.slug, "P-01"])
        page = " ".join(client.get(address).content.decode().split())
        assert 'value="withdraw"' in page and 'data-on-withdrawal="delete"' in page
        assert client.post(address, {"action": "withdraw"}).status_code == 422
        assert Assignment.objects.filter(participant__study=study, participant__number=1).exists()
        done = client.post(address, {"action": "withdraw", "confirm": "on"}, follow=True)
        assert [tone for tone, _ in notices(done)] == ["good"]
        assert 'value="withdraw"' not in done.content.decode()
        assert not Assignment.objects.filter(participant__study=study, participant__number=1).exists()
        assert AuditRecord.objects.filter(action="study.withdrawn", actor=grace, target__contains="P-01").exists()
        assert 'data-session="deleted"' in done.content.decode()
        again = client.post(address, {"action": "withdraw", "confirm": "on"}, follow=True)
        assert [tone for tone, _ in notices(again)] == ["bad"], "a tab that was opened before"
