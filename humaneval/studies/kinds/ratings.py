"""Studies in which people rate texts."""

import random
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_noop

from humaneval.models import Assignment, Kind, Participant, Study
from humaneval.studies.drawing import Drawable, StudyClosedError, answers_of, by_category, dice_of
from humaneval.studies.item_files import TEXT_EXAMPLE
from humaneval.studies.items import load_texts
from humaneval.studies.kinds.base import NOT_READY, LearningQuestion, Right, StudyKind, privacy
from humaneval.studies.ratings import questions_of, rating_of
from leaderboard.models import User

FIELD: Final = "rating-"
"""Prefix of the names of form fields."""
NO_RATING: Final = gettext_noop("Answer every question about this item, or skip it.")
UNKNOWN_RATING: Final = gettext_noop("This is none of the possible ratings. Choose one of them.")
NO_FILE: Final = "Choose a file: a declaration, texts, or both."
INSTRUCTIONS: Final = """\
Thank you for taking part. You will receive {n_questions} short texts. Please answer a few questions about each.

- There are no right or wrong answers: we ask for your judgement.
- Judge each text by itself, and do not look it up elsewhere.
- You can change your answers until you finish.
- You do not have to finish in one session: open the same link again to continue.
"""
CONSENT: Final = """\
In this study, you rate texts, such as questions, so that their sources can be compared. Taking part is voluntary. You \
can stop and withdraw at any time.

We record:

- your ratings, with every saved version and its time;
- whether you say that an answer told you who wrote it;
- when you joined, agreed, completed each step, finished, and were last active;
- for each text, when it was opened, skipped or marked done, and how many seconds the page was in use.

""" + privacy("ratings")


class RatingsForm(forms.Form):
    """Upload of the rating questions and of the texts; a file that is not sent stays as it is."""

    declaration = forms.FileField(
        label="Declaration of the questions",
        required=False,
        help_text="TOML: the questions about each text, with their choices or scales, as the documentation describes.",
        widget=forms.ClearableFileInput(attrs={"accept": ".toml"}),
    )
    items = forms.FileField(
        label="File of texts",
        required=False,
        help_text=f"JSON Lines, one text per line: {TEXT_EXAMPLE}. Participants do not see id and group. The file "
        "replaces the texts loaded before.",
        widget=forms.ClearableFileInput(attrs={"accept": ".jsonl,.json,.gz,.zip"}),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not any(cleaned.values()):
            raise ValidationError(NO_FILE)
        return cleaned


class RatingStudy(StudyKind):
    """People answer questions about texts, with choices or on scales."""

    kind = Kind.RATINGS
    summary = "People answer your questions about texts, with choices or on scales."
    consent = CONSENT
    instructions = INSTRUCTIONS
    tabs = (("manage-study-items", "Items"), ("manage-study-results", "Scores"))
    question_template = "humaneval/answering/rating.html"
    scores_template = "humaneval/maintenance/rating_scores.html"
    scores_are_open = True
    fields: ClassVar[Mapping[str, tuple[str, ...]]] = {"quality": ("on_named",)}
    form = RatingsForm
    declares_questions = True
    learning_texts: ClassVar[Mapping[str, str]] = {"text": gettext_noop("Text")}

    def pool(self, study: Study) -> list[Drawable]:
        return [Drawable(*row) for row in study.items.order_by("key").values_list("pk", "key", "group")]

    def n_drawn(self, study: Study) -> int:
        return study.n_asked

    def plan(self, study: Study, participant: Participant) -> list[Assignment]:
        """Texts with few ratings, or those of the plan, from each group in proportion."""
        if not study.items.exists() or not questions_of(study):
            raise StudyClosedError(gettext(NOT_READY))
        drawn = self.drawn(study, dice_of(study, participant.number))
        return [Assignment(participant=participant, item_id=text.pk) for text in drawn]

    def fewest(self, study: Study, dice: random.Random) -> list[Drawable]:
        """The texts with the fewest ratings.

        Of the texts with equally few ratings, each group gives its share, rounded up or down. So every text is rated
        once before any is rated twice, and each participant rates about as many texts of each group.
        """
        n_ratings = answers_of(study, self.asked_by)

        def n_ratings_of(text: Drawable) -> int:
            return n_ratings.get(text.qid, 0)

        pool = sorted(self.pool(study), key=n_ratings_of)
        drawn: list[Drawable] = []
        for _, equal in groupby(pool, key=n_ratings_of):
            if len(drawn) < study.n_asked:
                drawn += by_category(list(equal), study.n_asked - len(drawn), dice)
        return dice.sample(drawn, len(drawn))

    def learning_questions(self, study: Study) -> list[LearningQuestion]:
        return [
            LearningQuestion(asked.name, asked.text, [(option.value, option.label) for option in asked.options])
            for asked in questions_of(study)
        ]

    def typed(self, study: Study, fields: Mapping[str, str]) -> str:
        """A field for each question (from the page's script, all in ``text``)."""
        given = rating_of(fields.get("text", ""))
        given |= {name.removeprefix(FIELD): value for name, value in fields.items() if name.startswith(FIELD)}
        return "\n".join(f"{asked.name}: {given[asked.name]}" for asked in questions_of(study) if given.get(asked.name))

    def problem(self, study: Study, text: str, complete: bool) -> str:
        given = rating_of(text)
        possible = {asked.name: {option.value for option in asked.options} for asked in questions_of(study)}
        is_known = all(value in possible.get(name, ()) for name, value in given.items())
        if text and (len(given) < len(text.splitlines()) or not is_known):
            return UNKNOWN_RATING
        return NO_RATING if complete and len(given) < len(possible) else ""

    def in_words(self, study: Study, text: str) -> str:
        """The questions and labels that participants saw, one line per question."""
        given = rating_of(text)
        lines = []
        for asked in questions_of(study):
            if asked.name in given:
                value = given[asked.name]
                label = next((option.label for option in asked.options if option.value == value), value)
                lines.append(f"{asked.text} {label}")
        return "\n".join(lines)

    def context(self, study: Study, text: str) -> Mapping[str, Any]:
        """The questions, each with the chosen option."""
        given = rating_of(text)
        return {"questions": [(asked, given.get(asked.name, "")) for asked in questions_of(study)], "field": FIELD}

    def load(self, study: Study, items: Path | None, declaration: bytes | None, *, right: Right, by: User) -> int:
        return load_texts(study, declaration=declaration, texts=items, by=by)
