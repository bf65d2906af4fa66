"""Stand-ins for the Wikipedia articles that questions rely on, made of the published sub-questions and their answers.

Nothing is downloaded: an article contains only what the questions of the development split ask about it. The demo's
participants read these articles, and they serve to try the reader where Wikipedia is not available.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.benchmarks.base import EvidenceArticle, SourceQuestion


def articles_of(questions: Sequence[SourceQuestion]) -> tuple[EvidenceArticle, ...]:
    """One article for each page that a sub-question cites, in the order of the first citations.

    A page that is cited at several revisions gets the most frequently cited one. "See also" links from a page that
    gives a list to the pages about its entries.
    """
    pages: dict[str, _Page] = {}
    for question in questions:
        steps = {str(step.get("id")): step for step in _steps(question.decomposition)}
        for step in steps.values():
            title = _title(step)
            if title is None:
                continue
            page = pages.setdefault(title, _Page())
            page.add(step)
            for other in (steps.get(str(before)) for before in step.get("depends_on") or ()):
                other_title = _title(other) if other is not None else None
                if other_title is not None and other_title != title:
                    pages.setdefault(other_title, _Page()).see_also.setdefault(title)
    return tuple(page.article(title) for title, page in pages.items() if page.facts)


class _Page:
    """The facts collected about a page so far."""

    def __init__(self) -> None:
        self.facts: dict[str, list[tuple[str, ...]]] = {}
        self.see_also: dict[str, None] = {}
        self._revisions: Counter[int] = Counter()
        self._page_id: int | None = None
        self._url = ""

    def add(self, step: Mapping[str, Any]) -> None:
        evidence = step["evidence"]
        if isinstance(evidence.get("pageid"), int):
            self._page_id = evidence["pageid"]
        if isinstance(evidence.get("revid"), int):
            self._revisions[evidence["revid"]] += 1
        self._url = self._url or str(evidence.get("url") or "")
        text = str(step.get("question") or "").strip()
        rows = list(_rows(step.get("answer")))
        if text and rows:
            self.facts.setdefault(text, rows)

    def article(self, title: str) -> EvidenceArticle:
        return EvidenceArticle(
            title=title,
            url=self._url,
            page_id=self._page_id,
            revision_id=self._revisions.most_common(1)[0][0] if self._revisions else None,
            facts=self.facts,
            see_also=tuple(self.see_also),
        )


def _steps(decomposition: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    for step in decomposition:
        if isinstance(step, Mapping):
            yield step
            yield from _steps(step.get("decomposition") or ())


def _title(step: Mapping[str, Any]) -> str | None:
    evidence = step.get("evidence")
    title = evidence.get("title") if isinstance(evidence, Mapping) else None
    return title if isinstance(title, str) and title.strip() else None


def _rows(answer: Any) -> Iterator[tuple[str, ...]]:
    if isinstance(answer, Mapping):
        for key, value in answer.items():
            yield str(key), _text(value)
    elif isinstance(answer, list):
        for item in answer:
            yield (_text(item),)
    elif answer is not None:
        yield (_text(answer),)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_text(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return str(value)
