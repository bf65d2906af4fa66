"""The compared systems on one board: their rows and their scores under the signatures that the board shows.

Enters: a board, and the rows of the systems on all boards. Leaves: `ComparedRows`, which also says why a system, or one
score of it, cannot be compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.board.table import ShownColumn, other_values, plain_columns
from leaderboard.board.table.cells import not_compared
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Entry, EntryKind
from scoring.benchmarks import definition_of
from scoring.benchmarks.base import BenchmarkDefinition
from scoring.models import SCORE_KEY, AnswerSet, Score, Setting, Split
from scoring.models.run_states import RunState
from scoring.queries import current_signatures, definition_on, with_questions

UNKNOWN = "This system does not exist, or it is not on any board."
NOT_HERE = "This system has no result on this board."
REPORTED = "These scores were copied from a publication. Without the answers, a paired comparison is not possible."
OTHER_SIGNATURE = "This system was scored under other signatures than the ones this board shows."
LACKS_SIGNATURE = "scored under another signature"
IS_BASELINE = "no score, because the baseline is not compared with itself"
NOT_SCORED = "This system has no score on this board yet."


@dataclass(frozen=True)
class ComparedRows:
    """The rows and scores of the compared systems on one board, by their slugs."""

    split: Split
    setting: Setting
    everywhere: Sequence[Entry]
    """Their rows on all boards."""
    definition: BenchmarkDefinition
    columns: list[ShownColumn]
    signatures: Mapping[str, str]
    here: Mapping[str, Entry]
    """Their rows on this board."""
    answer_sets: Mapping[str, AnswerSet]
    scores: Mapping[str, Mapping[str, Score]]
    """The scores of each system that was scored here, by their names."""
    withheld: Mapping[str, Mapping[str, str]]
    """By system: why existing scores are withheld, by their names."""
    others: Mapping[tuple[Any, str], tuple[float, str]]
    """The values under other signatures (`other_values`)."""
    rule: DisclosureRule
    """The disclosure rule of the split."""

    def reason(self, slug: str) -> str:
        """Why a system cannot be compared here; empty if it can."""
        entry = self.here.get(slug)
        if entry is None:
            return NOT_HERE if any(row.system.slug == slug for row in self.everywhere) else UNKNOWN
        if entry.kind != EntryKind.SCORED:
            return REPORTED
        if self.scores[slug]:
            return ""
        if self.withheld[slug]:
            return next(iter(self.withheld[slug].values()))
        others = any(answer_set == entry.answer_set_id for answer_set, _ in self.others)
        return OTHER_SIGNATURE if others else NOT_SCORED

    def why_lacking(self, slug: str, column: ShownColumn) -> str:
        """Why a system that can be compared lacks one score."""
        answer_set = self.here[slug].answer_set_id
        if column.key in self.withheld[slug]:
            return self.withheld[slug][column.key]
        if not_compared(column.key, self.scores[slug]):
            return IS_BASELINE
        if (answer_set, column.key) in self.others:
            return LACKS_SIGNATURE
        return "not scored yet"


def rows_of(split: Split, setting: Setting, everywhere: Sequence[Entry], slugs: Sequence[str]) -> ComparedRows:
    """The systems' rows on this board and their scores under the current signatures. Three queries; one more if the
    split may have subsets. Scores on subsets are left out on a hidden split: pairs of systems compared on overlapping
    sets of questions would tell more of single questions than either set."""
    definition = definition_of(split.benchmark.slug) if split.hidden else definition_on(split)
    signatures = current_signatures(split)
    columns = plain_columns(with_questions(definition.default_columns, signatures))
    on_board = [
        entry
        for entry in everywhere
        if (entry.split_id, entry.setting_id) == (split.pk, setting.pk) and entry.system.slug in slugs
    ]
    reported_first = sorted(on_board, key=lambda entry: entry.kind == EntryKind.SCORED)
    here = {entry.system.slug: entry for entry in reported_first}  # a scored row replaces a reported one
    scored = {slug: entry for slug, entry in here.items() if entry.kind == EntryKind.SCORED}
    answer_sets = {slug: entry.answer_set for slug, entry in scored.items() if entry.answer_set is not None}
    rule = DisclosureRule.of(split)
    slug_of = {answer_set.pk: slug for slug, answer_set in answer_sets.items()}
    newest_last = (
        Score.objects.counting()
        .annotate(column_key=SCORE_KEY)
        .filter(
            run__answer_set__in=slug_of, run__state=RunState.DONE, column_key__in=[column.key for column in columns]
        )
        .select_related("run__revision__split__benchmark")
        .defer("vector")
        .order_by("created_at", "pk")
    )
    in_force: dict[str, dict[str, Score]] = {slug: {} for slug in scored}
    for score in newest_last:
        if signatures.get(score.run.name) == score.signature:
            in_force[slug_of[score.run.answer_set_id]][score.key] = score
    withheld = {
        slug: {name: reason for name, score in of_system.items() if (reason := rule.withheld(score))}
        for slug, of_system in in_force.items()
    }
    return ComparedRows(
        split=split,
        setting=setting,
        everywhere=everywhere,
        definition=definition,
        columns=columns,
        signatures=signatures,
        here=here,
        answer_sets=answer_sets,
        scores={
            slug: {name: score for name, score in of_system.items() if name not in withheld[slug]}
            for slug, of_system in in_force.items()
        },
        withheld=withheld,
        others=other_values(list(scored.values()), definition, signatures, rule),
        rule=rule,
    )
