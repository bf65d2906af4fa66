"""The sentences of answers with their citations, and what a judge says of them, on open splits.

Like `scoring.runs.judging.criteria`, a way from verdicts to pages: a hidden split is refused for every caller, whatever
their rights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from scoring.analysis.explanations import HiddenSplitError, readable
from scoring.benchmarks import definition_of
from scoring.metrics.citations import read_citations
from scoring.metrics.cited.answers import Citation, CitedAnswer, packed
from scoring.metrics.cited.judge import CitationJudge, SentenceMark
from scoring.models import Question
from scoring.registry import judge_of, metric_named, scored_texts
from scoring.runs.judging.queries import replies_about

NOT_CITED: Final = "not cited"
SUPPORTED: Final = "supported"
UNSUPPORTED: Final = "unsupported"
NOT_JUDGED: Final = "not judged"
STATES: Final = (SUPPORTED, UNSUPPORTED, NOT_JUDGED, NOT_CITED)
MOST_CITATIONS: Final = 100
"""Citations of an answer that are shown."""
LONGEST_QUOTE: Final = 300


@dataclass(frozen=True)
class MarkedSentence:
    """A sentence of an answer."""

    text: str
    state: str
    """`SUPPORTED`, `UNSUPPORTED`, `NOT_CITED` or `NOT_JUDGED`."""
    reason: str
    """What the judge says for it, or why it was not asked; it may quote the answer."""


@dataclass(frozen=True)
class MarkedAnswer:
    """An answer with the marks of its sentences."""

    judge: str
    """The label of the metric whose judge decided; empty if none did."""
    sentences: Sequence[MarkedSentence]
    citations: Sequence[Citation]
    """The first of them, as plain text and without their texts."""
    n_citations: int

    @property
    def n_sentences(self) -> int:
        """How many sentences it has."""
        return len(self.sentences)

    @property
    def counts(self) -> dict[str, int]:
        """The number of sentences in each state that occurs."""
        states = [sentence.state for sentence in self.sentences]
        return {state: states.count(state) for state in STATES if state in states}


def marked_answers(
    question: Question, signatures: Mapping[str, str], answers: Mapping[UUID, str], citations: Mapping[UUID, str]
) -> dict[UUID, MarkedAnswer]:
    """Answers to a question with the marks of their sentences, by answer set. Five queries at most.

    Args:
        signatures: those that boards show, by metric.
        answers: as stored, by answer set.
        citations: as stored, likewise; empty for an answer without any. An answer that is not in it has no marks,
            and neither has one with neither sentences nor citations.

    Raises:
        HiddenSplitError: the question's split is hidden.
    """
    questions = Question.objects.select_related("revision__split__benchmark").filter(pk=question.pk)
    known = questions.filter(revision__split__hidden=False).first()
    if known is None:
        raise HiddenSplitError("Citations and verdicts on a hidden split are private.")
    question, benchmark = known, known.revision.split.benchmark.slug
    texts = scored_texts(benchmark, {key: answers[key] for key in citations if key in answers})
    cited = {key: packed(text, citations[key], question) for key, text in texts.items()}
    marks: dict[UUID, tuple[str, list[SentenceMark]]] = {}
    for name in definition_of(benchmark).metrics:
        if issubclass(metric_named(name), CitationJudge) and name in signatures:
            rest = {key: text for key, text in cited.items() if key not in marks}
            for key, said in replies_about(question, "", name, signatures[name], rest).items():
                judge = judge_of(benchmark, name)
                assert isinstance(judge, CitationJudge)  # noqa: S101 - as its name says
                replies = {part: reply for part, reply in said.items() if reply is not None}
                marks[key] = judge.label, judge.marks(CitedAnswer.of(cited[key]), replies)
    shown = {key: _marked(CitedAnswer.of(text), *marks.get(key, ("", []))) for key, text in cited.items()}
    return {key: answer for key, answer in shown.items() if answer.sentences or answer.citations}


def _marked(cited: CitedAnswer, judge: str, marks: Sequence[SentenceMark]) -> MarkedAnswer:
    sentences = []
    known = marks or [SentenceMark(None)] * len(cited.sentences)
    for text, numbers, mark in zip(cited.sentences, cited.cited, known, strict=True):
        state = NOT_JUDGED if mark.supported is None else SUPPORTED if mark.supported else UNSUPPORTED
        reason = mark.reason
        if not read_citations(text):
            state = NOT_CITED
        elif not numbers:
            state, reason = UNSUPPORTED, "It cites what is not among the citations."
        elif not any(cited.citations[number - 1].passage for number in numbers):
            reason = "The text of what it cites was not sent."
        sentences.append(MarkedSentence(readable(text), state, readable(reason)))
    shown = [_shown(one) for one in cited.citations[:MOST_CITATIONS]]
    return MarkedAnswer(judge, sentences, shown, len(cited.citations))


def _shown(citation: Citation) -> Citation:
    """A citation as plain text, its quote cut, without its text."""
    quote = citation.quote if len(citation.quote) <= LONGEST_QUOTE else f"{citation.quote[:LONGEST_QUOTE]}…"
    return Citation(readable(citation.id), citation.url, readable(citation.title), readable(quote))
