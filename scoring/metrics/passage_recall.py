"""Recall of retrieved passages: how many answers, and how much of their evidence, are among the first K.

Amouyal et al. (2023), QAMPARI: A Benchmark for Open-domain Questions with Many Answers,
https://aclanthology.org/2023.gem-1.8, section 4.2 and Table 3; the code is in https://github.com/samsam3232/qampari,
``models/retrievers/BM25/demo.py`` (answers) and ``models/evaluation/retriever_metric.py`` (evidence).

Passages are given per question, best first. All values are shares from 0 to 1; higher is better.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, ClassVar, Final, NamedTuple, cast
from urllib.parse import unquote

from scoring.metrics.answer_lists import GoldAnswer, gold_lists, mean_vector
from scoring.metrics.base import AnswerBudget, Metric, Progress, ReferenceAnswer, ScoredVector, check_lengths
from scoring.metrics.columns import Column, Explanation

CUTOFFS: Final = (10, 25, 50, 100, 200)
MIN_OVERLAP: Final = 0.7


class Passage(NamedTuple):
    """A part of an article: retrieved, or evidence for an answer."""

    title: str
    text: str


def proof_passage(text: str, url: str) -> Passage:
    """A passage of an encyclopedia, named by the URL of its page.

    >>> proof_passage("It is a city.", "https://en.wikipedia.org/wiki/S%C3%A3o_Paulo")
    Passage(title='São Paulo', text='It is a city.')
    """
    return Passage(unquote(url.rpartition("/wiki/")[2]).replace("_", " "), text)


_Prepared = tuple[tuple[GoldAnswer, ...], tuple[Passage, ...]]
"""The gold answers of a question, and their evidence."""


class PassageRecall(Metric):
    """Recall of the answers (ARecall@K) and of their evidence (ERecall@K) among the first K retrieved passages.

    Amouyal et al. (2023), as above. References: shape ``(n,)``, each a list of gold answers
    (`answer_lists`), whose evidence is ``proof``, a list of objects with ``proof_text`` and
    ``found_in_url``. Passages: shape ``(n,)``, JSON arrays of pairs of title and text, best first, or ``None``. The
    rules are those of `answer_ranks` and `evidence_ranks`. Values are means over all questions, from 0 to 1; higher is
    better. A question without passages scores 0. Evidence is scored only if every question has some: its recall is
    undefined for the others.

    Raises:
        UnusableReference: From `prepare`, if a reference is no list of gold answers, or an empty one.

    >>> metric = PassageRecall()
    >>> prepared = metric.prepare([[{"answer_text": "Oslo", "aliases": []}, {"answer_text": "Rome", "aliases": []}]])
    >>> scores = metric.score(prepared, ['[["Norway", "Its capital is Oslo."]]'])
    >>> scores["arecall.10"].value, "erecall.10" in scores
    (0.5, False)
    """

    name: ClassVar[str] = "passage-recall"
    version: ClassVar[str] = "0.6.0"
    score_names: ClassVar[tuple[str, ...]] = tuple(
        f"{part}.{cutoff}" for part in ("arecall", "arecall-aliases", "erecall") for cutoff in CUTOFFS
    )
    reads_passages: ClassVar[bool] = True
    needs_site: ClassVar[bool] = True
    label: ClassVar[str] = "Recall of passages"
    task_types: ClassVar[tuple[str, ...]] = ("answer-list",)
    formula: ClassVar[str] = "metrics/passage_recall.html"

    def columns(self) -> tuple[Column, ...]:
        """None is shown on a hidden split: long passages lose nothing in recall."""
        parts = (
            ("arecall", "ARecall", "Recall of answers", "gold answers that one of the first {} passages contains."),
            ("erecall", "ERecall", "Recall of evidence", "passages of evidence that are among the first {} passages."),
            (
                "arecall-aliases",
                "ARecall with aliases",
                "Recall of answers, aliases",
                "gold answers of which one of the first {} passages contains a name.",
            ),
        )
        return tuple(
            Column(
                score=f"{part}.{cutoff}",
                metric=self.name,
                label=f"{name}@{cutoff}",
                short_label=f"@{cutoff}",
                group=group,
                description=f"The mean share of a question's {description.format(cutoff)}",
                default=False,
                disclosed=False,
            )
            for part, name, group, description in parts
            for cutoff in CUTOFFS
        )

    def explanation(self) -> Explanation:
        return Explanation(
            measures=(
                "Measures how good the passages are that a system retrieved, in the order in which it ranked them: how "
                "many of a question's gold answers they contain (ARecall@K), and how much of the evidence is among "
                "them (ERecall@K)."
            ),
            formula=(
                "ARecall@K = gold answers in the title or text of one of the first K passages / gold answers\n"
                "ERecall@K = passages of evidence found among the first K / passages of evidence\n"
                "for each question; the mean over all questions"
            ),
            surprises=(
                (
                    "A passage contains an answer if the answer's own text is in it, in exactly this spelling and "
                    "case. An alias counts only in the columns with aliases: the paper counts aliases, the published "
                    "code does not."
                ),
                (
                    "A passage is evidence if its title is that of the evidence, without regard to case, and the texts "
                    "have a common part of more than 0.7 times the length of the shorter one."
                ),
                "The length of passages is not limited: compare systems whose passages have about the same length.",
                "Evidence is scored only if every question of the split has some.",
                "A question without passages scores 0.",
            ),
            source="https://aclanthology.org/2023.gem-1.8/",
        )

    def signature_parts(self) -> tuple[str, ...]:
        """The numbers of passages, and how much of a text must be equal."""
        return (f"k:{','.join(map(str, CUTOFFS))}", f"overlap:{MIN_OVERLAP}")

    def prepare(self, references: Sequence[ReferenceAnswer]) -> tuple[_Prepared, ...]:
        prepared = []
        for gold, reference in zip(gold_lists(references), cast("Sequence[Any]", references), strict=True):
            evidence = []
            for answer in reference:
                proofs = answer.get("proof")
                for proof in proofs if isinstance(proofs, list) else ():
                    match proof:
                        case {"proof_text": str(text), "found_in_url": str(url)}:
                            evidence.append(proof_passage(text, url))
            prepared.append((gold, tuple(evidence)))
        return tuple(prepared)

    def score(
        self,
        prepared: Sequence[_Prepared],
        generations: Sequence[str | None],
        progress: Progress | None = None,
        budget: AnswerBudget | None = None,
    ) -> dict[str, ScoredVector]:
        """See `Metric.score`; *generations* are passages.

        *budget* is not needed: passages take time proportional to their length.
        """
        del budget
        check_lengths(len(prepared), len(generations))
        columns: dict[str, list[float]] = {}
        has_evidence = all(evidence for _, evidence in prepared)
        for index, (gold, evidence) in enumerate(prepared):
            passages = [Passage(*pair) for pair in json.loads(generations[index] or "[]")]
            values = {
                "arecall": recall_at(answer_ranks(gold, passages), len(gold)),
                "arecall-aliases": recall_at(answer_ranks(gold, passages, aliases=True), len(gold)),
            }
            if has_evidence:
                values["erecall"] = recall_at(evidence_ranks(evidence, passages), len(evidence))
            for part, recalls in values.items():
                for cutoff, recall in recalls.items():
                    columns.setdefault(f"{part}.{cutoff}", []).append(recall)
            if progress is not None:
                progress(index + 1, len(generations))
        return {name: mean_vector(recalls) for name, recalls in columns.items()}


def recall_at(ranks: Sequence[int], n_wanted: int, cutoffs: Sequence[int] = CUTOFFS) -> dict[int, float]:
    """The share of wanted things, at least one, that have a rank among the first K, for each K; ranks are from 0.

    >>> recall_at([0, 12], 4, (10, 25))
    {10: 0.25, 25: 0.5}
    """
    return {cutoff: sum(rank < cutoff for rank in ranks) / n_wanted for cutoff in cutoffs}


def answer_ranks(gold: Sequence[GoldAnswer], passages: Sequence[Passage], *, aliases: bool = False) -> list[int]:
    """The rank of the first passage that contains each gold answer; answers that no passage contains are left out.

    ARecall@K is `recall_at` of these ranks. As in the published code, a passage contains an answer if the answer's own
    text, in exactly this spelling and case, is anywhere in its title or text. With `aliases` an alias will do, as the
    paper says.

    >>> answer_ranks([GoldAnswer("Oslo", ("Christiania",))], [Passage("Rome", ""), Passage("Norway", "Oslo is …")])
    [1]
    """
    texts = [f"{passage.title}\0{passage.text}\0" for passage in passages]
    ends = list(accumulate(map(len, texts)))
    whole = "".join(texts)
    ranks = []
    for answer in gold:
        names = (answer.text, *answer.aliases) if aliases else (answer.text,)
        first = min((at for name in names if (at := whole.find(name)) >= 0), default=None)
        if first is not None:
            ranks.append(bisect_right(ends, first))
    return ranks


def evidence_ranks(evidence: Sequence[Passage], passages: Sequence[Passage]) -> list[int]:
    """The ranks of the passages that are evidence, at most one for each passage of evidence.

    ERecall@K is `recall_at` of these ranks with the number of passages of evidence. As in the published code, passages
    are matched in their order, each with the first passage of evidence that is not matched yet, has the same title
    (without regard to case) and `overlaps`. The published program breaks off before it prints a number; these are the
    numbers that its rules give.

    >>> evidence_ranks([Passage("Oslo", "It is a city.")], [Passage("Rome", "It is a"), Passage("oslo", "is a city.")])
    [1]
    """
    by_title: dict[str, list[str]] = {}
    for passage in evidence:
        by_title.setdefault(passage.title.lower(), []).append(passage.text)
    ranks = []
    for rank, passage in enumerate(passages):
        unmatched = by_title.get(passage.title.lower(), [])
        match = next((index for index, text in enumerate(unmatched) if overlaps(passage.text, text)), None)
        if match is not None:
            del unmatched[match]
            ranks.append(rank)
    return ranks


def overlaps(retrieved: str, evidence: str) -> bool:
    """Whether two texts have a common part of more than 0.7 times the length of the shorter one, by the published rule.

    Case does not matter. The published search for the longest common part leaves out places where the part is much
    later in the retrieved text than in the evidence, or the retrieved text is less than half as long as the evidence
    and its middle; so does this function. Texts without characters overlap with nothing.

    Linear in the length of usual texts: a part of that length contains one of a few blocks of the shorter text.

    >>> overlaps("The capital of Norway is Oslo.", "the capital of norway is Oslo"), overlaps("Oslo", "Rome")
    (True, False)
    """
    shorter = min(len(retrieved), len(evidence))
    if not shorter:
        return False
    needed = max(0, int(MIN_OVERLAP * shorter) - 1)
    while needed / shorter <= MIN_OVERLAP:
        needed += 1
    first, second = retrieved.lower(), evidence.lower()
    x, y = len(first), len(second)
    return any(j - i >= y - x or (j - i >= x - y and j < x) for i, j in _common_parts(first, second, needed))


def _common_parts(first: str, second: str, needed: int) -> Iterator[tuple[int, int]]:
    """Positions where common parts of at least `needed` characters begin in each text; a part may come more than
    once."""
    swap = len(second) > len(first)
    long, short = (second, first) if swap else (first, second)
    size = (needed + 1) // 2
    for begin in range(0, len(short) - size + 1, size):
        block = short[begin : begin + size]
        at = long.find(block)
        while at >= 0:
            left = _common_length(long[:at][::-1], short[:begin][::-1])
            right = _common_length(long[at + size :], short[begin + size :])
            if left + size + right >= needed:
                yield (begin - left, at - left) if swap else (at - left, begin - left)
            at = long.find(block, at + 1)


def _common_length(first: str, second: str) -> int:
    """The number of characters at the beginning that two texts have in common."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
