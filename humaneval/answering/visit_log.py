"""The visit log: searches and opened articles, stored per question. Suggestions while typing are not stored.

A reload is no visit and no search: the participant is shown the same article, or the same results, and searched and
opened nothing else in between. It is counted in the visit or search that it repeats.
"""

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from humaneval.answering.answers import AnswerError, clean
from humaneval.encyclopedia.base import Article, title_in
from humaneval.models import Assignment, Origin, ReaderTab, Search, SearchKind, Visit

ORIGINS = frozenset(Origin.values) - {Origin.REPORTED}


def log_search(
    assignment: Assignment,
    query: str,
    *,
    n_results: int,
    kind: SearchKind = SearchKind.ENCYCLOPEDIA,
    article: str = "",
    again: bool = False,
) -> Search:
    """Store a submitted query.

    Args:
        article: the title of the article whose passages were searched.
        again: the participant went back or forward to the results: that is no separate search.
    """
    said = {"kind": kind, "query": query[:500], "article": article[:500]}
    before = Search.objects.filter(assignment=assignment, **said).order_by("-at", "-pk").first()
    if before is not None and (again or _newest(assignment) == before):
        if not again:
            Search.objects.filter(pk=before.pk).update(n_reloads=F("n_reloads") + 1)
        return before
    return Search.objects.create(assignment=assignment, n_results=n_results, **said)


def _newest(assignment: Assignment) -> Visit | Search | None:
    """The newest visit or search of the assignment's participant, for any question."""
    # Of any question: who looked at another question in between opened the article again, and did not reload it.
    own = {"assignment__participant": assignment.participant_id}
    visit = Visit.objects.filter(**own).order_by("-opened_at", "-pk").first()
    search = Search.objects.filter(**own).order_by("-at", "-pk").first()
    if visit is None or search is None:
        return visit or search
    return visit if visit.opened_at >= search.at else search


def log_visit(
    assignment: Assignment, article: Article, *, origin: str, search_id: int | None = None, rank: int | None = None
) -> Visit:
    """Store a visit to an article, or count a reload. A search of another question is ignored, and so is the rank in
    it."""
    before = last_visit(assignment, article.path)
    if before is not None and _newest(assignment) == before:
        Visit.objects.filter(pk=before.pk).update(n_reloads=F("n_reloads") + 1)
        return before
    search = Search.objects.filter(assignment=assignment, pk=search_id).first() if search_id is not None else None
    return Visit.objects.create(
        assignment=assignment,
        origin=origin if origin in ORIGINS else Origin.BACK,
        search=search,
        rank=rank if search is not None and rank is not None and 1 <= rank <= 10_000 else None,
        path=article.path[:1000],
        title=article.title[:500],
        url=article.url if len(article.url) <= 2000 else "",
        page_id=article.page_id,
        revision_id=article.revision_id,
        used=before.used if before is not None else False,
    )


def last_visit(assignment: Assignment, path: str) -> Visit | None:
    """The last visit to an article for a question; None if it was never shown."""
    visits = Visit.objects.filter(assignment=assignment, path=path[:1000]).exclude(origin=Origin.REPORTED)
    return visits.order_by("-opened_at", "-pk").first()


@transaction.atomic
def update_reading_time(
    assignment: Assignment,
    visit_id: int,
    *,
    visible_seconds: float | None,
    scrolled_share: float | None,
    place: float | None = None,
) -> None:
    """Store the visible time and scroll depth of an open article: the maximum reported, capped at what is possible.

    Args:
        visible_seconds: the total since it was opened, so reporting it twice is harmless.
        scrolled_share: the furthest point seen, from 0 to 1.
        place: where the article is now, from 0 to 1; stored with its tab.
    """
    # Locked, because the maximum is computed here: two reports at once would overwrite each other.
    visit = Visit.objects.select_for_update(of=("self",)).filter(assignment=assignment, pk=visit_id).first()
    if visit is None or visit.reported:
        return
    passed = (timezone.now() - visit.opened_at).total_seconds()
    visit.visible_seconds = max(visit.visible_seconds or 0.0, min(visible_seconds or 0.0, passed))
    visit.scrolled_share = max(visit.scrolled_share or 0.0, min(max(scrolled_share or 0.0, 0.0), 1.0))
    visit.save(update_fields=["visible_seconds", "scrolled_share"])
    if place is not None:
        ReaderTab.objects.filter(assignment=assignment, path=visit.path).update(place=place)


def articles_read(assignment: Assignment) -> list[tuple[Visit, int]]:
    """The articles visited for a question, each once, in the order of their first visits: the first visit, and the
    number of visits."""
    by_article: dict[tuple[bool, str], list[Visit]] = {}
    for visit in Visit.objects.filter(assignment=assignment).order_by("opened_at", "pk"):
        key = (visit.reported, visit.url if visit.reported else visit.path)
        by_article.setdefault(key, []).append(visit)
    return [(visits[0], len(visits)) for visits in by_article.values()]


def mark_used(visit: Visit, *, used: bool) -> None:
    """Mark an article as used, or remove the mark: on all its visits for this question."""
    same = Visit.objects.filter(assignment_id=visit.assignment_id)
    if visit.reported:
        same = same.filter(origin=Origin.REPORTED, url=visit.url)
    else:
        same = same.exclude(origin=Origin.REPORTED).filter(path=visit.path)
    same.update(used=used)


def report(assignment: Assignment, *, url: str, title: str = "") -> Visit:
    """Add an article that was read elsewhere, marked as self-reported and as used. The same one is stored once.

    Raises:
        AnswerError: the URL is invalid or too long.
    """
    url = url.strip()
    try:
        URLValidator(schemes=["http", "https"])(url)
    except ValidationError as error:
        raise AnswerError(
            gettext("This is not a web URL. Enter a URL that starts with https:// or http://.")
        ) from error
    if len(url) > 2000:
        raise AnswerError(gettext("This URL is too long."))
    known = Visit.objects.filter(assignment=assignment, origin=Origin.REPORTED, url=url).first()
    if known is not None:
        return known
    return Visit.objects.create(
        assignment=assignment,
        origin=Origin.REPORTED,
        url=url,
        title=" ".join(clean(title, 5000).split())[:500] or title_in(url),
        used=True,
    )
