"""The addresses of the grading console. To whoever neither keeps rounds nor grades, none of them exists."""

from django.urls import path

from humaneval.views import grading, grading_outcome

urlpatterns = [
    path("", grading.rounds, name="grading"),
    path("new/<slug:benchmark>/<slug:split>/", grading.new, name="grading-new"),
    path("<slug:slug>/", grading.round_, name="grading-round"),
    path("<slug:slug>/desk/", grading.at_desk, name="grading-desk"),
    path("<slug:slug>/guidelines/", grading.guidelines, name="grading-guidelines"),
    path("<slug:slug>/graders/", grading.change_graders, name="grading-graders"),
    path("<slug:slug>/close/", grading.close, name="grading-close"),
    path("<slug:slug>/calibration/", grading.calibration, name="grading-calibration"),
    path("<slug:slug>/calibration/<int:position>/", grading.known_grade, name="grading-known"),
    path("<slug:slug>/adjudication/", grading.adjudication, name="grading-adjudication"),
    path("<slug:slug>/adjudication/<int:position>/", grading.decision, name="grading-decision"),
    path("<slug:slug>/corrections/", grading.proposed_corrections, name="grading-corrections"),
    path("<slug:slug>/corrections.json", grading.corrections_file, name="grading-corrections-file"),
    path("<slug:slug>/outcome/", grading_outcome.outcome, name="grading-outcome"),
    path("<slug:slug>/outcome/corrected/", grading_outcome.publish_corrected, name="grading-publish-corrected"),
    path("<slug:slug>/outcome/bound/", grading_outcome.publish_bound, name="grading-publish-bound"),
    path("<slug:slug>/export.<slug:extension>", grading.download, name="grading-export"),
]
