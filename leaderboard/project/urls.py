"""URL patterns of the site: those of each subject are in its folder."""

from functools import lru_cache

from django.contrib import admin
from django.urls import ResolverMatch, URLPattern, URLResolver, include, path
from django.urls.resolvers import RoutePattern

from humaneval import urls as studies
from humaneval.api import urls as studies_api
from humaneval.grading import urls as grading
from humaneval.maintenance import urls as studies_maintenance
from leaderboard.maintenance.urls import of_a_submission
from leaderboard.pages.urls import of_a_benchmark


class RememberingResolver(URLResolver):
    """Finds the views of a thousand recently requested paths without trying all patterns: there are over a hundred, and
    those of boards come last."""

    @lru_cache(maxsize=1000)  # noqa: B019 - there is one resolver
    def resolve(self, path: str) -> ResolverMatch:
        match = super().resolve(path)
        match.tried = None  # the patterns tried before, which only Django's own error pages name
        return match


_patterns: list[URLPattern | URLResolver] = [
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
    # Last, because any path of one to three segments could be a benchmark's or a board's.
    path("<slug:benchmark>/", include(of_a_benchmark)),
    path("<slug:benchmark>/<slug:split>/questions/", include("leaderboard.questions.urls")),
    path("", include("leaderboard.board.urls")),
]
urlpatterns = [RememberingResolver(RoutePattern(""), _patterns)]

handler400 = "leaderboard.web.error_pages.bad_request"
handler404 = "leaderboard.web.error_pages.not_found"
handler500 = "leaderboard.web.error_pages.server_error"
