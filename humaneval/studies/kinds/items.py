"""Studies in which people check answers against passages."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Final

from django import forms
from django.utils.translation import gettext_noop

from humaneval.models import Kind, Study, Vote
from humaneval.studies.item_files import EXAMPLE
from humaneval.studies.items import load_items
from humaneval.studies.kinds.base import ChoiceKind, Right, privacy
from leaderboard.models import User

INSTRUCTIONS: Final = """\
Thank you for taking part. You will receive {n_questions} questions, each with an answer and a passage of text. Please \
say whether the passage supports the answer.

- The passage supports the answer if a reader who knows nothing else can conclude it from this passage.
- Judge by the passage alone, not by what you know, and do not search elsewhere.
- An answer that is right, but does not follow from the passage, is not supported.
- A question may have several right answers. You judge one of them.
- You do not have to finish in one session: open the same link again to continue.
"""
CONSENT: Final = """\
In this study, you judge whether passages of text support answers to questions, so that the answers in a data set, or \
those of computer systems, can be checked. Taking part is voluntary. You can stop and withdraw at any time.

We record:

- your judgements, with every saved version and its time;
- whether you say that an answer told you who wrote it;
- when you joined, agreed, completed each step, finished, and were last active;
- for each question, when it was opened, skipped or marked done, and how many seconds the page was in use.

For some answers, we know whether the passage supports them. We use these to estimate how reliable judgements are.

""" + privacy("judgements")


class ItemsForm(forms.Form):
    """A file of items to check."""

    items = forms.FileField(
        label="File of items",
        help_text=f"JSON Lines, one item per line: {EXAMPLE}. Items of known outcome, for the test, also "
        'have "qualification": true and "supported": true or false. The file replaces the items loaded before.',
        widget=forms.ClearableFileInput(attrs={"accept": ".jsonl,.json,.gz,.zip"}),
    )


class ItemStudy(ChoiceKind):
    """People say whether a passage supports an answer."""

    kind = Kind.ITEMS
    summary = "People read an answer and a passage, and say whether the passage supports the answer."
    consent = CONSENT
    instructions = INSTRUCTIONS
    tabs = (("manage-study-items", "Items"), ("manage-study-results", "Scores"), ("manage-study-checks", "Staff check"))
    question_template = "humaneval/answering/item.html"
    scores_template = "humaneval/maintenance/item_scores.html"
    fields: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "learning": ("n_qualification",),
        "quality": ("injected_share", "checked_share", "on_named"),
    }
    choices = Vote
    asks = gettext_noop("Does the passage support the answer?")
    learning_texts: ClassVar[Mapping[str, str]] = {
        "question": gettext_noop("Question"),
        "answer": gettext_noop("Answer"),
        "passage": gettext_noop("Passage"),
    }
    form = ItemsForm
    injects_wrong_answers = True

    def load(self, study: Study, items: Path | None, declaration: bytes | None, *, right: Right, by: User) -> int:
        return load_items(study, items or Path(), right=right(), by=by)
