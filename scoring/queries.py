"""Shared read queries on scoring's tables: ids, signatures, items to score, and vectors.

Only `references_of` reads reference answers here, for the metrics.
"""

import datetime
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef, Q, QuerySet
from numpy.typing import NDArray

from scoring.benchmarks import definition_of, definitions
from scoring.benchmarks.base import BenchmarkDefinition, SourceError
from scoring.benchmarks.names import parts_of
from scoring.benchmarks.subsets import WHOLE, on_split, subsets_of
from scoring.generations.attempts import ANY_NUMBER
from scoring.generations.keys import IN_KEYS, answer_key
from scoring.generations.reader import NOT_SCORED, KnownQuestions
from scoring.metrics.base import SERVED, Metric
from scoring.metrics.cited.answers import packed
from scoring.metrics.columns import Column
from scoring.models import (
    Answer,
    AnswerBlock,
    AnswerSet,
    Baseline,
    CitationBlock,
    CurrentSignature,
    Question,
    Revision,
    Run,
    Score,
    Split,
    SplitPart,
    SplitPhase,
    read_vector,
)
from scoring.models.run_states import RunState
from scoring.registry import metric_named, metric_of, scored_texts, signature_of, why_unavailable
from scoring.statistics.arrays import Clusters

Answers = tuple[str | None, ...]
DIGEST_DIGITS = 12
"""Digits of the digest of an opponent's answers in a signature."""
OPPONENT_PART = re.compile(r"\|opponent:[^|]*")
REMOVED_IN = "removed in the revision of {date}"


def split_ids(split: Split) -> KnownQuestions:
    """The ids of a split's current revision in order, those that later revisions retired or that its declaration does
    not have scored, and the other splits' ids; those of drafts only for a draft.

    A site may have imported a later revision first. Therefore, if most questions of the benchmark's package are in the
    current revision, its other questions count as retired as well. Three queries, whatever the number of revisions.
    """
    current = tuple(
        Question.objects.filter(revision=split.current_revision).order_by("position").values_list("qid", flat=True)
    )
    known = frozenset(current)
    revision = split.current_revision
    retired_by = REMOVED_IN.format(date=revision.date.isoformat()) if revision else "retired"
    earlier = Question.objects.filter(revision__split=split).exclude(revision=split.current_revision)
    retired = dict.fromkeys(
        sorted(qid for qid in earlier.values_list("qid", flat=True).distinct() if qid not in known), retired_by
    )
    declared = definitions().get(split.benchmark.slug)
    if declared is not None:
        retired |= dict.fromkeys(sorted(declared.unscored(split.slug) - known), NOT_SCORED)
    # Who may send files to a draft sees the benchmark's other drafts as well; nobody else learns of one.
    siblings = Split.with_drafts if split.phase == SplitPhase.DRAFT else Split.objects
    others = Question.objects.filter(revision__current_of__in=siblings.filter(benchmark=split.benchmark_id))
    others = others.exclude(revision__split=split)
    other_splits = {
        qid: name.lower()
        for qid, name in others.values_list("qid", "revision__split__name")
        if qid not in known and qid not in retired
    }
    packaged = _packaged_ids(split.benchmark.slug).get(split.slug, ())
    if 2 * sum(qid in known for qid in packaged) > len(packaged):
        retired |= {qid: retired_by for qid in packaged if qid not in known and qid not in other_splits}
    rule = ANY_NUMBER if declared is None else declared.attempts(split.slug)
    return KnownQuestions(current=current, retired=retired, other_splits=other_splits, attempts=rule)


@cache
def _packaged_ids(benchmark: str) -> Mapping[str, tuple[str, ...]]:
    """Ids of the questions in a benchmark's package, by split; empty if it is not installed."""
    try:
        packaged = definition_of(benchmark).packaged()
    except SourceError:
        return {}
    return {slug: tuple(question.qid for question in split.source.questions) for slug, split in packaged.items()}


def definition_on(split: Split) -> BenchmarkDefinition:
    """The definition of a split's benchmark, with the metrics and columns of the split's subsets."""
    return on_split(definition_of(split.benchmark.slug), split.slug)


def column_of(benchmark: str, score: str) -> Column:
    """The column of a benchmark's score, also of one on a subset; a share, if nothing is known of it."""
    definition = definitions().get(benchmark)
    return definition.column(parts_of(score)[0]) if definition else Column(score, "", score, score, "", "")


def with_questions(columns: Iterable[Column], signatures: Mapping[str, str]) -> list[Column]:
    """Without the columns of subsets that have no questions, whose metrics have no signature."""
    return [column for column in columns if column.metric in signatures or not parts_of(column.metric)[1]]


def scored_part(split: Split) -> Split | None:
    """The split or part of it by whose questions its boards rank; None for a part that is not drawn yet. No query, or
    one if the split keeps a part for the end."""
    if not split.shown_part:
        return split
    parts = Split.every.filter(subset_of=split, part=split.shown_part, current_revision__isnull=False)
    return parts.select_related("benchmark", "current_revision", "subset_of").first()


def subsets_on(split: Split) -> dict[str, Split]:
    """The subsets of a split that have questions, by slug; of a split that ranks by its final part, all its questions.
    One query, and none if its benchmark declares no subset."""
    if split.shown_part:  # it has no other subsets
        return {WHOLE: split} if split.shown_part == SplitPart.FINAL else {}
    declared = [subset.slug for subset in subsets_of(definition_of(split.benchmark.slug), split.slug)]
    if not declared:
        return {}
    subsets = Split.every.filter(subset_of=split, slug__in=declared, current_revision__isnull=False)
    subsets = subsets.select_related("benchmark", "current_revision").order_by("position")
    return {subset.slug: subset for subset in subsets}


def revisions_by_metric(split: Split) -> dict[str, Revision]:
    """Current revision that each metric of a split's boards compares answers with; a metric that has none is left out.
    The same queries as `subsets_on`, and one more for a split that keeps a part for the end."""
    ranked = scored_part(split)
    if split.current_revision is None or ranked is None:
        return {}
    revisions: dict[str, Revision] = {}
    for slug, scored in {"": ranked, **subsets_on(split)}.items():
        assert scored.current_revision is not None  # noqa: S101 - only such are chosen
        scored.current_revision.split = scored
        revisions[slug] = scored.current_revision
    subset_of = {name: parts_of(name)[1] for name in definition_on(split).metrics}
    return {name: revisions[subset] for name, subset in subset_of.items() if subset in revisions}


def target_signatures(split: Split) -> dict[str, str]:
    """The signature of a score made now by each metric of a split's boards, against the current revisions."""
    benchmark = split.benchmark.slug
    compares = any(metric_named(name).compares for name in definition_of(benchmark).metrics)
    digest = baseline_digest(split) if compares else ""
    signatures = {}
    for name, revision in revisions_by_metric(split).items():
        metric = metric_of(benchmark, name)
        data = revision.signature_part
        signatures[name] = signature_of(metric, compared_data(data, digest) if metric.compares else data)
    return signatures


def baseline_digest(split: Split) -> str:
    """The digest of the answers that a split's answer sets are compared with; empty if none are chosen. One query."""
    return Baseline.objects.filter(split=split).values_list("digest", flat=True).first() or ""


def compared_data(data: str, digest: str) -> str:
    """What a comparison is made against, in its signature: the data, and the opponent's answers.

    >>> compared_data("dev@3f2a9c1b", "5e884898da28"), compared_data("dev@3f2a9c1b", "")
    ('dev@3f2a9c1b|opponent:5e884898da28', 'dev@3f2a9c1b|opponent:none')
    """
    return f"{data}|opponent:{digest[:DIGEST_DIGITS] or 'none'}"


def compared_under(split: Split, signature: str) -> QuerySet[Run]:
    """The runs that compared answers with an opponent under a signature of scores: all with the same one."""
    asked = signature.partition(SERVED)[0]
    return Run.objects.filter(revision__split=split, signature=asked).exclude(opponent=None)


def data_of(run: Run) -> str:
    """The part of a run's signature that says what it is scored against: the data and, if it compares, the opponent."""
    opponent = OPPONENT_PART.search(run.signature) if run.opponent_id is not None else None
    return f"{run.revision.signature_part}{opponent[0] if opponent else ''}"


def answers_digest(answer_set: AnswerSet) -> str:
    """The SHA-256 of all answers of a system: equal for equal answers to the same questions. One query."""
    content = json.dumps([(key, "", text) for key, text in sorted(AnswerBlock.objects.texts_of(answer_set).items())])
    return hashlib.sha256(content.encode("ascii")).hexdigest()


def current_signatures(split: Split) -> dict[str, str]:
    """The signature under which each metric's scores are shown on a split's leaderboards: the one that a maintainer
    set, or, while a metric has no score, the one that the first score will have. One query."""
    return current_signatures_of([split])[split.pk]


def current_signatures_of(splits: Sequence[Split]) -> dict[int, dict[str, str]]:
    """The shown signatures of several splits, by their keys. One query."""
    chosen: dict[int, dict[str, str]] = {split.pk: {} for split in splits}
    for current in CurrentSignature.objects.filter(split__in=splits):
        chosen[current.split_id][current.name] = current.signature
    return {
        split.pk: {name: chosen[split.pk].get(name, made_now) for name, made_now in target_signatures(split).items()}
        for split in splits
    }


def revisions_in_use(split: Split, metric: str) -> list[Revision]:
    """The earlier revision whose scores of a metric the leaderboards of a split show, if this site can still make such
    scores. It is one of the subset that the metric is computed on, if it is on one."""
    name, subset = parts_of(metric)
    current = CurrentSignature.objects.filter(split=split, metric=name, subset=subset)
    shown = current.values_list("signature", flat=True).first()
    if shown is None:
        return []
    registered = metric_of(split.benchmark.slug, metric)
    asked = shown.partition(SERVED)[0]
    opponent = OPPONENT_PART.search(asked)
    against = opponent[0] if opponent else ""
    data = subsets_on(split).get(subset) if subset else scored_part(split)
    if data is None:
        return []
    earlier = Revision.objects.filter(split=data, has_references=True).exclude(pk__in=[data.current_revision_id])
    revisions = [
        revision
        for revision in earlier
        if signature_of(registered, f"{data.slug}@{revision.short_hash}{against}") == asked
    ]
    for revision in revisions:
        revision.split = data
    return revisions


def shows_earlier_revision(split: Split) -> bool:
    """Whether boards show a metric's scores on an earlier revision of the split than its current one. One query."""
    ranked = scored_part(split)
    current = ranked.current_revision if ranked is not None else None
    shown = CurrentSignature.objects.filter(split=split, subset="").values_list("signature", flat=True)
    return current is not None and any(revision_in(signature) != current.short_hash for signature in shown)


def revision_in(signature: str) -> str:
    """The first digits of the revision in a signature; empty if it names none.

    >>> revision_in("rouge|v:1|data:dev@3f2a9c1b")
    '3f2a9c1b'
    """
    match = re.search(r"(?:^|\|)data:[^|@]*@([0-9a-f]+)", signature)
    return match.group(1) if match else ""


def on_one_revision(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Counting runs of a metric, of each answer set those on the one revision whose scores boards show, or
    else on the newest one that is scored. The difference of scores on two revisions tells of the questions that
    changed."""
    same: dict[str, Any] = {name: OuterRef(name) for name in ("answer_set", "metric", "subset")}
    same |= {"counts": True, "state": RunState.DONE}
    in_force = CurrentSignature.objects.filter(
        split=OuterRef("run__answer_set__split"), metric=OuterRef("run__metric"), subset=OuterRef("run__subset")
    )
    shown = Score.objects.filter(
        **{f"run__{name}": value for name, value in same.items()}, signature__in=in_force.values("signature")
    )
    elsewhere = Exists(shown.exclude(run__revision=OuterRef("revision")))
    here = Exists(shown.filter(run__revision=OuterRef("revision")))
    later = Exists(Run.objects.filter(**same, revision__gt=OuterRef("revision")))
    # First, by an index, whether there are several: few runs need the rest, which is slow in a database that has no
    # statistics yet.
    several = Exists(Run.objects.filter(**same).exclude(revision=OuterRef("revision")))
    return runs.exclude(Q(several) & (Q(elsewhere) | (~Q(here) & Q(later))))


def references_of(revision: Revision | int) -> list[Any]:
    """The reference answers of a revision in the order of its questions, an empty text where one has none. For metrics
    alone; one query."""
    rows = Question.objects.filter(revision=revision).order_by("position").values_list("reference__answer_json")
    return [json.loads(answer) if answer is not None else "" for (answer,) in rows]


@dataclass(frozen=True)
class ScoredItems:
    """The items that a metric scores: for a system the questions of a revision, each as often as it was answered; for a
    study its answers to them."""

    qids: tuple[str, ...]
    """The question of each item, shape (n_items,)."""
    places: tuple[int, ...]
    """Positions of the items among the revision's questions, from 0; shape (n_items,)."""
    generations: tuple[str | None, ...]
    """The answer, ``None`` if a system gave none; shape (n_items,)."""
    participants: tuple[str, ...] | None
    """The participant of each answer, shape (n_items,); ``None`` for a system."""
    families: tuple[str, ...] | None = None
    """The cluster of each item's question, shape (n_items,); ``None`` if the benchmark has no clusters."""
    weights: tuple[float, ...] | None = None
    """What each item's question counts, shape (n_items,); ``None`` if all count alike."""
    n_attempts: int = 1
    """How often a system answered each question. The items are the questions in the first attempt, then in the second,
    and so on."""

    def __len__(self) -> int:
        return len(self.qids)

    @property
    def n_questions(self) -> int:
        """The number of items of one attempt, and of a score's vector."""
        return len(self) // self.n_attempts

    @property
    def first(self) -> "ScoredItems":
        """The items of the first attempt; of a study all."""
        n = self.n_questions
        families = None if self.families is None else self.families[:n]
        weights = None if self.weights is None else self.weights[:n]
        attempt = self.qids[:n], self.places[:n], self.generations[:n]
        return ScoredItems(*attempt, participants=self.participants, families=families, weights=weights)

    @property
    def keys(self) -> tuple[str, ...]:
        """A key for each item: the question's id for a system, with the attempt if it has several; the question's id
        and the participant for a study."""
        if self.participants is None:
            n = self.n_questions
            return tuple(answer_key(qid, place // n + 1, self.n_attempts) for place, qid in enumerate(self.qids))
        return tuple(f"{qid}{IN_KEYS}{who}" for qid, who in zip(self.qids, self.participants, strict=True))

    @property
    def clusters(self) -> Clusters | None:
        """Clusters of similar values of a score's vector, for statistics: the participant of each answer of a study
        with its question or the cluster of that; for a system, the cluster of each question, if there are clusters."""
        if self.participants is not None:
            return self.participants, self.families or self.qids
        return None if self.families is None else self.families[: self.n_questions]


def items_to_score(answer_set: AnswerSet, revision: Revision) -> ScoredItems:
    """The items of an answer set that are scored against a revision. Two queries, one more for a study, and one more if
    it has clusters.

    For a system these are all questions of the revision, in its order, answered or not, once for each attempt. For a
    study, where answers name their participants and several may answer the same question, they are all answers to these
    questions that are not blank, by question and then participant: a participant who was not asked has not failed.
    """
    ((_, items),) = items_of_each([answer_set], revision)
    return items


def items_of_each(answer_sets: Iterable[AnswerSet], revision: Revision) -> Iterator[tuple[AnswerSet, ScoredItems]]:
    """`items_to_score` of several answer sets, one after the other: all their texts would fill the memory. As many
    queries as for one, and one more for each that no system gave."""
    questions = list(Question.objects.filter(revision=revision).order_by("position").values_list("qid", "weight"))
    families, benchmark = revision.clusters, revision.split.benchmark.slug
    others = {answer_set.pk: answer_set for answer_set in answer_sets}
    for key, rows in groupby(AnswerBlock.objects.texts(list(others)), key=itemgetter(0)):
        answer_set = others.pop(key)
        texts = scored_texts(benchmark, {place: text for _, place, text in rows})
        yield answer_set, _items_of_system(texts, answer_set.n_attempts, questions, families)
    for answer_set in others.values():
        answers = list(Answer.objects.filter(answer_set=answer_set).values_list("qid", "participant", "text"))
        if answers:
            yield answer_set, _items_of_study(answers, questions, families)
        else:
            yield answer_set, _items_of_system({}, answer_set.n_attempts, questions, families)


def _items_of_system(
    texts: Mapping[str, str], k: int, questions: Sequence[tuple[str, float | None]], families: tuple[str, ...] | None
) -> ScoredItems:
    qids = [qid for qid, _ in questions]
    weights = weights_in([weight for _, weight in questions])
    keys = [answer_key(qid, attempt, k) for attempt in range(1, k + 1) for qid in qids]
    return ScoredItems(
        qids=tuple(qids) * k,
        places=tuple(range(len(qids))) * k,
        generations=tuple(map(texts.get, keys)),
        participants=None,
        families=None if families is None else families * k,
        weights=None if weights is None else weights * k,
        n_attempts=k,
    )


def _items_of_study(
    rows: Iterable[tuple[str, str, str]],
    questions: Sequence[tuple[str, float | None]],
    families: tuple[str, ...] | None,
) -> ScoredItems:
    qids = [qid for qid, _ in questions]
    weights = weights_in([weight for _, weight in questions])
    place_of = {qid: place for place, qid in enumerate(qids)}
    answers = sorted((place_of[qid], who, text) for qid, who, text in rows if qid in place_of and text.strip())
    return ScoredItems(
        qids=tuple(qids[place] for place, _, _ in answers),
        places=tuple(place for place, _, _ in answers),
        generations=tuple(text for _, _, text in answers),
        participants=tuple(who for _, who, _ in answers),
        families=None if families is None else tuple(families[place] for place, _, _ in answers),
        weights=None if weights is None else tuple(weights[place] for place, _, _ in answers),
    )


def generations_for(metric: Metric, items: ScoredItems, answer_set: AnswerSet, revision: Revision) -> Answers:
    """The answers of items as a metric gets them: one that reads citations gets these, and what its question has
    (`packed`). Two queries for such a metric."""
    if not metric.reads_citations:
        return items.generations
    citations = CitationBlock.objects.texts_of(answer_set) if items.participants is None else {}
    questions = list(Question.objects.filter(revision=revision).order_by("position"))
    rows = zip(items.keys, items.places, items.generations, strict=True)
    return tuple(packed(answer, citations.get(key), questions[place]) for key, place, answer in rows)


def weights_in(stored: Sequence[float | None]) -> tuple[float, ...] | None:
    """What some questions count; None if all count alike.

    >>> weights_in([None, 2.0]), weights_in([None, 1.0])
    ((1.0, 2.0), None)
    """
    weights = tuple(1.0 if weight is None else weight for weight in stored)
    return weights if len(set(weights)) > 1 else None


def vectors_of(scores: Iterable[int]) -> dict[int, NDArray[np.float64]]:
    """The per-item values of scores, by their keys, each of shape (n_items,). One query."""
    return weighted_vectors_of(scores)[0]


def weights_of(scores: Iterable[int]) -> dict[int, NDArray[np.float64]]:
    """What each item counts in those scores that are weighted means, by their keys, each of shape (n_items,). One
    query."""
    return weighted_vectors_of(scores)[1]


def weighted_vectors_of(
    scores: Iterable[int],
) -> tuple[dict[int, NDArray[np.float64]], dict[int, NDArray[np.float64]]]:
    """`vectors_of` and `weights_of` scores. One query."""
    vectors, weights = {}, {}
    rows = Score.objects.filter(pk__in=list(scores)).values_list("pk", "vector", "weights")
    for pk, vector, stored in rows.iterator(chunk_size=500):
        vectors[pk] = read_vector(vector)
        if stored is not None:
            weights[pk] = read_vector(stored)
    return vectors, weights


def first_vectors_of(scores: Iterable[int]) -> dict[int, NDArray[np.float64]]:
    """The values of scores in the first attempt at each item, by the keys of the scores, each of shape (n_items,): of
    one attempt the per-item values. One query."""
    rows = Score.objects.filter(pk__in=list(scores)).only("vector", "attempts")
    return {score.pk: score.per_attempt[0] for score in rows.iterator(chunk_size=500)}


def overdue_runs(now: datetime.datetime) -> QuerySet[Run]:
    """Running runs with an expired lease: their worker is dead or has lost the database."""
    return Run.objects.filter(state=RunState.RUNNING, lease_until__lt=now)


def startable_runs() -> QuerySet[Run]:
    """Runs parked because something was missing, of metrics that can run now, on revisions that have reference
    answers; of those that compare answers, with an opponent, or on splits that have a baseline by now."""
    parked = Run.objects.filter(state=RunState.NOT_CONFIGURED)
    metrics = parked.order_by().values_list("metric", flat=True).distinct()
    names = [name for name in metrics if not why_unavailable(metric_named(name))]
    comparing = [name for name in names if metric_named(name).compares]
    return parked.filter(
        ~Q(metric__in=comparing) | Q(opponent__isnull=False) | Q(revision__split__baseline__isnull=False),
        metric__in=names,
        revision__has_references=True,
        revision__split__benchmark__slug__in=list(definitions()),
    ).select_related("answer_set__split__benchmark", "revision__split__benchmark")
