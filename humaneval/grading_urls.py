"""The addresses of the grading console. To whoever neither keeps rounds nor grades, none of them exists."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache

from humaneval.grading import access
from humaneval.views import grading, grading_evidence, grading_outcome

ANSWER = "<slug:slug>/answers/<int:position>/"
View = Callable[..., HttpResponse]


def inside(route: str, view: View, name: str) -> URLPattern:
    """An address that does not exist for strangers, by whatever method they ask, and that no cache keeps."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, **parameters: object) -> HttpResponse:
        access.require_anybody(request.user)
        return view(request, **parameters)

    return path(route, guarded, name=name)


urlpatterns = [
    inside("", grading.rounds, name="grading"),
    inside("new/<slug:benchmark>/<slug:split>/", grading.new, name="grading-new"),
    inside("<slug:slug>/", grading.round_, name="grading-round"),
    inside("<slug:slug>/desk/", grading.at_desk, name="grading-desk"),
    inside(f"{ANSWER}article/", grading_evidence.article, name="grading-article"),
    inside(f"{ANSWER}passages/", grading_evidence.passages, name="grading-article-passages"),
    inside(f"{ANSWER}outside/", grading_evidence.outside, name="grading-article-outside"),
    inside(f"{ANSWER}image/", grading_evidence.image, name="grading-article-image"),
    inside("<slug:slug>/guidelines/", grading.guidelines, name="grading-guidelines"),
    inside("<slug:slug>/graders/", grading.change_graders, name="grading-graders"),
    inside("<slug:slug>/close/", grading.close, name="grading-close"),
    inside("<slug:slug>/calibration/", grading.calibration, name="grading-calibration"),
    inside("<slug:slug>/calibration/<int:position>/", grading.known_grade, name="grading-known"),
    inside("<slug:slug>/adjudication/", grading.adjudication, name="grading-adjudication"),
    inside("<slug:slug>/adjudication/<int:position>/", grading.decision, name="grading-decision"),
    inside("<slug:slug>/corrections/", grading.proposed_corrections, name="grading-corrections"),
    inside("<slug:slug>/corrections.json", grading.corrections_file, name="grading-corrections-file"),
    inside("<slug:slug>/corrections/revision/", grading.prepare_revision, name="grading-corrections-revision"),
    inside("<slug:slug>/outcome/", grading_outcome.outcome, name="grading-outcome"),
    inside("<slug:slug>/outcome/corrected/", grading_outcome.publish_corrected, name="grading-publish-corrected"),
    inside("<slug:slug>/outcome/bound/", grading_outcome.publish_bound, name="grading-publish-bound"),
    inside("<slug:slug>/export.<slug:extension>", grading.download, name="grading-export"),
]
