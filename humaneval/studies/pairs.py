"""Making the pairs of answers of a study in which people compare systems side by side, with injected bad answers."""

import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from humaneval.models import Grade, GradeKind, ItemOrigin, OnNamed, Study, StudyItem
from humaneval.studies import activity_log
from humaneval.studies.items import NO_QUESTIONS, ItemsError, lock_unbegun, replace_items
from humaneval.studies.masking import masked, masks_of
from leaderboard.access import is_maintainer
from leaderboard.models import Entry, EntryKind, Submission, User
from scoring.models import AnswerBlock, Question, Revision
from scoring.registry import task_type_of

MOST_PAIRS: Final = 20_000
TOO_FEW_SYSTEMS: Final = "Choose at least two systems."
NOT_OFFERED: Final = "One of these systems cannot be compared any more. Load the page again, and choose from it."
UNKNOWN_GOOD: Final = "Known good answers: no question or no chosen system has the name in: {}."
TOO_MANY_PAIRS: Final = f"This makes more than {MOST_PAIRS:,} pairs. Choose fewer questions or fewer systems."
TOO_FEW_QUESTIONS: Final = "Every chosen system has answered only {} of the questions. At least two are needed."
NOTHING_TO_INJECT: Final = (
    "The chosen systems give the same answer to all of these questions, so no bad answer can be injected. Set the "
    "share of injected wrong answers to 0 in the settings."
)


def comparable_entries(study: Study, user: User) -> QuerySet[Entry]:
    """The rows of the study's board whose answers can be compared, by name: systems scored here.

    For others than maintainers, only those whose answers are public: participants read them.
    """
    rows = Entry.objects.filter(
        split=study.split_id, setting=study.setting_id, kind=EntryKind.SCORED, replaced_at=None, retracted_at=None
    ).filter(system__is_human=False)
    if not is_maintainer(user):
        rows = rows.filter(shows_answers=True, split__hidden=False)
    return rows.select_related("system").order_by("system__name", "pk")


@transaction.atomic
def make_pairs(
    study: Study,
    entries: Sequence[Entry],
    n_questions: int,
    *,
    by: User,
    masks: Sequence[str] | None = None,
    good: Sequence[tuple[str, str]] = (),
) -> int:
    """Replace the pairs of a study; return the number of all pairs.

    With the study's seed, questions are drawn at random from those that every system answered. Each two systems are
    compared on each of them. A share of the pairs (`Study.injected_share`) is repeated with, instead of the second
    answer, an answer of the same system to another of the questions: first of answers that are known to be good, by
    grading rounds or by the maintainer. Keys are in random order.

    Args:
        entries: rows of `comparable_entries`.
        n_questions: how many questions to draw; all, if there are not so many.
        masks: texts to mask besides the names of the systems; None for those that the study has.
        good: answers that the maintainer knows to be good, by question id and system; an empty name is every system.

    Raises:
        ItemsError: with every reason.
    """
    study = lock_unbegun(study)
    offered = set(comparable_entries(study, by).values_list("pk", flat=True))
    if len({entry.pk for entry in entries}) < 2:
        raise ItemsError([TOO_FEW_SYSTEMS])
    if not offered.issuperset(entry.pk for entry in entries):
        raise ItemsError([NOT_OFFERED])
    pks = dict(Question.objects.filter(revision=study.split.current_revision).values_list("qid", "pk"))
    if not pks:
        raise ItemsError([NO_QUESTIONS])
    names = {entry.answer_set_id: entry.system.name for entry in entries if entry.answer_set_id is not None}
    sets = list(names)
    if unknown := [f"{qid} => {name}" if name else qid for qid, name in good if not _is_known(qid, name, pks, names)]:
        raise ItemsError([UNKNOWN_GOOD.format("; ".join(unknown[:10]))])
    if masks is not None:
        study.masks = list(masks)
        study.save(update_fields=["masks"])
    texts = _answered_by_all(study, sets, frozenset(pks), masks_for_pairs(study, sets))
    if len(texts) < 2:
        raise ItemsError([TOO_FEW_QUESTIONS.format(len(texts))])
    dice = random.Random(f"{study.seed}:pairs")  # noqa: S311 - must be reproducible, not secret
    drawn = dice.sample(sorted(texts), min(n_questions, len(texts)))
    if len(drawn) * len(sets) * (len(sets) - 1) // 2 > MOST_PAIRS:
        raise ItemsError([TOO_MANY_PAIRS])
    # Question, first and second answer set, the answer that is compared with the first one's, and its origin.
    pairs = [
        (qid, first, second, texts[qid][second], ItemOrigin.PREDICTION)
        for qid in drawn
        for first, second in combinations(sets, 2)
    ]
    known = judged_good(sets, study.split.current_revision) if study.split.current_revision is not None else set()
    known |= {(key, qid) for qid, name in good for key in sets if name in ("", names[key])}
    injected = [
        (qid, key, key, wrong, ItemOrigin.INJECTED)
        for qid, key, wrong in _injected(study, {qid: texts[qid] for qid in drawn}, known, len(pairs), dice)
    ]
    rows = [
        StudyItem(
            question_id=pks[qid],
            first_set_id=first,
            second_set_id=second,
            candidate=texts[qid][first],
            other=other,
            origin=origin,
            supported=(True if (first, qid) in known else None) if origin == ItemOrigin.INJECTED else None,
        )
        for qid, first, second, other, origin in dice.sample(pairs + injected, len(pairs) + len(injected))
    ]
    replace_items(study, rows)
    text = f"{len(pairs)} pairs of {len(sets)} systems on {len(drawn)} questions made; {len(injected)} injected."
    activity_log.record_action(study, "study.pairs-made", text, by=by)
    return len(rows)


def masks_for_pairs(study: Study, sets: Collection[UUID]) -> list[str]:
    """The words to mask in the answers of systems: of their names, and the study's own."""
    return [*masks_of(names_of(sets)), *study.masks]


def originals_of(study: Study) -> tuple[Iterator[str], list[str]]:
    """The answers in a study's pairs as the systems gave them, and what is masked in them: for its maintainers."""
    items = study.items.exclude(first_set=None).order_by("question", "key")
    places = dict.fromkeys(
        (key, qid)
        for first, second, qid in items.values_list("first_set", "second_set", "question__qid")
        for key in (first, second)
    )
    sets = list(dict.fromkeys(key for key, _ in places))
    task = task_type_of(study.split.benchmark.slug)
    texts = (
        "\n".join(task.texts_of(text)).strip()
        for key, qid, text in AnswerBlock.objects.texts(sets)
        if (key, qid) in places
    )
    return texts, masks_for_pairs(study, sets)


def names_of(sets: Collection[UUID]) -> set[str]:
    """The names of the systems of answer sets, on boards and as they were submitted."""
    shown = Entry.objects.filter(answer_set__in=sets).values_list("system__name", flat=True)
    sent = Submission.objects.filter(files__answer_set__in=sets).values_list("name", flat=True)
    return {*shown, *sent}


def _answered_by_all(
    study: Study, sets: Sequence[UUID], qids: frozenset[str], masks: Sequence[str]
) -> dict[str, dict[UUID, str]]:
    """Answers by question as they are shown, without names of systems, by answer set; only of questions that all of
    them answered."""
    task = task_type_of(study.split.benchmark.slug)
    texts: dict[str, dict[UUID, str]] = defaultdict(dict)
    for answer_set, qid, text in AnswerBlock.objects.first_texts(sets):
        shown = "\n".join(task.texts_of(text)).strip() if qid in qids and task.is_answered(text) else ""
        if shown:
            texts[qid][answer_set] = masked(shown, masks)
    return {qid: given for qid, given in texts.items() if len(given) == len(sets)}


def _is_known(qid: str, name: str, pks: Mapping[str, int], names: Mapping[UUID, str]) -> bool:
    return qid in pks and (not name or name in names.values())


def _injected(
    study: Study,
    texts: Mapping[str, Mapping[UUID, str]],
    good: Collection[tuple[UUID, str]],
    n_pairs: int,
    dice: random.Random,
) -> list[tuple[str, UUID, str]]:
    """Answers, by question and answer set, each with one of the same system to another question; good ones first."""
    if not study.injected_share:
        return []
    n = max(round(study.injected_share * n_pairs), 1)
    places = [(qid, key) for qid, given in texts.items() for key in given]
    drawn: list[tuple[str, UUID, str]] = []
    for qid, key in sorted(dice.sample(places, len(places)), key=lambda place: (place[1], place[0]) not in good):
        others = [texts[other][key] for other in texts if other != qid and texts[other][key] != texts[qid][key]]
        if others:
            drawn.append((qid, key, dice.choice(others)))
        if len(drawn) == n:
            break
    if not drawn:
        raise ItemsError([NOTHING_TO_INJECT])
    return drawn


def judged_good(sets: Collection[UUID], revision: Revision) -> set[tuple[UUID, str]]:
    """The answers, by answer set and question id, that grading rounds on a revision found right.

    An answer is right if it has every item of the reference, contradicts nothing, claims nothing wrong and is no
    refusal: by the decision if there is one, else by the known grade, else by every grader.
    """
    rows = (
        Grade.objects.filter(graded_answer__origin__answer_set__in=sets, graded_answer__round__revision=revision)
        .select_related("graded_answer__origin", "graded_answer__question", "graded_answer__round", "slot")
        .order_by("version")
    )
    newest: dict[int, dict[tuple[str, int | None], Grade]] = defaultdict(dict)
    for grade in rows:
        newest[grade.graded_answer_id][grade.kind, grade.slot_id] = grade
    good = set()
    for grades in newest.values():
        by_kind: dict[str, list[Grade]] = defaultdict(list)
        for grade in grades.values():
            if grade.slot is None or (grade.slot.graded_at is not None and _counts(grade)):
                by_kind[grade.kind].append(grade)
        given = by_kind[GradeKind.DECISION] or by_kind[GradeKind.KNOWN] or by_kind[GradeKind.GRADE]
        if given and all(map(_is_right, given)):
            answer = given[0].graded_answer
            if answer.origin.answer_set_id is not None:
                good.add((answer.origin.answer_set_id, answer.question.qid))
    return good


def _counts(grade: Grade) -> bool:
    return not grade.named or grade.graded_answer.round.on_named == OnNamed.KEEP


def _is_right(grade: Grade) -> bool:
    return all(grade.ticks) and not (grade.contradicts or grade.extra_wrong or grade.refuses)
