"""Making and changing studies."""

from collections.abc import Mapping
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from humaneval.encyclopedia.base import EncyclopediaNotConfiguredError
from humaneval.encyclopedia.sources.urls import encyclopedia_at
from humaneval.models import Kind, Study, StudyItem
from humaneval.models.studies import RETENTION
from humaneval.studies import activity_log
from humaneval.studies.drawing import public_questions
from humaneval.studies.kinds import KINDS
from humaneval.studies.kinds.base import without_publication
from humaneval.studies.queries import has_begun
from leaderboard.access import is_maintainer
from leaderboard.models import User
from leaderboard.publishing.systems import numbered
from scoring.models import Question, Setting, Split

RESERVED_SLUGS: Final = frozenset({"new"})
"""Reserved slugs: paths of the maintainers' pages."""
SETTLED_FIELDS: Final = frozenset(
    {
        *("kind", "split", "setting", "questions_per_participant", "drawing", "seed", "answers_per_question"),
        *("question_ids", "attention_checks", "practice_question", "learning", "n_qualification", "test_attempts"),
        *("qualification_share", "injected_share", "on_named", "platform", "time_limit", "exclusion_rules"),
    }
)
"""Fields that are fixed once a participant has been given questions: all participants get the same conditions."""
LOADED_FIELDS: Final = frozenset({"kind", "split", "seed", "injected_share", "n_qualification"})
"""Fields that are fixed once items are loaded, which depend on them."""
NOT_CLONED: Final = frozenset(
    {
        *("id", "slug", "name", "owner", "opens_at", "closes_at", "created_at", "texts_deleted_at", "codes_deleted_at"),
        "completions",  # a platform gives each study its own codes
        "encyclopedia",  # cloned without the check of who may choose it
    }
)
ITEMS_LOADED: Final = "Items have been loaded for this value, so it can no longer be changed. Clone the study instead."
LONGER: Final = "Participants have agreed to a deletion after {} days. Enter no more than that."
RESERVED: Final = "“{}” is reserved for the site. Choose another name for the URLs."


@transaction.atomic
def create_study(
    *, owner: User, split: Split, setting: Setting, name: str, by: User | str | None = None, **fields: Any
) -> Study:
    """Make a study; consent text and instructions have default values.

    Args:
        by: who makes it, if not the owner: a maintainer, or the name of a command.
        fields: any of the study's other columns.

    Raises:
        ValidationError: the fields are inconsistent; every problem, by field.
    """
    fields["slug"] = fields.get("slug") or free_slug(name)
    study = Study(owner=owner, split=split, setting=setting, name=name, **fields)
    for field, text in usual_texts(study).items():
        setattr(study, field, getattr(study, field).strip() or text)
    _check(study)
    if study.encyclopedia:
        _check_source(study, by or owner)
    study.save()
    activity_log.record_action(
        study, "study.created", f"Study created for {split}, {setting.name.lower()}.", by=by or owner
    )
    return study


def usual_texts(study: Study) -> dict[str, str]:
    """The texts of the study's type, as they fit its other settings, by the names of their fields."""
    kind = KINDS.get(study.kind, KINDS[Kind.ANSWER])  # an unknown one is refused with the other fields
    consent = without_publication(kind.consent) if study.asks_publication else kind.consent
    return {
        "consent_text": consent.strip(),
        "instructions": kind.instructions.format(n_questions=study.n_asked).strip(),
    }


@transaction.atomic
def update_study(study: Study, fields: Mapping[str, Any], *, by: User | str) -> list[str]:
    """Change a study; return the names of the changed fields. Texts that are still those of the type follow, until
    somebody has been given questions.

    Raises:
        ValidationError: the fields are inconsistent, or one is fixed; every problem, by field.
    """
    # Consent takes this lock too, so that nobody is given questions between this check and the change.
    current = Study.objects.select_for_update(of=("self",)).select_related("split", "setting").get(pk=study.pk)
    changed = [name for name, value in fields.items() if getattr(current, name) != value]
    begun = has_begun(current)
    settled = sorted(SETTLED_FIELDS.intersection(changed)) if begun else []
    if settled:
        problem = (
            "Questions have already been assigned to a participant, so this can no longer be changed. Clone the "
            "study instead."
        )
        raise ValidationError(dict.fromkeys(settled, problem))
    if begun:
        # People who have finished are not asked again: what they were promised can only come true earlier.
        limits = {name: getattr(current, name) for name in RETENTION if name in changed}
        longer = {name: days for name, days in limits.items() if days and (fields[name] or days + 1) > days}
        if longer:
            raise ValidationError({name: LONGER.format(days) for name, days in longer.items()})
    settled = sorted(LOADED_FIELDS.intersection(changed))
    if settled and StudyItem.objects.filter(study=current).exists():
        raise ValidationError(dict.fromkeys(settled, ITEMS_LOADED))
    usual = {} if begun else usual_texts(current)
    for name in changed:
        setattr(current, name, fields[name])
    for name, text in usual.items():
        now = usual_texts(current)[name]
        if getattr(current, name) == text != now:
            setattr(current, name, now)
            changed.append(name)
    _check(current)
    if "encyclopedia" in changed:
        _check_source(current, by)
    if changed:
        current.save(update_fields=changed)
        labels = [str(getattr(Study._meta.get_field(name), "verbose_name", name)) for name in changed]
        activity_log.record_action(current, "study.changed", f"Changed: {', '.join(labels)}.", by=by)
    return changed


@transaction.atomic
def clone_study(study: Study, *, by: User) -> Study:
    """Make a draft with another study's settings, without its participants and dates; the user who clones it owns
    it.

    Raises:
        ValidationError: the other study's settings are from before a check that they do not pass.
    """
    names = {field.name for field in Study._meta.concrete_fields} - NOT_CLONED
    fields = {name: getattr(study, name) for name in names}
    copy = create_study(owner=by, name=f"{study.name[:190]} (copy)", **fields)
    # A maintainer chose that address for the other study, so whoever clones it need not be one.
    copy.encyclopedia = study.encyclopedia
    copy.save(update_fields=["encyclopedia"])
    return copy


@transaction.atomic
def open_now(study: Study, *, by: User | str) -> None:
    """Open a study now, until its end if that is in the future; participants' links work at once."""
    now = timezone.now()
    closes = study.closes_at if study.closes_at is not None and study.closes_at > now else None
    update_study(study, {"opens_at": now, "closes_at": closes}, by=by)


@transaction.atomic
def close_now(study: Study, *, by: User | str) -> None:
    """Close a study now. Saved data remains."""
    update_study(study, {"closes_at": timezone.now()}, by=by)


def practice_question(split: Split, qid: str) -> Question | None:
    """A question with a public answer, by its id, of the same benchmark as *split*."""
    return public_questions(split).select_related("revision__split").filter(qid=qid).first()


def free_slug(name: str) -> str:
    """A slug for a study that no other has."""
    base = slugify(name)[:60].strip("-") or "study"
    taken = set(Study.objects.filter(slug__startswith=base).values_list("slug", flat=True)) | RESERVED_SLUGS
    return numbered(base, taken)


def _check(study: Study) -> None:
    study.full_clean()
    if study.slug in RESERVED_SLUGS:
        raise ValidationError({"slug": RESERVED.format(study.slug)})


def _check_source(study: Study, by: User | str) -> None:
    """Check that *by* may choose a study's encyclopedia, and that it can be opened. Servers are not contacted.

    A command chooses what its caller on the server says. All others must be maintainers: the server reads the file, or
    contacts the host, that the address names.
    """
    if isinstance(by, User) and not is_maintainer(by):
        raise ValidationError({"encyclopedia": "Only maintainers can choose the encyclopedia."})
    if study.encyclopedia:
        try:
            encyclopedia_at(study.encyclopedia)
        except EncyclopediaNotConfiguredError as error:
            raise ValidationError({"encyclopedia": str(error)}) from error
