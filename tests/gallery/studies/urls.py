"""The address of the gallery of studies and grading."""

from django.urls import path

from tests.gallery.studies.views import gallery

urlpatterns = [path("", gallery, name="gallery-studies")]
