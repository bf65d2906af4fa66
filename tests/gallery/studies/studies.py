"""What maintainers see of studies when there is nothing yet, too much, or something wrong."""

import datetime
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any

from django.core.paginator import Paginator
from django.utils import timezone

from humaneval.maintenance.study_views import frame
from humaneval.models import (
    Assignment,
    Contact,
    Invitation,
    InvitationKind,
    Kind,
    Participant,
    Platform,
    StudyEvent,
)
from humaneval.models.exclusion_rules import in_words
from humaneval.participants import mails
from humaneval.participants.forms import (
    InviteForm,
    MessageForm,
    SharedLinkForm,
)
from humaneval.results.item_votes import ItemOutcome, VoterRow
from humaneval.results.pair_outcome import (
    CorrectedRow,
    RankRow,
    SystemStrength,
)
from humaneval.results.ratings import chart_of
from humaneval.results.retention import TimeLimit
from humaneval.studies.form_steps import STEPS, Missing
from humaneval.studies.forms import ExportForm
from humaneval.studies.forms import StudyForm as Form
from humaneval.studies.kinds import KINDS
from humaneval.studies.mask_preview import MOST_ANSWERS, preview_of
from humaneval.studies.masking import masks_of
from humaneval.studies.ratings import questions_of
from scoring.statistics import Corrected, Estimate, Interval
from tests.gallery.site import SamplePage
from tests.gallery.site.texts import LONG_NAME, LONG_WORD
from tests.gallery.studies.ground import (
    DAY,
    KEEPER,
    RATING_DECLARATION,
    page,
    participant,
    study,
)

MINUTE = datetime.timedelta(minutes=1)
LONG_AGO = datetime.datetime(2026, 3, 1, tzinfo=datetime.UTC)
TIME_LIMITS = [
    TimeLimit("texts", "Texts that participants typed", 30, LONG_AGO + 30 * DAY, LONG_AGO + 31 * DAY),
    TimeLimit("codes", "Links, receipt codes and email addresses", 1_000, None, None),
]
WITHDRAWN = {
    "number": 1,
    "on_board": True,
    "n_answers": 5,
    "n_people": 1,
    "n_excluded": 2,
    "excluded": [("P-03", "Median time of a question below 10 s", 1), ("P-04", f"A bot. {LONG_WORD}", 1)],
    "n_all": 7,
    "newer": 2,
    "anybody_left": True,
    "graded": True,
}


# --- One study -----------------------------------------------------------------------------------------------------


def _row(number: int, state: str, label: str, tone: str, **fields: Any) -> dict[str, Any]:
    now = timezone.now()
    usual: dict[str, Any] = {
        "person": Participant(number=number, joined_at=now - DAY, last_seen_at=now, reminded_at=now - 3 * MINUTE),
        "state": state,
        "state_label": label,
        "tone": tone,
        "reason": "",
        "n_asked": 5,
        "n_done": 3,
        "n_answered": 4,
        "active_seconds": 2875.0,
        "seconds": 3310.0 if state == "finished" else None,
        "n_checks": 1,
        "n_checks_passed": 0,
        "n_checks_decided": 1,
        "reachable": True,
    }
    return usual | fields


def _board() -> dict[str, Any]:
    shown, now = study(platform=Platform.PROLIFIC, pay=Decimal("6.00"), currency="GBP"), timezone.now()
    rows = [
        _row(1, "finished", "Finished", "good"),
        _row(2, "stuck", "Stuck", "bad", reason="51 min active on question 3."),
        _row(3, "excluded", "Excluded", "warn", reason=f"Answered at random. {LONG_WORD}"),
        _row(4, "joined", "Consent pending", "info", n_asked=0, n_checks=0),
    ]
    rows[3]["person"].last_seen_at = None
    events = [
        StudyEvent(at=now, participant_code="P-03", actor=KEEPER, text=f"Excluded: {LONG_WORD}"),
        StudyEvent(at=now, text="12 personal links were created, 3 with an email address."),
    ]
    board = {
        "unit": "question",
        "n_taken": 8,
        "n_links": 1204,
        "n_unsent": 3,
        "n_started": 9,
        "n_finished": 1,
        "n_stuck": 1,
        "n_dropped": 2,
        "n_declined": 1,
        "n_withdrawn": 1,
        "n_excluded": 1,
        "n_answers": 34,
        "n_pool": 724,
        "n_questions_answered": 30,
        "wanted": 3,
        "coverage": [(2, 4), (1, 26), (0, 694)],
        "median_active_seconds": 433.0,
        "median_open_seconds": 100_000.0,
        "median_seconds": 3310.0,
        "pay_per_hour": Decimal("6.525"),
        "rows": rows,
        "events": events,
    }
    return {**frame(shown, "manage-study"), "board": board, "withdrawn": WITHDRAWN, "time_limits": TIME_LIMITS}


def _form() -> dict[str, Any]:
    """The first page of a new study, with everything wrong."""
    form = Form({"kind": "nothing", "name": "", "slug": "new"}, may_choose_source=True)
    form.add_error(None, f"Something about all of it. {LONG_WORD}")
    kinds = [{"value": kind, "label": label, "summary": KINDS[kind].summary} for kind, label in Kind.choices]
    return {"form": form, "kinds": kinds}


def _step(kind: Kind, step: str, *missing: str, **fields: Any) -> dict[str, Any]:
    """One step of the settings; with *fields* as it comes back with problems."""
    texts = dict.fromkeys(("question", "left", "right", "why"), LONG_WORD)
    shown = study(kind=kind, opens_at=None, learning=[{"use": "test", **texts, "expected": ["left", "tie"]}])
    form = Form(fields or None, instance=shown, may_choose_source=True, step=step, begun=bool(missing))
    if fields:
        form.add_error(None, f"Something about all of it. {LONG_WORD}")
    steps = [
        {"title": row.title, "url": f"#{name}", "current": name == step, "done": not missing}
        for name, row in STEPS.items()
    ]
    return {
        **frame(shown, "manage-study-edit"),
        "form": form,
        "begun": bool(missing),
        "may_delete": True,
        "n_taking_part": 1204 if missing else 0,
        "step": step,
        "step_title": STEPS[step].title,
        "is_last": step == "opening",
        "has_link": False,
        "steps": steps,
        "missing": [Missing(step, text, "#missing") for text in missing],
        "content_tab": {"label": "Pairs", "url": "#pairs", "n": 1213},
        "shown": [],  # a frame needs a study
    }


def _links() -> dict[str, Any]:
    shown = study()
    address = f"https://manyhop.example/studies/sample/join/{'x' * 43}/"
    kinds: tuple[tuple[InvitationKind, str, str, dict[str, Any]], ...] = (
        (InvitationKind.SHARED, address, f"The course of {LONG_WORD}", {}),
        (InvitationKind.PERSONAL, address, "", {"participant": participant(1), "n_used": 1}),
        (InvitationKind.PERSONAL, "", "Second call", {"revoked_at": timezone.now()}),
        (InvitationKind.PERSONAL, "", "", {}),
    )
    lines = []
    for kind, to, label, fields in kinds:
        link = Invitation(study=shown, kind=kind, label=label, limit=30, sent_at=timezone.now(), **fields)
        Contact(invitation=link, email=f"{LONG_WORD.lower()[:60]}@university.example" if label else "")
        lines.append((link, to))
    return {
        **frame(shown, "manage-study-invitations"),
        "page": Paginator(range(4), 100).get_page(1),
        "rows": lines,
        "previous_url": "",
        "next_url": "",
        "n_unsent": 60,
        "mails_at_once": mails.AT_ONCE,
        "personal_form": InviteForm({"emails": f"no address, {LONG_WORD}", "n": "-1", "label": ""}),
        "shared_form": SharedLinkForm(),
        "message_form": MessageForm(),
    }


# --- One session ---------------------------------------------------------------------------------------------------


# --- What comes out ------------------------------------------------------------------------------------------------


def unfinished() -> list[Assignment]:
    """Drafts of two participants."""
    people = [Participant(number=number) for number in (2, 2, 3)]
    return [Assignment(participant=person, position=place) for place, person in enumerate(people, start=7)]


METHODS = (
    "Participants were recruited by 14 personal invitations. 12 people joined between 2026-03-02 and 2026-03-09.\n\n"
    f"Participants rated texts. Each got up to 50 texts of {LONG_WORD}. Agreement: Fleiss' kappa = 0.440."
)


def _item_scores() -> dict[str, Any]:
    share = Estimate(7 / 9, Interval(0.44, 0.94), 9)
    voters = tuple(VoterRow(f"P-{number:02}", 34, share if number else Estimate(None, None, 0)) for number in range(3))
    none = Estimate(None, None, 0)
    outcome = ItemOutcome(voters, (), share, share, 1, 1, 1213, none, Estimate(0.44, Interval(0.2, 0.61), 30))
    return {
        **frame(study(kind=Kind.ITEMS, n_qualification=3), "manage-study-results"),
        "with_scores": True,
        "outcome": outcome,
        "methods": METHODS,
        "exclusions": [
            (in_words("checks", 2), 3),
            (in_words("seconds", 10), 0),
            (f"Excluded: {LONG_WORD}", 1),
        ],
    }


def _approvals() -> dict[str, Any]:
    shown = study(platform=Platform.MTURK)
    return {**frame(shown, "manage-study-export"), "form": ExportForm(), "tables": [], "with_grades": True}


def _pair_scores() -> dict[str, Any]:
    """An outcome beside the judge's, in which some things are unknown."""
    votes = Counter(won=1213, lost=4, tied=3)
    ranking = (
        RankRow(LONG_NAME, votes, SystemStrength(1.25, 0.9, 1.6, 1, 1), SystemStrength(0.5, 0.1, 0.9, 1, 2)),
        RankRow("Not judged", Counter(lost=1213), SystemStrength(-1.25, -1.6, -0.9, 2, 2), None),
        RankRow("Nothing", Counter(), None, SystemStrength(-0.5, -0.9, -0.1, 1, 2)),
    )
    kappa, unknown = Estimate(0.44, Interval(0.2, 0.61), 30), Estimate(None, None, 1)
    mean, none = Estimate(0.53, Interval(0.4, 0.66), 120), Estimate(None, None, 0)
    corrected = CorrectedRow(LONG_NAME, "Baseline", 0.7, 1000, 0.6, 60, Corrected(0.63, 0.5, 0.7, 60, 940))
    outcome = {
        "n_votes": 1220,
        "n_questions": 50,
        "n_named": 2,
        "people": (
            ("P-01", 34, 0.5, Estimate(0.75, Interval(0.3, 0.95), 4)),
            ("P-02", 0, None, Estimate(None, None, 0)),
        ),
        "ranking": ranking,
        "regularised": True,
        "agreement": kappa,
        "judge_agreement": (("All pairs", kappa), (LONG_NAME, unknown)),
        "left": mean,
        "judge_first": mean,
        "longer": Estimate(0.5, None, 1),
        "judge_longer": none,
        "corrected": (corrected, replace(corrected, name="Few", n_people=3, corrected=None)),
    }
    context = {"with_scores": True, "outcome": outcome, "unfinished": unfinished(), "n_named": 12, "methods": METHODS}
    return {**frame(study(kind=Kind.PAIRS, counts_unfinished=True), "manage-study-results"), **context}


def _rating_scores() -> dict[str, Any]:
    rated = study(kind=Kind.RATINGS, declaration=RATING_DECLARATION)
    share, none = Estimate(0.2, Interval(0.13, 0.29), 556), Estimate(None, None, 0)
    mean = Estimate(2.61, Interval(2.3, 2.94), 100)
    score = Estimate(71.3, Interval(66.0, 76.1), 100)
    outcome = {
        "groups": [
            {"group": LONG_NAME, "n_texts": 100, "n_rated": 97, "n_ratings": 100, "n_people": 18, "score": score},
            {"group": "No ratings", "n_texts": 100, "n_rated": 0, "n_ratings": 0, "n_people": 3, "score": none},
        ],
        "questions": [
            {
                "question": one,
                "rows": [
                    (LONG_NAME, mean if one.is_scale else None, [(option.label, share) for option in one.options]),
                    (
                        "Nat. Questions",
                        none if one.is_scale else None,
                        [(option.label, none) for option in one.options],
                    ),
                ],
                "chart": chart_of("Mean", [(LONG_NAME, mean if one.is_scale else share)]),
                "agreement": none if one.is_scale else Estimate(0.44, Interval(0.2, 0.61), 30),
            }
            for one in questions_of(rated)
        ],
        "is_scored": True,
        "chart": chart_of("Weighted score, 0 to 100", [(LONG_NAME, score)]),
        "few_people": True,
    }
    return {**frame(rated, "manage-study-results"), "outcome": outcome, "methods": METHODS}


def _masks() -> dict[str, Any]:
    """A frequent name, an introduction, and a mask of the study's own."""
    texts = [
        f"I am Claude, made by Anthropic. {LONG_WORD} is the answer, says Claude 3.5 Sonnet.",
        "<b>As an AI model trained by Anthropic</b>, I say: Oslo.",
        "Claude Monet. Claude 3.5 Sonnet. A lab.",
    ]
    words = [*masks_of(["Claude 3.5 Sonnet"]), "A lab"]
    return frame(study(kind=Kind.PAIRS), "manage-study-pairs") | {
        "preview": preview_of(texts, words),
        "words": words,
        "most": MOST_ANSWERS,
        "begun": False,
    }


def pages() -> dict[str, SamplePage]:
    """The samples by their names."""
    return {
        "study": page("Study, full, with withdrawals", "maintenance/study", _board),
        "approvals": page("Export, study on a platform", "maintenance/export", _approvals),
        "study-errors": page("New study, not accepted", "maintenance/new", _form),
        "step-people-errors": page(
            "Step of a study, not accepted",
            "maintenance/form",
            lambda: _step(Kind.ANSWER, "people", seats="100000", seed="-1", drawing="nothing"),
        ),
        "step-texts-begun": page(
            "Texts of a study with participants",
            "maintenance/form",
            lambda: _step(Kind.RATINGS, "texts", "A contact, whom participants can ask.", LONG_WORD),
        ),
        "step-learning-errors": page(
            "Examples and test, not accepted",
            "maintenance/form",
            lambda: _step(Kind.ITEMS, "learning", **{"entries-TOTAL_FORMS": 1, "entries-INITIAL_FORMS": 1}),
        ),
        "step-learning-begun": page(
            "Examples and test of a study with participants",
            "maintenance/form",
            lambda: _step(Kind.PAIRS, "learning", LONG_WORD),
        ),
        "step-task-pairs": page("Task of a study", "maintenance/form", lambda: _step(Kind.PAIRS, "task")),
        "step-opening": page("Opening of a complete study", "maintenance/form", lambda: _step(Kind.ITEMS, "opening")),
        "invitations-errors": page("Invitations, not accepted", "maintenance/invitations", _links),
        "item-scores": page("Scores of items", "maintenance/item_scores", _item_scores),
        "rating-scores": page("Scores of ratings", "maintenance/rating_scores", _rating_scores),
        "pair-scores": page("Scores of pairs", "maintenance/pair_scores", _pair_scores),
        "masks": page("What is masked in answers", "maintenance/masks", _masks),
    }
