"""URLs of the grading console. For visitors who neither manage rounds nor grade, all of them return 404."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils import translation
from django.views.decorators.cache import never_cache

from humaneval.grading import access
from humaneval.grading.desk import adjudication_views as adjudication
from humaneval.grading.desk import evidence_views
from humaneval.grading.desk import views as desk
from humaneval.grading.outcome import correction_views as corrections
from humaneval.grading.outcome import views as outcome
from humaneval.grading.rounds import views as rounds
from humaneval.studies.languages import language_of
from scoring.models import Question

ANSWER = "<slug:slug>/answers/<int:position>/"
View = Callable[..., HttpResponse]


def inside(route: str, view: View, name: str) -> URLPattern:
    """A URL that returns 404 to other visitors, with any method, and that no cache stores."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest, **parameters: object) -> HttpResponse:
        access.require_anybody(request.user)
        return view(request, **parameters)

    return path(route, guarded, name=name)


def for_graders(view: View) -> View:
    """A view in the language of its round's questions."""

    @wraps(view)
    def translated(request: HttpRequest, slug: str, **parameters: object) -> HttpResponse:
        with translation.override(language_of(Question.objects.filter(revision__grading_rounds__slug=slug))):
            return view(request, slug=slug, **parameters)

    return translated


urlpatterns = [
    inside("", rounds.rounds, name="grading"),
    inside("new/<slug:benchmark>/<slug:split>/", rounds.new, name="grading-new"),
    inside("<slug:slug>/", rounds.overview, name="grading-round"),
    inside("<slug:slug>/desk/", for_graders(desk.at_desk), name="grading-desk"),
    inside(f"{ANSWER}article/", for_graders(evidence_views.article), name="grading-article"),
    inside(f"{ANSWER}passages/", for_graders(evidence_views.passages), name="grading-article-passages"),
    inside(f"{ANSWER}outside/", for_graders(evidence_views.outside), name="grading-article-outside"),
    inside(f"{ANSWER}image/", evidence_views.image, name="grading-article-image"),
    inside("<slug:slug>/guidelines/", for_graders(rounds.guidelines), name="grading-guidelines"),
    inside("<slug:slug>/masks/", rounds.masks, name="grading-masks"),
    inside("<slug:slug>/graders/", rounds.change_graders, name="grading-graders"),
    inside("<slug:slug>/extend/", rounds.extend, name="grading-extend"),
    inside("<slug:slug>/close/", rounds.close, name="grading-close"),
    inside("<slug:slug>/calibration/", for_graders(adjudication.calibration), name="grading-calibration"),
    inside("<slug:slug>/calibration/<int:position>/", for_graders(adjudication.known_grade), name="grading-known"),
    inside("<slug:slug>/adjudication/", for_graders(adjudication.adjudication), name="grading-adjudication"),
    inside("<slug:slug>/adjudication/<int:position>/", for_graders(adjudication.decision), name="grading-decision"),
    inside("<slug:slug>/corrections/", corrections.proposed_corrections, name="grading-corrections"),
    inside("<slug:slug>/corrections.json", corrections.corrections_file, name="grading-corrections-file"),
    inside("<slug:slug>/corrections/revision/", corrections.prepare_revision, name="grading-corrections-revision"),
    inside("<slug:slug>/outcome/", outcome.outcome, name="grading-outcome"),
    inside("<slug:slug>/outcome/methods.<slug:extension>", outcome.methods_file, name="grading-methods"),
    inside("<slug:slug>/outcome/corrected/", outcome.publish_corrected, name="grading-publish-corrected"),
    inside("<slug:slug>/outcome/bound/", outcome.publish_bound, name="grading-publish-bound"),
    inside("<slug:slug>/export.<slug:extension>", outcome.download, name="grading-export"),
]
