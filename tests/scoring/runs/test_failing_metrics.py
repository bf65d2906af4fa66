"""A metric of a package that raises an error: what the maintainers, the submitter and the log are told."""

import importlib
import logging
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from leaderboard.models import AuditRecord, Submission
from leaderboard.submissions.types import OF_STATE
from scoring import registry
from scoring.metrics.base import Metric
from scoring.metrics.string_accuracy import StringAccuracy
from scoring.models import Run
from scoring.models.run_states import RunState
from scoring.runs import execution
from scoring.runs.errors import NO_ANSWERS
from scoring.tasks import execute_run
from tests import factories

pytestmark = pytest.mark.django_db
NAMED = re.compile(r"\btest-2\b")  # the folder of the test may be of a run "pytest-2…"
MODULE = """
from scoring.metrics.base import Metric


class Picky(Metric):
    name = "accuracy"
    label = "Picky"
    version = "0.6.0"
    task_types = ("text-answer",)
    score_names = ("loose",)
    package = "made-up:1.0"
    real = None
    alone = True

    def signature_parts(self):
        return ()

    def signature(self, data=None):
        return type(self).real.signature(data)

    def prepare(self, references):
        return list(references)

    def score(self, prepared, generations, progress=None, budget=None):
        if len(prepared) == 1 and not self.alone:
            raise ValueError("too few")
        return {"loose": [compared(*pair) for pair in zip(prepared, generations)]}


def compared(reference, answer):
    if answer == "odd":
        int(f"{reference}\\n is no number")  # the line that fails
    return 0.0
"""
LINE = MODULE[: MODULE.index("# the line that fails")].count("\n") + 1


@pytest.fixture
def picky(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Any]:
    (tmp_path / "made_up_metric.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    made: type[Metric] = importlib.import_module("made_up_metric").Picky
    monkeypatch.setattr(made, "real", registry.METRICS["accuracy"].on_site(settings))
    monkeypatch.setitem(registry.METRICS, "accuracy", made)
    execution.prepared_references.cache_clear()
    yield made
    execution.prepared_references.cache_clear()
    del sys.modules["made_up_metric"]


@pytest.fixture
def sent() -> Submission:
    test = factories.split(factories.benchmark(), "test")
    answers = factories.perfect("test") | {"test-2": "odd"}
    return factories.submission(factories.user(), test, {"openbook": answers})


def failed(sent: Submission) -> Run:
    run = Run.objects.get(metric="accuracy", answer_set__submission_file__submission=sent)
    execute_run(str(run.pk))
    run.refresh_from_db()
    assert run.state == RunState.FAILED
    return run


def test_the_reason_has_message_line_and_question(picky: Any, sent: Submission) -> None:
    first, message = failed(sent).reason.split("\n")
    assert "made-up:1.0" in first
    assert "ValueError" in first
    assert "question test-2" in first
    assert re.search(rf"/made_up_metric\.py:{LINE}\b", first)
    assert "is no number" in message
    assert "is no number" not in first


def test_the_log_has_the_line_and_no_message(picky: Any, sent: Submission, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    failed(sent)
    assert f'made_up_metric.py", line {LINE}' in caplog.text
    assert "no number" not in re.sub(r'^ +int\(f".*$', "", caplog.text, flags=re.MULTILINE), "but for the source line"


def test_no_question_is_named_if_none_fails_alone(picky: Any, sent: Submission) -> None:
    picky.alone = False
    assert not NAMED.search(failed(sent).reason)


def test_no_question_is_looked_for_when_the_time_is_up(
    picky: Any, sent: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execution, "LOOK_SECONDS", 0)
    reason = failed(sent).reason
    assert not NAMED.search(reason)
    assert "is no number" in reason


def test_a_metric_of_the_software_has_no_message(picky: Any, sent: Submission) -> None:
    picky.package = ""
    reason = failed(sent).reason
    assert "question test-2" in reason
    assert f":{LINE}" in reason
    assert "no number" not in reason


@pytest.mark.parametrize("contact", ["", "questions@board.example.org"])
def test_the_submitter_reads_whom_to_ask_and_the_maintainer_the_cause(
    client: Client, picky: Any, sent: Submission, settings: Any, contact: str
) -> None:
    settings.SITE_CONTACT = contact
    failed(sent)
    factories.score(sent)  # the others: results of a hidden split are told together
    client.force_login(sent.owner)
    for address in (f"/submissions/{sent.pk}/", f"/api/v1/submissions/{sent.pk}/"):
        text = client.get(address).content.decode()
        assert OF_STATE[RunState.FAILED].format(contact=contact or "the maintainers") in text
        assert "no number" not in text
        assert "made_up_metric" not in text
    keeper = factories.user("keeper", is_staff=True)
    keeper.user_permissions.set(Permission.objects.filter(codename__in=["change_split", "view_submission"]))
    for maintainer, sees_references in ((factories.maintainer(), True), (keeper, False)):
        client.force_login(maintainer)
        queues = client.get(reverse("maintenance-queues")).content.decode()
        page = client.get(f"/submissions/{sent.pk}/").content.decode()
        api = client.get(f"/api/v1/submissions/{sent.pk}/").content.decode()
        assert all("question test-2" in text for text in (queues, page, api))
        assert ["is no number" in text for text in (queues, page, api)] == [sees_references, False, False]


def test_the_audit_log_has_no_message(client: Client, picky: Any, sent: Submission) -> None:
    failed(sent)
    client.force_login(factories.maintainer())
    page = client.get(reverse("maintenance-queues")).content.decode()
    (key,) = re.findall(r'name="retry"\s+value="(\w+)"', page) or re.findall(r'value="(\w{20})"', page)
    client.post(reverse("maintenance-queues"), {"retry": key})
    record = AuditRecord.objects.get()
    assert "made-up:1.0" in record.text
    assert "no number" not in record.text


def test_the_submitter_of_an_empty_file_is_told_so(client: Client, sent: Submission) -> None:
    factories.score(sent)
    Run.objects.filter(metric="accuracy").update(state=RunState.FAILED, reason=NO_ANSWERS)
    client.force_login(sent.owner)
    assert NO_ANSWERS in client.get(f"/submissions/{sent.pk}/").content.decode()


def test_prepared_references_are_shared_by_signature_so_that_a_package_may_make_a_metric_anew() -> None:
    class Unhashable(StringAccuracy):
        __hash__ = None  # type: ignore[assignment] # as a dataclass that compares its fields

    wanted, again = (execution.Prepared("signature", "content", Unhashable(), 1) for _ in range(2))
    assert wanted == again and hash(wanted) == hash(again)
    assert wanted != execution.Prepared("signature", "other content", Unhashable(), 1)
