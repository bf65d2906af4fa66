"""Studies in which people compare answers side by side."""

from collections.abc import Mapping
from typing import ClassVar, Final

from django.utils.translation import gettext_noop

from humaneval.models import Kind, Preference
from humaneval.studies.kinds.base import ChoiceKind, privacy

INSTRUCTIONS: Final = """\
Thank you for taking part. You will receive {n_questions} questions, each with two answers. Please say which answer \
is better, or that both are equally good, or that both are bad.

- A good answer is correct, answers the whole question, and supports what it says with reasons or examples.
- A good answer considers several views where people disagree, and is easy to follow.
- A longer answer is not better because it is longer, and the place, left or right, means nothing.
- ▮▮▮ in an answer replaces the name of a system, so that you do not know whose answer you read.
- You may look things up in the encyclopedia beside the answers.
- If you like, score each answer from 1 (useless) to 100 (could not be better), and mark what is a strength, a \
weakness or missing.
- Some pairs show whether people read the answers.
- You do not have to finish in one session: open the same link again to continue.
"""
CONSENT: Final = """\
In this study, you compare answers to questions, so that the computer systems that wrote them, and other methods that \
compare them, can be judged. Taking part is voluntary. You can stop and withdraw at any time.

We record:

- your choices, scores and marks, your choices with every saved version and its time;
- which of the two answers was on the left, and whether you say that an answer told you who wrote it;
- your searches, and the articles you open in the reader: when, how you reached them, how long they were visible, how \
far you scrolled, how often you reloaded them, which are open in tabs and where you left them;
- what you select, note or add yourself;
- when you joined, agreed, completed each step, finished, and were last active;
- for each question, when it was opened, skipped or marked done, and how many seconds the page was in use.

For some pairs, we know which answer is better. We use these to estimate how reliable choices are.

""" + privacy("choices")


class PairStudy(ChoiceKind):
    """People say which of two answers is better."""

    kind = Kind.PAIRS
    summary = "People read two systems' answers to a question side by side, and say which is better."
    consent = CONSENT
    instructions = INSTRUCTIONS
    tabs = (("manage-study-pairs", "Pairs"), ("manage-study-results", "Scores"))
    question_template = "humaneval/answering/pair.html"
    scores_template = "humaneval/maintenance/pair_scores.html"
    fields: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "task": ("encyclopedia",),
        "quality": ("injected_share", "on_named"),
    }
    unit = "pair"
    choices = Preference
    asks = gettext_noop("Which answer is better?")
    learning_texts: ClassVar[Mapping[str, str]] = {
        "question": gettext_noop("Question"),
        "left": gettext_noop("Left answer"),
        "right": gettext_noop("Right answer"),
    }
    masks_names = True
