"""The address of the gallery of studies and grading, in debug mode only."""

from django.urls import path

from humaneval.views.gallery import gallery

urlpatterns = [path("", gallery, name="gallery-studies")]
