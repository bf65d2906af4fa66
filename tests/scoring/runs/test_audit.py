"""The audit runs the official packages on stored answers, finds a changed number, and keeps hidden texts to itself."""

import logging
import subprocess
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command

from leaderboard.models import AuditRecord
from scoring import tasks
from scoring.metrics import official
from scoring.models import Score, ScoreAudit, vector_bytes
from scoring.runs import audit
from tests import factories

pytestmark = pytest.mark.django_db

ANSWERS = {"dev-0": "Norway - Oslo", "dev-1": "Nairobi, in Kenya", "dev-2": "Lima", "dev-3": "I counted 3."}


@pytest.fixture
def scored() -> None:
    split = factories.split(factories.benchmark(), "dev")
    submission = factories.submission(factories.user(), split, {"openbook": ANSWERS})
    for run in submission.files.get().answer_set.runs.filter(metric__in=["accuracy", "rouge"]):
        tasks.execute_run(str(run.pk))


@pytest.mark.slow  # two processes that import spaCy and NLTK
@pytest.mark.usefixtures("scored")
def test_stored_scores_are_equal_to_the_official_codes_and_a_changed_one_is_found(
    caplog: pytest.LogCaptureFixture, mailoutbox: list[EmailMessage]
) -> None:
    maintainer = factories.user("grace", email="grace@example.org", is_staff=True, is_superuser=True)
    out = StringIO()
    call_command("audit_scores", sample=100, stdout=out)
    assert {(one.metric, one.n_checked, one.n_equal) for one in ScoreAudit.objects.all()} == {
        ("accuracy", 4, 4),
        ("rouge", 4, 4),
    }
    score = Score.objects.get(name="rouge2.fscore")
    vector = score.per_item.copy()
    vector[1] = np.nextafter(vector[1], 2.0)  # the last bit
    Score.objects.filter(pk=score.pk).update(vector=vector_bytes(vector))
    alerted: list[ScoreAudit] = []
    audit.ALERTS.append(alerted.append)
    try:
        with pytest.raises(CommandError):
            call_command("audit_scores", sample=100, stdout=out)
    finally:
        audit.ALERTS.remove(alerted.append)
    (found,) = alerted
    assert score.run_id is not None
    (mail,) = (one for one in mailoutbox if "official" in one.subject)
    assert isinstance(mail.body, str)
    assert mail.to == [maintainer.email]
    assert str(score.run_id) in mail.body
    assert "dev-1" in mail.body
    assert AuditRecord.objects.filter(action="scores.differ", target="metric rouge").count() == 1
    assert (found.metric, found.n_checked, found.n_equal) == ("rouge", 4, 3)
    assert found.differences == [
        {"run": str(score.run_id), "qid": "dev-1", "key": "dev-1", "scores": ["rouge2.fscore"]}
    ]
    assert audit.differing_metrics() == {"rouge"}
    assert not any(text in caplog.text + out.getvalue() + mail.body for text in ("Nairobi", "Oslo", "Lima"))


@pytest.mark.usefixtures("scored")
def test_texts_reach_the_official_code_on_its_standard_input_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A process's arguments are readable by everybody on the machine, and its errors may quote what it read."""
    asked: list[tuple[Any, dict[str, Any]]] = []

    def run(arguments: Any, **options: Any) -> subprocess.CompletedProcess[bytes]:
        asked.append((arguments, options))
        return subprocess.CompletedProcess(arguments, 1, stdout=b"Nairobi", stderr=None)

    monkeypatch.setattr(subprocess, "run", run)
    with caplog.at_level(logging.DEBUG):
        found = audit.audit()
    assert len(found) == 2
    for arguments, options in asked:
        assert "Nairobi" in options["input"].decode()
        assert "Nairobi" not in repr([arguments, options.get("env")])
        assert options["stderr"] == subprocess.DEVNULL
    assert all(one.problem and not one.n_checked for one in found)
    assert "Nairobi" not in caplog.text + repr([one.problem for one in found])
    assert audit.differing_metrics() == set(), "an audit that could not be done found no difference"


@pytest.mark.usefixtures("scored")
def test_what_differed_is_checked_again_until_it_is_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {"dev-2"}

    def official(metric: Any, pairs: Any) -> list[dict[str, float]]:
        scores = {score.name: score for score in Score.objects.filter(run__metric=metric.name)}
        vectors = {name: score.per_item for name, score in scores.items()}
        places = [list(ANSWERS.values()).index(answer) for _, answer in pairs]
        return [
            {name: float(vector[place]) + (f"dev-{place}" in wrong) for name, vector in vectors.items()}
            for place in places
        ]

    monkeypatch.setattr(audit, "official_scores", official)
    first = next(one for one in audit.audit(4) if one.metric == "accuracy")
    assert [one["qid"] for one in first.differences] == ["dev-2"]
    for _ in range(5):
        again = next(one for one in audit.audit(1) if one.metric == "accuracy")
        assert [one["qid"] for one in again.differences] == ["dev-2"], "the sample of one may be another answer"
    wrong.clear()
    audit.audit(1)
    assert audit.differing_metrics() == set()


@pytest.mark.usefixtures("scored")
def test_a_metric_whose_official_code_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_spec(module: str) -> object:
        return None if module in ("spacy", "rouge_score") else object()

    monkeypatch.setattr(official, "find_spec", find_spec)
    assert (official.missing("accuracy"), official.missing("rouge")) == (["spacy"], ["rouge_score"])
    assert audit.audit() == []
    assert not ScoreAudit.objects.exists()
