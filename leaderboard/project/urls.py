"""URL patterns of the site: those of each subject are in its folder."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from humaneval import urls as studies
from humaneval.api import urls as studies_api
from humaneval.grading import urls as grading
from humaneval.maintenance import urls as studies_maintenance
from leaderboard.maintenance.urls import of_a_submission
from leaderboard.pages.urls import of_a_benchmark
from leaderboard.questions.pictures import picture

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("leaderboard.operations.urls")),
    path("", include("leaderboard.pages.urls")),
    path("", include("leaderboard.systems.urls")),
    path("", include("leaderboard.submissions.urls")),
    path("submissions/<uuid:pk>/", include(of_a_submission)),
    path("", include("leaderboard.accounts.urls")),
    path("studies/", include(studies)),
    path("maintenance/studies/", include(studies_maintenance)),
    path("grading/", include(grading)),
    path("maintenance/", include("leaderboard.maintenance.urls")),
    path("api/v1/", include("leaderboard.api.urls")),
    path("api/v1/studies/", include(studies_api)),
    path("admin/", admin.site.urls),
    path("", include("leaderboard.discovery.urls")),
    path("pictures/<slug:sha256>/", picture, name="question-picture"),
    # Last, because any path of one to three segments could be a benchmark's or a board's.
    path("<slug:benchmark>/", include(of_a_benchmark)),
    path("<slug:benchmark>/<slug:split>/questions/", include("leaderboard.questions.urls")),
    path("", include("leaderboard.board.urls")),
]

handler400 = "leaderboard.web.error_pages.bad_request"
handler404 = "leaderboard.web.error_pages.not_found"
handler500 = "leaderboard.web.error_pages.server_error"
