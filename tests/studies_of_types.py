"""An open study of each type, with two questions for a participant."""

import json
from pathlib import Path
from typing import Any

from django.utils import timezone

from humaneval.grading.access import right_to_make_items
from humaneval.models import Kind, Study
from humaneval.studies import pairs
from humaneval.studies.items import load_items, load_texts
from leaderboard.models import Entry, User
from tests import factories, volunteers
from tests.gallery.studies.ground import RATING_DECLARATION
from tests.humaneval.test_pairs import add_systems
from tests.humaneval.test_pairs import make_study as make_pair_study

N_QUESTIONS = 2


def open_study_of(kind: Kind, folder: Path, *, encyclopedia: str = "", **fields: Any) -> Study:
    """A study of a type; *folder* is for the files that are loaded into it."""
    grace = User.objects.filter(username="grace").first() or factories.maintainer()
    usual: dict[str, Any] = {
        "kind": kind,
        "opens_at": timezone.now(),
        "questions_per_participant": N_QUESTIONS,
        "injected_share": 0,
        "seats": 9,
    }
    if kind == Kind.ANSWER:
        return volunteers.open_study(grace, encyclopedia=encyclopedia, **(usual | fields))
    if kind == Kind.PAIRS:
        study = make_pair_study(grace, encyclopedia=encyclopedia or volunteers.NOTHING_THERE, **(usual | fields))
        systems = list(Entry.objects.filter(split=study.split)) or add_systems(study, 2)
        pairs.make_pairs(study, systems, N_QUESTIONS, by=grace)
        return Study.objects.get(pk=study.pk)
    study = factories.study(grace, factories.split(factories.list_benchmark(), "dev"), **(usual | fields))
    qids = [question.qid for question in factories.list_questions("dev", N_QUESTIONS)]
    file = folder / f"{kind}.jsonl"
    if kind == Kind.ITEMS:
        passage = {"title": "A page", "text": "Oslo is the capital."}
        rows = [{"id": qid, "answer": f"Oslo {qid}", "passage": passage} for qid in qids]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        load_items(study, file, right=right_to_make_items(grace, study), by=grace)
    else:
        rows = [{"id": qid, "group": "machines", "text": f"Who is {qid}?"} for qid in qids]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        load_texts(study, declaration=RATING_DECLARATION.encode(), texts=file, by=grace)
    return Study.objects.get(pk=study.pk)
