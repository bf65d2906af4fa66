"""The current page in a participant's way through a study, and the practice question."""

from humaneval.answering.consent import awaits_consent
from humaneval.answering.cookies import ParticipantSession
from humaneval.models import Participant
from humaneval.studies.drawing import practice_question_of
from humaneval.studies.kinds import KINDS
from humaneval.studies.learning import awaits_test
from scoring.models import Question


def step_of(participant_session: ParticipantSession) -> str:
    """The name of the participant's current page."""
    participant = participant_session.participant
    if participant.finished_at:
        return "study-thanks"
    if awaits_consent(participant):
        return "study-consent"
    if participant.instructed_at is None:
        return "study-instructions"
    entries = participant.study.learning
    if participant.rehearsed_at is None and any(entry["use"] == "practice" for entry in entries):
        return "study-rehearsal"
    if participant.practised_at is None and practice_for(participant) is not None:
        return "study-practice"
    if awaits_test(participant):
        return "study-test"
    return "study-questions"


def practice_for(participant: Participant) -> Question | None:
    """The participant's practice question; None if there is none, or if it is one of their own questions."""
    if not KINDS[participant.study.kind].writes_answers:
        return None
    question = practice_question_of(participant.study)
    if question is None or participant.assignments.filter(question__qid=question.qid).exists():
        return None
    return question
