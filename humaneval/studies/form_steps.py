"""The steps of a study's form: the settings that each asks for, what is shown beside it, and what is still missing."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from django.urls import reverse

from humaneval.models import Outcome, Study
from humaneval.models.studies import RETENTION, STATEMENT
from humaneval.studies.kinds import KINDS
from humaneval.studies.learning import is_outdated
from humaneval.studies.queries import has_link
from humaneval.studies.ratings import questions_of


class Step(NamedTuple):
    """One page of the form of a study."""

    title: str
    fields: tuple[str, ...]
    """The settings that every type of study has, in the order of the page."""
    shown: tuple[str, ...]
    """The pages of a participant that are shown beside the form."""
    group: str = ""
    """The title of the settings that end the page."""
    group_help: str = ""
    group_fields: tuple[str, ...] = ()


STEPS: Final[Mapping[str, Step]] = {
    "task": Step("What people do", ("name", "split", "setting"), ("question",)),
    "people": Step(
        "Who and how many",
        ("questions_per_participant", "seats", "release_hours", "drawing", "answers_per_question", "seed"),
        ("question",),
        "Time and pay",
        "Leave a setting empty if you do not want it.",
        ("time_limit", "pay", "currency", "platform", *(f"completion_{outcome}" for outcome in Outcome.values)),
    ),
    "texts": Step(
        "What they read",
        ("consent_text", *STATEMENT, *RETENTION, "reward_note", "on_withdrawal", "asks_publication", "instructions"),
        ("consent", "instructions"),
    ),
    "learning": Step("Examples and test", ("test_attempts", "qualification_share"), ("instructions",)),
    "quality": Step(
        "Quality",
        ("counts_unfinished",),
        ("question", "instructions"),
        "Exclusion rules",
        "Answers of these participants do not count. Each rule applies by itself once a participant is done or out of "
        "time. The rules are fixed once somebody consents.",
        ("exclude_checks", "exclude_seconds", "exclude_percent", "exclude_same", "exclude_outcome"),
    ),
    "opening": Step("Opening", ("opens_at", "closes_at", "on_shared_computer"), ("consent",)),
}
"""The steps in their order. Settings of some types only stand with the type: `StudyKind.fields`."""
FIRST_STEP: Final = next(iter(STEPS))
NEW_FIELDS: Final = ("kind", "name", "split", "setting", "slug")
"""What a new study needs before its steps."""


class Missing(NamedTuple):
    """Something that a study still needs, with the step that it belongs to and the address where it is added."""

    step: str
    text: str
    url: str


def fields_of(step: str, kind: str) -> tuple[str, ...]:
    """The settings that a step asks for, in a study of this type.

    >>> fields_of("learning", "items")
    ('test_attempts', 'qualification_share', 'n_qualification')
    """
    names = STEPS[step].fields + KINDS[kind].fields.get(step, ()) + STEPS[step].group_fields
    return tuple(name for name in names if name != "exclude_same" or not KINDS[kind].writes_answers)


FORM_FIELDS: Final = tuple(
    dict.fromkeys((*NEW_FIELDS, *(name for kind in KINDS for step in STEPS for name in fields_of(step, kind))))
)
"""What some step asks for in some type of study."""


def step_with(field: str, kind: str) -> str:
    """The step that asks for a setting; empty if this type of study has no such setting.

    >>> step_with("seats", "pairs"), step_with("n_qualification", "pairs")
    ('people', '')
    """
    return next((step for step in STEPS if field in fields_of(step, kind)), "")


def step_url(study: Study, step: str, field: str = "") -> str:
    """The address of a step, or of a field in it."""
    url = reverse("manage-study-step", args=[study.slug, step])
    return f"{url}#id_{field}" if field else url


def missing_of(study: Study) -> list[Missing]:
    """What a study needs before people can take part and ask, in the order of the steps."""
    kind = KINDS[study.kind]
    missing = []
    content_url = reverse(kind.tabs[0][0], args=[study.slug])
    if kind.declares_questions and not questions_of(study):
        missing.append(Missing("task", "A declaration of the questions, without which nobody can begin.", content_url))
    if not kind.writes_answers and not study.items.exists():
        missing.append(Missing("task", f"The {kind.unit}s, without which nobody can begin.", content_url))
    if is_outdated(study):
        text = "Right answers in each entry to the questions that are declared now."
        missing.append(Missing("learning", text, step_url(study, "learning")))
    if not study.contact:
        text = "A contact, whom participants can ask."
        missing.append(Missing("texts", text, step_url(study, "texts", "contact")))
    if study.opens_at is None:
        text = "An opening time: the study is a draft, which nobody can join."
        missing.append(Missing("opening", text, step_url(study, "opening", "opens_at")))
    if not has_link(study):
        url = reverse("manage-study-invitations", args=[study.slug])
        missing.append(Missing("opening", "A link, by which people take part.", url))
    return missing
