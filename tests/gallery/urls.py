"""The gallery's URLs and every URL of the site. The gallery comes first: the site's last URLs match any word."""

from django.urls import include, path

from leaderboard.project.urls import handler400, handler404, handler500
from tests.gallery.site.views import gallery, sample_picture

urlpatterns = [
    path("gallery/", gallery, name="gallery"),
    path("pictures/<slug:sha256>/", sample_picture),
    path("gallery/studies/", include("tests.gallery.studies.urls")),
    path("", include("leaderboard.project.urls")),
]

__all__ = ["handler400", "handler404", "handler500", "urlpatterns"]
