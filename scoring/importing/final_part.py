"""Dividing a hidden split: the part that is kept for the end, and the public one.

Each part is a subset of the split (`scoring.models.SplitPart`) whose revisions follow those of the split. Which
questions are in a part is stored there and nowhere else.
"""

import datetime
import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

from django.conf import settings

from scoring.benchmarks.base import SourceError, SourceQuestion
from scoring.benchmarks.final_part import PARTS_EXPECTED, drawn, refusal
from scoring.benchmarks.form import SplitTable
from scoring.files.mistakes import DECLARATION
from scoring.models import AnswerSet, Question, Revision, Split, SplitPart, clock

LONGEST_SLUG: Final = 40


def parts_of_split(split: Split) -> dict[SplitPart, Split]:
    """The two parts of a split, made if they do not exist."""
    # No declared slug has a dot. The name of the split is read in signatures; one too long for that is numbered.
    name = split.slug if len(split.slug) <= LONGEST_SLUG else str(split.pk)
    return {
        part: Split.every.get_or_create(
            benchmark=split.benchmark,
            slug=f"{name}.{part}",
            defaults={"name": part.label, "hidden": True, "subset_of": split, "part": part},
        )[0]
        for part in SplitPart
    }


def division(split: Split, questions: Sequence[SourceQuestion]) -> dict[SplitPart, list[SourceQuestion]]:
    """The questions of each part of a split that keeps one for the end. Read-only.

    Raises:
        SourceError: a part would be too small.
    """
    assert split.final is not None  # noqa: S101 - only such are divided
    rows = Question.objects.filter(revision__split__subset_of=split).exclude(revision__split__part="")
    known: dict[str, set[str]] = {part: set() for part in SplitPart}
    for part, qid in rows.order_by().values_list("revision__split__part", "qid").distinct():
        known[part].add(qid)
    secret = hmac.digest(
        settings.SECRET_KEY.encode(), f"final part\0{split.benchmark.slug}\0{split.slug}".encode(), "sha256"
    )
    kept = drawn(
        questions,
        split.final,
        secret=secret,
        public=known[SplitPart.PUBLIC],
        final=known[SplitPart.FINAL],
    )
    if refused := refusal(len(kept), len(questions)):
        fix = "Change final, add questions, or remove final."
        raise SourceError([f"Split {split.slug}: final: found {refused}, expected {PARTS_EXPECTED}. {fix}"])
    return {
        SplitPart.PUBLIC: [question for question in questions if question.qid not in kept],
        SplitPart.FINAL: [question for question in questions if question.qid in kept],
    }


def part_hash(revision: Revision, part: str) -> str:
    """The identity of a part of a revision. It does not depend on the questions of the part: nobody can find these by
    trying."""
    return hashlib.sha256(f"{revision.content_hash} {part}".encode()).hexdigest()


def end_mistakes(split: Split, declared: SplitTable) -> list[str]:
    """Why an imported split cannot have the end that is declared now: its questions were drawn by another share,
    answers were scored on all of them, or its end has come."""
    field, problems = f"{DECLARATION}: splits.{split.slug}", []
    drawn_before = Split.every.filter(subset_of=split).exclude(part="").exists()
    if drawn_before and declared.final != split.final:
        problems.append(
            f"{field}.final: found {declared.final or 'nothing'}, expected {split.final}, because the questions are "
            "drawn. Change it back; while nobody has submitted, the split can be removed and imported again."
        )
    elif not drawn_before and declared.final is not None and AnswerSet.objects.filter(split=split).exists():
        problems.append(
            f"{field}.final: found {declared.final}, expected nothing, because the split has submissions, which are "
            "scored on all of its questions. Remove it, or declare another split."
        )
    if split.final is not None and split.closes is not None and declared.closes != split.closes:
        now = clock.now()
        if split.closes <= now:
            problems.append(
                f"{field}.closes: found {_in_words(declared.closes)}, expected {_in_words(split.closes)}, because that "
                "has passed, and systems are ranked by the final part. Change it back."
            )
        elif declared.closes is not None and declared.closes <= now:
            problems.append(
                f"{field}.closes: found {_in_words(declared.closes)}, expected a time to come, because it ends the "
                "split for good. Correct it."
            )
    if split.final is not None and split.final_shown_at is None and split.hidden and not declared.hidden:
        problems.append(
            f"{field}.hidden: found false, expected true, because the results on its final part are not shown yet. "
            "Change it back, and open the split later."
        )
    return problems


def _in_words(moment: datetime.datetime | None) -> str:
    return "nothing" if moment is None else f"{moment:%Y-%m-%d %H:%M} UTC"
