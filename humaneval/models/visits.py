"""A participant's searches, article visits and open tabs: stored by the server, per question."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from humaneval.models.answering import Assignment


class SearchKind(models.TextChoices):
    """The kind of a search."""

    ENCYCLOPEDIA = "encyclopedia", "Encyclopedia"
    PASSAGES = "passages", "Passages of an article"


class Search(models.Model):
    """A submitted query, with its number of results. Suggestions while typing are not stored."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="searches")
    kind = models.CharField(max_length=12, choices=SearchKind, default=SearchKind.ENCYCLOPEDIA)
    query = models.CharField(max_length=500)
    article = models.CharField(max_length=500, blank=True, help_text="Title of the article, for passage searches.")
    n_results = models.PositiveIntegerField()
    n_reloads = models.PositiveIntegerField(default=0, help_text="How often the results were reloaded.")
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["assignment", "at", "pk"]
        verbose_name_plural = "searches"

    def __str__(self) -> str:
        return self.query


class Origin(models.TextChoices):
    """How the participant reached an article."""

    RESULT = "result", "Search result"
    SUGGESTION = "suggestion", "Suggestion"
    LINK = "link", "Link in another article"
    BACK = "back", "Back, forward or the list of articles read"
    TAB = "tab", "Tab of the reader"
    REPORTED = "reported", "Read elsewhere and added by the participant"


class Visit(models.Model):
    """An article shown, or reported as read elsewhere. Reloads of it are counted in the same visit.

    ``page_id`` and ``revision_id`` are MediaWiki's, if the source knows them. Visits are compared with gold evidence by
    page id, or by title if there is none.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="visits")
    origin = models.CharField(max_length=12, choices=Origin)
    search = models.ForeignKey(Search, on_delete=models.SET_NULL, null=True, blank=True, related_name="visits")
    rank = models.PositiveIntegerField(null=True, blank=True, help_text="Rank of the clicked result, from 1.")
    path = models.CharField(max_length=1000, blank=True, help_text="The source's path of the article.")
    title = models.CharField(max_length=500)
    url = models.URLField(max_length=2000, blank=True)
    page_id = models.PositiveBigIntegerField(null=True, blank=True)
    revision_id = models.PositiveBigIntegerField(null=True, blank=True)
    opened_at = models.DateTimeField(default=timezone.now, editable=False)
    n_reloads = models.PositiveIntegerField(default=0, help_text="How often the article was reloaded.")
    visible_seconds = models.FloatField(
        null=True, blank=True, help_text="At most the time since it was opened; empty if unknown."
    )
    scrolled_share = models.FloatField(
        null=True, blank=True, help_text="Furthest scroll position, 0 to 1; empty if unknown."
    )
    used = models.BooleanField(default=False, help_text="Selected by the participant.")

    class Meta:
        ordering: ClassVar = ["assignment", "opened_at", "pk"]

    def __str__(self) -> str:
        return self.title

    @property
    def reported(self) -> bool:
        return self.origin == Origin.REPORTED


class ReaderTab(models.Model):
    """An article that is open in the reader of a question. It is no visit until it is shown; closing it deletes it."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="tabs")
    path = models.CharField(max_length=1000, help_text="The source's path of the article.")
    title = models.CharField(max_length=500)
    opened_at = models.DateTimeField(default=timezone.now, editable=False)
    shown_at = models.DateTimeField(null=True, blank=True, help_text="When it was last shown; empty if never.")
    place = models.FloatField(default=0.0, help_text="Where it was left, as a share of the article's height, 0 to 1.")

    class Meta:
        ordering: ClassVar = ["assignment", "opened_at", "pk"]

    def __str__(self) -> str:
        return self.title
