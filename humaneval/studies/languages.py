"""The language of participants' and graders' pages: that of the questions, where the site has a catalogue for it."""

from pathlib import Path

from django.conf import settings
from django.db.models import QuerySet
from django.utils import translation

from humaneval.models import Study
from scoring.models import Question


def in_language_of(study: Study) -> translation.override:
    """The language of a study's questions, for a ``with`` statement around its pages and mails."""
    questions = Question.objects.filter(revision=study.split.current_revision_id)
    return translation.override(language_of(questions))


def language_of(questions: QuerySet[Question]) -> str:
    """The language of all of some questions that name one, if there is a catalogue for it; else the site's."""
    if not any(next(Path(folder).glob("*/LC_MESSAGES/django.mo"), None) for folder in settings.LOCALE_PATHS):
        return settings.LANGUAGE_CODE
    named = questions.exclude(language="").order_by()
    codes = list(named.values_list("language", flat=True).distinct()[:2])
    if len(codes) == 1:
        code = codes[0].lower().replace("_", "-")
        for name in (code, code.partition("-")[0]):
            locale = Path(translation.to_locale(name), "LC_MESSAGES", "django.mo")
            if any(Path(folder, locale).is_file() for folder in settings.LOCALE_PATHS):
                return name
    return settings.LANGUAGE_CODE
