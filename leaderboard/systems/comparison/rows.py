"""The compared systems on one board: their rows and their scores under the signatures that the board shows.

Enters: a board, and the rows of the systems on all boards. Leaves: `ComparedRows`, which also says why a system, or one
score of it, cannot be compared.
"""

from collections.abc import Sequence

from leaderboard.board.table import ShownColumn, other_values, plain_columns
from leaderboard.board.table.cells import NOT_COMPARED, why_without
from leaderboard.disclosure import DisclosureRule
from leaderboard.models import Entry, EntryKind
from leaderboard.systems.scores import scores_in_force
from scoring.benchmarks import definition_of
from scoring.models import Score, Setting, Split
from scoring.queries import current_signatures, definition_on, with_questions

UNKNOWN = "This system does not exist, or it is not on any board."
NOT_HERE = "This system has no result on this board."
REPORTED = "These scores were copied from a publication. Without the answers, a paired comparison is not possible."
OTHER_SIGNATURE = "This system was scored under other signatures than the ones this board shows."
LACKS_SIGNATURE = "scored under another signature"
IS_BASELINE = "no score, because the baseline is not compared with itself"
NOTHING_COUNTS = "no answer counts in it"
NOT_SCORED = "This system has no score on this board yet."


class ComparedRows:
    """The rows and scores of the compared systems on one board, by their slugs.

    Three queries; one more if the split may have subsets. Scores on subsets are left out on a hidden split: pairs of
    systems compared on overlapping sets of questions would tell more of single questions than either set.

    Args:
        everywhere: their rows on all boards.
    """

    def __init__(self, split: Split, setting: Setting, everywhere: Sequence[Entry], slugs: Sequence[str]) -> None:
        self.split, self.setting, self.everywhere = split, setting, everywhere
        self.definition = definition_of(split.benchmark.slug) if split.hidden else definition_on(split)
        self.signatures = current_signatures(split)
        self.columns = plain_columns(with_questions(self.definition.default_columns, self.signatures))
        self.rule = DisclosureRule.of(split)
        on_board = [
            entry
            for entry in everywhere
            if (entry.split_id, entry.setting_id) == (split.pk, setting.pk) and entry.system.slug in slugs
        ]
        reported_first = sorted(on_board, key=lambda entry: entry.kind == EntryKind.SCORED)
        self.here = {entry.system.slug: entry for entry in reported_first}  # a scored row replaces a reported one
        scored = {slug: entry for slug, entry in self.here.items() if entry.kind == EntryKind.SCORED}
        self.answer_sets = {slug: entry.answer_set for slug, entry in scored.items() if entry.answer_set is not None}
        slug_of = {answer_set.pk: slug for slug, answer_set in self.answer_sets.items()}
        self.scores: dict[str, dict[str, Score]] = {slug: {} for slug in scored}
        """The scores of each system that was scored here, by their names."""
        self.withheld: dict[str, dict[str, str]] = {slug: {} for slug in scored}
        """By system: why existing scores are withheld, by their names."""
        names = {column.key for column in self.columns}
        for answer_set, of_system in scores_in_force(dict.fromkeys(slug_of, self.signatures)).items():
            for name in names & of_system.keys():
                if reason := self.rule.withheld(of_system[name]):
                    self.withheld[slug_of[answer_set]][name] = reason
                else:
                    self.scores[slug_of[answer_set]][name] = of_system[name]
        self.others = other_values(list(slug_of), self.definition, self.signatures, self.rule)
        """The values under other signatures (`other_values`)."""

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
        if reason := why_without(column.key, self.scores[slug]):
            return IS_BASELINE if reason == NOT_COMPARED else NOTHING_COUNTS
        if (answer_set, column.key) in self.others:
            return LACKS_SIGNATURE
        return "not scored yet"
