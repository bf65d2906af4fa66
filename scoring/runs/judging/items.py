"""The items of a judge run: which have a verdict, and which are missing."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace

from scoring import queries
from scoring.metrics.asking.items import AnswersToJudge, AskedItem, JudgeSettings
from scoring.metrics.asking.metric import JudgeMetric
from scoring.metrics.base import ReferenceAnswer
from scoring.metrics.graded_answer.items import stored_texts
from scoring.models import AnswerBlock, Question, Revision, Run
from scoring.registry import judge_of, scored_texts
from scoring.runs.judging.store import History, histories_of, letters_of, read_again

COVERAGE = "{n} of {total} {things} are judged."
MAX_FAULTS = 50
"""After this many empty or malformed replies about one answer it is not asked about again: each may have been paid
for."""


def metric_of_run(run: Run) -> JudgeMetric:
    """The judge of a run.

    Raises:
        ValueError: its benchmark lacks the prompts.
    """
    return judge_of(run.revision.split.benchmark.slug, run.metric)


def settings_of(run: Run) -> JudgeSettings:
    """The judge settings in a run's signature; for a run from before the judge was configured, the current ones."""
    metric = metric_of_run(run)
    try:
        return JudgeSettings.of_signature(run.signature, metric.name)
    except ValueError:
        return metric.settings


def items_of(run: Run, *, at_most: bool = False) -> tuple[queries.ScoredItems, list[AskedItem]]:
    """A run's items to score, and its items to judge: one for each answer, or for each of its criteria; two, one in
    each order, if it compares. Of a metric that asks in rounds, those that the known verdicts lead to.

    A run that compares answers with themselves, as that of the baseline, has none to judge.

    Args:
        at_most: with all items that unknown verdicts may lead to.
    """
    items = queries.items_to_score(run.answer_set, run.revision)
    if run.opponent_id == run.answer_set_id:
        return items, []
    questions = Question.objects.filter(revision=run.revision).order_by("position")
    texts = list(questions.values_list("text", flat=True))
    metric = metric_of_run(run)
    settings = settings_of(run)
    fields = (
        [stored_texts(question, metric.question_fields) for question in questions] if metric.question_fields else []
    )
    answers = AnswersToJudge(
        items.keys,
        [texts[place] for place in items.places],
        references_of(items, run),
        queries.generations_for(metric, items, run.answer_set, run.revision),
        opponents=opponents_of(run, items) if metric.compares else (),
        longest=settings.longest,
        stored=[fields[place] for place in items.places] if fields else (),
    )
    judged = list(metric.items(answers))
    known: dict[str, str] = {}
    while metric.asks_in_rounds:
        addresses = {item.key: item.address(settings) for item in judged if item.key not in known}
        letters = letters_of(addresses.values())
        known |= {key: letters[address] for key, address in addresses.items() if address in letters}
        n_before, judged = len(judged), list(metric.items(replace(answers, verdicts=known)))
        if len(judged) == n_before:
            break
    if at_most and metric.asks_in_rounds:
        judged = list(metric.items(replace(answers, verdicts=known, at_most=True)))
    return items, judged


def unasked_of(run: Run, settings: JudgeSettings) -> dict[str, AskedItem]:
    """The items of a run that have no verdict, by the verdict's address: the most that it may have to ask about."""
    items = {item.address(settings): item for item in items_of(run, at_most=True)[1] if not item.known}
    letters = letters_of(items)
    return {address: item for address, item in items.items() if address not in letters}


def references_of(items: queries.ScoredItems, run: Run) -> list[ReferenceAnswer]:
    """The reference answer of each item to score."""
    references = queries.references_of(run.revision)
    return [references[place] for place in items.places]


def opponents_of(run: Run, items: queries.ScoredItems) -> list[str | None]:
    """The opponent's answer for each item, ``None`` where it has none. One query."""
    stored = AnswerBlock.objects.first_texts_of(run.opponent_id) if run.opponent_id else {}
    texts = scored_texts(run.revision.split.benchmark.slug, stored)
    return [texts.get(qid) for qid in items.qids]


def verdicts_on(
    revision: Revision, judged: Sequence[tuple[Run, queries.ScoredItems, Container[str]]]
) -> list[dict[str, list[str]]]:
    """The verdicts on the items of some answers of runs on a revision: of each run, by the answer's key. An answer that
    lacks one is left out. Two queries, and one for each 500 verdicts.

    Args:
        judged: of each run the items that it scored, of several attempts at a question the first
            (`scoring.queries.ScoredItems.first`), and the keys of the answers.
    """
    texts = list(Question.objects.filter(revision=revision).order_by("position").values_list("text", flat=True))
    references = queries.references_of(revision)
    addressed: list[list[tuple[AskedItem, str]]] = []
    for run, first, keys in judged:
        settings, chosen = settings_of(run), [place for place, key in enumerate(first.keys) if key in keys]
        answers = AnswersToJudge(
            [first.keys[place] for place in chosen],
            [texts[first.places[place]] for place in chosen],
            [references[first.places[place]] for place in chosen],
            [first.generations[place] for place in chosen],
            longest=settings.longest,
        )
        addressed.append([(item, item.address(settings)) for item in metric_of_run(run).items(answers)])
    letters = letters_of(address for own in addressed for _, address in own)
    verdicts: list[dict[str, list[str]]] = []
    for own in addressed:
        by_answer: dict[str, list[str]] = {}
        for item, address in own:
            letter = item.known or letters.get(address, "")
            by_answer.setdefault(item.answer_key, []).append(letter and item.part_of(letter)[0])
        verdicts.append({key: parts for key, parts in by_answer.items() if all(parts)})
    return verdicts


Askable = tuple[AskedItem, str, History]
"""An answer whose verdict is missing and may still be asked for, the verdict's address, and the earlier asks."""


@dataclass
class RunVerdicts:
    """The answers of one run and their existing verdicts."""

    run: Run
    scored: queries.ScoredItems
    items: list[AskedItem]
    addresses: Mapping[str, str]
    """Content address of each item's verdict, by the item's key."""
    letters: dict[str, str]
    """Letter of each verdict that is known, by its content address."""

    @classmethod
    def of(cls, run: Run, settings: JudgeSettings) -> "RunVerdicts":
        """Read a run's answers, and the verdicts that a judge with these settings has given on them.

        Stored replies that an earlier version could not read are read again first.
        """
        scored, items = items_of(run)
        addresses = {item.key: item.address(settings) for item in items}
        known = {addresses[item.key]: item.known for item in items if item.known}
        verdicts = cls(run, scored, items, addresses, letters_of(addresses.values()) | known)
        if read_again(verdicts.missing):
            verdicts.letters = letters_of(addresses.values()) | known
        return verdicts

    @property
    def missing(self) -> dict[str, AskedItem]:
        """One item for each address that has no verdict, in the order of the questions."""
        items: dict[str, AskedItem] = {}
        for item in self.items:
            address = self.addresses[item.key]
            if address not in self.letters:
                items.setdefault(address, item)
        return items

    def possible(self, settings: JudgeSettings) -> dict[str, AskedItem]:
        """Further items without a verdict that verdicts may lead to, if the metric asks in rounds, by address."""
        if not metric_of_run(self.run).asks_in_rounds:
            return {}
        known = set(self.addresses.values())
        return {address: item for address, item in unasked_of(self.run, settings).items() if address not in known}

    def extend(self, settings: JudgeSettings) -> bool:
        """Add the items that the verdicts lead to, if the metric asks in rounds; returns whether there are some.

        Their order changes: it is that in which the metric reads verdicts.
        """
        if not metric_of_run(self.run).asks_in_rounds:
            return False
        n_before, (_, self.items) = len(self.items), items_of(self.run)
        self.addresses = {item.key: item.address(settings) for item in self.items}
        self.letters = letters_of(self.addresses.values())
        return len(self.items) > n_before

    def askable(self, max_asks: int) -> list[Askable]:
        """Missing items that may still be asked for: asked for fewer than *max_asks* times, and not refused."""
        missing = self.missing
        histories = histories_of(missing, self.run)
        entries = [(item, address, histories.get(address, History())) for address, item in missing.items()]
        return [
            (item, address, history)
            for item, address, history in entries
            if not history.given_up and history.n_against < max_asks and history.n_faults < MAX_FAULTS
        ]

    @property
    def by_answer(self) -> list[list[str]]:
        """The verdicts of each answer's items, in their order; all are known."""
        own: dict[str, list[str]] = {}
        for item in self.items:
            own.setdefault(item.answer_key, []).append(item.part_of(self.letters[self.addresses[item.key]])[0])
        return [own.get(key, []) for key in self.scored.keys]

    @property
    def missing_answers(self) -> list[str]:
        """The address of each answer that has no verdict; equal answers share one."""
        return [address for address in self.addresses.values() if address not in self.letters]

    @property
    def n_judged(self) -> int:
        """The number of answers that have a verdict."""
        return len(self.addresses) - len(self.missing_answers)

    @property
    def n_done(self) -> int:
        """The number of settled questions: judged, or without a request."""
        return len(self.scored) - self.n_open

    @property
    def n_open(self) -> int:
        """The number of questions that lack a verdict, or, of several, one of them."""
        return len({item.answer_key for item in self.items if self.addresses[item.key] not in self.letters})

    @property
    def n_asked(self) -> int:
        """The number of questions about which the judge is asked."""
        return len({item.answer_key for item in self.items})

    def coverage(self) -> str:
        """The progress of judging, in words."""
        return COVERAGE.format(n=self.n_judged, total=len(self.items), things=metric_of_run(self.run).asks_about)
