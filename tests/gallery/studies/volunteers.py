"""What volunteers see when something is odd: too late, nothing there, two tabs, no encyclopedia."""

import uuid
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from humaneval.answering.answers import LONGEST_ANSWER, LONGEST_NOTE, Saved
from humaneval.answering.cookies import ParticipantSession
from humaneval.answering.critiques import HIGHEST_SCORE, LOWEST_SCORE, pair_of
from humaneval.answering.desks import StudyDesk
from humaneval.answering.question_context import QuestionContext
from humaneval.answering.reader_views import UNAVAILABLE
from humaneval.encyclopedia.base import Article
from humaneval.encyclopedia.reader import Reading, article_reading
from humaneval.models import (
    Assignment,
    Invitation,
    Kind,
    Origin,
    Participant,
    Platform,
    Preference,
    ReaderTab,
    StudyItem,
    Visit,
)
from humaneval.studies.kinds import KINDS
from humaneval.studies.kinds.base import NO_VOTE
from humaneval.studies.kinds.ratings import NO_RATING
from humaneval.studies.learning import Control, Part, Shown
from humaneval.studies.masking import MASK
from humaneval.studies.outcomes import Completion
from scoring.models import Question
from tests.gallery.site import SamplePage
from tests.gallery.site.texts import LONG_WORD
from tests.gallery.studies.ground import LONG_QUESTION, RATING_DECLARATION, overview, page, participant, study

LINK = f"https://manyhop.example/studies/sample/join/{'x' * 43}/"


def _seat(**fields: Any) -> ParticipantSession:
    who: Participant = participant(**fields)
    return ParticipantSession(study=who.study, participant=who, invitation=Invitation(study=who.study))


def _consent() -> dict[str, Any]:
    """Somebody who declined before comes back, and the text changes meanwhile."""
    participant_session = _seat(consented_at=None, declined_at=timezone.now())
    return {
        "participant_session": participant_session,
        "digest": "0" * 64,
        "deletes": False,
        "recorded": ["your judgements, with every saved version and its time"],
        "changed": True,
        "open": True,
    }


def _questions() -> dict[str, Any]:
    return {"participant_session": _seat(), "progress": overview(), "link": LINK, "open": False, "ends_at": None}


def _desk() -> dict[str, Any]:
    """Two tabs have saved, and the encyclopedia is away."""
    participant_session, now = _seat(), timezone.now()
    assignment = Assignment(
        participant=participant_session.participant,
        position=3,
        question=Question(text=LONG_QUESTION),
        text=f"Since 1951: {LONG_WORD}",
        version=17,
        saved_at=now,
        skipped_at=now,
        note=f"I could not find the last one. {LONG_WORD}",
    )
    visits = [
        Visit(pk=1, title="Norway", path="Norway", origin=Origin.RESULT, used=True),
        Visit(pk=2, title=LONG_WORD * 2, path="x", origin=Origin.LINK),
        Visit(pk=3, title=f"elsewhere.example/{LONG_WORD}", origin=Origin.REPORTED),
    ]
    return {
        "participant_session": participant_session,
        "context": QuestionContext(participant_session, 3, LONG_QUESTION, StudyDesk(assignment), assignment),
        "assignment": assignment,
        "text": assignment.text,
        "note": assignment.note,
        "key": uuid.UUID(int=0),
        "progress": overview(),
        "numbers": {"last": 5, "before": 2, "after": 4},
        "reading": Reading("away", query="lakes", message=gettext(UNAVAILABLE), again="?q=lakes"),
        "tabs": [
            ReaderTab(path="Norway", title="Norway"),
            ReaderTab(path="x", title=LONG_WORD * 2),
            ReaderTab(path="y", title="A third article, opened in the background"),
        ],
        "articles": [(visit, 4 - place) for place, visit in enumerate(visits, start=1)],
        "source_name": f"An encyclopedia with a long name, {LONG_WORD}, of 20 November 2023",
        "here": reverse("study-question", args=["sample", 3]),
        "longest_answer": LONGEST_ANSWER,
        "longest_note": LONGEST_NOTE,
        "conflict": Saved(is_saved=False, version=18, text=f"Since 1952.\n{LONG_WORD}", saved_at=now),
        "conflict_text": f"Since 1952.\n{LONG_WORD}",
        "problem": gettext("This text has %(n)s characters. Shorten it to at most %(limit)s.")
        % {"n": "20,001", "limit": "20,000"},
        "report_problem": gettext("This is not a web URL. Enter a URL that starts with https:// or http://."),
    }


def _pair() -> dict[str, Any]:
    """Two answers of which one is long, with marks and a score, chosen differently in another tab."""
    desk, participant_session = _desk(), _seat()
    long = " ".join([LONG_QUESTION] * 12)
    item = StudyItem(
        question=Question(text=LONG_QUESTION),
        first_set_id=uuid.UUID(int=1),
        candidate=f"# Short\n\nOslo, {LONG_WORD}",
        other=f"{long}\n\n- {MASK} counts one\n- two\n\n{long}",
    )
    said = {"left": {"score": 80, "strength": ["Oslo", LONG_WORD]}, "right": {"missing": [LONG_QUESTION]}}
    row = Assignment(participant=participant_session.participant, position=3, item=item, text="tie", critique=said)
    return {
        **desk,
        "context": QuestionContext(participant_session, 3, row.asked_text, StudyDesk(row), row),
        "assignment": row,
        "text": "left",
        "note": row.note,
        "votes": [(value, gettext(label)) for value, label in Preference.choices],
        "pair": pair_of(row, {}),
        "lowest_score": LOWEST_SCORE,
        "highest_score": HIGHEST_SCORE,
        "conflict": Saved(is_saved=False, version=3, text="tie", saved_at=timezone.now()),
        "conflict_text": gettext(str(Preference.TIE.label)),
        "problem": gettext(NO_VOTE),
    }


def _rating() -> dict[str, Any]:
    """A long text to rate, with one question answered."""
    participant_session = _seat()
    rated = study(kind=Kind.RATINGS, declaration=RATING_DECLARATION)
    assignment = Assignment(participant=participant_session.participant, position=3, text="writer: user")
    assignment.named_at = timezone.now()
    assignment.item = StudyItem(name="q-3", group="A group", passage_text=f"{LONG_QUESTION} {LONG_WORD}")
    return {
        "participant_session": participant_session,
        "context": QuestionContext(participant_session, 3, assignment.asked_text, StudyDesk(assignment), assignment),
        "assignment": assignment,
        "text": assignment.text,
        **KINDS[rated.kind].context(rated, assignment.text),
        "key": uuid.UUID(int=0),
        "numbers": {"last": 50, "before": 2, "after": 4},
        "here": reverse("study-question", args=["sample", 3]),
        "problem": gettext(NO_RATING),
    }


def _tabs() -> dict[str, Any]:
    """An article is open, others wait in tabs, and passages are saved."""
    desk = _desk()
    text = "<p>Norway is a country in Northern Europe. Its capital is Oslo.</p>" * 30
    article = Article("Norway", "Norway", text, (), "", None, None, "")
    visit = desk["articles"][0][0]
    reading = article_reading(article, desk["context"].addresses, query="", visit=visit, place=0.0)
    return desk | {"reading": reading, "conflict": None, "problem": "", "report_problem": "", "text": "Oslo"}


def _join() -> dict[str, Any]:
    """Somebody else used this browser before."""
    seat = _seat()
    return {"study": seat.study, "returning": None, "before": seat.participant}


def _thanks() -> dict[str, Any]:
    """The end, on a computer that others use too."""
    seat = _seat(finished_at=timezone.now(), receipt_code="AB12-CD34-EF56")
    seat.study.on_shared_computer = True
    progress = overview()
    record = {"progress": progress, "n_versions": 17, "n_searches": 4, "n_articles": 3, "active_seconds": 1_240.0}
    return {"participant_session": seat, "record": record, "reads": True}


def _completed() -> dict[str, Any]:
    """The end for somebody whom a platform pays."""
    return _thanks() | {"completion": Completion(Platform.PROLIFIC, address="https://app.prolific.com/?cc=C1ABCDEF")}


def _timed_out() -> dict[str, Any]:
    """The end after the time limit, with a code."""
    return {
        "participant_session": _seat(),
        "title": gettext("Participation ended"),
        "text": gettext("Your time for this study is over. Your saved answers are still stored."),
        "withdraw_url": reverse("study-withdraw", args=["sample"]),
        "completion": Completion(Platform.MTURK, code="AB12-CD34-EF56"),
    }


def _learning(kind: str = Kind.PAIRS) -> list[Shown]:
    """Two items about pairs, or two to answer, one right and one wrong."""
    options = [(value, gettext(label)) for value, label in Preference.choices] if kind == Kind.PAIRS else []
    answers = ("left", "bad") if options else ("Oslo", "")
    labels = dict(options)
    texts = [LONG_QUESTION, f"{MASK} says: Oslo, since 1814.", LONG_WORD]
    names = KINDS[kind].learning_texts.values()
    parts = [Part(gettext(name), text) for name, text in zip(names, texts, strict=False)]
    asks = gettext("Which answer is better?") if options else gettext("Your answer")
    right = labels.get("left", "Oslo / Christiania")
    return [
        Shown(
            number,
            parts,
            [Control(f"{number}-", asks, options, answer, labels.get(answer, answer), right, is_right=number == 1)],
            "The left answer names the capital; the other one is no answer at all.",
        )
        for number, answer in enumerate(answers, start=1)
    ]


def _instructions() -> dict[str, Any]:
    """Instructions with worked examples."""
    seat = _seat(rehearsed_at=timezone.now())
    return {"participant_session": seat, "link": LINK, "kind": KINDS[Kind.PAIRS], "examples": _learning()}


def _rehearsal() -> dict[str, Any]:
    """Practice with feedback."""
    return {"participant_session": _seat(), "items": _learning(), "solved": True, "n_right": 1}


def _test() -> dict[str, Any]:
    """The second attempt at a test, with an answer missing."""
    return {
        "participant_session": _seat(),
        "items": _learning(Kind.ANSWER),
        "problem": gettext("Answer everything first. A guess is fine."),
        "attempt": 2,
        "is_last": True,
        "failed": {"right": 1, "of": 2},
        "percent": 80,
    }


def _look() -> dict[str, Any]:
    """A task that somebody looks at on Mechanical Turk."""
    return {"study": _seat().study}


def pages() -> dict[str, SamplePage]:
    """The samples by their names."""
    return {
        "consent-changed": page("Consent, text changed", "answering/consent", _consent),
        "instructions-examples": page("Instructions with examples", "answering/instructions", _instructions),
        "practice-feedback": page("Practice with feedback", "answering/rehearsal", _rehearsal),
        "test-second": page("Test, second attempt", "answering/test", _test),
        "questions-over": page("Questions, study over", "answering/questions", _questions),
        "desk-conflict": page("Answer page, two tabs, no encyclopedia", "answering/question", _desk),
        "desk-tabs": page("Answer page, articles in tabs", "answering/question", _tabs),
        "join-shared": page("Link, used in this browser before", "answering/join", _join),
        "join-preview": page("Link, preview on Mechanical Turk", "answering/look", _look),
        "thanks-platform": page("Thanks, recruited on a platform", "answering/thanks", _completed),
        "timed-out": page("Time limit over, with a code", "answering/message", _timed_out),
        "thanks-shared": page("Thanks, shared computer", "answering/thanks", _thanks),
        "rating": page("Text to rate, half done, named", "answering/rating", _rating),
        "pair": page("Answers to compare, two tabs", "answering/pair", _pair),
    }
