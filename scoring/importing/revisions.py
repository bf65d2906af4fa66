"""Import a benchmark: its definition, and its questions and reference answers as revisions of its splits."""

import datetime
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import F, Q
from msgspec import to_builtins

from scoring.benchmarks import definitions
from scoring.benchmarks.base import (
    NO_ANSWER,
    BenchmarkDefinition,
    SourceError,
    SourceFile,
    SourceQuestion,
    canonical_json,
    content_hash,
)
from scoring.benchmarks.copies import LostScore, lost_scores
from scoring.benchmarks.leaks import refusals, warnings_of_leaks
from scoring.benchmarks.subsets import PARTS_EXPECTED, refusal, small_parts
from scoring.files.mistakes import Mistake, is_storable, listed, refuse, shown_id, texts_in
from scoring.importing import final_part
from scoring.models import Benchmark, Question, Reference, Revision, Setting, Split, SplitPart, SplitPhase
from scoring.models.inserting import insert_rows
from scoring.runs import answer_sets, outcomes
from scoring.runs.judging.comparisons import forget_intervals
from scoring.task_types import task_type_named

WITH_REFERENCES = {
    "complete": "with reference answers",
    "missing": "without reference answers",
    "not needed": "no reference answers needed",
}
"""Sentences about an imported revision, by `references_in_words`."""
ADD_ANSWER = "Add it, or name the question in unscored of its split, in benchmark.toml."
SHOWN_IDS = 5
LEAD, SHOWN = 60, 200
"""The characters that are shown of a changed answer before its first difference, and from there."""


@dataclass(frozen=True)
class ChangedText:
    """The current and the new wording of a question or of a reference answer."""

    qid: str
    before: str
    after: str


@dataclass(frozen=True)
class RevisionDiff:
    """The changes of one revision against another, by question id, in the order of the newer (removed: of the
    older)."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    rewordings: tuple[ChangedText, ...] = ()
    answers_added: tuple[str, ...] = ()
    answers_changed: tuple[str, ...] = ()
    answers_reordered: tuple[str, ...] = ()
    answers_removed: tuple[str, ...] = ()
    evidence_changed: tuple[str, ...] = ()
    clusters_changed: tuple[str, ...] = ()
    """No part of a revision: stored revisions get the new clusters."""
    reordered: bool = False
    new_answers: tuple[ChangedText, ...] = ()
    """The changed answers, in JSON and without what is far from the first difference; none of a hidden split."""

    def kinds(self) -> dict[str, tuple[str, ...]]:
        """All kinds of changes in words, each with the ids of its questions. Never an answer."""
        kinds = {
            "questions added": self.added,
            "questions removed": self.removed,
            "questions reworded": tuple(change.qid for change in self.rewordings),
            "answers added": self.answers_added,
            "answers changed": self.answers_changed,
            "answers with the same items in another order": self.answers_reordered,
            "answers removed": self.answers_removed,
            "other changes to context, evidence, categories or decomposition": self.evidence_changed,
            "questions in another cluster": self.clusters_changed,
        }
        return {what if len(qids) > 1 else what.replace("s ", " ", 1): qids for what, qids in kinds.items() if qids}

    def lines(self) -> list[str]:
        """A readable diff: one line per kind of change, with the first ids. Never an answer."""
        lines = [f"{len(qids)} {what}: {listed(qids, SHOWN_IDS)}" for what, qids in self.kinds().items()]
        return [*lines, *["different order of the questions"] * self.reordered]


@dataclass(frozen=True, kw_only=True)
class ImportPlan:
    """The effect of importing a split's questions; contains no answers of a hidden split."""

    current: Revision | None
    """The split's current revision, which the other fields are compared with."""
    known: Revision | None
    """The revision with exactly this content, if it was imported before."""
    content_hash: str
    questions_hash: str
    diff: RevisionDiff
    n_questions: int
    n_answers: int
    brings_back: bool
    """Whether it was imported before, is not the current one, and would become current again."""
    becomes_current: bool
    has_references: bool
    """Whether every question has the reference answer that its task type needs."""
    leaks: tuple[str, ...] = ()
    """What public fields would tell of reference answers and is not refused, in words."""

    @property
    def changes_clusters(self) -> bool:
        """Whether the content is imported already, and questions are in other clusters."""
        return self.known is not None and not self.brings_back and bool(self.diff.clusters_changed)

    @property
    def changes_nothing(self) -> bool:
        """Whether the whole content is imported already."""
        return self.known is not None and not self.brings_back and not self.changes_clusters


@dataclass(frozen=True, kw_only=True)
class ImportedSplit(ImportPlan):
    """A plan that came into force; without `leaks` if other splits are imported with this one."""

    revision: Revision
    runs_made: int = 0
    lost: tuple[LostScore, ...] = ()
    """Scores of copies of the reference answers that are below the best. For maintainers, if the split is hidden."""

    @property
    def created(self) -> bool:
        """Whether the revision is new."""
        return self.known is None

    @property
    def changed(self) -> bool:
        """Whether anything is different from before."""
        return not self.changes_nothing


@transaction.atomic
def import_definition(definition: BenchmarkDefinition, *, as_drafts: bool = False) -> Benchmark:
    """Create or update a benchmark with splits, subsets of them, and settings; `import_split` imports questions.

    Args:
        as_drafts: whether new splits are drafts.
    """
    phase = SplitPhase.DRAFT if as_drafts else SplitPhase.OPEN
    benchmark, _ = Benchmark.objects.update_or_create(
        slug=definition.slug,
        defaults={
            "name": definition.name,
            "description": definition.form.description,
            "citation": definition.form.citation,
            "url": definition.form.url,
            "licence": definition.form.licence,
            "position": definition.form.position,
        },
    )
    stored = {split.slug: split for split in Split.with_drafts.filter(benchmark=benchmark)}
    mistakes = [final_part.end_mistakes(stored[new.slug], new) for new in definition.splits if new.slug in stored]
    if any(mistakes):
        raise SourceError([mistake for of_split in mistakes for mistake in of_split])
    for position, split in enumerate(definition.splits):
        stated = {name: getattr(split, name) for name in ("name", "hidden", "opens", "closes", "final")}
        stated["position"] = position
        Split.with_drafts.update_or_create(
            benchmark=benchmark, slug=split.slug, defaults=stated, create_defaults={**stated, "phase": phase}
        )
    splits = {split.slug: split for split in Split.with_drafts.filter(benchmark=benchmark)}
    for position, subset in enumerate(definition.subsets):
        whole = splits[subset.split]
        Split.every.update_or_create(
            benchmark=benchmark,
            slug=subset.slug,
            defaults={"name": subset.name, "position": position, "subset_of": whole},
        )
    for position, setting in enumerate(definition.settings):
        Setting.objects.update_or_create(
            benchmark=benchmark,
            slug=setting.slug,
            defaults={
                "name": setting.name,
                "description": setting.description,
                "accepts_submissions": setting.accepts_submissions,
                "position": position,
            },
        )
    return benchmark


def splits_by_slug(benchmark: Benchmark) -> dict[str, Split]:
    """The splits of a benchmark, then their declared subsets. One query."""
    splits = Split.every.filter(benchmark=benchmark, part="").select_related("benchmark")
    return {split.slug: split for split in splits.order_by(F("subset_of").asc(nulls_first=True), "position")}


@transaction.atomic
def import_split(
    split: Split,
    questions: Sequence[SourceQuestion],
    *,
    date: datetime.date,
    note: str,
    make_current: bool = False,
    one_of_several: bool = False,
) -> ImportedSplit:
    """Import the questions of a split or of a subset (and the answers they carry) as a revision.

    The same content is never imported twice. A new revision becomes current unless its date is earlier than the current
    one's: then it is stored as history, so that importing an old file late changes no leaderboard. ``make_current``
    makes it current in any case, also if it was imported before: this is how to go back to it. ``one_of_several``: the
    caller imports other splits or subsets in the same transaction, and calls `require_subsets_apart` and
    `require_private` at its end.

    Raises:
        SourceError: some of the questions belong to another split, are not in the split of a subset, or would publish
            reference answers of a hidden split.
    """
    # Its revision may be missing, and PostgreSQL locks no missing row: the split is locked first and read then.
    Split.every.select_for_update().get(pk=split.pk)
    split = Split.every.select_related("benchmark", "current_revision").get(pk=split.pk)
    questions = in_split(split, questions)
    plan = _plan(split, questions, date=date, make_current=make_current)
    if not one_of_several:
        if plan.becomes_current:
            _require_apart(split, questions)
        if not plan.changes_nothing:
            plan = replace(plan, leaks=tuple(require_private(split, questions)))
    _renew_clusters(split, questions)
    lost = _score_copies(split, questions)
    if plan.known is not None:  # it may have been imported before a metric was declared or corrected
        Revision.objects.filter(pk=plan.known.pk).update(lost_scores=to_builtins(lost))
        if not plan.brings_back:
            _divide(split)
            return ImportedSplit(**vars(plan), revision=plan.known, lost=lost)
    revision = plan.known or _store(
        Revision(
            split=split,
            content_hash=plan.content_hash,
            questions_hash=plan.questions_hash,
            date=date,
            note=note,
            has_references=plan.has_references,
            clusters_hash=_clusters_hash(question.cluster for question in questions),
            lost_scores=to_builtins(lost),
        ),
        questions,
    )
    runs_made = 0
    if plan.becomes_current:
        split.current_revision = revision
        split.save(update_fields=["current_revision"])
        _divide(split)
        outcomes.split_changed(split.board_split)
        runs_made = answer_sets.ensure_runs_of_split(split)
        if plan.current is not None:
            outcomes.revision_changed(split)
    return ImportedSplit(**vars(plan), revision=revision, runs_made=runs_made, lost=lost)


def _divide(split: Split) -> None:
    """Give both parts of a split that keeps one for the end the revisions that belong to its current one."""
    whole = split.current_revision
    if split.final is None or whole is None:
        return
    Split.every.filter(subset_of=split).exclude(part="").update(hidden=split.hidden)
    digests = {part: final_part.part_hash(whole, part) for part in SplitPart}
    parts = final_part.parts_of_split(split)
    current = Revision.objects.filter(current_of__in=[part.pk for part in parts.values()])
    if set(current.values_list("content_hash", flat=True)) == set(digests.values()):
        return
    for part, questions in final_part.division(split, source_of(whole)).items():
        revision = Revision.objects.filter(split=parts[part], content_hash=digests[part]).first()
        parts[part].current_revision = revision or _store(
            Revision(
                split=parts[part],
                content_hash=digests[part],
                questions_hash=digests[part],  # that of its questions would tell who guesses them
                date=whole.date,
                note=whole.note,
                has_references=whole.has_references,
                clusters_hash=_clusters_hash(question.cluster for question in questions),
            ),
            questions,
        )
        parts[part].save(update_fields=["current_revision"])


def _score_copies(split: Split, questions: Sequence[SourceQuestion]) -> tuple[LostScore, ...]:
    definition = definitions().get(split.benchmark.slug)
    return tuple(lost_scores(definition, questions)) if definition is not None else ()


def plan_split(
    split: Split, questions: Sequence[SourceQuestion], *, date: datetime.date, make_current: bool = False
) -> ImportPlan:
    """The effect that `import_split` would have now, by a handful of queries that change nothing."""
    questions = in_split(split, questions)
    plan = _plan(split, questions, date=date, make_current=make_current)
    if plan.becomes_current:
        _require_apart(split, questions)
        if split.final is not None:
            final_part.division(split, questions)
    return plan if plan.changes_nothing else replace(plan, leaks=tuple(require_private(split, questions)))


def _plan(split: Split, questions: Sequence[SourceQuestion], *, date: datetime.date, make_current: bool) -> ImportPlan:
    """The plan of importing questions as the split has them."""
    _require_storable(questions)
    digest = content_hash(questions)
    _require_own_questions(split, questions)
    current = split.current_revision
    known = Revision.objects.filter(split=split, content_hash=digest).first()
    before = source_of(current) if current else []
    brings_back = known is not None and known != current and make_current
    return ImportPlan(
        current=current,
        known=known,
        content_hash=digest,
        questions_hash=content_hash(questions, with_answers=False),
        diff=compare(before, questions, hidden=split.is_hidden) if current else RevisionDiff(),
        n_questions=len(questions),
        n_answers=sum(question.has_answer for question in questions),
        brings_back=brings_back,
        becomes_current=brings_back or (known is None and (make_current or current is None or date >= current.date)),
        has_references=all(question.has_answer for question in questions) or not needs_references(split),
    )


def needs_references(split: Split) -> bool:
    """Whether the answers to a split's questions are scored against reference answers."""
    definition = definitions().get(split.benchmark.slug)
    return definition is None or task_type_named(definition.task_type).needs_references


def references_in_words(split: Split, revision: Revision) -> str:
    """Whether a revision of a split has the reference answers that are needed: complete, missing, or not needed."""
    if not needs_references(split):
        return "not needed"
    return "complete" if revision.has_references else "missing"


def in_split(split: Split, questions: Sequence[SourceQuestion]) -> list[SourceQuestion]:
    """Questions as a split has them: what tells their answers is left out if it is hidden."""
    return [question.in_split(hidden=split.is_hidden) for question in questions]


def _renew_clusters(split: Split, questions: Sequence[SourceQuestion]) -> None:
    """Give the questions of all stored revisions the clusters that an import names. No revision changes by it, and
    nothing is scored again; intervals are computed again."""
    given = {question.qid: question.cluster for question in questions}
    clustered = any(given.values())
    changed = False
    of_parts = Q(split__subset_of=split) & ~Q(split__part="")
    for revision in Revision.objects.filter(Q(split=split) | of_parts):
        if clustered or revision.clusters_hash:
            rows = list(Question.objects.filter(revision=revision).only("qid", "cluster").order_by("position"))
            for row in rows:
                row.cluster = given.get(row.qid, row.cluster)
            digest = _clusters_hash(row.cluster for row in rows)
            if digest != revision.clusters_hash:
                Question.objects.bulk_update(rows, ["cluster"], batch_size=500)
                revision.clusters_hash = digest
                revision.save(update_fields=["clusters_hash"])
                forget_intervals(revision)
                changed = True
    if changed:
        outcomes.split_changed(split.board_split)


def _clusters_hash(clusters: Iterable[str]) -> str:
    names = list(clusters)
    return hashlib.sha256(canonical_json(names).encode()).hexdigest() if any(names) else ""


def _store(revision: Revision, questions: Sequence[SourceQuestion]) -> Revision:
    """Store a new revision with its questions and reference answers."""
    revision.save()
    # Read now: PostgreSQL answers no query while rows are copied to it.
    hidden = revision.split.is_hidden
    weights = [_weight_of(revision.split, question) for question in questions]
    insert_rows(
        Question,
        (
            "revision",
            "qid",
            "position",
            "text",
            "categories",
            "cluster",
            "decomposition",
            "evidence",
            "context",
            "language",
            "weight",
        ),
        (
            (
                revision.pk,
                question.qid,
                position,
                question.text,
                list(question.categories),
                question.cluster,
                [] if hidden else [_without_answers(step) for step in question.decomposition],
                list(question.evidence),
                list(question.context) or None,
                question.language,
                weights[position],
            )
            for position, question in enumerate(questions)
        ),
    )
    keys = list(Question.objects.filter(revision=revision).order_by("position").values_list("pk", flat=True))
    insert_rows(
        Reference,
        ("question", "answer_json", "decomposition_json"),
        (
            (key, canonical_json(question.answer), canonical_json(list(question.decomposition)))
            for key, question in zip(keys, questions, strict=True)
            if question.has_answer
        ),
    )
    return revision


def _weight_of(split: Split, question: SourceQuestion) -> float | None:
    definition = definitions().get(split.benchmark.slug)
    if definition is None or not question.has_answer:
        return None
    return task_type_named(definition.task_type).weight_of(question.answer)


def _require_storable(questions: Sequence[SourceQuestion]) -> None:
    """
    Raises:
        SourceError: a database cannot store some text; each question is named. A single NUL would stop the import.
    """
    longest = Question._meta.get_field("qid").max_length or 0
    problems = []
    for question in questions:
        if len(question.qid) > longest:
            problems.append(f"An id has {len(question.qid)} characters; the maximum is {longest}.")
        content: list[object] = [question.qid, question.text, question.categories, question.evidence]
        content += [question.decomposition, question.context]
        if not all(map(is_storable, texts_in([*content, question.answer if question.has_answer else ""]))):
            what = "a text contains an invalid character (NUL or half of a surrogate pair)"
            problems.append(f"Question {shown_id(question.qid)}: {what}.")
    if problems:
        raise SourceError(problems)


def _require_own_questions(split: Split, questions: Sequence[SourceQuestion]) -> None:
    """Reject the file of another split: it would retire every question of this one, or make hidden ones public; and a
    subset with other questions than its split."""
    if split.subset_of_id is not None:
        known = set(Question.objects.filter(revision__current_of=split.subset_of_id).values_list("qid", flat=True))
        strangers, size = refusal([question.qid for question in questions], known, len(known), hidden=split.is_hidden)
        problems = [f"Question {shown_id(qid)} of the subset {split.slug} is not in its split." for qid in strangers]
        if problems or size:
            advice = "Check that this is the right file, and import the split first."
            raise SourceError([*problems, *([f"The subset {split.slug} has {size}."] if size else []), advice])
        return
    others = Split.with_drafts.filter(benchmark=split.benchmark_id, current_revision__isnull=False)
    others = others.exclude(pk=split.pk)
    for other in others:
        taken = set(Question.objects.filter(revision=other.current_revision_id).values_list("qid", flat=True))
        shared = [question.qid for question in questions if question.qid in taken]
        if shared:
            what = (
                f"{len(shared)} of the {len(questions)} questions for the split {split.slug} belong to "
                f"{other.slug}, for example {shared[0]}. A question belongs to one split. Check that this is "
                "the right file."
            )
            raise SourceError([what])


def require_subsets_apart(benchmark: Benchmark) -> None:
    """Refuse subsets of a hidden split that differ in few questions, as they are stored now."""
    for split in Split.with_drafts.filter(benchmark=benchmark, hidden=True, current_revision__isnull=False):
        _refuse_small_parts(split.pk, _stored_subsets(split.pk))


def _require_apart(subset: Split, questions: Sequence[SourceQuestion]) -> None:
    """Refuse the questions of a subset that differ in few from another one of the same hidden split."""
    if subset.subset_of_id is not None and subset.is_hidden:
        stored = _stored_subsets(subset.subset_of_id)
        stored.pop(subset.slug, None)
        _refuse_small_parts(subset.subset_of_id, {**stored, subset.slug: [question.qid for question in questions]})


def require_private(split: Split, questions: Sequence[SourceQuestion]) -> list[str]:
    """Refuse questions that would publish reference answers of a hidden split, together with what is stored.

    Returns:
        What public fields tell of reference answers and is not refused, a sentence for each kind.

    Raises:
        SourceError: naming each such question and its field.
    """
    definition = definitions().get(split.benchmark.slug)
    if definition is None:
        return []
    task = task_type_named(definition.task_type)
    hidden = {other.slug for other in splits_by_slug(split.benchmark).values() if other.is_hidden}
    splits = {split.slug: questions, **_stored_elsewhere(split)} if task.needs_references else {split.slug: questions}
    refuse(
        Mistake(
            f"{refused.split}: question {shown_id(splits[refused.split][refused.position].qid)}",
            0,
            refused.field,
            refused.found,
            refused.expected,
            refused.fix,
        )
        for refused in refusals(split.slug, splits, hidden, task)
    )
    others = {name: of_split for name, of_split in splits.items() if name not in hidden}
    return list(warnings_of_leaks(split.slug, questions, task, hidden=split.slug in hidden, others=others))


def _stored_elsewhere(split: Split) -> dict[str, list[SourceQuestion]]:
    """By slug, the current questions of the other splits and subsets that are open if this one is hidden, and hidden if
    it is open: their texts and reference answers. One query."""
    stored = Question.objects.filter(revision__current_of__benchmark=split.benchmark_id, revision__split__part="")
    stored = stored.exclude(revision__split=split).order_by("revision", "position")
    columns = ("revision__split__slug", "revision__split__hidden", "revision__split__subset_of__hidden")
    splits: dict[str, list[SourceQuestion]] = {}
    rows = stored.values_list(*columns, "qid", "text", "reference__answer_json")
    for slug, hidden, whole_hidden, qid, text, answer in rows:
        if (hidden if whole_hidden is None else whole_hidden) != split.is_hidden:
            answered = NO_ANSWER if answer is None else json.loads(answer)
            splits.setdefault(slug, []).append(SourceQuestion(qid, text, (), (), answer=answered))
    return splits


def _stored_subsets(split: int) -> dict[str, list[str]]:
    """The ids of the current questions of each subset of a split, by slug. One query."""
    rows = Question.objects.filter(revision__current_of__subset_of=split, revision__split__part="")
    rows = rows.order_by("revision__split__position", "pk")
    subsets: dict[str, list[str]] = {}
    for slug, qid in rows.values_list("revision__split__slug", "qid"):
        subsets.setdefault(slug, []).append(qid)
    return subsets


def _refuse_small_parts(split: int, subsets: Mapping[str, Sequence[str]]) -> None:
    if not subsets:
        return
    known = list(Question.objects.filter(revision__current_of=split).values_list("qid", flat=True))
    reasons = small_parts(known, subsets)
    if reasons:
        raise SourceError([f"Subset {slug}: found {what}, expected {PARTS_EXPECTED}." for slug, what in reasons])


def _without_answers(step: object) -> dict[str, object]:
    assert isinstance(step, dict)  # noqa: S101 - the reader of the file has checked it
    public: dict[str, object] = {key: value for key, value in step.items() if key not in ("answer", "decomposition")}
    public["decomposition"] = [_without_answers(inner) for inner in step.get("decomposition") or ()]
    return public


def source_of(revision: Revision) -> list[SourceQuestion]:
    """A revision's questions as they were imported (for a hidden split, the decomposition with its answers)."""
    rows = Question.objects.filter(revision=revision).select_related("reference").order_by("position")
    questions = []
    for row in rows:
        question = SourceQuestion(
            qid=row.qid,
            text=row.text,
            categories=tuple(row.categories),
            evidence=tuple(row.evidence),
            decomposition=tuple(row.decomposition),
            cluster=row.cluster,
            context=tuple(row.context or ()),
            language=row.language,
        )
        if hasattr(row, "reference"):
            question = replace(
                question, answer=row.reference.answer, decomposition=tuple(json.loads(row.reference.decomposition_json))
            )
        questions.append(question)
    return questions


def compare(old: Sequence[SourceQuestion], new: Sequence[SourceQuestion], *, hidden: bool = True) -> RevisionDiff:
    """The changes of *new* against *old*; of a hidden split without any answer."""
    before = {question.qid: question for question in old}
    after = {question.qid: question for question in new}
    both = [(before[qid], question) for qid, question in after.items() if qid in before]
    old_order = [question.qid for question in old if question.qid in after]
    new_order = [question.qid for question in new if question.qid in before]

    def items(question: SourceQuestion) -> str:
        return json.dumps(question.answer, sort_keys=True)

    answered = [(a, b) for a, b in both if a.has_answer and b.has_answer]
    changed = [(a, b) for a, b in answered if items(a) != items(b)]

    def rest(question: SourceQuestion) -> str:
        parts = [list(question.categories), list(question.evidence), list(question.context), question.language]
        return json.dumps(parts, sort_keys=True)

    return RevisionDiff(
        added=tuple(qid for qid in after if qid not in before),
        removed=tuple(qid for qid in before if qid not in after),
        rewordings=tuple(ChangedText(b.qid, a.text, b.text) for a, b in both if a.text != b.text),
        answers_added=tuple(b.qid for a, b in both if b.has_answer and not a.has_answer),
        answers_removed=tuple(b.qid for a, b in both if a.has_answer and not b.has_answer),
        answers_changed=tuple(b.qid for _, b in changed),
        answers_reordered=tuple(
            b.qid for a, b in answered if items(a) == items(b) and canonical_json(a.answer) != canonical_json(b.answer)
        ),
        evidence_changed=tuple(
            b.qid
            for a, b in both
            if rest(a) != rest(b)
            or (a.has_answer and b.has_answer and canonical_json(a.decomposition) != canonical_json(b.decomposition))
        ),
        clusters_changed=tuple(b.qid for a, b in both if a.cluster != b.cluster),
        reordered=old_order != new_order,
        new_answers=() if hidden else tuple(_changed_answer(a, b) for a, b in changed),
    )


def _changed_answer(old: SourceQuestion, new: SourceQuestion) -> ChangedText:
    """The answers from shortly before their first difference: long lists often differ in one item."""
    texts = [json.dumps(question.answer, ensure_ascii=False) for question in (old, new)]
    same = next((place for place, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
    start = max(0, same - LEAD)
    end = start + LEAD + SHOWN
    before, after = ("…" * (start > 0) + text[start:end] + "…" * (len(text) > end) for text in texts)
    return ChangedText(new.qid, before, after)


def put_together(
    questions: SourceFile | None,
    answers: SourceFile | None,
    *,
    questions_name: str = "",
    answers_name: str = "",
    split: Split,
) -> SourceFile:
    """The questions of one file with the reference answers of another; one of the two may be missing.

    Those that the benchmark declares as not scored are left out.

    Args:
        split: a hidden one may lack all answers, if no other file supplies them, but not some.

    Raises:
        SourceError: both are missing, answers are missing, or the files do not match.
    """
    if questions is None and answers is None:
        raise SourceError(["Provide a question file, a reference answer file, or both."])
    definition = definitions().get(split.benchmark.slug)
    unscored = definition.unscored(split.slug) if definition is not None else ()
    questions, answers = (
        None
        if file is None
        else replace(file, questions=tuple(one for one in file.questions if one.qid not in unscored))
        for file in (questions, answers)
    )
    if answers is not None:
        require_answers(answers.questions, answers_name)
    if questions is None:
        assert answers is not None  # noqa: S101 - one of the two is there
        return answers
    if answers is not None:
        # Only the answers of the answers' file are used, so its warnings are irrelevant.
        return replace(questions, questions=tuple(with_answers(questions.questions, answers.questions)))
    some_answers = any(question.has_answer for question in questions.questions)
    if needs_references(split) and (some_answers or not split.is_hidden):
        require_answers(questions.questions, questions_name)
    return questions


def with_answers(questions: Sequence[SourceQuestion], answers: Sequence[SourceQuestion]) -> list[SourceQuestion]:
    """Questions of one file with the reference answers and decompositions of another, matched by id.

    Raises:
        SourceError: naming every question without an answer or with two different ones, and every answer without a
            question.
    """
    by_id = {question.qid: question for question in answers}
    problems = [
        f"The answer file has no reference answer to question {shown_id(question.qid)}."
        for question in questions
        if question.qid not in by_id
    ]
    known = {question.qid for question in questions}
    problems += [
        f"The answer file contains {shown_id(qid)}, which is not among the questions."
        for qid in by_id
        if qid not in known
    ]
    problems += [
        f"The two files have different reference answers to question {shown_id(question.qid)}. Correct one of them."
        for question in questions
        if question.has_answer
        and question.qid in by_id
        and canonical_json(question.answer) != canonical_json(by_id[question.qid].answer)
    ]
    if problems:
        raise SourceError(problems)
    return [
        replace(question, answer=by_id[question.qid].answer, decomposition=by_id[question.qid].decomposition)
        for question in questions
    ]


def require_answers(questions: Sequence[SourceQuestion], filename: str) -> None:
    """Reject a file in which reference answers are missing.

    Raises:
        SourceError: naming every question without an answer.
    """
    missing = [question.qid for question in questions if not question.has_answer]
    if missing:
        raise SourceError([f"{filename}: question {shown_id(qid)} has no 'answer'. {ADD_ANSWER}" for qid in missing])
