"""Publish a study's Human row on the leaderboard, and remove it."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from humaneval.results.human_row import HumanRowError, publish_people, unpublish_people
from humaneval.studies import access
from leaderboard.access import require_maintainer, signed_in_user
from leaderboard.web.http import post_action


@require_POST
def publish(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Publish an answer set of a study on the leaderboard as its Human row."""
    study = access.study_for(request.user, slug)
    require_maintainer(request.user)
    result = study.results.order_by("made_at", "pk")[number - 1 : number].first()
    if result is None:
        raise Http404("The study has no such answer set.")
    said = {name: request.POST.get(name, "") for name in ("name", "authors")}
    return post_action(
        request,
        lambda: publish_people(result, by=signed_in_user(request), **said),
        done=lambda entry: f"{entry.system.name} is on the leaderboard: {entry.note.rstrip('.')}.",
        refused=HumanRowError,
        then=redirect("manage-study-results", slug),
    )


@require_POST
def unpublish(request: HttpRequest, slug: str) -> HttpResponse:
    """Remove a study's Human row from the leaderboard."""
    study = access.study_for(request.user, slug)
    require_maintainer(request.user)
    return post_action(
        request,
        lambda: unpublish_people(study, by=signed_in_user(request)),
        done="The study's row was removed from the leaderboard. The row and its scores are still stored.",
        refused=HumanRowError,
        then=redirect("manage-study-results", slug),
    )
