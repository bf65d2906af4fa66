"""Changing studies."""

from typing import Any

from django.db import transaction
from django.utils.text import slugify

from humaneval.models import Study
from humaneval.texts import CONSENT, INSTRUCTIONS
from leaderboard.models import User
from scoring.models import Setting, Split


@transaction.atomic
def create_study(*, owner: User, split: Split, setting: Setting, name: str, **fields: Any) -> Study:
    """Make a study; consent text and instructions are the usual ones unless they are given.

    Args:
        fields: any of the study's other columns.

    Raises:
        ValidationError: something does not fit; every problem, by field.
    """
    fields.setdefault("slug", free_slug(name))
    study = Study(owner=owner, split=split, setting=setting, name=name, **fields)
    n_questions = len(study.question_ids) if study.question_ids else study.questions_per_participant
    study.consent_text = study.consent_text or CONSENT
    study.instructions = study.instructions or INSTRUCTIONS.format(n_questions=n_questions)
    study.full_clean()
    study.save()
    return study


def free_slug(name: str) -> str:
    """An address for a study that no other has."""
    base = slugify(name)[:60].strip("-") or "study"
    taken = set(Study.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    numbers = (f"{base}-{number}" for number in range(2, len(taken) + 3))
    return base if base not in taken else next(slug for slug in numbers if slug not in taken)
