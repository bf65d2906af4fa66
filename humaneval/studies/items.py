"""Loading the items of a study: answers to check against passages, with injected wrong answers, or texts to rate."""

import random
from collections.abc import Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Final

from django.db import transaction
from django.template.defaultfilters import pluralize

from humaneval.models import ItemOrigin, Study, StudyItem
from humaneval.studies import activity_log
from humaneval.studies.item_files import Item, read_items, read_texts
from humaneval.studies.queries import has_begun
from humaneval.studies.ratings import read_declaration
from leaderboard.models import User
from scoring.analysis.reference_items import Lines, ReadingRight, items_of, reference_items
from scoring.files.mistakes import SourceError
from scoring.metrics.text.answer_names import folded_name
from scoring.models import Question

BEGUN: Final = "Items have already been assigned to a participant. To use other items, clone the study."
NO_QUESTIONS: Final = "The split has no questions. Import them first."
NO_REFERENCES: Final = (
    "The split has no reference answers, from which wrong answers are taken. Set the share of injected wrong answers "
    "to 0 in the settings."
)
NOTHING_TO_INJECT: Final = (
    "No gold answer of another question in the file can be injected as a wrong answer. Add items of other questions, "
    "or set the share of injected wrong answers to 0 in the settings."
)
NOT_ASKED: Final = "The file has qualification items, but participants get none. Set their number in the settings."


class ItemsError(ValueError):
    """The items cannot be loaded; every reason is in `problems`."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(" ".join(problems))
        self.problems = list(problems)


@transaction.atomic
def load_items(study: Study, path: Path, *, right: ReadingRight, by: User) -> int:
    """Replace the items of a study by those of a file, with injected wrong answers; return the number of all items.

    With the study's seed, a share of the items (`Study.injected_share`; qualification items do not count) is repeated
    with a gold answer of another question in the file. It is no gold answer or alias of the item's own question, and
    does not occur in the passage. Keys are in random order, so that they do not reveal which items these are.

    Raises:
        ItemsError: with every reason.
    """
    study = lock_unbegun(study)
    revision = study.split.current_revision
    if revision is None:
        raise ItemsError([NO_QUESTIONS])
    pks = dict(Question.objects.filter(revision=revision).values_list("qid", "pk"))
    try:
        items = read_items(path, frozenset(pks))
    except SourceError as error:
        raise ItemsError(error.problems) from error
    n_qualification = sum(item.supported is not None for item in items)
    if n_qualification < study.n_qualification * study.test_attempts:
        wanted = study.n_qualification * study.test_attempts
        few = f"The file has {n_qualification} qualification items, and participants get up to {wanted}."
        raise ItemsError([f"{few} Add some, or change their number in the settings."])
    if n_qualification and not study.n_qualification:
        raise ItemsError([NOT_ASKED])
    qids = {item.qid for item in items}
    references = reference_items(revision, qids, right=right) if revision.has_references else {}
    rows = [
        StudyItem(
            question_id=pks[item.qid],
            candidate=item.candidate,
            passage_title=item.title,
            passage_text=item.text,
            origin=origin,
            is_qualification=item.supported is not None,
            supported=item.supported,
        )
        for item, origin in _rows(study, items, references)
    ]
    _replace_loaded(study, rows, f"{len(rows) - len(items)} wrong answers injected.", by=by)
    return len(rows)


@transaction.atomic
def load_texts(study: Study, *, declaration: bytes | None, texts: Path | None, by: User) -> int:
    """Replace what the participants of a study rate, and on which scales; return the number of all items.

    Args:
        declaration: see `humaneval.studies.ratings.read_declaration`; None to leave it as it is.
        texts: see `humaneval.studies.item_files.read_texts`; None to leave the items as they are.

    Raises:
        ItemsError: with every mistake in both files.
    """
    study = lock_unbegun(study)
    problems: list[str] = []
    rows = []
    if declaration is not None:
        try:
            read_declaration(declaration)
        except SourceError as error:
            problems += error.problems
    if texts is not None:
        try:
            rows = [StudyItem(name=name, group=group, passage_text=text) for name, group, text in read_texts(texts)]
        except SourceError as error:
            problems += error.problems
    if problems:
        raise ItemsError(problems)
    if declaration is not None:
        study.declaration = declaration.decode("utf-8-sig")
        study.save(update_fields=["declaration"])
        activity_log.record_action(study, "study.declaration-loaded", "Rating questions loaded.", by=by)
    if texts is not None:
        n_groups = len({row.group for row in rows})
        _replace_loaded(study, rows, f"{n_groups} group{pluralize(n_groups)}.", by=by)
    return study.items.count()


def lock_unbegun(study: Study) -> Study:
    """The study, locked, so that nobody is given items while they are replaced.

    Raises:
        ItemsError: a participant has been given items.
    """
    study = Study.objects.select_for_update(of=("self",)).select_related("split__current_revision").get(pk=study.pk)
    if has_begun(study):
        raise ItemsError([BEGUN])
    return study


def replace_items(study: Study, rows: Sequence[StudyItem]) -> None:
    """Replace the items of a study by others, with keys in the order given."""
    for number, row in enumerate(rows, start=1):
        row.study, row.key = study, f"I-{number:05}"
    study.items.all().delete()
    StudyItem.objects.bulk_create(rows)


def _replace_loaded(study: Study, rows: Sequence[StudyItem], more: str, *, by: User) -> None:
    """Replace the items by those of a file, in random order, so that keys do not reveal the injected ones."""
    dice = random.Random(f"{study.seed}:keys")  # noqa: S311 - must be reproducible, not secret
    replace_items(study, dice.sample(rows, len(rows)))
    n_loaded = sum(row.origin != ItemOrigin.INJECTED for row in rows)
    activity_log.record_action(study, "study.items-loaded", f"{n_loaded} items loaded; {more}", by=by)


def _rows(study: Study, items: Sequence[Item], references: Mapping[str, Lines]) -> list[tuple[Item, ItemOrigin]]:
    gold = {qid: [item.text for item in items_of(lines) if not item.is_key] for qid, lines in references.items()}
    names = {
        qid: {folded_name(name) for item in items_of(lines) for name in (item.text, *item.also)}
        for qid, lines in references.items()
    }
    rows = [
        (item, ItemOrigin.GOLD if folded_name(item.candidate) in names.get(item.qid, ()) else ItemOrigin.PREDICTION)
        for item in items
    ]
    regular = [item for item in items if item.supported is None]
    n_injected = max(round(study.injected_share * len(regular)), 1) if study.injected_share and regular else 0
    if not n_injected:
        return rows
    if not references:
        raise ItemsError([NO_REFERENCES])
    dice = random.Random(f"{study.seed}:injected")  # noqa: S311 - must be reproducible, not secret
    donors = sorted({name for own in gold.values() for name in own})
    dice.shuffle(donors)
    injected = []
    for item in dice.sample(regular, len(regular)):
        passage = f" {folded_name(f'{item.title} {item.text}')} "
        own = names.get(item.qid, set()) | {folded_name(item.candidate)}
        # From a random place in one order: an order for each item takes up to 50 s for 50,000 items.
        start = dice.randrange(max(len(donors), 1))
        wrong = next(
            (
                name
                for name in chain(islice(donors, start, None), islice(donors, start))
                if (short := folded_name(name)) and short not in own and f" {short} " not in passage
            ),
            None,
        )
        if wrong is not None:
            injected.append((item._replace(candidate=wrong), ItemOrigin.INJECTED))
        if len(injected) == n_injected:
            return rows + injected
    raise ItemsError([NOTHING_TO_INJECT])
