"""Reading a comparison: which systems, on which board, in which score, as an address asks for it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import QueryDict
from django.urls import reverse
from numpy.typing import NDArray

from leaderboard.board import places as board_places
from leaderboard.board.table import Column, Missing, Tab, board_url, labelled_signatures, missing_of, plain_columns
from leaderboard.models import Entry, EntryKind, System
from leaderboard.systems.comparison.statistics import categories, differences, kept
from leaderboard.systems.comparison.types import (
    MOST_SYSTEMS,
    Candidate,
    CellValue,
    Chooser,
    Compared,
    Comparison,
    DifferingItem,
    DifferingQuestion,
    ScoreDifferences,
    ScoreSection,
    Vector,
)
from scoring.analysis import explanations
from scoring.analysis.categories import cells_of_revision
from scoring.analysis.explanations import Explanation
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.models import AnswerSet, Benchmark, Score, Setting, Split
from scoring.models.run_states import RunState
from scoring.queries import items_to_score, shown_signatures, vectors_of
from scoring.statistics import TIE

QUESTIONS_PER_PAGE = 10
MOST_CANDIDATES = 50
LONGEST_WORD = 200
LETTERS = "ABCDEF"
UNKNOWN = "There is no such system, or nothing of it is on any board."
NOT_HERE = "It has no result on this board."
REPORTED = "Its numbers were copied from a publication. Without its answers nothing can be paired."
OTHER_SIGNATURE = "It was scored under other signatures than the one this board shows."
NOT_SCORED = "It has no score on this board yet."


@dataclass(frozen=True)
class AskedComparison:
    """What an address asks for; what is not known is ignored."""

    systems: tuple[str, ...] = ()
    benchmark: str = ""
    split: str = ""
    setting: str = ""
    score: str = ""
    page: str = "1"
    q: str = ""

    @classmethod
    def of(cls, query: QueryDict) -> "AskedComparison":
        """Read an address. ``place`` (``benchmark/split/setting``) stands for its three parts, as the form sends it."""
        slugs = tuple(dict.fromkeys(slug for slug in query.getlist("system") if slug))[: 10 * MOST_SYSTEMS]
        names = ("benchmark", "split", "setting", "score", "page", "q")
        given = {name: query.get(name, "")[:LONGEST_WORD] for name in names}
        parts = query.get("place", "")[:LONGEST_WORD].split("/")
        if len(parts) == 3:
            given |= dict(zip(("benchmark", "split", "setting"), parts, strict=True))
        return cls(systems=slugs, **given)

    def url(self, **changes: Any) -> str:
        """The address of this comparison with some changes."""
        asked = replace(self, **changes)
        query = [("system", slug) for slug in asked.systems[:MOST_SYSTEMS]]
        query += [
            (name, value)
            for name in ("benchmark", "split", "setting", "score", "page")
            if (value := getattr(asked, name)) and (name, value) != ("page", "1")
        ]
        return f"{reverse('compare')}?{urlencode(query)}"


def comparison_for(asked: AskedComparison) -> Comparison | None:
    """Systems side by side; nothing while there is no benchmark.

    Eight queries, whatever the number of systems, if the address names the board. What is computed is kept in the cache
    by the keys of the scores, so only the first view of the same systems reads and resamples their vectors: three more
    queries (and two for people), one resampling for all differences, and two for each category. On a split that is not
    hidden the questions where they differ take one query more, and four for each system.
    """
    entries = list(
        Entry.objects.filter(system__slug__in=asked.systems, replaced_at=None).select_related(
            "system", "split__benchmark", "split__current_revision", "setting", "answer_set"
        )
        if asked.systems
        else ()
    )
    led = _led(set(asked.systems) - {entry.system.slug for entry in entries})
    if led:
        return comparison_for(replace(asked, systems=tuple(dict.fromkeys(led.get(one, one) for one in asked.systems))))
    place = _place(asked, entries)
    if place is None:
        return None
    split, setting = place
    asked = replace(asked, benchmark=split.benchmark.slug, split=split.slug, setting=setting.slug)
    return _Builder(asked, split, setting, entries).build()


def _led(slugs: set[str]) -> dict[str, str]:
    """By made-up name: the system that it has become, for those whose day has come. At most one query."""
    found = System.objects.filter(slug__in=slugs, became__isnull=False) if slugs else System.objects.none()
    return {one.slug: one.became.slug for one in found.select_related("became") if one.became is not None}


def _place(asked: AskedComparison, entries: Sequence[Entry]) -> tuple[Split, Setting] | None:
    """The board asked for, or else the one with most of the systems, or else the first."""
    if asked.split and asked.setting:
        benchmark = asked.benchmark or Benchmark.objects.values_list("slug", flat=True).first() or ""
        found = board_places.find_place(benchmark, asked.split, asked.setting)
        if found is not None:
            return found
    default = board_places.default_place()
    counts = Counter((entry.split_id, entry.setting_id) for entry in entries if entry.kind == EntryKind.SCORED)
    if not counts or default is None:
        return default
    best = max(counts, key=lambda one: (counts[one], one == (default[0].pk, default[1].pk), -one[0], -one[1]))
    entry = next(entry for entry in entries if (entry.split_id, entry.setting_id) == best)
    return entry.split, entry.setting


class _Builder:
    """Puts one comparison together."""

    def __init__(self, asked: AskedComparison, split: Split, setting: Setting, entries: Sequence[Entry]) -> None:
        self.asked = asked
        self.split = split
        self.setting = setting
        self.entries = entries
        self.definition: BenchmarkDefinition = definition_of(split.benchmark.slug)
        self.columns: list[Column] = plain_columns(self.definition.default_columns)
        self.signatures: Mapping[str, str] = shown_signatures(split)
        self.here: dict[str, Entry] = {}
        self.answer_sets: dict[str, AnswerSet] = {}
        self.scores: dict[str, dict[str, Score]] = {}
        self.missing = Missing()

    def build(self) -> Comparison:
        slugs = self.asked.systems[:MOST_SYSTEMS]
        self._find(slugs)
        reasons = {slug: self._reason(slug) for slug in slugs}
        names = {entry.system.slug: entry.system for entry in self.entries}
        comparable = [slug for slug in slugs if not reasons[slug]]
        systems = [
            Compared(letter, names[slug].name, slug, names[slug].get_absolute_url(), names[slug].is_human)
            for letter, slug in zip(LETTERS, comparable, strict=False)
        ]
        comparison = Comparison(
            benchmark=self.split.benchmark.name,
            benchmark_slug=self.split.benchmark.slug,
            split=self.split.name,
            split_slug=self.split.slug,
            hidden=self.split.hidden,
            setting=self.setting.name,
            setting_slug=self.setting.slug,
            board_url=board_url(self.split.benchmark.slug, self.split.slug, self.setting.slug),
            tabs=self._tabs(),
            systems=systems,
            left_out=[
                Compared("", names[slug].name if slug in names else slug, slug, "", False, reasons[slug])
                for slug in slugs
                if reasons[slug]
            ],
            signatures=labelled_signatures(self.signatures, self.definition.default_columns),
            n_asked=len(self.asked.systems),
        )
        if comparison.possible:
            self._compare(comparison)
        return comparison

    # --- Which systems, and where

    def _find(self, slugs: Sequence[str]) -> None:
        """The systems' rows on this board and their scores under the signatures in force. Three queries."""
        on_board = [
            entry
            for entry in self.entries
            if (entry.split_id, entry.setting_id) == (self.split.pk, self.setting.pk) and entry.system.slug in slugs
        ]
        for entry in sorted(on_board, key=lambda entry: entry.kind == EntryKind.SCORED):
            self.here[entry.system.slug] = entry
        scored = {slug: entry for slug, entry in self.here.items() if entry.kind == EntryKind.SCORED}
        self.answer_sets = {slug: entry.answer_set for slug, entry in scored.items() if entry.answer_set is not None}
        slug_of = {answer_set.pk: slug for slug, answer_set in self.answer_sets.items()}
        names = [column.key for column in self.columns]
        found = (
            Score.objects.filter(run__answer_set__in=slug_of, run__state=RunState.DONE, run__repeat=0, name__in=names)
            .select_related("run__revision__split")
            .defer("vector")
            .order_by("created_at", "pk")
        )
        self.scores = {slug: {} for slug in scored}
        for score in found:
            if self.signatures.get(score.run.metric) == score.signature:
                self.scores[slug_of[score.run.answer_set_id]][score.name] = score
        self.missing = missing_of(list(scored.values()), self.definition, self.signatures)

    def _reason(self, slug: str) -> str:
        """Why a system cannot be compared here, or nothing."""
        entry = self.here.get(slug)
        if entry is None:
            return NOT_HERE if any(one.system.slug == slug for one in self.entries) else UNKNOWN
        if entry.kind == EntryKind.REPORTED:
            return REPORTED
        if self.scores[slug]:
            return ""
        others = any(answer_set == entry.answer_set_id for answer_set, _ in self.missing.others)
        return OTHER_SIGNATURE if others else NOT_SCORED

    def _tabs(self) -> list[Tab]:
        """The boards on which at least two of the systems were scored, if there is more than one."""
        counts: Counter[tuple[int, int]] = Counter()
        places = {}
        for entry in self.entries:
            if entry.kind == EntryKind.SCORED:
                key = (entry.split.position, entry.setting.position)
                counts[key] += 1
                places[key] = entry
        tabs = [
            Tab(
                f"{entry.setting.name}, {entry.split.name.lower()}",
                self.asked.url(
                    benchmark=entry.split.benchmark.slug, split=entry.split.slug, setting=entry.setting.slug, page=""
                ),
                (entry.split_id, entry.setting_id) == (self.split.pk, self.setting.pk),
                counts[key],
            )
            for key, entry in sorted(places.items(), key=lambda item: (-item[0][0], item[0][1]))
            if counts[key] > 1
        ]
        return tabs if len(tabs) > 1 or any(not tab.current for tab in tabs) else []

    # --- The comparison itself

    def _compare(self, comparison: Comparison) -> None:
        slugs = [system.slug for system in comparison.systems]
        found = kept(
            "differences",
            ([sorted(score.pk for score in self.scores[slug].values()) for slug in slugs], self.split.hidden),
            lambda: differences(self._vectors(slugs), hidden=self.split.hidden),
        )
        shown = [column for column in self.columns if column.key in found]
        paired = [column.key for column in shown if found[column.key].differences]
        wanted = next((key for key in (self.asked.score, self.definition.default_sort) if key in paired), "")
        wanted = wanted or next(iter(paired), "")
        comparison.sections = [
            self._section(column, comparison.systems, found[column.key], current=column.key == wanted)
            for column in shown
        ]
        if wanted:
            self._in_detail(comparison, wanted)

    def _vectors(self, slugs: Sequence[str]) -> list[list[Vector]]:
        """Of each system its scores with their items. One query; two more for each revision that people answered."""
        per_item = vectors_of(score.pk for slug in slugs for score in self.scores[slug].values())
        return [list(self._of_system(slug, per_item)) for slug in slugs]

    def _of_system(self, slug: str, per_item: Mapping[int, NDArray[np.float64]]) -> Iterator[Vector]:
        scores = self.scores[slug]
        of_people: dict[int, tuple[tuple[str, ...], tuple[int, ...]]] = {}
        if self.here[slug].system.is_human:
            for revision in {score.run.revision for score in scores.values()}:
                items = items_to_score(self.answer_sets[slug], revision)
                of_people[revision.pk] = (items.participants or (), items.places if items.participants else ())
        for name, score in scores.items():
            participants, places = of_people.get(score.run.revision_id, ((), ()))
            if len(participants) in (0, score.n_items):
                yield Vector(
                    score.pk, name, score.value, score.run.revision_id, per_item[score.pk], participants, places
                )

    def _section(
        self, column: Column, systems: Sequence[Compared], found: ScoreDifferences, *, current: bool
    ) -> ScoreSection:
        scores = [self.scores[system.slug].get(column.key) for system in systems]
        return ScoreSection(
            column=column,
            url=self.asked.url(score=column.key, page=""),
            current=current,
            values=tuple(CellValue(one.value, one.low, one.high) if one else None for one in scores),
            differences=found,
            lacking=tuple(
                (system.letter, self._why_lacking(system.slug, column))
                for system, one in zip(systems, scores, strict=True)
                if one is None
            ),
        )

    def _why_lacking(self, slug: str, column: Column) -> str:
        answer_set = self.here[slug].answer_set_id
        if (answer_set, column.key) in self.missing.others:
            return "scored under another signature"
        return self.missing.reasons.get((answer_set, column.metric), "not scored yet")

    def _in_detail(self, comparison: Comparison, name: str) -> None:
        """The chosen score by category and, where that may be seen, by question: of systems, not of people."""
        having = [
            (place, self.scores[system.slug][name])
            for place, system in enumerate(comparison.systems)
            if name in self.scores[system.slug] and not system.is_human
        ]
        if not having:
            return
        revision = having[0][1].run.revision
        having = [(place, score) for place, score in having if score.run.revision_id == revision.pk]
        loaded: dict[int, NDArray[np.float64]] = {}

        def vectors() -> dict[int, NDArray[np.float64]]:
            if not loaded:
                by_key = vectors_of(score.pk for _, score in having)
                loaded.update({place: by_key[score.pk] for place, score in having})
            return loaded

        n_systems = len(comparison.systems)
        comparison.categories = kept(
            "categories",
            ([(place, score.pk) for place, score in having], n_systems, self.split.hidden),
            lambda: categories(vectors(), n_systems, cells_of_revision(revision), hidden=self.split.hidden),
        )
        if not self.split.hidden and explanations.METRIC in self.definition.metrics and len(having) > 1:
            self._differing(comparison, having, vectors())

    def _differing(
        self, comparison: Comparison, having: Sequence[tuple[int, Score]], vectors: Mapping[int, NDArray[np.float64]]
    ) -> None:
        """The questions that they did not answer alike, those furthest apart first."""
        rows = np.stack([vectors[place] for place, _ in having])
        spread = np.ptp(rows, axis=0)
        order = [int(place) for place in np.argsort(-spread, kind="stable") if spread[place] > TIE]
        page = Paginator(order, QUESTIONS_PER_PAGE).get_page(self.asked.page)
        comparison.n_differing, comparison.n_questions = len(order), rows.shape[1]
        comparison.page, comparison.n_pages = page.number, page.paginator.num_pages
        comparison.previous_url = self.asked.url(page=str(page.number - 1)) if page.has_previous() else ""
        comparison.next_url = self.asked.url(page=str(page.number + 1)) if page.has_next() else ""
        comparison.in_questions = [comparison.systems[place] for place, _ in having]
        places = list(page.object_list)
        revision = having[0][1].run.revision
        explained = [
            explanations.explain(self.answer_sets[system.slug], revision, places, with_answers=False)
            for system in comparison.in_questions
        ]
        comparison.questions = [
            _differing_question(place, rows[:, place].tolist(), [of_system[index] for of_system in explained])
            for index, place in enumerate(places)
        ]


def _differing_question(place: int, values: Sequence[float], explained: Sequence[Explanation]) -> DifferingQuestion:
    items = []
    for line_number, line in enumerate(explained[0].lines):
        for item_number, item in enumerate(line.items):
            found = tuple(
                None if one.too_long else one.lines[line_number].items[item_number].found for one in explained
            )
            items.append(DifferingItem(item.text, line.depth + item_number, found))
    return DifferingQuestion(
        place + 1, explained[0].text, tuple(values), tuple(one.answered for one in explained), tuple(items)
    )


# --- Choosing ------------------------------------------------------------------------------------------------------


def chooser_for(asked: AskedComparison, comparison: Comparison) -> Chooser:
    """The systems of a board that can be compared, those chosen first, then the best that match what is searched for.

    Six queries, whatever the number of systems.
    """
    place = board_places.find_place(comparison.benchmark_slug, comparison.split_slug, comparison.setting_slug)
    if place is None:
        raise LookupError("The board of the comparison is gone.")
    split, setting = place
    definition = definition_of(split.benchmark.slug)
    sort = next(column for column in definition.columns if column.score == definition.default_sort)
    entries = Entry.objects.filter(split=split, setting=setting, kind=EntryKind.SCORED, replaced_at=None)
    entry_of = "run__answer_set__board_entry"
    values = dict(
        Score.objects.filter(
            name=sort.score,
            signature=shown_signatures(split).get(sort.metric, ""),
            run__state=RunState.DONE,
            run__repeat=0,
            **{f"{entry_of}__split": split, f"{entry_of}__setting": setting, f"{entry_of}__replaced_at": None},
        )
        .order_by()
        .values_list(entry_of, "value")
    )
    words = asked.q.casefold().split()
    chosen = {system.slug for system in [*comparison.systems, *comparison.left_out]}
    everybody = [
        Candidate(name, slug, values.get(pk), slug in chosen)
        for pk, name, slug in entries.order_by("system__name").values_list("pk", "system__name", "system__slug")
    ]
    matching = [one for one in everybody if not one.chosen and all(word in one.name.casefold() for word in words)]
    matching.sort(key=lambda one: (one.value is None, -(one.value or 0)))
    return Chooser(
        places=_places(comparison),
        candidates=[*(one for one in everybody if one.chosen), *matching[:MOST_CANDIDATES]],
        n_matching=len(matching),
        q=asked.q,
    )


def _places(comparison: Comparison) -> list[tuple[str, str, bool]]:
    """Every board with at least two rows that were scored here."""
    parts = ("split__benchmark__slug", "split__slug", "setting__slug")
    names = ("split__benchmark__name", "split__name", "setting__name")
    rows = (
        Entry.objects.filter(kind=EntryKind.SCORED, replaced_at=None)
        .order_by("split__benchmark__position", "-split__position", "setting__position")
        .values_list(*parts, *names)
        .annotate(n=Count("pk"))
    )
    found = {
        (benchmark, split, setting): (f"{benchmark_name}: {setting_name}, {split_name.lower()}", n)
        for benchmark, split, setting, benchmark_name, split_name, setting_name, n in rows
    }
    here = (comparison.benchmark_slug, comparison.split_slug, comparison.setting_slug)
    found.setdefault(here, (f"{comparison.benchmark}: {comparison.setting}, {comparison.split.lower()}", 0))
    return [("/".join(key), label, key == here) for key, (label, n) in found.items() if n > 1 or key == here]
