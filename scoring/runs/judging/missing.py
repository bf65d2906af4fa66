"""What a judge run has to judge, which of it has a verdict, and what is missing.

Enters: a run. Leaves: its answers as items to judge, each with the content address of its verdict; the verdicts that
are stored; and what is missing, with the history of asking for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from scoring import queries
from scoring.metrics.judge.prompt import JudgeItem, JudgeSettings, judge_items
from scoring.models import Question, Run
from scoring.registry.judge_settings import judge_settings
from scoring.runs.judging.store import History, histories_of, letters_of


def settings_of(run: Run) -> JudgeSettings:
    """What a run is signed with; of a run from before the judge was set up, what would be signed now."""
    try:
        return JudgeSettings.of_signature(run.signature)
    except ValueError:
        return judge_settings()


def items_of(run: Run) -> tuple[queries.ScoredItems, list[JudgeItem]]:
    """What a run is to score, and what of it is to be judged: one item for each answer."""
    items = queries.items_to_score(run.answer_set, run.revision)
    texts = list(Question.objects.filter(revision=run.revision).order_by("position").values_list("text", flat=True))
    references = queries.references_of(run.revision)
    judged = judge_items(
        items.keys,
        [texts[place] for place in items.places],
        [references[place] for place in items.places],
        items.generations,
    )
    return items, list(judged)


@dataclass(frozen=True)
class Askable:
    """An answer whose verdict is missing and may still be asked for."""

    item: JudgeItem
    address: str
    history: History


@dataclass
class RunVerdicts:
    """The answers of one run and the verdicts on them that are there."""

    run: Run
    scored: queries.ScoredItems
    items: list[JudgeItem]
    addresses: Mapping[str, str]
    """By the key of an item: the content address of its verdict."""
    letters: dict[str, str]
    """By address: the letter of the verdict."""

    @classmethod
    def of(cls, run: Run, settings: JudgeSettings) -> "RunVerdicts":
        """Read a run's answers, and the verdicts that a judge with these settings has given on them."""
        scored, items = items_of(run)
        addresses = {item.key: item.address(settings, run.repeat) for item in items}
        return cls(run, scored, items, addresses, letters_of(addresses.values()))

    def reload(self) -> None:
        """Read again which verdicts are there."""
        self.letters = letters_of(self.addresses.values())

    @property
    def missing(self) -> dict[str, JudgeItem]:
        """One item for each address that has no verdict, in the order of the questions."""
        found: dict[str, JudgeItem] = {}
        for item in self.items:
            address = self.addresses[item.key]
            if address not in self.letters:
                found.setdefault(address, item)
        return found

    def askable(self, max_asks: int) -> list[Askable]:
        """What is missing and may still be asked for: it was asked for fewer than *max_asks* times, and not refused."""
        missing = self.missing
        histories = histories_of(missing, self.run)
        found = [Askable(item, address, histories.get(address, History())) for address, item in missing.items()]
        return [one for one in found if not one.history.given_up and one.history.n_against < max_asks]

    @property
    def missing_answers(self) -> list[str]:
        """The address of each answer that has no verdict; equal answers share one."""
        return [address for address in self.addresses.values() if address not in self.letters]

    @property
    def n_judged(self) -> int:
        """Answers that have a verdict."""
        return len(self.addresses) - len(self.missing_answers)

    @property
    def n_done(self) -> int:
        """Questions that are settled: judged, or unanswered."""
        return len(self.scored) - len(self.items) + self.n_judged

    def coverage(self) -> str:
        """How many answers are judged, in words."""
        return f"{self.n_judged} of {len(self.items)} answers are judged."
