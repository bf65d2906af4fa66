"""Studies in which people answer a benchmark's questions, like a system.

The instructions follow those of Zhu et al., 2024, appendix G.2 (https://aclanthology.org/2024.acl-short.2/), without
the steps that the site does automatically: copying a document, writing down articles, sending a PDF.
"""

from collections.abc import Mapping
from typing import ClassVar, Final

from django.utils.translation import gettext, gettext_noop

from humaneval.models import Assignment, Kind, Participant, SamplingMethod, Study
from humaneval.studies import drawing
from humaneval.studies.drawing import Drawable
from humaneval.studies.kinds.base import LearningQuestion, StudyKind, privacy
from scoring.models import Question

NO_ANSWER: Final = gettext_noop("There is no answer yet. Write one, or skip the question.")
INSTRUCTIONS: Final = """\
Thank you for taking part. You will receive {n_questions} questions. Please answer each one as well as you can.

Use the encyclopedia next to the question to search and read. Do not use other search engines or language models. \
The site records which articles you open, so you do not need to write them down.

- Answers do not have to be full sentences or follow a format: people read them.
- Some questions have a single answer, others have a list.
- Articles stay open in tabs, and are listed under your answer. You can write a note on each question.
- You do not have to finish in one session: open the same link again to continue.
"""
CONSENT: Final = """\
In this study, you answer questions with the help of an encyclopedia, so that the answers of people can be compared \
with those of computer systems. Taking part is voluntary. You can stop and withdraw at any time.

We record:

- your answers, with every saved version and its time;
- your searches;
- the articles you open in the reader: when, how you reached them, how long they were visible, how far you scrolled, \
how often you reloaded them, which are open in tabs and where you left them;
- what you select, note or add yourself;
- when you joined, agreed, completed each step, finished, and were last active;
- for each question, when it was opened, skipped or marked done, and how many seconds the page was in use.

""" + privacy("answers")


class AnswerStudy(StudyKind):
    """People write answers, with the encyclopedia beside the question."""

    kind = Kind.ANSWER
    summary = "People write answers to a benchmark's questions, with an encyclopedia beside the question."
    consent = CONSENT
    instructions = INSTRUCTIONS
    tabs = (("manage-study-evidence", "Evidence"), ("manage-study-results", "Scores"))
    question_template = "humaneval/answering/question.html"
    scores_template = "humaneval/maintenance/results.html"
    fields: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "task": ("practice", "encyclopedia"),
        "people": ("n_planned", "question_ids"),
        "quality": ("attention_checks",),
    }
    drawings = tuple(SamplingMethod)
    unit = "question"
    asked_by = "question__qid"
    writes_answers = True
    learning_texts: ClassVar[Mapping[str, str]] = {"question": gettext_noop("Question")}

    def pool(self, study: Study) -> list[Drawable]:
        """The listed questions in the order of the list, or those of the split but for the practice question, if there
        are enough."""
        everything = drawing.questions_of(study.split)
        if study.question_ids and study.drawing in (SamplingMethod.FIXED, SamplingMethod.PLANNED):
            by_qid = {question.qid: question for question in everything}
            return [by_qid[qid] for qid in study.question_ids if qid in by_qid]
        practice = drawing.practice_question_of(study)
        others = [question for question in everything if practice is None or question.pk != practice.pk]
        return others if len(others) >= self.n_drawn(study) else everything

    def n_drawn(self, study: Study) -> int:
        return max(study.n_asked - len(study.attention_checks), 1)

    def plan(self, study: Study, participant: Participant) -> list[Assignment]:
        """The participant's questions, with the attention checks among them."""
        dice = drawing.dice_of(study, participant.number)
        if study.drawing == SamplingMethod.FIXED:
            drawn = self.pool(study)
        elif study.drawing == SamplingMethod.STRATIFIED:
            drawn = drawing.by_category(self.pool(study), self.n_drawn(study), dice)
        elif study.drawing == SamplingMethod.RANDOM:
            pool = self.pool(study)
            drawn = dice.sample(pool, min(self.n_drawn(study), len(pool)))
        else:
            drawn = self.drawn(study, dice)
        planned = [Assignment(participant=participant, question_id=question.pk) for question in drawn]
        questions = Question.objects.filter(revision=study.split.current_revision).order_by("position")
        languages = questions.exclude(language="").values_list("language", flat=True)
        language = languages.first() if study.attention_checks else None  # in which texts are compared
        for check in study.attention_checks:
            # Never first: an inattentive participant should have begun to skim before the check.
            place = dice.randint(1, len(planned)) if planned else 0
            asked = {**check, "language": language} if language else check
            planned.insert(place, Assignment(participant=participant, attention_check=asked))
        return planned

    def learning_questions(self, study: Study) -> list[LearningQuestion]:
        return [LearningQuestion("", gettext("Your answer"))]

    def problem(self, study: Study, text: str, complete: bool) -> str:
        return NO_ANSWER if complete and not text.strip() else ""
